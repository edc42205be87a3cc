// SPDX-License-Identifier: MIT
//
// GLSL 3.30, a pair of shaders for each thing drawn: background, ground, cloth, its shadow, lines, points.
// Colours are linear until the last line of a shader; `shown()` makes them the monitor's.
#pragma once

namespace viewer::shaders {

// Prepended to every shader.
inline constexpr const char* common = R"(#version 330 core
vec3 shown(vec3 linear) { return pow(clamp(linear, 0.0, 1.0), vec3(1.0 / 2.2)); }
vec3 tone_color(float tone) {  // −1 blue, 0 grey, 1 red
  float t = clamp(tone, -1.0, 1.0);
  return mix(vec3(0.17), t < 0.0 ? vec3(0.04, 0.30, 1.0) : vec3(1.0, 0.05, 0.02), abs(t));
}
)";

// A triangle larger than the screen, without any buffer.
inline constexpr const char* background_vertex = R"(
out vec2 at;
void main() {
  at = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
  gl_Position = vec4(at, 0.0, 1.0);
})";

inline constexpr const char* background_fragment = R"(
in vec2 at;
out vec4 color;
void main() {
  // The monitor's colours at once: a gradient is smooth in either, and a software renderer has a million of these to do.
  vec3 top = vec3(0.245, 0.290, 0.345), bottom = vec3(0.555, 0.580, 0.605);
  vec3 c = mix(bottom, top, smoothstep(-1.0, 1.0, at.y));
  color = vec4(c, 1.0);
})";

// How much of the light arrives: 1 in the light, 0 in the shadow, between on the 3×3-tap edge.
inline constexpr const char* shadow_lookup = R"(
uniform sampler2DShadow shadow_map;
float lit(vec4 in_light, float bias) {
  vec3 p = in_light.xyz / in_light.w * 0.5 + 0.5;
  if (any(lessThan(p, vec3(0.0))) || any(greaterThan(p, vec3(1.0)))) return 1.0;
  vec2 texel = 1.0 / vec2(textureSize(shadow_map, 0));
  float sum = 0.0;
  for (int y = -1; y <= 1; ++y)
    for (int x = -1; x <= 1; ++x)
      sum += texture(shadow_map, vec3(p.xy + 1.6 * texel * vec2(x, y), p.z - bias));
  return sum / 9.0;
}
)";

inline constexpr const char* ground_vertex = R"(
uniform mat4 view_projection, light;
uniform vec3 center;
uniform float radius;
out vec3 world;
out vec4 in_light;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
  world = center + radius * vec3(corner.x, 0.0, corner.y);
  in_light = light * vec4(world, 1.0);
  gl_Position = view_projection * vec4(world, 1.0);
})";

inline constexpr const char* ground_fragment = R"(
in vec3 world;
in vec4 in_light;
uniform vec3 center;
uniform float radius, cell;
out vec4 color;
float line(vec2 p, float width) {
  vec2 d = abs(fract(p - 0.5) - 0.5), w = fwidth(p);
  vec2 l = 1.0 - smoothstep(vec2(0.0), w * width, d);
  return max(l.x, l.y) * clamp(1.0 - 2.0 * max(w.x, w.y), 0.0, 1.0);  // fades before it flickers
}
void main() {
  float fade = 1.0 - smoothstep(0.15, 1.0, length(world - center) / radius);
  vec3 c = vec3(0.20, 0.22, 0.245);
  c += 0.05 * line(world.xz / cell, 1.3) + 0.08 * line(world.xz / (5.0 * cell), 1.6);
  c *= mix(0.42, 1.0, lit(in_light, 0.002));
  color = vec4(shown(c), fade);
})";

inline constexpr const char* cloth_vertex = R"(
layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec2 texture_at;
layout(location = 3) in float tone;
uniform mat4 view_projection;
out vec3 world, n;
out vec2 uv;
out float tint;
void main() {
  tint = tone;
  world = position;
  n = normal;
  uv = texture_at;
  gl_Position = view_projection * vec4(position, 1.0);
})";

inline constexpr const char* cloth_fragment = R"(
in vec3 world, n;
in vec2 uv;
uniform mat4 light;
uniform vec3 eye, to_light;
uniform float normal_offset;
uniform vec2 cells;
uniform float plain;   // 1: a quiet grey that leaves the colours to the constraints
uniform float tinted;  // 1: coloured by `tint`
in float tint;
out vec4 color;

// Threads over and under, faded where they are finer than a pixel.
float weave(vec2 p) {
  vec2 w = fwidth(p);
  float visible = clamp(1.5 - 2.5 * max(w.x, w.y), 0.0, 1.0);
  return 1.0 + 0.08 * visible * sin(6.2832 * p.x) * sin(6.2832 * p.y);
}
void main() {
  vec3 front = vec3(0.46, 0.022, 0.028), back = vec3(0.62, 0.43, 0.24);
  vec3 base = gl_FrontFacing ? front : back;
  vec2 at_cell = uv * cells, from_edge = min(at_cell, cells - at_cell) * 28.0 / cells.y;
  float hem = smoothstep(0.55, 0.75, min(from_edge.x, from_edge.y)) -
              smoothstep(1.35, 1.55, min(from_edge.x, from_edge.y));
  if (gl_FrontFacing) base = mix(base, vec3(0.72, 0.50, 0.24), 0.85 * hem);
  base = mix(base * weave(at_cell * 3.0), vec3(0.035, 0.04, 0.05), plain);
  base = mix(base, tone_color(tint) * mix(0.92, 1.0, weave(at_cell * 3.0)), tinted);

  vec3 v = normalize(eye - world), l = to_light;
  vec3 m = normalize(n) * (gl_FrontFacing ? 1.0 : -1.0);
  float facing = dot(m, l);
  // The look-up is moved off the surface, to the side that faces the light: a sheet must not shade itself.
  float arrives = lit(light * vec4(world + normal_offset * (facing < 0.0 ? -m : m), 1.0), 0.0006);
  float diffuse = max((facing + 0.10) / 1.10, 0.0) * arrives;
  float through = 0.16 * max(-facing, 0.0);  // thin cloth glows a little from behind
  vec3 sky = mix(vec3(0.12, 0.10, 0.09), vec3(0.20, 0.23, 0.29), 0.5 + 0.5 * m.y);
  float rim = pow(1.0 - max(dot(m, v), 0.0), 3.0);
  float gloss = pow(max(dot(m, normalize(v + l)), 0.0), 18.0) * arrives;
  vec3 c = base * (sky + vec3(1.12, 1.05, 0.95) * (diffuse + through) + 0.10 * max(dot(m, v), 0.0));
  c += (base + 0.06) * 0.30 * rim * (0.35 + 0.65 * arrives) + 0.045 * gloss * (1.0 - plain);
  color = vec4(shown(c), 1.0);
})";

inline constexpr const char* shadow_vertex = R"(
layout(location = 0) in vec3 position;
uniform mat4 light;
void main() { gl_Position = light * vec4(position, 1.0); })";

inline constexpr const char* shadow_fragment = "void main() {}";

// An instance a line: a quad of some pixels' width, for core OpenGL's own lines are one pixel wide.
inline constexpr const char* line_vertex = R"(
layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in float tone;
uniform mat4 view_projection;
uniform vec2 pixel;  // size of one, in clip units
uniform float width;
out vec3 tint;
void main() {
  vec4 a = view_projection * vec4(from, 1.0), b = view_projection * vec4(to, 1.0);
  vec2 along = (b.xy / b.w - a.xy / a.w) / pixel;
  vec2 across = normalize(vec2(-along.y, along.x) + vec2(1e-6, 0.0)) * pixel * width;
  gl_Position = gl_VertexID < 2 ? a : b;
  gl_Position.xy += across * ((gl_VertexID & 1) == 0 ? 1.0 : -1.0) * gl_Position.w * 0.5;
  gl_Position.z -= 0.0004 * gl_Position.w;  // in front of the cloth that they lie in
  tint = tone_color(tone);
})";

inline constexpr const char* line_fragment = R"(
in vec3 tint;
out vec4 color;
void main() { color = vec4(shown(tint), 1.0); })";

inline constexpr const char* point_vertex = R"(
layout(location = 0) in vec3 position;
layout(location = 1) in float mark;  // 0 free, 1 pinned, 2 in the hand
uniform mat4 view_projection;
uniform float scale;
flat out float kind;
void main() {
  gl_Position = view_projection * vec4(position, 1.0);
  gl_Position.z -= 0.0008 * gl_Position.w;
  gl_PointSize = scale * (mark > 1.5 ? 16.0 : mark > 0.5 ? 13.0 : 4.0);
  kind = mark;
})";

inline constexpr const char* point_fragment = R"(
flat in float kind;
out vec4 color;
void main() {
  float r = length(gl_PointCoord * 2.0 - 1.0), w = fwidth(r);
  float inside = 1.0 - smoothstep(1.0 - w, 1.0, r);
  vec3 fill = kind > 1.5 ? vec3(0.10, 0.85, 0.25) : kind > 0.5 ? vec3(1.0, 0.62, 0.05) : vec3(0.85);
  float ring = kind > 0.5 ? smoothstep(0.62 - w, 0.62, r) : 0.0;
  color = vec4(shown(mix(fill, vec3(0.02), ring)), inside);
})";

}  // namespace viewer::shaders
