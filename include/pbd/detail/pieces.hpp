// SPDX-License-Identifier: MIT
//
// How sweeps over runs are cut into pieces that may be worked on at the same time. Comes in: the runs of each set. Leaves:
// where among them a piece begins and ends, from sweep to sweep. Included by parallel.hpp alone.
//
// A piece is a range of particles, and of each set the runs in it. Its upper end, which is the next piece's lower end, moves
// down with every set that is swept, so that no run of a piece touches what the next piece has yet to do in any sweep
// before. Thus a piece may be any number of sweeps ahead of the next one.
#pragma once

#include <pbd/detail/runs.hpp>

#include <limits>

namespace pbd::detail {

/// What the first runs of a set touch, and what the others do.
struct Reach {
  std::vector<std::int32_t> highest_before;  ///< the highest particle of the runs [0, r)
  std::vector<std::int32_t> lowest_from;     ///< the lowest particle of the runs [r, …)

  explicit Reach(const std::vector<Run>& runs = {})
      : highest_before(runs.size() + 1, -1), lowest_from(runs.size() + 1, (std::numeric_limits<std::int32_t>::max)()) {
    for (std::size_t r = 0; r < runs.size(); ++r)
      highest_before[r + 1] = (std::max)(highest_before[r], runs[r].highest());
    for (std::size_t r = runs.size(); r-- > 0;) lowest_from[r] = (std::min)(lowest_from[r + 1], runs[r].lowest());
  }
};

/// Where a piece ends and the next one begins.
struct Cut {
  std::int64_t particle;  ///< the piece below touches none from here on

  /// On to the next set to be swept: answers how many of its runs lie below the cut, and moves it below all that the others touch.
  std::size_t advance(const Reach& reach) noexcept {
    const auto above = std::ranges::lower_bound(reach.highest_before, particle) - reach.highest_before.begin();
    const auto below = static_cast<std::size_t>((std::max<std::ptrdiff_t>)(above, 1) - 1);
    particle = (std::min)(particle, std::int64_t{reach.lowest_from[below]});
    return below;
  }
};

struct Piece {
  Cut lower, upper;  ///< as they lie in its own next sweep
};

}  // namespace pbd::detail
