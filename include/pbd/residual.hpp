// SPDX-License-Identifier: MIT
//
// How far from satisfied. Comes in: particles, and their constraints. Leaves: stretch, as numbers to plot against
// iterations or to stop them by. Nothing here changes what it measures.
// Sums run in double in array order: a float sum over a million constraints would lose four digits.
#pragma once

#include <pbd/constraint.hpp>
#include <pbd/gauss_seidel.hpp>

#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace pbd {

/// |C|/d over the constraints measured, of `position`. Infinite once any of it is NaN or infinite: divergence shows.
template <class Scalar>
struct Stretch {
  Scalar max = 0;
  Scalar rms = 0;
  Index count = 0;  ///< constraints measured: those that have relative_stretch()
};

namespace detail {

struct StretchSum {
  double max = 0;
  double squares = 0;
  Index count = 0;
  bool finite = true;

  template <class Scalar>
  void add(Scalar stretch) noexcept {
    const double size = std::abs(static_cast<double>(stretch));
    finite = finite && is_finite(size);
    if (size > max) max = size;
    squares += size * size;
    ++count;
  }

  template <class Scalar>
  [[nodiscard]] Stretch<Scalar> result() const noexcept {
    if (count == 0) return {};
    if (!finite) return {std::numeric_limits<Scalar>::infinity(), std::numeric_limits<Scalar>::infinity(), count};
    return {static_cast<Scalar>(max), static_cast<Scalar>(std::sqrt(squares / static_cast<double>(count))), count};
  }
};

/// Calls visit(constraint) for every constraint of a set, in its order.
template <ParticleSet P, class Set, class Visit>
void for_each_constraint(const P&, const Set& set, Visit&& visit) {
  if constexpr (std::ranges::contiguous_range<const Set>) {
    for (const auto& constraint : set) visit(constraint);
  } else if constexpr (requires { set.for_each_constraint(visit); }) {
    set.for_each_constraint(visit);
  }
}

}  // namespace detail

/// Max and rms relative stretch over all constraints of all sets; their indices must be in range. O(M).
///
///     const auto left = pbd::stretch(cloth.particles, cloth.structural, cloth.shear);
template <ParticleSet P, class... Sets>
[[nodiscard]] Stretch<typename P::Scalar> stretch(const P& particles, const Sets&... sets) noexcept {
  detail::StretchSum sum;
  [[maybe_unused]] const auto add = [&](const auto& constraint) {
    if constexpr (requires { constraint.relative_stretch(particles); }) sum.add(constraint.relative_stretch(particles));
  };
  (detail::for_each_constraint(particles, sets, add), ...);
  return sum.template result<typename P::Scalar>();
}

namespace detail {

/// The same particles, `position` being what the sweeps have made of `predicted` so far: what is measured between sweeps.
template <ParticleSet P>
struct AsPredicted {
  using Scalar = typename P::Scalar;
  static constexpr int dim = P::dim;
  static constexpr Layout layout = P::layout;
  using Columns = std::remove_reference_t<decltype(std::declval<const P&>().predicted)>;
  using Masses = std::remove_reference_t<decltype(std::declval<const P&>().inverse_mass)>;

  const Columns& position;
  const Columns& predicted;
  const std::remove_reference_t<decltype(std::declval<const P&>().velocity)>& velocity;
  const Masses& inverse_mass;

  explicit AsPredicted(const P& particles) noexcept
      : position(particles.predicted),
        predicted(particles.predicted),
        velocity(particles.velocity),
        inverse_mass(particles.inverse_mass) {}

  [[nodiscard]] Index count() const noexcept { return inverse_mass.size(); }
};

/// Is every |C|/d of `predicted` at most `tolerance`? False if there is nothing to measure. Stops at the first that is
/// not.
template <ParticleSet P, class... Sets>
[[nodiscard]] bool is_within(typename P::Scalar tolerance, const P& particles, const Sets&... sets) noexcept {
  const AsPredicted<P> seen(particles);
  bool within = true, measured = false;
  [[maybe_unused]] const auto examine = [&](const auto& set) {
    if (!within) return;
    if constexpr (requires { set.max_stretch(seen); }) {  // several at a time
      measured = true;
      within = set.max_stretch(seen) <= tolerance;
    } else {
      for_each_constraint(seen, set, [&](const auto& constraint) {
        if constexpr (requires { constraint.relative_stretch(seen); }) {
          measured = true;
          within = within && std::abs(constraint.relative_stretch(seen)) <= tolerance;
        }
      });
    }
  };
  (examine(sets), ...);
  return within && measured;
}

}  // namespace detail

}  // namespace pbd
