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
void demand_same_bits(ForEach for_each, int columns, int rows, pbd::SweepOrder order, std::size_t workers, int iterations) {
  auto plain = make_sheet(columns, rows, order), parallel = plain;
  auto structural = pbd::make_batches(parallel.structural), shear = pbd::make_batches(parallel.shear),
       bending = pbd::make_batches(parallel.bending);
  auto set = pbd::make_parallel(for_each, workers, structural, shear, bending);
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

TEST_CASE("pieces give the bits of the plain order, in whatever order they are worked on", "[parallel]") {
  for (const auto order : {pbd::SweepOrder::rows, pbd::SweepOrder::natural})
    for (const std::size_t workers : {0u, 1u, 2u, 3u, 9u, 1000000u})
      for (const int iterations : {1, 2, 5}) {
        demand_same_bits(Backwards{}, 13, 31, order, workers, iterations);
        demand_same_bits(Backwards{}, 1, 17, order, workers, iterations);
        demand_same_bits(Backwards{}, 31, 2, order, workers, iterations);
      }
}

TEST_CASE("any number of workers gives the same bits as one", "[parallel][threads]") {
  for (const std::size_t workers : {1u, 2u, 3u, 5u})
    demand_same_bits(Threads{workers}, 21, 60, pbd::SweepOrder::rows, workers, 4);
}

TEST_CASE("pieces that are worked on at the same time share no particle, and several have work", "[parallel]") {
  for (const std::size_t workers : {2u, 3u, 5u}) {
    auto cloth = make_sheet(20, 100, pbd::SweepOrder::rows);
    auto structural = pbd::make_batches(cloth.structural), shear = pbd::make_batches(cloth.shear);
    std::size_t waves = 0, at_work = 0;
    bool shared = false;
    const auto watch = [&](std::size_t count, auto&& body) {
      CHECK(count == workers);
      std::vector<bool> moved(static_cast<std::size_t>(cloth.particles.count()), false);
      for (std::size_t n = 0; n < count; ++n) {
        const auto before = cloth.particles.predicted;
        body(n, n + 1);
        bool any = false;
        for (std::size_t i = 0; i < moved.size(); ++i) {
          const auto column = static_cast<pbd::Index>(i);
          if (before.col(column) == cloth.particles.predicted.col(column)) continue;
          shared = shared || moved[i];
          moved[i] = any = true;
        }
        if (any) ++at_work;
      }
      ++waves;
    };
    auto set = pbd::make_parallel(watch, workers, structural, shear);
    CHECK(set.skew == 2 * 20);  // a row a set
    pbd::StepSettings<float, 3> settings;
    settings.iterations = 10;
    for (int frame = 0; frame < 3; ++frame) REQUIRE_FALSE(pbd::step(cloth.particles, settings, set));
    CHECK_FALSE(shared);
    // Nearly all have work in nearly all waves.
    CHECK(static_cast<double>(at_work) > 0.75 * static_cast<double>(workers * waves));
  }
}

TEST_CASE("runs that leap about are swept in order, one piece at a time", "[parallel]") {
  std::vector<pbd::DistanceConstraint<float>> edges;
  for (int k = 0; k < 200; ++k) edges.push_back({(k * 37) % 101, (k * 53 + 1) % 101, 0.1f});
  std::erase_if(edges, [](const auto& edge) { return edge.i == edge.j; });
  pbd::Particles<float, 3> plain(101);
  support::scatter(plain);
  auto in_pieces = plain;
  auto batches = pbd::make_batches(edges);
  auto set = pbd::make_parallel(Backwards{}, 4, batches);
  pbd::StepSettings<float, 3> settings;
  settings.iterations = 4;
  for (int s = 0; s < 5; ++s) {
    REQUIRE_FALSE(pbd::step(plain, settings, edges));
    REQUIRE_FALSE(pbd::step(in_pieces, settings, set));
  }
  CHECK(support::same_bits(support::state(plain), support::state(in_pieces)));
}

TEST_CASE("a parallel set beside another set is swept in turn with it", "[parallel]") {
  auto plain = make_sheet(9, 14, pbd::SweepOrder::rows), parallel = plain;
  auto structural = pbd::make_batches(parallel.structural), shear = pbd::make_batches(parallel.shear);
  auto set = pbd::make_parallel(Backwards{}, 3, structural, shear);
  pbd::StepSettings<float, 3> settings;
  settings.iterations = 3;
  REQUIRE_FALSE(pbd::step(plain.particles, settings, plain.structural, plain.shear, plain.bending));
  REQUIRE_FALSE(pbd::step(parallel.particles, settings, set, parallel.bending));
  CHECK(support::same_bits(support::state(plain.particles), support::state(parallel.particles)));
}

TEST_CASE("a whole step on threads is that of the parts, with scripted pins and with a tolerance", "[parallel]") {
  for (const float tolerance : {0.0f, 1e-3f}) {
    auto plain = make_sheet(12, 23, pbd::SweepOrder::rows), parallel = plain;
    pbd::StepSettings<float, 3> settings;
    settings.substeps = 3;
    settings.iterations = 4;
    settings.tolerance = tolerance;
    settings.measure = true;
    auto structural = pbd::make_batches(parallel.structural), shear = pbd::make_batches(parallel.shear);
    auto set = pbd::make_parallel(Backwards{}, 3, structural, shear);
    for (int frame = 0; frame < 8; ++frame) {
      for (auto* particles : {&plain.particles, &parallel.particles}) {
        REQUIRE_FALSE(pbd::pin(*particles, 0));
        particles->velocity.col(0) = Eigen::Vector3f(0.1f, 0.2f, -0.3f);
      }
      const auto expected = pbd::step(plain.particles, settings, plain.structural, plain.shear);
      const auto report = pbd::step(parallel.particles, settings, set);
      REQUIRE_FALSE(report);
      CHECK(report.substeps == expected.substeps);
      CHECK(report.sweeps == expected.sweeps);
      CHECK(report.ended == expected.ended);
      CHECK(report.left.max == expected.left.max);
    }
    CHECK(support::same_bits(support::state(plain.particles), support::state(parallel.particles)));
  }
}

TEST_CASE("particles that no set touches fall, too", "[parallel]") {
  pbd::Particles<float, 3> plain(40);
  support::scatter(plain);
  auto parallel = plain;
  std::vector<pbd::DistanceConstraint<float>> edges{{3, 4, 0.1f}, {4, 5, 0.1f}, {7, 5, 0.2f}}, none;
  auto some = pbd::make_batches(edges), nothing = pbd::make_batches(none);
  for (const std::size_t workers : {1u, 2u, 7u}) {
    auto set = pbd::make_parallel(Backwards{}, workers, some, nothing);
    auto empty = pbd::make_parallel(Backwards{}, workers, nothing);
    REQUIRE_FALSE(pbd::step(plain, pbd::StepSettings<float, 3>{}, edges));
    REQUIRE_FALSE(pbd::step(parallel, pbd::StepSettings<float, 3>{}, set));
    REQUIRE_FALSE(pbd::step(plain, pbd::StepSettings<float, 3>{}));
    REQUIRE_FALSE(pbd::step(parallel, pbd::StepSettings<float, 3>{}, empty));
  }
  CHECK(support::same_bits(support::state(plain), support::state(parallel)));
}

TEST_CASE("a step refuses a parallel set that reaches beyond the particles", "[parallel]") {
  pbd::Particles<float, 3> particles(4);
  const std::vector<pbd::DistanceConstraint<float>> edges{{0, 1, 1.0f}, {2, 4, 1.0f}};
  auto batches = pbd::make_batches(edges);
  auto set = pbd::make_parallel(Backwards{}, 2, batches);
  const auto before = support::state(particles);
  CHECK(pbd::step(particles, pbd::StepSettings<float, 3>{}, set));
  CHECK(support::same_bits(before, support::state(particles)));
}
