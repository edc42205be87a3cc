// SPDX-License-Identifier: MIT
//
// Is a sheet within a given stretch in every frame, in how many milliseconds a frame, and how many times less than
// Gauss-Seidel needs?
//
// Prints a table as CSV on stdout. 60 frames a second, two seconds if `frames` says 120; max_stretch is the largest
// |C|/d of any constraint in any of the frames, ms_per_frame the median frame (processor time), substeps the most
// that a frame took. Sheets are 1 m wide, n particles a side; solvers.hpp has the scenes. Lines choose their
// substeps themselves. Gauss-Seidel gets the smallest budget that keeps the tolerance, found on the first half
// second, in which the sheet has swung through its lowest point; on the larger sheets the budget is that of the
// smallest times their size, once and, if that is not enough, twice. Where even that takes too long it is timed only:
// max_stretch is empty. `times` is its ms_per_frame over that of the goal's own line.
#include "solvers.hpp"

#include <initializer_list>

namespace {

using bench::Left;
using bench::Problem;
using bench::Solver;

const int frames = bench::smoke() ? 2 : 120;
const int searched = bench::smoke() ? 2 : 30;

struct Goal {
  Problem problem;
  int n;
  double tolerance;
};

void print(const Goal& goal, const char* solver, const bench::Settings& settings, const Left& left, double ms) {
  std::printf("%s,%d,%g,%s,%d,%d,%d,%.4g,%.4g,%s,%.3g\n", name(goal.problem), goal.n, goal.tolerance, solver,
              left.substeps, settings.iterations, left.frames, left.max, left.median_ms,
              left.max <= goal.tolerance ? "yes" : "no", left.median_ms / ms);
  std::fflush(stdout);
}

/// The first budget of a list that keeps the tolerance, or else the last. Answers its ms a frame; `ms` is that of the
/// goal's own line, if it is another one.
double meet(const Goal& goal, const Solver& solver, std::initializer_list<int> budgets, int count = frames,
            double ms = 0) {
  Left left;
  bench::Settings settings;
  for (const int budget : budgets) {
    settings = solver.spend(budget);
    left = bench::run(goal.problem, solver, goal.n, settings, count, 0);
    if (left.max <= goal.tolerance) break;
  }
  print(goal, solver.name, settings, left, ms > 0 ? ms : left.median_ms);
  return left.median_ms;
}

/// What Gauss-Seidel needs for the same. Answers its budget.
int rival(const Goal& goal, const Solver& solver, int from, double ms) {
  const auto found = bench::search(goal.problem, solver, goal.n, searched, goal.tolerance, bench::smoke() ? 1 : from,
                                   bench::smoke() ? 0.05 : 2000);
  if (found.budget == 0) return 0;
  print(goal, solver.name, solver.spend(found.budget), found.left, ms);
  return found.budget;
}

void extrapolated(const Goal& goal, const Solver& solver, int budget, double ms) {
  const auto settings = solver.spend(std::max(1, budget));
  const Left left = bench::run(goal.problem, solver, goal.n, settings, 1, 1);
  std::printf("%s,%d,%g,%s,%d,%d,%d,,%.4g,,%.3g\n", name(goal.problem), goal.n, goal.tolerance, solver.name,
              settings.substeps, settings.iterations, left.frames, left.median_ms, left.median_ms / ms);
  std::fflush(stdout);
}

}  // namespace

int main() {
  const Solver lines{"lines", bench::as_iterations, bench::lines_at_ease, 2};  // a budget is passes in a substep
  const Solver substeps{"GS substeps", bench::as_substeps, bench::gauss_seidel, 1};
  const Solver iterations{"GS iterations", bench::as_iterations, bench::gauss_seidel, 1};
  const Solver newton{"implicit Newton", bench::as_iterations, bench::implicit_newton, 1000};
  const auto size = [](int n) { return bench::smoke() ? 9 : n; };
  std::printf("scene,n,tolerance,solver,substeps,iterations,frames,max_stretch,ms_per_frame,met,times\n");

  const Goal small{Problem::swinging, size(100), 0.001};
  double ms = meet(small, lines, {1, 2, 3});
  const int of_small = std::max(1, rival(small, substeps, 128, ms));
  rival(small, iterations, 4096, ms);

  const Goal corners{Problem::corners, size(65), 0.01};
  ms = meet(corners, newton, {1, 2, 4});
  meet(corners, substeps, {900}, frames, ms);
  const Goal rope{Problem::rope, bench::rope_particles, 0.001};
  ms = meet(rope, lines, {1, 2, 3});
  rival(rope, substeps, 64, ms);

  const Goal middle{Problem::swinging, size(300), 0.001}, large{Problem::swinging, size(1000), 0.001};
  ms = meet(middle, lines, {1, 2, 3});
  meet(middle, substeps, {3 * of_small, 6 * of_small}, searched, ms);
  ms = meet(large, lines, {1, 2, 3});
  extrapolated(large, substeps, 10 * of_small, ms);
}
