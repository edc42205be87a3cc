// SPDX-License-Identifier: MIT
//
// A constraint of one's own: a particle stays outside a sphere. It is a plain struct with indices() and project(),
// found by no registration and no base class, and is swept beside the cloth's constraints.
#include <pbd/pbd.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <vector>

struct Sphere {
  pbd::Vector<float, 3> center;  // m
  float radius;                  // m
};

/// C = ‖x_i − c‖ − r ≥ 0. Acts only while C is negative; its gradient is the unit vector away from the center.
struct OutsideSphere {
  std::int32_t i;
  const Sphere* sphere;  // shared, so that moving the sphere moves it for all particles

  std::array<std::int32_t, 1> indices() const { return {i}; }

  template <pbd::ParticleSet P>
  void project(P& particles, const pbd::Substep<float>&) const {
    const pbd::Vector<float, 3> away = particles.predicted.col(i) - sphere->center;
    const float distance = away.norm();
    const float violation = distance - sphere->radius;
    const float weight = particles.inverse_mass(i);  // Σ w‖∇C‖², for the gradient is a unit vector
    if (violation >= 0 || !(distance > 0) || !(weight > 0)) return;
    const pbd::Vector<float, 3> gradient = away / distance;
    pbd::correct(particles, i, gradient, pbd::delta_lambda(violation, weight));
  }

  // Optional: what validate() should refuse.
  const char* flaw() const { return sphere != nullptr && sphere->radius > 0 ? nullptr : "sphere without a radius"; }
};

int main() {
  pbd::ClothSettings<float, 3> sheet;
  sheet.columns = sheet.rows = 41;
  sheet.spacing = 0.05f;
  sheet.total_mass = 0.5f;
  sheet.plane = pbd::Plane::horizontal;
  sheet.pin_top_left = sheet.pin_top_right = false;
  auto cloth = pbd::make_cloth(sheet);
  if (cloth.error) return std::printf("make_cloth: %s\n", cloth.error.message().c_str()), 1;

  const Sphere ball{{1, -0.7f, 1}, 0.6f};  // below the middle of the sheet
  std::vector<OutsideSphere> contacts;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(cloth.particles.count()); ++i) contacts.push_back({i, &ball});
  if (const pbd::Error error = pbd::validate(cloth.particles, cloth.structural, cloth.shear, contacts))
    return std::printf("validate: %s\n", error.message().c_str()), 1;

  // The contacts come last in every sweep, so no cloth constraint can push a particle back into the ball.
  for (int frame = 0; frame < 60; ++frame)
    if (const pbd::Error error = pbd::step(cloth.particles, {}, cloth.structural, cloth.shear, contacts))
      return std::printf("step: %s\n", error.message().c_str()), 1;

  float nearest = ball.radius * 2;
  int touching = 0;
  for (pbd::Index i = 0; i < cloth.particles.count(); ++i) {
    const float distance = (cloth.particles.position.col(i) - ball.center).norm();
    nearest = std::min(nearest, distance);
    touching += distance < ball.radius * 1.0001f;
  }
  const auto stretch = pbd::stretch(cloth.particles, cloth.structural, cloth.shear);
  std::printf("%d particles on the ball; the nearest is %.6f m from its center (radius %.6f m); rms stretch %.2f %%\n",
              touching, double(nearest), double(ball.radius), 100 * double(stretch.rms));
  return nearest > ball.radius * 0.99999f && touching > 0 && stretch.rms < 0.1f ? 0 : 1;
}
