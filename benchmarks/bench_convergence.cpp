// SPDX-License-Identifier: MIT
//
// How much stretch is left after so many milliseconds, by iterations and by substeps, in both orders of a sheet?
//
// Prints a table as CSV on stdout, or into the file named as the only argument. One line is one run of two seconds, 60
// frames a second. max_stretch is the largest |C|/d of any constraint in any frame of the second second, rms_stretch
// the root mean square over all constraints and those frames; `inf` is a run that blew up. ms_per_frame is the fastest
// frame: they all do the same work, and whatever else runs on the machine can only slow them down. The hash tells
// whether two runs moved alike.
#include "scenes.hpp"

#include <chrono>
#include <cmath>
#include <limits>

namespace {

using Clock = std::chrono::steady_clock;

void run(std::FILE* out, bench::Scene scene, bench::Grid grid, bench::Order order, int substeps, int iterations) {
  auto cloth = bench::make_scene<float, 3, pbd::Layout::planar>(scene, grid, bench::built_as(order));
  auto structural = pbd::make_batches(cloth.structural);
  auto shear = pbd::make_batches(cloth.shear);
  pbd::StepSettings<float, 3> settings;
  settings.substeps = substeps;
  settings.iterations = iterations;

  const int frames = bench::smoke() ? 4 : 120;
  double fastest = std::numeric_limits<double>::max();
  double max = 0, squares = 0;
  for (int frame = 0; frame < frames; ++frame) {
    const auto begin = Clock::now();
    if (const pbd::Error error = pbd::step(cloth.particles, settings, structural, shear)) {
      std::fprintf(stderr, "step: %s\n", error.message().c_str());
      std::exit(1);
    }
    fastest = std::min(fastest, std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
    if (frame < frames / 2) continue;
    const auto left = pbd::stretch(cloth.particles, cloth.structural, cloth.shear);
    max = std::max(max, static_cast<double>(left.max));
    squares += static_cast<double>(left.rms) * static_cast<double>(left.rms);
  }
  std::fprintf(out, "%s,%d,%d,%s,%d,%d,%d,%.4g,%.4g,%.4g,%s\n", name(scene), grid.columns, grid.rows, name(order),
               substeps, iterations, substeps * iterations, fastest, max, std::sqrt(squares / (frames - frames / 2)),
               bench::hex(bench::hash(cloth.particles.position)).c_str());
  std::fflush(out);
}

}  // namespace

int main(int argc, char** argv) {
  const bool to_file = argc > 1 && argv[1][0] != '-';  // the other benchmarks' options mean nothing here
  std::FILE* out = to_file ? std::fopen(argv[1], "w") : stdout;
  if (out == nullptr) return std::fprintf(stderr, "cannot write %s\n", argv[1]), 1;
  std::fprintf(
      out, "scene,columns,rows,order,substeps,iterations,sweeps_per_frame,ms_per_frame,max_stretch,rms_stretch,hash\n");

  const auto grids =
      bench::smoke() ? std::vector<bench::Grid>{{12, 8}} : std::vector<bench::Grid>{{40, 30}, {100, 100}};
  const auto budgets = bench::smoke() ? std::vector{1, 4} : std::vector{1, 2, 5, 10, 20, 40, 80};
  for (const bench::Scene scene : bench::scenes)
    for (const bench::Grid grid : grids)
      for (const bench::Order order : {bench::Order::natural, bench::Order::rows})
        for (const int sweeps : budgets) {
          run(out, scene, grid, order, 1, sweeps);                        // all of it as iterations
          if (sweeps > 1) run(out, scene, grid, order, sweeps, 1);        // all of it as substeps
          if (sweeps >= 10) run(out, scene, grid, order, sweeps / 5, 5);  // both
        }
  if (to_file) std::fclose(out);
}
