// SPDX-License-Identifier: MIT
//
// What each distance constraint puts into the system of a direct solve. Comes in: a constraint and its present length.
// Leaves: its violation, compliance and damping, and whether a limit acts at all. Next: global_solve.hpp.
#pragma once

#include <pbd/distance.hpp>

#include <algorithm>
#include <concepts>
#include <limits>

namespace pbd::detail {

/// What a constraint puts into the system: its C, α̃ and damping's γ, and to which side it may push.
struct SystemRow {
  double violation = 0;
  double scaled_compliance = 0;
  double gamma = 0;
  int side = 0;  // 0: either; 1: λ ≤ 0, it only pulls; −1: λ ≥ 0, it only pushes
  bool active = true;
};

template <class Scalar>
SystemRow system_row(const DistanceConstraint<Scalar>& c, const Edge<double>& edge, double,
                     const Substep<Scalar>&) noexcept {
  return {edge.length - static_cast<double>(c.rest_length)};
}

template <class Scalar>
SystemRow system_row(const SoftDistanceConstraint<Scalar>& c, const Edge<double>& edge, double,
                     const Substep<Scalar>&) noexcept {
  return {static_cast<double>(c.sweep_stiffness) * (edge.length - static_cast<double>(c.rest_length))};
}

template <class Scalar>
SystemRow system_row(const CompliantDistanceConstraint<Scalar>& c, const Edge<double>& edge, double,
                     const Substep<Scalar>& substep) noexcept {
  const auto h = static_cast<double>(substep.dt), compliance = static_cast<double>(c.compliance);
  // α/Δt² beyond the largest number would be infinite, and times a λ of 0 NaN.
  const double scaled = (std::min)(compliance / (h * h), (std::numeric_limits<double>::max)() / 4);
  const double gamma = compliance * static_cast<double>(c.damping) / h;
  return {edge.length - static_cast<double>(c.rest_length) + gamma * edge.drawn_apart, scaled, gamma};
}

/// A limit acts if it is crossed, or if it would be without the λ that it held with last: a rope at rest is crossed
/// nowhere but at its top, yet every part of it holds. (The primal-dual active set: C − A_kk λ > 0, [Hintermueller03].)
template <class Scalar>
SystemRow system_row(const DistanceLimit<Scalar>& c, const Edge<double>& edge, double held,
                     const Substep<Scalar>&) noexcept {
  const double over = edge.length - static_cast<double>(c.longest);
  const double under = edge.length - static_cast<double>(c.shortest);
  if (over > 0) return {over, 0, 0, 1};
  if (under < 0) return {under, 0, 0, -1};
  if (over - edge.weight * held > 0) return {over, 0, 0, 1};
  if (under - edge.weight * held < 0) return {under, 0, 0, -1};
  return {.active = false};
}

template <class C>
concept SystemRowConstraint = EdgeConstraint<C> &&
    requires(const C& constraint, const Edge<double>& edge, const Substep<typename C::Scalar>& substep) {
  { system_row(constraint, edge, 0.0, substep) } -> std::same_as<SystemRow>;
};

}  // namespace pbd::detail
