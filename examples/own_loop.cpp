// SPDX-License-Identifier: MIT
//
// The loop of pbd::step() copied out, for whoever wants something between two parts of it: here every free particle
// loses a part of its velocity a second, as in thick air. Without that part the copy gives step()'s result to the bit.
#include <pbd/pbd.hpp>

#include <cmath>
#include <cstdio>

/// One frame. `kept` is the part of a velocity that is left after a second without forces; 1 is no damping.
template <class Cloth>
void damped_step(Cloth& cloth, const pbd::StepSettings<float, 3>& settings, float kept) {
  const pbd::Substep<float> substep = settings.substep();
  const float factor = std::pow(kept, substep.dt);
  auto& particles = cloth.particles;
  for (int s = 0; s < settings.substeps; ++s) {
    pbd::begin_substep(cloth.structural, particles, substep);
    pbd::begin_substep(cloth.shear, particles, substep);
    pbd::predict(particles, settings.gravity, substep.dt);
    for (int n = 0; n < settings.iterations; ++n) {
      pbd::sweep(cloth.structural, particles, substep);
      pbd::sweep(cloth.shear, particles, substep);
    }
    pbd::update_velocity(particles, substep.dt);
    if (kept != 1) particles.velocity *= factor;
  }
}

int main() {
  auto stepped = pbd::make_cloth(pbd::ClothSettings<float, 3>{});
  auto copied = stepped, damped = stepped;
  const pbd::StepSettings<float, 3> settings;

  // What step() asks before every step a copied loop asks once, and again whenever its input has changed.
  pbd::Error error = pbd::validate(settings);
  if (!error) error = pbd::validate(stepped.particles, stepped.structural, stepped.shear);
  for (int frame = 0; frame < 90 && !error; ++frame) {
    error = pbd::step(stepped.particles, settings, stepped.structural, stepped.shear);
    damped_step(copied, settings, 1);
    damped_step(damped, settings, 0.2f);
  }
  if (error) return std::printf("%s\n", error.message().c_str()), 1;

  const bool same = copied.particles.position == stepped.particles.position;
  const float energy = pbd::energy(stepped.particles, settings.gravity, stepped.structural).kinetic;
  const float damped_energy = pbd::energy(damped.particles, settings.gravity, damped.structural).kinetic;
  std::printf("the copied loop gives the same bits: %s; kinetic energy %.1f J, damped %.1f J\n", same ? "yes" : "no",
              double(energy), double(damped_energy));
  return same && damped_energy < energy ? 0 : 1;
}
