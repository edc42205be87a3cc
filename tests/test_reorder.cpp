// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

namespace {

using Constraint = pbd::DistanceConstraint<float>;
using Indices = std::span<const std::int32_t>;

/// A sheet whose particles and constraints have been shuffled: a mesh as a modelling program leaves it.
struct ShuffledSheet {
  pbd::Cloth<float, 2> cloth;
  std::vector<Constraint> edges;
  std::vector<std::int32_t> shuffled;

  ShuffledSheet(int columns, int rows) {
    pbd::ClothSettings<float, 2> settings;
    settings.columns = columns;
    settings.rows = rows;
    cloth = pbd::make_cloth(settings);
    support::Random random(11);
    const auto below = [&random](std::size_t n) { return static_cast<std::size_t>(random(0, static_cast<double>(n))); };
    shuffled.resize(static_cast<std::size_t>(cloth.particles.count()));
    std::iota(shuffled.begin(), shuffled.end(), 0);
    for (std::size_t n = shuffled.size(); n > 1; --n) std::swap(shuffled[n - 1], shuffled[below(n)]);
    REQUIRE_FALSE(pbd::renumber(cloth.particles, Indices(shuffled)));
    edges = cloth.structural;
    edges.insert(edges.end(), cloth.shear.begin(), cloth.shear.end());
    for (Constraint& edge : edges) {
      edge.i = shuffled[static_cast<std::size_t>(edge.i)];
      edge.j = shuffled[static_cast<std::size_t>(edge.j)];
    }
    for (std::size_t n = edges.size(); n > 1; --n) std::swap(edges[n - 1], edges[below(n)]);
  }
};

std::multimap<std::pair<std::int32_t, std::int32_t>, float> by_ends(const std::vector<Constraint>& edges) {
  std::multimap<std::pair<std::int32_t, std::int32_t>, float> result;
  for (const Constraint& edge : edges) result.insert({std::minmax(edge.i, edge.j), edge.rest_length});
  return result;
}

void demand_permutation(const std::vector<std::int32_t>& new_index) {
  auto sorted = new_index;
  std::ranges::sort(sorted);
  for (std::size_t n = 0; n < sorted.size(); ++n) REQUIRE(sorted[n] == static_cast<std::int32_t>(n));
}

}  // namespace

TEST_CASE("reordering keeps every constraint and renumbers every particle once", "[reorder]") {
  const ShuffledSheet sheet(23, 17);
  const auto order = pbd::reorder(sheet.edges, 23 * 17);
  REQUIRE_FALSE(order.error);
  demand_permutation(order.new_index);
  auto expected = sheet.edges;
  for (Constraint& edge : expected) {
    edge.i = order.new_index[static_cast<std::size_t>(edge.i)];
    edge.j = order.new_index[static_cast<std::size_t>(edge.j)];
  }
  CHECK(by_ends(order.constraints) == by_ends(expected));
}

TEST_CASE("a shuffled sheet is nearly all even runs once it is reordered", "[reorder]") {
  const ShuffledSheet sheet(80, 60);
  const auto batches = pbd::make_batches(pbd::reorder(sheet.edges, 80 * 60).constraints);
  std::int64_t even = 0;
  for (const pbd::Run& run : batches.runs)
    if (!run.is_listed()) even += run.count;
  CHECK(static_cast<double>(even) > 0.95 * static_cast<double>(batches.count));
  CHECK(static_cast<double>(batches.count) / static_cast<double>(batches.runs.size()) > 20);
}

TEST_CASE("a reordered mesh survives two corners as its shuffled order does", "[reorder][order][long]") {
  for (const int substeps : {1, 10, 50}) {
    ShuffledSheet sheet(40, 30);
    auto particles = sheet.cloth.particles;
    const auto order = pbd::reorder(sheet.edges, 40 * 30);
    REQUIRE_FALSE(pbd::renumber(particles, Indices(order.new_index)));
    auto batches = pbd::make_batches(order.constraints);
    pbd::StepSettings<float, 2> step;
    step.substeps = substeps;
    float shuffled = 0, reordered = 0;
    for (int s = 0; s < 180; ++s) {
      REQUIRE_FALSE(pbd::step(sheet.cloth.particles, step, sheet.edges));
      REQUIRE_FALSE(pbd::step(particles, step, batches));
      shuffled = std::max(shuffled, pbd::stretch(sheet.cloth.particles, sheet.edges).rms);
      reordered = std::max(reordered, pbd::stretch(particles, batches).rms);
    }
    INFO(substeps << " substeps: shuffled " << shuffled << ", reordered " << reordered);
    CHECK(reordered < 1.5f * shuffled);
  }
}

TEST_CASE("any graph can be reordered: parts apart, lone particles, stars, double edges", "[reorder]") {
  std::vector<Constraint> edges;
  for (int k = 1; k < 30; ++k) edges.push_back({0, k, 1});           // a star
  for (int k = 40; k < 60; ++k) edges.push_back({k, k + 1, 2});      // a rope
  edges.push_back({45, 44, 3});                                      // the same pair again
  for (int k = 70; k < 90; k += 2) edges.push_back({k + 1, k, 4});   // pairs; 30 … 39 and 61 … 69 belong to none
  const auto order = pbd::reorder(edges, 100);
  REQUIRE_FALSE(order.error);
  demand_permutation(order.new_index);
  CHECK(order.constraints.size() == edges.size());
  CHECK_FALSE(pbd::make_batches(order.constraints).error);

  CHECK(pbd::reorder(std::vector<Constraint>{}, 5).new_index.size() == 5);
  CHECK(pbd::reorder(std::vector<Constraint>{}, 0).new_index.empty());
}

TEST_CASE("an irregular mesh is swept in independent runs", "[reorder]") {
  // Random points, each joined to its nearest six: no row, no column.
  support::Random random(4);
  const int count = 900;
  std::vector<std::array<double, 2>> points;
  for (int p = 0; p < count; ++p) points.push_back({random(0, 1), random(0, 1)});
  std::vector<Constraint> edges;
  for (int p = 0; p < count; ++p) {
    std::vector<std::pair<double, int>> near;
    for (int q = 0; q < count; ++q)
      if (q != p) near.push_back({std::hypot(points[static_cast<std::size_t>(p)][0] - points[static_cast<std::size_t>(q)][0],
                                             points[static_cast<std::size_t>(p)][1] - points[static_cast<std::size_t>(q)][1]),
                                  q});
    std::ranges::sort(near);
    for (int k = 0; k < 6; ++k)
      if (near[static_cast<std::size_t>(k)].second > p) edges.push_back({p, near[static_cast<std::size_t>(k)].second, 0.01f});
  }
  const auto batches = pbd::make_batches(pbd::reorder(edges, count).constraints);
  std::int64_t independent = 0;
  for (const pbd::Run& run : batches.runs)
    if (run.shape != pbd::RunShape::sequential) independent += run.count;
  CHECK(static_cast<double>(independent) > 0.7 * static_cast<double>(batches.count));
}

TEST_CASE("what cannot be reordered is named", "[reorder]") {
  const std::vector<Constraint> beyond{{0, 1, 1}, {1, 5, 1}}, twice{{0, 1, 1}, {2, 2, 1}};
  CHECK(pbd::reorder(beyond, 5).error.message() == "constraint 1: particle index out of range");
  CHECK(pbd::reorder(twice, 5).error.message() == "constraint 1: names the same particle twice");
  CHECK(pbd::reorder(twice, 5).constraints.empty());
  pbd::Particles<float, 3> particles(3);
  const std::vector<std::int32_t> too_short{0, 1};
  CHECK(pbd::renumber(particles, Indices(too_short)));
  const std::vector<std::int32_t> twice_named{0, 0, 1}, out_of_range{2, 1, -2};
  CHECK(pbd::renumber(particles, Indices(twice_named)).item == 1);
  CHECK(pbd::renumber(particles, Indices(out_of_range)).item == 2);
  CHECK(pbd::reorder(std::vector<Constraint>{}, -1).error);
}

TEMPLATE_LIST_TEST_CASE("renumbering carries all that a particle has to its new place", "[reorder]", support::EveryMemory) {
  TestType before(7), after(7);
  support::scatter(before.particles);
  support::scatter(after.particles);
  const std::vector<std::int32_t> new_index{3, 0, 6, 1, 5, 2, 4};
  REQUIRE_FALSE(pbd::renumber(after.particles, Indices(new_index)));
  for (pbd::Index i = 0; i < 7; ++i) {
    const pbd::Index to = new_index[static_cast<std::size_t>(i)];
    CHECK(after.particles.position.col(to) == before.particles.position.col(i));
    CHECK(after.particles.predicted.col(to) == before.particles.predicted.col(i));
    CHECK(after.particles.velocity.col(to) == before.particles.velocity.col(i));
    CHECK(after.particles.inverse_mass(to) == before.particles.inverse_mass(i));
  }
  std::vector<std::array<std::int32_t, 3>> triangles{{0, 1, 2}, {6, 5, 4}};
  pbd::renumber(triangles, new_index);
  std::vector<int> pins{0, 3};
  pbd::renumber(pins, new_index);
  CHECK(pins == std::vector<int>{3, 1});
  CHECK(triangles == std::vector<std::array<std::int32_t, 3>>{{3, 0, 6}, {4, 2, 5}});
}
