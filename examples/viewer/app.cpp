// SPDX-License-Identifier: MIT
#include "app.hpp"

#include <chrono>
#include <cmath>

namespace viewer {

namespace {

constexpr float degree = 0.0174533f;

// A cloth too large for this machine gets slower; the window stays at ten frames a second or more.
constexpr std::chrono::milliseconds longest_stepping{60};

void remember(History& history, const Measures& m) {
  const auto at = static_cast<std::size_t>(history.next);
  history.max_stretch[at] = 100 * m.max_stretch;
  history.rms_stretch[at] = 100 * m.rms_stretch;
  history.next = (history.next + 1) % History::length;
}

bool same_shape(const SceneSettings& a, const SceneSettings& b) {
  return a.columns == b.columns && a.rows == b.rows && a.spacing == b.spacing && a.pins == b.pins && a.dim == b.dim &&
         a.start == b.start;
}

void take_step(App& s) {
  if (const pbd::Error error = step(s.scene)) {
    s.trouble = error.reason;
    s.paused = true;
    return;
  }
  s.step_ms += (s.step_ms == 0 ? 1 : 0.05) * (s.scene.last_step_ms - s.step_ms);
}

}  // namespace

float panel_width(const App& s) {
  return s.panel ? 312 * s.scale : 0;
}

void place_camera(App& s, const View& view) {
  s.camera.shift = panel_width(s) / static_cast<float>(std::max(s.window.width, 1));
  aim(s.camera, view, extent(s.wanted), s.window);
}

void begin(App& s) {
  const pbd::Error error = restart(s.scene, s.wanted);
  s.refusal = error ? error.reason : "";
  if (error) return;
  if (!s.trouble.empty()) s.paused = false;  // it was stopped by the trouble, not by the user
  s.trouble.clear();
  s.gesture = Gesture::none;
  s.history = {};
  s.clock.owed = 0;
  s.measures = measure(s.scene);
}

void follow_panel(App& s) {
  s.refusal.clear();
  if (s.wanted == s.scene.settings) return;
  const SceneSettings before = s.scene.settings;
  if (const pbd::Error error = change(s.scene, s.wanted)) {
    s.refusal = error.reason;
    return;
  }
  if (!s.scene.grab && s.gesture == Gesture::hold) s.gesture = Gesture::none;
  if (!same_shape(before, s.wanted)) {
    s.history = {};
    View view = first_view(s.wanted.dim);
    if (before.dim == s.wanted.dim) view = {s.camera.azimuth / degree, s.camera.elevation / degree, 1};
    place_camera(s, view);
  }
  s.measures = measure(s.scene);
}

void advance(App& s, double real_seconds) {
  const double dt = static_cast<double>(s.scene.settings.dt);
  int due = s.single_step ? 1 : 0;
  if (!s.paused) due = due_steps(s.clock, real_seconds, dt);
  s.single_step = false;

  const Eigen::Vector3f hand = s.scene.grab ? s.scene.grab->target : s.hand_before;
  const auto started = std::chrono::steady_clock::now();
  s.scene.watched = s.diagnostics;
  int done = 0;
  while (done < due && s.trouble.empty() && std::chrono::steady_clock::now() - started < longest_stepping) {
    // The hand's way since the last frame is spread over the frame's steps: all of it in the first one would be a jerk.
    const float part = static_cast<float>(++done) / static_cast<float>(due);
    drag(s.scene, s.hand_before + part * (hand - s.hand_before));
    take_step(s);
  }
  drag(s.scene, hand);
  if (done > 0) s.hand_before = hand;
  if (s.paused && s.scene.grab && done == 0) {
    place_grabbed(s.scene);
    s.hand_before = hand;
  }
  if (!s.paused) record(s.clock, real_seconds, done * dt);
  if (done == 0 && !(s.paused && s.scene.grab)) return;

  s.measures = measure(s.scene);
  if (done > 0) remember(s.history, s.measures);
  if (std::isfinite(s.measures.max_stretch)) return;
  s.trouble = "the cloth blew up; more substeps or a smaller time step may hold it (r restarts)";
  s.paused = true;
}

}  // namespace viewer
