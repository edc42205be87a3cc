// SPDX-License-Identifier: MIT
//
// Which number the colours show. Comes in: what the user asked for, and what the solver knows. Leaves: a quantity, its
// unit and the value that is all red; from −1 (all blue) over 0 (grey) to 1, how red a line or a particle is.
#pragma once

#include "options.hpp"
#include "scene.hpp"

#include <vector>

namespace viewer {

struct Tint {
  bool tension = false;  // otherwise stretch
  bool missing = false;  // tension was asked for, and this solver keeps no forces: stretch instead
  float range = 0;       // N or relative: what is all red

  [[nodiscard]] float of(const Line& line) const { return (tension ? line.tension : line.stretch) / range; }
};

/// Is any colour there that needs a legend?
[[nodiscard]] inline bool is_tinted(const Look& look) { return look.constraints || look.color != Color::plain; }

[[nodiscard]] Tint tint(const Look& look, const SceneSettings& settings);

/// What a tension of nobody's choice is compared with, N: a column of the sheet hanging, rounded up to 1, 2 or 5 times
/// a power of ten. It does not depend on the motion, so that colours can be compared from frame to frame.
[[nodiscard]] float usual_tension(const SceneSettings& settings);

/// One number a particle: the mean of the lines that end there, weighted by their lengths. So the edges and the
/// diagonals of a cell cancel in what they hold against each other; how much that is, no load determines.
[[nodiscard]] std::vector<float> tint_particles(const Tint& tint, const std::vector<Line>& lines, int particles);

}  // namespace viewer
