// SPDX-License-Identifier: MIT
//
// 4. Chains of links solved whole: ropes, hair, the rows and columns of a sheet. Comes in: an array of distance
// constraints in which a link follows the link that it hangs on. Leaves: a set for step() whose sweep makes every link of
// a line right at once, in O(1) a link, where Gauss-Seidel needs a number of sweeps that grows with the square of the
// line's length. One line after another, in array order; several lines that share no particle at a time.
// Next: global_solve.hpp, for what is no line.
#pragma once

#include <pbd/detail/line_steps.hpp>
#include <pbd/distance.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <ranges>
#include <vector>

namespace pbd {

/// A constraint set: lines. make_lines() makes it.
template <class Scalar_>
struct Lines {
  using Scalar = Scalar_;

  std::vector<LineGroup> groups;
  std::vector<Scalar> rest_length;       ///< d, m
  std::vector<Scalar> inverse_rest_length;  ///< 1/d, 1/m; the largest number for a d of 0
  std::vector<Scalar> compliance;        ///< α, m/N; empty if all are 0
  std::vector<Scalar> lambda;            ///< λ accumulated in this substep, N·s²; tension is −λ/h²
  std::vector<std::int32_t> particles;   ///< of groups without a stride
  mutable std::vector<Scalar> work;      ///< of a solve, and of max_stretch(): one thread at a time may ask either
  std::vector<Scalar> tiles;             ///< of a large sheet: 10 numbers a particle, for the time of a step
  std::int64_t count = 0;      ///< links
  std::int32_t highest = -1;   ///< the highest particle index of all
  Scalar tightness = 0;        ///< T/(m·length) of the tightest link in the last substep, 1/s²
  Scalar tightest_now = 0;     ///< h²T/(m·length) in this substep so far
  Error error;                 ///< if it says so, the set is empty

  template <ParticleSet P>
  void begin_substep(P&, const Substep<Scalar>&) noexcept {
    tightest_now = 0;
    std::fill(lambda.begin(), lambda.end(), Scalar{0});
  }

  /// Solves every line, in array order: all its links are right then, to first order; what is left is quadratic in what
  /// was wrong. Lines that cross, as columns and rows do, disturb each other, so the sweep goes back over the groups
  /// before the last one: columns, rows, columns; and there and back again, up to four times, while a line asks for nearly
  /// more than may be trusted. What is left then goes with another sweep, or with step() to a tolerance. Solved one way
  /// only, crossing lines would be stable in shorter substeps only, of h²T/(m·length) < 1/3.
  ///
  ///   reads    predicted (Dim×N, m), inverse_mass (N, 1/kg)
  ///   writes   predicted; lambda
  ///   needs    every index in [0, N): step() asks
  ///   skips    coincident or both-pinned neighbours; what has no solution (a line too long between two pins, a step too
  ///            long for the tension) gives way, see detail/solve_lines.hpp
  ///   cost     O(M); no allocation
  ///   source   [Bender08], strips of a cloth solved each in linear time; the system is [Macklin16] eq. 16
  template <ParticleSet P>
  void sweep(P& set, const Substep<Scalar>& substep) noexcept {
    detail::LineSweep{*this, substep, place_in(set)}.sweep();
  }

  /// All substeps of a step. Where every particle is in one of the first group's lines, as in a sheet's columns, their last
  /// solve, the velocities, the next prediction and the next first solve are done line by line, while the lines are in
  /// the cache: the same bits, in less time. Answers false, and does nothing, where it is not so. step() tries it if this
  /// is the only set with anything in it, and there is no tolerance.
  template <ParticleSet P>
  [[nodiscard]] bool iterate(P& set, const VectorOf<P>& gravity, const Substep<Scalar>& substep, int substeps) noexcept {
    if (groups.empty() || !detail::has_all(groups[0], set)) return false;
    detail::LineMotion<Scalar, static_cast<std::size_t>(P::dim)> motion{{}, {}, {}, substep.dt, groups[0].stride};
    for (int d = 0; d < P::dim; ++d) {
      const auto at = static_cast<std::size_t>(d);
      motion.position[at] = detail::coordinate<P>(set.position, d).data;
      motion.velocity[at] = detail::coordinate<P>(set.velocity, d).data;
      motion.gain[at] = substep.dt * gravity(d);
    }
    if (tiles.empty()) {
      detail::LineSweep{*this, substep, place_in(set)}.take_substeps(motion, substeps);
    } else {
      const detail::LineTiles<Scalar, static_cast<std::size_t>(P::dim)> sheet(tiles.data(), groups[0]);
      sheet.template copy<false>(set);
      motion.position = sheet.position;
      motion.velocity = sheet.velocity;
      motion.stride = detail::line_tile;
      const auto place_of = [&sheet](const LineGroup& group) { return sheet.place(group); };
      detail::LineSweep{*this, substep, place_of}.take_substeps(motion, substeps);
      sheet.template copy<true>(set);
    }
    return true;
  }

  /// How many substeps of a dt keep the lines from shaking: h²T/(m·length) below 1, with room for T to grow by half. T is the
  /// last substep's tension, but no less than the weight of a whole line in a field of `gravity` (m/s²), and no more than
  /// 16 times that: whoever pulls harder gets lines that give way. O(M).
  template <ParticleSet P>
  [[nodiscard]] int substeps(const P& set, Scalar of_dt, Scalar gravity) const noexcept {
    if (validate_indices(set)) return 1;
    Scalar hanging = 0;
    for (const LineGroup& group : groups)
      for (std::int32_t l = 0; l < group.lines; ++l) {
        Scalar mass = 0, lightest = 0, shortest = (std::numeric_limits<Scalar>::max)();
        for (std::int32_t k = 0; k <= group.links; ++k) {
          const Scalar w = set.inverse_mass(particle(group, l, k));
          if (w > 0) mass += Scalar{1} / w;
          lightest = (std::max)(lightest, w);
          if (k == group.links) continue;
          const Scalar d = rest_length[group.link(l, k)];
          if (d > 0) shortest = (std::min)(shortest, d);
        }
        hanging = (std::max)(hanging, std::abs(gravity) * mass * lightest / shortest);
      }
    const Scalar needed = of_dt * std::sqrt(Scalar(1.5) * (std::max)(hanging, (std::min)(tightness, 16 * hanging)));
    if (!(needed > 1)) return 1;
    return needed < Scalar(1 << 20) ? static_cast<int>(std::ceil(needed)) : 1 << 20;
  }

  /// O(1).
  template <ParticleSet P>
  [[nodiscard]] Error validate_indices(const P& set) const noexcept {
    if (error) return error;
    if (highest < set.count()) return {};
    return {.reason = "particle index out of range", .subject = "constraints"};
  }

  /// Calls visit(constraint) for every link as it stands (λ too), in array order.
  template <class Visit>
  void for_each_constraint(Visit&& visit) const {
    for (const LineGroup& group : groups)
      for (std::int32_t l = 0; l < group.lines; ++l)
        for (std::int32_t k = 0; k < group.links; ++k) {
          const std::size_t at = group.link(l, k);
          CompliantDistanceConstraint<Scalar> link{particle(group, l, k), particle(group, l, k + 1), rest_length[at]};
          if (!compliance.empty()) link.compliance = compliance[at];
          link.lambda = lambda[at];
          visit(link);
        }
  }

  /// The largest |C|/d of `position`; infinite if any is not finite.
  template <ParticleSet P>
  [[nodiscard]] Scalar max_stretch(const P& set) const noexcept {
    Scalar largest = 0;
    bool finite = true;
    const auto measure = [&](auto strips, auto number) {
      for (const auto& strip : strips) {
        decltype(number) flags(Scalar{0});
        detail::for_each_lane<Scalar>(detail::measure_lines(strip, flags), [&](Scalar one) { largest = (std::max)(largest, one); });
        detail::for_each_lane<Scalar>(flags, [&](Scalar one) { finite = finite && detail::is_finite(one); });
      }
    };
    for (const LineGroup& group : groups)
      detail::for_each_strip(*this, group, detail::as_they_lie<const Scalar>(*this, group, set, set.position), measure);
    return finite ? largest : std::numeric_limits<Scalar>::infinity();
  }

  /// Particle k of a line.
  [[nodiscard]] std::int32_t particle(const LineGroup& group, std::int32_t line, std::int32_t k) const noexcept {
    if (group.stride != 0) return group.first + k * group.stride + line * group.line_stride;
    return particles[static_cast<std::size_t>(group.listed + std::int64_t{k} * group.lines + line)];
  }

 private:
  template <ParticleSet P>
  [[nodiscard]] auto place_in(P& set) const noexcept {
    return [this, &set](const LineGroup& group) { return detail::as_they_lie<Scalar>(*this, group, set, set.predicted); };
  }
};

/// Makes lines of an array of distance constraints, hard or compliant, in which each link follows the one that it hangs
/// on: the links of one line, then those of the next one. line_constraints() brings a sheet's edges into that order.
///
///     auto lines = pbd::make_lines(pbd::line_constraints(cloth));
///     settings.substeps = lines.substeps(cloth.particles, settings.dt, 9.81f);
///     pbd::step(cloth.particles, settings, lines, cloth.shear);
///
///   errors   a constraint with a negative index, i = j, damping, or a flaw(): named in `error`, and the set is empty
///   cost     O(M + N), allocates
template <std::ranges::contiguous_range Constraints>
[[nodiscard]] auto make_lines(const Constraints& constraints) {
  using C = std::ranges::range_value_t<Constraints>;
  using Scalar = typename C::Scalar;
  static_assert(std::same_as<C, DistanceConstraint<Scalar>> || std::same_as<C, CompliantDistanceConstraint<Scalar>>,
                "pbd::make_lines: a line is made of DistanceConstraint or CompliantDistanceConstraint");
  Lines<Scalar> lines;
  std::int64_t item = 0;
  for (const C& link : constraints) {
    const char* reason = link.flaw();
    if (link.i < 0 || link.j < 0) reason = "particle index out of range";
    if (link.i == link.j) reason = "names the same particle twice";
    if constexpr (detail::has_damping<C>)
      if (reason == nullptr && link.damping > 0) reason = "a line has no damping";
    if (reason != nullptr) {
      lines.error = {.reason = reason, .subject = "constraint", .item = item};
      return lines;
    }
    lines.highest = (std::max)({lines.highest, link.i, link.j});
    ++item;
  }
  lines.count = item;

  const auto chains = detail::find_chains(constraints, lines.highest);
  std::vector<std::size_t> owner(static_cast<std::size_t>(lines.highest + 1), 0);  // the last group that has a particle
  std::size_t widest = 0;
  std::int64_t link = 0;
  for (std::size_t first = 0, next = 0; first < chains.size(); first = next) {
    const auto name = lines.groups.size() + 1;
    const auto joins = [&](const detail::Chain& chain) {
      return chain.size() == chains[first].size() && std::ranges::none_of(chain, [&](std::int32_t p) {
               return owner[static_cast<std::size_t>(p)] == name;
             });
    };
    for (next = first; next < chains.size() && joins(chains[next]); ++next)
      for (const std::int32_t p : chains[next]) owner[static_cast<std::size_t>(p)] = name;
    LineGroup group{};
    group.lines = static_cast<std::int32_t>(next - first);
    group.links = static_cast<std::int32_t>(chains[first].size() - 1);
    group.first_link = link;
    group.listed = static_cast<std::int64_t>(lines.particles.size());
    detail::describe(group, chains, first);
    if (group.stride == 0)
      for (std::size_t k = 0; k < chains[first].size(); ++k)
        for (std::size_t l = first; l < next; ++l) lines.particles.push_back(chains[l][k]);
    lines.groups.push_back(group);
    const auto copies = static_cast<std::size_t>(group.template copied_strips<Scalar>());
    widest = (std::max)(widest, chains[first].size() * (detail::work_per_link + 4 * copies));

    // Link k of line l is constraint number link + l·links + k.
    const auto at = [&](std::int32_t l, std::int32_t k) -> const C& {
      return *(std::ranges::begin(constraints) +
               static_cast<std::ranges::range_difference_t<const Constraints>>(link + std::int64_t{l} * group.links + k));
    };
    const std::size_t end = static_cast<std::size_t>(link + std::int64_t{group.lines} * group.links);
    lines.rest_length.resize(end);
    if constexpr (detail::has_damping<C>) lines.compliance.resize(end);
    for (std::int32_t l = 0; l < group.lines; ++l)
      for (std::int32_t k = 0; k < group.links; ++k) {
        lines.rest_length[group.link(l, k)] = at(l, k).rest_length;
        if constexpr (detail::has_damping<C>) lines.compliance[group.link(l, k)] = at(l, k).compliance;
      }
    link += std::int64_t{group.lines} * group.links;
  }
  for (const Scalar d : lines.rest_length)
    lines.inverse_rest_length.push_back((std::min)(Scalar{1} / d, (std::numeric_limits<Scalar>::max)()));
  if (std::ranges::none_of(lines.compliance, [](Scalar alpha) { return alpha > 0; })) lines.compliance.clear();
  lines.lambda.assign(static_cast<std::size_t>(lines.count), Scalar{0});
  // The work of the links of the widest registers of any file that may solve them, and a block of copied particles.
  lines.work.assign(widest * line_block, Scalar{0});
  if (detail::wants_tiles(lines.groups)) lines.tiles.resize(10 * detail::tile_size(lines.groups[0]));
  return lines;
}

/// The structural edges of a sheet as lines: its columns, one after another, then its rows.
template <class Cloth>
[[nodiscard]] auto line_constraints(const Cloth& cloth) {
  auto links = cloth.structural;
  const auto along = [&cloth](const auto& edge) { return cloth.columns > 1 && edge.j - edge.i == 1; };
  std::ranges::stable_sort(links, {}, [&](const auto& edge) {
    const std::int64_t row = edge.i / cloth.columns, column = edge.i % cloth.columns;
    return along(edge) ? std::int64_t{cloth.columns + row} * cloth.rows * cloth.columns + column : column * cloth.rows + row;
  });
  return links;
}

}  // namespace pbd
