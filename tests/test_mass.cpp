// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/mass.hpp>

using namespace support;

namespace {

template <class Scalar>
std::vector<Scalar> no_masses() {
  constexpr Scalar without_inverse = std::numeric_limits<Scalar>::denorm_min();
  return {Scalar{0}, Scalar{-1}, not_a_number<Scalar>, infinity<Scalar>, -infinity<Scalar>, without_inverse};
}

template <pbd::ParticleSet P>
double total_mass_unpinned(const P& particles) {
  return particles.unpinned_inverse_mass.template cast<double>().cwiseInverse().sum();
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("unpinning gives the old mass back", "[mass]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(3);
  auto& particles = memory.particles;
  scatter(particles);
  const auto before = state(particles);
  const Scalar inverse_mass = particles.inverse_mass(1);

  REQUIRE_FALSE(pbd::pin(particles, 1));
  CHECK(pbd::is_pinned(particles, 1));
  CHECK(particles.inverse_mass(1) == 0);
  REQUIRE_FALSE(pbd::pin(particles, 1));  // a second time changes nothing
  REQUIRE_FALSE(pbd::unpin(particles, 1));
  CHECK_FALSE(pbd::is_pinned(particles, 1));
  CHECK(particles.inverse_mass(1) == inverse_mass);
  REQUIRE_FALSE(pbd::unpin(particles, 1));
  CHECK(particles.inverse_mass(1) == inverse_mass);

  particles.velocity.col(1).setConstant(0);
  auto stopped = before;  // only particle 1 lost its velocity
  constexpr std::size_t each = 3 * static_cast<std::size_t>(TestType::dim) + 1;
  for (std::size_t d = 0; d < static_cast<std::size_t>(TestType::dim); ++d)
    stopped[each + 2 * static_cast<std::size_t>(TestType::dim) + d] = 0;
  CHECK(same_bits(state(particles), stopped));
}

TEMPLATE_LIST_TEST_CASE("pinning stops a particle where it is", "[mass]", EveryMemory) {
  TestType memory(2);
  auto& particles = memory.particles;
  scatter(particles);
  const auto place = particles.position.col(1).eval();
  REQUIRE_FALSE(pbd::pin(particles, 1));
  CHECK(particles.velocity.col(1).isZero(0));
  CHECK(particles.position.col(1) == place);
  CHECK_FALSE(particles.velocity.col(0).isZero(0));
}

TEST_CASE("pinning stops a scripted particle too", "[mass]") {
  pbd::Particles<double, 2> particles(1);
  REQUIRE_FALSE(pbd::pin(particles, 0));
  particles.velocity.col(0).setOnes();
  REQUIRE_FALSE(pbd::pin(particles, 0));
  CHECK(particles.velocity.col(0).isZero(0));
  REQUIRE_FALSE(pbd::unpin(particles, 0));
  CHECK(particles.inverse_mass(0) == 1);
}

TEMPLATE_LIST_TEST_CASE("unpinning leaves the velocity that the script gave", "[mass]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(2);
  auto& particles = memory.particles;
  REQUIRE_FALSE(pbd::pin(particles, 0));
  particles.velocity.col(0).setConstant(Scalar(0.3));
  REQUIRE_FALSE(pbd::unpin(particles, 0, Scalar(0.5)));
  CHECK(particles.inverse_mass(0) == Scalar(0.5));
  CHECK((particles.velocity.col(0).array() == Scalar(0.3)).all());
}

TEMPLATE_LIST_TEST_CASE("a mass given to a pinned particle is what unpinning gives back", "[mass]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(4);
  auto& particles = memory.particles;
  REQUIRE_FALSE(pbd::pin(particles, 2));
  REQUIRE_FALSE(pbd::set_total_mass(particles, Scalar(2)));
  CHECK(pbd::is_pinned(particles, 2));
  CHECK(particles.inverse_mass(1) == 2);
  REQUIRE_FALSE(pbd::unpin(particles, 2));
  CHECK(particles.inverse_mass(2) == 2);
}

TEST_CASE("a view without remembered masses must be told the mass", "[mass]") {
  float x[6] = {}, p[6] = {}, v[6] = {}, w[3] = {1, 2, 3};
  pbd::ParticlesView<float, 2> view(3, {x, 2}, {p, 2}, {v, 2}, {w, 1});
  REQUIRE_FALSE(pbd::pin(view, 1));
  CHECK(w[1] == 0);
  CHECK(pbd::unpin(view, 1).message() ==
        "particle 1: the view maps no unpinned_inverse_mass; say which inverse mass to give back");
  CHECK(w[1] == 0);
  REQUIRE_FALSE(pbd::unpin(view, 1, 2.0f));
  CHECK(w[1] == 2);
  REQUIRE_FALSE(pbd::set_total_mass(view, 6.0f));
  CHECK(w[1] == 0.5f);
}

TEST_CASE("pins of no particle and inverse masses of none are refused", "[mass]") {
  pbd::Particles<double, 2> particles(3);
  scatter(particles);
  REQUIRE_FALSE(pbd::pin(particles, 1));
  const auto before = state(particles);
  for (const Index i : {Index{-1}, Index{3}, std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()})
    for (const pbd::Error& error : {pbd::pin(particles, i), pbd::unpin(particles, i), pbd::unpin(particles, i, 1.0)}) {
      CHECK(error);
      CHECK(error.item == i);
    }
  CHECK(pbd::pin(particles, 3).message() == "particle 3: index out of range");
  for (const double bad : {0.0, -1.0, not_a_number<double>, infinity<double>}) CHECK(pbd::unpin(particles, 1, bad));
  CHECK(same_bits(state(particles), before));
}

TEMPLATE_LIST_TEST_CASE("the masses add up to the total", "[mass]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(7);
  auto& particles = memory.particles;
  REQUIRE_FALSE(pbd::pin(particles, 3));
  REQUIRE_FALSE(pbd::set_total_mass(particles, Scalar(2.6)));
  CHECK(total_mass_unpinned(particles) == Approx(2.6).epsilon(4 * epsilon<Scalar>));
  CHECK(particles.inverse_mass(3) == 0);
  const auto before = state(particles);
  for (const Scalar bad : no_masses<Scalar>())
    CHECK(pbd::set_total_mass(particles, bad).message() == "mass is not a positive number with a finite inverse");
  CHECK(same_bits(state(particles), before));
}

TEMPLATE_LIST_TEST_CASE("by density a triangle gives a third of its mass to each corner", "[mass]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  constexpr int dim = TestType::dim;
  TestType memory(4);
  auto& particles = memory.particles;
  // 3 × 4 right triangles, turned about an axis where there is one: areas do not depend on it
  const Scalar c = Scalar(0.6), s = Scalar(0.8);
  const Scalar corners[4][2] = {{0, 0}, {3, 0}, {3, 4}, {0, 4}};
  for (int i = 0; i < 4; ++i) {
    particles.position(0, i) = corners[i][0] + 5;
    particles.position(1, i) = dim == 3 ? c * corners[i][1] : corners[i][1];
    if (dim == 3) particles.position(dim - 1, i) = s * corners[i][1];
  }
  const std::vector<std::array<int, 3>> triangles{{0, 1, 2}, {0, 3, 2}};  // one of each orientation
  REQUIRE_FALSE(pbd::pin(particles, 1));
  REQUIRE_FALSE(pbd::set_area_density(particles, std::span(triangles), Scalar(0.5)));
  const Scalar tolerance = 8 * epsilon<Scalar>;
  CHECK(particles.inverse_mass(0) == Approx(0.5).epsilon(tolerance));  // 12 m² · 0.5 kg/m² / 3
  CHECK(particles.inverse_mass(1) == 0);
  CHECK(particles.unpinned_inverse_mass(1) == Approx(1).epsilon(tolerance));
  CHECK(particles.inverse_mass(2) == Approx(0.5).epsilon(tolerance));
  CHECK(particles.inverse_mass(3) == Approx(1).epsilon(tolerance));
  CHECK(total_mass_unpinned(particles) == Approx(6).epsilon(tolerance));
}

TEST_CASE("density without area is refused and leaves every particle as it was", "[mass]") {
  using Triangles = std::vector<std::array<int, 3>>;
  pbd::Particles<double, 2> particles(5);
  scatter(particles);
  particles.predicted = particles.position;  // as every step leaves it
  const auto before = state(particles);
  const auto refused = [&](const Triangles& triangles, double density, const std::string& message) {
    CHECK(pbd::set_area_density(particles, std::span(triangles), density).message() == message);
    CHECK(same_bits(state(particles), before));
  };
  const std::string no_area = "no triangle with an area belongs to it, so density gives it no mass";
  refused({{0, 1, 2}, {2, 3, 0}}, 1, "particle 4: " + no_area);
  refused({{0, 1, 2}, {2, 3, 0}, {4, 4, 1}}, 1, "particle 4: " + no_area);
  refused({}, 1, "particle 0: " + no_area);
  refused({{0, 1, 2}, {2, 3, 5}}, 1, "triangle 1: index out of range");
  refused({{0, -1, 2}}, 1, "triangle 0: index out of range");
  for (const double bad : no_masses<double>())
    refused({{0, 1, 2}, {2, 3, 4}}, bad, "density is not a positive number with a finite inverse");
}

TEMPLATE_TEST_CASE_SIG("resizing keeps the first particles and adds resting ones", "[mass]",
                       ((class Scalar, int Dim, Layout layout), Scalar, Dim, layout), (float, 2, Layout::planar),
                       (float, 3, Layout::interleaved), (double, 2, Layout::interleaved), (double, 3, Layout::planar)) {
  pbd::Particles<Scalar, Dim, layout> particles(5);
  scatter(particles);
  REQUIRE_FALSE(pbd::pin(particles, 1));
  const auto old = particles;
  REQUIRE_FALSE(pbd::resize(particles, 3));
  REQUIRE(particles.count() == 3);
  REQUIRE_FALSE(pbd::resize(particles, 8));
  REQUIRE(particles.count() == 8);
  CHECK_FALSE(pbd::validate(particles));
  CHECK(particles.position.leftCols(3) == old.position.leftCols(3));
  CHECK(particles.predicted.leftCols(3) == old.predicted.leftCols(3));
  CHECK(particles.velocity.leftCols(3) == old.velocity.leftCols(3));
  CHECK(particles.inverse_mass.head(3) == old.inverse_mass.head(3));
  CHECK(particles.unpinned_inverse_mass.head(3) == old.unpinned_inverse_mass.head(3));
  CHECK(particles.position.rightCols(5).isZero(0));
  CHECK(particles.velocity.rightCols(5).isZero(0));
  CHECK((particles.inverse_mass.tail(5).array() == 1).all());

  const auto before = state(particles);
  CHECK(pbd::resize(particles, -1));
  CHECK(pbd::resize(particles, Index{std::numeric_limits<std::int32_t>::max()} + 1));
  CHECK(same_bits(state(particles), before));
}

TEST_CASE("an added particle rests where it was put with the mass it was given", "[mass]") {
  pbd::Particles<double, 2> particles(2);
  scatter(particles);
  REQUIRE_FALSE(pbd::add(particles, pbd::Vector<double, 2>(3, 4), 0.25));
  REQUIRE(particles.count() == 3);
  CHECK(particles.position.col(2) == Eigen::Vector2d(3, 4));
  CHECK(particles.predicted.col(2) == Eigen::Vector2d(3, 4));
  CHECK(particles.velocity.col(2).isZero(0));
  CHECK(particles.inverse_mass(2) == 4);
  REQUIRE_FALSE(pbd::pin(particles, 2));
  REQUIRE_FALSE(pbd::unpin(particles, 2));
  CHECK(particles.inverse_mass(2) == 4);

  const auto before = state(particles);
  for (const double bad : no_masses<double>()) CHECK(pbd::add(particles, pbd::Vector<double, 2>(1, 1), bad));
  CHECK(pbd::add(particles, pbd::Vector<double, 2>(1, not_a_number<double>)));
  CHECK(pbd::add(particles, pbd::Vector<double, 2>(-infinity<double>, 1)));
  CHECK(same_bits(state(particles), before));
}
