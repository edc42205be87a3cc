// SPDX-License-Identifier: MIT
//
// The panel: every knob, every read-out. Comes in: an app. Leaves: what the user wants of it.
#pragma once

#include "app.hpp"

namespace viewer {

/// Colours and sizes of the widgets, once.
void style_panel(float scale);
/// Between ImGui::NewFrame() and ImGui::Render().
void draw_panel(App& app);

}  // namespace viewer
