// SPDX-License-Identifier: MIT
//
// Why a solver does what it does. Comes in: particles after a step, their constraints, the substep that was taken.
// Leaves: how stretch is spread, what each constraint carries, how fast sweeps converge, and whether the substep suits
// the tension and the precision. Nothing here changes what it measures, and nothing allocates.
#pragma once

#include <pbd/edge.hpp>
#include <pbd/residual.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <ranges>
#include <span>
#include <type_traits>

namespace pbd {

/// Which stretch is counted, and in which range.
template <class Scalar>
struct StretchRange {
  Scalar low;
  Scalar high;
  bool absolute = false;  ///< of |C|/d; otherwise of C/d, negative where it is pressed together
};

/// Constraints by their relative stretch: `bins` bins of equal width from low to high; bin b holds what is at least
/// edge(b) and less than edge(b + 1), the last one `high`, too.
template <class Scalar, std::size_t bins>
struct StretchHistogram {
  StretchRange<Scalar> range;
  std::array<Index, bins> count{};
  Index below = 0;
  Index above = 0;  ///< with those whose stretch is infinite or NaN: divergence shows

  [[nodiscard]] constexpr Scalar edge(std::size_t b) const noexcept {
    const Scalar part = static_cast<Scalar>(b) / static_cast<Scalar>(bins);
    return range.low + part * (range.high - range.low);
  }

  constexpr void add(Scalar stretch) noexcept {
    if (range.absolute && stretch < 0) stretch = -stretch;
    if (!detail::is_finite(stretch) || stretch > range.high) {
      ++above;
    } else if (stretch < range.low) {
      ++below;
    } else {
      const Scalar part = (stretch - range.low) / (range.high - range.low) * static_cast<Scalar>(bins);
      const bool inside = part < static_cast<Scalar>(bins);  // not so for low = high, which divides 0 by 0
      ++count[inside ? static_cast<std::size_t>(part) : bins - 1];
    }
  }
};

/// Counts all constraints of all sets that have a relative_stretch(), of `position`; their indices must be in range.
/// O(M).
///
///     const auto histogram = pbd::stretch_histogram<20>(particles, {0, 0.1, true}, structural, shear);
template <std::size_t bins, ParticleSet P, class... Sets>
[[nodiscard]] StretchHistogram<typename P::Scalar, bins> stretch_histogram(
    const P& particles, const StretchRange<typename P::Scalar>& range, const Sets&... sets) noexcept {
  static_assert(bins > 0, "pbd::stretch_histogram: give it at least one bin");
  StretchHistogram<typename P::Scalar, bins> histogram{range};
  [[maybe_unused]] const auto add = [&](const auto& constraint) {
    if constexpr (requires { constraint.relative_stretch(particles); })
      histogram.add(constraint.relative_stretch(particles));
  };
  (detail::for_each_constraint(particles, sets, add), ...);
  return histogram;
}

namespace detail {

/// Calls visit(constraint, force) for every constraint of a set, in its order; the force is 0 where none is known.
template <ParticleSet P, class Set, class Visit>
void for_each_force(const P& particles, const Substep<typename P::Scalar>& substep, const Set& set, Visit&& visit) {
  std::size_t k = 0;
  for_each_constraint(particles, set, [&](const auto& constraint) {
    using Scalar = typename P::Scalar;
    if constexpr (requires { set.force(k, substep); })  // the set knows more than its constraints keep
      visit(constraint, static_cast<Scalar>(set.force(k, substep)));
    else if constexpr (requires { constraint.force(substep); })
      visit(constraint, static_cast<Scalar>(constraint.force(substep)));
    else
      visit(constraint, Scalar{0});
    ++k;
  });
}

}  // namespace detail

/// The force that each constraint held with in the last substep, −λ/Δt² (N), positive where it pulls its particles
/// together: one number a constraint, in the order of the sets, 0 for constraints that keep no λ. Answers how many
/// constraints there are; what has no place in `forces` is not written. O(M).
///
///   needs   the substep that was taken: settings.substep()
///   source  [Macklin16] section 3
template <ParticleSet P, class... Sets>
std::size_t write_forces(std::span<typename P::Scalar> forces, const P& particles,
                         const Substep<typename P::Scalar>& substep, const Sets&... sets) noexcept {
  std::size_t k = 0;
  [[maybe_unused]] const auto write = [&](const auto&, typename P::Scalar force) {
    if (k < forces.size()) forces[k] = force;
    ++k;
  };
  (detail::for_each_force(particles, substep, sets, write), ...);
  return k;
}

/// By which factor a sweep (or whatever lies between two residuals) shrinks them: the geometric mean of the last
/// `ratios` ratios, or of as many as there are. Above 1 they grow. 1 if there are fewer than two residuals; 0 if
/// nothing is left; infinite if a residual is infinite or NaN. Residuals that are nothing but rounding have a factor of
/// 1: leave them out.
template <std::ranges::contiguous_range Residuals>
[[nodiscard]] auto convergence_factor(const Residuals& residuals, std::size_t ratios = 4) noexcept {
  using Scalar = std::ranges::range_value_t<Residuals>;
  const std::span<const Scalar> all(residuals);
  if (all.size() < 2 || ratios == 0) return Scalar{1};
  const std::size_t used = ratios < all.size() ? ratios : all.size() - 1;
  const Scalar last = all.back(), first = all[all.size() - 1 - used];
  if (!detail::is_finite(last) || !detail::is_finite(first)) return std::numeric_limits<Scalar>::infinity();
  if (!(last > 0)) return Scalar{0};
  if (!(first > 0)) return std::numeric_limits<Scalar>::infinity();
  // A root each: their quotient could overflow, the roots cannot.
  const Scalar root = Scalar{1} / static_cast<Scalar>(used);
  return std::pow(last, root) / std::pow(first, root);
}

/// Below it a line of particles under tension is stable; beyond it, it zigzags. A projection that takes its direction
/// from the prediction integrates a wave of frequency ω stably while (hω)² < 4/3, and a line's shortest wave has
/// ω = 2√(T/(ml)). A sheet that is pulled both ways has ω greater by √2.
template <class Scalar>
inline constexpr Scalar largest_stable_courant_number = Scalar(0.57735026918962576451L);  // 1/√3

/// h √(T/(m l)), the largest of all distance constraints that know their force and pull: by how much of a
/// link a wave across the line runs in a substep. 1/m is the mean inverse mass of the two, l their distance. Divided by
/// largest_stable_courant_number, it says how many times as many substeps the tension asks for. O(M).
///
///   needs   the substep that was taken; indices in range
template <ParticleSet P, class... Sets>
[[nodiscard]] typename P::Scalar courant_number(const P& particles, const Substep<typename P::Scalar>& substep,
                                                const Sets&... sets) noexcept {
  using Scalar = typename P::Scalar;
  double largest = 0;
  [[maybe_unused]] const auto measure = [&](const auto& constraint, Scalar force) {
    if constexpr (EdgeConstraint<std::remove_cvref_t<decltype(constraint)>>) {
      const auto length = static_cast<double>(detail::distance(particles, constraint.i, constraint.j));
      const double inverse_mass = (static_cast<double>(particles.inverse_mass(constraint.i)) +
                                   static_cast<double>(particles.inverse_mass(constraint.j))) /
                                  2;
      if (!(force > 0 && length > 0)) return;
      const double square = static_cast<double>(force) * inverse_mass / length;
      if (square > largest) largest = square;
    }
  };
  (detail::for_each_force(particles, substep, sets, measure), ...);
  return static_cast<Scalar>(static_cast<double>(substep.dt) * std::sqrt(largest));
}

/// g h² in units of the last place of the positions, the least of all free particles and of gravity's directions. Below
/// 0.5 gravity's push on a particle at rest is rounded away; at 50, rounding is at most a hundredth of it. Shorter
/// substeps and positions far from the origin lower it. The largest number if there is nothing to measure. O(N).
template <ParticleSet P>
[[nodiscard]] typename P::Scalar gravity_headroom(const P& particles, const VectorOf<P>& gravity,
                                                  const Substep<typename P::Scalar>& substep) noexcept {
  using Scalar = typename P::Scalar;
  Scalar least = (std::numeric_limits<Scalar>::max)();
  for (int d = 0; d < P::dim; ++d) {
    const Scalar fall = std::abs(gravity(d)) * substep.dt * substep.dt;
    if (!(fall > 0)) continue;
    for (Index i = 0; i < particles.count(); ++i) {
      const Scalar x = std::abs(particles.position(d, i));
      if (!(particles.inverse_mass(i) > 0) || !detail::is_finite(x)) continue;
      const Scalar headroom = fall / (std::nextafter(x, std::numeric_limits<Scalar>::infinity()) - x);
      if (headroom < least) least = headroom;
    }
  }
  return least;
}

}  // namespace pbd
