// SPDX-License-Identifier: MIT
//
// What the mouse does to cloth and camera. Comes in: Dear ImGui's idea of the mouse, where the panel has not taken it.
// Leaves: a particle held, pinned or let go, or the camera moved.
#pragma once

#include "app.hpp"

namespace viewer {

/// Once a frame, after ImGui::NewFrame().
void follow_mouse(App& app);

}  // namespace viewer
