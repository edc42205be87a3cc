// SPDX-License-Identifier: MIT
//
// 2. Where the particles would be without constraints: symplectic Euler. Comes in: position, velocity, inverse_mass.
// Leaves: velocity and predicted. Next: gauss_seidel.hpp corrects predicted.
#pragma once

#include <pbd/particles.hpp>

#include <utility>

namespace pbd {

namespace detail {

/// One coordinate of a particle, or of several (Number is Lanes then).
template <class Number>
void predict_coordinate(Number w, Number x, Number gain, Number dt, Number& v, Number& predicted) noexcept {
  v = v + blend(w > Number(0), gain, Number(0));
  predicted = x + dt * v;
}

/// predict() for the particles [first, end).
template <ParticleSet P>
void predict(P& particles, const VectorOf<P>& gravity, typename P::Scalar dt, Index first, Index end) noexcept {
  using Scalar = typename P::Scalar;
  const auto w = coordinate<P>(particles.inverse_mass);
  for (int d = 0; d < P::dim; ++d) {
    const auto x = coordinate<P>(particles.position, d);
    const auto predicted = coordinate<P>(particles.predicted, d);
    const auto velocity = coordinate<P>(particles.velocity, d);
    const Scalar gain = dt * gravity(d);
    for (Index i = first; i < end; ++i) {
      Scalar v = velocity[i], ahead;
      predict_coordinate(w[i], x[i], gain, dt, v, ahead);
      velocity[i] = v;
      predicted[i] = ahead;
    }
  }
}

}  // namespace detail

/// v ← v + Δt·g for free particles; x* ← x + Δt·v for all. A pinned particle that has a velocity is a scripted one:
/// it follows that velocity exactly.
///
///   reads    position (m), velocity (m/s), inverse_mass (1/kg)
///   writes   velocity, predicted (m)
///   cost     O(N); no allocation
///   source   [Mueller07] section 3.1, lines 5 and 7
template <ParticleSet P>
void predict(P& particles, const VectorOf<P>& gravity, typename P::Scalar dt) noexcept {
  detail::predict(particles, gravity, dt, 0, particles.count());
}

/// One more acceleration beside gravity (wind, drag, an engine's field), handed to step() among the constraint sets
/// and applied at the start of every substep, before the prediction.
///
///     pbd::Acceleration wind{[&](const auto& particles, pbd::Index i) { return …; }};  // a vector, m/s²
///     pbd::step(particles, settings, wind, cloth.structural);
template <class Function>
struct Acceleration {
  Function of;

  /// v ← v + Δt·a(i) for free particles.
  template <ParticleSet P>
  void accelerate(P& particles, typename P::Scalar dt) {
    for (Index i = 0; i < particles.count(); ++i)
      if (particles.inverse_mass(i) > 0) {
        const VectorOf<P> a = of(std::as_const(particles), i);
        particles.velocity.col(i) += dt * a;
      }
  }
};
template <class Function>
Acceleration(Function) -> Acceleration<Function>;

}  // namespace pbd
