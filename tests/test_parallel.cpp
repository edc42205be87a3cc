// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

namespace {

using Constraint = pbd::CompliantDistanceConstraint<float>;

auto make_sheet(int columns, int rows, pbd::SweepOrder order) {
  pbd::ClothSettings<float, 3> settings;
  settings.columns = columns;
  settings.rows = rows;
  settings.order = order;
  settings.plane = pbd::Plane::horizontal;
  settings.shear.compliance = 1e-5f;
  settings.bending.present = true;
  return pbd::make_cloth<float, 3, pbd::Layout::planar, Constraint>(settings);
}

/// Steps a sheet plainly and through make_parallel with the given for_each; all that changed must agree to the bit.
template <class ForEach>
void demand_same_bits(ForEach for_each, int columns, int rows, pbd::SweepOrder order, int block, int iterations) {
  auto plain = make_sheet(columns, rows, order), parallel = plain;
  auto structural = pbd::make_batches(parallel.structural), shear = pbd::make_batches(parallel.shear),
       bending = pbd::make_batches(parallel.bending);
  auto set = pbd::make_parallel(for_each, block, structural, shear, bending);
  pbd::StepSettings<float, 3> settings;
  settings.substeps = 2;
  settings.iterations = iterations;
  for (int s = 0; s < 6; ++s) {
    REQUIRE_FALSE(pbd::step(plain.particles, settings, plain.structural, plain.shear, plain.bending));
    REQUIRE_FALSE(pbd::step(parallel.particles, settings, set));
  }
  REQUIRE(support::same_bits(support::state(plain.particles), support::state(parallel.particles)));
  std::vector<float> lambda, expected;
  set.for_each_constraint([&](const Constraint& c) { lambda.push_back(c.lambda); });
  for (const auto* kind : {&plain.structural, &plain.shear, &plain.bending})
    for (const Constraint& c : *kind) expected.push_back(c.lambda);
  REQUIRE(support::same_bits(lambda, expected));
}

struct Backwards {
  template <class Body>
  void operator()(std::size_t count, Body&& body) const {
    for (std::size_t n = count; n-- > 0;) body(n, n + 1);
  }
};

struct Threads {
  std::size_t workers;

  template <class Body>
  void operator()(std::size_t count, Body&& body) const {
    std::vector<std::thread> threads;
    for (std::size_t w = 0; w < workers; ++w)
      threads.emplace_back([&, w] { body(count * w / workers, count * (w + 1) / workers); });
    for (std::thread& thread : threads) thread.join();
  }
};

}  // namespace

TEST_CASE("waves give the bits of the plain order, in whatever order their blocks are run", "[parallel]") {
  for (const auto order : {pbd::SweepOrder::rows, pbd::SweepOrder::natural})
    for (const int block : {1, 7, 40, 1000000})
      for (const int iterations : {1, 2, 5}) {
        demand_same_bits(Backwards{}, 13, 31, order, block, iterations);
        demand_same_bits(Backwards{}, 1, 17, order, block, iterations);
        demand_same_bits(Backwards{}, 31, 2, order, block, iterations);
      }
}

TEST_CASE("any number of workers gives the same bits as one", "[parallel][threads]") {
  for (const std::size_t workers : {1u, 2u, 3u, 5u})
    demand_same_bits(Threads{workers}, 21, 60, pbd::SweepOrder::rows, 64, 4);
}

TEST_CASE("the blocks of a wave share no particle, and a sheet in row order has several a wave", "[parallel]") {
  auto cloth = make_sheet(20, 100, pbd::SweepOrder::rows);
  auto structural = pbd::make_batches(cloth.structural), shear = pbd::make_batches(cloth.shear);
  std::size_t most = 0;
  const auto count_blocks = [&most](std::size_t count, auto&& body) {
    most = std::max(most, count);
    body(std::size_t{0}, count);
  };
  auto set = pbd::make_parallel(count_blocks, 100, structural, shear);
  CHECK(set.block_count == 20);
  CHECK(set.lag <= 2);
  for (std::size_t later = 0; later < 2; ++later)
    for (std::size_t earlier = 0; earlier < 2; ++earlier)
      for (std::size_t b = 0; b + set.lag < set.block_count; ++b)
        CHECK(set.blocks[later][b].highest < set.blocks[earlier][b + set.lag].lowest);
  pbd::StepSettings<float, 3> settings;
  settings.iterations = 10;
  REQUIRE_FALSE(pbd::step(cloth.particles, settings, set));
  CHECK(most >= 10);
}

TEST_CASE("runs that leap about are swept in order, one block a wave", "[parallel]") {
  std::vector<pbd::DistanceConstraint<float>> edges;
  for (int k = 0; k < 200; ++k) edges.push_back({(k * 37) % 101, (k * 53 + 1) % 101, 0.1f});
  std::erase_if(edges, [](const auto& edge) { return edge.i == edge.j; });
  pbd::Particles<float, 3> plain(101);
  support::scatter(plain);
  auto waves = plain;
  auto batches = pbd::make_batches(edges);
  auto set = pbd::make_parallel(Backwards{}, 10, batches);
  pbd::StepSettings<float, 3> settings;
  settings.iterations = 4;
  for (int s = 0; s < 5; ++s) {
    REQUIRE_FALSE(pbd::step(plain, settings, edges));
    REQUIRE_FALSE(pbd::step(waves, settings, set));
  }
  CHECK(support::same_bits(support::state(plain), support::state(waves)));
}

TEST_CASE("a parallel set beside another set is swept in turn with it", "[parallel]") {
  auto plain = make_sheet(9, 14, pbd::SweepOrder::rows), parallel = plain;
  auto structural = pbd::make_batches(parallel.structural), shear = pbd::make_batches(parallel.shear);
  auto set = pbd::make_parallel(Backwards{}, 18, structural, shear);
  pbd::StepSettings<float, 3> settings;
  settings.iterations = 3;
  REQUIRE_FALSE(pbd::step(plain.particles, settings, plain.structural, plain.shear, plain.bending));
  REQUIRE_FALSE(pbd::step(parallel.particles, settings, set, parallel.bending));
  CHECK(support::same_bits(support::state(plain.particles), support::state(parallel.particles)));
}

TEST_CASE("a step refuses a parallel set that reaches beyond the particles", "[parallel]") {
  pbd::Particles<float, 3> particles(4);
  const std::vector<pbd::DistanceConstraint<float>> edges{{0, 1, 1.0f}, {2, 4, 1.0f}};
  auto batches = pbd::make_batches(edges);
  auto set = pbd::make_parallel(Backwards{}, batches);
  const auto before = support::state(particles);
  CHECK(pbd::step(particles, pbd::StepSettings<float, 3>{}, set));
  CHECK(support::same_bits(before, support::state(particles)));
}
