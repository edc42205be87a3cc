// SPDX-License-Identifier: MIT
//
// What the colours mean: a bar from blue over grey to red, with units. Comes in: the stretch or tension at its ends.
// Leaves: the bar in the lower right corner, drawn by Dear ImGui in the window and off-screen alike.
#pragma once

#include "tint.hpp"

namespace viewer {

/// Between ImGui::NewFrame() and ImGui::Render(). `scale` enlarges it on a HiDPI screen.
void draw_legend(const Tint& tint, Size window, float scale);

/// A frame of ImGui of its own, into the bound framebuffer. Needs a current context of OpenGL, none of ImGui.
void draw_legend_offscreen(const Tint& tint, Size picture);

}  // namespace viewer
