// SPDX-License-Identifier: MIT
//
// A sheet held by two corners falls for three seconds; one line a half second says where it is and how far it gave.
#include <pbd/pbd.hpp>

#include <cstdio>

int main() {
  pbd::ClothSettings<float, 3> sheet;  // 40 × 30 particles, 0.2 m apart, 1 kg each, held by its upper corners
  sheet.plane = pbd::Plane::horizontal;
  auto cloth = pbd::make_cloth(sheet);
  if (cloth.error) return std::printf("make_cloth: %s\n", cloth.error.message().c_str()), 1;

  pbd::StepSettings<float, 3> settings;  // a step is 1/60 s
  settings.substeps = 20;                // more of them leave less stretch
  for (int frame = 1; frame <= 180; ++frame) {
    const pbd::Error error = pbd::step(cloth.particles, settings, cloth.structural, cloth.shear);
    if (error) return std::printf("step: %s\n", error.message().c_str()), 1;
    if (frame % 30 != 0) continue;
    const auto stretch = pbd::stretch(cloth.particles, cloth.structural, cloth.shear);
    std::printf("%.1f s  stretch max %6.3f %%, rms %6.3f %%  lowest point %.2f m\n", double(frame) / 60,
                100 * double(stretch.max), 100 * double(stretch.rms),
                double(cloth.particles.position.row(1).minCoeff()));
  }
}
