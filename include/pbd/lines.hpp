// SPDX-License-Identifier: MIT
//
// 4. Chains of links solved whole: ropes, hair, the rows and columns of a sheet. Comes in: an array of distance
// constraints in which a link follows the link that it hangs on. Leaves: a set for step() whose sweep makes every link of
// a line right at once, in O(1) a link, where Gauss-Seidel needs a number of sweeps that grows with the square of the
// line's length. One line after another, in array order; several lines that share no particle at a time.
// Next: accelerated.hpp and coarse_to_fine.hpp, for what is no line.
#pragma once

#include <pbd/detail/find_lines.hpp>
#include <pbd/detail/project_run.hpp>
#include <pbd/detail/solve_lines.hpp>
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
  mutable std::vector<Scalar> work;      ///< a strip of lines, copied, and what its solve keeps
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

  /// Solves every line once, in array order: all its links are right then, to first order; what is left is quadratic in
  /// what was wrong. Lines that cross, as rows and columns do, disturb each other: sweep again, or step() to a tolerance.
  ///
  ///   reads    predicted (Dim×N, m), inverse_mass (N, 1/kg)
  ///   writes   predicted; lambda
  ///   needs    every index in [0, N): step() asks
  ///   skips    coincident or both-pinned neighbours; a line taut between two pins keeps its last link as it is
  ///   cost     O(M), about two projections a link; no allocation
  ///   source   [Bender08], strips of a cloth solved each in linear time; the system is [Macklin16] eq. 16
  template <ParticleSet P>
  void sweep(P& set, const Substep<Scalar>& substep) noexcept {
    for_each_strip<Scalar>(set, set.predicted, work.data(), [&](const auto& strip, auto number) {
      const auto asked = detail::solve_lines<decltype(number)>(strip, lambda.data() + strip.first_link, substep);
      detail::for_each_lane<Scalar>(asked, [this](Scalar one) {
        tightest_now = (std::max)(tightest_now, (std::min)(one, Scalar{4}));  // beyond its trust a solve asks for anything
      });
    });
    tightness = tightest_now * substep.inverse_dt_squared;
  }

  /// How many substeps of a dt keep the lines from shaking: h²T/(m·length) below 1, with room for T to double. T is the
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
          const Scalar d = rest_length[static_cast<std::size_t>(group.first_link + std::int64_t{k} * group.lines + l)];
          if (d > 0) shortest = (std::min)(shortest, d);
        }
        hanging = (std::max)(hanging, std::abs(gravity) * mass * lightest / shortest);
      }
    const Scalar needed = of_dt * std::sqrt(2 * (std::max)(hanging, (std::min)(tightness, 16 * hanging)));
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
          const auto at = static_cast<std::size_t>(group.first_link + std::int64_t{k} * group.lines + l);
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
    for_each_strip<const Scalar>(set, set.position, work.data(), [&](const auto& strip, auto number) {
      decltype(number) flags(Scalar{0});
      detail::for_each_lane<Scalar>(detail::measure_lines(strip, flags), [&](Scalar one) { largest = (std::max)(largest, one); });
      detail::for_each_lane<Scalar>(flags, [&](Scalar one) { finite = finite && detail::is_finite(one); });
    });
    return finite ? largest : std::numeric_limits<Scalar>::infinity();
  }

  [[nodiscard]] std::int32_t particle(const LineGroup& group, std::int32_t line, std::int32_t k) const noexcept {
    if (group.stride != 0) return group.first + k * group.stride + line * group.line_stride;
    return particles[static_cast<std::size_t>(group.listed + std::int64_t{k} * group.lines + line)];
  }

 private:
  /// Calls visit(lines as a LineInput, a Number of the kind to compute with) for every line of every group, in order,
  /// as many lines at a time as there are lanes. Lines that do not lie side by side are copied there, and with a visit
  /// that changes them (Coordinate is not const) back.
  template <class Coordinate, ParticleSet P, class Columns, class Visit>
  void for_each_strip(const P& set, Columns& columns, Scalar* space, Visit&& visit) const noexcept {
    constexpr int width = detail::native_width<Scalar>;
    for (const LineGroup& group : groups) {
      std::int32_t line = 0;
      if constexpr (width > 1) line = visit_strips<width, Coordinate>(group, line, set, columns, space, visit);
      if constexpr (width * sizeof(Scalar) > 16)
        line = visit_strips<width / 2, Coordinate>(group, line, set, columns, space, visit);
      visit_strips<1, Coordinate>(group, line, set, columns, space, visit);
    }
  }

  /// Lines `line`, `line` + 1, … of a group while `width` of them are left; answers where it stopped.
  template <int width, class Coordinate, ParticleSet P, class Columns, class Visit>
  std::int32_t visit_strips(const LineGroup& group, std::int32_t line, const P& set, Columns& columns, Scalar* space,
                            Visit& visit) const noexcept {
    constexpr auto dim = static_cast<std::size_t>(P::dim);
    const auto rows = detail::rows_of<P::layout, dim>(columns);
    const Scalar* const masses = set.inverse_mass.data();
    const Index mass_stride = set.inverse_mass.innerStride();
    const bool dense = rows.stride == 1 && mass_stride == 1 && group.line_stride == 1;
    const bool in_place = group.stride != 0 && (width == 1 || dense);
    const Index length = group.links + 1;

    for (; line + width <= group.lines; line += width) {
      const std::int64_t link = group.first_link + line;
      detail::LineInput<Scalar, dim, Coordinate> in;
      in.rest_length = rest_length.data() + link;
      in.inverse_rest_length = inverse_rest_length.data() + link;
      in.compliance = compliance.empty() ? nullptr : compliance.data() + link;
      in.first_link = link;
      in.link_pitch = group.lines;
      in.links = group.links;
      in.work = space;
      if (in_place) {
        const Index first = particle(group, line, 0);
        for (std::size_t d = 0; d < dim; ++d) in.predicted[d] = rows.data[d] + first * rows.stride;
        in.inverse_mass = masses + first * mass_stride;
        in.pitch = group.stride * rows.stride;
        in.mass_pitch = group.stride * mass_stride;
        visit(in, number<width>());
        continue;
      }
      Scalar* const copy = space + static_cast<Index>(detail::work_per_link<dim>) * group.links * width;
      const auto index = [&](std::int32_t l, std::int32_t k) { return Index{particle(group, line + l, k)}; };
      const auto row = [&](std::size_t d) { return copy + static_cast<Index>(d) * length * width; };
      for (std::size_t d = 0; d < dim; ++d) {
        detail::copy_lines<width, false, Scalar>(group.links + 1, group.stride == 1, index, rows.data[d], rows.stride, row(d));
        in.predicted[d] = row(d);
      }
      detail::copy_lines<width, false, Scalar>(group.links + 1, group.stride == 1, index, masses, mass_stride, row(dim));
      in.inverse_mass = row(dim);
      in.pitch = in.mass_pitch = width;
      visit(in, number<width>());
      if constexpr (!std::is_const_v<Coordinate>)
        for (std::size_t d = 0; d < dim; ++d)
          detail::copy_lines<width, true, Scalar>(group.links + 1, group.stride == 1, index, rows.data[d], rows.stride, row(d));
    }
    return line;
  }

  template <int width>
  static constexpr auto number() noexcept {
    if constexpr (width == 1)
      return Scalar{};
    else
      return detail::Lanes<Scalar, width>{};
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
    widest = (std::max)(widest, chains[first].size());

    // Link k of line l is constraint number link + l·links + k; side by side it stands at link + k·lines + l.
    const auto at = [&](std::int32_t l, std::int32_t k) -> const C& {
      return *(std::ranges::begin(constraints) +
               static_cast<std::ranges::range_difference_t<const Constraints>>(link + std::int64_t{l} * group.links + k));
    };
    for (std::int32_t k = 0; k < group.links; ++k)
      for (std::int32_t l = 0; l < group.lines; ++l) {
        lines.rest_length.push_back(at(l, k).rest_length);
        if constexpr (requires { at(l, k).compliance; }) lines.compliance.push_back(at(l, k).compliance);
      }
    link += std::int64_t{group.lines} * group.links;
  }
  for (const Scalar d : lines.rest_length)
    lines.inverse_rest_length.push_back((std::min)(Scalar{1} / d, (std::numeric_limits<Scalar>::max)()));
  if (std::ranges::none_of(lines.compliance, [](Scalar alpha) { return alpha > 0; })) lines.compliance.clear();
  lines.lambda.assign(static_cast<std::size_t>(lines.count), Scalar{0});
  // The widest registers of any file that may solve them: 64 bytes. Per lane the work of a link and a copied particle.
  lines.work.assign(widest * (detail::work_per_link<3> + 4) * (64 / sizeof(Scalar)), Scalar{0});
  return lines;
}

/// The structural edges of a sheet as lines: its rows, one after another, then its columns.
template <class Cloth>
[[nodiscard]] auto line_constraints(const Cloth& cloth) {
  auto links = cloth.structural;
  const auto along = [&cloth](const auto& edge) { return cloth.columns > 1 && edge.j - edge.i == 1; };
  std::ranges::stable_sort(links, {}, [&](const auto& edge) {
    const std::int64_t row = edge.i / cloth.columns, column = edge.i % cloth.columns;
    return along(edge) ? row * cloth.columns + column : std::int64_t{cloth.columns + column} * cloth.rows + row;
  });
  return links;
}

}  // namespace pbd
