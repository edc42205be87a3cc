// SPDX-License-Identifier: MIT
//
// What the colours of the constraints mean: a bar from blue over grey to red. Comes in: the stretch at its ends.
// Leaves: the bar in the lower right corner, drawn by Dear ImGui in the window and off-screen alike.
#pragma once

#include "options.hpp"

namespace viewer {

/// Between ImGui::NewFrame() and ImGui::Render(). `scale` enlarges it on a HiDPI screen.
void draw_legend(const Look& look, Size window, float scale);

/// A frame of ImGui of its own, into the bound framebuffer. Needs a current context of OpenGL, none of ImGui.
void draw_legend_offscreen(const Look& look, Size picture);

}  // namespace viewer
