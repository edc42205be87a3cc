// SPDX-License-Identifier: MIT
//
// A sweep of lines, and whole substeps of them. Comes in: groups of lines, and where they lie. Leaves: the particles moved.
// Included by lines.hpp alone. What lies between the last solve of the first group in one substep and its first solve in the
// next, velocities and predictions, concerns each line alone: it is all done for some lines before the next ones are
// touched, while they are in the cache.
#pragma once

#include <pbd/detail/line_tiles.hpp>
#include <pbd/predict.hpp>
#include <pbd/update_velocity.hpp>

namespace pbd::detail {

/// Are all particles, each once, in the lines of a group, and do neighbours lie side by side in all their arrays?
template <ParticleSet P>
[[nodiscard]] bool has_all(const LineGroup& group, const P& set) noexcept {
  return P::layout == Layout::planar && set.inverse_mass.innerStride() == 1 && group.stride != 0 && group.line_stride == 1 &&
         std::int64_t{group.lines} * (std::int64_t{group.links} + 1) == set.count();
}

/// Positions and velocities where they lie side by side, as `predicted` does.
template <class Scalar, std::size_t dim>
struct LineMotion {
  std::array<Scalar*, dim> position, velocity;
  std::array<Scalar, dim> gain;  ///< Δt·g
  Scalar dt;
  Index stride;  ///< from a particle of a line to the next one
};

/// The end of a substep and the beginning of the next one, for the particles of some strips: update_velocity() if `close`,
/// predict() if `open`.
template <bool close, bool open, class Number, class Scalar, std::size_t dim>
void advance_lines(std::span<LineInput<Scalar, dim>> strips, const LineMotion<Scalar, dim>& motion) noexcept {
  const Number dt(motion.dt);
  const Index links = strips.front().links;
  for (Index k = 0; k <= links; ++k)
    for (const LineInput<Scalar, dim>& strip : strips) {
      const Number w = read_lanes<Number>(strip.inverse_mass + k * strip.mass_pitch);
      const Index at = strip.first_particle + k * motion.stride;
      for (std::size_t d = 0; d < dim; ++d) {
        Scalar* const ahead = strip.predicted[d] + k * strip.pitch;
        Number x = read_lanes<Number>(motion.position[d] + at), v = read_lanes<Number>(motion.velocity[d] + at);
        Number predicted = read_lanes<Number>(ahead);
        if constexpr (close) {
          update_coordinate(w, predicted, dt, x, v);
          write_lanes(motion.position[d] + at, x);
        }
        if constexpr (open) {
          predict_coordinate(w, x, Number(motion.gain[d]), dt, v, predicted);
          write_lanes(ahead, predicted);
        }
        write_lanes(motion.velocity[d] + at, v);
      }
    }
}

/// Solves some lines; `fresh` if for the first time in a substep, and λ was not reset. `tightest` grows to what they ask for.
template <class Number, class Scalar, class Strips>
void solve_strips(std::vector<Scalar>& lambda, Strips strips, const Substep<Scalar>& substep, bool fresh,
                  Scalar& tightest) noexcept {
  for (auto& strip : strips) {
    strip.fresh = fresh;
    const auto asked = solve_lines<Number>(strip, lambda.data() + strip.first_link, substep);
    for_each_lane<Scalar>(asked, [&tightest](Scalar one) {
      tightest = (std::max)(tightest, (std::min)(one, Scalar{4}));  // beyond its trust a solve asks for anything
    });
  }
}

/// A sweep, and the substeps that are made of it. PlaceOf tells where the lines of a group lie.
template <class Lines, class PlaceOf>
struct LineSweep {
  using Scalar = typename Lines::Scalar;

  Lines& lines;
  const Substep<Scalar>& substep;
  PlaceOf place_of;

  void solve(std::size_t group, bool fresh = false) noexcept {
    const auto visit = [&](auto strips, auto number) {
      solve_strips<decltype(number)>(lines.lambda, strips, substep, fresh, lines.tightest_now);
    };
    for_each_strip(lines, lines.groups[group], place_of(lines.groups[group]), visit);
  }

  /// What a sweep does between its first and its last solve of the first group: there and back, and again, up to four times,
  /// while a line asks for nearly more than may be trusted.
  void between(bool fresh = false) noexcept {
    constexpr Scalar trusted = Scalar(0.7);  // of 1, where a solve begins to shake a line
    const std::size_t count = lines.groups.size();
    for (std::size_t g = 1; g < count; ++g) solve(g, fresh);
    for (int again = 0; again < 4 && count > 1 && lines.tightest_now > trusted; ++again) {
      for (std::size_t g = count - 1; g-- > 0;) solve(g);
      for (std::size_t g = 1; g < count; ++g) solve(g);
    }
    for (std::size_t g = count; g-- > 2;) solve(g - 1);
  }

  void sweep() noexcept {
    if (lines.groups.empty()) return;
    solve(0);
    between();
    if (lines.groups.size() > 1) solve(0);
    lines.tightness = lines.tightest_now * substep.inverse_dt_squared;
  }

  /// The first group's lines, some at a time: if `close`, their last solve in a substep, and its velocities; if `open`, the
  /// prediction of the next substep, and their first solve in it.
  template <bool close, bool open, class Motion>
  void pass(const Motion& motion) noexcept {
    Scalar opened = 0;
    const auto visit = [&](auto strips, auto number) {
      using Number = decltype(number);
      if (close && lines.groups.size() > 1) solve_strips<Number>(lines.lambda, strips, substep, false, lines.tightest_now);
      advance_lines<close, open, Number>(strips, motion);
      if (open) solve_strips<Number>(lines.lambda, strips, substep, true, opened);
    };
    for_each_strip(lines, lines.groups[0], place_of(lines.groups[0]), visit);
    if (close) lines.tightness = lines.tightest_now * substep.inverse_dt_squared;
    if (open) lines.tightest_now = opened;
  }

  template <class Motion>
  void take_substeps(const Motion& motion, int substeps) noexcept {
    pass<false, true>(motion);
    for (int s = 1; s <= substeps; ++s) {
      for (int n = 0; n < substep.iterations; ++n) {
        if (n > 0 && lines.groups.size() > 1) solve(0);
        if (n > 0) solve(0);
        between(n == 0);
      }
      if (s < substeps)
        pass<true, true>(motion);
      else
        pass<true, false>(motion);
    }
  }
};
template <class Lines, class Scalar, class PlaceOf>
LineSweep(Lines&, const Substep<Scalar>&, PlaceOf) -> LineSweep<Lines, PlaceOf>;

}  // namespace pbd::detail
