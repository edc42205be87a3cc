// SPDX-License-Identifier: MIT
//
// A walk through every room that ends in a number: whatever compiles and runs this can use the library, and whatever
// gets the same number computes the same bits. For builds with unusual flags, compilers and neighbours; the laws
// themselves are in test_*.cpp.
#pragma once

#include <pbd/pbd.hpp>

#include <cstdint>
#include <cstring>
#include <vector>

namespace tour {

/// FNV-1a over the bits of what a step leaves behind.
template <pbd::ParticleSet P>
std::uint64_t hash(const P& particles) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  const auto mix = [&hash](typename P::Scalar value) {
    unsigned char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    for (const unsigned char byte : bytes) hash = (hash ^ byte) * 0x100000001b3u;
  };
  for (pbd::Index i = 0; i < particles.count(); ++i)
    for (int d = 0; d < P::dim; ++d) {
      mix(particles.position(d, i));
      mix(particles.velocity(d, i));
    }
  return hash;
}

/// How the sheet's constraints are swept: the number must not depend on it.
enum class Sweep { array, batches, waves };

/// Calls step_with(constraint sets…) in the way that was asked for.
template <class Cloth, class Step>
pbd::Error step_by(Sweep sweep, Cloth& cloth, Step step_with) {
  if (sweep == Sweep::array) return step_with(cloth.structural, cloth.shear, cloth.bending);
  auto structural = pbd::make_batches(cloth.structural), shear = pbd::make_batches(cloth.shear),
       bending = pbd::make_batches(cloth.bending);
  if (sweep == Sweep::batches) return step_with(structural, shear, bending);
  const auto backwards = [](std::size_t count, auto&& body) {
    for (std::size_t n = count; n-- > 0;) body(n, n + 1);
  };
  auto waves = pbd::make_parallel(backwards, 3, structural, shear, bending);
  return step_with(waves);
}

/// Drops a small sheet for a second. 0 if anything is refused or ends up far from satisfied.
template <class Constraint, int Dim, pbd::Layout layout>
std::uint64_t drop(Sweep sweep) {
  using Scalar = decltype(Constraint::rest_length);
  pbd::ClothSettings<Scalar, Dim> sheet;
  sheet.columns = 9;
  sheet.rows = 7;
  sheet.density = Scalar(0.2);
  sheet.bending.present = true;
  auto cloth = pbd::make_cloth<Scalar, Dim, layout, Constraint>(sheet);
  if (cloth.error || pbd::validate(cloth.particles, cloth.structural, cloth.shear, cloth.bending)) return 0;

  const int corner = cloth.index(0, sheet.rows - 1);
  std::vector<pbd::DistanceLimit<Scalar>> tethers{pbd::at_most<Scalar>(0, corner, Scalar(1.25)),
                                                  pbd::at_least<Scalar>(0, corner, Scalar(0.1))};
  pbd::StepSettings<Scalar, Dim> settings;
  settings.substeps = 4;
  settings.iterations = 2;
  for (int frame = 0; frame < 60; ++frame) {
    if (frame == 30 && pbd::unpin(cloth.particles, cloth.index(sheet.columns - 1, 0))) return 0;
    const auto step = [&](auto&... sets) { return pbd::step(cloth.particles, settings, sets..., tethers); };
    if (step_by(sweep, cloth, step)) return 0;
  }
  const auto left = pbd::stretch(cloth.particles, cloth.structural, cloth.shear, cloth.bending, tethers);
  const auto energy = pbd::energy(cloth.particles, settings.gravity, cloth.structural);
  const auto momentum = pbd::momentum(cloth.particles);
  const bool sane = left.max < Scalar(0.5) && energy.kinetic > 0 && momentum.mass > 0;
  return sane ? hash(cloth.particles) : 0;
}

/// Lets a curtain swing by lines alone, whole steps at a time; a wide one in tiles.
template <class Scalar, int Dim, pbd::Layout layout>
std::uint64_t swing_whole(std::int32_t columns) {
  pbd::ClothSettings<Scalar, Dim> sheet;
  sheet.columns = columns;
  sheet.rows = 6;
  sheet.pin_top_row = true;
  sheet.shear.present = false;
  auto cloth = pbd::make_cloth<Scalar, Dim, layout>(sheet);
  auto lines = pbd::make_lines(pbd::line_constraints(cloth));
  pbd::StepSettings<Scalar, Dim> settings;
  settings.gravity(0) = Scalar(3);
  for (int frame = 0; frame < 10; ++frame)
    if (pbd::step(cloth.particles, settings, lines)) return 0;
  return pbd::stretch(cloth.particles, cloth.structural).max < Scalar(0.01) ? hash(cloth.particles) : 0;
}

/// Lets a small curtain swing, its rows and columns solved whole, behind coarse levels and with accelerated diagonals.
template <class Scalar, int Dim, pbd::Layout layout>
std::uint64_t swing() {
  pbd::ClothSettings<Scalar, Dim> sheet;
  sheet.columns = 19;  // strips of lines, and lines left over
  sheet.rows = 11;
  sheet.pin_top_row = true;
  auto cloth = pbd::make_cloth<Scalar, Dim, layout, pbd::DistanceConstraint<Scalar>, pbd::DistanceLimit<Scalar>>(sheet);
  auto lines = pbd::make_lines(pbd::line_constraints(cloth));
  auto coarse = pbd::make_coarse_to_fine(cloth);
  auto shear = pbd::make_batches(cloth.shear);
  auto chebyshev = pbd::make_chebyshev(cloth.particles, shear);
  pbd::StepSettings<Scalar, Dim> settings;
  settings.gravity(0) = Scalar(3);
  settings.iterations = 12;
  settings.tolerance = Scalar(1e-3);
  for (int frame = 0; frame < 20; ++frame) {
    settings.substeps = lines.substeps(cloth.particles, settings.dt, settings.gravity.norm());
    if (pbd::step(cloth.particles, settings, coarse, chebyshev, lines)) return 0;
  }
  const auto left = pbd::stretch(cloth.particles, cloth.structural);
  const std::uint64_t narrow = swing_whole<Scalar, Dim, layout>(19), wide = swing_whole<Scalar, Dim, layout>(131);
  if (narrow == 0 || wide == 0) return 0;
  return left.max < Scalar(0.01) ? hash(cloth.particles) ^ (narrow << 1) ^ (wide << 2) : 0;
}

/// One number for all kinds of constraint in one precision, dimension and layout; 0 if any of them failed.
template <class Scalar, int Dim, pbd::Layout layout>
std::uint64_t walk(Sweep sweep) {
  const std::uint64_t hard = drop<pbd::DistanceConstraint<Scalar>, Dim, layout>(sweep);
  const std::uint64_t soft = drop<pbd::SoftDistanceConstraint<Scalar>, Dim, layout>(sweep);
  const std::uint64_t compliant = drop<pbd::CompliantDistanceConstraint<Scalar>, Dim, layout>(sweep);
  const std::uint64_t whole_lines = swing<Scalar, Dim, layout>();
  if (hard == 0 || soft == 0 || compliant == 0 || whole_lines == 0) return 0;
  return hard ^ (soft << 1) ^ (compliant << 2) ^ (whole_lines << 3);
}

/// The four corners of {float, double} × {2, 3} × {interleaved, planar}; 0 if any of them failed.
inline std::uint64_t all(Sweep sweep) {
  const std::uint64_t a = walk<float, 3, pbd::Layout::planar>(sweep);
  const std::uint64_t b = walk<float, 2, pbd::Layout::interleaved>(sweep);
  const std::uint64_t c = walk<double, 3, pbd::Layout::interleaved>(sweep);
  const std::uint64_t d = walk<double, 2, pbd::Layout::planar>(sweep);
  if (a == 0 || b == 0 || c == 0 || d == 0) return 0;
  return a ^ (b << 1) ^ (c << 2) ^ (d << 3);
}

/// The number of the plain sweep; 0 if a room failed, or if batches or waves move anything differently by a bit.
inline std::uint64_t all() {
  const std::uint64_t number = all(Sweep::array);
#ifdef __FAST_MATH__
  return all(Sweep::batches) != 0 && all(Sweep::waves) != 0 ? number : 0;  // no promise of bits there
#else
  return all(Sweep::batches) == number && all(Sweep::waves) == number ? number : 0;
#endif
}

}  // namespace tour
