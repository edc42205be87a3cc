// SPDX-License-Identifier: MIT
#include "../catch.hpp"

#include <camera.hpp>
#include <pick.hpp>
#include <scene.hpp>

using viewer::Camera;
using viewer::Size;

namespace {

Camera any_camera() {
  Camera camera;
  camera.target = {1, -2, 0.5f};
  camera.distance = 7;
  camera.azimuth = GENERATE(0.0f, 0.7f, -2.5f);
  camera.elevation = GENERATE(0.0f, 0.4f, -1.1f);
  camera.shift = GENERATE(0.0f, 0.25f);
  return camera;
}

}  // namespace

TEST_CASE("the ray through a point's pixel meets the point") {
  const Camera camera = any_camera();
  const Size size{1280, 800};
  for (const Eigen::Vector3f& point :
       {Eigen::Vector3f(1, -2, 0.5f), Eigen::Vector3f(2, -1.5f, 1), Eigen::Vector3f(0, -3, 0)}) {
    const Eigen::Vector3f pixel = viewer::project(camera, size, point);
    REQUIRE(pixel.z() > 0);
    const viewer::Ray ray = viewer::ray(camera, size, pixel.head<2>());
    const Eigen::Vector3f met = viewer::meet(ray, point, viewer::forward(camera));
    CHECK((met - point).norm() < 1e-4f);
  }
}

TEST_CASE("the camera's target is in the middle, or where the shift says") {
  Camera camera = any_camera();
  const Eigen::Vector3f pixel = viewer::project(camera, {1000, 500}, camera.target);
  CHECK(pixel.x() == Approx(500 + 500 * camera.shift).margin(0.01));
  CHECK(pixel.y() == Approx(250).margin(0.01));
  CHECK(pixel.z() == Approx(camera.distance));
}

TEST_CASE("y is up and x to the right before the cloth") {
  Camera camera;
  const Size size{400, 400};
  CHECK(viewer::project(camera, size, {0, 1, 0}).y() < 200);
  CHECK(viewer::project(camera, size, {1, 0, 0}).x() > 200);
}

TEST_CASE("panning keeps the target under the pointer") {
  Camera camera = any_camera();
  const Size size{1280, 800};
  const Eigen::Vector3f point = camera.target;
  const Eigen::Vector3f before = viewer::project(camera, size, point);
  viewer::pan(camera, {40, -25}, size);
  const Eigen::Vector3f after = viewer::project(camera, size, point);
  CHECK(after.x() - before.x() == Approx(40).margin(0.05));
  CHECK(after.y() - before.y() == Approx(-25).margin(0.05));
}

TEST_CASE("a ball that the camera looks at is entirely in the picture") {
  Camera camera = any_camera();
  const Size size = GENERATE(Size{1280, 800}, Size{400, 900});
  viewer::look_at(camera, {3, 1, 2}, 2, size);
  for (const Eigen::Vector3f& side : {Eigen::Vector3f(2, 0, 0), Eigen::Vector3f(0, 2, 0), Eigen::Vector3f(0, 0, -2)}) {
    const Eigen::Vector3f pixel = viewer::project(camera, size, Eigen::Vector3f(3, 1, 2) + side);
    CHECK(pixel.x() > 0);
    CHECK(pixel.x() < static_cast<float>(size.width));
    CHECK(pixel.y() > 0);
    CHECK(pixel.y() < static_cast<float>(size.height));
  }
}

TEST_CASE("a click takes the particle under it, of two layers the nearer one, and beside the cloth none") {
  // Two triangles, one behind the other.
  Eigen::Matrix3Xf x(3, 6);
  x.leftCols<3>() << 0, 1, 0, 0, 0, 1, 1, 1, 1;
  x.rightCols<3>() << 0, 1, 0, 0, 0, 1, -1, -1, -1;
  const std::vector<std::array<std::int32_t, 3>> triangles{{3, 4, 5}, {0, 1, 2}};
  Camera camera;
  const Size size{800, 600};
  const auto pick_at = [&](float px, float py, float pz) {
    const Eigen::Vector2f pixel = viewer::project(camera, size, {px, py, pz}).head<2>();
    return viewer::pick(camera, size, pixel, x, triangles);
  };
  CHECK(pick_at(0.1f, 0.1f, 1) == 0);
  CHECK(pick_at(0.8f, 0.1f, 1) == 1);
  CHECK(pick_at(0.1f, 0.8f, 1) == 2);
  CHECK(pick_at(1.02f, -0.02f, 1) == 1);  // some pixels beside it
  CHECK(pick_at(3, 3, 1) == -1);
}
