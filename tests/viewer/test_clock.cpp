// SPDX-License-Identifier: MIT
#include "../catch.hpp"

#include <clock.hpp>

using viewer::Clock;

TEST_CASE("the cloth's speed does not depend on the monitor's rate") {
  const double rate = GENERATE(24.0, 60.0, 75.0, 144.0, 1000.0);
  const double dt = GENERATE(1.0 / 60, 0.005, 0.001);
  Clock clock;
  int steps = 0;
  for (int frame = 0; frame < static_cast<int>(10 * rate); ++frame) steps += viewer::due_steps(clock, 1 / rate, dt);
  CHECK(steps * dt == Approx(10).margin(dt + 1e-9));
}

TEST_CASE("after a hitch only a tenth of a second is made up for") {
  Clock clock;
  CHECK(viewer::due_steps(clock, 30.0, 0.01) == 10);
  CHECK(viewer::due_steps(clock, 0.01, 0.01) == 1);
}

TEST_CASE("a step longer than the catch-up is still taken, in its time") {
  Clock clock;
  int steps = 0;
  for (int frame = 0; frame < 600; ++frame) steps += viewer::due_steps(clock, 1.0 / 60, 0.5);
  CHECK(steps >= 19);
  CHECK(steps <= 20);
}

TEST_CASE("the real-time factor is one where steps keep up, and less where they do not") {
  Clock clock;
  for (int frame = 0; frame < 600; ++frame) viewer::record(clock, 1.0 / 60, 1.0 / 60);
  CHECK(clock.real_factor == Approx(1).epsilon(0.01));
  for (int frame = 0; frame < 600; ++frame) viewer::record(clock, 1.0 / 60, 0.5 / 60);
  CHECK(clock.real_factor == Approx(0.5).epsilon(0.01));
}
