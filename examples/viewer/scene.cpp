// SPDX-License-Identifier: MIT
#include "scene.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

namespace viewer {

namespace {

constexpr int most_substeps = 1000;

// Lays the sheet in folds that run down it, so that its width takes up less room by the part `slack` and no constraint
// is stretched: from column to column the sheet goes on by the spacing, in a direction that swings to and fro. Without
// slack a small swing is left, for a flat sheet that hangs in its own plane would stay in it for ever.
template <class Particles>
void fold(Particles& particles, const SceneSettings& s) {
  const int steps = s.columns - 1;
  const float folds = std::max(1.0f, static_cast<float>(steps) / 8);
  const auto angle = [&](int c, float swing) {
    const float along = 6.2832f * (static_cast<float>(c) + 0.5f) / static_cast<float>(steps);
    return swing * std::cos(folds * along + 1.2f * std::sin(along));  // uneven, or left and right would be mirrored
  };
  float swing = 0.02f, too_much = 2.2f;
  const auto room = [&](float a) {
    float sum = 0;
    for (int c = 0; c < steps; ++c) sum += std::cos(angle(c, a));
    return sum / static_cast<float>(steps);
  };
  for (int n = 0; n < 30 && s.slack > 0; ++n) {
    const float middle = (swing + too_much) / 2;
    (room(middle) > 1 - s.slack ? swing : too_much) = middle;
  }
  const int out = s.start == Start::horizontal ? 1 : 2;  // the axis that the folds stand out along
  float x = -0.5f * s.spacing * static_cast<float>(steps) * room(swing);
  float z = 0;
  for (int c = 0; c < s.columns; ++c) {
    for (int r = 0; r < s.rows; ++r) {
      particles.position(0, r * s.columns + c) = x;
      particles.position(out, r * s.columns + c) = z;
    }
    x += s.spacing * std::cos(angle(c, swing));
    z += s.spacing * std::sin(angle(c, swing));
  }
  particles.predicted = particles.position;
}

template <int Dim, class Constraint>
ClothOf<Dim, Constraint> make(const SceneSettings& s) {
  pbd::ClothSettings<float, Dim> cloth;
  cloth.columns = s.columns;
  cloth.rows = s.rows;
  cloth.spacing = s.spacing;
  cloth.particle_mass = s.mass;
  cloth.plane = Dim == 3 && s.start == Start::horizontal ? pbd::Plane::horizontal : pbd::Plane::vertical;
  cloth.origin(0) = -0.5f * s.spacing * static_cast<float>(s.columns - 1);
  cloth.pin_top_left = s.pins == Pins::one || s.pins == Pins::two || s.pins == Pins::four;
  cloth.pin_top_right = s.pins == Pins::two || s.pins == Pins::four;
  cloth.pin_bottom_left = cloth.pin_bottom_right = s.pins == Pins::four;
  cloth.pin_top_row = s.pins == Pins::row;
  cloth.shear.present = s.shear;
  cloth.bending.present = s.bending;
  for (auto* kind : {&cloth.structural, &cloth.shear, &cloth.bending}) {
    if constexpr (std::same_as<Constraint, Soft>) kind->stiffness = s.stiffness;
    if constexpr (std::same_as<Constraint, Compliant>) kind->compliance = s.compliance;
  }
  ClothOf<Dim, Constraint> made{pbd::make_cloth<float, Dim, pbd::Layout::planar, Constraint>(cloth), nullptr};
  if (made.error) return made;
  made.solve = make_solve(made, s.solver);
  if constexpr (Dim == 3) fold(made.particles, s);
  return made;
}

AnyCloth make_any(const SceneSettings& s) {
  if (s.method == Method::pbd) {
    if (s.dim == 3) return make<3, Soft>(s);
    return make<2, Soft>(s);
  }
  if (s.dim == 3) return make<3, Compliant>(s);
  return make<2, Compliant>(s);
}

pbd::Error error_of(const AnyCloth& cloth) {
  return std::visit([](const auto& c) { return c.error; }, cloth);
}

template <int Dim>
pbd::StepSettings<float, Dim> step_settings(const SceneSettings& s) {
  pbd::StepSettings<float, Dim> settings{
      .dt = s.dt, .substeps = s.substeps, .iterations = s.iterations, .tolerance = s.tolerance};
  settings.gravity.setZero();
  settings.gravity(1) = -s.gravity;
  return settings;
}

// Do they ask for the same particles and constraints? The rest is looked at in every step anew.
bool same_cloth(SceneSettings a, const SceneSettings& b) {
  a.gravity = b.gravity;
  a.drag = b.drag;
  a.dt = b.dt;
  a.substeps = b.substeps;
  a.automatic_substeps = b.automatic_substeps;
  a.iterations = b.iterations;
  a.tolerance = b.tolerance;
  return a == b;
}

template <class Columns>
Eigen::Vector3f column3(const Columns& columns, int i) {
  Eigen::Vector3f v = Eigen::Vector3f::Zero();
  for (int d = 0; d < columns.rows(); ++d) v(d) = columns(d, i);
  return v;
}

}  // namespace

void suit(SceneSettings& settings, Solver solver) {
  const SolverName& name = name_of(solver);
  settings.solver = solver;
  settings.substeps = name.substeps;
  settings.iterations = name.iterations;
  settings.automatic_substeps = name.automatic;
}

const char* flaw(const SceneSettings& s) noexcept {
  const auto finite = [](float x) { return std::isfinite(x); };
  if (s.columns < 2 || s.rows < 2) return "a cloth needs at least 2 columns and 2 rows";
  if (s.columns > 2000 || s.rows > 2000) return "more than 2000 columns or rows are too many to look at";
  if (!finite(s.spacing) || s.spacing < 1e-3f || s.spacing > 1e3f)
    return "the spacing must be between 0.001 and 1000 m";
  if (!finite(s.slack) || s.slack < 0 || s.slack > 0.5f) return "the slack must be between 0 and 0.5";
  if (!finite(s.dt) || s.dt < 1e-6f || s.dt > 1) return "the time step must be between 0.000001 and 1 s";
  if (s.substeps < 1 || s.substeps > most_substeps) return "the substeps must be between 1 and 1000";
  if (s.iterations < 1 || s.iterations > 1000) return "the iterations must be between 1 and 1000";
  if (!finite(s.tolerance) || s.tolerance < 0 || s.tolerance > 10)
    return "the stretch to stop at must be between 0 and 10";
  if (!finite(s.gravity) || std::abs(s.gravity) > 1000) return "gravity must be between -1000 and 1000 m/s^2";
  if (!finite(s.mass) || s.mass < 1e-6f || s.mass > 1e6f) return "the mass must be between 0.000001 and 1000000 kg";
  if (!finite(s.drag) || s.drag < 0 || s.drag > 100) return "the drag must be between 0 and 100 1/s";
  if (!finite(s.stiffness) || s.stiffness < 0 || s.stiffness > 1) return "the stiffness must be between 0 and 1";
  if (!finite(s.compliance) || s.compliance < 0 || s.compliance > 1e3f)
    return "the compliance must be between 0 and 1000 m/N";
  if (s.dim != 2 && s.dim != 3) return "a cloth has 2 or 3 dimensions";
  const Takes takes = name_of(s.solver).takes;
  const bool soft = s.method == Method::pbd && s.stiffness < 1;
  if (takes == Takes::hard_or_springs && soft)
    return "this solver takes hard constraints or springs: a stiffness of 1, or XPBD with a compliance";
  if (takes == Takes::hard && (soft || (s.method == Method::xpbd && s.compliance > 0)))
    return "this solver takes hard constraints only: PBD with a stiffness of 1";
  return nullptr;
}

pbd::Error restart(Scene& scene, const SceneSettings& settings) {
  if (const char* reason = flaw(settings)) return {.reason = reason};
  AnyCloth made = make_any(settings);
  if (const pbd::Error error = error_of(made)) return error;
  scene.settings = settings;
  scene.cloth = std::move(made);
  scene.previous = positions(scene);
  scene.time = 0;
  scene.steps = 0;
  scene.report = {};
  scene.substep = step_settings<3>(settings).substep();
  scene.residuals.clear();
  scene.grab.reset();
  return {};
}

pbd::Error change(Scene& scene, const SceneSettings& wanted) {
  const SceneSettings& s = scene.settings;
  if (wanted.columns != s.columns || wanted.rows != s.rows || wanted.spacing != s.spacing || wanted.slack != s.slack ||
      wanted.pins != s.pins || wanted.start != s.start || wanted.dim != s.dim)
    return restart(scene, wanted);
  if (const char* reason = flaw(wanted)) return {.reason = reason};
  if (same_cloth(s, wanted)) {
    scene.settings = wanted;
    return {};
  }
  AnyCloth made = make_any(wanted);
  if (const pbd::Error error = error_of(made)) return error;
  const auto take_over = [](const auto& old_cloth, auto& new_cloth) {
    const auto& from = old_cloth.particles;
    auto& to = new_cloth.particles;
    if constexpr (dim_of<std::remove_cvref_t<decltype(old_cloth)>> ==
                  dim_of<std::remove_cvref_t<decltype(new_cloth)>>) {
      to.position = from.position;
      to.predicted = from.predicted;
      for (int i = 0; i < static_cast<int>(to.count()); ++i)
        to.inverse_mass(i) = pbd::is_pinned(from, i) ? 0 : to.unpinned_inverse_mass(i);
      to.velocity = from.velocity;
    }
  };
  std::visit(take_over, std::as_const(scene.cloth), made);
  scene.cloth = std::move(made);
  scene.settings = wanted;
  return {};
}

pbd::Error step(Scene& scene) {
  scene.previous = positions(scene);
  return std::visit(
      [&](auto& cloth) -> pbd::Error {
        auto& particles = cloth.particles;
        constexpr int dim = dim_of<std::remove_cvref_t<decltype(cloth)>>;
        const float dt = scene.settings.dt;
        if (scene.grab) {
          const int i = scene.grab->particle;
          particles.velocity.col(i) = (scene.grab->target.head<dim>() - particles.position.col(i)) / dt;
        }
        auto settings = step_settings<dim>(scene.settings);
        if (scene.settings.automatic_substeps)
          if (const int asked = cloth.solve->substeps(particles, dt, scene.settings.gravity); asked > 0)
            settings.substeps = std::min(asked, most_substeps);
        // The exact decay over a substep: v - drag*v*h would turn round for a large drag.
        const float h = dt / static_cast<float>(settings.substeps);
        const Drag drag{-std::expm1(-scene.settings.drag * h) / h};
        const auto begin = std::chrono::steady_clock::now();
        const auto report = cloth.solve->step(particles, settings, drag, scene.watched ? &scene.residuals : nullptr);
        const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
        if (report) return report;
        scene.report = report;
        scene.substep = settings.substep();
        if (!scene.watched) scene.residuals.clear();
        scene.last_step_ms = elapsed.count();
        scene.time += static_cast<double>(dt);
        ++scene.steps;
        if (scene.grab) {
          // The substeps add up to the target but for rounding; this takes the rounding away.
          particles.position.col(scene.grab->particle) = scene.grab->target.head<dim>();
          remember(*scene.grab, scene.time);
        }
        return {};
      },
      scene.cloth);
}

int count_pinned(const Scene& scene) {
  int count = 0;
  for (int i = 0; i < count_particles(scene); ++i) count += is_pinned(scene, i);
  return count;
}

int count_particles(const Scene& scene) {
  return std::visit([](const auto& cloth) { return static_cast<int>(cloth.particles.count()); }, scene.cloth);
}

int count_constraints(const Scene& scene) {
  return std::visit(
      [](const auto& c) { return static_cast<int>(c.structural.size() + c.shear.size() + c.bending.size()); },
      scene.cloth);
}

Eigen::Matrix3Xf positions(const Scene& scene, float part) {
  Eigen::Matrix3Xf now = std::visit(
      [](const auto& cloth) {
        constexpr int dim = dim_of<std::remove_cvref_t<decltype(cloth)>>;
        Eigen::Matrix3Xf p = Eigen::Matrix3Xf::Zero(3, cloth.particles.count());
        p.template topRows<dim>() = cloth.particles.position;
        return p;
      },
      scene.cloth);
  if (part < 1 && scene.previous.cols() == now.cols()) now = (1 - part) * scene.previous + part * now;
  return now;
}

Eigen::Vector3f position(const Scene& scene, int particle) {
  return std::visit([particle](const auto& c) { return column3(c.particles.position, particle); }, scene.cloth);
}

Eigen::Vector3f velocity(const Scene& scene, int particle) {
  return std::visit([particle](const auto& c) { return column3(c.particles.velocity, particle); }, scene.cloth);
}

const std::vector<std::array<std::int32_t, 3>>& triangles(const Scene& scene) {
  return std::visit(
      [](const auto& cloth) -> const auto& { return cloth.triangles; }, scene.cloth);
}

const std::vector<std::array<float, 2>>& texture(const Scene& scene) {
  return std::visit(
      [](const auto& cloth) -> const auto& { return cloth.texture; }, scene.cloth);
}

std::vector<Line> lines(const Scene& scene) {
  return std::visit([&](const auto& cloth) { return cloth.solve->lines(cloth.particles, scene.substep); }, scene.cloth);
}

bool knows_tension(const SceneSettings& settings) {
  return settings.method == Method::xpbd || name_of(settings.solver).takes == Takes::hard_or_springs;
}

Histogram histogram(const Scene& scene, float range) {
  return std::visit(
      [&](const auto& cloth) {
        return pbd::stretch_histogram<histogram_bins>(cloth.particles, {-range, range}, cloth.structural, cloth.shear,
                                                      cloth.bending);
      },
      scene.cloth);
}

Measures measure(const Scene& scene) {
  return std::visit(
      [&](const auto& cloth) {
        constexpr int dim = dim_of<std::remove_cvref_t<decltype(cloth)>>;
        const auto stretch = pbd::stretch(cloth.particles, cloth.structural, cloth.shear, cloth.bending);
        const auto energy = pbd::energy(cloth.particles, step_settings<dim>(scene.settings).gravity, cloth.structural,
                                        cloth.shear, cloth.bending);
        return Measures{stretch.max, stretch.rms, energy.kinetic, energy.potential, energy.elastic};
      },
      scene.cloth);
}

Extent extent(const SceneSettings& s) {
  const float width = s.spacing * static_cast<float>(s.columns - 1);
  const float height = s.spacing * static_cast<float>(s.rows - 1);
  const float diagonal = std::hypot(width, height);
  const bool flat = s.dim == 3 && s.start == Start::horizontal && (s.pins == Pins::four || s.pins == Pins::none);
  Extent e;
  if (flat) {  // a hammock: it stays about where it starts
    e.center = {0, -0.15f * height, 0.5f * height};
    e.radius = 0.5f * diagonal;
    e.ground = -0.6f * height;
  } else if (s.pins == Pins::one) {  // by one corner it hangs below that corner
    e.center = {-0.25f * width, -0.5f * diagonal, 0};
    e.radius = 0.6f * diagonal;
    e.ground = -1.2f * diagonal;
  } else {
    e.center = {0, -0.54f * height, 0};
    e.radius = (s.dim == 2 ? 0.5f : 0.45f) * diagonal;  // folds make it narrower
    e.ground = -1.2f * height;
  }
  return e;
}

}  // namespace viewer
