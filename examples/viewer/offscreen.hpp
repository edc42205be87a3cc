// SPDX-License-Identifier: MIT
//
// OpenGL without a window or a display, by EGL. Comes in: the size of a picture. Leaves: a current context, a
// framebuffer to draw into, and its pixels.
#pragma once

#include "camera.hpp"

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace viewer {

/// Makes an OpenGL 3.3 core context current on this thread, for the rest of the program.
/// Empty, or one sentence that says why there is none.
[[nodiscard]] std::string make_offscreen_context();

/// Eight bits each of red, green and blue, the top row first.
struct Picture {
  Size size{};
  std::vector<unsigned char> rgb;
};

/// Binds a framebuffer of its own with four samples a pixel, calls paint(), reads the result. Needs a current context.
/// Without pixels if the graphics driver cannot make one so large.
[[nodiscard]] Picture paint_offscreen(Size size, const std::function<void()>& paint);

/// The pixels of the bound framebuffer: of the window, before it is swapped.
[[nodiscard]] Picture read_framebuffer(Size size);

/// False if the stream cannot take it.
[[nodiscard]] bool write_png(std::ostream& out, const Picture& picture);

}  // namespace viewer
