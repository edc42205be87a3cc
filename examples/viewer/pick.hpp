// SPDX-License-Identifier: MIT
//
// Which particle a click means. Comes in: a pixel, the particles as they are drawn. Leaves: one of them, or none.
#pragma once

#include "camera.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace viewer {

/// The corner nearest to the pointer of the foremost triangle under it, so that of two layers the visible one is taken;
/// beside the cloth, the nearest particle within `reach` pixels. -1: none.
[[nodiscard]] int pick(const Camera& camera, Size size, const Eigen::Vector2f& pixel, const Eigen::Matrix3Xf& positions,
                       const std::vector<std::array<std::int32_t, 3>>& triangles, float reach = 12);

}  // namespace viewer
