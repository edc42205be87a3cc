// SPDX-License-Identifier: MIT
//
// What does one constraint cost in a sweep, by layout, scalar, dimension, constraint order and grid size?
//
// Each measurement restores the same perturbed sheet and times a few sweeps, many times over; ns_per_constraint is the
// fastest of them, for whatever else runs on the machine can only slow them down. The label is the hash of the
// positions after them: a faster way that moves the particles differently shows at once.
#include "scenes.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <limits>

namespace {

constexpr int sweeps = 4;

/// Pushes every free particle by up to a tenth of a cell, so that every constraint has something to do.
template <class Cloth>
void perturb(Cloth& cloth) {
  using Scalar = typename decltype(cloth.particles)::Scalar;
  std::mt19937 random(1);
  const double cell = static_cast<double>(cloth.structural.front().rest_length);
  for (pbd::Index i = 0; i < cloth.particles.count(); ++i)
    for (int d = 0; d < cloth.particles.dim; ++d) {
      const double push = 0.2 * cell * (static_cast<double>(random()) / 4294967296.0 - 0.5);
      if (!pbd::is_pinned(cloth.particles, i)) cloth.particles.position(d, i) += static_cast<Scalar>(push);
    }
}

/// make_set(cloth, constraints) makes whatever pbd::sweep() can sweep.
template <class Cloth, class MakeSet>
void sweep(benchmark::State& state, Cloth cloth, bench::Order order, MakeSet make_set) {
  using Scalar = typename decltype(cloth.particles)::Scalar;
  using Clock = std::chrono::steady_clock;
  perturb(cloth);
  auto set = make_set(cloth, bench::ordered_constraints(cloth, order));
  const pbd::Substep<Scalar> substep(Scalar(1) / 600, sweeps);
  double fastest = std::numeric_limits<double>::max();
  for (auto _ : state) {
    cloth.particles.predicted = cloth.particles.position;
    const auto begin = Clock::now();
    for (int n = 0; n < sweeps; ++n) pbd::sweep(set, cloth.particles, substep);
    const double time = std::chrono::duration<double>(Clock::now() - begin).count();
    state.SetIterationTime(time);
    fastest = std::min(fastest, time);
  }
  const auto constraints = static_cast<double>(cloth.structural.size() + cloth.shear.size());
  state.counters["ns_per_constraint"] = 1e9 * fastest / (constraints * sweeps);
  state.SetLabel(bench::hex(bench::hash(cloth.particles.predicted)));
}

template <class Scalar, int Dim, pbd::Layout layout>
void register_ways(bench::Grid grid) {
  for (const bench::Order order : bench::orders) {
    const auto way = [&](const char* name, auto make_set) {
      const std::string full = std::string("sweep/") + name + "/" + bench::scalar_name<Scalar>() + "/" +
                               std::to_string(Dim) + "D/" + bench::name(layout) + "/" + bench::name(order) + "/" +
                               grid.name();
      auto* registered = benchmark::RegisterBenchmark(full.c_str(), [=](benchmark::State& state) {
        sweep(state, bench::make_scene<Scalar, Dim, layout>(bench::Scene::corners, grid, bench::built_as(order)), order,
              make_set);
      });
      registered->UseManualTime()->Unit(benchmark::kMicrosecond);
      if (bench::smoke()) registered->Iterations(2);
    };
    // One line a way of sweeping.
    way("array", [](const auto&, auto constraints) { return constraints; });
    way("batches", [](const auto&, const auto& constraints) { return pbd::make_batches(constraints); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const bench::Grid grid : bench::grids()) {
    register_ways<float, 3, pbd::Layout::interleaved>(grid);
    register_ways<float, 3, pbd::Layout::planar>(grid);
    if (grid.columns >= 1000) continue;  // building these takes minutes, and they tell nothing new at this size
    register_ways<double, 3, pbd::Layout::interleaved>(grid);
    register_ways<double, 3, pbd::Layout::planar>(grid);
    register_ways<float, 2, pbd::Layout::interleaved>(grid);
    register_ways<float, 2, pbd::Layout::planar>(grid);
    register_ways<double, 2, pbd::Layout::interleaved>(grid);
    register_ways<double, 2, pbd::Layout::planar>(grid);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
