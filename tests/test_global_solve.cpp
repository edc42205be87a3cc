// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/global_solve.hpp>

#include <array>
#include <cmath>

using namespace support;

namespace {

template <class Scalar>
using Hard = std::vector<pbd::DistanceConstraint<Scalar>>;
template <class Scalar>
using Springs = std::vector<pbd::CompliantDistanceConstraint<Scalar>>;
template <class Scalar>
using Limits = std::vector<pbd::DistanceLimit<Scalar>>;

constexpr double gravity = 9.81;

/// A chain straight down from particle 0, which is pinned.
template <class P>
void hang(P& particles, double spacing, double mass) {
  using Scalar = typename P::Scalar;
  particles.position.setZero();
  for (Index i = 0; i < particles.count(); ++i) {
    particles.position(1, i) = static_cast<Scalar>(-spacing * static_cast<double>(i));
    particles.inverse_mass(i) = static_cast<Scalar>(i == 0 ? 0 : 1 / mass);
  }
  particles.predicted = particles.position;
}

/// Links of a type between neighbours.
template <class Constraint>
std::vector<Constraint> links(Index particles, double length) {
  std::vector<Constraint> chain;
  for (Index i = 0; i + 1 < particles; ++i) {
    Constraint link{};
    link.i = static_cast<std::int32_t>(i);
    link.j = link.i + 1;
    if constexpr (requires { link.longest; })
      link.longest = static_cast<typename Constraint::Scalar>(length);
    else
      link.rest_length = static_cast<typename Constraint::Scalar>(length);
    chain.push_back(link);
  }
  return chain;
}

/// The largest relative violation of `predicted`: what one Newton step after the other leaves.
template <class P, class Set>
double left_by(const P& particles, const Set& set) {
  auto predicted = particles;
  predicted.position = particles.predicted;
  return static_cast<double>(pbd::stretch(predicted, set).max);
}

/// Steps that keep the part `kept` of the velocity: the end of the motion, sooner.
template <class P, class... Sets>
void settle(P& particles, const pbd::StepSettings<typename P::Scalar, P::dim>& settings, int steps, double kept,
            Sets&... sets) {
  for (int s = 0; s < steps; ++s) {
    REQUIRE_FALSE(pbd::step(particles, settings, sets...));
    particles.velocity *= static_cast<typename P::Scalar>(kept);
  }
}

template <class Scalar, int Dim>
pbd::StepSettings<Scalar, Dim> newton(double dt, int iterations) {
  pbd::StepSettings<Scalar, Dim> settings;
  settings.dt = static_cast<Scalar>(dt);
  settings.substeps = 1;
  settings.iterations = iterations;
  return settings;
}

template <class Scalar, int Dim, Layout layout = Layout::planar>
auto curtain(int columns, int rows, Scalar spacing, Scalar mass) {
  pbd::ClothSettings<Scalar, Dim> sheet;
  sheet.columns = columns;
  sheet.rows = rows;
  sheet.spacing = spacing;
  sheet.particle_mass = mass;
  sheet.pin_top_row = true;
  return pbd::make_cloth<Scalar, Dim, layout>(sheet);
}

template <class P>
void shake_predicted(P& particles, double amount, std::uint64_t seed = 1) {
  Random random(seed);
  for (Index i = 0; i < particles.count(); ++i)
    for (int d = 0; d < P::dim; ++d) {
      const double by = random(-amount, amount);
      if (particles.inverse_mass(i) > 0) particles.predicted(d, i) += static_cast<typename P::Scalar>(by);
    }
}

}  // namespace

// ---- at rest

TEMPLATE_LIST_TEST_CASE("a link of a hanging chain carries exactly what hangs below it", "[global_solve]",
                        SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  constexpr bool precise = sizeof(Scalar) == 8;
  constexpr Index count = 33;
  TestType memory(count);
  auto& particles = memory.particles;
  hang(particles, 0.0531, 0.3);  // 6 % too long
  auto global = pbd::make_global_solve(links<pbd::DistanceConstraint<Scalar>>(count, 0.05));
  const auto settings = newton<Scalar, TestType::dim>(1.0 / 240, 3);
  settle(particles, settings, 3, 0, global);

  CHECK(static_cast<double>(pbd::stretch(particles, global).max) < (precise ? 1e-12 : 1e-5));
  for (Index k = 0; k + 1 < count; ++k) {
    const double below = static_cast<double>(count - 1 - k);
    INFO("link " << k);
    CHECK(static_cast<double>(global.force(static_cast<std::size_t>(k), settings.substep())) ==
          Approx(0.3 * gravity * below).epsilon(precise ? 1e-9 : 1e-2));
  }
}

TEST_CASE("a hanging curtain has no strain; its verticals carry what hangs below, its horizontals nothing",
          "[global_solve][long]") {
  auto cloth = curtain<double, 3>(9, 12, 0.1, 0.2);
  shake_predicted(cloth.particles, 0.005);
  cloth.particles.position.row(1) = cloth.particles.predicted.row(1);  // too long here, too short there
  auto global = pbd::make_global_solve(cloth.structural);
  const auto settings = newton<double, 3>(1.0 / 200, 5);
  settle(cloth.particles, settings, 1800, 0.97, global);

  CHECK(pbd::stretch(cloth.particles, global).max < 1e-12);
  for (std::size_t k = 0; k < cloth.structural.size(); ++k) {
    const auto& edge = cloth.structural[k];
    const bool vertical = edge.j - edge.i == cloth.columns;
    const double below = vertical ? cloth.rows - edge.j / cloth.columns : 0;
    INFO("edge " << edge.i << " " << edge.j);
    CHECK(global.force(k, settings.substep()) == Approx(0.2 * gravity * below).epsilon(1e-9).margin(1e-8));
  }
}

TEMPLATE_LIST_TEST_CASE("a compliant chain sags by the sum of its links' stretch", "[global_solve]", SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  constexpr bool precise = sizeof(Scalar) == 8;
  constexpr int n = 16;
  const double alpha = 1e-4, mass = 0.25;
  TestType memory(n + 1);
  auto& particles = memory.particles;
  hang(particles, 0.125, mass);
  auto chain = links<pbd::CompliantDistanceConstraint<Scalar>>(n + 1, 0.125);
  for (auto& link : chain) link.compliance = static_cast<Scalar>(alpha);
  auto global = pbd::make_global_solve(chain);
  const auto settings = newton<Scalar, TestType::dim>(1.0 / 30, 2);
  settle(particles, settings, 400, 0, global);

  const double sag = -static_cast<double>(particles.position(1, n)) - n * 0.125;
  CHECK(std::abs(sag - alpha * mass * gravity * n * (n + 1) / 2) < (precise ? 1e-12 : 1e-5));
  CHECK(static_cast<double>(global.force(0, settings.substep())) ==
        Approx(mass * gravity * n).epsilon(precise ? 1e-9 : 1e-3));
  global.for_each_constraint([&, k = std::size_t{0}](const auto& link) mutable {
    CHECK(link.force(settings.substep()) == Approx(global.force(k++, settings.substep())).epsilon(1e-5));
  });
}

/// A chain of n links, 1.5 m long, between two pins 1 m apart. The horizontal pull H is the same everywhere and the
/// vertical one grows by m g a particle: tan θ_i is (i − (n − 1)/2) m g / H, with H from Σ l cos θ_i = 1 m.
struct Catenary {
  int n;
  double l = 1.5 / n, mass = 1.0 / n, pull = 0;
  Eigen::Matrix2Xd at;
  std::vector<double> tension;

  explicit Catenary(int links_) : n(links_), at(2, n + 1) {
    double low = 1e-6, high = 1e6;
    for (int k = 0; k < 200; ++k) {
      pull = std::sqrt(low * high);
      double width = 0;
      for (int i = 0; i < n; ++i) width += l * cosine(i);
      (width < 1 ? low : high) = pull;
    }
    at.col(0).setZero();
    for (int i = 0; i < n; ++i) {
      at.col(i + 1) = at.col(i) + l * cosine(i) * Eigen::Vector2d(1, slope(i));
      tension.push_back(pull / cosine(i));
    }
  }
  [[nodiscard]] double slope(int i) const { return (i - (n - 1) / 2.0) * mass * gravity / pull; }
  [[nodiscard]] double cosine(int i) const { return 1 / std::hypot(1.0, slope(i)); }
};

TEST_CASE("a chain between two pins hangs in the discrete catenary, but for the square of the substep",
          "[global_solve][long]") {
  // A constraint's direction is that at the prediction, where all but the pins have fallen by g h²: the first and the
  // last link lean too far. That is all of the error, so two substeps tell what none at all would give.
  const auto [n, published] = GENERATE(std::pair{20, 0.503447}, std::pair{50, 0.502763}, std::pair{100, 0.502666});
  const Catenary exact(n);
  CHECK(-exact.at.row(1).minCoeff() == Approx(published).margin(1e-6));

  std::vector<Eigen::Matrix2Xd> at;
  std::vector<std::vector<double>> force;
  for (const double part : {0.36, 0.18}) {
    pbd::Particles<double, 2> particles(n + 1);
    for (int i = 0; i <= n; ++i) {  // a V of the right length
      const double x = static_cast<double>(i) / n;
      particles.position.col(i) << x, -std::sqrt(1.25) * std::min(x, 1 - x);
      particles.inverse_mass(i) = i == 0 || i == n ? 0 : 1 / exact.mass;
    }
    auto global = pbd::make_global_solve(links<pbd::DistanceConstraint<double>>(n + 1, exact.l));
    const double dt = part * std::sqrt(exact.mass * exact.l / exact.tension[0]);
    const auto settings = newton<double, 2>(dt, 3);
    settle(particles, settings, static_cast<int>(8 / dt), std::exp(-4 * dt), global);
    CHECK(pbd::stretch(particles, global).max < 1e-12);
    at.push_back(particles.position);
    force.emplace_back();
    for (std::size_t k = 0; k < exact.tension.size(); ++k) force.back().push_back(global.force(k, settings.substep()));
  }
  const double coarse = (at[0] - exact.at).norm(), fine = (at[1] - exact.at).norm();
  CHECK(coarse / fine == Approx(4).epsilon(0.03));
  const Eigen::Matrix2Xd limit = (4 * at[1] - at[0]) / 3;
  CHECK((limit - exact.at).cwiseAbs().maxCoeff() < 1e-6);
  for (std::size_t k = 0; k < exact.tension.size(); ++k)
    CHECK((4 * force[1][k] - force[0][k]) / 3 == Approx(exact.tension[k]).epsilon(2e-5));
}

TEST_CASE("a line under tension is stable for substeps shorter than the root of m l / 3T, and for no longer ones",
          "[global_solve]") {
  // A bob of many links' mass makes T nearly constant. The shortest wave, a zigzag, has ω² = 4T/(ml). The projection
  // takes its force from the prediction: z² − 2(1 − a)z + (1 − a) = 0 with a = h²ω², stable while a < 4/3.
  constexpr Index count = 22;
  const double l = 0.05, mass = 0.01, bob = 100;
  const double limit = std::sqrt(mass * l / (3 * bob * gravity));
  for (const bool longer : {false, true}) {
    pbd::Particles<double, 2> particles(count);
    hang(particles, l, mass);
    particles.inverse_mass(count - 1) = 1 / bob;
    for (Index i = 1; i + 1 < count; ++i) particles.position(0, i) = i % 2 == 0 ? 1e-9 : -1e-9;
    auto global = pbd::make_global_solve(links<pbd::DistanceConstraint<double>>(count, l));
    settle(particles, newton<double, 2>((longer ? 1.03 : 0.97) * limit, 2), 60, 1, global);
    CHECK(longer == (particles.position.row(0).cwiseAbs().maxCoeff() > 1e-9));
  }
}

// ---- convergence

TEST_CASE("each sweep squares what the one before it left", "[global_solve]") {
  for (const int size : {8, 24}) {
    auto cloth = curtain<double, 3>(size, size, 0.1, 0.2);
    shake_predicted(cloth.particles, 0.0005);
    auto global = pbd::make_global_solve(cloth.structural);
    const pbd::Substep<double> substep(1.0 / 600, 4);
    std::vector<double> left{left_by(cloth.particles, global)};
    for (int n = 0; n < 4; ++n) {
      global.sweep(cloth.particles, substep);
      left.push_back(left_by(cloth.particles, global));
    }
    INFO(left[0] << " " << left[1] << " " << left[2] << " " << left[3]);
    CHECK(std::log(left[2] / left[1]) / std::log(left[1] / left[0]) > 1.6);
    CHECK(left[2] < 1e-7);
    CHECK(left[4] < 1e-14);
  }
}

TEMPLATE_LIST_TEST_CASE("both diagonals beside the edges are one constraint too many, and are solved all the same",
                        "[global_solve]", SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  constexpr int dim = TestType::dim;
  constexpr bool precise = sizeof(Scalar) == 8;
  auto cloth = curtain<Scalar, dim, decltype(TestType::particles)::layout>(7, 6, Scalar(0.1), Scalar(0.2));
  shake_predicted(cloth.particles, 0.001);
  auto global = pbd::make_global_solve(cloth.structural, cloth.shear);
  const pbd::Substep<Scalar> substep(Scalar(1) / 600, 1);
  for (int n = 0; n < 5; ++n) global.sweep(cloth.particles, substep);
  const double after_five = left_by(cloth.particles, global);
  for (int n = 0; n < 10; ++n) global.sweep(cloth.particles, substep);
  // In the plane the system is consistent. In space a cell is flat or it does not hold: a double root, to which every
  // sweep goes half the way.
  CHECK(after_five < (dim == 2 ? (precise ? 1e-14 : 5e-6) : 2e-4));
  CHECK(left_by(cloth.particles, global) < (dim == 2 ? (precise ? 1e-14 : 5e-6) : (precise ? 1e-9 : 3e-5)));
}

TEST_CASE("a sheet with both diagonals swings and keeps its lengths", "[global_solve]") {
  pbd::ClothSettings<double, 2> sheet;
  sheet.columns = 6;
  sheet.rows = 5;
  sheet.pin_top_right = false;
  auto cloth = pbd::make_cloth<double, 2>(sheet);
  auto global = pbd::make_global_solve(cloth.structural, cloth.shear);
  pbd::StepSettings<double, 2> settings;
  settings.iterations = 3;
  for (int frame = 0; frame < 30; ++frame) {
    REQUIRE_FALSE(pbd::step(cloth.particles, settings, global));
    REQUIRE(pbd::stretch(cloth.particles, global).max < 1e-11);
  }
  CHECK(cloth.particles.position(0, 5) < 0.9);
}

TEST_CASE("a taut line between two pins stays where it is", "[global_solve]") {
  pbd::Particles<double, 3> particles(12);
  for (Index i = 0; i < 12; ++i) particles.position(0, i) = 0.1 * static_cast<double>(i);
  particles.predicted = particles.position;
  particles.inverse_mass(0) = particles.inverse_mass(11) = 0;
  particles.predicted(0, 4) += 0.02;
  particles.predicted(0, 7) -= 0.01;
  auto global = pbd::make_global_solve(links<pbd::DistanceConstraint<double>>(12, 0.1));
  for (int n = 0; n < 4; ++n) global.sweep(particles, pbd::Substep<double>(0.01, 1));
  CHECK(left_by(particles, global) < 1e-14);
  CHECK((particles.predicted - particles.position).cwiseAbs().maxCoeff() < 1e-14);
}

// ---- the same as one constraint after another

TEMPLATE_LIST_TEST_CASE("one constraint alone is moved as by its own projection", "[global_solve]", SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  const pbd::Substep<Scalar> substep(Scalar(0.01), 2);
  const auto demand_same = [&](auto constraint) {
    for (const Scalar length : {Scalar(0.3), Scalar(4)}) {
      constraint = between<decltype(constraint)>(0, 1, length);
      TestType one(2), other(2);
      scatter(one.particles);
      scatter(other.particles);
      auto global = pbd::make_global_solve(std::array{constraint});
      global.relative_compliance = 0;
      std::vector array{constraint};
      pbd::begin_substep(array, one.particles, substep);
      global.begin_substep(other.particles, substep);
      for (int n = 0; n < 2; ++n) {
        pbd::sweep(array, one.particles, substep);
        global.sweep(other.particles, substep);
        CHECK(difference(state(one.particles), state(other.particles)) < 8 * static_cast<double>(epsilon<Scalar>));
      }
    }
  };
  std::apply([&](auto... constraint) { (demand_same(constraint), ...); }, EveryConstraint<Scalar>{});
}

TEMPLATE_TEST_CASE("it ends where many sweeps of Gauss-Seidel end", "[global_solve]", pbd::DistanceConstraint<double>,
                   pbd::CompliantDistanceConstraint<double>) {
  // A small violation, so that the directions, which Gauss-Seidel keeps turning, stay what they are: a thousandth of a
  // millionth of a metre is the square of what is corrected here.
  pbd::Particles<double, 3> one(7);
  scatter(one, 3);
  one.predicted = one.position;
  one.inverse_mass(0) = 0;
  auto chain = net<TestType>(one);
  for (auto& edge : chain) edge.rest_length *= 1.25 * (1 + 1e-5 * std::sin(edge.i + 3 * edge.j));  // net: four fifths
  if constexpr (requires { chain[0].compliance; })
    for (auto& edge : chain) edge.compliance = 1e-6;
  auto other = one;
  auto global = pbd::make_global_solve(chain);
  const pbd::Substep<double> substep(0.01, 1);
  pbd::begin_substep(chain, one, substep);
  for (int n = 0; n < 20000; ++n) pbd::sweep(chain, one, substep);
  for (int n = 0; n < 4; ++n) global.sweep(other, substep);
  CHECK((one.predicted - other.predicted).cwiseAbs().maxCoeff() < 1e-9);
  CHECK((one.predicted - one.position).cwiseAbs().maxCoeff() > 1e-7);
  if constexpr (requires { chain[0].lambda; })
    for (std::size_t k = 0; k < chain.size(); ++k)
      CHECK(global.lambda[k] == Approx(chain[k].lambda).epsilon(1e-3).margin(1e-9));
}

TEST_CASE("a substep restores of a soft constraint what its stiffness says", "[global_solve]") {
  for (const int iterations : {1, 2, 5}) {
    pbd::Particles<double, 2> particles(2);
    particles.position(0, 1) = 3;
    const std::array soft{pbd::SoftDistanceConstraint<double>{0, 1, 1.0, 0.75}};
    auto global = pbd::make_global_solve(soft);
    auto settings = newton<double, 2>(0.01, iterations);
    REQUIRE_FALSE(pbd::step(particles, settings, global));
    CHECK(pbd::stretch(particles, global).max == Approx(0.25 * 2).epsilon(1e-9));
  }
}

// ---- limits

TEMPLATE_TEST_CASE("a rope of limits hangs like a chain", "[global_solve]", float, double) {
  constexpr Index count = 17;
  pbd::Particles<TestType, 2> particles(count);
  hang(particles, 0.04, 0.3);  // slack: each link may be 0.05 m long
  auto rope = pbd::make_global_solve(links<pbd::DistanceLimit<TestType>>(count, 0.05));
  const auto settings = newton<TestType, 2>(1.0 / 240, 4);
  settle(particles, settings, 1000, 0.9, rope);
  for (std::size_t k = 0; k + 1 < static_cast<std::size_t>(count); ++k) {
    const double below = static_cast<double>(count - 1) - static_cast<double>(k);
    CHECK(static_cast<double>(rope.force(k, settings.substep())) ==
          Approx(0.3 * gravity * below).epsilon(sizeof(TestType) == 8 ? 1e-9 : 1e-2));
  }
  CHECK(static_cast<double>(pbd::stretch(particles, rope).max) < (sizeof(TestType) == 8 ? 1e-12 : 1e-5));
}

TEST_CASE("a limit never pulls together what it keeps apart, nor the other way round", "[global_solve]") {
  pbd::Particles<double, 3> particles(30);
  scatter(particles);
  Limits<double> limits;
  Random random(7);
  for (std::int32_t i = 0; i < 30; ++i)
    for (std::int32_t j = i + 1; j < 30; j += 3) {
      const double length = random(0.2, 1.5);
      limits.push_back((i + j) % 2 == 0 ? pbd::at_most(i, j, length) : pbd::at_least(i, j, length));
    }
  auto global = pbd::make_global_solve(limits);
  const auto settings = newton<double, 3>(0.01, 3);
  for (int s = 0; s < 20; ++s) {
    REQUIRE_FALSE(pbd::step(particles, settings, global));
    for (std::size_t k = 0; k < limits.size(); ++k) {
      const double force = global.force(k, settings.substep());
      REQUIRE((limits[k].longest < 10 ? force >= 0 : force <= 0));
    }
  }
}

TEST_CASE("limits that are not crossed act on nothing", "[global_solve]") {
  pbd::Particles<double, 2> particles(5);
  scatter(particles);
  const Limits<double> slack{pbd::at_most(0, 1, 9.0), pbd::at_most(1, 2, 9.0), pbd::at_least(2, 3, 1e-6),
                             pbd::DistanceLimit<double>{3, 4, 1e-6, 9.0}};
  auto global = pbd::make_global_solve(slack);
  const auto before = state(particles);
  for (int n = 0; n < 3; ++n) global.sweep(particles, pbd::Substep<double>(0.01, 3));
  CHECK(same_bits(state(particles), before));
  CHECK(global.lambda == std::vector<double>(4, 0));
}

// ---- what it keeps

TEMPLATE_LIST_TEST_CASE("momentum of a free cloth is kept", "[global_solve]", SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  constexpr int dim = TestType::dim;
  TestType memory(14);
  auto& particles = memory.particles;
  scatter(particles);
  const auto edges = net<pbd::DistanceConstraint<Scalar>>(particles);
  auto global = pbd::make_global_solve(edges, net<pbd::CompliantDistanceConstraint<Scalar>>(particles));
  for (int n = 0; n < 3; ++n) {
    const auto before = particles.predicted.template cast<double>().eval();
    global.sweep(particles, pbd::Substep<Scalar>(Scalar(0.01), 1));
    Eigen::Vector3d linear = Eigen::Vector3d::Zero(), angular = linear;
    double size = 0;
    for (Index i = 0; i < particles.count(); ++i) {
      Eigen::Vector3d x = Eigen::Vector3d::Zero(), moved = x;
      for (int d = 0; d < dim; ++d) {
        x(d) = before(d, i);
        moved(d) = static_cast<double>(particles.predicted(d, i)) - x(d);
      }
      const double mass = 1 / static_cast<double>(particles.inverse_mass(i));
      linear += mass * moved;
      angular += mass * x.cross(moved);
      size += mass * (x.norm() + moved.norm()) * (1 + x.norm());
    }
    CHECK(linear.norm() < 4 * static_cast<double>(epsilon<Scalar>) * size);
    CHECK(angular.norm() < 4 * static_cast<double>(epsilon<Scalar>) * size);
  }
}

TEMPLATE_LIST_TEST_CASE("under the direct solve a pinned particle never moves", "[global_solve]", SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  TestType memory(10);
  auto& particles = memory.particles;
  scatter(particles);
  for (const Index i : {0, 4, 5}) {
    particles.inverse_mass(i) = 0;
    particles.velocity.col(i).setZero();
  }
  const auto before = particles.position.eval();
  auto global = pbd::make_global_solve(net<pbd::DistanceConstraint<Scalar>>(particles),
                                       net<pbd::SoftDistanceConstraint<Scalar>>(particles),
                                       net<pbd::DistanceLimit<Scalar>>(particles));
  const auto settings = newton<Scalar, TestType::dim>(0.01, 3);
  for (int s = 0; s < 5; ++s) REQUIRE_FALSE(pbd::step(particles, settings, global));
  for (const Index i : {0, 4, 5}) CHECK(particles.position.col(i) == before.col(i));
}

TEMPLATE_LIST_TEST_CASE("the direct solve is the same in every memory, and twice the same bits", "[global_solve]",
                        SomeMemory) {
  using Scalar = typename TestType::Scalar;
  const auto run = [](auto& particles) {
    scatter(particles);
    auto global = pbd::make_global_solve(net<pbd::CompliantDistanceConstraint<Scalar>>(particles),
                                         net<pbd::DistanceLimit<Scalar>>(particles));
    const auto settings = newton<Scalar, TestType::dim>(0.01, 2);
    for (int s = 0; s < 10; ++s) REQUIRE_FALSE(pbd::step(particles, settings, global));
    return state(particles);
  };
  TestType one(12), other(12);
  pbd::Particles<Scalar, TestType::dim> plain(12);
  const auto result = run(one.particles);
  CHECK(same_bits(result, run(other.particles)));
  CHECK(same_bits(result, run(plain)));
}

TEST_CASE("scenes of any size and mass are solved alike", "[global_solve]") {
  const auto run = [](double length, double mass) {
    auto cloth = curtain<double, 3>(5, 6, 0.1, 0.2);
    auto& particles = cloth.particles;
    shake_predicted(particles, 0.01);
    particles.position = length * particles.predicted;
    particles.inverse_mass /= mass;
    for (auto& edge : cloth.structural) edge.rest_length *= length;
    Springs<double> springs;
    for (const auto& edge : cloth.shear)
      springs.push_back({edge.i, edge.j, length * edge.rest_length, 1e-4 / mass, 3 * mass});
    auto global = pbd::make_global_solve(cloth.structural, springs);
    auto settings = newton<double, 3>(1.0 / 300, 2);
    settings.gravity *= length;
    for (int s = 0; s < 20; ++s) REQUIRE_FALSE(pbd::step(particles, settings, global));
    particles.position /= length;
    particles.predicted /= length;
    particles.velocity /= length;
    particles.inverse_mass *= mass;
    return state(particles);
  };
  const auto unit = run(1, 1);
  for (const double scale : {1e-6, 1e-3, 1e3, 1e6}) {
    CHECK(difference(unit, run(scale, 1)) < 1e-9);
    CHECK(difference(unit, run(1, scale)) < 1e-9);
  }
}

// ---- degenerate input

TEST_CASE("nothing to solve, nobody to move", "[global_solve]") {
  const auto settings = newton<double, 2>(0.01, 2);
  for (const Index count : {0, 1, 2}) {
    pbd::Particles<double, 2> particles(count);
    auto empty = pbd::make_global_solve(Hard<double>{}, Springs<double>{});
    REQUIRE_FALSE(pbd::step(particles, settings, empty));
    CHECK(pbd::stretch(particles, empty).count == 0);
  }
  pbd::Particles<double, 2> pinned(4);
  scatter(pinned);
  pinned.inverse_mass.setZero();
  pinned.velocity.setZero();
  auto global = pbd::make_global_solve(net<pbd::DistanceConstraint<double>>(pinned));
  const auto before = pinned.position;
  REQUIRE_FALSE(pbd::step(pinned, settings, global));
  CHECK(pinned.position == before);
  CHECK(global.lambda == std::vector<double>(global.lambda.size(), 0));
}

TEMPLATE_LIST_TEST_CASE("coincident particles, NaN and infinity harm no neighbour", "[global_solve]", SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  for (const Scalar bad : {Scalar{0}, not_a_number<Scalar>, infinity<Scalar>}) {
    TestType memory(6);
    auto& particles = memory.particles;
    scatter(particles);
    for (int d = 0; d < TestType::dim; ++d) {
      if (bad == 0)
        particles.predicted(d, 1) = particles.predicted(d, 0);
      else
        particles.predicted(d, 0) = bad;
    }
    auto global = pbd::make_global_solve(net<pbd::DistanceConstraint<Scalar>>(particles));
    for (int n = 0; n < 3; ++n) global.sweep(particles, pbd::Substep<Scalar>(Scalar(0.01), 1));
    for (Index i = 1; i < 6; ++i)
      for (int d = 0; d < TestType::dim; ++d) CHECK(std::isfinite(particles.predicted(d, i)));
    CHECK(std::abs(static_cast<double>((particles.predicted.col(4) - particles.predicted.col(5)).norm())) < 10);
  }
}

TEMPLATE_TEST_CASE("a sheet folded onto itself stays finite", "[global_solve]", float, double) {
  auto cloth = curtain<TestType, 3>(6, 7, TestType(0.1), TestType(0.2));
  auto& particles = cloth.particles;
  for (Index i = 0; i < particles.count(); ++i)
    for (int d = 0; d < 3; ++d) particles.position(d, i) = particles.position(d, (i / 6) % 2 * 6 + i % 6);
  particles.predicted = particles.position;
  auto global = pbd::make_global_solve(cloth.structural, cloth.shear);
  const auto settings = newton<TestType, 3>(1.0 / 600, 2);
  for (int s = 0; s < 60; ++s) REQUIRE_FALSE(pbd::step(particles, settings, global));
  CHECK_FALSE(pbd::validate(particles));
}

TEST_CASE("the same pair constrained twice is held once", "[global_solve]") {
  pbd::Particles<double, 2> particles(3);
  particles.predicted.row(0) << 0, 1.5, 2.5;
  auto global = pbd::make_global_solve(Hard<double>{{0, 1, 1.0}, {1, 0, 1.0}, {1, 2, 1.0}}, Hard<double>{{0, 1, 1.0}});
  for (int n = 0; n < 2; ++n) global.sweep(particles, pbd::Substep<double>(0.01, 1));
  CHECK(left_by(particles, global) < 1e-14);
  CHECK(global.lambda[0] == Approx(global.lambda[1]).epsilon(1e-4));
  CHECK(global.lambda[0] == Approx(global.lambda[3]).epsilon(1e-4));
}

// ---- at the door

TEST_CASE("constraints are shown in the order given, λ with them", "[global_solve]") {
  pbd::Particles<double, 2> particles(5);
  scatter(particles);
  const auto hard = net<pbd::DistanceConstraint<double>>(particles);
  const auto springs = net<pbd::CompliantDistanceConstraint<double>>(particles);
  const auto limits = net<pbd::DistanceLimit<double>>(particles);
  auto global = pbd::make_global_solve(hard, springs, limits);
  const auto settings = newton<double, 2>(0.01, 1);
  REQUIRE_FALSE(pbd::step(particles, settings, global));
  std::vector<int> shown, expected;
  std::size_t k = 0;
  global.for_each_constraint([&](const auto& constraint) {
    shown.insert(shown.end(), {constraint.i, constraint.j});
    if constexpr (requires { constraint.lambda; }) CHECK(constraint.lambda == global.lambda[k]);
    ++k;
  });
  const auto list = [&](const auto& array) {
    for (const auto& constraint : array) expected.insert(expected.end(), {constraint.i, constraint.j});
  };
  list(hard);
  list(springs);
  list(limits);
  CHECK(shown == expected);
  CHECK(pbd::stretch(particles, global).max == pbd::stretch(particles, hard, springs, limits).max);
  CHECK(pbd::energy(particles, {0, 0}, global).elastic == pbd::energy(particles, {0, 0}, springs).elastic);
}

TEST_CASE("what cannot be solved is refused by name", "[global_solve]") {
  const Hard<double> good{{0, 1, 1.0}};
  const auto demand_refused = [&](const Hard<double>& bad, const char* reason) {
    const auto global = pbd::make_global_solve(good, bad);
    CHECK(std::string(global.error.reason) == reason);
    CHECK(global.error.item == 1);
    CHECK(global.error.set == 1);
    CHECK(global.lambda.empty());
    CHECK(std::get<0>(global.constraints).empty());
  };
  demand_refused({{0, 1, 1.0}, {2, 2, 1.0}}, "names the same particle twice");
  demand_refused({{0, 1, 1.0}, {-1, 2, 1.0}}, "particle index out of range");
  demand_refused({{0, 1, 1.0}, {1, 2, not_a_number<double>}}, "rest length is NaN or infinite");

  pbd::Particles<double, 2> particles(2);
  scatter(particles);
  const auto before = state(particles);
  auto far_away = pbd::make_global_solve(good, Hard<double>{{1, 2, 1.0}});
  const pbd::Error error = pbd::step(particles, newton<double, 2>(0.01, 1), far_away);
  CHECK(std::string(error.reason) == "particle index out of range");
  CHECK(same_bits(state(particles), before));
}
