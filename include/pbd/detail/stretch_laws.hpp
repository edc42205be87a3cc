// SPDX-License-Identifier: MIT
//
// How far a sheet stretches under Gauss-Seidel in small steps, one sweep a substep, and under lines, from its size and
// u = g h²/l alone: the laws behind planner.hpp. Each has its derivation in a line. What is marked "measured" is a fit
// over N = 2 … 128; benchmarks/bench_planner.cpp measures it again.
//
//   u  g h²/l, how much of a link gravity falls in a substep    N  links from the top row down
//   C  columns                                                  R  mass of a particle of the last row over the others'
#pragma once

#include <algorithm>
#include <cmath>

namespace pbd::detail {

/// By how much a sheet let go unstretched swings beyond its rest, of what is seen at the ends of frames of `substeps`
/// substeps. A sweep a substep makes a link a spring of stiffness m/h²: the lowest mode of N of them with R at the end
/// has (ωh)² = 1/(N(R − 1) + 4N²/π²), and implicit steps damp it by exp(−(ωh)²/2) each. 1 − that·cos is the way it
/// goes.
inline double overshoot(double N, double R, double substeps) noexcept {
  const double square = 1 / (std::max)(N * (R - 1) + 0.405 * N * N, 1.0), turn = std::sqrt(square);
  double largest = 1;
  for (int frame = 1; frame <= 64; ++frame) {
    const double t = frame * substeps;
    largest = (std::max)(largest, 1 - std::exp(-square * t / 2) * std::cos(turn * t));
    if (turn * t > 7) break;  // a turn and more: what comes after is less
  }
  return largest;
}

/// At rest the sweep from the pin down has, before the first link, moved its upper end by nothing, and the second link
/// then pulls its lower end by h² T₂/m: ε = h² T₂/(m l) = (N − 2 + R) u, which is N(N − 1) g h²/L for R = 1. A single
/// link is right after its projection.
inline double hanging(double N, double R, double u) noexcept { return N > 1 ? (N - 2 + R) * u : 0; }

/// The same with diagonals: they share the load, but the sheet that wants to narrow hangs on the ends of its top row,
/// the more so the more columns. Measured.
inline double hanging_with_diagonals(double C, double N, double R, double u) noexcept {
  return hanging(N, R, u) * 0.5 * std::pow((std::min)(C, 2 * N), 0.26);
}

/// Swung from the horizontal: mv²/r adds twice the weight to it, and the sheet, unlike a pendulum, is still folding
/// out: a factor of 3.3, and 0.25 more each time the links double; with a heavy end, 15 % more. Measured.
inline double swinging(double N, double R, double u) noexcept {
  return hanging(N, R, u) * (3.3 + 0.25 * std::log2((std::max)(N, 1.0))) * (R > 2 ? 1.15 : 1);
}

/// In a crack the energy of the whole is left to a few links. Measured: at most this; it grows as N^(3/2) u.
inline double whip(double N, double R, double u) noexcept { return 10 * std::sqrt(N) * hanging(N, R, u); }

/// The top row between two pins, without diagonals, is a cable that all columns hang on. A cable of strain ε has an end
/// slope √(6ε), so its tension is T = W/(2√(6ε)), W = C(N + R) m g; and ε = h²T/(ml): ε^(3/2) = C(N + R) u/(2√6). Its
/// even links are swept before its odd ones, which leaves them all of it: twice the mean.
inline double cable(double C, double N, double R, double u) noexcept {
  return 2 * std::pow(C * (N + R) * u / (2 * std::sqrt(6.0)), 2.0 / 3);
}

/// A cable hardens: its energy grows as the fourth power of its sag, so let go straight it falls to 4^(1/3) times the
/// sag of rest, and to the square of that in ε, 2.5. Damping leaves this, measured, and as much if it swings from the
/// horizontal.
inline constexpr double cable_overshoot = 2.3;

/// Two corners and diagonals: each corner carries W/2 = C N m g/2 by a link and a diagonal. Measured: 0.32 W h²/(m l).
inline double corner(double C, double N, double R, double u) noexcept { return 0.32 * C * (N - 1 + R) * u; }

/// A part that falls as far as the sheet is large, √(2gL), and is stopped within a substep: ε ~ h√(gL)/l = √(u N). What
/// a sheet that wrinkles does, which is chaotic: times a measured factor it is an upper estimate.
inline double snap(double links, double u) noexcept { return std::sqrt(links * u); }

/// A sheet in free fall about a single point folds upon itself, and shorter substeps only find sharper folds: the
/// square root of a snap. Measured: at most this.
inline double folding(double links, double u) noexcept { return 0.6 * std::sqrt(snap(links, u)); }

/// One solve of a line leaves what is quadratic in how far its links turn in a substep, of the order of N a² for
/// a = (N − 1 + R) u; the two of a sweep leave its square. Measured: at most this, while a is below 1/8.
inline double lines_left(double N, double a) noexcept { return 5e-4 * (N * a * a) * (N * a * a); }

/// What the diagonals, swept after the lines, leave of a swing. Measured: while u is above 4e-4 the step's own damping
/// keeps the sheet smooth; shorter steps let it wrinkle and leave more, whatever their number.
inline double diagonals_left(double N, double u) noexcept { return u >= 4e-4 ? 2.5e-5 * N : 0.05; }

}  // namespace pbd::detail
