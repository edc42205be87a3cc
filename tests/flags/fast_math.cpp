// SPDX-License-Identifier: MIT
//
// -ffast-math lets the compiler assume that no value is NaN or infinite. Finite inputs must still behave, and
// validation must still find what is not finite.
#include "../tour.hpp"

#include <cstdio>

namespace {

int failures = 0;

void expect(bool holds, const char* law) {
  if (holds) return;
  std::printf("broken: %s\n", law);
  ++failures;
}

// Writes a value that is not finite where it is to be found. As bits, into memory: under -ffast-math Clang may take for
// granted that no function is handed or returns a NaN.
template <class Scalar>
struct NotFinite {
  std::uint64_t bits;

  void into(Scalar& value) const {
    volatile std::uint64_t hidden = bits;  // what the compiler knows it may fold away
    const std::uint64_t wide = hidden;
    const auto narrow = static_cast<std::uint32_t>(wide);
    if constexpr (sizeof(Scalar) == 4)
      std::memcpy(&value, &narrow, sizeof value);
    else
      std::memcpy(&value, &wide, sizeof value);
  }
};

template <class Scalar>
void refuses(NotFinite<Scalar> bad) {
  pbd::ClothSettings<Scalar, 3> sheet;
  sheet.columns = sheet.rows = 4;
  auto cloth = pbd::make_cloth<Scalar, 3>(sheet);
  const std::uint64_t before = tour::hash(cloth.particles);

  pbd::StepSettings<Scalar, 3> settings;
  bad.into(settings.dt);
  expect(bool(pbd::step(cloth.particles, settings, cloth.structural)), "step refuses a dt that is not finite");
  settings = {};
  bad.into(settings.gravity(1));
  expect(bool(pbd::step(cloth.particles, settings, cloth.structural)), "step refuses gravity that is not finite");
  expect(tour::hash(cloth.particles) == before, "a refused step leaves the state untouched");

  const auto expect_refused = [&](Scalar& value, const char* law) {
    Scalar old;
    std::memcpy(&old, &value, sizeof old);
    bad.into(value);
    expect(bool(pbd::validate(cloth.particles, cloth.structural)), law);
    std::memcpy(&value, &old, sizeof old);
  };
  expect(!pbd::validate(cloth.particles, cloth.structural), "validate accepts what is finite");
  expect_refused(cloth.particles.position(1, 3), "validate finds a position that is not finite");
  expect_refused(cloth.particles.velocity(2, 5), "validate finds a velocity that is not finite");
  expect_refused(cloth.particles.inverse_mass(7), "validate finds an inverse mass that is not finite");
  expect_refused(cloth.structural[2].rest_length, "validate finds a rest length that is not finite");

  bad.into(sheet.spacing);
  expect(bool(pbd::make_cloth<Scalar, 3>(sheet).error), "make_cloth refuses a spacing that is not finite");
}

template <class Scalar>
void behaves() {
  const bool narrow = sizeof(Scalar) == 4;
  refuses<Scalar>({narrow ? 0x7fc00000u : 0x7ff8000000000000u});  // NaN
  refuses<Scalar>({narrow ? 0xffc00001u : 0xfff8000000000001u});  // −NaN with a payload
  refuses<Scalar>({narrow ? 0x7f800000u : 0x7ff0000000000000u});  // ∞
  refuses<Scalar>({narrow ? 0xff800000u : 0xfff0000000000000u});  // −∞

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
