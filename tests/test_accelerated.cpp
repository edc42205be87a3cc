// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/accelerated.hpp>

#include <array>
#include <numbers>
#include <span>
#include <string>
#include <utility>

using namespace support;

namespace {

using P = pbd::Particles<double, 3>;

struct InOrder {
  template <class Body>
  void operator()(std::size_t count, Body&& body) const {
    body(std::size_t{0}, count);
  }
};

/// A straight, vertical chain below a pin: N links of 1 m, all stretched by 2 %, as constraints of a given type.
P chain(int links, double stretch = 0.02) {
  P particles(links + 1);
  for (Index i = 0; i <= links; ++i) particles.position(1, i) = -(1 + stretch) * static_cast<double>(i);
  particles.predicted = particles.position;
  static_cast<void>(pbd::pin(particles, 0));
  return particles;
}
template <class Constraint = pbd::DistanceConstraint<double>>
std::vector<Constraint> links(int count) {
  std::vector<Constraint> edges;
  for (int i = 0; i < count; ++i) edges.push_back({i, i + 1, 1.0});
  return edges;
}
double residual(const P& particles) {
  double squares = 0;
  for (Index i = 0; i + 1 < particles.count(); ++i)
    squares += std::pow((particles.predicted.col(i) - particles.predicted.col(i + 1)).norm() - 1, 2);
  return std::sqrt(squares);
}

auto make_sheet(int columns, int rows, bool corners, pbd::Plane plane, bool shear) {
  pbd::ClothSettings<double, 3> s;
  s.columns = columns;
  s.rows = rows;
  s.spacing = 1.0 / (rows - 1);
  s.total_mass = 1;
  s.plane = plane;
  s.shear.present = shear;
  s.pin_top_row = !corners;
  return pbd::make_cloth<double, 3>(s);
}

/// The most energy above the beginning's in a second, after an unevenness of a millimetre a second.
template <class Make>
double gained(int n, bool corners, pbd::Plane plane, bool shear, int substeps, int iterations, Make make) {
  auto sheet = make_sheet(corners ? n : 3, n, corners, plane, shear);
  for (Index i = 0; i < sheet.particles.count(); ++i)
    for (int d = 0; d < 3 && sheet.particles.inverse_mass(i) > 0; ++d)
      sheet.particles.velocity(d, i) = 1e-3 * std::sin(static_cast<double>(7 * i * i + 31 * d));
  auto structural = pbd::make_batches(sheet.structural);
  auto diagonals = pbd::make_batches(sheet.shear);
  auto set = make(sheet.particles, structural, diagonals);
  pbd::StepSettings<double, 3> settings;
  settings.substeps = substeps;
  settings.iterations = iterations;
  const double before = pbd::energy(sheet.particles, settings.gravity).total();
  double most = 0;
  for (int f = 0; f < 60; ++f) {
    REQUIRE_FALSE(pbd::step(sheet.particles, settings, set));
    most = std::max(most, pbd::energy(sheet.particles, settings.gravity).total() - before);
  }
  return most;
}
const auto over_relaxed = [](auto& particles, auto&... sets) { return pbd::make_over_relaxed(particles, sets...); };
const auto chebyshev = [](auto& particles, auto&... sets) { return pbd::make_chebyshev(particles, sets...); };

/// The largest stretch of a chain of n particles, 1 m long, that hangs from its first one, after a second.
template <class Make>
double hanging(int n, int iterations, Make make) {
  pbd::ClothSettings<double, 3> s;
  s.columns = 1;
  s.rows = n;
  s.size = {0, 1};
  auto cloth = pbd::make_cloth<double, 3>(s);
  auto set = make(cloth.particles, cloth.structural);
  pbd::StepSettings<double, 3> settings;
  settings.substeps = 1;
  settings.iterations = iterations;
  double most = 0;
  for (int f = 0; f < 100; ++f) {
    REQUIRE_FALSE(pbd::step(cloth.particles, settings, set));
    if (f >= 60) most = std::max(most, pbd::stretch(cloth.particles, cloth.structural).max);
  }
  return most;
}

}  // namespace

TEST_CASE("sweeps of a straight chain close its gaps at their known rates", "[accelerated]") {
  const int count = GENERATE(10, 20);
  const double sine = std::sin(std::numbers::pi / (2 * count));
  const double rho = pbd::slowest_decay<double>(count), omega = pbd::optimal_relaxation<double>(count);
  CHECK(rho == Approx(1 - sine * sine).epsilon(1e-14));
  CHECK(omega - 1 == Approx((1 - sine) / (1 + sine)).epsilon(1e-14));
  auto edges = links(count);
  auto backwards = std::vector(edges.rbegin(), edges.rend());
  const pbd::Substep<double> substep(0.01, 1);

  SECTION("plain") {
    P particles = chain(count);
    for (int n = 0; n < count * count; ++n) pbd::sweep(edges, particles, substep);
    const double before = residual(particles);
    pbd::sweep(edges, particles, substep);
    CHECK(residual(particles) / before == Approx(rho).epsilon(0.02));
  }
  SECTION("forth and back") {
    P particles = chain(count);
    const auto both = [&] {
      pbd::sweep(edges, particles, substep);
      pbd::sweep(backwards, particles, substep);
    };
    for (int n = 0; n < count * count / 2; ++n) both();
    const double before = residual(particles);
    both();
    CHECK(residual(particles) / before == Approx(rho * rho).epsilon(0.02));
  }
  SECTION("over-relaxed at the optimum") {  // a double root: k (ω − 1)^k
    P particles = chain(count);
    auto set = pbd::make_over_relaxed(particles, edges);
    set.relaxation = omega;
    set.overshoot = 1;
    const int first = 5 * count, more = count;
    for (int n = 0; n < first; ++n) set.sweep(particles, substep);
    const double before = residual(particles);
    for (int n = 0; n < more; ++n) set.sweep(particles, substep);
    const double a_sweep = std::pow(residual(particles) / before * first / (first + more), 1.0 / more);
    CHECK(a_sweep == Approx((1 - sine) / (1 + sine)).epsilon(0.02));
  }
  SECTION("extrapolated") {  // 1/T_m(1/ρ) of the slowest mode
    P particles = chain(count);
    auto set = pbd::make_chebyshev(particles, edges);
    set.radius = rho;
    set.overshoot = 1;
    set.plain = count;
    set.longest = 10 * count;
    const pbd::Substep<double> whole(0.01, 5 * count);
    P plain = chain(count);
    set.begin_substep(particles, whole);
    for (int n = 0; n < whole.iterations; ++n) {
      set.sweep(particles, whole);
      pbd::sweep(edges, plain, substep);
    }
    const int degree = whole.iterations - set.plain + 1;
    const double decay = std::pow(rho, whole.iterations) * std::cosh(degree * std::acosh(1 / rho)) / std::pow(rho, count - 1);
    CHECK(residual(particles) < 2 * residual(plain) / decay);
  }
}

TEST_CASE("a substep that turns more than a third of an error around shakes itself to pieces", "[accelerated]") {
  // one link, one sweep: what is left is 1 − ω, and z² − 2sz + s = 0 has roots of size 1 at s = −1/3
  const auto left = [](double omega) {
    P particles = chain(1);
    auto edges = links(1);
    auto set = pbd::make_over_relaxed(particles, edges);
    set.relaxation = omega;
    set.overshoot = 1;
    pbd::StepSettings<double, 3> settings{.substeps = 1};
    settings.gravity.setZero();
    for (int f = 0; f < 300; ++f) REQUIRE_FALSE(pbd::step(particles, settings, set));
    return std::abs(particles.position(1, 1) + 1);
  };
  CHECK(left(1.30) < 1e-4);
  CHECK(left(1.36) > 0.1);
}

TEST_CASE("what a substep turns around is bounded for any number of sweeps", "[accelerated]") {
  P particles = chain(1);
  auto edges = links(1);
  auto relaxed = pbd::make_over_relaxed(particles, edges);
  auto extrapolated = pbd::make_chebyshev(particles, edges);
  for (int n = 1; n < 200; ++n) {
    CHECK(std::pow(relaxed.factor(n) - 1, n) <= relaxed.overshoot * (1 + 1e-12));
    CHECK(relaxed.factor(n) > 1);
    const double rho = extrapolated.bounded_radius(n);
    CHECK(std::cosh(n * std::acosh(1 / rho)) >= (1 - 1e-9) / extrapolated.overshoot);
  }
  relaxed.relaxation = 1.01;
  CHECK(relaxed.factor(5) == 1.01);
}

TEST_CASE("a hanging curtain needs the published numbers of sweeps", "[accelerated]") {
  // iterations of one substep of 1/60 s until no link is stretched by 1 %, by 0.1 %
  const auto at_optimum = [](int n) {
    return [n](auto& particles, auto& edges) {
      auto set = pbd::make_over_relaxed(particles, edges);
      set.relaxation = pbd::optimal_relaxation<double>(n - 1);
      set.overshoot = 1;
      return set;
    };
  };
  CHECK(hanging(17, 16, at_optimum(17)) < 0.01);
  CHECK(hanging(33, 38, at_optimum(33)) < 0.01);
  CHECK(hanging(65, 98, at_optimum(65)) < 0.01);
  CHECK(hanging(17, 30, at_optimum(17)) < 0.001);
  CHECK(hanging(33, 68, at_optimum(33)) < 0.001);
  CHECK(hanging(65, 152, at_optimum(65)) < 0.001);

  const auto extrapolated = [](int n, int plain) {
    return [n, plain](auto& particles, auto& edges) {
      auto set = pbd::make_chebyshev(particles, edges);
      set.radius = pbd::slowest_decay<double>(n - 1);
      set.overshoot = 1;
      set.plain = plain;
      set.longest = 1000;
      return set;
    };
  };
  CHECK(hanging(17, 14, extrapolated(17, 5)) < 0.01);
  CHECK(hanging(33, 24, extrapolated(33, 5)) < 0.01);
  CHECK(hanging(65, 50, extrapolated(65, 10)) < 0.01);
  CHECK(hanging(17, 25, extrapolated(17, 5)) < 0.001);
  CHECK(hanging(33, 46, extrapolated(33, 5)) < 0.001);
  CHECK(hanging(17, 46, over_relaxed) < 0.01);  // with the defaults at least no more than plain sweeps
  CHECK(hanging(33, 183, over_relaxed) < 0.006);
  CHECK(hanging(17, 46, chebyshev) < 0.0025);
  CHECK(hanging(33, 183, chebyshev) < 0.002);
}

TEST_CASE("with its defaults no acceleration adds energy", "[accelerated][long]") {
  const bool shear = GENERATE(false, true);
  for (const int substeps : {1, 2, 4, 10})
    for (const int iterations : {1, 3, 8, 30, 55}) {
      if (substeps * iterations > 60) continue;
      INFO(substeps << " substeps of " << iterations << (shear ? " with shear" : ""));
      for (const bool corners : {false, true})
        for (const auto plane : {pbd::Plane::vertical, pbd::Plane::horizontal}) {
          if (corners && plane == pbd::Plane::vertical) continue;
          CHECK(gained(17, corners, plane, shear, substeps, iterations, over_relaxed) < 1e-9);
          CHECK(gained(17, corners, plane, shear, substeps, iterations, chebyshev) < 1e-9);
        }
      CHECK(gained(33, false, pbd::Plane::horizontal, shear, substeps, iterations, chebyshev) < 1e-9);
    }
}

TEST_CASE("nor does it on larger sheets", "[accelerated][long]") {
  const bool shear = GENERATE(false, true);
  const auto examine = [shear](int n, int substeps, int iterations) {
    INFO(n << ": " << substeps << " substeps of " << iterations << (shear ? " with shear" : ""));
    CHECK(gained(n, false, pbd::Plane::horizontal, shear, substeps, iterations, over_relaxed) < 1e-9);
    CHECK(gained(n, false, pbd::Plane::horizontal, shear, substeps, iterations, chebyshev) < 1e-9);
    CHECK(gained(n, true, pbd::Plane::horizontal, shear, substeps, iterations, over_relaxed) < 1e-9);
    CHECK(gained(n, true, pbd::Plane::horizontal, shear, substeps, iterations, chebyshev) < 1e-9);
  };
  examine(33, 1, 30);
  examine(33, 4, 8);
  examine(33, 10, 5);
  examine(50, 10, 1);
  examine(50, 2, 12);
}

TEMPLATE_LIST_TEST_CASE("accelerated sweeps keep momentum and pinned particles", "[accelerated]", SomeMemory) {
  using Scalar = typename TestType::Scalar;
  const auto moment = [](const auto& particles, int d) {
    double sum = 0;
    for (Index i = 0; i < particles.count(); ++i)
      if (particles.inverse_mass(i) > 0)
        sum += static_cast<double>(particles.predicted(d, i)) / static_cast<double>(particles.inverse_mass(i));
    return sum;
  };
  const pbd::Substep<Scalar> substep(Scalar(0.01), 12);
  const bool extrapolate = GENERATE(false, true);
  for (const bool pinned : {false, true}) {
    TestType memory(12);
    auto& particles = memory.particles;
    scatter(particles, 3);
    if (pinned) static_cast<void>(pbd::pin(particles, 5));
    auto hard = net<pbd::DistanceConstraint<Scalar>>(particles);
    auto springs = net<pbd::CompliantDistanceConstraint<Scalar>>(particles);
    for (auto& spring : springs) spring.damping = 0;
    std::array<double, 3> before{};
    for (int d = 0; d < TestType::dim; ++d) before[static_cast<std::size_t>(d)] = moment(particles, d);
    const auto held = particles.predicted.col(5).eval();
    const auto go = [&](auto set) {
      set.begin_substep(particles, substep);
      for (int n = 0; n < substep.iterations; ++n) set.sweep(particles, substep);
    };
    if (extrapolate)
      go(pbd::make_chebyshev(particles, hard, springs));
    else
      go(pbd::make_over_relaxed(particles, hard, springs));
    if (pinned)
      CHECK(particles.predicted.col(5) == held);
    else
      for (int d = 0; d < TestType::dim; ++d)
        CHECK(std::abs(moment(particles, d) - before[static_cast<std::size_t>(d)]) <
              2000 * static_cast<double>(epsilon<Scalar>));
  }
}

TEST_CASE("the multiplier goes along with what it moved", "[accelerated]") {
  // x* − x̃ = Σ w λ ∇C along a straight chain, whatever the sweeps did: and so the springs hang by the weight below
  constexpr int count = 10;
  P particles = chain(count, 0);
  auto springs = links<pbd::CompliantDistanceConstraint<double>>(count);
  for (auto& spring : springs) spring.compliance = 1e-4;
  auto set = pbd::make_chebyshev(particles, springs);
  set.plain = 2;
  pbd::StepSettings<double, 3> settings;
  settings.substeps = 1;
  settings.iterations = 25;
  for (int f = 0; f < 200; ++f) REQUIRE_FALSE(pbd::step(particles, settings, set));

  const pbd::Substep<double> substep = settings.substep();
  pbd::begin_substep(set, particles, substep);
  pbd::predict(particles, settings.gravity, substep.dt);
  const auto free = particles.predicted;
  for (int n = 0; n < 20; ++n) set.sweep(particles, substep);
  for (int i = 1; i <= count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const double below = i < count ? springs[at].lambda : 0.0;
    const double moved = particles.predicted(1, i) - free(1, i);
    CHECK(moved == Approx(below - springs[at - 1].lambda).epsilon(1e-7));
  }
  for (int f = 0; f < 400; ++f) REQUIRE_FALSE(pbd::step(particles, settings, set));
  for (int i = 0; i < count; ++i)
    CHECK(springs[static_cast<std::size_t>(i)].force(substep) == Approx((count - i) * 9.81).epsilon(1e-3));
}

TEST_CASE("arrays, batches and threads give the same bits", "[accelerated]") {
  const auto run = [](auto prepare, auto make) {
    pbd::ClothSettings<float, 3> s;
    s.columns = 14;
    s.rows = 9;
    s.plane = pbd::Plane::horizontal;
    s.structural.compliance = 1e-6f;
    auto cloth = pbd::make_cloth<float, 3, pbd::Layout::planar, pbd::CompliantDistanceConstraint<float>>(s);
    auto sets = prepare(cloth);
    pbd::StepSettings<float, 3> settings;
    settings.substeps = 2;
    settings.iterations = 11;
    std::apply(
        [&](auto&... set) {
          auto fast = make(cloth.particles, set...);
          for (int f = 0; f < 8; ++f) REQUIRE_FALSE(pbd::step(cloth.particles, settings, fast));
        },
        sets);
    return state(cloth.particles);
  };
  const auto compare = [&](auto make) {
    const auto arrays = run([](auto& cloth) { return std::tuple(cloth.structural, cloth.shear); }, make);
    CHECK(same_bits(arrays, run([](auto& cloth) {
            return std::tuple(pbd::make_batches(cloth.structural), std::span(cloth.shear));
          }, make)));
    std::vector<pbd::Batches<pbd::CompliantDistanceConstraint<float>>> kept(2);
    CHECK(same_bits(arrays, run([&kept](auto& cloth) {
            kept[0] = pbd::make_batches(cloth.structural);
            kept[1] = pbd::make_batches(cloth.shear);
            return std::tuple(pbd::make_parallel(InOrder{}, 3, kept[0], kept[1]));
          }, make)));
  };
  compare(over_relaxed);
  compare(chebyshev);
}

TEST_CASE("the size of a scene does not matter to its acceleration", "[accelerated]") {
  // by powers of two: the same bits
  const auto fall = [](double length, auto make) {
    auto sheet = make_sheet(9, 9, true, pbd::Plane::horizontal, true);
    sheet.particles.position *= length;
    for (auto* edges : {&sheet.structural, &sheet.shear})
      for (auto& edge : *edges) edge.rest_length *= length;
    auto set = make(sheet.particles, sheet.structural, sheet.shear);
    pbd::StepSettings<double, 3> settings;
    settings.gravity *= length;
    settings.iterations = 6;
    for (int f = 0; f < 10; ++f) REQUIRE_FALSE(pbd::step(sheet.particles, settings, set));
    sheet.particles.inverse_mass.setZero();
    auto values = state(sheet.particles);
    for (double& value : values) value /= length;
    return values;
  };
  for (const double length : {0x1p-20, 0x1p20}) {
    CHECK(same_bits(fall(length, over_relaxed), fall(1, over_relaxed)));
    CHECK(same_bits(fall(length, chebyshev), fall(1, chebyshev)));
  }
}

TEST_CASE("a particle that is no number spoils no other's extrapolation", "[accelerated]") {
  P particles = chain(12);
  auto edges = links(12);
  edges.erase(edges.begin() + 5, edges.begin() + 7);  // a constraint would hand it on
  auto set = pbd::make_chebyshev(particles, edges);
  set.plain = 1;
  particles.predicted(0, 6) = not_a_number<double>;
  const pbd::Substep<double> substep(0.01, 10);
  set.begin_substep(particles, substep);
  for (int n = 0; n < 10; ++n) set.sweep(particles, substep);
  for (Index i = 0; i <= 12; ++i)
    if (i != 6) CHECK(particles.predicted.col(i).allFinite());

  P none(0);
  std::vector<pbd::DistanceConstraint<double>> empty;
  auto nothing = pbd::make_chebyshev(none, empty);
  CHECK_FALSE(pbd::step(none, {}, nothing));
}

TEST_CASE("accelerations that make no sense are named and no step is taken", "[accelerated]") {
  P particles = chain(3);
  auto edges = links(3);
  const auto before = state(particles);
  auto relaxed = pbd::make_over_relaxed(particles, edges);
  relaxed.relaxation = 2.5;
  CHECK(pbd::step(particles, {}, relaxed).message() == "over-relaxation of set 0: relaxation is not in (0, 2]");
  relaxed.relaxation = not_a_number<double>;
  CHECK(pbd::step(particles, {}, relaxed));
  auto fast = pbd::make_chebyshev(particles, edges);
  fast.radius = 1.5;
  CHECK(pbd::step(particles, {}, fast));
  fast.radius = 1;
  fast.overshoot = 0;
  CHECK(pbd::step(particles, {}, fast));
  fast.overshoot = 0.1;
  edges[1].j = 7;
  CHECK(pbd::step(particles, {}, fast).message() == "constraint 1 of set 0: particle index out of range");
  edges[1].j = 1;
  CHECK_FALSE(pbd::validate_indices(particles, fast));
  CHECK(pbd::validate(particles, fast).message() == "constraint 1 of set 0: names the same particle twice");
  P more = chain(4);
  CHECK(pbd::step(more, {}, fast).reason == std::string("made for another number of particles or constraints"));
  CHECK(same_bits(state(particles), before));
}
