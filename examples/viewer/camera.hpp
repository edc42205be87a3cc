// SPDX-License-Identifier: MIT
//
// A camera that circles a point. Comes in: angles, distance, the window's shape. Leaves: the matrix that the renderer
// draws with, and its way back, from a pixel to a ray. Pixels count from the top left, in the window's own units.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

namespace viewer {

struct Camera {
  Eigen::Vector3f target = Eigen::Vector3f::Zero();  // the point it circles, m
  float distance = 10;                               // m
  float azimuth = 0;                                 // rad; 0 looks along -z, growing turns the camera to the right
  float elevation = 0;                               // rad above the horizon
  float field_of_view = 0.6f;                        // rad, vertical
  float shift = 0;  // where the target appears, in half widths right of the middle: makes room for the panel
};

struct Size {
  int width;
  int height;
};

struct Ray {
  Eigen::Vector3f origin;
  Eigen::Vector3f direction;  // unit length
};

/// From the world to the clip space of a picture of this size.
[[nodiscard]] Eigen::Matrix4f view_projection(const Camera& camera, Size size);
[[nodiscard]] Eigen::Vector3f eye(const Camera& camera);
[[nodiscard]] Eigen::Vector3f forward(const Camera& camera);

/// Pixel x, y and depth along the view (m); behind the camera the depth is not positive, and the pixel means nothing.
[[nodiscard]] Eigen::Vector3f project(const Camera& camera, Size size, const Eigen::Vector3f& point);
[[nodiscard]] Ray ray(const Camera& camera, Size size, const Eigen::Vector2f& pixel);

/// Where the ray meets the plane; the ray's origin if it does not.
[[nodiscard]] Eigen::Vector3f meet(const Ray& ray, const Eigen::Vector3f& point, const Eigen::Vector3f& normal);

void orbit(Camera& camera, const Eigen::Vector2f& pixels, Size size);
/// Moves the target so that it stays under the pointer.
void pan(Camera& camera, const Eigen::Vector2f& pixels, Size size);
void zoom(Camera& camera, float clicks);
/// Keeps the angles, and shows a ball of this radius entirely.
void look_at(Camera& camera, const Eigen::Vector3f& center, float radius, Size size);

}  // namespace viewer
