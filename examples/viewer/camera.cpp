// SPDX-License-Identifier: MIT
#include "camera.hpp"

#include <algorithm>
#include <cmath>

namespace viewer {

namespace {

// The camera's own axes in the world: right, up, backward.
Eigen::Matrix3f axes(const Camera& c) {
  const Eigen::Vector3f backward{std::cos(c.elevation) * std::sin(c.azimuth), std::sin(c.elevation),
                                 std::cos(c.elevation) * std::cos(c.azimuth)};
  const Eigen::Vector3f right{std::cos(c.azimuth), 0, -std::sin(c.azimuth)};
  Eigen::Matrix3f m;
  m << right, backward.cross(right), backward;
  return m;
}

float aspect(Size size) {
  return static_cast<float>(std::max(size.width, 1)) / static_cast<float>(std::max(size.height, 1));
}

float meters_per_pixel(const Camera& c, Size size) {
  return 2 * c.distance * std::tan(c.field_of_view / 2) / static_cast<float>(std::max(size.height, 1));
}

}  // namespace

Eigen::Vector3f forward(const Camera& camera) {
  return -axes(camera).col(2);
}

Eigen::Vector3f eye(const Camera& camera) {
  return camera.target - camera.distance * forward(camera);
}

Eigen::Matrix4f view_projection(const Camera& camera, Size size) {
  const Eigen::Matrix3f rotation = axes(camera).transpose();
  Eigen::Matrix4f view = Eigen::Matrix4f::Identity();
  view.topLeftCorner<3, 3>() = rotation;
  view.topRightCorner<3, 1>() = -rotation * eye(camera);

  const float near = camera.distance / 100;
  const float far = camera.distance * 100;
  const float scale = 1 / std::tan(camera.field_of_view / 2);
  Eigen::Matrix4f projection = Eigen::Matrix4f::Zero();
  projection(0, 0) = scale / aspect(size);
  projection(0, 2) = -camera.shift;  // times -z, which is also w: a constant shift on the screen
  projection(1, 1) = scale;
  projection(2, 2) = -(far + near) / (far - near);
  projection(2, 3) = -2 * far * near / (far - near);
  projection(3, 2) = -1;
  return projection * view;
}

Eigen::Vector3f project(const Camera& camera, Size size, const Eigen::Vector3f& point) {
  const Eigen::Vector4f clip = view_projection(camera, size) * point.homogeneous();
  const float x = clip.x() / clip.w();
  const float y = clip.y() / clip.w();
  return {(x + 1) / 2 * static_cast<float>(size.width), (1 - y) / 2 * static_cast<float>(size.height), clip.w()};
}

Ray ray(const Camera& camera, Size size, const Eigen::Vector2f& pixel) {
  const float x = 2 * pixel.x() / static_cast<float>(std::max(size.width, 1)) - 1 - camera.shift;
  const float y = 1 - 2 * pixel.y() / static_cast<float>(std::max(size.height, 1));
  const float slope = std::tan(camera.field_of_view / 2);
  const Eigen::Vector3f direction{x * slope * aspect(size), y * slope, -1};
  return {eye(camera), (axes(camera) * direction).normalized()};
}

Eigen::Vector3f meet(const Ray& ray, const Eigen::Vector3f& point, const Eigen::Vector3f& normal) {
  const float along = ray.direction.dot(normal);
  if (along == 0) return ray.origin;
  const float distance = (point - ray.origin).dot(normal) / along;
  return ray.origin + (distance > 0 ? distance : 0) * ray.direction;
}

void orbit(Camera& camera, const Eigen::Vector2f& pixels, Size size) {
  const float turn = 3.1416f / static_cast<float>(std::max(size.height, 1));
  camera.azimuth -= turn * pixels.x();
  camera.elevation = std::clamp(camera.elevation + turn * pixels.y(), -1.5f, 1.5f);
}

void pan(Camera& camera, const Eigen::Vector2f& pixels, Size size) {
  const Eigen::Matrix3f m = axes(camera);
  camera.target += meters_per_pixel(camera, size) * (-pixels.x() * m.col(0) + pixels.y() * m.col(1));
}

void zoom(Camera& camera, float clicks) {
  camera.distance = std::clamp(camera.distance * std::pow(0.9f, clicks), 1e-3f, 1e5f);
}

void look_at(Camera& camera, const Eigen::Vector3f& center, float radius, Size size) {
  camera.target = center;
  // The narrower of the two angles decides; the shift takes its part of the width, and the sides get more air, for what
  // swings towards the camera grows.
  const float up = std::tan(camera.field_of_view / 2);
  const float across = up * aspect(size) * (1 - std::abs(camera.shift));
  const auto distance = [radius](float slope, float air) { return air * radius / std::sin(std::atan(slope)); };
  camera.distance = std::max(distance(up, 1.05f), distance(across, 1.3f));
}

}  // namespace viewer
