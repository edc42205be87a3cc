// SPDX-License-Identifier: MIT
//
// What a choice of solver does to the scene, and what is told about it.
#include "../catch.hpp"

#include <scene.hpp>
#include <tint.hpp>

#include <algorithm>
#include <cmath>

using viewer::Scene;
using viewer::SceneSettings;
using viewer::Solver;

namespace {

SceneSettings small_cloth(Solver solver) {
  SceneSettings settings;
  settings.columns = 10;
  settings.rows = 8;
  viewer::suit(settings, solver);
  return settings;
}

Scene make_scene(const SceneSettings& settings) {
  Scene scene;
  REQUIRE_FALSE(viewer::restart(scene, settings));
  return scene;
}

void take_steps(Scene& scene, int steps) {
  for (int n = 0; n < steps; ++n) REQUIRE_FALSE(viewer::step(scene));
}

Solver any_solver() {
  const auto& names = viewer::solver_names();
  return names[static_cast<std::size_t>(GENERATE_COPY(range(0, static_cast<int>(names.size()))))].solver;
}

}  // namespace

TEST_CASE("every solver stands where its name says, and holds the cloth together") {
  const Solver solver = any_solver();
  CAPTURE(viewer::name_of(solver).option);
  CHECK(viewer::name_of(solver).solver == solver);
  SceneSettings settings = small_cloth(solver);
  settings.dim = GENERATE(2, 3);
  if (settings.dim == 2) settings.start = viewer::Start::vertical;
  Scene scene = make_scene(settings);
  take_steps(scene, 30);
  CHECK(scene.report.sweeps == scene.report.substeps * settings.iterations);
  CHECK(viewer::measure(scene).max_stretch < 0.1f);
  CHECK(viewer::lines(scene).size() == static_cast<std::size_t>(viewer::count_constraints(scene)));
}

TEST_CASE("batches move the cloth as Gauss-Seidel does, to the bit") {
  Scene one = make_scene(small_cloth(Solver::gauss_seidel)), several = make_scene(small_cloth(Solver::batches));
  take_steps(one, 40);
  take_steps(several, 40);
  CHECK(viewer::positions(one) == viewer::positions(several));
}

TEST_CASE("a change of stiffness reaches the solver's own constraints") {
  const Solver solver = GENERATE(Solver::gauss_seidel, Solver::batches, Solver::chebyshev);
  Scene changed = make_scene(small_cloth(solver));
  SceneSettings wanted = changed.settings;
  wanted.stiffness = 0.1f;
  Scene made = make_scene(wanted);
  REQUIRE_FALSE(viewer::change(changed, wanted));
  take_steps(changed, 20);
  take_steps(made, 20);
  CHECK(viewer::positions(changed) == viewer::positions(made));
}

TEST_CASE("a pin set while the cloth moves holds, whatever the solver") {
  const Solver solver = any_solver();
  CAPTURE(viewer::name_of(solver).option);
  Scene scene = make_scene(small_cloth(solver));
  take_steps(scene, 3);
  viewer::toggle_pin(scene, 45);
  const Eigen::Vector3f place = viewer::position(scene, 45);
  take_steps(scene, 10);
  CHECK(viewer::position(scene, 45) == place);
}

TEST_CASE("a solver that keeps forces tells the weight that hangs on each link") {
  SceneSettings settings = small_cloth(GENERATE(Solver::batches, Solver::lines, Solver::global));
  CAPTURE(viewer::name_of(settings.solver).option);
  settings.dim = 2;
  settings.start = viewer::Start::vertical;
  settings.pins = viewer::Pins::row;
  settings.shear = false;
  settings.drag = 3;
  if (settings.solver == Solver::batches) {
    settings.method = viewer::Method::xpbd;
    settings.iterations = 20;
  }
  REQUIRE(viewer::knows_tension(settings));
  Scene scene = make_scene(settings);
  take_steps(scene, 300);
  int seen = 0;
  for (const viewer::Line& line : viewer::lines(scene)) {
    if (line.j - line.i != settings.columns) continue;
    const float below = static_cast<float>(settings.rows - 1 - line.i / settings.columns);
    CHECK(line.tension == Approx(below * settings.mass * settings.gravity).epsilon(0.03));
    ++seen;
  }
  CHECK(seen == settings.columns * (settings.rows - 1));
}

TEST_CASE("the last residual is the stretch that the step leaves, and looking moves nothing") {
  SceneSettings settings = small_cloth(any_solver());
  CAPTURE(viewer::name_of(settings.solver).option);
  settings.iterations = 5;
  settings.automatic_substeps = false;
  settings.substeps = 2;
  Scene seen = make_scene(settings), unseen = make_scene(settings);
  seen.watched = true;
  take_steps(seen, 20);
  take_steps(unseen, 20);
  REQUIRE(seen.residuals.size() == 6);
  CHECK(seen.residuals.back() == Approx(viewer::measure(seen).max_stretch).epsilon(1e-3).margin(1e-6));
  CHECK(viewer::positions(seen) == viewer::positions(unseen));
  CHECK(unseen.residuals.empty());
}

TEST_CASE("sweeps stop at the stretch that was asked for") {
  SceneSettings settings = small_cloth(Solver::batches);
  settings.substeps = 2;
  settings.iterations = 1000;
  settings.tolerance = 0.01f;
  Scene scene = make_scene(settings);
  scene.watched = true;
  take_steps(scene, 20);
  CHECK(scene.report.ended == pbd::SweepEnd::tolerance);
  CHECK(scene.report.sweeps < 2000);
  CHECK(scene.residuals.back() <= 0.01f);
  CHECK(scene.residuals[scene.residuals.size() - 2] > 0.01f);
}

TEST_CASE("automatic substeps grow with the time step, and only where a solver asks for them") {
  SceneSettings settings = small_cloth(Solver::lines);
  Scene quick = make_scene(settings);
  settings.dt = 1.0f / 10;
  Scene slow = make_scene(settings);
  take_steps(quick, 10);
  take_steps(slow, 10);
  CHECK(slow.report.substeps > quick.report.substeps);
  viewer::suit(settings, Solver::batches);
  settings.automatic_substeps = true;
  Scene fixed = make_scene(settings);
  take_steps(fixed, 1);
  CHECK(fixed.report.substeps == settings.substeps);
}

TEST_CASE("a solver is not given constraints that it cannot solve") {
  SceneSettings settings = small_cloth(GENERATE(Solver::lines, Solver::global, Solver::coarse));
  settings.stiffness = 0.5f;
  Scene scene;
  CHECK(viewer::restart(scene, settings));
  settings = small_cloth(Solver::coarse);
  settings.method = viewer::Method::xpbd;
  CHECK(viewer::restart(scene, settings));
}

TEST_CASE("tension is coloured where it is known, on a scale that does not depend on the motion") {
  viewer::Look look;
  look.color = viewer::Color::tension;
  SceneSettings settings;
  CHECK(viewer::tint(look, settings).missing);
  CHECK_FALSE(viewer::tint(look, settings).tension);
  settings.method = viewer::Method::xpbd;
  CHECK(viewer::tint(look, settings).tension);
  CHECK(viewer::tint(look, settings).range == 500);  // 30 rows of 1 kg weigh 294 N
  look.tension_range = 70;
  CHECK(viewer::tint(look, settings).range == 70);

  const viewer::Tint tint{true, false, 10};
  const std::vector<viewer::Line> lines{{0, 1, 0, 5, 1}, {1, 2, 0, -10, 3}};
  CHECK(viewer::tint_particles(tint, lines, 4) == std::vector<float>{0.5f, -0.625f, -1, 0});

  // A square cell that pulls at its edges and pushes at its diagonals just as much.
  const float edge = 3, diagonal = -3 * std::sqrt(2.0f), across = std::sqrt(2.0f);
  const std::vector<viewer::Line> cell{{0, 1, 0, edge, 1}, {2, 3, 0, edge, 1},          {0, 2, 0, edge, 1},
                                       {1, 3, 0, edge, 1}, {0, 3, 0, diagonal, across}, {1, 2, 0, diagonal, across}};
  for (const float tone : viewer::tint_particles(tint, cell, 4)) CHECK(std::abs(tone) < 1e-6f);
}

TEST_CASE("the histogram counts every constraint once") {
  Scene scene = make_scene(small_cloth(Solver::batches));
  take_steps(scene, 20);
  const viewer::Histogram spread = viewer::histogram(scene, 0.01f);
  pbd::Index sum = spread.below + spread.above;
  for (const pbd::Index n : spread.count) sum += n;
  CHECK(sum == viewer::count_constraints(scene));
}
