// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/pbd.hpp>

using namespace support;

namespace {

template <class Scalar = double>
auto curtain() {
  pbd::ClothSettings<Scalar, 3> settings;
  settings.columns = settings.rows = 9;
  settings.spacing = Scalar(0.1);
  settings.pin_top_row = true;
  settings.plane = pbd::Plane::horizontal;
  return pbd::make_cloth<Scalar, 3>(settings);
}

}  // namespace

TEST_CASE("a step reports what it did", "[iterate]") {
  auto cloth = curtain();
  pbd::StepSettings<double, 3> settings;
  settings.substeps = 4;
  settings.iterations = 3;
  auto report = pbd::step(cloth.particles, settings, cloth.structural, cloth.shear);
  REQUIRE_FALSE(report);
  CHECK(report.substeps == 4);
  CHECK(report.sweeps == 12);
  CHECK(report.ended == pbd::SweepEnd::iterations);
  CHECK(report.substeps_above_tolerance == 0);
  CHECK(report.left.count == 0);

  settings.measure = true;
  report = pbd::step(cloth.particles, settings, cloth.structural, cloth.shear);
  const auto left = pbd::stretch(cloth.particles, cloth.structural, cloth.shear);
  CHECK(report.left.max == left.max);
  CHECK(report.left.rms == left.rms);
  CHECK(report.left.count == left.count);

  settings.iterations = 0;
  report = pbd::step(cloth.particles, settings, cloth.structural);
  CHECK(report.message() == "settings: iterations is less than 1");
  CHECK(report.substeps + report.sweeps == 0);
  settings.dt = 0;
  settings.iterations = 1;
  report = pbd::step(cloth.particles, settings, cloth.structural);
  CHECK_FALSE(report);
  CHECK(report.substeps + report.sweeps == 0);
}

TEMPLATE_TEST_CASE("sweeps to a tolerance end once the stretch is what was asked, and not before", "[iterate]", float,
                   double) {
  auto cloth = curtain<TestType>();
  pbd::StepSettings<TestType, 3> settings;
  settings.substeps = 1;
  settings.iterations = 100000;
  settings.tolerance = TestType(0.01);
  settings.measure = true;
  for (int frame = 0; frame < 10; ++frame) {
    auto again = cloth;
    const auto report = pbd::step(cloth.particles, settings, cloth.structural, cloth.shear);
    REQUIRE_FALSE(report);
    REQUIRE(report.ended == pbd::SweepEnd::tolerance);
    CHECK(report.substeps_above_tolerance == 0);
    CHECK(report.left.max <= settings.tolerance);
    if (report.sweeps == 1) continue;
    auto fewer = settings;  // one sweep less is not enough, and its report says so
    fewer.iterations = report.sweeps - 1;
    const auto short_of = pbd::step(again.particles, fewer, again.structural, again.shear);
    CHECK(short_of.ended == pbd::SweepEnd::iterations);
    CHECK(short_of.substeps_above_tolerance == 1);
    CHECK(short_of.left.max > settings.tolerance);
  }
}

TEST_CASE("to a tolerance, batches and threads take the same sweeps to the same bits", "[iterate]") {
  auto plain = curtain<float>(), batched = plain, parallel = plain;
  auto a = pbd::make_batches(batched.structural), b = pbd::make_batches(batched.shear);
  auto c = pbd::make_batches(parallel.structural), d = pbd::make_batches(parallel.shear);
  auto waves = pbd::make_parallel([](std::size_t count, auto&& body) { body(std::size_t{0}, count); }, 3, c, d);
  pbd::StepSettings<float, 3> settings;
  settings.substeps = 3;
  settings.iterations = 200;
  settings.tolerance = 0.01f;
  for (int frame = 0; frame < 20; ++frame) {
    const auto one = pbd::step(plain.particles, settings, plain.structural, plain.shear);
    const auto two = pbd::step(batched.particles, settings, a, b);
    const auto three = pbd::step(parallel.particles, settings, waves);
    CHECK(one.sweeps == two.sweeps);
    CHECK(one.sweeps == three.sweeps);
  }
  CHECK(same_bits(state(plain.particles), state(batched.particles)));
  CHECK(same_bits(state(plain.particles), state(parallel.particles)));
}

TEST_CASE("a budget that is used up ends the sweeps, never the substeps", "[iterate]") {
  auto cloth = curtain(), twin = cloth;
  int asked = 0;
  pbd::Budget clock{[&asked] { return ++asked >= 5; }};
  pbd::StepSettings<double, 3> settings;
  settings.substeps = 4;
  settings.iterations = 4;
  const auto report = pbd::step(cloth.particles, settings, clock, cloth.structural);
  REQUIRE_FALSE(report);
  CHECK(report.substeps == 4);
  CHECK(report.sweeps == 4 + 1 + 1 + 1);
  CHECK(report.ended == pbd::SweepEnd::budget);

  pbd::Budget ample{[] { return false; }};
  REQUIRE_FALSE(pbd::step(twin.particles, settings, ample, twin.structural));
  auto without = curtain();
  REQUIRE_FALSE(pbd::step(without.particles, settings, without.structural));
  CHECK(same_bits(state(twin.particles), state(without.particles)));
}

TEST_CASE("where nothing can be measured nothing is within a tolerance", "[iterate]") {
  pbd::Particles<double, 3> particles(2);
  pbd::StepSettings<double, 3> settings;
  settings.substeps = 1;
  settings.iterations = 7;
  settings.tolerance = 1;
  const auto report = pbd::step(particles, settings);
  CHECK(report.sweeps == 7);
  CHECK(report.substeps_above_tolerance == 1);

  particles.position(0, 1) = not_a_number<double>;  // nor is what has diverged
  const std::vector<pbd::DistanceConstraint<double>> edge{{0, 1, 1.0}};
  CHECK(pbd::step(particles, settings, edge).substeps_above_tolerance == 1);
}

TEST_CASE("a tolerance that is no number is refused", "[iterate]") {
  auto cloth = curtain();
  for (const double bad : {-1e-3, not_a_number<double>, infinity<double>}) {
    pbd::StepSettings<double, 3> settings;
    settings.tolerance = bad;
    const auto before = state(cloth.particles);
    CHECK(pbd::step(cloth.particles, settings, cloth.structural).message() ==
          "settings: tolerance is negative, NaN or infinite");
    CHECK(same_bits(state(cloth.particles), before));
  }
}
