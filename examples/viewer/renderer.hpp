// SPDX-License-Identifier: MIT
//
// Scene → pixels, OpenGL 3.3 core. Comes in: a scene, a camera, what to show. Leaves: a picture in whatever framebuffer
// is bound. The same code draws the window and the picture that no window ever showed.
#pragma once

#include "camera.hpp"
#include "options.hpp"
#include "scene.hpp"

#include <epoxy/gl.h>

namespace viewer {

/// OpenGL's names for what is on the card; they go with the context, so nothing here has to free them.
struct Renderer {
  struct Mesh {
    GLuint array = 0;
    GLuint vertices = 0;
    GLuint indices = 0;
  };
  GLuint background = 0, ground = 0, cloth = 0, shadow = 0, line = 0, point = 0;  // programs
  GLuint nothing = 0;                                                             // a vertex array without buffers
  Mesh surface, segments, points;
  GLuint shadow_map = 0, shadow_buffer = 0;
};

/// Needs a current context of at least OpenGL 3.3. Empty, or one sentence that says what is missing.
[[nodiscard]] std::string prepare(Renderer& renderer);

/// Draws into the bound framebuffer of this size, in pixels. `scale` enlarges lines and points: 2 on a HiDPI screen.
/// `part` is how far between the last two steps.
void draw(const Renderer& renderer, const Scene& scene, const Camera& camera, const Look& look, Size framebuffer,
          float scale, float part);

}  // namespace viewer
