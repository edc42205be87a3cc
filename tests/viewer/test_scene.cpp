// SPDX-License-Identifier: MIT
//
// What the hand does to the cloth, in all four kinds of scene.
#include "../catch.hpp"

#include <scene.hpp>

#include <cmath>

using viewer::Method;
using viewer::Scene;
using viewer::SceneSettings;

namespace {

Scene make_scene(int dim, Method method) {
  SceneSettings settings;
  settings.columns = 12;
  settings.rows = 9;
  settings.dim = dim;
  settings.start = dim == 2 ? viewer::Start::vertical : viewer::Start::horizontal;
  settings.method = method;
  Scene scene;
  REQUIRE_FALSE(viewer::restart(scene, settings));
  return scene;
}

Scene any_scene() {
  const int dim = GENERATE(2, 3);
  const Method method = GENERATE(Method::pbd, Method::xpbd);
  return make_scene(dim, method);
}

Eigen::Vector3f in_plane(const Scene& scene, float x, float y, float z) {
  return {x, y, scene.settings.dim == 2 ? 0.0f : z};
}

void take_steps(Scene& scene, int steps) {
  for (int n = 0; n < steps; ++n) REQUIRE_FALSE(viewer::step(scene));
}

}  // namespace

TEST_CASE("a grabbed particle is exactly at its target after every step") {
  Scene scene = any_scene();
  const int i = 5 * 12 + 6;
  const Eigen::Vector3f start = viewer::position(scene, i);
  viewer::grab(scene, i);
  for (int n = 1; n <= 30; ++n) {
    const float t = static_cast<float>(n);
    const Eigen::Vector3f target = start + in_plane(scene, 0.013f * t, 0.007f * t, -0.011f * t);
    viewer::drag(scene, target);
    take_steps(scene, 1);
    CHECK(viewer::position(scene, i) == target);
  }
}

TEST_CASE("a grabbed particle takes its neighbours along") {
  Scene scene = any_scene();
  const int i = 8 * 12 + 6;
  viewer::grab(scene, i);
  const Eigen::Vector3f start = viewer::position(scene, i);
  for (int n = 1; n <= 60; ++n) {
    viewer::drag(scene, start + in_plane(scene, 0, 0.01f * static_cast<float>(n), 0));
    take_steps(scene, 1);
  }
  const float apart = (viewer::position(scene, i) - viewer::position(scene, i - 1)).norm();
  CHECK(apart < 2 * scene.settings.spacing);
}

TEST_CASE("a particle let go keeps the hand's speed") {
  Scene scene = any_scene();
  scene.settings.gravity = 0;
  const int i = 5 * 12 + 6;
  const Eigen::Vector3f start = viewer::position(scene, i);
  const Eigen::Vector3f speed = in_plane(scene, 0.6f, 0.3f, 0.2f);
  viewer::grab(scene, i);
  // The mouse reports every third step only; the speed must not be three times as high, nor nothing.
  for (int n = 1; n <= 30; ++n) {
    const float t = scene.settings.dt * static_cast<float>(n - n % 3);
    viewer::drag(scene, start + t * speed);
    take_steps(scene, 1);
  }
  viewer::release(scene);
  CHECK((viewer::velocity(scene, i) - speed).norm() < 0.35f * speed.norm());
  CHECK_FALSE(scene.grab.has_value());
}

TEST_CASE("a particle held still and let go is at rest") {
  Scene scene = any_scene();
  viewer::grab(scene, 50);
  take_steps(scene, 20);
  viewer::release(scene);
  CHECK(viewer::velocity(scene, 50).norm() == 0);
}

TEST_CASE("a particle let go weighs what it weighed, and one that was pinned stays pinned") {
  Scene scene = any_scene();
  const auto inverse_mass = [&](int i) {
    return std::visit([i](const auto& cloth) { return cloth.particles.inverse_mass(i); }, scene.cloth);
  };
  viewer::grab(scene, 50);
  CHECK(inverse_mass(50) == 0);
  CHECK_FALSE(viewer::is_pinned(scene, 50));
  viewer::release(scene);
  CHECK(inverse_mass(50) == 1);

  REQUIRE(viewer::is_pinned(scene, 0));
  viewer::grab(scene, 0);
  const Eigen::Vector3f target = viewer::position(scene, 0) + in_plane(scene, 0.1f, 0.1f, 0.1f);
  viewer::drag(scene, target);
  take_steps(scene, 1);
  viewer::release(scene);
  take_steps(scene, 5);
  CHECK(viewer::is_pinned(scene, 0));
  CHECK(viewer::position(scene, 0) == target);
}

TEST_CASE("pinning twice gives the mass back, and a pinned particle does not move") {
  Scene scene = any_scene();
  const int pinned = viewer::count_pinned(scene);
  viewer::toggle_pin(scene, 50);
  CHECK(viewer::count_pinned(scene) == pinned + 1);
  const Eigen::Vector3f place = viewer::position(scene, 50);
  take_steps(scene, 20);
  CHECK(viewer::position(scene, 50) == place);
  viewer::toggle_pin(scene, 50);
  CHECK(viewer::count_pinned(scene) == pinned);
  take_steps(scene, 5);
  CHECK(viewer::position(scene, 50) != place);
}

TEST_CASE("a particle pinned while it is held stays where it is let go") {
  Scene scene = any_scene();
  viewer::grab(scene, 50);
  viewer::toggle_pin(scene, 50);
  viewer::release(scene);
  CHECK(viewer::is_pinned(scene, 50));
}

TEST_CASE("while time stands still a held particle goes where the hand goes") {
  Scene scene = any_scene();
  viewer::grab(scene, 50);
  const Eigen::Vector3f target = viewer::position(scene, 50) + in_plane(scene, 0.3f, 0.2f, 0.1f);
  viewer::drag(scene, target);
  viewer::place_grabbed(scene);
  CHECK(viewer::position(scene, 50) == target);
  CHECK(scene.steps == 0);
}

TEST_CASE("a restart brings the first state back to the bit") {
  Scene scene = any_scene();
  const Eigen::Matrix3Xf before = viewer::positions(scene);
  take_steps(scene, 30);
  viewer::grab(scene, 50);
  CHECK(viewer::positions(scene) != before);
  REQUIRE_FALSE(viewer::restart(scene, scene.settings));
  CHECK(viewer::positions(scene) == before);
  CHECK(scene.time == 0);
  CHECK_FALSE(scene.grab.has_value());
}

TEST_CASE("turning a knob that keeps the grid does not stop the cloth") {
  Scene scene = make_scene(3, Method::pbd);
  take_steps(scene, 30);
  viewer::toggle_pin(scene, 50);
  viewer::grab(scene, 60);
  const Eigen::Matrix3Xf before = viewer::positions(scene);
  const Eigen::Vector3f speed = viewer::velocity(scene, 40);

  SceneSettings wanted = scene.settings;
  wanted.method = Method::xpbd;
  wanted.mass = 2;
  wanted.bending = true;
  wanted.iterations = 3;
  REQUIRE_FALSE(viewer::change(scene, wanted));
  CHECK(scene.steps == 30);
  CHECK(viewer::positions(scene) == before);
  CHECK(viewer::velocity(scene, 40) == speed);
  CHECK(viewer::is_pinned(scene, 50));
  CHECK(scene.grab.has_value());
  viewer::release(scene);
  CHECK(std::visit([](const auto& cloth) { return cloth.particles.inverse_mass(60); }, scene.cloth) == 0.5f);

  wanted.columns = 13;
  REQUIRE_FALSE(viewer::change(scene, wanted));
  CHECK(scene.steps == 0);
  CHECK(viewer::count_particles(scene) == 13 * 9);
}

TEST_CASE("a change that makes no sense is refused and leaves the scene alone") {
  Scene scene = make_scene(3, Method::pbd);
  take_steps(scene, 3);
  SceneSettings wanted = scene.settings;
  wanted.dt = std::nanf("");
  CHECK(viewer::change(scene, wanted));
  wanted = scene.settings;
  wanted.columns = 0;
  CHECK(viewer::change(scene, wanted));
  CHECK(scene.steps == 3);
  CHECK(scene.settings.columns == 12);
}

TEST_CASE("the sheet starts without stretch, however much slack it has") {
  SceneSettings settings;
  settings.slack = GENERATE(0.0f, 0.05f, 0.2f, 0.5f);
  settings.start = GENERATE(viewer::Start::horizontal, viewer::Start::vertical);
  Scene scene;
  REQUIRE_FALSE(viewer::restart(scene, settings));
  CHECK(viewer::measure(scene).max_stretch < 1e-5f);
  const float width = (viewer::position(scene, 39) - viewer::position(scene, 0)).norm();
  CHECK(width == Approx((1 - settings.slack) * 39 * settings.spacing).epsilon(0.1));
}

TEST_CASE("between two steps the cloth is drawn between their states") {
  Scene scene = make_scene(3, Method::pbd);
  const Eigen::Matrix3Xf before = viewer::positions(scene);
  take_steps(scene, 1);
  const Eigen::Matrix3Xf after = viewer::positions(scene);
  CHECK(viewer::positions(scene, 0) == before);
  CHECK((viewer::positions(scene, 0.5f) - (before + after) / 2).norm() < 1e-5f);
}

TEST_CASE("drag slows the cloth, and does not turn it round, whatever the time step") {
  SceneSettings settings;
  settings.pins = viewer::Pins::none;
  settings.gravity = 10;
  settings.drag = 100;
  settings.dt = 0.1f;
  settings.substeps = 1;
  Scene scene;
  REQUIRE_FALSE(viewer::restart(scene, settings));
  take_steps(scene, 20);
  CHECK(viewer::velocity(scene, 100).y() < 0);
  CHECK(viewer::velocity(scene, 100).y() > -2);
}
