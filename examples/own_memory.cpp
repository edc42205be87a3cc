// SPDX-License-Identifier: MIT
//
// Cloth in memory that the engine owns: the positions live in the vertices that go to the graphics card, what only the
// solver needs lives in a struct beside them. Nothing is copied, and nothing between the mapped members is written.
#include <pbd/pbd.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

struct Vertex {  // the renderer's
  float position[3];
  float normal[3];
  float uv[2];
  std::uint32_t colour;
};

struct Body {  // the solver's
  float predicted[3];
  float velocity[3];
  float inverse_mass;
  std::uint32_t material;
};

int main() {
  pbd::ClothSettings<float, 3> sheet;
  sheet.columns = 20;
  sheet.rows = 15;
  auto cloth = pbd::make_cloth(sheet);  // here only for its numbers: an engine has a mesh of its own
  if (cloth.error) return std::printf("make_cloth: %s\n", cloth.error.message().c_str()), 1;

  const auto count = static_cast<std::size_t>(cloth.particles.count());
  std::vector<Vertex> vertices(count);
  std::vector<Body> bodies(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = cloth.particles.position.col(static_cast<pbd::Index>(i));
    const auto tag = static_cast<std::uint32_t>(i);
    vertices[i] = {{x(0), x(1), x(2)}, {0, 0, 1}, {cloth.texture[i][0], cloth.texture[i][1]}, tag};
    bodies[i] = {{}, {}, cloth.particles.inverse_mass(static_cast<pbd::Index>(i)), ~tag};
  }

  // A view is pointers and strides: make one a frame, or keep it as long as the arrays stay where they are.
  const auto position = pbd::strided<Vertex>(vertices[0].position);
  const auto predicted = pbd::strided<Body>(bodies[0].predicted);
  const auto velocity = pbd::strided<Body>(bodies[0].velocity);
  const auto inverse_mass = pbd::strided<Body>(&bodies[0].inverse_mass);
  pbd::ParticlesView<float, 3> particles(cloth.particles.count(), position, predicted, velocity, inverse_mass);

  // Once, for data from outside: is every number finite, every index in range? step() itself asks only about indices.
  if (const pbd::Error error = pbd::validate(particles, cloth.structural, cloth.shear))
    return std::printf("validate: %s\n", error.message().c_str()), 1;

  for (int frame = 0; frame < 120; ++frame)
    if (const pbd::Error error = pbd::step(particles, {}, cloth.structural, cloth.shear))
      return std::printf("step: %s\n", error.message().c_str()), 1;

  int changed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Vertex& v = vertices[i];
    const auto tag = static_cast<std::uint32_t>(i);
    const bool kept = v.normal[0] == 0 && v.normal[1] == 0 && v.normal[2] == 1 && v.uv[0] == cloth.texture[i][0] &&
                      v.uv[1] == cloth.texture[i][1] && v.colour == tag && bodies[i].material == ~tag;
    changed += !kept;
  }
  const float lowest = particles.position.row(1).minCoeff();
  const auto stretch = pbd::stretch(particles, cloth.structural, cloth.shear);
  std::printf("lowest point %.2f m, rms stretch %.3f %%, members changed that are not the solver's: %d\n",
              double(lowest), 100 * double(stretch.rms), changed);
  const bool moved = lowest < cloth.particles.position.row(1).minCoeff();
  return changed == 0 && moved && stretch.rms < 0.1f ? 0 : 1;
}
