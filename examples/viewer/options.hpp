// SPDX-License-Identifier: MIT
//
// The command line. Comes in: argv. Leaves: Options that make sense together, or one sentence that says which do not.
#pragma once

#include "camera.hpp"
#include "scene.hpp"

#include <string>
#include <vector>

namespace viewer {

/// What the cloth's surface is coloured by. The constraints are coloured by stretch unless it is tension.
enum class Color { plain, stretch, tension };

/// What of the cloth is drawn.
struct Look {
  bool shaded = true;
  bool constraints = false;
  bool particles = false;
  Color color = Color::plain;
  float stretch_range = 0.02f;  // the stretch that is all red, and, negative, all blue
  float tension_range = 0;      // the same of tension, N; 0: the viewer's choice
};

/// Where the camera starts.
struct View {
  float azimuth = 22;    // degrees
  float elevation = 12;  // degrees
  float zoom = 1;        // 2: twice as large
};

/// Aslant if there is depth to see, straight on in 2-D.
[[nodiscard]] inline View first_view(int dim) { return dim == 2 ? View{0, 0, 1} : View{}; }

/// Puts it where the whole cloth is seen. Keeps the shift.
void aim(Camera& camera, const View& view, const Extent& extent, Size size);

struct Options {
  SceneSettings scene;
  Look look;
  Size size{1280, 800};
  View view;
  bool panel = true;
  bool paused = false;
  bool diagnostics = false;  // how the sweeps converge and how stretch is spread: plots, or numbers where no window is

  int frames = -1;  // -1: not said
  double fps = 60;
  std::string output;          // one picture, off-screen
  std::string export_pattern;  // OBJ files
  std::string csv;
  std::string screenshot;  // the window's last picture
  std::string report;      // what the window's mouse does, a line a frame

  /// Without a window: the run is as long as it was told to be, and as fast as it can.
  [[nodiscard]] bool headless() const {
    const bool windowed = !screenshot.empty() || !report.empty();
    return !windowed && (frames >= 0 || !output.empty() || !export_pattern.empty() || !csv.empty());
  }
};

struct Parsed {
  Options options;
  std::string text;     // help or version, to print instead of running
  std::string mistake;  // one sentence; empty: none
};

[[nodiscard]] Parsed parse(std::vector<std::string> arguments);

}  // namespace viewer
