// SPDX-License-Identifier: MIT
//
// How many sweeps and milliseconds a frame does a solver take to leave no more than 1 % or 0.1 % of stretch, and how
// does that grow with the sheet?
//
// Prints two tables as CSV on stdout; the first goes into a file if one is named. In the first, a line is the
// smallest budget that kept the stretch of every constraint within the tolerance in every frame of the first second,
// found by doubling and then halving the interval down to a sixteenth; a line without numbers is a solver that did
// not get there with frames of about 25 ms. ms_per_frame is the fastest frame (processor time). The second table
// fits sweeps = factor · n^exponent through the sizes of the first, n being the particles along a side, by least
// squares of the logarithms.
#include "solvers.hpp"

#include <string>

namespace {

struct Point {
  double n, sweeps;
};

struct Growth {
  std::string what;  // scene, solver and tolerance, as columns of the table
  std::vector<Point> points;
};

void print_fit(const Growth& growth) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto count = static_cast<double>(growth.points.size());
  for (const Point& point : growth.points) {
    const double log_n = std::log(point.n), log_sweeps = std::log(point.sweeps);
    x += log_n;
    y += log_sweeps;
    xx += log_n * log_n;
    xy += log_n * log_sweeps;
  }
  const double exponent = (count * xy - x * y) / (count * xx - x * x);
  std::printf("%s,%g,%g,%.2f,%.4g\n", growth.what.c_str(), growth.points.front().n, growth.points.back().n, exponent,
              std::exp((y - exponent * x) / count));
}

}  // namespace

int main(int argc, char** argv) {
  const bool to_file = argc > 1 && argv[1][0] != '-';
  std::FILE* out = to_file ? std::fopen(argv[1], "w") : stdout;
  if (out == nullptr) return std::fprintf(stderr, "cannot write %s\n", argv[1]), 1;
  std::fprintf(out, "scene,solver,tolerance,n,substeps,iterations,sweeps_per_frame,ms_per_frame,max_stretch\n");

  const int frames = bench::smoke() ? 2 : 60;
  const double longest_ms = bench::smoke() ? 0.05 : 25;
  std::vector<Growth> growths;
  for (const bench::Problem problem : bench::problems)
    for (const bench::Solver& solver : bench::solvers())
      for (const double tolerance : {0.01, 0.001}) {
        Growth growth{std::string(name(problem)) + ',' + solver.name + ',' + (tolerance < 0.01 ? "0.001" : "0.01"), {}};
        int from = 1;
        for (const int n :
             bench::sizes(problem, bench::smoke() ? std::vector{5, 9} : std::vector{17, 33, 65, 129, 257})) {
          const bench::Found found = bench::search(problem, solver, n, frames, tolerance, from, longest_ms);
          std::fprintf(out, "%s,%d", growth.what.c_str(), n);
          if (found.budget == 0) {
            std::fprintf(out, ",,,,,\n");
            break;  // a larger sheet takes longer
          }
          const bench::Settings settings = solver.spend(found.budget);
          std::fprintf(out, ",%d,%d,%d,%.4g,%.4g\n", settings.substeps, settings.iterations, bench::sweeps(settings),
                       found.left.fastest_ms, found.left.max);
          std::fflush(out);
          growth.points.push_back({static_cast<double>(n), static_cast<double>(bench::sweeps(settings))});
          from = std::max(1, found.budget / 2);
        }
        if (growth.points.size() > 2) growths.push_back(std::move(growth));
      }
  if (to_file) std::fclose(out);

  std::printf("scene,solver,tolerance,smallest,largest,exponent,factor\n");
  for (const Growth& growth : growths) print_fit(growth);
}
