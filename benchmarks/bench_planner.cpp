// SPDX-License-Identifier: MIT
//
// How far off are the planner's predictions? Every scene is planned, then stepped as planned, and measured.
//
// Prints a table as CSV on stdout, or into the file named as the only argument. Predicted and measured are the largest
// |C|/d at the end of any frame: of the time that the motion is predicted for, at rest of its last frames. ratio is
// predicted over measured: within 1.5 either way where it is no upper estimate (upper = 0), above 1 where it is one.
#include "scenes.hpp"

#include <cmath>

namespace {

const char* name(pbd::Hold hold) {
  return std::array{"top_row", "top_corners", "top_left"}[static_cast<std::size_t>(hold)];
}
const char* name(pbd::Motion motion) {
  return std::array{"rest", "drop", "swing", "any"}[static_cast<std::size_t>(motion)];
}
const char* name(pbd::Solver solver) {
  return std::array{"gauss_seidel", "lines", "implicit_newton"}[static_cast<std::size_t>(solver)];
}

/// How many frames the motion takes, by the periods of the sheet and, at rest, by how fast substeps damp it.
int frames_of(const pbd::PlanRequest& r, int substeps) {
  const double links = r.rows - 1, extent = r.spacing * std::max(r.rows, r.columns);
  const double time = std::sqrt((r.motion == pbd::Motion::swing ? links * r.spacing : extent) / r.gravity);
  if (r.motion == pbd::Motion::swing) return static_cast<int>(4 * time / r.dt);
  if (r.motion == pbd::Motion::any) return static_cast<int>(12 * time / r.dt);
  if (r.motion == pbd::Motion::drop) return static_cast<int>(4 * time / r.dt) + 1;
  const double damped = 12 * (links * (r.tip_mass - 1) + 0.405 * links * links) / substeps;
  const bool cable = r.hold == pbd::Hold::top_corners && !r.diagonals;
  return static_cast<int>((cable ? 150 : 20) * time / r.dt + damped);
}

template <class Scalar>
double measure(const pbd::PlanRequest& r, const pbd::Plan& plan) {
  pbd::ClothSettings<Scalar, 3> sheet;
  sheet.columns = r.columns;
  sheet.rows = r.rows;
  sheet.spacing = static_cast<Scalar>(r.spacing);
  sheet.shear.present = r.diagonals;
  sheet.pin_top_row = r.hold == pbd::Hold::top_row;
  sheet.pin_top_right = r.hold != pbd::Hold::top_left;
  if (r.motion == pbd::Motion::swing || r.motion == pbd::Motion::any) sheet.plane = pbd::Plane::horizontal;
  auto cloth = pbd::make_cloth<Scalar, 3>(sheet);
  for (int c = 0; c < r.columns; ++c)
    cloth.particles.inverse_mass(cloth.index(c, r.rows - 1)) /= static_cast<Scalar>(r.tip_mass);

  pbd::StepSettings<Scalar, 3> settings;
  settings.dt = static_cast<Scalar>(r.dt);
  settings.gravity = {0, static_cast<Scalar>(-r.gravity), 0};
  plan.apply(settings);
  auto structural = pbd::make_batches(cloth.structural);
  auto shear = pbd::make_batches(cloth.shear);
  auto lines = pbd::make_lines(pbd::line_constraints(cloth));

  const int frames = bench::smoke() ? 3 : frames_of(r, plan.substeps);
  double largest = 0;
  for (int frame = 0; frame < frames; ++frame) {
    const pbd::Error error = plan.solver == pbd::Solver::lines
                                 ? pbd::step(cloth.particles, settings, lines, shear)
                                 : pbd::step(cloth.particles, settings, structural, shear);
    if (error) {
      std::fprintf(stderr, "step: %s\n", error.message().c_str());
      std::exit(1);
    }
    if (r.motion == pbd::Motion::rest && frame < frames - 10) continue;
    largest = std::max(largest, static_cast<double>(pbd::stretch(cloth.particles, cloth.structural, cloth.shear).max));
  }
  return largest;
}

template <class Scalar>
void run(std::FILE* out, pbd::PlanRequest r) {
  r.rounding = static_cast<double>(std::numeric_limits<Scalar>::epsilon()) / 2;
  const pbd::Plan plan = pbd::make_plan(r);
  if (plan.error) {
    std::fprintf(stderr, "make_plan: %s\n", plan.error.message().c_str());
    std::exit(1);
  }
  const double measured = measure<Scalar>(r, plan);
  std::fprintf(out, "%s,%s,%d,%d,%d,%g,%g,%g,%.4g,%g,%lld,%s,%s,%d,%d,%d,%d,%.3g,%.3g,%.3f\n", name(r.hold),
               name(r.motion), r.diagonals, r.columns, r.rows, r.tip_mass, r.spacing, r.gravity, r.dt, r.tolerance,
               static_cast<long long>(r.most_sweeps), bench::scalar_name<Scalar>(), name(plan.solver), plan.substeps,
               plan.iterations, plan.meets, plan.upper, plan.stretch, measured, plan.stretch / measured);
  std::fflush(out);
}

}  // namespace

int main(int argc, char** argv) {
  using pbd::Hold;
  using pbd::Motion;
  const bool to_file = argc > 1 && argv[1][0] != '-';  // the other benchmarks' options mean nothing here
  std::FILE* out = to_file ? std::fopen(argv[1], "w") : stdout;
  if (out == nullptr) return std::fprintf(stderr, "cannot write %s\n", argv[1]), 1;
  std::fprintf(out,
               "hold,motion,diagonals,columns,rows,tip_mass,spacing,gravity,dt,tolerance,most_sweeps,scalar,solver,"
               "substeps,iterations,meets,upper,predicted,measured,ratio\n");

  const auto sizes = bench::smoke()
                         ? std::vector<bench::Grid>{{5, 9}}
                         : std::vector<bench::Grid>{{5, 9}, {17, 17}, {33, 17}, {17, 33}, {33, 33}, {33, 65}};
  for (const Hold hold : {Hold::top_row, Hold::top_corners, Hold::top_left})
    for (const bool diagonals : {false, true})
      for (const Motion motion : {Motion::rest, Motion::drop, Motion::swing, Motion::any})
        for (const bench::Grid size : sizes)
          for (const double tolerance : {0.05, 0.005}) {
            if (motion == Motion::rest && hold != Hold::top_row && size.rows > 33) continue;  // takes minutes to come
            pbd::PlanRequest r;
            r.columns = size.columns;
            r.rows = size.rows;
            r.spacing = 0.1;
            r.hold = hold;
            r.motion = motion;
            r.diagonals = diagonals;
            r.tolerance = tolerance;
            r.most_sweeps = 400;
            r.has_lines = false;
            run<float>(out, r);
            if (hold != Hold::top_row) continue;
            r.has_lines = true;
            r.tolerance /= 50;
            run<float>(out, r);
          }
  // Curtains and ropes: longer ones, heavy ends, other gravities, frames and scales.
  for (const Motion motion : {Motion::rest, Motion::drop, Motion::swing}) {
    for (const double tip_mass : {1.0, 10.0, 100.0})
      for (const int rows : bench::smoke() ? std::vector{5} : std::vector{5, 17, 33, 129}) {
        pbd::PlanRequest r{.columns = 1, .rows = rows, .spacing = 0.05, .tolerance = 0.01, .motion = motion};
        r.tip_mass = tip_mass;
        r.has_lines = false;
        run<double>(out, r);
      }
    for (const double scale : {0.01, 100.0}) {
      pbd::PlanRequest r{.columns = 9, .rows = 25, .spacing = 0.05 * scale, .gravity = 1.62, .dt = 1.0 / 30};
      r.motion = motion;
      r.has_lines = false;
      run<double>(out, r);
      r.dt = 1.0 / 240;
      r.gravity = 24.8;
      run<double>(out, r);
    }
  }
  if (to_file) std::fclose(out);
}
