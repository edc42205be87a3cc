// SPDX-License-Identifier: MIT
//
// 5. What the constraints did becomes velocity. Comes in: position and the corrected predicted. Leaves: velocity and
// position. Next: the following substep's predict.hpp.
#pragma once

#include <pbd/particles.hpp>

namespace pbd {

/// v ← (x* − x)/Δt for free particles; x ← x* for all. A pinned particle keeps the velocity it was given, to the bit,
/// instead of the same velocity rounded through two positions.
///
///   reads    predicted (m), inverse_mass (1/kg)
///   writes   velocity (m/s), position (m)
///   needs    dt > 0
///   cost     O(N); no allocation
///   source   [Mueller07] section 3.1, lines 12–15
template <ParticleSet P>
void update_velocity(P& particles, typename P::Scalar dt) noexcept {
  using Scalar = typename P::Scalar;
  const Index n = particles.count();
  const auto w = detail::coordinate<P>(particles.inverse_mass);
  for (int d = 0; d < P::dim; ++d) {
    const auto x = detail::coordinate<P>(particles.position, d);
    const auto predicted = detail::coordinate<P>(particles.predicted, d);
    const auto velocity = detail::coordinate<P>(particles.velocity, d);
    for (Index i = 0; i < n; ++i) {
      const Scalar rebuilt = (predicted[i] - x[i]) / dt;
      velocity[i] = detail::blend(w[i] > 0, rebuilt, velocity[i]);
      x[i] = predicted[i];
    }
  }
}

}  // namespace pbd
