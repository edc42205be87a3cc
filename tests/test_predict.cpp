// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/predict.hpp>

using namespace support;

namespace {

template <pbd::ParticleSet P>
pbd::VectorOf<P> slanted() {
  pbd::VectorOf<P> vector;
  for (int d = 0; d < P::dim; ++d) vector(d) = static_cast<typename P::Scalar>(0.7 - 3.1 * d);
  return vector;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("a free particle gains gravity and moves on with what it gained", "[predict]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  using P = decltype(TestType::particles);
  TestType memory(9), before(9);
  auto& particles = memory.particles;
  scatter(particles);
  scatter(before.particles);
  const auto gravity = slanted<P>();
  const Scalar dt = Scalar(0.01);
  pbd::predict(particles, gravity, dt);
  for (Index i = 0; i < 9; ++i)
    for (int d = 0; d < P::dim; ++d) {
      const Scalar gained = dt * gravity(d);
      const Scalar v = before.particles.velocity(d, i) + gained;
      const Scalar travelled = dt * v;
      CHECK(particles.velocity(d, i) == v);
      CHECK(particles.predicted(d, i) == before.particles.position(d, i) + travelled);
      CHECK(particles.position(d, i) == before.particles.position(d, i));
      CHECK(particles.inverse_mass(i) == before.particles.inverse_mass(i));
    }
}

TEMPLATE_LIST_TEST_CASE("gravity does not reach a pinned particle and a script does", "[predict]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  using P = decltype(TestType::particles);
  TestType memory(2);
  auto& particles = memory.particles;
  scatter(particles);
  REQUIRE_FALSE(pbd::pin(particles, 0));
  REQUIRE_FALSE(pbd::pin(particles, 1));
  const auto script = slanted<P>();
  particles.velocity.col(1) = script;
  const Scalar dt = Scalar(0.01);
  pbd::predict(particles, slanted<P>(), dt);
  CHECK(particles.velocity.col(0).isZero(0));
  CHECK(particles.predicted.col(0) == particles.position.col(0));
  for (int d = 0; d < P::dim; ++d) {
    const Scalar travelled = dt * script(d);
    CHECK(particles.velocity(d, 1) == script(d));
    CHECK(particles.predicted(d, 1) == particles.position(d, 1) + travelled);
  }
}

TEMPLATE_LIST_TEST_CASE("one more acceleration is one more gravity", "[predict]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  using P = decltype(TestType::particles);
  TestType shifted(6), added(6);
  for (auto* memory : {&shifted, &added}) {
    scatter(memory->particles);
    REQUIRE_FALSE(pbd::pin(memory->particles, 2));
  }
  const auto gravity = slanted<P>();
  const pbd::VectorOf<P> wind = gravity.reverse();
  const Scalar dt = Scalar(0.01);
  pbd::predict(shifted.particles, pbd::VectorOf<P>(gravity + wind), dt);

  pbd::Acceleration blow{[&](const auto&, Index) { return wind; }};
  blow.accelerate(added.particles, dt);
  pbd::predict(added.particles, gravity, dt);
  CHECK(difference(state(shifted.particles), state(added.particles)) < 2 * epsilon<Scalar>);
}

TEMPLATE_LIST_TEST_CASE("an acceleration sees the particles and which one it is asked for", "[predict]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  using P = decltype(TestType::particles);
  TestType memory(5), before(5);
  auto& particles = memory.particles;
  scatter(particles);
  scatter(before.particles);
  const Scalar dt = Scalar(0.25);
  pbd::Acceleration drag{
      [](const P& all, Index i) -> pbd::VectorOf<P> { return -static_cast<Scalar>(i) * all.velocity.col(i); }};
  drag.accelerate(particles, dt);
  for (Index i = 0; i < 5; ++i)
    for (int d = 0; d < P::dim; ++d) {
      const Scalar left = (1 - dt * static_cast<Scalar>(i)) * before.particles.velocity(d, i);
      CHECK(std::abs(particles.velocity(d, i) - left) < 2 * epsilon<Scalar>);
    }
}
