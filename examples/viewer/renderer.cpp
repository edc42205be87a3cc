// SPDX-License-Identifier: MIT
#include "renderer.hpp"

#include "mesh.hpp"
#include "shaders.hpp"
#include "tint.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace viewer {

namespace {

constexpr int shadow_size = 2048;  // texels across: a texel is about 5 mm on the default cloth

GLuint compile(GLenum kind, std::initializer_list<const char*> parts, std::string& error) {
  const GLuint shader = glCreateShader(kind);
  glShaderSource(shader, static_cast<GLsizei>(parts.size()), std::data(parts), nullptr);
  glCompileShader(shader);
  GLint done = 0;
  glGetShaderiv(shader, GL_COMPILE_STATUS, &done);
  if (done == 0) {
    char log[512] = {};
    glGetShaderInfoLog(shader, sizeof log, nullptr, log);
    error = std::string("the graphics driver refuses a shader: ") + log;
  }
  return shader;
}

GLuint link(const char* vertex, const char* fragment, std::string& error, const char* lookup = "") {
  const GLuint v = compile(GL_VERTEX_SHADER, {shaders::common, vertex}, error);
  const GLuint f = compile(GL_FRAGMENT_SHADER, {shaders::common, lookup, fragment}, error);
  const GLuint program = glCreateProgram();
  glAttachShader(program, v);
  glAttachShader(program, f);
  glLinkProgram(program);
  glDeleteShader(v);
  glDeleteShader(f);
  GLint done = 0;
  glGetProgramiv(program, GL_LINK_STATUS, &done);
  if (done == 0 && error.empty()) error = "the graphics driver cannot link a shader";
  return program;
}

Renderer::Mesh make_mesh() {
  Renderer::Mesh mesh;
  glGenVertexArrays(1, &mesh.array);
  glGenBuffers(1, &mesh.vertices);
  glGenBuffers(1, &mesh.indices);
  return mesh;
}

// Declares an attribute of `size` floats that begins `offset` floats into a vertex of `stride` floats.
void attribute(GLuint location, int size, int stride, int offset, GLuint divisor = 0) {
  glEnableVertexAttribArray(location);
  glVertexAttribPointer(location, size, GL_FLOAT, GL_FALSE, stride * static_cast<GLsizei>(sizeof(float)),
                        reinterpret_cast<const void*>(static_cast<std::size_t>(offset) * sizeof(float)));
  glVertexAttribDivisor(location, divisor);
}

void upload(const Renderer::Mesh& mesh, const std::vector<float>& vertices) {
  glBindVertexArray(mesh.array);
  glBindBuffer(GL_ARRAY_BUFFER, mesh.vertices);
  glBufferData(GL_ARRAY_BUFFER, static_cast<GLsizeiptr>(vertices.size() * sizeof(float)), vertices.data(),
               GL_STREAM_DRAW);
}

void set(GLuint program, const char* name, const Eigen::Matrix4f& value) {
  glUniformMatrix4fv(glGetUniformLocation(program, name), 1, GL_FALSE, value.data());
}
void set(GLuint program, const char* name, const Eigen::Vector3f& value) {
  glUniform3fv(glGetUniformLocation(program, name), 1, value.data());
}
void set(GLuint program, const char* name, const Eigen::Vector2f& value) {
  glUniform2fv(glGetUniformLocation(program, name), 1, value.data());
}
void set(GLuint program, const char* name, float value) { glUniform1f(glGetUniformLocation(program, name), value); }

const Eigen::Vector3f& to_light() {
  static const Eigen::Vector3f direction = Eigen::Vector3f(-0.62f, 0.95f, 0.5f).normalized();
  return direction;
}

// A parallel light that covers the ball the cloth moves in, and the way on to the ground, where its shadow falls.
Eigen::Matrix4f light_matrix(const Extent& e) {
  const Eigen::Vector3f backward = to_light();
  const Eigen::Vector3f right = Eigen::Vector3f::UnitY().cross(backward).normalized();
  const float side = 1.5f * e.radius;
  const float depth = 1.5f * e.radius + 2 * std::abs(e.center.y() - e.ground) / to_light().y();
  Eigen::Matrix4f m = Eigen::Matrix4f::Identity();
  m.block<1, 3>(0, 0) = right.transpose() / side;
  m.block<1, 3>(1, 0) = backward.cross(right).transpose() / side;
  m.block<1, 3>(2, 0) = -backward.transpose() / depth;
  m.topRightCorner<3, 1>() = -m.topLeftCorner<3, 3>() * e.center;
  return m;
}

// `tones` is empty or has one a particle.
void upload_surface(const Renderer& r, const Scene& scene, const Eigen::Matrix3Xf& x, const std::vector<float>& tones) {
  const Eigen::Matrix3Xf normals = smooth_normals(x, triangles(scene));
  const auto& uv = texture(scene);
  std::vector<float> vertices;
  vertices.reserve(9 * uv.size());
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    const auto& [u, v] = uv[at];
    const float tone = tones.empty() ? 0 : tones[at];
    vertices.insert(vertices.end(),
                    {x(0, i), x(1, i), x(2, i), normals(0, i), normals(1, i), normals(2, i), u, v, tone});
  }
  upload(r.surface, vertices);
  attribute(0, 3, 9, 0);
  attribute(1, 3, 9, 3);
  attribute(2, 2, 9, 6);
  attribute(3, 1, 9, 8);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, r.surface.indices);
  glBufferData(GL_ELEMENT_ARRAY_BUFFER, static_cast<GLsizeiptr>(triangles(scene).size() * 3 * sizeof(std::int32_t)),
               triangles(scene).data(), GL_STREAM_DRAW);
}

void draw_surface(const Scene& scene) {
  glDrawElements(GL_TRIANGLES, static_cast<GLsizei>(triangles(scene).size() * 3), GL_UNSIGNED_INT, nullptr);
}

void draw_lines(const Renderer& r, const std::vector<Line>& all, const Tint& tint, const Eigen::Matrix3Xf& x,
                const Eigen::Matrix4f& matrix, Size size, float scale) {
  std::vector<float> vertices;
  vertices.reserve(7 * all.size());
  for (const Line& l : all)
    vertices.insert(vertices.end(), {x(0, l.i), x(1, l.i), x(2, l.i), x(0, l.j), x(1, l.j), x(2, l.j), tint.of(l)});
  upload(r.segments, vertices);
  attribute(0, 3, 7, 0, 1);
  attribute(1, 3, 7, 3, 1);
  attribute(2, 1, 7, 6, 1);
  glUseProgram(r.line);
  set(r.line, "view_projection", matrix);
  set(r.line, "pixel", Eigen::Vector2f(2 / static_cast<float>(size.width), 2 / static_cast<float>(size.height)));
  set(r.line, "width", 1.6f * scale);
  glDrawArraysInstanced(GL_TRIANGLE_STRIP, 0, 4, static_cast<GLsizei>(all.size()));
}

void draw_points(const Renderer& r, const Scene& scene, const Eigen::Matrix3Xf& x, const Eigen::Matrix4f& matrix,
                 const Look& look, float scale) {
  std::vector<float> vertices;
  for (int i = 0; i < static_cast<int>(x.cols()); ++i) {
    const bool held = scene.grab && scene.grab->particle == i;
    if (!look.particles && !held) continue;
    const float mark = held ? 2.0f : is_pinned(scene, i) ? 1.0f : 0.0f;
    vertices.insert(vertices.end(), {x(0, i), x(1, i), x(2, i), mark});
  }
  if (vertices.empty()) return;
  upload(r.points, vertices);
  attribute(0, 3, 4, 0);
  attribute(1, 1, 4, 3);
  glUseProgram(r.point);
  set(r.point, "view_projection", matrix);
  set(r.point, "scale", scale);
  glDrawArrays(GL_POINTS, 0, static_cast<GLsizei>(vertices.size() / 4));
}

}  // namespace

std::string prepare(Renderer& r) {
  if (epoxy_gl_version() < 33)
    return "OpenGL 3.3 is needed, and here is only " + std::to_string(epoxy_gl_version() / 10) + "." +
           std::to_string(epoxy_gl_version() % 10);
  std::string error;
  namespace s = shaders;
  r.background = link(s::background_vertex, s::background_fragment, error);
  r.ground = link(s::ground_vertex, s::ground_fragment, error, s::shadow_lookup);
  r.cloth = link(s::cloth_vertex, s::cloth_fragment, error, s::shadow_lookup);
  r.shadow = link(s::shadow_vertex, s::shadow_fragment, error);
  r.line = link(s::line_vertex, s::line_fragment, error);
  r.point = link(s::point_vertex, s::point_fragment, error);
  if (!error.empty()) return error;

  glGenVertexArrays(1, &r.nothing);
  r.surface = make_mesh();
  r.segments = make_mesh();
  r.points = make_mesh();

  GLint bound = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  glGenTextures(1, &r.shadow_map);
  glBindTexture(GL_TEXTURE_2D, r.shadow_map);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_DEPTH_COMPONENT24, shadow_size, shadow_size, 0, GL_DEPTH_COMPONENT, GL_UNSIGNED_INT,
               nullptr);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  glGenFramebuffers(1, &r.shadow_buffer);
  glBindFramebuffer(GL_FRAMEBUFFER, r.shadow_buffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, r.shadow_map, 0);
  glDrawBuffer(GL_NONE);
  const bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
  glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(bound));
  return complete ? "" : "the graphics driver cannot render a shadow map";
}

void draw(const Renderer& r, const Scene& scene, const Camera& camera, const Look& look, Size size, float scale,
          float part) {
  Eigen::Matrix3Xf x = positions(scene, part);
  // What is in the hand is drawn where the hand is, not where it was a step ago.
  if (scene.grab) x.col(scene.grab->particle) = scene.grab->target;
  const Extent e = extent(scene.settings);
  const Eigen::Matrix4f matrix = view_projection(camera, size);
  const Eigen::Matrix4f light = light_matrix(e);

  GLint target = 0;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &target);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LEQUAL);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  glDisable(GL_SCISSOR_TEST);
  const Tint tinting = tint(look, scene.settings);
  const bool tinted = look.color != Color::plain && look.shaded && !look.constraints;
  const std::vector<Line> all = look.constraints || tinted ? lines(scene) : std::vector<Line>{};
  upload_surface(r, scene, x, tinted ? tint_particles(tinting, all, count_particles(scene)) : std::vector<float>{});

  glBindFramebuffer(GL_FRAMEBUFFER, r.shadow_buffer);
  glViewport(0, 0, shadow_size, shadow_size);
  glClear(GL_DEPTH_BUFFER_BIT);
  if (look.shaded) {
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(1.5f, 4);
    glUseProgram(r.shadow);
    set(r.shadow, "light", light);
    draw_surface(scene);
    glDisable(GL_POLYGON_OFFSET_FILL);
  }

  glBindFramebuffer(GL_FRAMEBUFFER, static_cast<GLuint>(target));
  glViewport(0, 0, size.width, size.height);
  glClear(GL_DEPTH_BUFFER_BIT);
  glEnable(GL_MULTISAMPLE);
  glEnable(GL_PROGRAM_POINT_SIZE);
  glBindTexture(GL_TEXTURE_2D, r.shadow_map);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE);

  glDisable(GL_DEPTH_TEST);
  glBindVertexArray(r.nothing);
  glUseProgram(r.background);
  glDrawArrays(GL_TRIANGLES, 0, 3);
  glEnable(GL_DEPTH_TEST);

  glEnable(GL_BLEND);
  if (scene.settings.dim == 3 && eye(camera).y() > e.ground) {
    glUseProgram(r.ground);
    set(r.ground, "view_projection", matrix);
    set(r.ground, "light", light);
    set(r.ground, "center", Eigen::Vector3f(e.center.x(), e.ground, e.center.z()));
    set(r.ground, "radius", 6 * e.radius);
    set(r.ground, "cell", std::pow(10.0f, std::round(std::log10(e.radius / 5))));  // 1 m under the default cloth
    glDrawArrays(GL_TRIANGLE_STRIP, 0, 4);
  }
  glDisable(GL_BLEND);

  if (look.shaded) {
    glBindVertexArray(r.surface.array);
    glUseProgram(r.cloth);
    set(r.cloth, "view_projection", matrix);
    set(r.cloth, "light", light);
    set(r.cloth, "to_light", to_light());
    set(r.cloth, "eye", eye(camera));
    set(r.cloth, "cells",
        Eigen::Vector2f(static_cast<float>(scene.settings.columns - 1), static_cast<float>(scene.settings.rows - 1)));
    set(r.cloth, "plain", look.constraints ? 1.0f : 0.0f);
    set(r.cloth, "tinted", tinted ? 1.0f : 0.0f);
    set(r.cloth, "normal_offset", 0.008f * e.radius);
    draw_surface(scene);
  }
  if (look.constraints) draw_lines(r, all, tinting, x, matrix, size, scale);
  glEnable(GL_BLEND);
  draw_points(r, scene, x, matrix, look, scale);
  glDisable(GL_BLEND);
  glBindVertexArray(0);
  glUseProgram(0);
}

}  // namespace viewer
