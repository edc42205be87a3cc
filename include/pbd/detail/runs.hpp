// SPDX-License-Identifier: MIT
//
// Runs: neighbours in an array of constraints that can be projected several at a time, and how they are found. Comes
// in: index pairs in array order. Leaves: the runs, in that order, and the indices that no stride describes. Included
// by batches.hpp alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

namespace pbd {

/// How the particles of a run of constraints lie. In all shapes but the last, no particle occurs twice.
enum class RunShape : std::int32_t {
  contiguous,  ///< constraint k joins i + k and j + k: a row of a grid and the next one
  pairs,       ///< constraint k joins i + 2k and j + 2k, |i − j| = 1: every other edge along a row
  scattered,   ///< independent, with listed indices
  sequential,  ///< neighbours share particles: one after another, with listed indices
};

struct Run {
  RunShape shape;
  std::int32_t count;        ///< constraints in it
  std::int32_t i;            ///< the first constraint's particles; of listed ones the lowest …
  std::int32_t j;            ///< … and the highest in the run
  std::int64_t first;        ///< where its constraints begin in the array
  std::int64_t listed;       ///< where its indices begin in Batches::i and j, if they are listed
  bool uniform = false;      ///< all its constraints have the same numbers, but for those that a sweep changes …
  std::int64_t numbers = 0;  ///< … which is where in the array a sweep reads them: many runs share a place

  [[nodiscard]] constexpr bool is_listed() const noexcept { return shape >= RunShape::scattered; }
  [[nodiscard]] constexpr std::int32_t stride() const noexcept { return shape == RunShape::pairs ? 2 : 1; }

  /// The lowest and the highest particle that it touches.
  [[nodiscard]] constexpr std::int32_t lowest() const noexcept { return (std::min)(i, j); }
  [[nodiscard]] constexpr std::int32_t highest() const noexcept {
    return is_listed() ? j : (std::max)(i, j) + (count - 1) * stride();
  }
};

namespace detail {

/// Finds the runs of an array of index pairs, in order, greedily: the longest even run that starts here if it fills
/// the lanes of the smallest register, otherwise a listed one up to the next particle that occurs again.
template <std::ranges::random_access_range Constraints>
void find_runs(const Constraints& constraints, std::int32_t highest, std::vector<Run>& runs,
               std::vector<std::int32_t>& is, std::vector<std::int32_t>& js) {
  constexpr std::int64_t shortest = 4;
  const auto size = static_cast<std::int64_t>(std::ranges::size(constraints));
  const auto at = [&constraints](std::int64_t k) -> decltype(auto) {
    return std::ranges::begin(constraints)[static_cast<std::ranges::range_difference_t<const Constraints>>(k)];
  };

  const auto even_run = [&](std::int64_t k, RunShape shape) -> std::int64_t {
    const std::int64_t i = at(k).i, j = at(k).j, apart = i < j ? j - i : i - j;
    const std::int64_t stride = shape == RunShape::pairs ? 2 : 1;
    if (shape == RunShape::pairs && apart != 1) return 1;
    const std::int64_t most = shape == RunShape::pairs ? size - k : (std::min)(size - k, apart);
    std::int64_t n = 1;
    while (n < most && n < INT32_MAX && at(k + n).i == i + n * stride && at(k + n).j == j + n * stride) ++n;
    return n;
  };
  const auto longest_even_run = [&](std::int64_t k, RunShape& shape) {
    const std::int64_t contiguous = even_run(k, RunShape::contiguous);
    const std::int64_t pairs = even_run(k, RunShape::pairs);
    shape = pairs > contiguous ? RunShape::pairs : RunShape::contiguous;
    return (std::max)(pairs, contiguous);
  };

  std::vector<std::int64_t> seen(static_cast<std::size_t>(highest) + 1, -1);  // the run that last touched a particle
  for (std::int64_t k = 0; k < size;) {
    RunShape shape;
    const std::int64_t even = longest_even_run(k, shape);
    if (even >= shortest) {
      runs.push_back({shape, static_cast<std::int32_t>(even), at(k).i, at(k).j, k, -1});
      k += even;
      continue;
    }
    Run run{RunShape::scattered, 0, at(k).i, at(k).j, k, static_cast<std::int64_t>(is.size())};
    if (run.i > run.j) std::swap(run.i, run.j);
    for (RunShape ignored; k < size && (run.count == 0 || longest_even_run(k, ignored) < shortest); ++k) {
      const auto i = static_cast<std::size_t>(at(k).i), j = static_cast<std::size_t>(at(k).j);
      if (run.count > 0 && (seen[i] == run.first || seen[j] == run.first)) break;
      seen[i] = seen[j] = run.first;
      is.push_back(at(k).i);
      js.push_back(at(k).j);
      run.i = (std::min)({run.i, is.back(), js.back()});
      run.j = (std::max)({run.j, is.back(), js.back()});
      ++run.count;
    }
    if (run.count < shortest) run.shape = RunShape::sequential;
    const bool joins = run.shape == RunShape::sequential && !runs.empty() &&
                       runs.back().shape == RunShape::sequential && runs.back().first + runs.back().count == run.first;
    if (!joins) {
      runs.push_back(run);
    } else {
      runs.back().count += run.count;
      runs.back().i = (std::min)(runs.back().i, run.i);
      runs.back().j = (std::max)(runs.back().j, run.j);
    }
  }
}

}  // namespace detail

}  // namespace pbd
