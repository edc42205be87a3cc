// SPDX-License-Identifier: MIT
//
// How many steps to take so that the cloth moves as fast as the world, whatever the monitor's rate. Comes in: how much
// real time went by. Leaves: a number of steps, and how far between two of them we are.
#pragma once

#include <algorithm>
#include <cmath>

namespace viewer {

struct Clock {
  double owed = 0;         // s of simulated time not yet stepped
  double real_factor = 1;  // simulated seconds a real one, smoothed
};

/// After a hitch (a dragged window, a slow machine) no more than this is made up for; the rest of the time is lost, and
/// the cloth is seen to be slower instead of the window standing still.
inline constexpr double longest_catch_up = 0.1;  // s

/// Steps to take now. A step longer than the catch-up is taken once it is owed.
[[nodiscard]] inline int due_steps(Clock& clock, double real_seconds, double dt) {
  clock.owed = std::min(clock.owed + std::max(real_seconds, 0.0), std::max(longest_catch_up, dt));
  // The small part keeps a frame of exactly k steps from being one short because of rounding.
  const int steps = static_cast<int>(std::floor(clock.owed / dt + 1e-6));
  clock.owed = std::max(clock.owed - steps * dt, 0.0);
  return steps;
}

/// Tells the clock what became of it, for the real-time factor.
inline void record(Clock& clock, double real_seconds, double simulated_seconds) {
  if (real_seconds <= 0) return;
  const double weight = 1 - std::exp(-real_seconds / 0.5);  // over about half a second
  clock.real_factor += weight * (simulated_seconds / real_seconds - clock.real_factor);
}

}  // namespace viewer
