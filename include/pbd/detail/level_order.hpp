// SPDX-License-Identifier: MIT
//
// A walk over any graph of particles, level after level. Comes in: who is joined to whom. Leaves: a number for every
// particle in which neighbours are near each other. Included by reorder.hpp alone.
#pragma once

#include <pbd/particles.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <numeric>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace pbd::detail {

/// Who is joined to whom: the neighbours of particle i are neighbor[begin[i]] … neighbor[begin[i + 1] − 1].
struct Adjacency {
  std::vector<std::size_t> begin;
  std::vector<std::int32_t> neighbor;

  [[nodiscard]] std::span<const std::int32_t> of(std::int32_t i) const noexcept {
    const auto at = static_cast<std::size_t>(i);
    return {neighbor.data() + begin[at], begin[at + 1] - begin[at]};
  }
};

template <class Constraints>
[[nodiscard]] Adjacency adjacency(const Constraints& constraints, std::int32_t count) {
  Adjacency graph;
  graph.begin.assign(static_cast<std::size_t>(count) + 1, 0);
  for (const auto& c : constraints)
    for (const std::int32_t end : {c.i, c.j}) ++graph.begin[static_cast<std::size_t>(end) + 1];
  std::partial_sum(graph.begin.begin(), graph.begin.end(), graph.begin.begin());
  graph.neighbor.resize(graph.begin.back());
  std::vector<std::size_t> next(graph.begin.begin(), graph.begin.end() - 1);
  for (const auto& c : constraints) {
    graph.neighbor[next[static_cast<std::size_t>(c.i)]++] = c.j;
    graph.neighbor[next[static_cast<std::size_t>(c.j)]++] = c.i;
  }
  return graph;
}

/// Particles by their distance in edges from a start, level after level, and within a level in the order in which one
/// walks along it. On a grid the levels are its rows, or L-shaped from a corner; that order makes the edges between
/// two levels advance evenly. The start is found as in the reverse Cuthill-McKee ordering [George79].
struct LevelOrder {
  const Adjacency& graph;
  std::vector<std::int32_t> order;        // new → old
  std::vector<std::int32_t> level;        // by old index; −1: not reached
  std::vector<std::int32_t> rank;         // by old index: its place in `order`
  std::int32_t levels = 0;

  /// The level of the particle of a new index.
  [[nodiscard]] std::int32_t level_of(std::int32_t place) const noexcept {
    return level[static_cast<std::size_t>(order[static_cast<std::size_t>(place)])];
  }

  explicit LevelOrder(const Adjacency& graph_)
      : graph(graph_), level(graph_.begin.size() - 1, -1), rank(graph_.begin.size() - 1, -1) {
    order.reserve(level.size());
    for (std::size_t i = 0; i < level.size(); ++i)
      if (level[i] < 0) walk_component(peripheral(static_cast<std::int32_t>(i)));
  }

 private:
  std::vector<std::int32_t> mark_ = std::vector<std::int32_t>(graph.begin.size() - 1, -1);
  std::int32_t round_ = 0;

  /// One of the particles farthest from a given one, twice over: an end of the mesh.
  [[nodiscard]] std::int32_t peripheral(std::int32_t from) {
    for (int pass = 0; pass < 3; ++pass) {
      std::vector<std::int32_t> queue{from};
      mark_[static_cast<std::size_t>(from)] = ++round_;
      std::size_t last_level = 0;
      for (std::size_t begin = 0; begin < queue.size();) {
        const std::size_t end = queue.size();
        last_level = begin;
        for (; begin < end; ++begin)
          for (const std::int32_t n : graph.of(queue[begin]))
            if (std::exchange(mark_[static_cast<std::size_t>(n)], round_) != round_) queue.push_back(n);
      }
      from = *std::min_element(queue.begin() + static_cast<std::ptrdiff_t>(last_level), queue.end(),
                               [&](auto a, auto b) { return graph.of(a).size() < graph.of(b).size(); });
    }
    return from;
  }

  void walk_component(std::int32_t start) {
    std::vector<std::int32_t> current{start};
    while (!current.empty()) {
      for (const std::int32_t i : current) level[static_cast<std::size_t>(i)] = levels;
      walk_along(current);
      std::vector<std::int32_t> next;
      ++round_;
      for (const std::int32_t i : current)
        for (const std::int32_t n : graph.of(i))
          if (level[static_cast<std::size_t>(n)] < 0 &&
              std::exchange(mark_[static_cast<std::size_t>(n)], round_) != round_)
            next.push_back(n);
      ++levels;
      current = std::move(next);
    }
  }

  /// Twice the mean place of its neighbours in the level before, so that a level lies beside the one it follows.
  [[nodiscard]] double place(std::int32_t i) const {
    double sum = 0, count = 0;
    for (const std::int32_t n : graph.of(i))
      if (rank[static_cast<std::size_t>(n)] >= 0 &&
          level[static_cast<std::size_t>(n)] < level[static_cast<std::size_t>(i)]) {
        sum += rank[static_cast<std::size_t>(n)];
        ++count;
      }
    return count > 0 ? sum / count : 0;
  }

  /// Numbers a level: from its first end along its own edges, leaping to the next unvisited particle where they stop.
  void walk_along(std::vector<std::int32_t>& members) {
    struct Seat {
      bool inner;  // not an end of the level's path
      double place;
      std::int32_t particle;
    };
    std::vector<Seat> seats;
    seats.reserve(members.size());
    for (const std::int32_t i : members) {
      int inside = 0;
      for (const std::int32_t n : graph.of(i)) inside += same_level(i, n);
      seats.push_back({inside > 1, place(i), i});
    }
    std::ranges::sort(seats, [](const Seat& a, const Seat& b) {
      return a.place != b.place ? a.place < b.place : (a.inner != b.inner ? b.inner : a.particle < b.particle);
    });
    members.clear();
    for (const Seat& seat : seats) {
      for (std::int32_t i = seat.particle; i >= 0;) {
        if (rank[static_cast<std::size_t>(i)] >= 0) break;
        rank[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(order.size());
        order.push_back(i);
        members.push_back(i);
        std::int32_t onward = -1;
        double nearest = 0;
        for (const std::int32_t n : graph.of(i))
          if (same_level(i, n) && rank[static_cast<std::size_t>(n)] < 0)
            if (const double at = place(n); onward < 0 || at < nearest || (at == nearest && n < onward)) {
              onward = n;
              nearest = at;
            }
        i = onward;
      }
    }
  }

  [[nodiscard]] bool same_level(std::int32_t a, std::int32_t b) const noexcept {
    return level[static_cast<std::size_t>(a)] == level[static_cast<std::size_t>(b)];
  }
};

}  // namespace pbd::detail
