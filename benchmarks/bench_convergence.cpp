// SPDX-License-Identifier: MIT
//
// How much stretch is left after so many sweeps and so many milliseconds, by solver?
//
// Prints a table as CSV on stdout, or into the file named as the only argument. One line is one run of two seconds,
// 60 frames a second; solvers.hpp has the scenes and the solvers. max_stretch is the largest |C|/d of any constraint
// in any frame of the second second, rms_stretch the root mean square over all constraints and those frames; `inf`
// is a run that blew up. energy_drift is the change of the total energy in both seconds, in units of the sheet's
// weight times its length: below 0 the solver damps, above 0 it makes energy out of nothing. ms_per_frame is the
// fastest frame (processor time): they all do the same work, and whatever else runs on the machine can only slow
// them down. Budgets are doubled up to 512, or to frames of about 25 ms. The hash tells whether two runs moved
// alike.
#include "solvers.hpp"

int main(int argc, char** argv) {
  const bool to_file = argc > 1 && argv[1][0] != '-';  // the other benchmarks' options mean nothing here
  std::FILE* out = to_file ? std::fopen(argv[1], "w") : stdout;
  if (out == nullptr) return std::fprintf(stderr, "cannot write %s\n", argv[1]), 1;
  std::fprintf(out,
               "scene,solver,columns,rows,substeps,iterations,sweeps_per_frame,ms_per_frame,max_stretch,rms_stretch,"
               "energy_drift,hash\n");

  const int frames = bench::smoke() ? 4 : 120;
  const double longest_ms = 25;
  const int most = bench::smoke() ? 2 : 512;
  for (const bench::Problem problem : bench::problems)
    for (const int n : bench::sizes(problem, bench::smoke() ? std::vector{9} : std::vector{33, 65}))
      for (const bench::Solver& solver : bench::solvers()) {
        for (int budget = 1; budget <= most; budget *= 2) {
          const bench::Settings settings = solver.spend(budget);
          if (bench::estimated_ms(problem, solver, n, settings) > longest_ms) break;
          const bench::Left left = bench::run(problem, solver, n, settings, frames, frames / 2);
          std::fprintf(out, "%s,%s,%d,%d,%d,%d,%d,%.4g,%.4g,%.4g,%.3g,%s\n", name(problem), solver.name,
                       problem == bench::Problem::rope ? 1 : n, n, settings.substeps, settings.iterations,
                       bench::sweeps(settings), left.fastest_ms, left.max, left.rms, left.drift,
                       bench::hex(left.hash).c_str());
          std::fflush(out);
        }
      }
  if (to_file) std::fclose(out);
}
