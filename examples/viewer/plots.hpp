// SPDX-License-Identifier: MIT
//
// Why the solver does what it does, as plots in the window's corner. Comes in: what the last step's sweeps left, how
// stretch is spread. Leaves: a window of Dear ImGui.
#pragma once

#include "app.hpp"

namespace viewer {

/// Between ImGui::NewFrame() and ImGui::Render(), if the user wants them.
void draw_plots(App& app);

}  // namespace viewer
