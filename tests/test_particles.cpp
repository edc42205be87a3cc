// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"

#include <array>
#include <pbd/particles.hpp>

using namespace support;

namespace {

/// A vertex as a renderer has it: what the solver moves lies among what it must not touch.
template <class Scalar, int Dim>
struct Vertex {
  Scalar normal[3] = {1, 2, 3};
  Scalar position[Dim] = {};
  Scalar u = 4;
  Scalar predicted[Dim] = {};
  Scalar velocity[Dim] = {};
  Scalar inverse_mass = 1;
  Scalar v = 5;

  [[nodiscard]] bool keeps_the_rest() const {
    return normal[0] == 1 && normal[1] == 2 && normal[2] == 3 && u == 4 && v == 5;
  }
};

template <class Scalar, int Dim>
pbd::ParticlesView<Scalar, Dim> view_of(std::vector<Vertex<Scalar, Dim>>& vertices) {
  using V = Vertex<Scalar, Dim>;
  V& first = vertices.front();
  return {static_cast<Index>(vertices.size()), pbd::strided<V>(&first.position[0]),
          pbd::strided<V>(&first.predicted[0]), pbd::strided<V>(&first.velocity[0]),
          pbd::strided<V>(&first.inverse_mass)};
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("new particles rest at the origin and weigh a kilogram", "[particles]", EveryMemory) {
  TestType memory(4);
  const auto& particles = memory.particles;
  STATIC_REQUIRE(pbd::ParticleSet<std::remove_cvref_t<decltype(particles)>>);
  REQUIRE(particles.count() == 4);
  CHECK(particles.position.isZero(0));
  CHECK(particles.predicted.isZero(0));
  CHECK(particles.velocity.isZero(0));
  CHECK((particles.inverse_mass.array() == 1).all());
  CHECK((particles.unpinned_inverse_mass.array() == 1).all());
  CHECK_FALSE(pbd::validate(particles));
}

TEST_CASE("no particles at all are valid", "[particles]") {
  CHECK(pbd::Particles<>().count() == 0);
  CHECK_FALSE(pbd::validate(pbd::Particles<>()));
  CHECK_FALSE(pbd::validate(Mapped<float, 3, Layout::planar, 0>(0).particles));
}

TEMPLATE_TEST_CASE("the layout says which coordinates are neighbours in memory", "[particles]", float, double) {
  pbd::Particles<TestType, 3, Layout::interleaved> interleaved(5);
  CHECK(&interleaved.position(1, 2) == &interleaved.position(0, 2) + 1);
  CHECK(&interleaved.position(0, 3) == &interleaved.position(0, 2) + 3);
  pbd::Particles<TestType, 3, Layout::planar> planar(5);
  CHECK(&planar.position(0, 3) == &planar.position(0, 2) + 1);
  CHECK(&planar.position(1, 2) == &planar.position(0, 2) + 5);
}

TEST_CASE("no public type is aligned to a vector register", "[particles]") {
  STATIC_REQUIRE(alignof(pbd::Particles<float, 3>) == alignof(void*));
  STATIC_REQUIRE(alignof(pbd::ParticlesView<float, 3>) == alignof(void*));
  STATIC_REQUIRE(alignof(pbd::Vector<float, 2>) == alignof(float));
  STATIC_REQUIRE(alignof(pbd::Vector<double, 2>) == alignof(double));
  STATIC_REQUIRE(sizeof(pbd::Vector<float, 3>) == 3 * sizeof(float));
}

TEST_CASE("a stride is counted in scalars", "[particles]") {
  std::vector<Vertex<float, 3>> vertices(2);
  const auto stride = pbd::strided<Vertex<float, 3>>(&vertices[0].velocity[0]);
  CHECK(stride.data + stride.stride == &vertices[1].velocity[0]);
}

TEMPLATE_TEST_CASE_SIG("a view works in the engine's memory and touches nothing beside it", "[particles]",
                       ((class Scalar, int Dim), Scalar, Dim), (float, 2), (float, 3), (double, 2), (double, 3)) {
  std::vector<Vertex<Scalar, Dim>> vertices(6);
  auto view = view_of(vertices);
  CHECK(&view.position(0, 3) == &vertices[3].position[0]);
  CHECK(&view.velocity(1, 5) == &vertices[5].velocity[1]);
  CHECK(&view.inverse_mass(2) == &vertices[2].inverse_mass);

  scatter(view);
  auto edges = net<pbd::CompliantDistanceConstraint<Scalar>>(view);
  const Scalar before = vertices[3].position[1];
  REQUIRE_FALSE(pbd::step(view, pbd::StepSettings<Scalar, Dim>{}, edges));
  CHECK(vertices[3].position[1] != before);
  for (const auto& vertex : vertices) CHECK(vertex.keeps_the_rest());
}

TEMPLATE_TEST_CASE("a planar view leaves the padding between its rows alone", "[particles]", float, double) {
  constexpr Index count = 5, stride = 8;
  std::vector<TestType> position(3 * stride, 7), predicted = position, velocity = position, mass(count, 1);
  pbd::ParticlesView<TestType, 3, Layout::planar> view(count, {position.data(), stride}, {predicted.data(), stride},
                                                       {velocity.data(), stride}, {mass.data(), 1});
  scatter(view);
  auto edges = net<pbd::DistanceConstraint<TestType>>(view);
  REQUIRE_FALSE(pbd::step(view, pbd::StepSettings<TestType, 3>{}, edges));
  for (const auto* array : {&position, &predicted, &velocity})
    for (std::size_t k = 0; k < array->size(); ++k)
      if (k % stride >= count) CHECK((*array)[k] == 7);
}

TEMPLATE_LIST_TEST_CASE("validation names the particle and says why", "[particles]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(5);
  auto& particles = memory.particles;
  scatter(particles);
  REQUIRE_FALSE(pbd::validate(particles));
  const auto refused = [&](Scalar& place, Scalar value, const std::string& message) {
    const Scalar good = place;
    place = value;
    CHECK(pbd::validate(particles).message() == message);
    place = good;
  };
  constexpr int last = TestType::dim - 1;
  for (const Scalar bad : {not_a_number<Scalar>, -not_a_number<Scalar>, infinity<Scalar>, -infinity<Scalar>}) {
    refused(particles.position(last, 4), bad, "particle 4: position is NaN or infinite");
    refused(particles.velocity(0, 2), bad, "particle 2: velocity is NaN or infinite");
    refused(particles.inverse_mass(3), bad, "particle 3: inverse mass is NaN or infinite");
  }
  refused(particles.inverse_mass(0), Scalar(-1), "particle 0: inverse mass is negative");
  refused(particles.inverse_mass(0), -std::numeric_limits<Scalar>::denorm_min(),
          "particle 0: inverse mass is negative");

  particles.inverse_mass(1) = 0;
  particles.inverse_mass(2) = std::numeric_limits<Scalar>::max();
  particles.position(0, 3) = -std::numeric_limits<Scalar>::max();
  CHECK_FALSE(pbd::validate(particles));
}

TEST_CASE("arrays that differ in length are refused", "[particles]") {
  const pbd::Particles<double, 2> good(4);
  const auto refused = [](const auto& particles) {
    CHECK(pbd::validate(particles).message() ==
          "particles: position, predicted, velocity and inverse_mass differ in length");
  };
  for (const Index wrong : {0, 3, 5}) {
    auto particles = good;
    particles.position.resize(2, wrong);
    refused(particles);
    particles = good;
    particles.predicted.resize(2, wrong);
    refused(particles);
    particles = good;
    particles.velocity.resize(2, wrong);
    refused(particles);
    particles = good;
    particles.inverse_mass.resize(wrong);
    refused(particles);
  }
}

TEST_CASE("a stride that would fold particles onto each other is refused", "[particles]") {
  std::vector<float> block(64, 1);
  float* data = block.data();
  const auto view = [&]<Layout layout>(Index x, Index p, Index v) {
    return pbd::validate_sizes(
        pbd::ParticlesView<float, 3, layout>(4, {data, x}, {data + 16, p}, {data + 32, v}, {data + 48, 1}));
  };
  const std::string message = "particles: stride is shorter than what it steps over";
  CHECK_FALSE(view.operator()<Layout::interleaved>(3, 3, 3));
  CHECK(view.operator()<Layout::interleaved>(2, 3, 3).message() == message);
  CHECK(view.operator()<Layout::interleaved>(3, 2, 3).message() == message);
  CHECK(view.operator()<Layout::interleaved>(3, 3, 0).message() == message);
  CHECK_FALSE(view.operator()<Layout::planar>(4, 4, 4));
  CHECK(view.operator()<Layout::planar>(3, 4, 4).message() == message);
  CHECK(view.operator()<Layout::planar>(4, 3, 4).message() == message);
  CHECK(view.operator()<Layout::planar>(4, 4, -4).message() == message);
}

TEST_CASE("more particles than a 32-bit index can name are refused", "[particles]") {
  constexpr Index limit = std::numeric_limits<std::int32_t>::max();
  std::array<float, 4> nothing{};  // the sizes are judged without a look at the memory
  const auto judge = [&](Index count) {
    return pbd::validate_sizes(pbd::ParticlesView<float, 3, Layout::planar>(
        count, {&nothing[0], count}, {&nothing[1], count}, {&nothing[2], count}, {&nothing[3], 1}));
  };
  CHECK_FALSE(judge(limit));
  CHECK(judge(limit + 1).message() == "particles: more particles than a constraint's 32-bit index can name");
}

TEMPLATE_TEST_CASE("finiteness is read from the bits", "[particles]", float, double) {
  using Limits = std::numeric_limits<TestType>;
  for (const TestType finite : {TestType{0}, -TestType{0}, Limits::denorm_min(), Limits::max(), Limits::lowest()})
    CHECK(pbd::detail::is_finite(finite));
  for (const TestType other : {not_a_number<TestType>, -not_a_number<TestType>, Limits::signaling_NaN(),
                               infinity<TestType>, -infinity<TestType>})
    CHECK_FALSE(pbd::detail::is_finite(other));
}
