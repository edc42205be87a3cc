// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/constraint.hpp>

#include <array>
#include <list>
#include <span>

using namespace support;

namespace {

/// A user's own constraint of Count particles, with whatever integer names them.
template <class Integer, std::size_t Count = 2>
struct Names {
  std::array<Integer, Count> particles;

  [[nodiscard]] std::array<Integer, Count> indices() const { return particles; }
  template <class P>
  void project(P&, const pbd::Substep<typename P::Scalar>&) {}
};

struct Nameless {
  template <class P>
  void project(P&, const pbd::Substep<typename P::Scalar>&) {}
};

struct Idle {
  [[nodiscard]] std::array<int, 1> indices() const { return {0}; }
};

using P = pbd::Particles<double, 3>;

}  // namespace

TEST_CASE("a constraint is whatever names its particles and can move them", "[constraint]") {
  STATIC_REQUIRE(pbd::ConstraintOn<pbd::DistanceConstraint<double>, P>);
  STATIC_REQUIRE(pbd::ConstraintOn<pbd::SoftDistanceConstraint<double>, P>);
  STATIC_REQUIRE(pbd::ConstraintOn<pbd::CompliantDistanceConstraint<double>, P>);
  STATIC_REQUIRE(pbd::ConstraintOn<pbd::DistanceLimit<double>, P>);
  STATIC_REQUIRE(pbd::ConstraintOn<Names<int, 3>, P>);
  STATIC_REQUIRE_FALSE(pbd::ConstraintOn<Nameless, P>);
  STATIC_REQUIRE_FALSE(pbd::ConstraintOn<Idle, P>);
  STATIC_REQUIRE_FALSE(pbd::ConstraintOn<pbd::DistanceConstraint<float>, P>);  // of another precision
  STATIC_REQUIRE_FALSE(pbd::ConstraintOn<pbd::DistanceConstraint<double>, int>);
}

TEST_CASE("an array of constraints is anything contiguous", "[constraint]") {
  using C = pbd::DistanceConstraint<double>;
  STATIC_REQUIRE(pbd::ConstraintArrayOn<std::vector<C>, P>);
  STATIC_REQUIRE(pbd::ConstraintArrayOn<std::array<C, 3>, P>);
  STATIC_REQUIRE(pbd::ConstraintArrayOn<std::span<C>, P>);
  STATIC_REQUIRE(pbd::ConstraintArrayOn<std::span<const C>, P>);
  STATIC_REQUIRE(pbd::ConstraintArrayOn<C[3], P>);
  STATIC_REQUIRE_FALSE(pbd::ConstraintArrayOn<std::list<C>, P>);
  STATIC_REQUIRE_FALSE(pbd::ConstraintArrayOn<std::vector<int>, P>);
}

TEMPLATE_TEST_CASE("the multiplier solves the constraint's equation", "[constraint]", float, double) {
  Random random;
  for (int n = 0; n < 100; ++n) {
    const auto C = static_cast<TestType>(random(-1, 1));
    const auto w = static_cast<TestType>(random(0.1, 10));
    const auto alpha = static_cast<TestType>(random(0, 10));
    const auto lambda = static_cast<TestType>(random(-1, 1));
    const double change = pbd::delta_lambda(C, w, alpha, lambda);
    CHECK(std::abs(double{C} + w * change + alpha * (double{lambda} + change)) <
          40 * double{epsilon<TestType>});  // C + w Δλ + α̃(λ + Δλ) = 0
    CHECK(pbd::delta_lambda(C, w) == pbd::delta_lambda(C, w, TestType{0}, lambda));
  }
}

TEMPLATE_LIST_TEST_CASE("a multiplier moves a particle along its gradient by its inverse mass", "[constraint]",
                        EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(3), before(3);
  auto& particles = memory.particles;
  scatter(particles);
  scatter(before.particles);
  pbd::VectorOf<decltype(TestType::particles)> gradient;
  for (int d = 0; d < TestType::dim; ++d) gradient(d) = static_cast<Scalar>(1 - 2 * d);
  pbd::correct(particles, 1, gradient, Scalar(0.5));
  for (int d = 0; d < TestType::dim; ++d) {
    const Scalar moved = particles.inverse_mass(1) * Scalar(0.5) * gradient(d);
    CHECK(particles.predicted(d, 1) == before.particles.predicted(d, 1) + moved);
  }
  particles.predicted.col(1) = before.particles.predicted.col(1);
  CHECK(same_bits(state(particles), state(before.particles)));
}

TEMPLATE_TEST_CASE("an index of any integer type must name a particle that is there", "[constraint]", std::int8_t,
                   std::uint16_t, std::int32_t, std::uint32_t, std::int64_t, std::uint64_t) {
  using Limits = std::numeric_limits<TestType>;
  const P particles(5);
  const auto judge = [&](TestType a, TestType b, TestType c) {
    const std::vector<Names<TestType, 3>> constraints{{{0, 1, 2}}, {{4, 3, 0}}, {{a, b, c}}, {{9, 9, 9}}};
    return pbd::validate_indices(particles, constraints).item;
  };
  CHECK(judge(0, 4, 2) == 3);
  for (const TestType bad :
       {TestType{5}, Limits::max(), Limits::min() < 0 ? Limits::min() : TestType{6}, static_cast<TestType>(-1)}) {
    CHECK(judge(bad, 1, 2) == 2);
    CHECK(judge(1, bad, 2) == 2);
    CHECK(judge(1, 2, bad) == 2);
  }
}

TEST_CASE("a constraint that names a particle twice is refused by its number", "[constraint]") {
  const P particles(5);
  const auto judge = [&](std::array<int, 3> names) {
    return pbd::validate_constraints(particles, std::vector<Names<int, 3>>{{{0, 1, 2}}, {names}, {{3, 3, 3}}});
  };
  CHECK(judge({2, 1, 0}).item == 2);
  for (const auto& twice : {std::array{1, 1, 2}, std::array{1, 2, 1}, std::array{2, 1, 1}}) {
    CHECK(judge(twice).message() == "constraint 1: names the same particle twice");
    CHECK(pbd::validate_indices(particles, std::vector<Names<int, 3>>{{twice}}).message().empty());  // harmless to step
  }
  CHECK(judge({1, 2, 5}).message() == "constraint 1: particle index out of range");
}

TEST_CASE("validation asks a constraint what is wrong with it", "[constraint]") {
  const P particles(3);
  using Soft = pbd::SoftDistanceConstraint<double>;
  CHECK_FALSE(pbd::validate_constraints(particles, std::vector<Soft>{{0, 1, 1.0}, {1, 2, 1.0}}));
  CHECK(pbd::validate_constraints(particles, std::vector<Soft>{{0, 1, 1.0}, {1, 2, 1.0, 1.5}}).message() ==
        "constraint 1: stiffness is not in [0, 1]");
  CHECK_FALSE(pbd::validate_constraints(particles, std::vector<Soft>{}));
}

TEST_CASE("a substep knows its length and the inverse of its square", "[constraint]") {
  const pbd::Substep<double> substep(0.02, 3);
  CHECK(substep.dt == 0.02);
  CHECK(substep.inverse_dt_squared == Approx(2500).epsilon(1e-15));
  CHECK(substep.iterations == 3);
}
