// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/residual.hpp>

#include <array>

using namespace support;

namespace {

using P = pbd::Particles<double, 3>;

/// Neither a stretch nor an energy: there is nothing about it to measure.
struct Unmeasured {
  [[nodiscard]] std::array<int, 1> indices() const { return {0}; }
  template <class Set>
  void project(Set&, const pbd::Substep<double>&) {}
};

/// A set that keeps its constraints to itself, and shows them one by one.
struct Hidden {
  std::vector<pbd::DistanceConstraint<double>> edges;

  template <class Set>
  void sweep(Set&, const pbd::Substep<double>&) {}
  template <class Visit>
  void for_each_constraint(Visit&& visit) const {
    for (const auto& edge : edges) visit(edge);
  }
};

}  // namespace

TEMPLATE_LIST_TEST_CASE("stretch is the largest and the root mean square over all constraints", "[residual]",
                        EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(12);
  const auto& particles = memory.particles;
  scatter(memory.particles);
  const auto hard = net<pbd::DistanceConstraint<Scalar>>(particles);
  auto soft = net<pbd::SoftDistanceConstraint<Scalar>>(particles);
  for (auto& edge : soft) edge.rest_length *= 3;  // these are pressed
  double largest = 0, squares = 0;
  const auto add = [&](const auto& edge) {
    const double length = static_cast<double>((particles.position.col(edge.i) - particles.position.col(edge.j)).norm());
    const double stretch = std::abs(length / static_cast<double>(edge.rest_length) - 1);
    largest = std::max(largest, stretch);
    squares += stretch * stretch;
  };
  for (const auto& edge : hard) add(edge);
  for (const auto& edge : soft) add(edge);

  const auto left = pbd::stretch(particles, hard, soft);
  const auto count = static_cast<Index>(hard.size() + soft.size());
  CHECK(left.count == count);
  CHECK(left.max == Approx(largest).epsilon(8 * epsilon<Scalar>));
  CHECK(left.rms == Approx(std::sqrt(squares / static_cast<double>(count))).epsilon(8 * epsilon<Scalar>));
}

TEST_CASE("what holds has no stretch and nothing has none either", "[residual]") {
  P particles(3);
  particles.position.row(0) << 0, 1, 3;
  const std::vector<pbd::DistanceConstraint<double>> edges{{0, 1, 1.0}, {1, 2, 2.0}};
  const auto left = pbd::stretch(particles, edges);
  CHECK(left.max == 0);
  CHECK(left.rms == 0);
  CHECK(left.count == 2);
  CHECK(pbd::stretch(particles, std::vector<pbd::DistanceConstraint<double>>{}).count == 0);
  CHECK(pbd::stretch(particles).rms == 0);
}

TEST_CASE("only constraints with a stretch are counted", "[residual]") {
  P particles(2);
  particles.position(0, 1) = 3;
  const std::array<Unmeasured, 5> unmeasured{};
  const Hidden hidden{{{0, 1, 2.0}, {0, 1, 1.0}}};
  const auto left = pbd::stretch(particles, unmeasured, hidden);
  CHECK(left.count == 2);
  CHECK(left.max == 2);
  CHECK(left.rms == Approx(std::sqrt((0.25 + 4) / 2)).epsilon(1e-15));
}

TEMPLATE_TEST_CASE("divergence shows as an infinite stretch", "[residual]", float, double) {
  for (const TestType bad : {not_a_number<TestType>, infinity<TestType>, -infinity<TestType>}) {
    pbd::Particles<TestType, 2> particles(4);
    scatter(particles);
    const auto edges = net<pbd::DistanceConstraint<TestType>>(particles);
    particles.position(1, 2) = bad;
    const auto left = pbd::stretch(particles, edges);
    CHECK(left.max == infinity<TestType>);
    CHECK(left.rms == infinity<TestType>);
    CHECK(left.count == 5);
  }
}

TEMPLATE_LIST_TEST_CASE("measuring changes nothing", "[residual]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(6);
  scatter(memory.particles);
  const auto edges = net<pbd::CompliantDistanceConstraint<Scalar>>(memory.particles);
  const auto before = state(memory.particles);
  const auto& particles = memory.particles;
  CHECK(pbd::stretch(particles, edges).count == 9);
  CHECK(same_bits(state(particles), before));
}
