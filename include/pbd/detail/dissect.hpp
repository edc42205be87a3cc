// SPDX-License-Identifier: MIT
//
// In which order to eliminate the particles of a mesh so that few blocks fill in: halve it by a line of particles,
// which come last, and halve the halves likewise (nested dissection, [George73]). Comes in: who is coupled to whom, and
// where they are. Leaves: a tree of fronts in postorder. Included by block_cholesky.hpp alone.
#pragma once

#include <pbd/block_matrix.hpp>
#include <pbd/detail/level_order.hpp>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace pbd::detail {

/// Particles that are eliminated together, after those of its children.
struct Front {
  std::int32_t first;     ///< its particles stand in Dissection::order from here …
  std::int32_t count;     ///< … this many
  std::int32_t children;  ///< of the fronts before it that have no parent yet, the last so many
};

struct Dissection {
  std::vector<std::int32_t> order;  ///< particles, in the order of their elimination
  std::vector<Front> fronts;        ///< children before parents, a subtree in one piece
};

/// Halves along each axis and along the levels of a breadth-first walk, which needs no places, and keeps the cut that
/// goes through the fewest particles.
template <int Dim>
class Dissector {
 public:
  Dissector(const BlockMatrix<Dim>& matrix, const BlockVector<Dim>& places)
      : graph_(adjacency(ends(matrix), static_cast<std::int32_t>(matrix.count()))),
        places_(places),
        level_(matrix.diagonal.size(), elsewhere) {}

  [[nodiscard]] Dissection operator()() {
    std::vector<std::int32_t> all(level_.size());
    std::iota(all.begin(), all.end(), 0);
    if (!all.empty()) dissect(all);
    return std::move(result_);
  }

 private:
  struct Edge {
    std::int32_t i, j;
  };
  struct Halves {
    std::vector<std::int32_t> low, high, cut;
  };
  // Fewer particles make one dense front: two smaller ones and a cut would cost more to keep than to compute.
  static constexpr std::size_t smallest = 12;
  static constexpr std::int32_t unseen = -1, elsewhere = -2, upper = -3;

  [[nodiscard]] static std::vector<Edge> ends(const BlockMatrix<Dim>& matrix) {
    std::vector<Edge> edges;
    for (const auto& [i, j] : matrix.pairs) edges.push_back({i, j});
    return edges;
  }

  /// Depth: log2 of the count, for each call has at most half of the particles of the one above it.
  void dissect(const std::vector<std::int32_t>& particles) {
    if (particles.size() < smallest) return append(particles, 0);
    Halves best = halve(particles, 0);
    for (int key = 1; key <= Dim; ++key)
      if (Halves other = halve(particles, key); other.cut.size() < best.cut.size()) best = std::move(other);
    std::int32_t children = 0;
    for (const auto* half : {&best.low, &best.high}) {
      if (half->empty()) continue;
      dissect(*half);
      ++children;
    }
    append(best.cut, children);
  }

  void append(const std::vector<std::int32_t>& particles, std::int32_t children) {
    const auto first = static_cast<std::int32_t>(result_.order.size());
    result_.fronts.push_back({first, static_cast<std::int32_t>(particles.size()), children});
    result_.order.insert(result_.order.end(), particles.begin(), particles.end());
  }

  /// The cut is what of the lower half touches the upper one. Key 0 … Dim − 1: an axis; Dim: the levels of a walk.
  [[nodiscard]] Halves halve(const std::vector<std::int32_t>& particles, int key) {
    walk(particles);
    const auto less = [&](std::int32_t a, std::int32_t b) {
      if (key < Dim && places_(key, a) != places_(key, b)) return places_(key, a) < places_(key, b);
      if (key == Dim && level(a) != level(b)) return level(a) < level(b);
      return a < b;
    };
    std::vector<std::int32_t> sorted = particles;
    std::sort(sorted.begin(), sorted.end(), less);
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
    Halves halves;
    halves.high.assign(middle, sorted.end());
    for (const auto i : halves.high) level(i) = upper;
    for (auto i = sorted.begin(); i != middle; ++i) {
      const auto joined = graph_.of(*i);
      const bool touches = std::any_of(joined.begin(), joined.end(), [&](auto j) { return level(j) == upper; });
      (touches ? halves.cut : halves.low).push_back(*i);
    }
    for (const auto i : particles) level(i) = elsewhere;
    for (auto* part : {&halves.low, &halves.high, &halves.cut}) std::sort(part->begin(), part->end());
    return halves;
  }

  /// Levels by distance from where a first walk ended; a piece of the mesh that is joined to nothing comes after the
  /// last.
  void walk(const std::vector<std::int32_t>& particles) {
    std::vector<std::int32_t> queue, starts = particles;
    for (int pass = 0; pass < 2; ++pass) {
      for (const auto i : particles) level(i) = unseen;
      queue.clear();
      for (const auto start : starts) {
        if (level(start) != unseen) continue;
        std::size_t next = queue.size();
        level(start) = queue.empty() ? 0 : level(queue.back()) + 1;
        queue.push_back(start);
        for (; next < queue.size(); ++next)
          for (const auto j : graph_.of(queue[next]))
            if (level(j) == unseen) {
              level(j) = level(queue[next]) + 1;
              queue.push_back(j);
            }
      }
      starts.assign(queue.rbegin(), queue.rend());
    }
  }

  [[nodiscard]] std::int32_t& level(std::int32_t i) noexcept { return level_[static_cast<std::size_t>(i)]; }

  Adjacency graph_;
  const BlockVector<Dim>& places_;
  std::vector<std::int32_t> level_;  // of the particles at hand: from 0
  Dissection result_;
};

}  // namespace pbd::detail
