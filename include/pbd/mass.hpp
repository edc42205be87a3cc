// SPDX-License-Identifier: MIT
//
// 1. How many there are, what they weigh, and which are pinned. Comes in: particles. Leaves: inverse_mass (0: pinned),
// and unpinned_inverse_mass, so that unpinning gives the old mass back. Next: predict.hpp.
#pragma once

#include <pbd/particles.hpp>

#include <Eigen/Geometry>

#include <array>
#include <cmath>
#include <span>
#include <type_traits>
#include <utility>

namespace pbd {

namespace detail {

template <ParticleSet P>
Error refuse_index(const P& particles, Index i) noexcept {
  if (const Error error = validate_sizes(particles)) return error;
  if (i >= 0 && i < particles.count()) return {};
  return {.reason = "index out of range", .subject = "particle", .item = i};
}

/// A mass in kg that has an inverse in the same precision. By reference, as is_finite(): a NaN must not be optimised away.
template <class Scalar>
[[nodiscard]] bool is_mass(const Scalar& mass) noexcept {
  return is_finite(mass) && mass > 0 && is_finite(Scalar{1} / mass);
}

/// Gives particle i a mass; a pinned one stays pinned and gets this mass when it is unpinned.
template <ParticleSet P>
void assign_inverse_mass(P& particles, Index i, typename P::Scalar inverse_mass) noexcept {
  if (particles.inverse_mass(i) > 0) particles.inverse_mass(i) = inverse_mass;
  if (particles.unpinned_inverse_mass.size() > 0) particles.unpinned_inverse_mass(i) = inverse_mass;
}

}  // namespace detail

/// Makes it `count` particles: the first ones are kept, new ones are at the origin, at rest, 1 kg. O(N), allocates.
template <class Scalar, int Dim, Layout layout>
Error resize(Particles<Scalar, Dim, layout>& particles, Index count) {
  if (count < 0 || count > Index{INT32_MAX}) return {.reason = "count is negative or exceeds a 32-bit index"};
  if (const Error error = validate_sizes(particles)) return error;
  Particles<Scalar, Dim, layout> resized(count);
  const Index kept = count < particles.count() ? count : particles.count();
  resized.position.leftCols(kept) = particles.position.leftCols(kept);
  resized.predicted.leftCols(kept) = particles.predicted.leftCols(kept);
  resized.velocity.leftCols(kept) = particles.velocity.leftCols(kept);
  resized.inverse_mass.head(kept) = particles.inverse_mass.head(kept);
  resized.unpinned_inverse_mass.head(kept) = particles.unpinned_inverse_mass.head(kept);
  particles = std::move(resized);
  return {};
}

/// Appends one particle at rest; its index is the old count(). O(N), allocates: for many, resize() once.
template <class Scalar, int Dim, Layout layout>
Error add(Particles<Scalar, Dim, layout>& particles, const std::type_identity_t<Vector<Scalar, Dim>>& position,
          const std::type_identity_t<Scalar>& mass = 1) {
  if (!detail::is_mass(mass)) return {.reason = "mass is not a positive number with a finite inverse"};
  for (int d = 0; d < Dim; ++d)
    if (!detail::is_finite(position(d))) return {.reason = "position is NaN or infinite"};
  const Index i = particles.count();
  if (const Error error = resize(particles, i + 1)) return error;
  particles.position.col(i) = position;
  particles.predicted.col(i) = position;
  particles.inverse_mass(i) = particles.unpinned_inverse_mass(i) = Scalar{1} / mass;
  return {};
}

template <ParticleSet P>
[[nodiscard]] bool is_pinned(const P& particles, Index i) noexcept {
  return !(particles.inverse_mass(i) > 0);
}

/// Stops particle i where it is. Give it a velocity afterwards, and it follows that exactly: a scripted particle.
template <ParticleSet P>
Error pin(P& particles, Index i) noexcept {
  if (const Error error = detail::refuse_index(particles, i)) return error;
  particles.velocity.col(i).setZero();
  if (is_pinned(particles, i)) return {};
  if (particles.unpinned_inverse_mass.size() > 0) particles.unpinned_inverse_mass(i) = particles.inverse_mass(i);
  particles.inverse_mass(i) = 0;
  return {};
}

/// Frees particle i with a given inverse mass (1/kg). It keeps the velocity it has.
template <ParticleSet P>
Error unpin(P& particles, Index i, const typename P::Scalar& inverse_mass) noexcept {
  if (const Error error = detail::refuse_index(particles, i)) return error;
  if (!detail::is_finite(inverse_mass) || !(inverse_mass > 0))
    return {.reason = "a free particle's inverse mass is a positive, finite number", .subject = "particle", .item = i};
  particles.inverse_mass(i) = inverse_mass;
  return {};
}

/// Frees particle i with the mass that it had before pin(). It keeps the velocity it has.
template <ParticleSet P>
Error unpin(P& particles, Index i) noexcept {
  if (const Error error = detail::refuse_index(particles, i)) return error;
  if (!is_pinned(particles, i)) return {};
  if (particles.unpinned_inverse_mass.size() == 0)
    return {.reason = "the view maps no unpinned_inverse_mass; say which inverse mass to give back",
            .subject = "particle",
            .item = i};
  return unpin(particles, i, particles.unpinned_inverse_mass(i));
}

/// Every particle weighs the same, together `mass` kg (pinned ones counted: they weigh it when unpinned).
template <ParticleSet P>
Error set_total_mass(P& particles, const typename P::Scalar& mass) noexcept {
  using Scalar = typename P::Scalar;
  if (const Error error = validate_sizes(particles)) return error;
  const Index n = particles.count();
  if (n == 0) return {};
  const Scalar each = mass / static_cast<Scalar>(n);
  if (!detail::is_mass(mass) || !detail::is_mass(each))
    return {.reason = "mass is not a positive number with a finite inverse"};
  for (Index i = 0; i < n; ++i) detail::assign_inverse_mass(particles, i, Scalar{1} / each);
  return {};
}

/// Every particle weighs a third of the triangles about it, `density` kg/m² times their present area.
/// A particle of no triangle, or of triangles without area, is refused by its number. Writes predicted, too: it ends as
/// position. Two passes, no allocation.
template <ParticleSet P>
Error set_area_density(P& particles, std::span<const std::array<int, 3>> triangles,
                       const typename P::Scalar& density) noexcept {
  using Scalar = typename P::Scalar;
  if (const Error error = validate_sizes(particles)) return error;
  const Index n = particles.count();
  if (!detail::is_mass(density)) return {.reason = "density is not a positive number with a finite inverse"};
  for (std::size_t t = 0; t < triangles.size(); ++t)
    for (const int i : triangles[t])
      if (i < 0 || i >= n)
        return {.reason = "index out of range", .subject = "triangle", .item = static_cast<std::int64_t>(t)};

  // The masses are summed in `predicted`, which every step writes before it reads.
  auto mass = particles.predicted.row(0);
  mass.setZero();
  for (const auto& [a, b, c] : triangles) {
    const VectorOf<P> ab = particles.position.col(b) - particles.position.col(a);
    const VectorOf<P> ac = particles.position.col(c) - particles.position.col(a);
    Scalar squared;
    if constexpr (P::dim == 2) {
      const Scalar cross = ab(0) * ac(1) - ab(1) * ac(0);
      squared = cross * cross;
    } else {
      squared = ab.cross(ac).squaredNorm();
    }
    const Scalar share = density * std::sqrt(squared) / Scalar{6};
    mass(a) += share;
    mass(b) += share;
    mass(c) += share;
  }
  Error error;
  for (Index i = 0; i < n && !error; ++i)
    if (!detail::is_mass(mass(i)))
      error = {.reason = "no triangle with an area belongs to it, so density gives it no mass",
               .subject = "particle",
               .item = i};
  for (Index i = 0; i < n && !error; ++i) detail::assign_inverse_mass(particles, i, Scalar{1} / mass(i));
  particles.predicted = particles.position;
  return error;
}

}  // namespace pbd
