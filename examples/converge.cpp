// SPDX-License-Identifier: MIT
//
// A sheet swings down, once by Gauss-Seidel in small steps, once by lines that sweep until the stretch is what was
// asked: what each leaves, and for how many sweeps.
#include <pbd/pbd.hpp>

#include <algorithm>
#include <cstdio>

int main() {
  pbd::ClothSettings<float, 3> sheet;
  sheet.columns = sheet.rows = 50;
  sheet.size = {1, 1};
  sheet.plane = pbd::Plane::horizontal;
  sheet.pin_top_row = true;
  sheet.shear.present = false;
  auto plain = pbd::make_cloth(sheet), fast = plain;
  if (plain.error) return std::printf("make_cloth: %s\n", plain.error.message().c_str()), 1;

  pbd::StepSettings<float, 3> small_steps;
  small_steps.substeps = 50;
  auto batches = pbd::make_batches(plain.structural);

  pbd::StepSettings<float, 3> settings;
  settings.tolerance = 0.001f;  // a stretch of 0.1 %
  settings.iterations = 6;      // sweeps in a substep, at most
  auto lines = pbd::make_lines(pbd::line_constraints(fast));

  float left_plain = 0, left_fast = 0;
  int sweeps_plain = 0, sweeps_fast = 0, missed = 0;
  for (int frame = 1; frame <= 60; ++frame) {
    const auto done = pbd::step(plain.particles, small_steps, batches);
    if (done) return std::printf("step: %s\n", done.message().c_str()), 1;
    sweeps_plain += done.sweeps;
    left_plain = std::max(left_plain, pbd::stretch(plain.particles, plain.structural).max);

    settings.substeps = lines.substeps(fast.particles, settings.dt, 9.81f);
    const auto report = pbd::step(fast.particles, settings, lines);
    if (report) return std::printf("step: %s\n", report.message().c_str()), 1;
    sweeps_fast += report.sweeps;
    missed += report.substeps_above_tolerance;
    left_fast = std::max(left_fast, pbd::stretch(fast.particles, fast.structural).max);
  }
  std::printf("Gauss-Seidel  %5d sweeps, largest stretch %.4f %%\n", sweeps_plain, 100 * double(left_plain));
  std::printf("lines         %5d sweeps, largest stretch %.4f %%, %d substeps above the tolerance\n", sweeps_fast,
              100 * double(left_fast), missed);
  return missed == 0 ? 0 : 1;
}
