// SPDX-License-Identifier: MIT
//
// 4. Far pulls first: the coarse levels of a grid, before the sweeps of its own constraints. Comes in: the columns, rows
// and rest lengths of a sheet. Leaves: a set for step() that carries a pull from one end of the sheet to the other in
// one sweep, where a sweep of the sheet's own constraints carries it a link or so. Next: those constraints, which see to
// all that is finer than a coarse cell.
#pragma once

#include <pbd/detail/coarse_level.hpp>
#include <pbd/gauss_seidel.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace pbd {

/// The coarse levels of one sheet. make_coarse_to_fine() makes it; step() takes it before the sheet's own sets.
///
/// Two nodes of a level are at most as far apart as the grid's links between them are long together, wherever the sheet
/// folds: one-sided limits, for hard cloth. They know of no compliance and would make a springy sheet stiff.
/// The masses and pins are looked at in every substep, so they may change at any time.
///
/// A coarse level knows only its own nodes, and what it takes for a pull may be a wave that runs through the sheet.
/// Unbounded, its corrections can add energy, the more so the shorter the substeps are; so they are scaled down, all
/// alike, to where they do not add kinetic energy to the substep.
template <class Scalar_ = float, int Dim = 3>
struct CoarseToFine {
  using Scalar = Scalar_;

  int sweeps = 2;  ///< of every level
  int cycles = (std::numeric_limits<int>::max)();  ///< at most, in a substep: its later sweeps leave the levels out

  int columns = 0;
  int rows = 0;
  std::array<Scalar, 2> pitch{};  ///< m, between columns and between rows
  bool diagonals = false;         ///< can the sheet's cells not shear: has it both diagonals
  Error error;                    ///< if it says so, step() refuses the set
  std::vector<detail::CoarseLevel<Scalar, Dim>> levels;  ///< the finest first
  std::vector<Scalar> weighed;     ///< the inverse masses that the nodes' masses were made from
  std::vector<Scalar> moved;       ///< m, of all particles: what this sweep adds
  std::vector<std::int32_t> pins;  ///< the pinned particles; room for all, the first `pin_count` count
  std::size_t pin_count = 0;
  int swept = 0;

  /// O(N); again as much where an inverse mass has changed.
  template <ParticleSet P>
  void begin_substep(P& particles, const Substep<Scalar>&) noexcept {
    swept = 0;
    bool same = true;
    for (std::size_t i = 0; i < weighed.size(); ++i)
      same = same && weighed[i] == particles.inverse_mass(static_cast<Index>(i));
    if (!same) weigh(particles);
  }

  /// One cycle: from the coarsest level down each one starts from what the coarser ones did, sweeps its limits, and
  /// hands on what it added; the last one moves the particles.
  ///
  ///   reads    predicted, position (Dim×N, m), inverse_mass (N, 1/kg)
  ///   writes   predicted of free particles; Σ m x* stays as it is, unless a pin pulls
  ///   needs    begin_substep before the first one
  ///   cost     O(N), as much as a few sweeps of the sheet's own; no allocation
  ///   source   [Mueller08]; the masses, the pins and the bound on energy are our own
  template <ParticleSet P>
  void sweep(P& particles, const Substep<Scalar>& substep) noexcept {
    if (swept >= cycles || levels.empty()) return;
    ++swept;
    levels.back().nodes.velocity.setZero();
    for (std::size_t q = levels.size(); q-- > 0;) {
      auto& level = levels[q];
      auto& nodes = level.nodes;
      if (q + 1 < levels.size())
        levels[q + 1].prolong([&nodes](Index node, const auto& by) {
          for (int d = 0; d < Dim; ++d)
            nodes.velocity(d, node) = nodes.inverse_mass(node) > 0 ? by[static_cast<std::size_t>(d)] : Scalar{0};
        });
      for_each_node(level, [&](Index node, Index i) {
        for (int d = 0; d < Dim; ++d) {
          nodes.position(d, node) = particles.predicted(d, i);
          nodes.predicted(d, node) = particles.predicted(d, i) + nodes.velocity(d, node);
        }
      });
      for (int n = 0; n < sweeps; ++n) {
        hold(level, particles, substep);
        level.limits.sweep(nodes, substep);
      }
      for (Index node = 0; node < nodes.count(); ++node)  // what is not a number stays with its own particle
        for (int d = 0; d < Dim; ++d) {
          const Scalar by = nodes.predicted(d, node) - nodes.position(d, node);
          nodes.velocity(d, node) = detail::is_finite(by) ? by : Scalar{0};
        }
    }
    move(particles);
  }

  template <ParticleSet P>
  [[nodiscard]] Error validate_indices(const P& particles) const noexcept {
    if (error) return error;
    if (particles.count() == Index{columns} * rows) return {};
    return {.reason = "made for another number of particles", .subject = "coarse levels"};
  }

  /// How long the shortest way along the grid is, m.
  [[nodiscard]] Scalar way(int across, int down) const noexcept {
    const int c = std::abs(across), r = std::abs(down), both = diagonals ? (std::min)(c, r) : 0;
    return static_cast<Scalar>(c - both) * pitch[0] + static_cast<Scalar>(r - both) * pitch[1] +
           static_cast<Scalar>(both) * std::sqrt(pitch[0] * pitch[0] + pitch[1] * pitch[1]);
  }

 private:
  /// Calls visit(node, particle) for every node of a level.
  template <class Visit>
  void for_each_node(const detail::CoarseLevel<Scalar, Dim>& level, Visit&& visit) const noexcept {
    Index node = 0;
    for (const int r : level.down.at)
      for (const int c : level.across.at) visit(node++, Index{r} * columns + c);
  }

  /// M = Pᵀm level by level, of what is not pinned: then Σ M ΔX = 0 makes Σ m Δx = 0.
  template <ParticleSet P>
  void weigh(const P& particles) noexcept {
    pin_count = 0;
    for (std::size_t i = 0; i < weighed.size(); ++i) {
      weighed[i] = particles.inverse_mass(static_cast<Index>(i));
      if (!(weighed[i] > 0)) pins[pin_count++] = static_cast<std::int32_t>(i);
    }
    for (std::size_t q = 0; q < levels.size(); ++q) {
      auto& level = levels[q];
      std::fill(level.mass.begin(), level.mass.end(), Scalar{0});
      std::size_t finer = 0;
      for (int r = 0; r < static_cast<int>(level.down.before.size()); ++r)
        for (int c = 0; c < static_cast<int>(level.across.before.size()); ++c, ++finer) {
          const Scalar inverse = q == 0 ? weighed[finer] : levels[q - 1].nodes.inverse_mass(static_cast<Index>(finer));
          if (inverse > 0)
            level.for_each_node_about(c, r, [&](Index node, Scalar share) {
              level.mass[static_cast<std::size_t>(node)] += share * (Scalar{1} / inverse);
            });
        }
      for_each_node(level, [&](Index node, Index i) {
        const bool free = weighed[static_cast<std::size_t>(i)] > 0;
        level.nodes.inverse_mass(node) = free ? Scalar{1} / level.mass[static_cast<std::size_t>(node)] : Scalar{0};
      });
    }
  }

  /// Pinned particles that are no node of this level hold the nodes about them.
  template <ParticleSet P>
  void hold(detail::CoarseLevel<Scalar, Dim>& level, const P& particles, const Substep<Scalar>& substep) noexcept {
    const auto last_not_beyond = [](const std::vector<int>& at, int c) {
      return static_cast<int>(std::upper_bound(at.begin(), at.end(), c) - at.begin()) - 1;
    };
    const auto pin = static_cast<int>(level.nodes.count()) - 1;
    for (std::size_t k = 0; k < pin_count; ++k) {
      const int c = pins[k] % columns, r = pins[k] / columns;
      const int left = last_not_beyond(level.across.at, c), top = last_not_beyond(level.down.at, r);
      const int right = left + (level.across.at[static_cast<std::size_t>(left)] < c);
      const int bottom = top + (level.down.at[static_cast<std::size_t>(top)] < r);
      if (left == right && top == bottom) continue;
      level.nodes.predicted.col(pin) = particles.predicted.col(pins[k]);
      for (int b = top; b <= bottom; ++b)
        for (int a = left; a <= right; ++a)
          at_most(b * level.columns() + a, pin,
                  way(level.across.at[static_cast<std::size_t>(a)] - c, level.down.at[static_cast<std::size_t>(b)] - r))
              .project(level.nodes, substep);
    }
  }

  /// x* += θ u, with the largest θ ≤ 1 for which Σ m ‖x* − x + θu‖² is not above Σ m ‖x* − x‖². Sums in double, in order.
  template <ParticleSet P>
  void move(P& particles) noexcept {
    double along = 0, squares = 0;
    Scalar* to = moved.data();
    levels.front().prolong([&](Index i, const auto& by) {
      const Scalar w = particles.inverse_mass(i);
      for (int d = 0; d < Dim; ++d) {
        const Scalar u = w > 0 ? by[static_cast<std::size_t>(d)] : Scalar{0};
        *to++ = u;
        if (u == 0) continue;
        const double push = static_cast<double>(u) / static_cast<double>(w);
        const double work = push * static_cast<double>(particles.predicted(d, i) - particles.position(d, i));
        if (!detail::is_finite(work)) continue;
        along += work;
        squares += push * static_cast<double>(u);
      }
    });
    if (!(along < 0)) return;
    const Scalar theta = squares > -2 * along ? static_cast<Scalar>(-2 * along / squares) : Scalar{1};
    const Scalar* from = moved.data();
    for (Index i = 0; i < particles.count(); ++i)
      for (int d = 0; d < Dim; ++d) {
        const Scalar u = *from++;
        if (particles.inverse_mass(i) > 0) particles.predicted(d, i) += theta * u;
      }
  }
};

/// The levels of a grid of columns × rows particles, row by row, `pitch` m apart: the cloth's own constraints, hard and
/// of these lengths, go to step() behind it. With `diagonals`, the cells have both of theirs.
///
///   errors   no column or row, a pitch that is no positive number: named in `error`
///   cost     O(columns · rows), allocates
template <class Scalar, int Dim>
[[nodiscard]] CoarseToFine<Scalar, Dim> make_coarse_to_fine(int columns, int rows, const std::array<Scalar, 2>& pitch,
                                                            bool diagonals = false) {
  CoarseToFine<Scalar, Dim> coarse;
  const auto refuse = [&coarse](const char* reason) {
    coarse.error = {.reason = reason, .subject = "coarse levels"};
    return coarse;
  };
  if (columns < 1 || rows < 1) return refuse("columns or rows is less than 1");
  if (std::int64_t{columns} * rows > INT32_MAX) return refuse("more particles than a 32-bit index can name");
  for (std::size_t axis = 0; axis < 2; ++axis)
    if ((axis == 0 ? columns : rows) > 1 && (!detail::is_finite(pitch[axis]) || !(pitch[axis] > 0)))
      return refuse("the pitch is not a positive, finite number");
  coarse.columns = columns;
  coarse.rows = rows;
  coarse.pitch = pitch;
  coarse.diagonals = diagonals;

  std::vector<int> across, down;
  for (int c = 0; c < columns; ++c) across.push_back(c);
  for (int r = 0; r < rows; ++r) down.push_back(r);
  for (std::int64_t links = 2; across.size() > 2 || down.size() > 2; links *= 2) {
    detail::CoarseLevel<Scalar, Dim> level;
    level.across = detail::coarse_axis<Scalar>(columns, links, across);
    level.down = detail::coarse_axis<Scalar>(rows, links, down);
    across = level.across.at;
    down = level.down.at;
    const int width = level.columns(), height = level.rows();
    std::vector<DistanceLimit<Scalar>> limits;
    const auto limit = [&](int c, int r, int c2, int r2) {
      if (c2 < 0 || c2 >= width || r2 >= height) return;
      const auto apart = [](const std::vector<int>& at, int a, int b) {
        return at[static_cast<std::size_t>(b)] - at[static_cast<std::size_t>(a)];
      };
      limits.push_back(at_most(r * width + c, r2 * width + c2, coarse.way(apart(across, c, c2), apart(down, r, r2))));
    };
    for (int r = 0; r < height; ++r) {  // the order of SweepOrder::rows
      for (int c = 0; c < width; ++c) limit(c, r, c, r + 1);
      for (const int start : {0, 1})
        for (int c = start; c < width; c += 2) limit(c, r, c + 1, r);
      for (int c = 0; diagonals && c < width; ++c) limit(c, r, c + 1, r + 1);
      for (int c = 0; diagonals && c < width; ++c) limit(c, r, c - 1, r + 1);
    }
    level.limits = make_batches(limits);
    level.nodes = Particles<Scalar, Dim, Layout::planar>(Index{width} * height + 1);
    level.nodes.inverse_mass(Index{width} * height) = 0;
    level.mass.resize(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
    coarse.levels.push_back(std::move(level));
  }
  const auto count = static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows);
  coarse.weighed.assign(count, Scalar{-1});  // no inverse mass: the first substep weighs
  coarse.moved.resize(count * static_cast<std::size_t>(Dim));
  coarse.pins.resize(count);
  return coarse;
}

/// The levels of a sheet that make_cloth() made: its longest horizontal and vertical links count.
///
///     auto coarse = pbd::make_coarse_to_fine(cloth);
///     pbd::step(cloth.particles, settings, coarse, cloth.structural, cloth.shear);
template <class Cloth>
  requires requires(const Cloth& cloth) {
    cloth.structural[0].rest_length;
    cloth.shear.empty();
    cloth.columns* cloth.rows;
  }
[[nodiscard]] auto make_coarse_to_fine(const Cloth& cloth) {
  using P = decltype(cloth.particles);
  using Scalar = typename P::Scalar;
  std::array<Scalar, 2> pitch{};
  for (const auto& edge : cloth.structural) {
    Scalar& longest = pitch[cloth.columns > 1 && std::abs(edge.i - edge.j) == 1 ? 0 : 1];
    longest = (std::max)(longest, edge.rest_length);
  }
  return make_coarse_to_fine<Scalar, P::dim>(cloth.columns, cloth.rows, pitch, !cloth.shear.empty());
}

}  // namespace pbd
