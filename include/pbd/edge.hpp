// SPDX-License-Identifier: MIT
//
// 3. Two particles and the line between them: what every distance constraint does before and after its own law. Comes
// in: two particles and a law. Leaves: predicted, and what the law keeps. The formulas are written once, for one
// constraint (Number = Scalar) and for several at a time (Number = Lanes). Next: distance.hpp has the laws.
#pragma once

#include <pbd/constraint.hpp>
#include <pbd/detail/lanes.hpp>

#include <array>
#include <cmath>
#include <cstddef>

namespace pbd {

/// What a law is told about the line between its two particles. ∇_iC is the unit vector along it, ∇_jC its opposite.
template <class Number>
struct Edge {
  Number length;       ///< ‖x*_i − x*_j‖, m
  Number weight;       ///< Σ w‖∇C‖² = w_i + w_j, 1/kg
  Number drawn_apart;  ///< ∇C·(x* − x), m: how far the ends drew apart since the substep began; 0 if nothing is damped
};

namespace detail {

template <class Scalar>
[[nodiscard]] constexpr Scalar select(bool condition, Scalar yes, Scalar no) noexcept {
  return condition ? yes : no;
}

/// The sum runs in the order of the coordinates, whatever Number is: the same bits.
template <class Number, std::size_t dim>
[[nodiscard]] Number dot(const std::array<Number, dim>& a, const std::array<Number, dim>& b) noexcept {
  Number sum = a[0] * b[0];
  for (std::size_t d = 1; d < dim; ++d) sum = sum + a[d] * b[d];
  return sum;
}

template <class Number, std::size_t dim>
[[nodiscard]] Number norm(const std::array<Number, dim>& a) noexcept {
  using std::sqrt;
  return sqrt(dot(a, a));
}

template <ParticleSet P>
using Difference = std::array<typename P::Scalar, static_cast<std::size_t>(P::dim)>;

/// x_i − x_j of the given columns.
template <ParticleSet P, class Columns>
[[nodiscard]] Difference<P> difference(const Columns& columns, Index i, Index j) noexcept {
  Difference<P> difference;
  for (int d = 0; d < P::dim; ++d) difference[static_cast<std::size_t>(d)] = columns(d, i) - columns(d, j);
  return difference;
}

/// ‖x_i − x_j‖ of `position`: what residuals measure.
template <ParticleSet P>
[[nodiscard]] typename P::Scalar distance(const P& particles, Index i, Index j) noexcept {
  return norm(difference<P>(particles.position, i, j));
}

/// ∇C·(x* − x) from where the line's ends were and are.
template <class Number, std::size_t dim>
[[nodiscard]] Number drawn_apart(const std::array<Number, dim>& now, const std::array<Number, dim>& before,
                                 Number length) noexcept {
  std::array<Number, dim> moved;
  for (std::size_t d = 0; d < dim; ++d) moved[d] = now[d] - before[d];
  return dot(now, moved) / length;
}

/// Coincident ends, where the gradient has no direction, and pairs that are both pinned do not move: neither does their
/// λ. Compared with an exact zero, no absolute tolerance, so that a scene scaled by any factor behaves the same.
template <class Number>
[[nodiscard]] Number if_movable(const Edge<Number>& edge, Number value) noexcept {
  return select(edge.weight * edge.length > Number(0), value, Number(0));
}

}  // namespace detail

/// A constraint whose force acts along the line between two particles i and j:
///
///     static constexpr std::array fields{&C::rest_length, …};   // its numbers, those that a sweep changes last
///     static constexpr std::size_t kept = 0;                    // how many of them a sweep changes (λ)
///     template <class Number>                                   // Δλ/length, by delta_lambda(); Number: Scalar or Lanes
///     static Number law(const Edge<Number>&, std::array<Number, fields.size()>&, const Substep<Scalar>&);
///
/// Then project() may call project_edge(), and batches.hpp can project several at a time.
template <class C>
concept EdgeConstraint = requires(C& constraint, const C& constant) {
  typename C::Scalar;
  { constant.i } -> std::convertible_to<std::int32_t>;
  { constant.j } -> std::convertible_to<std::int32_t>;
  { C::fields.size() } -> std::convertible_to<std::size_t>;
  { C::kept } -> std::convertible_to<std::size_t>;
  { constraint.*C::fields[0] } -> std::convertible_to<typename C::Scalar>;
};

namespace detail {

template <EdgeConstraint C, class Number = typename C::Scalar>
using Fields = std::array<Number, C::fields.size()>;

template <EdgeConstraint C>
inline constexpr bool has_damping = requires(C& constraint) { constraint.damping; };

/// Projects one constraint whose fields have been read, and changes those that it keeps.
template <EdgeConstraint C, ParticleSet P>
void project_fields(P& particles, Index i, Index j, Fields<C>& fields, bool damped,
                    const Substep<typename C::Scalar>& substep) noexcept {
  const auto now = difference<P>(particles.predicted, i, j);
  Edge<typename C::Scalar> edge{norm(now), particles.inverse_mass(i) + particles.inverse_mass(j), 0};
  if (damped) edge.drawn_apart = drawn_apart(now, difference<P>(particles.position, i, j), edge.length);

  // difference · (Δλ/length) is Δλ∇C without forming the unit vector.
  const auto scale = C::law(edge, fields, substep);
  const auto gradient = [&now](int d) { return now[static_cast<std::size_t>(d)]; };
  correct(particles, i, gradient, scale);
  correct(particles, j, gradient, -scale);
}

}  // namespace detail

/// Moves the two particles along their line as the constraint's law says.
///
///   reads    predicted (Dim×N, m), inverse_mass (N, 1/kg); position (Dim×N, m) if damped
///   writes   predicted of the two particles; what the constraint keeps (λ)
///   needs    both indices in [0, N); dt > 0
///   skips    coincident or both-pinned pairs
///   cost     O(1); no allocation
///   source   [Mueller07] eqs. 10–11; [Macklin16] eqs. 17–18
template <EdgeConstraint C, ParticleSet P>
void project_edge(C& constraint, P& particles, const Substep<typename P::Scalar>& substep) noexcept {
  constexpr std::size_t count = C::fields.size();
  detail::Fields<C> fields;
  for (std::size_t f = 0; f < count; ++f) fields[f] = constraint.*C::fields[f];
  bool damped = false;
  if constexpr (detail::has_damping<C>) damped = constraint.damping > 0;
  detail::project_fields<std::remove_const_t<C>>(particles, constraint.i, constraint.j, fields, damped, substep);
  if constexpr (C::kept > 0)
    for (std::size_t f = count - C::kept; f < count; ++f) constraint.*C::fields[f] = fields[f];
}

}  // namespace pbd
