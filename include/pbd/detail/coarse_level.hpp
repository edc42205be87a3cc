// SPDX-License-Identifier: MIT
//
// One coarse level of a grid. Comes in: how many columns and rows there are, and how many links a coarse one spans.
// Leaves: which of them make up the level, its nodes as particles, and how what moves the nodes moves the next finer
// level. Next: coarse_to_fine.hpp.
#pragma once

#include <pbd/batches.hpp>
#include <pbd/distance.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pbd {

namespace detail {

/// One axis of a level: which of the sheet's columns (or rows) are in it, and where those of the next finer level lie
/// between them.
template <class Scalar>
struct CoarseAxis {
  std::vector<int> at;           ///< columns of the sheet, rising; the first and the last are always there
  std::vector<int> before;       ///< for each finer column: the last one of `at` that is not beyond it
  std::vector<Scalar> fraction;  ///< and how far it lies from there to the following one: 0 on it, below 1
};

/// Every `pitch`-th of `count` columns, and the last. A last cell narrower than half a pitch joins the one before it:
/// coarse nodes a link apart between others that are many apart would shear that link at will.
template <class Scalar>
CoarseAxis<Scalar> coarse_axis(int count, std::int64_t pitch, const std::vector<int>& finer) {
  CoarseAxis<Scalar> axis;
  for (std::int64_t c = 0; c < count - 1; c += pitch)
    if (c == 0 || 2 * (count - 1 - c) >= pitch) axis.at.push_back(static_cast<int>(c));
  axis.at.push_back(count - 1);
  if (count == 1) axis.at.assign(1, 0);
  int left = 0;
  for (const int c : finer) {
    while (left + 1 < static_cast<int>(axis.at.size()) && axis.at[static_cast<std::size_t>(left) + 1] <= c) ++left;
    const int from = axis.at[static_cast<std::size_t>(left)];
    axis.before.push_back(left);
    axis.fraction.push_back(c == from ? Scalar{0}
                                      : static_cast<Scalar>(c - from) /
                                            static_cast<Scalar>(axis.at[static_cast<std::size_t>(left) + 1] - from));
  }
  return axis;
}

/// A level's nodes are particles, row by row: `position` is where the sheet's own particle is, `predicted` where this
/// level and the coarser ones want it, `velocity` the way from one to the other (m, no speed). One more at the end stands
/// for one pinned particle after another.
template <class Scalar, int Dim>
struct CoarseLevel {
  CoarseAxis<Scalar> across, down;
  Particles<Scalar, Dim, Layout::planar> nodes;
  Batches<DistanceLimit<Scalar>> limits;
  std::vector<Scalar> mass;  ///< kg: of what a node takes along, Pᵀm

  [[nodiscard]] int columns() const noexcept { return static_cast<int>(across.at.size()); }
  [[nodiscard]] int rows() const noexcept { return static_cast<int>(down.at.size()); }

  /// Calls visit(node, share) for the one, two or four nodes about finer column c in finer row r. The shares are
  /// bilinear and add up to 1.
  template <class Visit>
  void for_each_node_about(int c, int r, Visit&& visit) const noexcept {
    const auto column = static_cast<std::size_t>(c), row = static_cast<std::size_t>(r);
    const Scalar s = across.fraction[column], t = down.fraction[row];
    const Index node = Index{down.before[row]} * columns() + across.before[column];
    visit(node, (1 - s) * (1 - t));
    if (s > 0) visit(node + 1, s * (1 - t));
    if (t > 0) visit(node + columns(), (1 - s) * t);
    if (s > 0 && t > 0) visit(node + columns() + 1, s * t);
  }

  /// Calls give(i, moved) for every finer column of every finer row: how far this level moves it, m.
  template <class Give>
  void prolong(Give&& give) const noexcept {
    const int width = static_cast<int>(across.before.size()), height = static_cast<int>(down.before.size());
    for (int r = 0; r < height; ++r)
      for (int c = 0; c < width; ++c) {
        std::array<Scalar, static_cast<std::size_t>(Dim)> moved{};
        for_each_node_about(c, r, [&](Index node, Scalar share) {
          for (int d = 0; d < Dim; ++d) moved[static_cast<std::size_t>(d)] += share * nodes.velocity(d, node);
        });
        give(Index{r} * width + c, moved);
      }
  }
};

}  // namespace detail

}  // namespace pbd
