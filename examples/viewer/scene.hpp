// SPDX-License-Identifier: MIT
//
// What is simulated, without a pixel of how it is shown. Comes in: SceneSettings, what the mouse wants. Leaves: where
// the particles are, how stretched their constraints are, what a step cost. Next: mesh.hpp makes it drawable.
#pragma once

#include "solve.hpp"

#include <pbd/pbd.hpp>

#include <Eigen/Core>

#include <cstdint>
#include <deque>
#include <optional>
#include <variant>
#include <vector>

namespace viewer {

enum class Method { pbd, xpbd };
enum class Pins { none, one, two, four, row };
enum class Start { horizontal, vertical };

/// Everything the panel and the command line can turn.
struct SceneSettings {
  int columns = 40;
  int rows = 30;
  float spacing = 0.2f;  // m
  Pins pins = Pins::two;
  Start start = Start::horizontal;  // 2-D knows only vertical
  float slack = 0.2f;               // 3-D: the part of its width that the sheet gives to folds when it starts
  int dim = 3;
  Method method = Method::pbd;
  float stiffness = 1;       // PBD: k in [0, 1]
  float compliance = 1e-6f;  // XPBD: α, m/N
  bool shear = true;
  bool bending = false;
  float mass = 1;         // kg a particle
  float gravity = 9.81f;  // m/s², downward
  float drag = 0.3f;      // 1/s: a = −drag · v, the air
  float dt = 1.0f / 60;   // s
  Solver solver = Solver::batches;
  int substeps = 10;
  bool automatic_substeps = false;  // as many as the solver asks for, if it asks; otherwise `substeps`
  int iterations = 1;
  float tolerance = 0;  // a substep's sweeps end once max |C|/d is no more than this; 0: they do not

  bool operator==(const SceneSettings&) const = default;
};

/// Substeps and iterations that the solver does well with.
void suit(SceneSettings& settings, Solver solver);

/// Null if a scene can be made of them; otherwise one sentence that says why not.
[[nodiscard]] const char* flaw(const SceneSettings& settings) noexcept;

/// A particle in the user's hand.
struct Grab {
  struct Sample {
    double time;
    Eigen::Vector3f position;
  };
  int particle = -1;
  Eigen::Vector3f target;     // where it shall be after the next step, m
  bool stays_pinned = false;  // it was pinned when it was taken, and will be when it is let go
  std::deque<Sample> trail;   // where it has been lately: its speed when let go
};

/// A mouse reports its jumps at its own times, so that the last step's speed may be nothing, or twice the hand's.
inline constexpr double trail_seconds = 0.05;
/// Notes where the particle is now, and forgets what is older than the trail.
void remember(Grab& grab, double time);

/// The read-outs.
struct Measures {
  float max_stretch = 0;
  float rms_stretch = 0;
  float kinetic = 0;    // J
  float potential = 0;  // J, from the height of the top row
  float elastic = 0;    // J
};

// Method × dimension are four types of cloth. Only scene.cpp looks inside; all others see three coordinates.
using AnyCloth = std::variant<ClothOf<3, Soft>, ClothOf<2, Soft>, ClothOf<3, Compliant>, ClothOf<2, Compliant>>;

template <class Cloth>
inline constexpr int dim_of = decltype(Cloth::particles)::dim;

struct Scene {
  SceneSettings settings;
  AnyCloth cloth;
  Eigen::Matrix3Xf previous;  // positions before the last step: a frame between two steps is drawn between them
  double time = 0;            // s
  std::int64_t steps = 0;
  double last_step_ms = 0;            // of pbd::step alone
  pbd::StepReport<float> report;      // of the last step
  pbd::Substep<float> substep{1, 1};  // of the last step, or of the next one before the first
  bool watched = false;               // look at every sweep of a step's last substep, which costs time
  std::vector<float> residuals;       // of the last step if watched: max |C|/d before the sweeps, and after each
  std::optional<Grab> grab;
};

/// Builds the cloth anew. On an error the scene is as it was.
pbd::Error restart(Scene& scene, const SceneSettings& settings);

/// Takes new settings over while the cloth goes on moving. If they ask for another grid, it starts anew.
pbd::Error change(Scene& scene, const SceneSettings& settings);

/// One dt. A grabbed particle is exactly at its target afterwards.
pbd::Error step(Scene& scene);

/// Takes a particle in the hand; a grabbed one moves only where drag() says.
void grab(Scene& scene, int particle);
void drag(Scene& scene, const Eigen::Vector3f& target);
/// Moves it there now, without a step: how a particle is dragged while time stands still.
void place_grabbed(Scene& scene);
/// Lets it go. A free one flies on with the speed of its last 50 ms.
void release(Scene& scene);

/// Pins a free particle where it is, frees a pinned one. Of a grabbed one it decides what becomes of it when let go.
void toggle_pin(Scene& scene, int particle);
/// In the hand is not pinned, unless it will be afterwards.
[[nodiscard]] bool is_pinned(const Scene& scene, int particle);
[[nodiscard]] int count_pinned(const Scene& scene);

[[nodiscard]] int count_particles(const Scene& scene);
[[nodiscard]] int count_constraints(const Scene& scene);
/// 3×N, m; `part` of the way from the positions before the last step to the present ones.
[[nodiscard]] Eigen::Matrix3Xf positions(const Scene& scene, float part = 1);
[[nodiscard]] Eigen::Vector3f position(const Scene& scene, int particle);
[[nodiscard]] Eigen::Vector3f velocity(const Scene& scene, int particle);
[[nodiscard]] const std::vector<std::array<std::int32_t, 3>>& triangles(const Scene& scene);
[[nodiscard]] const std::vector<std::array<float, 2>>& texture(const Scene& scene);
[[nodiscard]] std::vector<Line> lines(const Scene& scene);
/// Are the tensions of lines() known? Springs have one, and hard constraints if the solver keeps it.
[[nodiscard]] bool knows_tension(const SceneSettings& settings);
[[nodiscard]] Measures measure(const Scene& scene);

/// Constraints by C/d, between −range and range.
inline constexpr std::size_t histogram_bins = 21;
using Histogram = pbd::StretchHistogram<float, histogram_bins>;
[[nodiscard]] Histogram histogram(const Scene& scene, float range);

/// Where the cloth will be most of the time, for camera, light and ground.
struct Extent {
  Eigen::Vector3f center;
  float radius;
  float ground;  // height of the ground, m
};
[[nodiscard]] Extent extent(const SceneSettings& settings);

}  // namespace viewer
