// SPDX-License-Identifier: MIT
//
// 3. The distance constraints, C = ‖x_i − x_j‖ − d, in 2-D and 3-D: hard, soft (PBD stiffness), compliant (XPBD),
// one-sided. Each is its numbers and its law, which answers Δλ/length; edge.hpp does the rest.
// Next: gauss_seidel.hpp sweeps arrays of them.
#pragma once

#include <pbd/edge.hpp>

#include <array>
#include <cmath>
#include <limits>

namespace pbd {

namespace detail {

/// 0 for a rest length of 0, to which nothing is in proportion; infinite if the length is NaN or infinite.
template <class Scalar>
[[nodiscard]] constexpr Scalar relative(Scalar length, Scalar rest_length) noexcept {
  if (!is_finite(length)) return std::numeric_limits<Scalar>::infinity();
  return rest_length > 0 ? (length - rest_length) / rest_length : Scalar{0};
}

template <class Scalar>
[[nodiscard]] constexpr const char* length_flaw(const Scalar& length) noexcept {
  if (!is_finite(length)) return "rest length is NaN or infinite";
  return length < 0 ? "rest length is negative" : nullptr;
}

}  // namespace detail

/// Keeps two particles at rest_length; each sweep restores it entirely (PBD, stiffness 1).
///
///   source   [Mueller07] eqs. 10–11
template <class Scalar_ = float>
struct DistanceConstraint {
  using Scalar = Scalar_;

  std::int32_t i;
  std::int32_t j;
  Scalar rest_length;  ///< d, m

  static constexpr std::array fields{&DistanceConstraint::rest_length};
  static constexpr std::size_t kept = 0;

  /// Δλ/length = −C / (Σ w‖∇C‖² · length): one division instead of two.
  template <class Number>
  [[nodiscard]] static Number law(const Edge<Number>& edge, std::array<Number, 1>& field,
                                  const Substep<Scalar>& substep) noexcept {
    const Number violation = edge.length - field[0];
    const Number change = Number(substep.relaxation) * delta_lambda(violation, edge.weight * edge.length);
    return detail::if_movable(edge, change);
  }

  [[nodiscard]] constexpr std::array<std::int32_t, 2> indices() const noexcept { return {i, j}; }

  template <ParticleSet P>
  void project(P& particles, const Substep<Scalar>& substep) const noexcept {
    project_edge(*this, particles, substep);
  }

  [[nodiscard]] constexpr const char* flaw() const noexcept { return detail::length_flaw(rest_length); }

  template <ParticleSet P>
  [[nodiscard]] Scalar relative_stretch(const P& particles) const noexcept {
    return detail::relative(detail::distance(particles, i, j), rest_length);
  }
};

/// As DistanceConstraint, but a whole substep restores the part `stiffness` of the violation, whatever the iteration
/// count: each of the n sweeps restores k' = 1 − (1 − k)^(1/n).
///
///   source   [Mueller07] section 3.3
template <class Scalar_ = float>
struct SoftDistanceConstraint {
  using Scalar = Scalar_;

  std::int32_t i;
  std::int32_t j;
  Scalar rest_length;          ///< d, m
  Scalar stiffness = 1;        ///< k in [0, 1]
  Scalar sweep_stiffness = 1;  ///< k', set by begin_substep

  static constexpr std::array fields{&SoftDistanceConstraint::rest_length, &SoftDistanceConstraint::stiffness,
                                     &SoftDistanceConstraint::sweep_stiffness};
  static constexpr std::size_t kept = 1;

  static void prepare(std::array<Scalar, 3>& field, const Substep<Scalar>& substep) noexcept {
    field[2] = substep.iterations == 1
                   ? field[1]
                   : 1 - std::pow(1 - field[1], Scalar{1} / static_cast<Scalar>(substep.iterations));
  }

  template <class Number>
  [[nodiscard]] static Number law(const Edge<Number>& edge, std::array<Number, 3>& field,
                                  const Substep<Scalar>& substep) noexcept {
    const Number violation = field[2] * (edge.length - field[0]);
    const Number change = Number(substep.relaxation) * delta_lambda(violation, edge.weight * edge.length);
    return detail::if_movable(edge, change);
  }

  [[nodiscard]] constexpr std::array<std::int32_t, 2> indices() const noexcept { return {i, j}; }

  void begin_substep(const Substep<Scalar>& substep) noexcept {
    std::array<Scalar, 3> field{rest_length, stiffness, sweep_stiffness};
    prepare(field, substep);
    sweep_stiffness = field[2];
  }

  template <ParticleSet P>
  void project(P& particles, const Substep<Scalar>& substep) noexcept {
    project_edge(*this, particles, substep);
  }

  [[nodiscard]] constexpr const char* flaw() const noexcept {
    if (!detail::is_finite(stiffness) || stiffness < 0 || stiffness > 1) return "stiffness is not in [0, 1]";
    return detail::length_flaw(rest_length);
  }

  template <ParticleSet P>
  [[nodiscard]] Scalar relative_stretch(const P& particles) const noexcept {
    return detail::relative(detail::distance(particles, i, j), rest_length);
  }
};

/// A spring of stiffness 1/compliance, integrated implicitly: its stretch depends on neither dt nor the iteration
/// count. compliance 0 is a hard constraint that can tell its force. λ is set to 0 at the start of every substep.
///
///   source   [Macklin16] eqs. 18, 26
template <class Scalar_ = float>
struct CompliantDistanceConstraint {
  using Scalar = Scalar_;

  std::int32_t i;
  std::int32_t j;
  Scalar rest_length;     ///< d, m
  Scalar compliance = 0;  ///< α, m/N
  Scalar damping = 0;     ///< β, N·s/m along the constraint; acts through γ = αβ/Δt, so it needs compliance > 0
  Scalar lambda = 0;      ///< λ accumulated in this substep, N·s²

  static constexpr std::array fields{
      &CompliantDistanceConstraint::rest_length, &CompliantDistanceConstraint::compliance,
      &CompliantDistanceConstraint::damping, &CompliantDistanceConstraint::lambda};
  static constexpr std::size_t kept = 1;

  static constexpr void prepare(std::array<Scalar, 4>& field, const Substep<Scalar>&) noexcept { field[3] = 0; }

  template <class Number>
  [[nodiscard]] static Number law(const Edge<Number>& edge, std::array<Number, 4>& field,
                                  const Substep<Scalar>& substep) noexcept {
    using detail::select;
    const auto& [rest_length, compliance, damping, lambda] = field;
    const Number gamma = compliance * damping * Number(substep.inverse_dt);
    const Number violation = (edge.length - rest_length) + gamma * edge.drawn_apart;
    const Number weight = (Number(1) + gamma) * edge.weight;
    // α/Δt² beyond the largest number would be infinite, and times a λ of 0 NaN.
    constexpr Scalar largest = (std::numeric_limits<Scalar>::max)();
    const Number unbounded = compliance * Number(substep.inverse_dt_squared);
    const Number scaled_compliance = select(unbounded < Number(largest), unbounded, Number(largest));
    const Number full = delta_lambda(violation, weight, scaled_compliance, lambda);
    const Number change = detail::if_movable(edge, Number(substep.relaxation) * full);
    field[3] = lambda + change;
    return detail::if_movable(edge, change / edge.length);
  }

  [[nodiscard]] constexpr std::array<std::int32_t, 2> indices() const noexcept { return {i, j}; }

  constexpr void begin_substep(const Substep<Scalar>&) noexcept { lambda = 0; }

  template <ParticleSet P>
  void project(P& particles, const Substep<Scalar>& substep) noexcept {
    project_edge(*this, particles, substep);
  }

  [[nodiscard]] constexpr const char* flaw() const noexcept {
    if (!detail::is_finite(compliance) || compliance < 0) return "compliance is negative, NaN or infinite";
    if (!detail::is_finite(damping) || damping < 0) return "damping is negative, NaN or infinite";
    return detail::length_flaw(rest_length);
  }

  /// The tension that it held with in the last substep, −λ/Δt² (N): positive where it pulls its ends together.
  [[nodiscard]] constexpr Scalar force(const Substep<Scalar>& substep) const noexcept {
    return -lambda * substep.inverse_dt_squared;
  }

  template <ParticleSet P>
  [[nodiscard]] Scalar relative_stretch(const P& particles) const noexcept {
    return detail::relative(detail::distance(particles, i, j), rest_length);
  }

  /// ½C²/α (J), of position; none for a hard one.
  template <ParticleSet P>
  [[nodiscard]] Scalar energy(const P& particles) const noexcept {
    const Scalar violation = detail::distance(particles, i, j) - rest_length;
    return compliance > 0 ? violation * violation / (2 * compliance) : Scalar{0};
  }
};

/// One-sided: acts only while the distance lies outside [shortest, longest], and then restores the nearer limit.
///
///   source   [Mueller07] section 3.3, inequality constraints
template <class Scalar_ = float>
struct DistanceLimit {
  using Scalar = Scalar_;
  static constexpr Scalar unlimited = (std::numeric_limits<Scalar>::max)();

  std::int32_t i;
  std::int32_t j;
  Scalar shortest = 0;         ///< m
  Scalar longest = unlimited;  ///< m

  static constexpr std::array fields{&DistanceLimit::shortest, &DistanceLimit::longest};
  static constexpr std::size_t kept = 0;

  template <class Number>
  [[nodiscard]] static Number law(const Edge<Number>& edge, std::array<Number, 2>& field,
                                  const Substep<Scalar>& substep) noexcept {
    const Number violation = edge.length - nearest(edge.length, field[0], field[1]);
    const Number change = Number(substep.relaxation) * delta_lambda(violation, edge.weight * edge.length);
    return detail::if_movable(edge, change);
  }

  /// The allowed length nearest to a given one.
  template <class Number>
  [[nodiscard]] static Number nearest(Number length, Number shortest, Number longest) noexcept {
    using detail::select;
    return select(length > longest, longest, select(length < shortest, shortest, length));
  }

  [[nodiscard]] constexpr std::array<std::int32_t, 2> indices() const noexcept { return {i, j}; }

  template <ParticleSet P>
  void project(P& particles, const Substep<Scalar>& substep) const noexcept {
    project_edge(*this, particles, substep);
  }

  [[nodiscard]] constexpr const char* flaw() const noexcept {
    if (!detail::is_finite(shortest) || !detail::is_finite(longest)) return "a limit is NaN or infinite";
    if (shortest < 0) return "the shortest distance is negative";
    return longest < shortest ? "the longest distance is below the shortest" : nullptr;
  }

  /// Beyond the limit, in proportion to it; 0 within.
  template <ParticleSet P>
  [[nodiscard]] Scalar relative_stretch(const P& particles) const noexcept {
    const Scalar length = detail::distance(particles, i, j);
    return detail::relative(length, nearest(length, shortest, longest));
  }
};

/// A rope or tether: at most `longest`.
template <std::floating_point Scalar>
[[nodiscard]] constexpr DistanceLimit<Scalar> at_most(int i, int j, Scalar longest) noexcept {
  return {i, j, 0, longest};
}

/// A separation: at least `shortest`.
template <std::floating_point Scalar>
[[nodiscard]] constexpr DistanceLimit<Scalar> at_least(int i, int j, Scalar shortest) noexcept {
  return {i, j, shortest, DistanceLimit<Scalar>::unlimited};
}

}  // namespace pbd
