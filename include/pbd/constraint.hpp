// SPDX-License-Identifier: MIT
//
// 3. What a constraint is. Comes in: a violation C and its gradients. Leaves: the one formula for the Lagrange
// multiplier, the one way a multiplier moves a particle, and the concept that every constraint meets, the library's
// and a user's alike. Next: distance.hpp has the constraints of cloth, gauss_seidel.hpp sweeps them.
#pragma once

#include <pbd/particles.hpp>

#include <concepts>
#include <cstdint>
#include <iterator>
#include <ranges>

namespace pbd {

/// What a constraint may want to know about the substep that it is projected in.
template <class Scalar>
struct Substep {
  Scalar dt;                  ///< h, s: the user's dt over the number of substeps
  Scalar inverse_dt;          ///< 1/h, 1/s
  Scalar inverse_dt_squared;  ///< 1/h², 1/s²: times compliance α it is α̃
  int iterations;             ///< n: how often every constraint is swept in this substep
  Scalar relaxation = 1;      ///< ω: times every Δλ; above 1 is over-relaxation, see accelerated.hpp

  constexpr Substep(Scalar dt_, int iterations_) noexcept
      : dt(dt_), inverse_dt(Scalar{1} / dt_), inverse_dt_squared(Scalar{1} / (dt_ * dt_)), iterations(iterations_) {}
};

/// Δλ = (−C − α̃λ) / (Σ w‖∇C‖² + α̃), the change of a constraint's Lagrange multiplier. α̃ = 0 is PBD's hard constraint,
/// which forgets λ. Damping along the constraint is the same form with C + γ∇C·(x* − x) and (1 + γ) Σ w‖∇C‖².
///
///   violation           C, in the constraint's unit (m for a distance)
///   weighted_gradients  Σ w‖∇C‖² over its particles (1/kg for a distance)
///   scaled_compliance   α̃ = α/Δt² (1/kg for a distance)
///   lambda              λ accumulated in this substep (N·s² for a distance)
///   needs               a denominator that is not zero: a constraint whose particles are all pinned is skipped
///   source              [Macklin16] eq. 18, with damping eq. 26; [Mueller07] eq. 8 for α̃ = 0
template <class Number>
[[nodiscard]] constexpr Number delta_lambda(Number violation, Number weighted_gradients, Number scaled_compliance,
                                            Number lambda) noexcept {
  return (-violation - scaled_compliance * lambda) / (weighted_gradients + scaled_compliance);
}

template <class Number>
[[nodiscard]] constexpr Number delta_lambda(Number violation, Number weighted_gradients) noexcept {
  return -violation / weighted_gradients;
}

/// x*_i ← x*_i + w_i Δλ ∇_iC: moves one particle of a constraint in proportion to its inverse mass.
///
///   needs   i in [0, N)
///   source  [Macklin16] eq. 17; [Mueller07] eq. 9
template <ParticleSet P, class Gradient>
void correct(P& particles, Index i, const Gradient& gradient, typename P::Scalar lambda) noexcept {
  const typename P::Scalar weighted = particles.inverse_mass(i) * lambda;
  for (int d = 0; d < P::dim; ++d) particles.predicted(d, i) += weighted * gradient(d);
}

/// A constraint on particles of type P: a plain struct that names its particles and can move them.
///
///     std::array<int, 2> indices() const;                    // any range of integers
///     void project(P& particles, const Substep<Scalar>&);    // moves `predicted`, by delta_lambda() and correct()
///
/// It may have, too:
///     void begin_substep(const Substep<Scalar>&);            // before the first sweep: reset λ, prepare k'
///     const char* flaw() const;                              // why validate() should refuse it; null: no reason
///     Scalar relative_stretch(const P&) const;               // signed, of `position`: residual.hpp measures it
///     Scalar energy(const P&) const;                         // J, of `position`
///     Scalar force(const Substep<Scalar>&) const;            // N, positive where it pulls its particles together
template <class C, class P>
concept ConstraintOn = ParticleSet<P> && requires(C& constraint, P& particles,
                                                  const Substep<typename P::Scalar>& substep) {
  requires std::ranges::forward_range<decltype(constraint.indices())>;
  requires std::integral<std::ranges::range_value_t<decltype(constraint.indices())>>;
  constraint.project(particles, substep);
};

/// Constraints of one type, contiguous in memory: std::vector, std::span, std::array, an engine's own.
template <class S, class P>
concept ConstraintArrayOn = std::ranges::contiguous_range<S> &&
                            ConstraintOn<std::remove_reference_t<std::ranges::range_reference_t<S>>, P>;

/// Names the first constraint with a particle that is not there. O(M); `step` asks this itself, so that no index ever
/// leads out of an array.
template <ParticleSet P, ConstraintArrayOn<P> Constraints>
Error validate_indices(const P& particles, const Constraints& constraints) noexcept {
  const auto count = static_cast<std::uint64_t>(particles.count());
  std::int64_t item = 0;
  for (const auto& constraint : constraints) {
    bool inside = true;
    for (const auto i : constraint.indices()) inside &= static_cast<std::uint64_t>(i) < count;
    if (!inside) return {.reason = "particle index out of range", .subject = "constraint", .item = item};
    ++item;
  }
  return {};
}

/// Names the first constraint that makes no sense: a particle that is not there or stands twice, or whatever flaw()
/// the constraint finds in itself. O(M); for everything that came from outside.
template <ParticleSet P, ConstraintArrayOn<P> Constraints>
Error validate_constraints(const P& particles, const Constraints& constraints) noexcept {
  if (const Error error = validate_indices(particles, constraints)) return error;
  std::int64_t item = 0;
  for (const auto& constraint : constraints) {
    const auto refuse = [item](const char* reason) {
      return Error{.reason = reason, .subject = "constraint", .item = item};
    };
    const auto indices = constraint.indices();
    for (auto a = std::ranges::begin(indices); a != std::ranges::end(indices); ++a)
      for (auto b = std::next(a); b != std::ranges::end(indices); ++b)
        if (*a == *b) return refuse("names the same particle twice");
    if constexpr (requires { constraint.flaw(); })
      if (const char* reason = constraint.flaw()) return refuse(reason);
    ++item;
  }
  return {};
}

}  // namespace pbd
