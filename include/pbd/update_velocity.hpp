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
  const auto update_one = [&](int d, Index i) {
    const Scalar predicted = particles.predicted(d, i);
    const Scalar rebuilt = (predicted - particles.position(d, i)) / dt;
    const Scalar given = particles.velocity(d, i);
    particles.velocity(d, i) = particles.inverse_mass(i) > 0 ? rebuilt : given;
    particles.position(d, i) = predicted;
  };
  if constexpr (P::layout == Layout::planar) {
    for (int d = 0; d < P::dim; ++d)
      for (Index i = 0; i < n; ++i) update_one(d, i);
  } else {
    for (Index i = 0; i < n; ++i)
      for (int d = 0; d < P::dim; ++d) update_one(d, i);
  }
}

}  // namespace pbd
