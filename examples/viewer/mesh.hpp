// SPDX-License-Identifier: MIT
//
// The cloth as a surface. Comes in: positions and triangles. Leaves: one smooth normal a particle, for light and for
// OBJ.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>

#include <array>
#include <cstdint>
#include <vector>

namespace viewer {

/// 3×N, unit length; each triangle counts by its area. Zero where there is no triangle with an area.
[[nodiscard]] inline Eigen::Matrix3Xf smooth_normals(const Eigen::Matrix3Xf& positions,
                                                     const std::vector<std::array<std::int32_t, 3>>& triangles) {
  Eigen::Matrix3Xf normals = Eigen::Matrix3Xf::Zero(3, positions.cols());
  for (const auto& [a, b, c] : triangles) {
    const Eigen::Vector3f ab = positions.col(b) - positions.col(a);
    const Eigen::Vector3f ac = positions.col(c) - positions.col(a);
    const Eigen::Vector3f normal = ab.cross(ac);
    normals.col(a) += normal;
    normals.col(b) += normal;
    normals.col(c) += normal;
  }
  for (Eigen::Index i = 0; i < normals.cols(); ++i) normals.col(i).normalize();
  return normals;
}

}  // namespace viewer
