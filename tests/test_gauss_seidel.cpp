// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/gauss_seidel.hpp>

#include <array>
#include <span>

using namespace support;

namespace {

/// Writes down who was called, in which order.
struct Witness {
  std::vector<int>* calls;
  int name;

  [[nodiscard]] std::array<int, 1> indices() const { return {0}; }
  void begin_substep(const pbd::Substep<double>&) { calls->push_back(-name); }
  template <class P>
  void project(P&, const pbd::Substep<double>&) {
    calls->push_back(name);
  }
};

/// A set with a scheme of its own: its constraints backwards.
struct Backwards {
  std::vector<pbd::DistanceConstraint<double>> edges;

  template <class P>
  void sweep(P& particles, const pbd::Substep<double>& substep) {
    for (auto edge = edges.rbegin(); edge != edges.rend(); ++edge) edge->project(particles, substep);
  }
};

/// As above, with everything a set may have.
struct Complete : Backwards {
  int begun = 0;

  template <class P>
  void begin_substep(P&, const pbd::Substep<double>&) {
    ++begun;
  }
  template <class P>
  [[nodiscard]] pbd::Error validate_indices(const P& particles) const {
    return pbd::validate_indices(particles, edges);
  }
  template <class P>
  [[nodiscard]] pbd::Error validate(const P& particles) const {
    return pbd::validate_constraints(particles, edges);
  }
};

const pbd::Substep<double> substep(0.01, 4);
using P = pbd::Particles<double, 2>;

/// A vertical chain below a pinned particle: `links` links of one length, 1 kg at the end of each.
P chain(int links, double length) {
  P particles(links + 1);
  for (Index i = 0; i <= links; ++i) particles.position(1, i) = -static_cast<double>(i) * length;
  particles.predicted = particles.position;
  CHECK_FALSE(pbd::pin(particles, 0));
  return particles;
}

template <class Constraint>
std::vector<Constraint> links(int count, double length, double compliance = 0) {
  std::vector<Constraint> edges;
  for (int i = 0; i < count; ++i) {
    edges.push_back({i, i + 1, length});
    if constexpr (requires(Constraint c) { c.compliance; }) edges.back().compliance = compliance;
  }
  return edges;
}

}  // namespace

TEMPLATE_LIST_TEST_CASE("a sweep projects every constraint once in array order", "[gauss_seidel]",
                        EveryConstraint<double>) {
  P swept(8);
  scatter(swept);
  P by_hand = swept, reversed = swept;
  auto edges = net<TestType>(swept);
  pbd::begin_substep(edges, swept, substep);
  auto same = edges;
  auto backwards = std::vector<TestType>(edges.rbegin(), edges.rend());

  pbd::sweep(edges, swept, substep);
  for (auto& edge : same) edge.project(by_hand, substep);
  CHECK(same_bits(state(swept), state(by_hand)));
  CHECK(same_bits(edges, same));
  pbd::sweep(backwards, reversed, substep);
  CHECK(difference(state(swept), state(reversed)) > 1e-5);  // the order is part of the answer
}

TEST_CASE("an array is begun once and swept in order whatever holds it", "[gauss_seidel]") {
  std::vector<int> calls;
  P particles(1);
  std::array<Witness, 3> array{{{&calls, 3}, {&calls, 1}, {&calls, 2}}};
  std::span<Witness> span(array);
  pbd::begin_substep(array, particles, substep);
  pbd::sweep(array, particles, substep);
  pbd::sweep(span, particles, substep);
  CHECK(calls == std::vector{-3, -1, -2, 3, 1, 2, 3, 1, 2});
  std::vector<Witness> none;
  pbd::sweep(none, particles, substep);
  CHECK(calls.size() == 9);
}

TEST_CASE("the start of a substep forgets the multiplier and prepares the stiffness", "[gauss_seidel]") {
  P particles(3);
  std::vector<pbd::CompliantDistanceConstraint<double>> springs{{0, 1, 1.0, 1e-3, 0.0, 7.0},
                                                                {1, 2, 1.0, 0.0, 0.0, -7.0}};
  pbd::begin_substep(springs, particles, substep);
  for (const auto& spring : springs) CHECK(spring.lambda == 0);
  std::vector<pbd::SoftDistanceConstraint<double>> soft{{0, 1, 1.0, 0.5}};
  pbd::begin_substep(soft, particles, substep);
  CHECK(std::pow(1 - soft[0].sweep_stiffness, 4) == Approx(0.5).epsilon(1e-14));
}

TEST_CASE("a set may sweep itself by a scheme of its own", "[gauss_seidel]") {
  P particles(6);
  scatter(particles);
  P by_array = particles;
  auto edges = net<pbd::DistanceConstraint<double>>(particles);
  Complete set{{edges}};
  STATIC_REQUIRE(pbd::ConstraintSetOn<Complete, P>);
  STATIC_REQUIRE(pbd::ConstraintSetOn<Backwards, P>);
  STATIC_REQUIRE(pbd::ConstraintSetOn<decltype(edges), P>);
  STATIC_REQUIRE_FALSE(pbd::ConstraintSetOn<int, P>);

  pbd::begin_substep(set, particles, substep);
  CHECK(set.begun == 1);
  pbd::sweep(set, particles, substep);
  std::reverse(edges.begin(), edges.end());
  pbd::sweep(edges, by_array, substep);
  CHECK(same_bits(state(particles), state(by_array)));

  set.edges[4].j = 6;
  CHECK(pbd::validate_indices(particles, set).message() == "constraint 4: particle index out of range");
  CHECK(pbd::validate_constraints(particles, set).item == 4);
  set.edges[4].j = set.edges[4].i;
  CHECK_FALSE(pbd::validate_indices(particles, set));
  CHECK(pbd::validate_constraints(particles, set).message() == "constraint 4: names the same particle twice");

  Backwards plain{edges};  // without the extras nothing is asked of it
  pbd::begin_substep(plain, particles, substep);
  CHECK_FALSE(pbd::validate_indices(particles, plain));
  CHECK_FALSE(pbd::validate_constraints(particles, plain));
}

TEST_CASE("a mass on a spring hangs at its compliance times its weight", "[gauss_seidel]") {
  // twenty seconds for the integrator's own damping to bring it to rest
  constexpr double alpha = 1e-3, mass = 2, weight = mass * 9.81;
  for (const int iterations : {1, 2, 10, 100})
    for (const double dt : {1.0 / 30, 1.0 / 60, 1.0 / 240}) {
      P particles = chain(1, 1);
      particles.inverse_mass(1) = 1 / mass;
      auto edges = links<pbd::CompliantDistanceConstraint<double>>(1, 1.0, alpha);
      const pbd::StepSettings<double, 2> settings{.dt = dt, .substeps = 1, .iterations = iterations};
      for (int n = 0; n * dt < 20; ++n) REQUIRE_FALSE(pbd::step(particles, settings, edges));
      CHECK(std::abs(-particles.position(1, 1) - 1 - alpha * weight) < 1e-8);
      CHECK(std::abs(edges[0].force(settings.substep()) - weight) < 1e-8 / alpha);
    }
}

TEST_CASE("a chain of springs hangs by the weight below each link", "[gauss_seidel]") {
  // 10 links, 1000 N/m, 0.1 kg each: Σ i · 0.1 kg · g / k = 0.053955 m
  P particles = chain(10, 0.1);
  particles.inverse_mass.tail(10).setConstant(10);
  auto edges = links<pbd::CompliantDistanceConstraint<double>>(10, 0.1, 1e-3);
  const pbd::StepSettings<double, 2> settings{.substeps = 1, .iterations = 300};
  for (int n = 0; n < 1500; ++n) REQUIRE_FALSE(pbd::step(particles, settings, edges));
  CHECK(-particles.position(1, 10) - 1 == Approx(0.053955).epsilon(1e-8));
  for (int i = 0; i < 10; ++i)
    CHECK(edges[static_cast<std::size_t>(i)].force(settings.substep()) == Approx((10 - i) * 0.981).epsilon(1e-8));
}
