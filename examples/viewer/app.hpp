// SPDX-License-Identifier: MIT
//
// Everything that a window remembers from frame to frame. The panel, the mouse and the loop work on it in turn.
#pragma once

#include "camera.hpp"
#include "clock.hpp"
#include "options.hpp"
#include "scene.hpp"

#include <array>
#include <string>

namespace viewer {

/// What the mouse is doing since a button went down.
enum class Gesture { none, hold, orbit, pan };

struct History {
  static constexpr int length = 240;
  std::array<float, length> max_stretch{};  // percent, a ring that begins at `next`
  std::array<float, length> rms_stretch{};
  int next = 0;
};

struct App {
  Scene scene;
  SceneSettings wanted;  // what the panel shows; becomes the scene's settings as soon as it makes sense
  Look look;
  Camera camera;
  Clock clock;
  Size window{};    // in the pointer's units
  float scale = 1;  // of text and widgets, in the same units
  bool panel = true;
  bool diagnostics = false;  // the plots are shown, and their numbers measured
  bool paused = false;
  bool single_step = false;
  std::string refusal;  // why the panel's settings were not taken; empty: they were
  std::string trouble;  // why the cloth cannot go on; empty: it can

  Gesture gesture = Gesture::none;
  Eigen::Vector3f hand_before = Eigen::Vector3f::Zero();  // where the hand was when the last frame's steps were done
  int touched = -1;                                       // the last particle that was held or pinned, for --report

  Measures measures;
  double step_ms = 0;  // smoothed
  History history;
};

/// Starts anew with what is wanted, and brings the camera back if the cloth has another shape.
void begin(App& app);
/// Makes the scene follow the panel.
void follow_panel(App& app);
/// Shows the whole cloth in the part of the window that the panel leaves free.
void place_camera(App& app, const View& view);
/// Takes the steps due after so many seconds, and reads the measures.
void advance(App& app, double real_seconds);

/// Width of the panel in the window's units; 0 while it is hidden.
[[nodiscard]] float panel_width(const App& app);

}  // namespace viewer
