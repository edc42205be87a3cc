// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/conserved.hpp>
#include <pbd/distance.hpp>
#include <pbd/predict.hpp>

#include <vector>

using namespace support;

namespace {

using P = pbd::Particles<double, 3>;

}  // namespace

TEST_CASE("energies are what mechanics says", "[conserved]") {
  P particles(3);
  particles.position.col(0) << 1, 2, 3;
  particles.position.col(1) << 1, 2, 7;  // 4 m from the first
  particles.position.col(2).setConstant(100);
  particles.velocity.col(0) << 3, 0, 4;
  particles.velocity.col(1) << 0, -1, 0;
  particles.velocity.col(2).setConstant(100);  // scripted: no energy of its own
  particles.inverse_mass << 0.5, 0.25, 0;
  const std::vector<pbd::CompliantDistanceConstraint<double>> springs{{0, 1, 3.0, 0.25}, {0, 1, 3.0, 0.0}};
  const std::vector<pbd::DistanceConstraint<double>> rods{{0, 1, 3.0}};
  const auto energy = pbd::energy(particles, {0, -10, 1}, rods, springs);
  CHECK(energy.kinetic == 2 * 25 / 2.0 + 4 * 1 / 2.0);
  CHECK(energy.potential == -2 * (-20 + 3.0) - 4 * (-20 + 7.0));
  CHECK(energy.elastic == 1 / (2 * 0.25));
  CHECK(energy.total() == energy.kinetic + energy.potential + energy.elastic);
  CHECK(pbd::energy(particles, {0, -10, 1}).elastic == 0);
}

TEST_CASE("momentum is that of the free particles", "[conserved]") {
  P particles(3);
  particles.position.col(0) << 1, 0, 2;
  particles.position.col(1) << 0, 3, 0;
  particles.position.col(2).setConstant(100);
  particles.velocity.col(0) << 0, 2, 1;
  particles.velocity.col(1) << 1, 0, 0;
  particles.velocity.col(2).setConstant(100);
  particles.inverse_mass << 0.5, 0.25, 0;
  const auto momentum = pbd::momentum(particles);
  CHECK(momentum.mass == 6);
  CHECK((momentum.center_of_mass - Eigen::Vector3d(2, 12, 4) / 6).norm() < 1e-15);
  CHECK(momentum.linear == Eigen::Vector3d(4, 4, 2));
  CHECK(momentum.angular == Eigen::Vector3d(-8, -2, -8));  // 2 (1,0,2)×(0,2,1) + 4 (0,3,0)×(1,0,0)

  pbd::Particles<float, 2> flat(1);
  flat.position.col(0) << 2, 1;
  flat.velocity.col(0) << 0, 3;
  CHECK(pbd::momentum(flat).angular == Eigen::Vector3f(0, 0, 6));
  CHECK(pbd::momentum(pbd::Particles<float, 2>(0)).mass == 0);
  flat.inverse_mass(0) = 0;
  CHECK(pbd::momentum(flat).center_of_mass == Eigen::Vector2f(0, 0));
}

TEST_CASE("a float sheet of a million particles is summed in double", "[conserved]") {
  pbd::Particles<float, 2> particles(1 << 20);
  particles.inverse_mass.setConstant(1 / 0.1f);
  particles.velocity.row(0).setOnes();
  CHECK(pbd::momentum(particles).mass == Approx((1 << 20) * 0.1).epsilon(1e-7));
  CHECK(pbd::energy(particles, {0, 0}).kinetic == Approx((1 << 20) * 0.05).epsilon(1e-7));
}

TEMPLATE_LIST_TEST_CASE("measuring what is conserved changes nothing", "[conserved]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(6);
  scatter(memory.particles);
  const auto edges = net<pbd::CompliantDistanceConstraint<Scalar>>(memory.particles);
  const auto before = state(memory.particles);
  const auto& particles = memory.particles;
  const pbd::VectorOf<pbd::Particles<Scalar, TestType::dim>> gravity =
      pbd::VectorOf<pbd::Particles<Scalar, TestType::dim>>::Ones();
  CHECK(pbd::energy(particles, gravity, edges).elastic > 0);
  CHECK(pbd::momentum(particles).mass > 0);
  CHECK(same_bits(state(particles), before));
}
