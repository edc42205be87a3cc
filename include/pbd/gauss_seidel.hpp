// SPDX-License-Identifier: MIT
//
// 4. The solver: every constraint once, in array order, each seeing what the ones before it moved. Comes in: a
// constraint set and particles. Leaves: predicted, nearer to where all constraints hold. Next: update_velocity.hpp.
#pragma once

#include <pbd/constraint.hpp>

#include <type_traits>

namespace pbd {

/// Projects every constraint once, in array order. That order is a promise: Gauss-Seidel results depend on it.
///
///   reads    predicted, inverse_mass, and what the constraints read
///   writes   predicted, and what the constraints keep (λ)
///   needs    every index in [0, N)
///   cost     O(M); no allocation
///   source   [Mueller07] section 3.1, line 10
template <ParticleSet P, ConstraintArrayOn<P> Constraints>
void sweep(Constraints& constraints, P& particles, const Substep<typename P::Scalar>& substep) noexcept {
  for (auto& constraint : constraints) constraint.project(particles, substep);
}

/// Before the first sweep of a substep: λ ← 0, and whatever else the constraints prepare.
template <ParticleSet P, ConstraintArrayOn<P> Constraints>
void begin_substep(Constraints& constraints, P&, const Substep<typename P::Scalar>& substep) noexcept {
  if constexpr (requires { std::ranges::begin(constraints)->begin_substep(substep); })
    for (auto& constraint : constraints) constraint.begin_substep(substep);
}

/// A set that sweeps itself, by whatever scheme: `set.sweep(particles, substep)`.
/// It may have `set.begin_substep(particles, substep)`, `set.iterate(particles, substep)` (all sweeps of a substep at
/// once, called instead if it is the only set), `bool set.iterate(particles, gravity, substep, substeps)` (the whole step,
/// asked first if no other set has anything in it and there is no tolerance; false: not taken),
/// `set.validate_indices(particles)` (O(1), asked by every step) and `set.validate(particles)`, too.
template <class S, class P>
concept SelfSweepingOn = ParticleSet<P> && requires(S& set, P& particles,
                                                    const Substep<typename P::Scalar>& substep) {
  set.sweep(particles, substep);
};

template <ParticleSet P, SelfSweepingOn<P> Set>
void sweep(Set& set, P& particles, const Substep<typename P::Scalar>& substep) noexcept {
  set.sweep(particles, substep);
}

template <ParticleSet P, SelfSweepingOn<P> Set>
void begin_substep(Set& set, P& particles, const Substep<typename P::Scalar>& substep) noexcept {
  if constexpr (requires { set.begin_substep(particles, substep); }) set.begin_substep(particles, substep);
}

template <ParticleSet P, SelfSweepingOn<P> Set>
Error validate_indices(const P& particles, const Set& set) noexcept {
  if constexpr (requires { set.validate_indices(particles); }) return set.validate_indices(particles);
  return {};
}

template <ParticleSet P, SelfSweepingOn<P> Set>
Error validate_constraints(const P& particles, const Set& set) noexcept {
  if constexpr (requires { set.validate(particles); }) return set.validate(particles);
  return validate_indices(particles, set);
}

/// Whatever can be swept: an array of constraints, or a set that sweeps itself.
template <class S, class P>
concept ConstraintSetOn = ConstraintArrayOn<S, P> || SelfSweepingOn<S, P>;

}  // namespace pbd
