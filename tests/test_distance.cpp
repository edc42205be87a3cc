// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/distance.hpp>

using namespace support;

namespace {

using Vector3 = Eigen::Vector3d;

template <class P>
typename P::Scalar distance(const P& particles, Index i, Index j) {
  return (particles.predicted.col(i) - particles.predicted.col(j)).norm();
}

/// Two particles on the first axis, `length` apart, with inverse masses w and v.
pbd::Particles<double, 2> pair(double length, double w = 1, double v = 1) {
  pbd::Particles<double, 2> particles(2);
  particles.position(0, 1) = length;
  particles.predicted = particles.position;
  particles.inverse_mass << w, v;
  return particles;
}

template <class Constraint, class P>
void sweep_once(Constraint& constraint, P& particles, int iterations = 1) {
  const pbd::Substep<typename P::Scalar> substep(typename P::Scalar(0.01), iterations);
  if constexpr (requires { constraint.begin_substep(substep); }) constraint.begin_substep(substep);
  for (int n = 0; n < iterations; ++n) constraint.project(particles, substep);
}

/// The stretch of a spring whose other end is pinned, after every step. It starts at rest, stretched by half.
std::vector<double> swing(pbd::CompliantDistanceConstraint<double> spring, double h, int steps, int iterations,
                          double mass = 1) {
  auto particles = pair(1.5 * spring.rest_length, 0, 1 / mass);
  const pbd::StepSettings<double, 2> settings{.dt = h, .substeps = 1, .iterations = iterations, .gravity = {0, 0}};
  std::vector edges{spring};
  std::vector<double> stretch;
  for (int n = 0; n < steps; ++n) {
    CHECK_FALSE(pbd::step(particles, settings, edges));
    stretch.push_back(particles.position(0, 1) - spring.rest_length);
  }
  return stretch;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("one projection restores a distance exactly", "[distance]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(100), before(100);
  auto& particles = memory.particles;
  scatter(particles);
  scatter(before.particles);
  for (Index i = 0; i < 100; i += 2) {
    const Scalar length = Scalar(0.1) * static_cast<Scalar>(i % 7 + 1);
    auto constraint = between<pbd::DistanceConstraint<Scalar>>(i, i + 1, length);
    sweep_once(constraint, particles);
    // two roundings of coordinates of the order of 1
    CHECK(std::abs(distance(particles, i, i + 1) - length) <= 4 * epsilon<Scalar>);
  }
}

TEMPLATE_LIST_TEST_CASE("both ends move along their line in the ratio of their inverse masses", "[distance]",
                        EveryMemory) {
  using Scalar = typename TestType::Scalar;
  using Wide = Eigen::Matrix<double, TestType::dim, 1>;
  TestType memory(100), before(100);
  auto& particles = memory.particles;
  scatter(particles);
  scatter(before.particles);
  for (Index i = 0; i < 100; i += 2) {
    auto constraint = between<pbd::DistanceConstraint<Scalar>>(i, i + 1, Scalar(0.4));
    sweep_once(constraint, particles);
    const auto moved = [&](Index k) -> Wide {
      return particles.predicted.col(k).template cast<double>() -
             before.particles.predicted.col(k).template cast<double>();
    };
    const double w = static_cast<double>(particles.inverse_mass(i)),
                 v = static_cast<double>(particles.inverse_mass(i + 1));
    const Wide line =
        (before.particles.predicted.col(i) - before.particles.predicted.col(i + 1)).template cast<double>();
    const double tolerance = 4 * double{epsilon<Scalar>};
    CHECK((v * moved(i) + w * moved(i + 1)).norm() < tolerance * (w + v));
    CHECK((moved(i) - moved(i).dot(line) / line.squaredNorm() * line).norm() < tolerance);
  }
}

TEMPLATE_LIST_TEST_CASE("only the free end moves and it moves all the way", "[distance]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  for (const Index pinned : {0, 1}) {
    TestType memory(2), before(2);
    auto& particles = memory.particles;
    scatter(particles);
    scatter(before.particles);
    particles.inverse_mass(pinned) = 0;
    auto constraint = between<pbd::DistanceConstraint<Scalar>>(0, 1, Scalar(0.4));
    sweep_once(constraint, particles);
    CHECK(particles.predicted.col(pinned) == before.particles.predicted.col(pinned));
    CHECK(std::abs(distance(particles, 0, 1) - Scalar(0.4)) <= 4 * epsilon<Scalar>);
  }
}

TEMPLATE_LIST_TEST_CASE("the way a constraint pushes is the gradient of its violation", "[distance]",
                        EveryConstraint<double>) {
  pbd::Particles<double, 3> particles(2);
  scatter(particles);
  const auto start = particles.predicted;
  auto constraint = between<TestType>(0, 1, 0.2);
  sweep_once(constraint, particles);
  const pbd::Particles<double, 3>& after = particles;

  const auto length = [](const auto& x) { return (x.col(0) - x.col(1)).norm(); };
  for (Index i = 0; i < 2; ++i) {
    Vector3 gradient;  // central differences of ‖x_0 − x_1‖
    for (int d = 0; d < 3; ++d) {
      auto ahead = start, behind = start;
      ahead(d, i) += 1e-6;
      behind(d, i) -= 1e-6;
      gradient(d) = (length(ahead) - length(behind)) / 2e-6;
    }
    const Vector3 push = (after.predicted.col(i) - start.col(i)) / after.inverse_mass(i);
    CHECK(push.norm() > 1e-3);
    CHECK((push.normalized() + gradient.normalized()).norm() < 1e-8);  // stretched: down the slope
  }
}

TEMPLATE_TEST_CASE_SIG("stiffness leaves the same violation for any number of iterations", "[distance]",
                       ((class Scalar, int Dim), Scalar, Dim), (float, 2), (float, 3), (double, 2), (double, 3)) {
  for (const int iterations : {1, 2, 5, 10, 50})
    for (const Scalar k : {Scalar(0), Scalar(0.1), Scalar(0.5), Scalar(0.9), Scalar(1)}) {
      pbd::Particles<Scalar, Dim> particles(2);
      particles.position(0, 1) = Scalar(1.1);
      REQUIRE_FALSE(pbd::pin(particles, 0));
      std::vector<pbd::SoftDistanceConstraint<Scalar>> edges{{0, 1, Scalar(1), k}};
      pbd::StepSettings<Scalar, Dim> settings;
      settings.substeps = 1;
      settings.iterations = iterations;
      settings.gravity.setZero();
      REQUIRE_FALSE(pbd::step(particles, settings, edges));
      const double left = static_cast<double>(particles.position(0, 1)) - 1;
      CHECK(std::abs(left - (1 - static_cast<double>(k)) * 0.1) < 2 * double{epsilon<Scalar>} * iterations);
    }
}

TEST_CASE("a constraint without give is the hard constraint", "[distance]") {
  const int iterations = GENERATE(1, 7);
  pbd::Particles<double, 3> hard(5);
  scatter(hard);
  auto stiff = hard, limited = hard, rigid = hard;
  for (auto edge : net<pbd::DistanceConstraint<double>>(hard)) {
    sweep_once(edge, hard, iterations);
    pbd::SoftDistanceConstraint<double> soft{edge.i, edge.j, edge.rest_length};
    sweep_once(soft, stiff, iterations);
    pbd::DistanceLimit<double> limit{edge.i, edge.j, edge.rest_length, edge.rest_length};
    sweep_once(limit, limited, iterations);
    pbd::CompliantDistanceConstraint<double> compliant{edge.i, edge.j, edge.rest_length};
    sweep_once(compliant, rigid, iterations);
  }
  CHECK(same_bits(state(stiff), state(hard)));
  CHECK(same_bits(state(limited), state(hard)));
  CHECK(difference(state(rigid), state(hard)) < 1e-15);
}

TEST_CASE("a compliant constraint yields by the closed form and remembers its multiplier", "[distance]") {
  auto particles = pair(1.5, 2, 3);
  const pbd::Substep<double> substep(0.01, 1);
  pbd::CompliantDistanceConstraint<double> spring{0, 1, 1.0, 2e-4};
  spring.project(particles, substep);  // α̃ = 2, w = 5
  const double lambda = -0.5 / 7;
  CHECK(spring.lambda == Approx(lambda).epsilon(1e-14));
  CHECK(particles.predicted(0, 0) == Approx(-2 * lambda).epsilon(1e-14));
  CHECK(particles.predicted(0, 1) == Approx(1.5 + 3 * lambda).epsilon(1e-14));
  CHECK(spring.force(substep) == Approx(0.5 / 7 / 1e-4).epsilon(1e-14));
  CHECK(spring.force(substep) * spring.compliance == Approx(distance(particles, 0, 1) - 1).epsilon(1e-13));

  spring.project(particles, substep);  // alone it has nothing left to do
  CHECK(spring.lambda == Approx(lambda).epsilon(1e-14));
  spring.begin_substep(substep);
  CHECK(spring.lambda == 0);
}

TEST_CASE("a damped spring is implicit Euler of mass and spring and damper", "[distance]") {
  const double h = 1.0 / 60, alpha = 1e-3, beta = 4, mass = 2;
  for (const int iterations : {1, 5, 10}) {
    const auto stretch = swing({0, 1, 1.0, alpha, beta}, h, 120, iterations, mass);
    double u = 0.5, v = 0, worst = 0;
    for (const double measured : stretch) {  // m (v' − v)/h = −(u + h v')/α − β v'
      v = (mass * v - h * u / alpha) / (mass + h * h / alpha + h * beta);
      u += h * v;
      worst = std::max(worst, std::abs(measured - u));
    }
    CHECK(worst < 1e-12);
  }
}

TEST_CASE("damping slows the ends along their line and nothing else", "[distance]") {
  const pbd::Substep<double> substep(0.01, 1);
  const auto project = [&](double damping) {
    auto particles = pair(1, 0.5, 2);  // at rest length, drawn apart and turned by its velocity
    particles.predicted += Eigen::Matrix2d{{-0.01, 0.02}, {0.03, -0.01}};
    pbd::CompliantDistanceConstraint<double> edge{0, 1, 1.0, 1e-2, damping};
    edge.project(particles, substep);
    return particles.predicted;
  };
  const Eigen::Matrix2d free = pair(1).predicted + Eigen::Matrix2d{{-0.01, 0.02}, {0.03, -0.01}};
  const Eigen::Vector2d line = (free.col(0) - free.col(1)).normalized(), across(-line(1), line(0));
  const auto undamped = project(0), damped = project(100);
  const auto along = [&](const auto& x) { return (x.col(0) - x.col(1)).dot(line); };
  CHECK(along(damped) < 0.999 * along(undamped));
  CHECK(along(damped) > 1);
  for (Index i = 0; i < 2; ++i) CHECK(std::abs((damped.col(i) - free.col(i)).dot(across)) < 1e-15);
  const Eigen::Vector2d momentum = 2 * (damped.col(0) - free.col(0)) + 0.5 * (damped.col(1) - free.col(1));
  CHECK(momentum.norm() < 1e-15);
}

TEMPLATE_TEST_CASE("a rope resists only when taut and a separation only when pressed", "[distance]", float, double) {
  const auto project = [](pbd::DistanceLimit<TestType> limit, TestType length) {
    pbd::Particles<TestType, 3> particles(2);
    particles.predicted(0, 1) = length;
    const auto before = state(particles);
    sweep_once(limit, particles);
    const bool idle = same_bits(state(particles), before);
    return idle ? TestType{-1} : distance(particles, 0, 1);
  };
  constexpr TestType idle = -1, tolerance = 4 * epsilon<TestType>;
  const auto rope = pbd::at_most<TestType>(0, 1, 2);
  CHECK(project(rope, TestType(0.1)) == idle);
  CHECK(project(rope, TestType(1.9)) == idle);
  CHECK(project(rope, 2) == idle);
  CHECK(project(rope, TestType(2.5)) == Approx(2).epsilon(tolerance));
  const auto separation = pbd::at_least<TestType>(0, 1, 1);
  CHECK(project(separation, 100) == idle);
  CHECK(project(separation, 1) == idle);
  CHECK(project(separation, TestType(0.4)) == Approx(1).epsilon(tolerance));
  const pbd::DistanceLimit<TestType> both{0, 1, 1, 2};
  CHECK(project(both, TestType(0.4)) == Approx(1).epsilon(tolerance));
  CHECK(project(both, TestType(1.5)) == idle);
  CHECK(project(both, TestType(2.5)) == Approx(2).epsilon(tolerance));
}

TEMPLATE_TEST_CASE("a constraint says what is wrong with it", "[distance]", float, double) {
  using Text = std::string;
  const auto flaw = [](const auto& constraint) {
    const char* reason = constraint.flaw();
    return reason == nullptr ? Text() : Text(reason);
  };
  constexpr TestType bad = not_a_number<TestType>, huge = infinity<TestType>;
  const Text no_length = "rest length is NaN or infinite", negative = "rest length is negative";
  using Hard = pbd::DistanceConstraint<TestType>;
  CHECK(flaw(Hard{0, 1, 0}).empty());
  CHECK(flaw(Hard{0, 1, bad}) == no_length);
  CHECK(flaw(Hard{0, 1, huge}) == no_length);
  CHECK(flaw(Hard{0, 1, -1}) == negative);

  using Soft = pbd::SoftDistanceConstraint<TestType>;
  CHECK(flaw(Soft{0, 1, 1, 0}).empty());
  CHECK(flaw(Soft{0, 1, bad}) == no_length);
  CHECK(flaw(Soft{0, 1, -1}) == negative);
  for (const TestType k : {TestType(-0.1), TestType(1.1), bad, huge})
    CHECK(flaw(Soft{0, 1, 1, k}) == "stiffness is not in [0, 1]");

  using Compliant = pbd::CompliantDistanceConstraint<TestType>;
  CHECK(flaw(Compliant{0, 1, 1, 0, 0}).empty());
  CHECK(flaw(Compliant{0, 1, huge}) == no_length);
  CHECK(flaw(Compliant{0, 1, -1}) == negative);
  for (const TestType value : {TestType(-1), bad, huge}) {
    CHECK(flaw(Compliant{0, 1, 1, value}) == "compliance is negative, NaN or infinite");
    CHECK(flaw(Compliant{0, 1, 1, 1, value}) == "damping is negative, NaN or infinite");
  }

  using Limit = pbd::DistanceLimit<TestType>;
  CHECK(flaw(Limit{0, 1}).empty());
  CHECK(flaw(Limit{0, 1, 1, 1}).empty());
  for (const TestType value : {bad, huge, -huge}) {
    CHECK(flaw(Limit{0, 1, value}) == "a limit is NaN or infinite");
    CHECK(flaw(Limit{0, 1, 0, value}) == "a limit is NaN or infinite");
  }
  CHECK(flaw(Limit{0, 1, -1}) == "the shortest distance is negative");
  CHECK(flaw(Limit{0, 1, 2, 1}) == "the longest distance is below the shortest");
}

TEMPLATE_LIST_TEST_CASE("relative stretch is signed and read from the position", "[distance]",
                        EveryConstraint<double>) {
  auto particles = pair(1.5);
  particles.predicted.setZero();
  constexpr bool limits = std::is_same_v<TestType, pbd::DistanceLimit<double>>;  // 5 % to either side are within
  CHECK(between<TestType>(0, 1, 1.0).relative_stretch(particles) ==
        Approx(limits ? 1.5 / 1.05 - 1 : 0.5).epsilon(1e-14));
  CHECK(between<TestType>(1, 0, 3.0).relative_stretch(particles) ==
        Approx(limits ? 1.5 / 2.85 - 1 : -0.5).epsilon(1e-14));
  CHECK(between<TestType>(0, 1, 1.5).relative_stretch(particles) == 0);
  CHECK(between<TestType>(0, 1, 0.0).relative_stretch(particles) == 0);  // nothing to relate it to
}

TEST_CASE("a spring holds half its stretch squared over its compliance", "[distance]") {
  const auto particles = pair(1.5);
  CHECK(pbd::CompliantDistanceConstraint<double>{0, 1, 1.0, 0.02}.energy(particles) == Approx(6.25).epsilon(1e-14));
  CHECK(pbd::CompliantDistanceConstraint<double>{0, 1, 1.0, 0.0}.energy(particles) == 0);
}
