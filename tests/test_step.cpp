// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/step.hpp>

#include <array>
#include <list>
#include <span>

using namespace support;

namespace {

/// A user's own constraint of three particles: the middle one keeps to the middle of the others.
template <class Scalar>
struct Middle {
  std::int32_t a, middle, b;

  [[nodiscard]] std::array<std::int32_t, 3> indices() const { return {a, middle, b}; }

  template <pbd::ParticleSet P>
  void project(P& particles, const pbd::Substep<Scalar>&) const {
    const auto& x = particles.predicted;
    pbd::VectorOf<P> away = x.col(middle) - (x.col(a) + x.col(b)) / 2;
    const Scalar violation = away.norm();
    if (!(violation > 0)) return;
    away /= violation;
    const Scalar weight = particles.inverse_mass(middle) + (particles.inverse_mass(a) + particles.inverse_mass(b)) / 4;
    const Scalar lambda = pbd::delta_lambda(violation, weight);
    pbd::correct(particles, middle, away, lambda);
    pbd::correct(particles, a, away, -lambda / 2);
    pbd::correct(particles, b, away, -lambda / 2);
  }
};

/// A user's own particles: no dynamic memory, and no more members than the algorithms need.
struct Swarm {
  using Scalar = double;
  static constexpr int dim = 2;
  static constexpr Layout layout = Layout::interleaved;
  Eigen::Matrix<double, 2, 6> position, predicted, velocity;
  Eigen::Matrix<double, 6, 1> inverse_mass;

  [[nodiscard]] static Index count() { return 6; }
};

/// Writes its name down whenever it is projected.
struct Witness {
  std::vector<int>* calls;
  int name;

  [[nodiscard]] std::array<int, 1> indices() const { return {0}; }
  void begin_substep(const pbd::Substep<double>&) { calls->push_back(-name); }
  template <class P>
  void project(P&, const pbd::Substep<double>& substep) {
    calls->push_back(name);
    CHECK(substep.dt == 0.125);
    CHECK(substep.iterations == 3);
  }
};

template <class P>
pbd::StepSettings<typename P::Scalar, P::dim> settings_of(int substeps, int iterations) {
  pbd::StepSettings<typename P::Scalar, P::dim> settings;
  settings.substeps = substeps;
  settings.iterations = iterations;
  return settings;
}

/// One scene with every kind of constraint and a pinned particle; what it looks like after some steps.
template <class P>
std::vector<double> play(P& particles) {
  using Scalar = typename P::Scalar;
  scatter(particles);
  CHECK_FALSE(pbd::pin(particles, 0));
  auto hard = net<pbd::DistanceConstraint<Scalar>>(particles);
  auto soft = net<pbd::SoftDistanceConstraint<Scalar>>(particles);
  auto compliant = net<pbd::CompliantDistanceConstraint<Scalar>>(particles);
  auto limits = net<pbd::DistanceLimit<Scalar>>(particles);
  std::vector<Middle<Scalar>> middles{{0, 1, 2}, {4, 3, 5}};
  for (int n = 0; n < 10; ++n)
    CHECK_FALSE(pbd::step(particles, settings_of<P>(3, 4), hard, soft, middles, compliant, limits));
  auto result = state(particles);
  for (const auto& spring : compliant) result.push_back(static_cast<double>(spring.lambda));
  return result;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("a step is substeps of predict and iterations of sweep and update_velocity", "[step]",
                        EveryMemory) {
  using Scalar = typename TestType::Scalar;
  using P = decltype(TestType::particles);
  TestType stepped(7), by_hand(7);
  auto& particles = by_hand.particles;
  for (auto* memory : {&stepped, &by_hand}) scatter(memory->particles);
  auto edges = net<pbd::CompliantDistanceConstraint<Scalar>>(particles), same_edges = edges;
  auto ropes = net<pbd::DistanceLimit<Scalar>>(particles);
  const auto settings = settings_of<P>(3, 2);
  REQUIRE_FALSE(pbd::step(stepped.particles, settings, edges, ropes));

  const pbd::Substep<Scalar> substep = settings.substep();
  CHECK(substep.dt == settings.dt / 3);
  for (int s = 0; s < 3; ++s) {
    pbd::begin_substep(same_edges, particles, substep);
    pbd::predict(particles, settings.gravity, substep.dt);
    for (int n = 0; n < 2; ++n) {
      pbd::sweep(same_edges, particles, substep);
      pbd::sweep(ropes, particles, substep);
    }
    pbd::update_velocity(particles, substep.dt);
  }
  CHECK(same_bits(state(stepped.particles), state(particles)));
  CHECK(same_bits(edges, same_edges));
}

TEMPLATE_TEST_CASE_SIG("every kind of memory has the same motion to the bit", "[step]",
                       ((class Scalar, int Dim), Scalar, Dim), (float, 2), (float, 3), (double, 2), (double, 3)) {
  Owned<Scalar, Dim, Layout::interleaved> memory(9);
  const auto first = play(memory.particles);
  const auto compare = [&](auto&& other) { CHECK(same_bits(play(other.particles), first)); };
  compare(Owned<Scalar, Dim, Layout::planar>(9));
  compare(Mapped<Scalar, Dim, Layout::interleaved, 0>(9));
  compare(Mapped<Scalar, Dim, Layout::planar, 0>(9));
  compare(Mapped<Scalar, Dim, Layout::interleaved, 3>(9));
  compare(Mapped<Scalar, Dim, Layout::planar, 3>(9));
  CHECK(std::all_of(first.begin(), first.end(), [](double value) { return std::isfinite(value); }));
}

TEST_CASE("sets are begun once a substep and swept in turn every iteration", "[step]") {
  std::vector<int> calls;
  pbd::Particles<double, 2> particles(1);
  std::vector<Witness> first{{&calls, 1}, {&calls, 2}};
  std::array<Witness, 1> second{{{&calls, 3}}};
  const pbd::StepSettings<double, 2> settings{.dt = 0.25, .substeps = 2, .iterations = 3};
  REQUIRE_FALSE(pbd::step(particles, settings, first, second));
  const std::vector<int> substep{-1, -2, -3, 1, 2, 3, 1, 2, 3, 1, 2, 3};
  auto expected = substep;
  expected.insert(expected.end(), substep.begin(), substep.end());
  CHECK(calls == expected);
}

TEST_CASE("a step takes sets that are constant or temporary or none", "[step]") {
  pbd::Particles<double, 2> plain(4);
  scatter(plain);
  auto constant = plain, temporary = plain, falling = plain;
  auto edges = net<pbd::DistanceConstraint<double>>(plain);
  const auto& same = edges;
  const pbd::StepSettings<double, 2> settings;
  REQUIRE_FALSE(pbd::step(plain, settings, edges));
  REQUIRE_FALSE(pbd::step(constant, settings, same));
  REQUIRE_FALSE(pbd::step(temporary, settings, std::span(edges)));
  CHECK(same_bits(state(constant), state(plain)));
  CHECK(same_bits(state(temporary), state(plain)));
  REQUIRE_FALSE(pbd::step(falling, settings));
  CHECK_FALSE(same_bits(state(falling), state(plain)));

  using P = pbd::Particles<double, 2>;
  STATIC_REQUIRE(noexcept(pbd::step(plain, settings, edges)));
  STATIC_REQUIRE_FALSE(pbd::StepPartOn<int, P>);
  STATIC_REQUIRE_FALSE(pbd::StepPartOn<std::vector<pbd::DistanceConstraint<float>>, P>);
  STATIC_REQUIRE_FALSE(pbd::StepPartOn<std::list<pbd::DistanceConstraint<double>>, P>);
  STATIC_REQUIRE_FALSE(pbd::StepPartOn<const std::vector<pbd::CompliantDistanceConstraint<double>>, P>);
}

TEST_CASE("a user's constraint of three particles works beside those of cloth", "[step]") {
  // a pinned pair carries the middle one; a rope from it holds a fourth
  pbd::Particles<double, 3> particles(4);
  particles.position.col(0) << -1, 2, 0;
  particles.position.col(1) << 0.3, 1, 0.2;
  particles.position.col(2) << 1, 2, 0;
  particles.position.col(3) << 0, 0.5, 0;
  REQUIRE_FALSE(pbd::pin(particles, 0));
  REQUIRE_FALSE(pbd::pin(particles, 2));
  const std::vector<Middle<double>> middles{{0, 1, 2}};
  const std::vector ropes{pbd::at_most(1, 3, 1.5)};
  const pbd::StepSettings<double, 3> settings{.substeps = 20};
  for (int n = 0; n < 600; ++n) REQUIRE_FALSE(pbd::step(particles, settings, middles, ropes));
  CHECK((particles.position.col(1) - Eigen::Vector3d(0, 2, 0)).norm() < 1e-3);
  CHECK((particles.position.col(3) - Eigen::Vector3d(0, 0.5, 0)).norm() < 0.1);
  const std::vector<Middle<double>> beyond{{0, 1, 4}};
  CHECK(pbd::step(particles, settings, ropes, beyond).message() ==
        "constraint 0 of set 1: particle index out of range");
}

TEST_CASE("a user's own struct of particles moves as the library's do", "[step]") {
  STATIC_REQUIRE(pbd::ParticleSet<Swarm>);
  Swarm swarm;
  pbd::Particles<double, 2> particles(6);
  const auto run = [](auto& set) {
    scatter(set);
    set.inverse_mass(0) = 0;
    set.velocity.col(0).setZero();
    auto edges = net<pbd::CompliantDistanceConstraint<double>>(set);
    for (int n = 0; n < 10; ++n) CHECK_FALSE(pbd::step(set, pbd::StepSettings<double, 2>{}, edges));
    CHECK_FALSE(pbd::validate(set, edges));
    return state(set);
  };
  CHECK(same_bits(run(swarm), run(particles)));
}

TEMPLATE_LIST_TEST_CASE("a free fall is semi-implicit Euler in closed form", "[step]", EveryMemory) {
  // x_n = x_0 + n h v_0 + g h² n(n + 1)/2
  using Scalar = typename TestType::Scalar;
  using P = decltype(TestType::particles);
  TestType memory(5), before(5);
  auto& particles = memory.particles;
  scatter(particles);
  scatter(before.particles);
  const auto settings = settings_of<P>(4, 1);
  for (int n = 0; n < 30; ++n) REQUIRE_FALSE(pbd::step(particles, settings));
  const double h = 1.0 / 240, steps = 120;
  // a substep rounds its way by half an ulp of the position at most, which stays in the velocity
  const double rounded = steps * static_cast<double>(epsilon<Scalar>) / h;
  for (Index i = 0; i < 5; ++i)
    for (int d = 0; d < P::dim; ++d) {
      const double g = d == 1 ? -9.81 : 0, v = static_cast<double>(before.particles.velocity(d, i));
      const double x = static_cast<double>(before.particles.position(d, i));
      CHECK(std::abs(static_cast<double>(particles.position(d, i)) -
                     (x + steps * h * v + g * h * h * steps * (steps + 1) / 2)) < rounded * h * steps / 2);
      CHECK(std::abs(static_cast<double>(particles.velocity(d, i)) - (v + steps * h * g)) < rounded);
    }
}

TEST_CASE("a sheet in free fall for ten seconds is not strained", "[step]") {
  pbd::ClothSettings<double, 3> sheet;
  sheet.columns = sheet.rows = 20;
  sheet.pin_top_left = sheet.pin_top_right = false;
  auto cloth = pbd::make_cloth(sheet);
  for (int n = 0; n < 600; ++n)
    REQUIRE_FALSE(pbd::step(cloth.particles, pbd::StepSettings<double, 3>{}, cloth.structural, cloth.shear));
  CHECK(cloth.particles.position(1, 0) < -490);
  CHECK(pbd::stretch(cloth.particles, cloth.structural, cloth.shear).max < 1e-9);
}

TEMPLATE_LIST_TEST_CASE("a pinned particle never moves", "[step]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  using P = decltype(TestType::particles);
  TestType memory(8);
  auto& particles = memory.particles;
  scatter(particles);
  REQUIRE_FALSE(pbd::pin(particles, 3));
  REQUIRE_FALSE(pbd::pin(particles, 7));
  const auto place = particles.position.eval();
  auto hard = net<pbd::DistanceConstraint<Scalar>>(particles);
  auto soft = net<pbd::SoftDistanceConstraint<Scalar>>(particles);
  auto compliant = net<pbd::CompliantDistanceConstraint<Scalar>>(particles);
  auto limits = net<pbd::DistanceLimit<Scalar>>(particles);
  for (int n = 0; n < 20; ++n) REQUIRE_FALSE(pbd::step(particles, settings_of<P>(2, 3), hard, soft, compliant, limits));
  for (const Index i : {3, 7}) {
    CHECK(particles.position.col(i) == place.col(i));
    CHECK(particles.velocity.col(i).isZero(0));
  }
  CHECK(particles.position.col(0) != place.col(0));
}

TEMPLATE_LIST_TEST_CASE("a scripted particle follows its velocity exactly and keeps it when released", "[step]",
                        EveryMemory) {
  using Scalar = typename TestType::Scalar;
  using P = decltype(TestType::particles);
  TestType memory(4);
  auto& particles = memory.particles;
  scatter(particles);
  REQUIRE_FALSE(pbd::pin(particles, 1));
  auto edges = net<pbd::CompliantDistanceConstraint<Scalar>>(particles);
  const auto settings = settings_of<P>(5, 2);
  const Scalar h = settings.dt / 5;
  pbd::VectorOf<P> place = particles.position.col(1), script;
  for (int n = 0; n < 12; ++n) {
    for (int d = 0; d < P::dim; ++d)  // a new velocity every step
      particles.velocity(d, 1) = script(d) =
          Scalar(0.3) * static_cast<Scalar>(n + 1) - Scalar(0.7) * static_cast<Scalar>(d);
    REQUIRE_FALSE(pbd::step(particles, settings, edges));
    for (int s = 0; s < 5; ++s)
      for (int d = 0; d < P::dim; ++d) {
        const Scalar way = h * script(d);
        place(d) += way;
      }
    CHECK(particles.position.col(1) == place);
    CHECK(particles.velocity.col(1) == script);
  }
  REQUIRE_FALSE(pbd::unpin(particles, 1));
  CHECK(particles.velocity.col(1) == script);

  auto coasting = settings;
  coasting.gravity.setZero();
  REQUIRE_FALSE(pbd::step(particles, coasting));
  CHECK((particles.velocity.col(1) - script).norm() < 1000 * epsilon<Scalar>);
  CHECK((particles.position.col(1) - place - settings.dt * script).norm() < 20 * epsilon<Scalar>);
}

TEST_CASE("an acceleration among the sets acts every substep as gravity does", "[step]") {
  pbd::Particles<double, 3> shifted(6);
  scatter(shifted);
  REQUIRE_FALSE(pbd::pin(shifted, 0));
  auto blown = shifted;
  auto edges = net<pbd::DistanceConstraint<double>>(shifted);
  auto settings = settings_of<pbd::Particles<double, 3>>(4, 3);
  const pbd::Vector<double, 3> wind(3, 1, -2);
  int asked = 0;
  pbd::Acceleration blow{[&](const auto&, Index) {
    ++asked;
    return wind;
  }};
  REQUIRE_FALSE(pbd::step(blown, settings, blow, edges));
  CHECK(asked == 4 * 5);
  settings.gravity += wind;
  REQUIRE_FALSE(pbd::step(shifted, settings, edges));
  CHECK(difference(state(shifted), state(blown)) < 1e-13);
}

TEST_CASE("settings left alone are a frame of ten substeps under gravity", "[step]") {
  const pbd::StepSettings<double, 3> settings;
  CHECK(settings.dt == 1.0 / 60);
  CHECK(settings.substeps == 10);
  CHECK(settings.iterations == 1);
  CHECK(settings.gravity == Eigen::Vector3d(0, -9.81, 0));
  CHECK_FALSE(pbd::validate(settings));
}
