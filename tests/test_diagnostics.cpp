// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/diagnostics.hpp>

#include <array>
#include <span>

using namespace support;

namespace {

/// A chain of n links straight down from a pin, each as long as its rest length times 1 + stretch(k).
template <class P, class Constraint, class Stretch>
std::vector<Constraint> chain(P& particles, double l, double mass, Stretch stretch) {
  using Scalar = typename P::Scalar;
  std::vector<Constraint> links;
  double y = 0;
  for (Index i = 0; i < particles.count(); ++i) {
    particles.position.col(i).setZero();
    particles.position(1, i) = static_cast<Scalar>(y);
    particles.inverse_mass(i) = static_cast<Scalar>(i == 0 ? 0 : 1 / mass);
    if (i + 1 == particles.count()) break;
    y -= l * (1 + stretch(i));
    links.push_back({static_cast<std::int32_t>(i), static_cast<std::int32_t>(i + 1), static_cast<Scalar>(l)});
  }
  particles.predicted = particles.position;
  particles.velocity.setZero();
  return links;
}

const auto unstretched = [](Index) { return 0.0; };

template <class Scalar, int Dim>
pbd::StepSettings<Scalar, Dim> one_substep(double dt, int iterations) {
  pbd::StepSettings<Scalar, Dim> settings;
  settings.dt = static_cast<Scalar>(dt);
  settings.substeps = 1;
  settings.iterations = iterations;
  return settings;
}

}  // namespace

// ---- histogram

TEMPLATE_LIST_TEST_CASE("every constraint is counted once, in the bin that its stretch is in", "[diagnostics]",
                        SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  TestType memory(40);
  scatter(memory.particles);
  auto edges = net<pbd::DistanceConstraint<Scalar>>(memory.particles);
  Random random(3);
  for (auto& edge : edges) edge.rest_length *= static_cast<Scalar>(random(0.6, 1.6));
  const auto soft = net<pbd::SoftDistanceConstraint<Scalar>>(memory.particles);
  for (const bool absolute : {false, true}) {
    const auto histogram =
        pbd::stretch_histogram<7>(memory.particles, {Scalar(-0.1), Scalar(0.6), absolute}, edges, soft);
    std::array<Index, 7> count{};
    Index below = 0, above = 0;
    const auto add = [&](const auto& edge) {
      Scalar stretch = edge.relative_stretch(memory.particles);
      if (absolute) stretch = std::abs(stretch);
      if (stretch < histogram.edge(0)) ++below;
      if (stretch > histogram.edge(7)) ++above;
      for (std::size_t b = 0; b < 7; ++b) count[b] += stretch >= histogram.edge(b) && stretch < histogram.edge(b + 1);
    };
    for (const auto& edge : edges) add(edge);
    for (const auto& edge : soft) add(edge);
    CHECK(histogram.count == count);
    CHECK(histogram.below == below);
    CHECK(histogram.above == above);
    CHECK((absolute ? below == 0 : below > 0));
    CHECK(above > 0);
  }
}

TEST_CASE("a bin holds its lower end, and the last one its upper end, too", "[diagnostics]") {
  pbd::StretchHistogram<double, 4> histogram{{0, 1}};
  for (const double stretch : {0.0, 0.25, 0.5, 0.75, 1.0, -1e-9, 1.0 + 1e-9}) histogram.add(stretch);
  CHECK(histogram.count == std::array<Index, 4>{1, 1, 1, 2});
  CHECK(histogram.below == 1);
  CHECK(histogram.above == 1);
  CHECK(histogram.edge(0) == 0);
  CHECK(histogram.edge(3) == 0.75);
  CHECK(histogram.edge(4) == 1);
}

TEMPLATE_TEST_CASE("what diverged is above every bin, and an empty range divides nothing", "[diagnostics]", float,
                   double) {
  pbd::Particles<TestType, 2> particles(3);
  scatter(particles);
  auto edges = net<pbd::DistanceConstraint<TestType>>(particles);
  particles.position(0, 0) = not_a_number<TestType>;
  particles.position(0, 2) = infinity<TestType>;
  CHECK(pbd::stretch_histogram<3>(particles, {-1, 1000, false}, edges).above == 3);
  CHECK(pbd::stretch_histogram<3>(particles, {-1, 1000, true}).above == 0);

  pbd::StretchHistogram<TestType, 2> empty{{1, 1}}, reversed{{1, -1}};
  for (const TestType stretch : {TestType(0), TestType(1), TestType(2)}) {
    empty.add(stretch);
    reversed.add(stretch);
  }
  CHECK(empty.count == std::array<Index, 2>{0, 1});
  CHECK(empty.below + empty.above == 2);
  CHECK(reversed.count == std::array<Index, 2>{0, 0});
}

// ---- forces

TEMPLATE_LIST_TEST_CASE("the forces of a hanging chain are what hangs below, whatever sweeps it", "[diagnostics]",
                        SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  constexpr bool precise = sizeof(Scalar) == 8;
  const double mass = 0.25, alpha = 1e-3, l = 0.125;
  TestType memory(5);
  auto& particles = memory.particles;
  using Spring = pbd::CompliantDistanceConstraint<Scalar>;
  const auto stretch = [&](Index k) { return alpha * mass * 9.81 * static_cast<double>(4 - k) / l; };
  auto springs = chain<std::remove_reference_t<decltype(particles)>, Spring>(particles, l, mass, stretch);
  for (auto& spring : springs) spring.compliance = static_cast<Scalar>(alpha);
  auto batches = pbd::make_batches(springs);
  auto global = pbd::make_global_solve(springs);
  const auto start = particles.position.eval();
  const auto settings = one_substep<Scalar, TestType::dim>(1.0 / 60, 400);
  const auto demand_weights = [&](auto& set) {
    particles.position = start;
    particles.velocity.setZero();
    REQUIRE_FALSE(pbd::step(particles, settings, set));
    std::array<Scalar, 4> forces{};
    CHECK(pbd::write_forces(std::span<Scalar>(forces), particles, settings.substep(), set) == 4);
    for (std::size_t k = 0; k < 4; ++k)
      CHECK(static_cast<double>(forces[k]) ==
            Approx(mass * 9.81 * static_cast<double>(4 - k)).epsilon(precise ? 1e-9 : 1e-4));
  };
  demand_weights(springs);
  demand_weights(batches);
  demand_weights(global);
}

TEST_CASE("forces stand in the order of the sets, and never outside the span", "[diagnostics]") {
  pbd::Particles<double, 2> particles(4);
  scatter(particles);
  std::vector<pbd::CompliantDistanceConstraint<double>> springs{{0, 1, 1.0, 0.0, 0.0, -2.0},
                                                                {1, 2, 1.0, 0.0, 0.0, 3.0}};
  const std::vector<pbd::DistanceConstraint<double>> rods{{2, 3, 1.0}};
  const pbd::Substep<double> substep(0.5, 1);
  std::vector<double> forces(6, 99);
  CHECK(pbd::write_forces(std::span<double>(forces).first(4), particles, substep, rods, springs) == 3);
  CHECK(forces == std::vector<double>{0, 8, -12, 99, 99, 99});
  CHECK(pbd::write_forces(std::span<double>(forces).subspan(4, 1), particles, substep, springs, rods) == 3);
  CHECK(forces == std::vector<double>{0, 8, -12, 99, 8, 99});
  CHECK(pbd::write_forces(std::span<double>{}, particles, substep, springs) == 2);
  CHECK(pbd::write_forces(std::span<double>{}, particles, substep) == 0);
}

// ---- convergence

TEMPLATE_TEST_CASE("the factor of a geometric sequence is its ratio", "[diagnostics]", float, double) {
  for (const TestType ratio : {TestType(0.25), TestType(0.9), TestType(1), TestType(3)})
    for (const TestType scale : {TestType(1e-30f), TestType(1), TestType(1e25f)}) {
      std::vector<TestType> residuals{scale};
      for (int n = 0; n < 9; ++n) residuals.push_back(residuals.back() * ratio);
      for (const std::size_t ratios : {std::size_t{1}, std::size_t{4}, std::size_t{9}, std::size_t{100}})
        CHECK(pbd::convergence_factor(residuals, ratios) == Approx(ratio).epsilon(50 * epsilon<TestType>));
    }
}

TEST_CASE("the factor is of the last residuals, not of how it began", "[diagnostics]") {
  const std::vector<double> residuals{1, 1e-3, 1e-6, 0.5e-6, 0.25e-6, 0.125e-6};
  CHECK(pbd::convergence_factor(residuals, 3) == Approx(0.5));
  CHECK(pbd::convergence_factor(residuals, 5) == Approx(std::pow(0.125e-6, 0.2)));
  CHECK(pbd::convergence_factor(std::span<const double>(residuals).first(3)) == Approx(1e-3));
}

TEST_CASE("without two residuals nothing is known to shrink, and divergence shows", "[diagnostics]") {
  CHECK(pbd::convergence_factor(std::vector<double>{}) == 1);
  CHECK(pbd::convergence_factor(std::vector<double>{0.5}) == 1);
  CHECK(pbd::convergence_factor(std::vector<double>{0.5, 0.1}, 0) == 1);
  CHECK(pbd::convergence_factor(std::vector<double>{0.5, 0.0}) == 0);
  CHECK(pbd::convergence_factor(std::vector<double>{0.0, 0.0}) == 0);
  CHECK(pbd::convergence_factor(std::vector<double>{0.0, 0.1}) == infinity<double>);
  CHECK(pbd::convergence_factor(std::vector<float>{0.5f, not_a_number<float>}) == infinity<float>);
  CHECK(pbd::convergence_factor(std::vector<float>{infinity<float>, 0.5f}) == infinity<float>);
}

TEST_CASE("a sweep of a straight chain leaves cos²(π/2N) of its slowest wave", "[diagnostics]") {
  // The chain's matrix is tridiag(−1, 2, −1) but for the 1 at the pin. Jacobi would leave cos(π/2N), Gauss-Seidel
  // leaves the square of that.
  const auto n = GENERATE(6, 12);
  pbd::Particles<double, 2> particles(n + 1);
  using Rod = pbd::DistanceConstraint<double>;
  auto links = chain<pbd::Particles<double, 2>, Rod>(particles, 0.1, 1, [](Index) { return 1e-3; });
  const pbd::Substep<double> substep(0.01, 1);
  std::vector<double> residuals;
  for (int k = 0; k < 4 * n * n; ++k) {
    pbd::sweep(links, particles, substep);
    particles.position = particles.predicted;
    residuals.push_back(pbd::stretch(particles, links).max);
  }
  const std::span<const double> slow = std::span<const double>(residuals).first(static_cast<std::size_t>(2 * n * n));
  const double jacobi = std::cos(3.14159265358979323846 / (2 * n));
  CHECK(pbd::convergence_factor(slow, 10) == Approx(jacobi * jacobi).epsilon(0.01));
}

// ---- the substep

TEST_CASE("the Courant number is h times the root of T/(ml), of the worst link", "[diagnostics]") {
  pbd::Particles<double, 2> particles(5);
  const double l = 0.1, mass = 0.2;
  const auto rods = chain<pbd::Particles<double, 2>, pbd::DistanceConstraint<double>>(particles, l, mass, unstretched);
  auto global = pbd::make_global_solve(rods);
  const auto settings = one_substep<double, 2>(0.001, 3);
  REQUIRE_FALSE(pbd::step(particles, settings, global));
  const double second = 3 * mass * 9.81;  // the first link hangs from a pin: half the inverse mass, 4/3 of the tension
  CHECK(pbd::courant_number(particles, settings.substep(), global) ==
        Approx(0.001 * std::sqrt(second / (mass * l))).epsilon(1e-9));
  CHECK(pbd::courant_number(particles, settings.substep(), rods) == 0);  // they keep no force
  CHECK(pbd::courant_number(particles, settings.substep()) == 0);
  std::vector<pbd::CompliantDistanceConstraint<double>> pushing{{1, 2, 1.0, 0.0, 0.0, 5.0}};
  CHECK(pbd::courant_number(particles, settings.substep(), pushing) == 0);
  particles.position.col(2) = particles.position.col(1);
  pushing[0].lambda = -5;
  CHECK(pbd::courant_number(particles, settings.substep(), pushing) == 0);
}

TEST_CASE("a line zigzags just above the largest stable Courant number, and not below", "[diagnostics]") {
  const double l = 0.05, mass = 0.01, bob = 100;
  for (const double part : {0.97, 1.03}) {
    pbd::Particles<double, 2> particles(22);
    using Rod = pbd::DistanceConstraint<double>;
    const auto rods = chain<pbd::Particles<double, 2>, Rod>(particles, l, mass, unstretched);
    particles.inverse_mass(21) = 1 / bob;
    for (Index i = 1; i < 21; ++i) particles.position(0, i) = i % 2 == 0 ? 1e-9 : -1e-9;
    const double dt = part * pbd::largest_stable_courant_number<double> * std::sqrt(mass * l / (bob * 9.81));
    const auto settings = one_substep<double, 2>(dt, 2);
    auto global = pbd::make_global_solve(rods);
    REQUIRE_FALSE(pbd::step(particles, settings, global));
    const double number = pbd::courant_number(particles, settings.substep(), global);
    CHECK(number / pbd::largest_stable_courant_number<double> == Approx(part).epsilon(0.01));
    for (int s = 0; s < 60; ++s) REQUIRE_FALSE(pbd::step(particles, settings, global));
    CHECK((part > 1) == (particles.position.row(0).cwiseAbs().maxCoeff() > 1e-9));
  }
}

TEMPLATE_LIST_TEST_CASE("below half a unit in the last place a particle at rest never falls, and above it does",
                        "[diagnostics]", SomeLayouts) {
  using Scalar = typename TestType::Scalar;
  TestType memory(1);
  auto& particles = memory.particles;
  const auto gravity = pbd::earth_gravity<Scalar, TestType::dim>();
  Random random(5);
  int fell = 0, stayed = 0;
  for (int k = 0; k < 300; ++k) {
    const auto x = static_cast<Scalar>(std::pow(10, random(-3, 6)) * 1.1);
    const auto dt = static_cast<Scalar>(std::sqrt(random(0.2, 0.9) * static_cast<double>(x * epsilon<Scalar>) / 9.81));
    particles.position.setConstant(x);
    particles.velocity.setZero();
    const pbd::Substep<Scalar> substep(dt, 1);
    const Scalar headroom = pbd::gravity_headroom(particles, gravity, substep);
    if (std::abs(headroom - Scalar(0.5)) < Scalar(0.001)) continue;
    pbd::predict(particles, gravity, dt);
    const bool falls = particles.predicted(1, 0) < x;
    REQUIRE(falls == (headroom > Scalar(0.5)));
    ++(falls ? fell : stayed);
  }
  CHECK(fell > 50);
  CHECK(stayed > 50);
}

TEST_CASE("headroom is the least of the free particles, along gravity only", "[diagnostics]") {
  pbd::Particles<float, 3> particles(4);
  particles.position.row(0).setConstant(1e9f);  // gravity does not pull that way
  particles.position.row(1) << 1, -1000, 1e6f, 2;
  particles.position(1, 3) = infinity<float>;
  particles.inverse_mass(2) = 0;
  const pbd::Substep<float> substep(1.0f / 600, 1);
  const float expected = 9.81f / (600 * 600) / (1000 * epsilon<float> * 512 / 1000);
  CHECK(pbd::gravity_headroom(particles, {0, -9.81f, 0}, substep) == Approx(expected).epsilon(1e-5));
  CHECK(pbd::gravity_headroom(particles, {0, 0, 0}, substep) == std::numeric_limits<float>::max());
  CHECK(pbd::gravity_headroom(pbd::Particles<float, 3>(0), {0, 1, 0}, substep) == std::numeric_limits<float>::max());
}
