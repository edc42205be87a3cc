// SPDX-License-Identifier: MIT
//
// 5. What the constraints did becomes velocity. Comes in: position, velocity and the corrected predicted. Leaves: velocity and
// position. Next: the following substep's predict.hpp.
#pragma once

#include <pbd/particles.hpp>

namespace pbd {

namespace detail {

/// One coordinate of a particle, or of several (Number is Lanes then).
template <class Number>
void update_coordinate(Number w, Number predicted, Number dt, Number& x, Number& v) noexcept {
  const Number moved = predicted - (x + dt * v);  // by the constraints
  v = blend(w > Number(0), v + moved / dt, v);
  x = predicted;
}

/// update_velocity() for the particles [first, end).
template <ParticleSet P>
void update_velocity(P& particles, typename P::Scalar dt, Index first, Index end) noexcept {
  using Scalar = typename P::Scalar;
  const auto w = coordinate<P>(particles.inverse_mass);
  for (int d = 0; d < P::dim; ++d) {
    const auto x = coordinate<P>(particles.position, d);
    const auto predicted = coordinate<P>(particles.predicted, d);
    const auto velocity = coordinate<P>(particles.velocity, d);
    for (Index i = first; i < end; ++i) {
      Scalar at = x[i], v = velocity[i];
      update_coordinate(w[i], predicted[i], dt, at, v);
      velocity[i] = v;
      x[i] = at;
    }
  }
}

}  // namespace detail

/// v ← v + (x* − (x + Δt·v))/Δt for free particles; x ← x* for all. A pinned particle keeps the velocity it was given,
/// to the bit, instead of the same velocity rounded through two positions.
///
/// In exact arithmetic that is (x* − x)/Δt. But Δt·v is rounded when predict() adds it to x, and (x* − x)/Δt would take
/// that rounding for a velocity: far from the origin, or with many substeps, a float forgets gravity altogether once
/// g·Δt² drops below half a unit in the last place of x. x + Δt·v here is what predict() wrote, to the bit, so a velocity
/// that no constraint has changed is kept, to the bit.
///
///   reads    predicted (m), inverse_mass (1/kg); position and velocity as predict() left them
///   writes   velocity (m/s), position (m)
///   needs    dt > 0
///   cost     O(N); no allocation
///   source   [Mueller07] section 3.1, lines 12–15, with the velocity carried along
template <ParticleSet P>
void update_velocity(P& particles, typename P::Scalar dt) noexcept {
  detail::update_velocity(particles, dt, 0, particles.count());
}

}  // namespace pbd
