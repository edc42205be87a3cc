// SPDX-License-Identifier: MIT
//
// What a step must not make out of nothing. Comes in: particles after a step, and their constraints. Leaves: energy and
// momentum, as numbers to plot. Nothing here changes what it measures.
// Sums run in double in array order: a float sum over a million constraints would lose four digits.
#pragma once

#include <pbd/residual.hpp>

#include <Eigen/Geometry>

namespace pbd {

/// Energies in J. Pinned particles have none: they are moved from outside.
template <class Scalar>
struct Energy {
  Scalar kinetic = 0;    ///< Σ ½mv²
  Scalar potential = 0;  ///< −Σ m g·x, from the origin
  Scalar elastic = 0;    ///< Σ ½C²/α of the compliant constraints

  [[nodiscard]] constexpr Scalar total() const noexcept { return kinetic + potential + elastic; }
};

template <ParticleSet P, class... Sets>
[[nodiscard]] Energy<typename P::Scalar> energy(const P& particles, const VectorOf<P>& gravity,
                                                const Sets&... sets) noexcept {
  double kinetic = 0, potential = 0, elastic = 0;
  for (Index i = 0; i < particles.count(); ++i) {
    if (!(particles.inverse_mass(i) > 0)) continue;
    const double mass = 1 / static_cast<double>(particles.inverse_mass(i));
    for (int d = 0; d < P::dim; ++d) {
      const auto v = static_cast<double>(particles.velocity(d, i));
      kinetic += mass * v * v / 2;
      potential -= mass * static_cast<double>(gravity(d)) * static_cast<double>(particles.position(d, i));
    }
  }
  [[maybe_unused]] const auto add = [&](const auto& constraint) {
    if constexpr (requires { constraint.energy(particles); }) elastic += static_cast<double>(constraint.energy(particles));
  };
  (detail::for_each_constraint(particles, sets, add), ...);
  using Scalar = typename P::Scalar;
  return {static_cast<Scalar>(kinetic), static_cast<Scalar>(potential), static_cast<Scalar>(elastic)};
}

/// What internal constraints must not change. Of the free particles; a pinned one's mass is unbounded.
template <class Scalar, int Dim>
struct Momentum {
  Scalar mass = 0;                                                   ///< kg
  Vector<Scalar, Dim> center_of_mass = Vector<Scalar, Dim>::Zero();  ///< m
  Vector<Scalar, Dim> linear = Vector<Scalar, Dim>::Zero();          ///< Σ m v, N·s
  Vector<Scalar, 3> angular = Vector<Scalar, 3>::Zero();             ///< Σ m x × v about the origin, N·m·s; 2-D: z only
};

template <ParticleSet P>
[[nodiscard]] Momentum<typename P::Scalar, P::dim> momentum(const P& particles) noexcept {
  using Scalar = typename P::Scalar;
  double mass = 0;
  Eigen::Matrix<double, 3, 1> moment = Eigen::Matrix<double, 3, 1>::Zero(), linear = moment, angular = moment;
  for (Index i = 0; i < particles.count(); ++i) {
    if (!(particles.inverse_mass(i) > 0)) continue;
    const double m = 1 / static_cast<double>(particles.inverse_mass(i));
    Eigen::Matrix<double, 3, 1> x = Eigen::Matrix<double, 3, 1>::Zero(), v = x;
    for (int d = 0; d < P::dim; ++d) {
      x(d) = static_cast<double>(particles.position(d, i));
      v(d) = static_cast<double>(particles.velocity(d, i));
    }
    mass += m;
    moment += m * x;
    linear += m * v;
    angular += m * x.cross(v);
  }
  Momentum<Scalar, P::dim> result;
  result.mass = static_cast<Scalar>(mass);
  if (mass > 0) result.center_of_mass = (moment / mass).template head<P::dim>().template cast<Scalar>();
  result.linear = linear.template head<P::dim>().template cast<Scalar>();
  result.angular = angular.template cast<Scalar>();
  return result;
}

}  // namespace pbd
