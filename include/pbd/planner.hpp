// SPDX-License-Identifier: MIT
//
// Which solver, how many substeps, how many sweeps. Comes in: a PlanRequest with its tolerance and budget. Leaves: a
// Plan for StepSettings, which says beforehand if the tolerance cannot be met, and what will be; during the run adapt()
// corrects it by what is measured. Arithmetic in double: no particles, no allocation.
#pragma once

#include <pbd/predicted_stretch.hpp>
#include <pbd/step.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pbd {

/// What make_plan() answers. If `error` says so, the rest is empty.
struct Plan {
  Solver solver = Solver::gauss_seidel;
  int substeps = 1;
  int iterations = 1;
  double stretch = 0;                       ///< predicted, the largest |C|/d at the end of any frame
  double order = 2;                         ///< of stretch in the substep, h^order
  bool upper = false;                       ///< stretch is an upper estimate; otherwise right within a factor of 1.5
  bool meets = false;                       ///< stretch ≤ the tolerance
  std::int64_t sweeps = 0;                  ///< a frame
  std::int64_t work = 0;                    ///< constraint projections a frame; a link of a line counts as two
  std::int64_t would_take = 0;              ///< sweeps a frame that would meet it, budget or not; 0: no number of them
  Solver suggested = Solver::gauss_seidel;  ///< the solver, or one that may do what it cannot
  const char* why = "";                     ///< static text
  int frames_seen = 0;                      ///< by adapt(), with these substeps
  double most_seen = 0;                     ///< the largest stretch of those frames
  Error error;

  template <class Scalar, int Dim>
  void apply(StepSettings<Scalar, Dim>& settings) const noexcept {
    settings.substeps = substeps;
    settings.iterations = iterations;
  }
};

namespace detail {

/// Constraint projections; a link of a line counts as three, for a sweep solves the columns twice.
constexpr std::int64_t work_of_sweep(const PlanRequest& r, Solver solver) noexcept {
  const std::int64_t across = std::int64_t{r.columns - 1} * r.rows, down = std::int64_t{r.columns} * (r.rows - 1);
  const std::int64_t diagonals = r.diagonals ? 2 * std::int64_t{r.columns - 1} * (r.rows - 1) : 0;
  return (across + down) * (solver == Solver::lines ? 3 : 1) + diagonals;
}

inline constexpr std::int64_t most_substeps = 1 << 20;

/// Lines under tension are stable while h²T/(m l) is below 1. T is the weight of a line, or several times that.
inline std::int64_t fewest_stable_substeps(const PlanRequest& r, Solver solver) noexcept {
  if (solver != Solver::lines) return 1;
  const double pull = (std::max)(r.rows - 2 + r.tip_mass, 0.0) * r.gravity / r.spacing;
  const double substeps = std::ceil(r.dt * std::sqrt(pull * (is_swung(r) ? 8 : 4)));
  return static_cast<std::int64_t>((std::min)((std::max)(substeps, 1.0), static_cast<double>(most_substeps)));
}

/// How few substeps are predicted to stretch no more than wanted; 0: no number of them.
inline std::int64_t fewest_substeps(const PlanRequest& request, Solver solver, double wanted) noexcept {
  const auto suffices = [&](std::int64_t substeps) {
    return predicted_stretch(request, solver, static_cast<int>(substeps)).stretch <= wanted;
  };
  std::int64_t below = fewest_stable_substeps(request, solver), enough = most_substeps;
  if (suffices(below)) return below;
  if (!suffices(enough)) return 0;
  while (enough - below > 1) {
    const std::int64_t middle = below + (enough - below) / 2;
    (suffices(middle) ? enough : below) = middle;
  }
  return enough;
}

/// With more substeps, what is left is rounding, or wrinkles.
inline std::int64_t useful_substeps(const PlanRequest& request, Solver solver) noexcept {
  return fewest_substeps(request, solver, 2 * predicted_stretch(request, solver, most_substeps).stretch);
}

/// How many substeps the budget has room for; possibly none.
constexpr std::int64_t affordable(const PlanRequest& r, Solver solver, int iterations) noexcept {
  std::int64_t most = most_substeps;
  const std::int64_t work = iterations * work_of_sweep(r, solver);
  if (r.most_sweeps > 0) most = (std::min)(most, r.most_sweeps / iterations);
  if (r.most_work > 0 && work > 0) most = (std::min)(most, r.most_work / work);
  return most;
}

inline Plan plan_with(Solver solver, const PlanRequest& request) noexcept {
  Plan plan;
  plan.solver = plan.suggested = solver;
  plan.iterations = 1;
  const std::int64_t needed = fewest_substeps(request, solver, request.tolerance);
  std::int64_t wanted = fewest_substeps(request, solver, request.tolerance / request.margin);
  if (wanted == 0) wanted = needed;
  if (wanted == 0) wanted = useful_substeps(request, solver);
  const std::int64_t taken = (std::min)(wanted, affordable(request, solver, plan.iterations));

  plan.would_take = needed * plan.iterations;
  plan.substeps = static_cast<int>((std::max)(taken, std::int64_t{1}));
  const Prediction law = predicted_stretch(request, solver, plan.substeps);
  plan.stretch = law.stretch;
  plan.order = law.order;
  plan.upper = law.upper;
  plan.sweeps = std::int64_t{plan.substeps} * plan.iterations;
  plan.work = plan.sweeps * work_of_sweep(request, solver);
  plan.meets = taken >= fewest_stable_substeps(request, solver) && law.stretch <= request.tolerance;
  return plan;
}

}  // namespace detail

/// Proposes the cheapest way to keep the tolerance, and says so beforehand if there is none within the budget.
///
///     const pbd::Plan plan = pbd::make_plan({.columns = 40, .rows = 30, .tolerance = 0.005, .most_sweeps = 100});
///     if (!plan.meets) std::printf("%s; %g will be met\n", plan.why, plan.stretch);
///     plan.apply(settings);
///
///   answers  what will be met otherwise: the plan is then the one that stretches least within the budget. If that has no
///            room for a single sweep, the plan is one substep all the same
///   errors   what validate() refuses
///   cost     O(log of the substeps)
[[nodiscard]] inline Plan make_plan(const PlanRequest& request) noexcept {
  Plan plan;
  plan.error = validate(request);
  if (plan.error) return plan;

  plan = detail::plan_with(Solver::gauss_seidel, request);
  plan.why = "small steps, a sweep each: the stretch falls as a power of the substep";
  const bool curtain = detail::is_curtain(request);
  if (curtain && request.has_lines) {
    const Plan lines = detail::plan_with(Solver::lines, request);
    const bool possible =
        detail::affordable(request, Solver::lines, 2) >= detail::fewest_stable_substeps(request, Solver::lines);
    const bool better = lines.meets != plan.meets ? lines.meets
                        : plan.meets              ? lines.work < plan.work
                                                  : lines.stretch < plan.stretch;
    const std::int64_t least = lines.would_take > 0 && (plan.would_take == 0 || lines.would_take < plan.would_take)
                                   ? lines.would_take
                                   : plan.would_take;
    if (possible && better) {
      plan = lines;
      plan.why = "lines, in as many substeps as their tension asks for";
    }
    plan.would_take = least;
  }
  if (plan.meets) return plan;
  plan.why = plan.would_take == 0 ? "cannot be met: no number of substeps leaves so little"
                                  : "cannot be met: it takes more sweeps than the budget has";
  if (plan.would_take > 0 && !curtain) plan.suggested = Solver::implicit_newton;
  if (plan.would_take > 0 && curtain && !request.has_lines) plan.suggested = Solver::lines;
  return plan;
}

/// Corrects a plan by the largest stretch of the last frame: the law says how many more substeps it takes. More at
/// once, at most four times as many, within the budget and while they are of use; fewer by a sixteenth, and only after
/// sixteen frames that all would have done with fewer, because a sheet that bounces is unstretched in between. Lines
/// get no fewer: their tension asked for them. O(log of the substeps).
[[nodiscard]] inline Plan adapt(const Plan& plan, const PlanRequest& request, double measured) noexcept {
  if (plan.error || validate(request) || plan.solver == Solver::implicit_newton || plan.substeps < 1) return plan;
  const bool burst = !detail::is_finite(measured);
  const double now = plan.substeps, aim = request.tolerance / request.margin;
  const auto times = [&](double stretch) {
    return aim > 0 ? (std::min)(std::pow((std::max)(stretch, 0.0) / aim, 1 / plan.order), 4.0) : 4.0;
  };
  Plan next = plan;
  next.most_seen = burst ? measured : (std::max)(plan.most_seen, measured);
  ++next.frames_seen;
  double wanted = now;
  if (burst || times(measured) > 1)
    wanted = std::ceil(now * (burst ? 4 : times(measured)));  // how far it has burst says nothing
  else if (next.frames_seen >= 16 && plan.solver != Solver::lines)
    wanted = (std::max)(std::ceil(now * times(next.most_seen)), std::floor(now * 15 / 16));
  if (wanted != now || next.frames_seen >= 16) next.most_seen = next.frames_seen = 0;

  const std::int64_t useful =
      (std::max)(2 * detail::useful_substeps(request, plan.solver), std::int64_t{plan.substeps});
  const std::int64_t most = (std::min)(detail::affordable(request, plan.solver, plan.iterations), useful);
  next.substeps = static_cast<int>((std::max)((std::min)(wanted, static_cast<double>(most)), 1.0));
  next.stretch = burst ? measured : measured * std::pow(now / next.substeps, plan.order);
  next.meets = !burst && next.stretch <= request.tolerance;
  next.sweeps = std::int64_t{next.substeps} * next.iterations;
  next.work = next.sweeps * detail::work_of_sweep(request, plan.solver);
  return next;
}

/// The same from a step's report, if it measured (StepSettings::measure); otherwise the plan stays.
template <class Scalar>
[[nodiscard]] Plan adapt(const Plan& plan, const PlanRequest& request, const StepReport<Scalar>& report) noexcept {
  if (report || report.left.count == 0) return plan;
  return adapt(plan, request, static_cast<double>(report.left.max));
}

}  // namespace pbd
