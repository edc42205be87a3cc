// SPDX-License-Identifier: MIT
//
// A customer's program, as short as it gets: it asks for the library's headers and nothing else.
#include <pbd/pbd.hpp>

int main() {
  auto cloth = pbd::make_cloth<float, 3>({.columns = 10, .rows = 8});
  const pbd::StepSettings<float, 3> settings;
  for (int frame = 0; frame < 10; ++frame)
    if (pbd::step(cloth.particles, settings, cloth.structural, cloth.shear)) return 1;
  return pbd::stretch(cloth.particles, cloth.structural).count > 0 ? 0 : 1;
}
