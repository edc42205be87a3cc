// SPDX-License-Identifier: MIT
//
// The numerical contract: what holds across all rooms, for every constraint and every kind of memory.
#include "catch.hpp"
#include "support.hpp"
#include <pbd/pbd.hpp>

using namespace support;

namespace {

template <class Constraint>
inline constexpr bool is_compliant = requires(Constraint constraint) {
  constraint.compliance;
};

/// Steps a scene of any size and weight; the motion in units of that size.
template <class Constraint>
std::vector<double> scaled_motion(double length, double mass) {
  pbd::Particles<double, 3> particles(8);
  scatter(particles);
  particles.position *= length;
  particles.velocity *= length;
  particles.inverse_mass /= mass;
  CHECK_FALSE(pbd::pin(particles, 0));
  auto edges = net<Constraint>(particles);
  if constexpr (is_compliant<Constraint>)
    for (auto& edge : edges) {
      edge.compliance /= mass;
      edge.damping *= mass;
    }
  pbd::StepSettings<double, 3> settings{.substeps = 2, .iterations = 3};
  settings.gravity *= length;
  for (int n = 0; n < 20; ++n) CHECK_FALSE(pbd::step(particles, settings, edges));
  particles.position /= length;
  particles.predicted /= length;
  particles.velocity /= length;
  particles.inverse_mass *= mass;
  return state(particles);
}

/// Sweeps a net with and without edges between particles 1 and 2, whatever these were made to be.
template <class Constraint, class Memory>
void check_skipped(void (*spoil)(decltype(Memory::particles)&)) {
  using Scalar = typename Memory::Scalar;
  Memory with(6), without(6);
  for (auto* memory : {&with, &without}) {
    scatter(memory->particles);
    spoil(memory->particles);
  }
  auto edges = net<Constraint>(without.particles);
  std::erase_if(edges, [](const auto& edge) { return edge.i == 1 && edge.j == 2; });
  auto spoiled = edges;
  spoiled.insert(spoiled.begin(), {between<Constraint>(1, 2, Scalar(0.5)), between<Constraint>(2, 1, Scalar(0))});
  const pbd::Substep<Scalar> substep(Scalar(0.01), 1);
  pbd::begin_substep(edges, without.particles, substep);
  pbd::begin_substep(spoiled, with.particles, substep);
  pbd::sweep(edges, without.particles, substep);
  pbd::sweep(spoiled, with.particles, substep);
  CHECK(same_bits(state(with.particles), state(without.particles)));
  if constexpr (is_compliant<Constraint>) CHECK(spoiled.front().lambda == 0);

  pbd::StepSettings<Scalar, Memory::dim> settings;
  settings.iterations = 3;
  for (int n = 0; n < 20; ++n) REQUIRE_FALSE(pbd::step(with.particles, settings, spoiled));
  CHECK_FALSE(pbd::validate(with.particles));
}

template <class Memory>
void check_all_skipped(void (*spoil)(decltype(Memory::particles)&)) {
  using Scalar = typename Memory::Scalar;
  check_skipped<pbd::DistanceConstraint<Scalar>, Memory>(spoil);
  check_skipped<pbd::SoftDistanceConstraint<Scalar>, Memory>(spoil);
  check_skipped<pbd::CompliantDistanceConstraint<Scalar>, Memory>(spoil);
  check_skipped<pbd::DistanceLimit<Scalar>, Memory>(spoil);
}

}  // namespace

TEST_CASE("an error says which item of which set and why", "[contract]") {
  CHECK_FALSE(pbd::Error{});
  CHECK(pbd::Error{}.message().empty());
  CHECK(pbd::Error{.reason = "too much"});
  CHECK(pbd::Error{.reason = "too much"}.message() == "too much");
  CHECK(pbd::Error{.reason = "too much", .subject = "settings"}.message() == "settings: too much");
  CHECK(pbd::Error{.reason = "too much", .subject = "particle", .item = 0}.message() == "particle 0: too much");
  CHECK(pbd::Error{.reason = "too much", .subject = "constraint", .item = 7, .set = 1}.message() ==
        "constraint 7 of set 1: too much");
}

TEMPLATE_LIST_TEST_CASE("a step of no time changes nothing to the bit", "[contract]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(6);
  auto& particles = memory.particles;
  scatter(particles);
  auto edges = net<pbd::CompliantDistanceConstraint<Scalar>>(particles);
  edges[1].lambda = 7;
  edges[2].rest_length = not_a_number<Scalar>;
  particles.position(0, 1) = not_a_number<Scalar>;
  particles.velocity(1, 2) = infinity<Scalar>;
  particles.inverse_mass(3) = -not_a_number<Scalar>;
  const auto before = state(particles);
  const auto edges_before = edges;
  int asked = 0;
  pbd::Acceleration wind{[&](const auto&, Index) {
    ++asked;
    return pbd::earth_gravity<Scalar, TestType::dim>();
  }};
  pbd::StepSettings<Scalar, TestType::dim> settings;
  for (const Scalar zero : {Scalar{0}, -Scalar{0}}) {
    settings.dt = zero;
    CHECK_FALSE(pbd::step(particles, settings, wind, edges));
  }
  CHECK(same_bits(state(particles), before));
  CHECK(same_bits(edges, edges_before));
  CHECK(asked == 0);
}

TEMPLATE_LIST_TEST_CASE("settings that no step can be taken with are refused and the state stays as it was",
                        "[contract]", EveryMemory) {
  using Scalar = typename TestType::Scalar;
  using Settings = pbd::StepSettings<Scalar, TestType::dim>;
  TestType memory(5);
  auto& particles = memory.particles;
  scatter(particles);
  auto edges = net<pbd::CompliantDistanceConstraint<Scalar>>(particles);
  for (auto& edge : edges) edge.lambda = 7;
  const auto before = state(particles);
  const auto edges_before = edges;
  const auto refused = [&](const std::string& why, auto&& spoil) {
    Settings settings;
    spoil(settings);
    CHECK(pbd::step(particles, settings, edges).message() == "settings: " + why);
    CHECK(pbd::validate(settings).message() == "settings: " + why);
    CHECK(same_bits(state(particles), before));
    CHECK(same_bits(edges, edges_before));
  };
  refused("dt is negative", [](Settings& s) { s.dt = Scalar(-0.01); });
  refused("dt is negative", [](Settings& s) { s.dt = -std::numeric_limits<Scalar>::denorm_min(); });
  for (const Scalar bad : {not_a_number<Scalar>, infinity<Scalar>, -infinity<Scalar>}) {
    refused("dt is NaN or infinite", [&](Settings& s) { s.dt = bad; });
    for (int d = 0; d < TestType::dim; ++d)
      refused("gravity is NaN or infinite", [&](Settings& s) { s.gravity(d) = bad; });
  }
  for (const int bad : {0, -1, std::numeric_limits<int>::min()}) {
    refused("substeps is less than 1", [&](Settings& s) { s.substeps = bad; });
    refused("iterations is less than 1", [&](Settings& s) { s.iterations = bad; });
    refused("iterations is less than 1", [&](Settings& s) { s.dt = 0, s.iterations = bad; });
  }
  const std::string too_short = "dt over substeps is too short: its square underflows";
  refused(too_short, [](Settings& s) { s.dt = std::numeric_limits<Scalar>::denorm_min(); });
  const Scalar shortest = std::sqrt(std::numeric_limits<Scalar>::min());
  refused(too_short, [&](Settings& s) { s.dt = shortest * Scalar(0.9), s.substeps = 1; });
  refused(too_short, [&](Settings& s) { s.dt = shortest * 10, s.substeps = 11; });

  Settings settings;
  settings.dt = shortest * Scalar(1.1);
  settings.substeps = 1;
  CHECK_FALSE(pbd::step(particles, settings, edges));
  CHECK_FALSE(pbd::validate(particles));
}

TEMPLATE_LIST_TEST_CASE("an index that leads out of the particles is refused by constraint and set", "[contract]",
                        EveryMemory) {
  using Scalar = typename TestType::Scalar;
  TestType memory(5);
  auto& particles = memory.particles;
  scatter(particles);
  auto hard = net<pbd::DistanceConstraint<Scalar>>(particles);
  auto compliant = net<pbd::CompliantDistanceConstraint<Scalar>>(particles);
  for (auto& edge : compliant) edge.lambda = 7;
  const auto before = state(particles);
  pbd::StepSettings<Scalar, TestType::dim> settings;
  for (const int bad : {-1, 5, std::numeric_limits<int>::min(), std::numeric_limits<int>::max()})
    for (auto end : {&pbd::CompliantDistanceConstraint<Scalar>::i, &pbd::CompliantDistanceConstraint<Scalar>::j})
      for (const Scalar dt : {Scalar(0.01), Scalar(0)}) {
        settings.dt = dt;
        auto broken = compliant;
        broken[2].*end = bad;
        const auto broken_before = broken;
        const auto error = pbd::step(particles, settings, hard, broken);
        CHECK(error.message() == "constraint 2 of set 1: particle index out of range");
        CHECK(same_bits(state(particles), before));
        CHECK(same_bits(broken, broken_before));
        CHECK(pbd::validate(particles, hard, broken).message() == error.message());
      }
}

TEST_CASE("particle arrays of different lengths are refused before a step touches them", "[contract]") {
  pbd::Particles<float, 3> particles(5);
  scatter(particles);
  auto edges = net<pbd::DistanceConstraint<float>>(particles);
  particles.velocity.conservativeResize(3, 4);
  const auto position = particles.position;
  CHECK(pbd::step(particles, pbd::StepSettings<float, 3>{}, edges).message() ==
        "particles: position, predicted, velocity and inverse_mass differ in length");
  CHECK(particles.position == position);
}

TEST_CASE("validation of all that came from outside names the first thing wrong", "[contract]") {
  pbd::Particles<double, 3> particles(5);
  scatter(particles);
  auto rods = net<pbd::DistanceConstraint<double>>(particles);
  auto soft = net<pbd::SoftDistanceConstraint<double>>(particles);
  auto ropes = net<pbd::DistanceLimit<double>>(particles);
  const auto validate = [&] { return pbd::validate(particles, rods, soft, ropes).message(); };
  CHECK(validate().empty());
  ropes[3].longest = ropes[3].shortest / 2;
  CHECK(validate() == "constraint 3 of set 2: the longest distance is below the shortest");
  soft[4].stiffness = -1;
  CHECK(validate() == "constraint 4 of set 1: stiffness is not in [0, 1]");
  rods[6].rest_length = -1;
  CHECK(validate() == "constraint 6 of set 0: rest length is negative");
  rods[5].rest_length = not_a_number<double>;
  CHECK(validate() == "constraint 5 of set 0: rest length is NaN or infinite");
  rods[2].i = rods[2].j;
  CHECK(validate() == "constraint 2 of set 0: names the same particle twice");
  particles.inverse_mass(3) = -1;
  CHECK(validate() == "particle 3: inverse mass is negative");
}

TEMPLATE_LIST_TEST_CASE("coincident particles are skipped and their neighbours unharmed", "[contract]", EveryLayout) {
  check_all_skipped<TestType>([](decltype(TestType::particles)& particles) {
    for (auto* array : {&particles.position, &particles.predicted, &particles.velocity}) array->col(2) = array->col(1);
  });
}

TEMPLATE_LIST_TEST_CASE("pinned pairs are skipped and their neighbours unharmed", "[contract]", EveryLayout) {
  check_all_skipped<TestType>([](decltype(TestType::particles)& particles) {
    CHECK_FALSE(pbd::pin(particles, 1));
    CHECK_FALSE(pbd::pin(particles, 2));
  });
}

TEMPLATE_LIST_TEST_CASE("neither lengths nor masses have a scale", "[contract]", EveryConstraint<double>) {
  const auto motion = scaled_motion<TestType>(1, 1);
  for (const double length : {1e-6, 3e-3, 1.0, 7.0, 1e6})
    for (const double mass : {1e-6, 3e-3, 1.0, 7.0, 1e6}) {
      INFO("lengths × " << length << ", masses × " << mass);
      CHECK(difference(scaled_motion<TestType>(length, mass), motion) < 1e-9);
    }
}

TEMPLATE_LIST_TEST_CASE("every projection keeps centre of mass and moments of any mix of masses", "[contract]",
                        EveryConstraint<double>) {
  pbd::Particles<double, 3> particles(12);
  scatter(particles, 1000);
  auto edges = net<TestType>(particles);
  const pbd::Substep<double> substep(0.01, 3);
  pbd::begin_substep(edges, particles, substep);
  int moving = 0;
  for (int n = 0; n < 3; ++n)
    for (auto& edge : edges) {
      const auto before = particles.predicted;
      edge.project(particles, substep);
      Eigen::Vector3d linear = Eigen::Vector3d::Zero();
      Eigen::Matrix3d angular = Eigen::Matrix3d::Zero();  // x × Δx as an antisymmetric matrix
      for (Index i = 0; i < 12; ++i) {
        const Eigen::Vector3d x = before.col(i), moved = particles.predicted.col(i) - x;
        linear += moved / particles.inverse_mass(i);
        angular += (x * moved.transpose() - moved * x.transpose()) / particles.inverse_mass(i);
      }
      const double heaviest = std::max(1 / particles.inverse_mass(edge.i), 1 / particles.inverse_mass(edge.j));
      CHECK(linear.norm() <= 1e-13 * heaviest);  // positions being of the order of 1
      CHECK(angular.norm() <= 1e-13 * heaviest);
      moving += before != particles.predicted;
    }
  CHECK(moving > 20);
}

TEMPLATE_LIST_TEST_CASE("free particles keep their momentum through a step", "[contract]", EveryConstraint<double>) {
  pbd::Particles<double, 2> particles(12);
  scatter(particles, 1000);
  auto edges = net<TestType>(particles);
  const auto before = pbd::momentum(particles);
  const double size = particles.inverse_mass.cwiseInverse().sum();  // of velocities of the order of 1
  const pbd::StepSettings<double, 2> settings{.substeps = 4, .iterations = 3, .gravity = {0, 0}};
  for (int n = 0; n < 30; ++n) REQUIRE_FALSE(pbd::step(particles, settings, edges));
  const auto after = pbd::momentum(particles);
  CHECK((after.linear - before.linear).norm() < 1e-12 * size);
  const pbd::Vector<double, 2> drift = before.center_of_mass + 0.5 / before.mass * before.linear;
  CHECK((after.center_of_mass - drift).norm() < 1e-12);
}

TEMPLATE_TEST_CASE("divergence shows in every constraint's stretch", "[contract]", float, double) {
  pbd::Particles<TestType, 3> particles(2);
  const auto shows = [&particles](const auto& constraint) {
    const std::array one{constraint};
    return !std::isfinite(pbd::stretch(particles, one).max);
  };
  for (const TestType bad : {support::not_a_number<TestType>, support::infinity<TestType>}) {
    particles.position(0, 0) = bad;
    CHECK(shows(pbd::DistanceConstraint<TestType>{0, 1, 1}));
    CHECK(shows(pbd::DistanceConstraint<TestType>{0, 1, 0}));
    CHECK(shows(pbd::at_most<TestType>(0, 1, 1)));
    CHECK(shows(pbd::at_least<TestType>(0, 1, 1)));
  }
}

TEMPLATE_TEST_CASE("the softest spring leaves its particles finite", "[contract]", float, double) {
  pbd::Particles<TestType, 3> particles(2);
  particles.position(0, 1) = 2;
  std::vector<pbd::CompliantDistanceConstraint<TestType>> spring{
      {0, 1, 1, std::numeric_limits<TestType>::max() / 2}};
  REQUIRE_FALSE(pbd::step(particles, pbd::StepSettings<TestType, 3>{}, spring));
  CHECK_FALSE(pbd::validate(particles));
}

TEMPLATE_TEST_CASE("a step too long to be squared is refused", "[contract]", float, double) {
  pbd::Particles<TestType, 3> particles(2);
  pbd::StepSettings<TestType, 3> settings;
  settings.substeps = 1;
  settings.dt = std::numeric_limits<TestType>::max() / 2;
  CHECK(pbd::step(particles, settings));
}

TEST_CASE("a view of nothing, or of one array twice, is refused", "[contract]") {
  std::vector<float> x(12), p(12), v(12), w(4, 1.0f);
  float* const none = nullptr;
  const auto refused = [](pbd::ParticlesView<float, 3> view) {
    return static_cast<bool>(pbd::step(view, pbd::StepSettings<float, 3>{}));
  };
  CHECK_FALSE(refused({4, {x.data(), 3}, {p.data(), 3}, {v.data(), 3}, {w.data(), 1}}));
  CHECK(refused({4, {none, 3}, {p.data(), 3}, {v.data(), 3}, {w.data(), 1}}));
  CHECK(refused({4, {x.data(), 3}, {x.data(), 3}, {v.data(), 3}, {w.data(), 1}}));
  CHECK(refused({4, {x.data(), 3}, {p.data(), 3}, {v.data(), 3}, {w.data(), 0}}));
}
