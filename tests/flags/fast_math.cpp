// SPDX-License-Identifier: MIT
//
// -ffast-math lets the compiler assume that no value is NaN or infinite. Finite inputs must still behave, and
// validation must still find what is not finite.
#include "../tour.hpp"

#include <bit>
#include <cstdio>

namespace {

int failures = 0;

void expect(bool holds, const char* law) {
  if (holds) return;
  std::printf("broken: %s\n", law);
  ++failures;
}

// From bits, at run time: a NaN that the compiler knows about may be folded away.
template <class Scalar>
Scalar from_bits(std::uint64_t float_bits, std::uint64_t double_bits) {
  volatile std::uint64_t bits = sizeof(Scalar) == 4 ? float_bits : double_bits;
  if constexpr (sizeof(Scalar) == 4)
    return std::bit_cast<Scalar>(static_cast<std::uint32_t>(bits));
  else
    return std::bit_cast<Scalar>(static_cast<std::uint64_t>(bits));
}

template <class Scalar>
void refuses_what_is_not_finite(Scalar bad) {
  pbd::ClothSettings<Scalar, 3> sheet;
  sheet.columns = sheet.rows = 4;
  auto cloth = pbd::make_cloth<Scalar, 3>(sheet);
  const std::uint64_t before = tour::hash(cloth.particles);

  pbd::StepSettings<Scalar, 3> settings;
  settings.dt = bad;
  expect(bool(pbd::step(cloth.particles, settings, cloth.structural)), "step refuses a dt that is not finite");
  settings = {};
  settings.gravity(1) = bad;
  expect(bool(pbd::step(cloth.particles, settings, cloth.structural)), "step refuses gravity that is not finite");
  expect(tour::hash(cloth.particles) == before, "a refused step leaves the state untouched");

  const auto expect_refused = [&](Scalar& value, const char* law) {
    const Scalar old = value;
    value = bad;
    expect(bool(pbd::validate(cloth.particles, cloth.structural)), law);
    value = old;
  };
  expect_refused(cloth.particles.position(1, 3), "validate finds a position that is not finite");
  expect_refused(cloth.particles.velocity(2, 5), "validate finds a velocity that is not finite");
  expect_refused(cloth.particles.inverse_mass(7), "validate finds an inverse mass that is not finite");
  expect_refused(cloth.structural[2].rest_length, "validate finds a rest length that is not finite");

  sheet.spacing = bad;
  expect(bool(pbd::make_cloth<Scalar, 3>(sheet).error), "make_cloth refuses a spacing that is not finite");
  cloth.particles.position(0, 1) = bad;
  const Scalar left = pbd::stretch(cloth.particles, cloth.structural).max;
  expect(!pbd::detail::is_finite(left), "divergence shows in the stretch");
}

template <class Scalar>
void behaves() {
  refuses_what_is_not_finite<Scalar>(from_bits<Scalar>(0x7fc00000u, 0x7ff8000000000000u));  // NaN
  refuses_what_is_not_finite<Scalar>(from_bits<Scalar>(0xffc00001u, 0xfff8000000000001u));  // −NaN with a payload
  refuses_what_is_not_finite<Scalar>(from_bits<Scalar>(0x7f800000u, 0x7ff0000000000000u));  // ∞
  refuses_what_is_not_finite<Scalar>(from_bits<Scalar>(0xff800000u, 0xfff0000000000000u));  // −∞

  // Coincident and both-pinned pairs would divide by zero if they were not skipped.
  pbd::Particles<Scalar, 3> particles(4);
  particles.inverse_mass(2) = particles.inverse_mass(3) = 0;
  std::vector<pbd::DistanceConstraint<Scalar>> edges{{0, 1, 1}, {2, 3, 1}};
  expect(!pbd::step(particles, pbd::StepSettings<Scalar, 3>{}, edges), "degenerate pairs are no error");
  expect(!pbd::validate(particles), "degenerate pairs leave finite particles");
}

}  // namespace

int main() {
  behaves<float>();
  behaves<double>();
  expect(tour::all() != 0, "every room works on finite inputs");
  return failures;
}
