// SPDX-License-Identifier: MIT
//
// How far a sheet will stretch, before the first step. Comes in: a grid, how it is held and how it moves, gravity, the
// frame. Leaves: for a solver and a number of substeps, the largest stretch of any frame, and whether that is a
// prediction or, where the motion is chaotic, only an upper estimate. Next: planner.hpp looks for the substeps.
#pragma once

#include <pbd/config.hpp>
#include <pbd/detail/stretch_laws.hpp>
#include <pbd/particles.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace pbd {

enum class Solver {
  gauss_seidel,     ///< arrays or batches, a sweep a substep, SweepOrder::rows
  lines,            ///< make_lines() of the structural edges, then the diagonals, a sweep a substep
  implicit_newton,  ///< a few Newton steps a frame, whatever the size: only ever suggested, never predicted
};

enum class Hold {
  top_row,      ///< a curtain; with one column, a rope
  top_corners,  ///< two points
  top_left,     ///< one point
};

enum class Motion {
  rest,   ///< hangs, long after it was let go
  drop,   ///< is let go unstretched where it hangs, and bounces
  swing,  ///< is let go from the horizontal, and seen for 4√(L/g): until it turns back
  any,    ///< is let go from the horizontal, and seen for good: it cracks like a whip, so only an upper estimate
};

/// What is to be stepped, as make_cloth() makes it: particles of one mass, structural edges, both diagonals or none.
struct PlanRequest {
  int columns = 40;
  int rows = 30;
  double spacing = 0.2;     ///< l, m
  double gravity = 9.81;    ///< m/s², its size
  double dt = 1.0 / 60;     ///< s, a frame
  double tolerance = 0.01;  ///< the largest |C|/d of any constraint at the end of any frame
  Hold hold = Hold::top_row;
  Motion motion = Motion::drop;
  bool diagonals = false;
  double tip_mass = 1;           ///< R, of a particle of the last row, relative to the others
  std::int64_t most_sweeps = 0;  ///< a frame; 0: as many as it takes, up to 2^20
  std::int64_t most_work = 0;    ///< constraint projections a frame; 0: as many as it takes
  bool has_lines = true;         ///< the caller could use lines
  double margin = 1.5;  ///< a plan aims at the tolerance over this, 1 at the tolerance: so far off predictions are
  double rounding = 0x1p-24;  ///< half an epsilon of the particles' Scalar: 0x1p-53 for double
};

/// Refuses what no plan can be made for.
inline Error validate(const PlanRequest& r) noexcept {
  const auto refuse = [](const char* reason) { return Error{.reason = reason, .subject = "plan request"}; };
  const auto positive = [](double x) { return detail::is_finite(x) && x > 0; };
  if (r.columns < 1 || r.rows < 1) return refuse("columns or rows is less than 1");
  if (std::int64_t{r.columns} * r.rows > INT32_MAX) return refuse("more particles than a 32-bit index can name");
  if (!positive(r.spacing)) return refuse("spacing is not a positive, finite number");
  if (!detail::is_finite(r.gravity) || r.gravity < 0) return refuse("gravity is negative, NaN or infinite");
  if (!positive(r.dt)) return refuse("dt is not a positive, finite number");
  if (!detail::is_finite(r.tolerance) || r.tolerance < 0) return refuse("tolerance is negative, NaN or infinite");
  if (!positive(r.tip_mass)) return refuse("tip_mass is not a positive, finite number");
  if (r.most_sweeps < 0 || r.most_work < 0) return refuse("a budget is negative");
  if (!detail::is_finite(r.margin) || r.margin < 1) return refuse("margin is less than 1, NaN or infinite");
  if (!detail::is_finite(r.rounding) || r.rounding < 0) return refuse("rounding is negative, NaN or infinite");
  const double pull = (r.rows + r.tip_mass) * r.columns, fall = r.gravity * r.dt * r.dt / r.spacing;
  if (!detail::is_finite(1e3 * pull) || !detail::is_finite(fall) || !detail::is_finite(1e3 * pull * fall * fall))
    return refuse("tip_mass, or gravity dt² over spacing, is so large that no law holds");
  return {};
}

/// A stretch, and how it follows the substep: as h^order. `upper`: the motion is chaotic, or the law is not: what has
/// been measured is no more than this, perhaps much less. Otherwise it has been within a factor of 1.5.
struct Prediction {
  double stretch = 0;
  double order = 2;
  bool upper = false;
};

namespace detail {

/// Is nothing but the weight below pulling at each column?
constexpr bool is_curtain(const PlanRequest& r) noexcept {
  return r.hold == Hold::top_row || r.columns == 1 || (r.hold == Hold::top_corners && r.columns == 2);
}

constexpr bool is_swung(const PlanRequest& r) noexcept { return r.motion == Motion::swing || r.motion == Motion::any; }

inline Prediction law_of(const PlanRequest& r, Solver solver, double substeps) noexcept {
  const double C = r.columns, N = r.rows - 1, R = r.tip_mass;
  const double h = r.dt / substeps, u = r.gravity * h * h / r.spacing;
  const bool diagonals = r.diagonals && r.columns > 1 && r.rows > 1, swung = is_swung(r);
  const double bounce = r.motion == Motion::rest ? 1 : overshoot(N, R, substeps);

  if (solver == Solver::lines) {
    if (!swung) return {0, 2, true};
    const double a = (N - 1 + R) * u;
    return {lines_left(N, a) + (diagonals ? diagonals_left(N, u) : 0), 2, true};
  }
  if (is_curtain(r) && !diagonals) {
    // Frames that are long beside the swing miss its lowest point.
    if (r.motion == Motion::swing) return {swinging(N, R, u), 2, r.gravity * r.dt * r.dt > 0.02 * N * r.spacing};
    if (swung && whip(N, R, u) < 2 * snap(N, u)) return {whip(N, R, u), 2, true};
    if (swung) return {2 * snap(N, u), 1, true};
    return {bounce * hanging(N, R, u), 2, false};
  }
  if (is_curtain(r)) {
    if (swung) return {3.5 * snap(N, u), 1, true};  // diagonals let no sheet curve two ways: it wrinkles
    return {bounce * hanging_with_diagonals(C, N, R, u), 2, false};
  }
  if (r.hold == Hold::top_corners && !diagonals) {
    const bool few = r.columns < 5;  // no cable yet
    const double more = r.motion == Motion::rest ? 1 : r.motion == Motion::any ? 7 : cable_overshoot;
    return {more * cable(C, N, R, u), 4.0 / 3, few || r.motion == Motion::any};
  }
  if (r.hold == Hold::top_left && (swung || !diagonals)) return {folding(N + C, u), 0.5, true};
  if (swung) return {2.5 * snap(N + C, u), 1, true};
  if (r.hold == Hold::top_left) return {1.2 * C * (N - 1 + R) * u, 2, true};
  if (C > 4 * N) return {bounce * corner(C, N, R, u) * C / (1.6 * N), 2, true};  // a beam, whose ends are levers
  return {bounce * corner(C, N, R, u), 2, false};
}

}  // namespace detail

/// How far a request stretches with a solver in so many substeps of one sweep: its law, and rounding on top of it. O(1).
///
///   predicts  curtains and ropes at rest and let go; swung, those without diagonals. Held by two corners: at rest and
///             let go, with five columns or more, or with diagonals and at most four times as wide as high; without
///             diagonals also swung. tests/test_planner.cpp and benchmarks/bench_planner.cpp measure these
///   upper     what wrinkles, folds or cracks, which is chaotic: diagonals swung, a single point, Motion::any; lines,
///             which leave next to nothing; a swing that is over in a few frames; above 0.2, where strains are not small.
///             implicit_newton: nothing is known of it
///   needs   a request that validate() accepts, substeps ≥ 1
[[nodiscard]] inline Prediction predicted_stretch(const PlanRequest& request, Solver solver, int substeps) noexcept {
  if (solver == Solver::implicit_newton) return {(std::numeric_limits<double>::infinity)(), 2, true};
  Prediction law = detail::law_of(request, solver, substeps);
  // A coordinate of size L is known to L times rounding, a link to that over l; many sweeps add some up. Measured.
  const int links = (std::max)(request.columns, request.rows) - 1;
  law.stretch += (solver == Solver::lines ? 2 : 5) * request.rounding * links;
  law.upper = law.upper || law.stretch > 0.2;
  return law;
}

}  // namespace pbd
