// SPDX-License-Identifier: MIT
//
// Which links make a line, and which lines lie evenly side by side. Included by lines.hpp alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ranges>
#include <utility>
#include <vector>

namespace pbd {

/// So many lines stand side by side in the fields: as many as the widest registers of any file that may solve them hold.
inline constexpr std::int32_t line_block = 16;

/// So many registers of lines are copied together, at most.
inline constexpr std::int32_t most_copied_strips = 4;

/// Lines with as many links as each other that share no particle: they are solved side by side.
struct LineGroup {
  std::int32_t lines;         ///< how many
  std::int32_t links;         ///< in each of them
  std::int32_t first;         ///< particle k of line l is first + k·stride + l·line_stride …
  std::int32_t stride;        ///< … if stride is not 0: otherwise they are listed
  std::int32_t line_stride;
  std::int64_t first_link;    ///< where their links begin in the fields
  std::int64_t listed;        ///< particle k of line l is at listed + k·lines + l in `particles`

  /// Where link k of line l stands in the fields: blocks of line_block lines, in them link by link, side by side.
  [[nodiscard]] std::size_t link(std::int32_t l, std::int32_t k) const noexcept {
    const std::int32_t block = l / line_block * line_block;
    return static_cast<std::size_t>(first_link + std::int64_t{block} * links + std::int64_t{k} * width_of_block(l) + l - block);
  }
  [[nodiscard]] std::int32_t width_of_block(std::int32_t l) const noexcept {
    const std::int32_t left = lines - l / line_block * line_block;
    return left < line_block ? left : line_block;
  }

  /// How many registers of neighbouring lines are copied together. Where each step along a line is on another page of
  /// memory, finding the page is what costs: then what else it has of use is taken along.
  template <class Scalar>
  [[nodiscard]] std::int32_t copied_strips() const noexcept {
    const std::int64_t apart = stride < 0 ? -std::int64_t{stride} : stride;
    return apart * static_cast<std::int64_t>(sizeof(Scalar)) >= 2048 ? most_copied_strips : 1;
  }
};

namespace detail {

/// The particles of a line, from one end to the other.
using Chain = std::vector<std::int32_t>;

/// Cuts an array of links into lines: a link that shares a particle with the end of the line before it continues it,
/// unless that closes a loop. Answers the particles of each line.
template <std::ranges::random_access_range Constraints>
[[nodiscard]] std::vector<Chain> find_chains(const Constraints& constraints, std::int32_t highest) {
  std::vector<Chain> chains;
  std::vector<std::size_t> seen(static_cast<std::size_t>(highest) + 1, 0);  // the last line, counted from 1, that has it
  for (const auto& link : constraints) {
    bool joined = false;
    if (!chains.empty()) {
      Chain& chain = chains.back();
      if (chain.size() == 2 && (chain[0] == link.i || chain[0] == link.j)) std::swap(chain[0], chain[1]);
      if (chain.back() == link.i || chain.back() == link.j) {
        const std::int32_t next = chain.back() == link.i ? link.j : link.i;
        std::size_t& line = seen[static_cast<std::size_t>(next)];
        if (line != chains.size()) {
          line = chains.size();
          chain.push_back(next);
          joined = true;
        }
      }
    }
    if (joined) continue;
    chains.push_back({link.i, link.j});
    for (const std::int32_t p : chains.back()) seen[static_cast<std::size_t>(p)] = chains.size();
  }
  return chains;
}

/// Is particle k of line l first + k·stride + l·line_stride for all of the group? Then it needs no list.
inline void describe(LineGroup& group, const std::vector<Chain>& chains, std::size_t first_chain) {
  const auto line = [&](std::int32_t l) -> const Chain& { return chains[first_chain + static_cast<std::size_t>(l)]; };
  group.first = line(0)[0];
  group.stride = line(0)[1] - group.first;
  group.line_stride = group.lines > 1 ? line(1)[0] - group.first : 1;
  for (std::int32_t l = 0; l < group.lines; ++l)
    for (std::int32_t k = 0; k <= group.links; ++k)
      if (line(l)[static_cast<std::size_t>(k)] != group.first + k * group.stride + l * group.line_stride) {
        group.stride = 0;
        return;
      }
}

}  // namespace detail

}  // namespace pbd
