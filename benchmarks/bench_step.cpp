// SPDX-License-Identifier: MIT
//
// What does a whole step cost, by grid size from 40×30 to 1000×1000, and how much of it is not constraints?
//
// A step here is one frame of 1/60 s of ten sweeps, once as ten substeps of one iteration and once as one substep of
// ten. Each measurement restores the same falling sheet and times pbd::step(), checks of settings and indices included;
// then predict() and update_velocity() alone; the counters are from the fastest of each, for whatever else runs on the
// machine can only slow them down. The label is the hash of the positions after the step.
#include "scenes.hpp"

#include <benchmark/benchmark.h>

#include <chrono>
#include <limits>

namespace {

/// make_set(constraints) makes whatever pbd::step() takes as a constraint set.
template <class Scalar, pbd::Layout layout, class MakeSet>
void step(benchmark::State& state, bench::Grid grid, int substeps, int iterations, MakeSet make_set) {
  using Clock = std::chrono::steady_clock;
  const auto seconds = [](Clock::duration time) { return std::chrono::duration<double>(time).count(); };

  pbd::StepSettings<Scalar, 3> settings;
  settings.substeps = substeps;
  settings.iterations = iterations;
  auto cloth = bench::make_scene<Scalar, 3, layout>(bench::Scene::corners, grid);
  auto& particles = cloth.particles;
  auto structural = make_set(cloth.structural);
  auto shear = make_set(cloth.shear);
  const auto frame = [&] { return pbd::step(particles, settings, structural, shear); };
  for (int warm_up = 0; warm_up < 3; ++warm_up)
    if (const pbd::Error error = frame()) return state.SkipWithError(error.message().c_str());

  const auto start = particles;
  double whole = std::numeric_limits<double>::max(), integration = whole;
  std::uint64_t hash = 0;
  for (auto _ : state) {
    particles = start;
    const auto begin = Clock::now();
    if (const pbd::Error error = frame()) return state.SkipWithError(error.message().c_str());
    const double time = seconds(Clock::now() - begin);
    state.SetIterationTime(time);
    whole = std::min(whole, time);
    if (hash == 0) hash = bench::hash(particles.position);

    const auto begin_integration = Clock::now();
    for (int s = 0; s < substeps; ++s) {
      pbd::predict(particles, settings.gravity, settings.substep().dt);
      benchmark::ClobberMemory();
      pbd::update_velocity(particles, settings.substep().dt);
      benchmark::ClobberMemory();
    }
    integration = std::min(integration, seconds(Clock::now() - begin_integration));
  }
  const double work = static_cast<double>(cloth.structural.size() + cloth.shear.size()) * substeps * iterations;
  state.counters["ns_per_constraint_iteration"] = 1e9 * whole / work;
  state.counters["predict_update_share"] = integration / whole;
  state.SetLabel(bench::hex(hash));
}

template <class Scalar, pbd::Layout layout>
void register_steps(bench::Grid grid) {
  for (const auto& [substeps, iterations] : {std::array{10, 1}, std::array{1, 10}}) {
    const auto way = [&, s = substeps, n = iterations](const char* name, auto make_set) {
      const std::string full = std::string("step/") + name + "/" + bench::scalar_name<Scalar>() + "/" +
                               bench::name(layout) + "/" + std::to_string(s) + "x" + std::to_string(n) + "/" +
                               grid.name();
      auto* registered = benchmark::RegisterBenchmark(
          full.c_str(), [=](benchmark::State& state) { step<Scalar, layout>(state, grid, s, n, make_set); });
      registered->UseManualTime()->Unit(benchmark::kMillisecond);
      if (bench::smoke()) registered->Iterations(2);
    };
    // One line a way of sweeping.
    way("array", [](const auto& constraints) { return constraints; });
    way("batches", [](const auto& constraints) { return pbd::make_batches(constraints); });
  }
}

}  // namespace

int main(int argc, char** argv) {
  for (const bench::Grid grid : bench::grids()) {
    register_steps<float, pbd::Layout::interleaved>(grid);
    register_steps<float, pbd::Layout::planar>(grid);
    register_steps<double, pbd::Layout::interleaved>(grid);
    register_steps<double, pbd::Layout::planar>(grid);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
