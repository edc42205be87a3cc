// SPDX-License-Identifier: MIT
//
// 3. The distance constraints, C = ‖x_i − x_j‖ − d, in 2-D and 3-D: hard, soft (PBD stiffness), compliant (XPBD),
// one-sided. Comes in: predicted and inverse_mass of two particles. Leaves: predicted, and λ where it is kept.
// Next: gauss_seidel.hpp sweeps arrays of them.
#pragma once

#include <pbd/constraint.hpp>

#include <array>
#include <cmath>
#include <limits>

namespace pbd {

namespace detail {

/// The line between two particles, and ∇C along it: ∇_iC = difference/length, ∇_jC = −∇_iC.
template <class Scalar, int Dim>
struct Edge {
  Scalar difference[static_cast<std::size_t>(Dim)];  // x_i − x_j, m
  Scalar length;                                     // ‖x_i − x_j‖, m

  constexpr Scalar operator()(int d) const noexcept { return difference[d]; }
};

// The sum runs in the order of the coordinates, here and in the batched sweep, so that both give the same bits.
template <int Dim, class Positions>
[[nodiscard]] auto edge(const Positions& positions, Index i, Index j) noexcept {
  using Scalar = typename Positions::Scalar;
  Edge<Scalar, Dim> edge;
  Scalar squared{0};
  for (int d = 0; d < Dim; ++d) {
    edge.difference[d] = positions(d, i) - positions(d, j);
    squared = d == 0 ? edge.difference[d] * edge.difference[d] : squared + edge.difference[d] * edge.difference[d];
  }
  edge.length = std::sqrt(squared);
  return edge;
}

/// Σ w‖∇C‖² = w_i + w_j, for a distance's gradients are unit vectors.
template <ParticleSet P>
[[nodiscard]] typename P::Scalar weight(const P& particles, Index i, Index j) noexcept {
  return particles.inverse_mass(i) + particles.inverse_mass(j);
}

/// Neither coincident, where the gradient has no direction, nor both pinned. Exact zeros: no absolute tolerance, so
/// that a scene scaled by any factor behaves the same.
template <class Scalar>
[[nodiscard]] constexpr bool can_move(Scalar length, Scalar weight) noexcept {
  return length > 0 && weight > 0;
}

/// Moves both ends by Δλ: difference · (Δλ/length) is Δλ∇C without forming the unit vector.
template <ParticleSet P, class Scalar, int Dim>
void correct_ends(P& particles, Index i, Index j, const Edge<Scalar, Dim>& edge, Scalar lambda) noexcept {
  const Scalar scale = lambda / edge.length;
  correct(particles, i, edge, scale);
  correct(particles, j, edge, -scale);
}

template <ParticleSet P, class Scalar>
[[nodiscard]] Scalar relative_stretch(const P& particles, Index i, Index j, Scalar rest_length) noexcept {
  const Scalar length = edge<P::dim>(particles.position, i, j).length;
  return rest_length > 0 ? (length - rest_length) / rest_length : Scalar{0};
}

template <class Scalar>
[[nodiscard]] constexpr const char* length_flaw(Scalar length) noexcept {
  if (!is_finite(length)) return "rest length is NaN or infinite";
  return length < 0 ? "rest length is negative" : nullptr;
}

}  // namespace detail

/// Keeps two particles at rest_length; each sweep restores it entirely (PBD, stiffness 1).
///
///   reads    predicted (Dim×N, m), inverse_mass (N, 1/kg)
///   writes   predicted of the two particles
///   needs    both indices in [0, N)
///   skips    coincident or both-pinned pairs
///   cost     O(1); no allocation
///   source   [Mueller07] eqs. 10–11
template <class Scalar = float>
struct DistanceConstraint {
  std::int32_t i;
  std::int32_t j;
  Scalar rest_length;  ///< d, m

  [[nodiscard]] constexpr std::array<std::int32_t, 2> indices() const noexcept { return {i, j}; }

  template <ParticleSet P>
  void project(P& particles, const Substep<Scalar>&) const noexcept {
    const auto edge = detail::edge<P::dim>(particles.predicted, i, j);
    const Scalar weight = detail::weight(particles, i, j);
    if (!detail::can_move(edge.length, weight)) return;
    const Scalar violation = edge.length - rest_length;
    detail::correct_ends(particles, i, j, edge, delta_lambda(violation, weight));
  }

  [[nodiscard]] constexpr const char* flaw() const noexcept { return detail::length_flaw(rest_length); }

  template <ParticleSet P>
  [[nodiscard]] Scalar relative_stretch(const P& particles) const noexcept {
    return detail::relative_stretch(particles, i, j, rest_length);
  }
};

/// As DistanceConstraint, but a whole substep restores the part `stiffness` of the violation, whatever the iteration
/// count: each of the n sweeps restores k' = 1 − (1 − k)^(1/n).
///
///   source   [Mueller07] section 3.3
template <class Scalar = float>
struct SoftDistanceConstraint {
  std::int32_t i;
  std::int32_t j;
  Scalar rest_length;          ///< d, m
  Scalar stiffness = 1;        ///< k in [0, 1]
  Scalar sweep_stiffness = 1;  ///< k', set by begin_substep

  [[nodiscard]] constexpr std::array<std::int32_t, 2> indices() const noexcept { return {i, j}; }

  void begin_substep(const Substep<Scalar>& substep) noexcept {
    sweep_stiffness = substep.iterations == 1
                          ? stiffness
                          : 1 - std::pow(1 - stiffness, Scalar{1} / static_cast<Scalar>(substep.iterations));
  }

  template <ParticleSet P>
  void project(P& particles, const Substep<Scalar>&) noexcept {
    const auto edge = detail::edge<P::dim>(particles.predicted, i, j);
    const Scalar weight = detail::weight(particles, i, j);
    if (!detail::can_move(edge.length, weight)) return;
    const Scalar violation = sweep_stiffness * (edge.length - rest_length);
    detail::correct_ends(particles, i, j, edge, delta_lambda(violation, weight));
  }

  [[nodiscard]] constexpr const char* flaw() const noexcept {
    if (!detail::is_finite(stiffness) || stiffness < 0 || stiffness > 1) return "stiffness is not in [0, 1]";
    return detail::length_flaw(rest_length);
  }

  template <ParticleSet P>
  [[nodiscard]] Scalar relative_stretch(const P& particles) const noexcept {
    return detail::relative_stretch(particles, i, j, rest_length);
  }
};

/// A spring of stiffness 1/compliance, integrated implicitly: its stretch depends on neither dt nor the iteration
/// count. compliance 0 is a hard constraint that can tell its force. λ is set to 0 at the start of every substep.
///
///   reads    predicted, position (Dim×N, m), inverse_mass (N, 1/kg)
///   writes   predicted of the two particles; lambda
///   needs    both indices in [0, N); dt > 0
///   skips    coincident or both-pinned pairs
///   cost     O(1); no allocation
///   source   [Macklin16] eqs. 18, 26
template <class Scalar = float>
struct CompliantDistanceConstraint {
  std::int32_t i;
  std::int32_t j;
  Scalar rest_length;     ///< d, m
  Scalar compliance = 0;  ///< α, m/N
  Scalar damping = 0;     ///< β, N·s/m along the constraint; acts through γ = αβ/Δt, so it needs compliance > 0
  Scalar lambda = 0;      ///< λ accumulated in this substep, N·s²

  [[nodiscard]] constexpr std::array<std::int32_t, 2> indices() const noexcept { return {i, j}; }

  constexpr void begin_substep(const Substep<Scalar>&) noexcept { lambda = 0; }

  template <ParticleSet P>
  void project(P& particles, const Substep<Scalar>& substep) noexcept {
    const auto edge = detail::edge<P::dim>(particles.predicted, i, j);
    Scalar weight = detail::weight(particles, i, j);
    if (!detail::can_move(edge.length, weight)) return;
    Scalar violation = edge.length - rest_length;
    if (damping > 0) {
      Scalar moved{0};  // ∇C·(x* − x): how far the ends drew apart since the substep began, times the length
      for (int d = 0; d < P::dim; ++d)
        moved += edge(d) * ((particles.predicted(d, i) - particles.position(d, i)) -
                            (particles.predicted(d, j) - particles.position(d, j)));
      const Scalar gamma = compliance * damping / substep.dt;
      violation += gamma * (moved / edge.length);
      weight *= 1 + gamma;
    }
    const Scalar scaled_compliance = compliance * substep.inverse_dt_squared;
    const Scalar change = delta_lambda(violation, weight, scaled_compliance, lambda);
    lambda += change;
    detail::correct_ends(particles, i, j, edge, change);
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
    return detail::relative_stretch(particles, i, j, rest_length);
  }

  /// ½C²/α (J), of position; none for a hard one.
  template <ParticleSet P>
  [[nodiscard]] Scalar energy(const P& particles) const noexcept {
    const Scalar violation = detail::edge<P::dim>(particles.position, i, j).length - rest_length;
    return compliance > 0 ? violation * violation / (2 * compliance) : Scalar{0};
  }
};

/// One-sided: acts only while the distance lies outside [shortest, longest], and then restores the nearer limit.
///
///   source   [Mueller07] section 3.3, inequality constraints
template <class Scalar = float>
struct DistanceLimit {
  static constexpr Scalar unlimited = std::numeric_limits<Scalar>::max();

  std::int32_t i;
  std::int32_t j;
  Scalar shortest = 0;         ///< m
  Scalar longest = unlimited;  ///< m

  [[nodiscard]] constexpr std::array<std::int32_t, 2> indices() const noexcept { return {i, j}; }

  template <ParticleSet P>
  void project(P& particles, const Substep<Scalar>&) const noexcept {
    const auto edge = detail::edge<P::dim>(particles.predicted, i, j);
    const Scalar weight = detail::weight(particles, i, j);
    if (!detail::can_move(edge.length, weight)) return;
    const Scalar violation = edge.length - nearest(edge.length);
    if (violation == 0) return;
    detail::correct_ends(particles, i, j, edge, delta_lambda(violation, weight));
  }

  [[nodiscard]] constexpr const char* flaw() const noexcept {
    if (!detail::is_finite(shortest) || !detail::is_finite(longest)) return "a limit is NaN or infinite";
    if (shortest < 0) return "the shortest distance is negative";
    return longest < shortest ? "the longest distance is below the shortest" : nullptr;
  }

  /// Beyond the limit, in proportion to it; 0 within.
  template <ParticleSet P>
  [[nodiscard]] Scalar relative_stretch(const P& particles) const noexcept {
    const Scalar length = detail::edge<P::dim>(particles.position, i, j).length;
    const Scalar limit = nearest(length);
    return limit > 0 ? (length - limit) / limit : Scalar{0};
  }

  /// The allowed distance nearest to a given one.
  [[nodiscard]] constexpr Scalar nearest(Scalar length) const noexcept {
    return length > longest ? longest : (length < shortest ? shortest : length);
  }
};

/// A rope or tether: at most `longest`.
template <class Scalar>
[[nodiscard]] constexpr DistanceLimit<Scalar> at_most(int i, int j, Scalar longest) noexcept {
  return {i, j, 0, longest};
}

/// A separation: at least `shortest`.
template <class Scalar>
[[nodiscard]] constexpr DistanceLimit<Scalar> at_least(int i, int j, Scalar shortest) noexcept {
  return {i, j, shortest, DistanceLimit<Scalar>::unlimited};
}

}  // namespace pbd
