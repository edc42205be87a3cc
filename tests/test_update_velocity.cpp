// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/predict.hpp>
#include <pbd/update_velocity.hpp>

using namespace support;

TEMPLATE_LIST_TEST_CASE("velocity is the way made over the time it took", "[update_velocity]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(9), before(9);
  auto& particles = memory.particles;
  scatter(particles);
  scatter(before.particles);
  const Scalar dt = Scalar(0.03);
  pbd::update_velocity(particles, dt);
  for (Index i = 0; i < 9; ++i)
    for (int d = 0; d < TestType::dim; ++d) {
      const Scalar way = before.particles.predicted(d, i) - before.particles.position(d, i);
      CHECK(particles.velocity(d, i) == Approx(way / dt).epsilon(0).margin(32 * epsilon<Scalar> / dt));
      CHECK(particles.position(d, i) == before.particles.predicted(d, i));
      CHECK(particles.predicted(d, i) == before.particles.predicted(d, i));
      CHECK(particles.inverse_mass(i) == before.particles.inverse_mass(i));
    }
}

TEMPLATE_LIST_TEST_CASE("a velocity that no constraint has changed is kept to the bit", "[update_velocity]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  using P = decltype(TestType(1).particles);
  for (const Scalar far_out : {Scalar(0), Scalar(1000), Scalar(1e6)}) {
    TestType memory(9);
    auto& particles = memory.particles;
    scatter(particles);
    for (int d = 0; d < TestType::dim; ++d) particles.position.row(d).array() += far_out;
    const auto before = particles.velocity.eval();
    pbd::predict(particles, pbd::VectorOf<P>::Zero(), Scalar(1e-4));
    pbd::update_velocity(particles, Scalar(1e-4));
    CHECK(particles.velocity == before);
  }
}

TEMPLATE_LIST_TEST_CASE("a pinned particle keeps the velocity that it was given", "[update_velocity]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(2);
  auto& particles = memory.particles;
  scatter(particles);
  REQUIRE_FALSE(pbd::pin(particles, 1));
  for (int d = 0; d < TestType::dim; ++d) particles.velocity(d, 1) = Scalar(0.1) * static_cast<Scalar>(d + 1);
  pbd::update_velocity(particles, Scalar(0.03));
  for (int d = 0; d < TestType::dim; ++d) {
    CHECK(particles.velocity(d, 1) == Scalar(0.1) * static_cast<Scalar>(d + 1));
    CHECK(particles.position(d, 1) == particles.predicted(d, 1));
  }
}
