// SPDX-License-Identifier: MIT
//
// Any mesh in an order that sweeps fast. Comes in: constraints in arbitrary order on arbitrarily numbered particles.
// Leaves: new numbers for the particles and a new order for the constraints, in which make_batches() finds long runs and
// a sweep still walks across the mesh like Gauss-Seidel on a grid. Next: renumber() what refers to particles.
#pragma once

#include <pbd/detail/level_order.hpp>
#include <pbd/edge.hpp>

#include <algorithm>
#include <array>
#include <compare>
#include <cstdint>
#include <cstdlib>
#include <ranges>
#include <span>
#include <vector>

namespace pbd {

/// What reorder() finds. If `error` says so, the rest is empty.
template <EdgeConstraint C>
struct Reordering {
  std::vector<std::int32_t> new_index;  ///< of every particle, by its old index
  std::vector<C> constraints;           ///< renumbered, in their new order
  Error error;
};

namespace detail {

/// Reorders constraints into sets that share no particle, one set after the other.
template <EdgeConstraint C>
void group_independent(std::span<C> constraints, std::vector<std::int64_t>& taken, std::int64_t& round) {
  while (!constraints.empty()) {
    ++round;
    const auto rest = std::stable_partition(constraints.begin(), constraints.end(), [&](const C& c) {
      auto &i = taken[static_cast<std::size_t>(c.i)], &j = taken[static_cast<std::size_t>(c.j)];
      if (i == round || j == round) return false;
      i = j = round;
      return true;
    });
    constraints = constraints.subspan(static_cast<std::size_t>(rest - constraints.begin()));
  }
}

}  // namespace detail

/// Finds an order for any set of distance constraints (a triangle mesh's edges, say) in which make_batches() finds long
/// runs. Levels are swept one after the other, as a grid's rows are: each particle's middle edge to the next level and the
/// level's own edges, then in a second pass the slanted edges to the next level. (Slanted edges on either side of the
/// middle ones, in one pass, let a stiff sheet held by two corners gain energy until it bursts.)
///
///     auto order = pbd::reorder(edges, static_cast<std::int32_t>(particles.count()));
///     pbd::renumber(particles, order.new_index);
///     pbd::renumber(triangles, order.new_index);
///     auto batches = pbd::make_batches(order.constraints);
///
///   errors   an index out of [0, count), i = j: named in `error`, and nothing else is in the result
///   cost     O(M log M) for meshes, and the square of the most neighbours a particle has; allocates; the same input gives
///            the same order everywhere
template <std::ranges::contiguous_range Constraints>
  requires EdgeConstraint<std::ranges::range_value_t<Constraints>>
[[nodiscard]] auto reorder(const Constraints& constraints, std::int32_t count) {
  using C = std::ranges::range_value_t<Constraints>;
  Reordering<C> result;
  if (count < 0) {
    result.error = {.reason = "count is negative"};
    return result;
  }
  std::int64_t item = 0;
  for (const C& c : constraints) {
    const bool inside = c.i >= 0 && c.i < count && c.j >= 0 && c.j < count;
    if (!inside || c.i == c.j) {
      result.error = {.reason = inside ? "names the same particle twice" : "particle index out of range",
                      .subject = "constraint",
                      .item = item};
      return result;
    }
    ++item;
  }

  const detail::Adjacency graph = detail::adjacency(constraints, count);
  detail::LevelOrder walk(graph);
  // A particle's edges to the next level, from the middle one outward: role 0, 1, 2 …
  const auto role = [&](std::int32_t lower, std::int32_t upper) {
    const auto old = [&](std::int32_t rank) { return walk.order[static_cast<std::size_t>(rank)]; };
    std::int32_t below = 0, above = 0;
    for (const std::int32_t n : graph.of(old(lower))) {
      const std::int32_t rank = walk.rank[static_cast<std::size_t>(n)];
      if (rank <= lower || walk.level_of(rank) == walk.level_of(lower)) continue;
      below += rank < upper;
      above += rank > upper;
    }
    return std::abs(below - above);
  };
  struct Key {
    std::int32_t pass, level, within, role, apart, parity, lower;
    std::int64_t item;
    auto operator<=>(const Key&) const = default;
  };
  std::vector<Key> keys;
  keys.reserve(static_cast<std::size_t>(item));
  item = 0;
  for (const C& c : constraints) {
    const auto [lower, upper] =
        std::minmax({walk.rank[static_cast<std::size_t>(c.i)], walk.rank[static_cast<std::size_t>(c.j)]});
    const bool within = walk.level_of(lower) == walk.level_of(upper);
    const std::int32_t outward = within ? 0 : role(lower, upper);
    keys.push_back({outward > 0, walk.level_of(lower), within, outward, upper - lower,
                    upper - lower == 1 ? lower % 2 : 0, lower, item++});
  }
  std::ranges::sort(keys);

  // Even runs first, in each level; what advances unevenly after them, in sets that share no particle.
  const auto renumbered = [&](const Key& key) {
    C c = constraints[static_cast<std::size_t>(key.item)];
    c.i = walk.rank[static_cast<std::size_t>(c.i)];
    c.j = walk.rank[static_cast<std::size_t>(c.j)];
    if (c.i > c.j) std::swap(c.i, c.j);
    return c;
  };
  result.constraints.reserve(keys.size());
  std::vector<C> uneven;
  std::vector<std::int64_t> taken(static_cast<std::size_t>(count), 0);
  std::int64_t round = 0;
  for (auto key = keys.begin(); key != keys.end();) {
    const Key first = *key;
    const auto same_group = [&first](const Key& other) {
      return other.pass == first.pass && other.level == first.level && other.within == first.within;
    };
    const std::int32_t stride = first.apart == 1 ? 2 : 1;
    auto end = key;
    for (std::int32_t n = 0; end != keys.end() && same_group(*end) && end->role == first.role &&
                             end->apart == first.apart && end->lower == first.lower + n * stride; ++n)
      ++end;
    std::vector<C>& target = end - key >= 4 ? result.constraints : uneven;
    for (; key != end; ++key) target.push_back(renumbered(*key));
    if (key == keys.end() || !same_group(*key)) {
      detail::group_independent(std::span<C>(uneven), taken, round);
      result.constraints.insert(result.constraints.end(), uneven.begin(), uneven.end());
      uneven.clear();
    }
  }
  result.new_index = std::move(walk.rank);
  return result;
}

/// Moves every particle to its new index.
///
///   errors  new_index is not a permutation of 0 … N − 1: nothing has moved
///   cost    O(N), allocates
template <ParticleSet P>
Error renumber(P& particles, std::span<const std::int32_t> new_index) {
  if (static_cast<Index>(new_index.size()) != particles.count())
    return {.reason = "new_index and particles differ in length", .subject = "particles"};
  if (const Error error = validate_sizes(particles)) return error;
  std::vector<bool> taken(new_index.size(), false);
  for (std::size_t n = 0; n < new_index.size(); ++n) {
    const auto to = static_cast<std::size_t>(new_index[n]);
    if (new_index[n] < 0 || to >= taken.size() || taken[to])
      return {.reason = "new index out of range or given twice",
              .subject = "particle",
              .item = static_cast<std::int64_t>(n)};
    taken[to] = true;
  }
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, std::int32_t> permutation(
      Eigen::Map<const Eigen::Matrix<std::int32_t, Eigen::Dynamic, 1>>(new_index.data(), particles.count()));
  particles.position = (particles.position * permutation.transpose()).eval();
  particles.predicted = (particles.predicted * permutation.transpose()).eval();
  particles.velocity = (particles.velocity * permutation.transpose()).eval();
  particles.inverse_mass = (permutation * particles.inverse_mass).eval();
  if (particles.unpinned_inverse_mass.size() > 0)
    particles.unpinned_inverse_mass = (permutation * particles.unpinned_inverse_mass).eval();
  return {};
}

/// Gives indices into the particles their new numbers: a range of them (pins) or of arrays of them (triangles). They must
/// be in range.
template <std::ranges::range Items>
void renumber(Items&& items, std::span<const std::int32_t> new_index) noexcept {
  for (auto& item : items)
    if constexpr (std::ranges::range<decltype(item)>)
      renumber(item, new_index);
    else
      item = new_index[static_cast<std::size_t>(item)];
}

}  // namespace pbd
