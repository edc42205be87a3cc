// SPDX-License-Identifier: MIT
//
// 1→5. The algorithm on one screen. Comes in: particles, settings, constraint sets. Leaves: the particles one dt later.
// It has no private powers: whoever wants something between two parts copies the loop at the end of this file.
#pragma once

#include <pbd/detail/pieces.hpp>
#include <pbd/iterate.hpp>
#include <pbd/predict.hpp>
#include <pbd/update_velocity.hpp>

#include <limits>

namespace pbd {

/// A pull of 9.81 m/s² down the second axis.
template <class Scalar, int Dim>
[[nodiscard]] Vector<Scalar, Dim> earth_gravity() noexcept {
  Vector<Scalar, Dim> gravity = Vector<Scalar, Dim>::Zero();
  gravity(1) = Scalar(-9.81);
  return gravity;
}

/// How one step is taken. More substeps leave less stretch than as many more iterations [Macklin19].
template <class Scalar = float, int Dim = 3>
struct StepSettings {
  Scalar dt = Scalar(1) / 60;  ///< s, one frame; 0 is a no-op
  int substeps = 10;           ///< at least 1
  int iterations = 1;          ///< sweeps in a substep, at least 1; the most of them if there is a tolerance
  Scalar tolerance = 0;        ///< stop a substep's sweeps once max |C|/d is no more than this; 0: sweep them all
  bool measure = false;        ///< fill StepReport::left, O(M) once a step
  Vector<Scalar, Dim> gravity = earth_gravity<Scalar, Dim>();  ///< m/s²

  [[nodiscard]] Substep<Scalar> substep() const noexcept {
    return {dt / static_cast<Scalar>(substeps), iterations};
  }
};

/// Refuses what no step can be taken with. A dt so short that the square of a substep is below the smallest normal
/// number is refused, too: nothing could be divided by it.
template <class Scalar, int Dim>
Error validate(const StepSettings<Scalar, Dim>& settings) noexcept {
  const auto refuse = [](const char* reason) { return Error{.reason = reason, .subject = "settings"}; };
  if (!detail::is_finite(settings.dt)) return refuse("dt is NaN or infinite");
  if (settings.dt < 0) return refuse("dt is negative");
  if (settings.substeps < 1) return refuse("substeps is less than 1");
  if (settings.iterations < 1) return refuse("iterations is less than 1");
  if (!detail::is_finite(settings.tolerance) || settings.tolerance < 0)
    return refuse("tolerance is negative, NaN or infinite");
  for (int d = 0; d < Dim; ++d)
    if (!detail::is_finite(settings.gravity(d))) return refuse("gravity is NaN or infinite");
  const Scalar h = settings.dt / static_cast<Scalar>(settings.substeps);
  if (settings.dt > 0 && h * h < (std::numeric_limits<Scalar>::min)())
    return refuse("dt over substeps is too short: its square underflows");
  if (!detail::is_finite(h * h)) return refuse("dt over substeps is too long: its square overflows");
  return {};
}

/// Whatever step() takes after the settings: a constraint set, an Acceleration, or a Budget.
template <class S, class P>
concept StepPartOn = ConstraintSetOn<S, P> || detail::BudgetPart<S> || requires(S& part, P& particles) {
  part.accelerate(particles, typename P::Scalar{});
};

namespace detail {

template <class S, class P>
inline constexpr bool is_step_part = StepPartOn<std::remove_reference_t<S>, P>;

template <ParticleSet P, class Part>
void before_substep(Part& part, P& particles, const Substep<typename P::Scalar>& substep) noexcept {
  if constexpr (ConstraintSetOn<Part, P>)
    begin_substep(part, particles, substep);
  else if constexpr (!BudgetPart<Part>)
    part.accelerate(particles, substep.dt);
}

/// Everything that could lead a step out of an array; O(1) for particles, O(M) a set.
template <ParticleSet P, class... Parts>
Error validate_step(const P& particles, const StepSettings<typename P::Scalar, P::dim>& settings,
                    const Parts&... parts) noexcept {
  Error error = validate(settings);
  if (!error) error = validate_sizes(particles);
  std::int64_t set = 0;
  [[maybe_unused]] const auto examine = [&](const auto& part) {
    if (error) return;
    if constexpr (ConstraintSetOn<const std::remove_reference_t<decltype(part)>, P> ||
                  ConstraintSetOn<std::remove_cvref_t<decltype(part)>, P>)
      error = validate_indices(particles, part);
    if (error) error.set = set;
    ++set;
  };
  (examine(parts), ...);
  return error;
}

template <class S, class P>
concept StepsItself = requires(S& set, P& particles, const VectorOf<P>& gravity, const Substep<typename P::Scalar>& substep) {
  { set.iterate(particles, gravity, substep, 1) } -> std::same_as<bool>;
};

template <class Part>
[[nodiscard]] bool has_work(const Part& part) noexcept {
  if constexpr (requires { std::ranges::empty(part); })
    return !std::ranges::empty(part);
  else if constexpr (requires { part.count != 0; })
    return part.count != 0;
  return true;
}

template <class S>
concept SweepsInPieces = requires(S& set) {
  set.reach;
  set.runs;
};

/// The whole step by the only set that is not empty, if it can (parallel.hpp, lines.hpp), or part by part by sets that are all
/// batches: the same bits as the loop below. Answers whether it is taken.
template <ParticleSet P, class... Parts>
bool take_substeps(P& particles, const StepSettings<typename P::Scalar, P::dim>& settings,
                   StepReport<typename P::Scalar>& report, Parts&... parts) noexcept {
  if (settings.tolerance > 0) return false;
  bool taken = false;
  if constexpr (sizeof...(Parts) > 0 && (SweepsInPieces<Parts> && ...)) {
    taken = step_in_parts(particles, settings.gravity, settings.substep(), settings.substeps, parts...);
  } else if constexpr ((StepsItself<Parts, P> || ...)) {
    if ((int{has_work(parts)} + ...) != 1) return false;
    const auto ask = [&](auto& part) {
      if constexpr (StepsItself<std::remove_reference_t<decltype(part)>, P>)
        if (has_work(part)) taken = part.iterate(particles, settings.gravity, settings.substep(), settings.substeps);
    };
    (ask(parts), ...);
  }
  if (!taken) return false;
  report.substeps = settings.substeps;
  report.sweeps = settings.substeps * settings.iterations;
  if (settings.measure) report.left = stretch(particles, parts...);
  return true;
}

}  // namespace detail

/// Names the first thing wrong with particles or constraints, over all sets: which item of which set, and why.
template <ParticleSet P, class... Sets>
  requires(sizeof...(Sets) > 0)
Error validate(const P& particles, const Sets&... sets) noexcept {
  Error error = validate(particles);
  std::int64_t set = 0;
  [[maybe_unused]] const auto examine = [&](const auto& constraints) {
    if (error) return;
    error = validate_constraints(particles, constraints);
    if (error) error.set = set;
    ++set;
  };
  (examine(sets), ...);
  return error;
}

/// Moves the particles on by settings.dt: substeps × (predict, iterations × sweep of every set in the order given,
/// update_velocity).
///
///   reads, writes  position, predicted, velocity; what the constraints keep (λ)
///   errors         settings that validate() refuses, particle arrays of different lengths, a constraint index that is
///                  out of range: the state is bitwise untouched then, as it is for dt = 0
///   answers        how many substeps and sweeps it took, what ended them, and, if asked, the stretch left
///   cost           O(substeps · (N + iterations · M)); no allocation
///   source         [Mueller07] section 3.1; substeps [Macklin19]; XPBD's λ [Macklin16] algorithm 1
template <ParticleSet P, class... Sets>
StepReport<typename P::Scalar> step(P& particles, const StepSettings<typename P::Scalar, P::dim>& settings,
                                    Sets&&... sets) noexcept {
  static_assert((detail::is_step_part<Sets, P> && ...),
                "pbd::step: after the settings come constraint sets (contiguous arrays of constraints whose Scalar and "
                "Dim are the particles', not const if they keep state), an Acceleration or a Budget");
  StepReport<typename P::Scalar> report{detail::validate_step(particles, settings, sets...)};
  if (report || settings.dt == 0) return report;
  if (detail::take_substeps(particles, settings, report, sets...)) return report;
  const Substep<typename P::Scalar> substep = settings.substep();

  for (int s = 0; s < settings.substeps; ++s) {
    (detail::before_substep(sets, particles, substep), ...);
    predict(particles, settings.gravity, substep.dt);
    detail::iterate(particles, substep, settings.tolerance, report, sets...);
    update_velocity(particles, substep.dt);
  }
  if (settings.measure) report.left = stretch(particles, sets...);
  return report;
}

}  // namespace pbd
