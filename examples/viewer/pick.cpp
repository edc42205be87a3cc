// SPDX-License-Identifier: MIT
#include "pick.hpp"

#include <limits>

namespace viewer {

int pick(const Camera& camera, Size size, const Eigen::Vector2f& pixel, const Eigen::Matrix3Xf& positions,
         const std::vector<std::array<std::int32_t, 3>>& triangles, float reach) {
  const Eigen::Index n = positions.cols();
  Eigen::Matrix3Xf screen(3, n);  // pixel x, y and depth
  for (Eigen::Index i = 0; i < n; ++i) screen.col(i) = project(camera, size, positions.col(i));
  const auto offset = [&](int i) -> Eigen::Vector2f { return screen.col(i).head<2>() - pixel; };
  const auto cross = [](const Eigen::Vector2f& a, const Eigen::Vector2f& b) { return a.x() * b.y() - a.y() * b.x(); };

  int best = -1;
  float nearest_depth = std::numeric_limits<float>::max();
  for (const auto& [a, b, c] : triangles) {
    if (screen(2, a) <= 0 || screen(2, b) <= 0 || screen(2, c) <= 0) continue;
    const Eigen::Vector2f pa = offset(a), pb = offset(b), pc = offset(c);
    const float wa = cross(pb, pc), wb = cross(pc, pa), wc = cross(pa, pb);
    const bool inside = (wa >= 0 && wb >= 0 && wc >= 0) || (wa <= 0 && wb <= 0 && wc <= 0);
    const float area = wa + wb + wc;
    if (!inside || area == 0) continue;
    const float depth = (wa * screen(2, a) + wb * screen(2, b) + wc * screen(2, c)) / area;
    if (depth >= nearest_depth) continue;
    nearest_depth = depth;
    best = a;
    if (pb.squaredNorm() < offset(best).squaredNorm()) best = b;
    if (pc.squaredNorm() < offset(best).squaredNorm()) best = c;
  }
  if (best >= 0) return best;

  float nearest = reach * reach;
  for (int i = 0; i < static_cast<int>(n); ++i) {
    if (screen(2, i) <= 0 || offset(i).squaredNorm() > nearest) continue;
    nearest = offset(i).squaredNorm();
    best = i;
  }
  return best;
}

}  // namespace viewer
