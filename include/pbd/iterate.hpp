// SPDX-License-Identifier: MIT
//
// 4. How many sweeps a substep takes: as many as were ordered, or until the stretch left is what was asked, or until the
// caller's own budget is used up. Comes in: constraint sets. Leaves: predicted, and a report of what was done.
// Next: update_velocity.hpp.
#pragma once

#include <pbd/gauss_seidel.hpp>
#include <pbd/residual.hpp>

#include <type_traits>

namespace pbd {

/// What ended the sweeps of a substep.
enum class SweepEnd {
  iterations,  ///< all that were ordered are done
  tolerance,   ///< the stretch left is what was asked, or less
  budget,      ///< the caller's Budget is used up
};

/// What a step answers: an Error (true if the step was refused), and otherwise what was done.
///
///     const auto report = pbd::step(particles, settings, constraints);
///     if (report) return fail(report.message());
template <class Scalar>
struct [[nodiscard]] StepReport : Error {
  int substeps = 0;
  int sweeps = 0;  ///< of every set, in all substeps together
  SweepEnd ended = SweepEnd::iterations;  ///< the last substep's sweeps
  int substeps_above_tolerance = 0;       ///< in so many substeps the sweeps ended before the stretch was what was asked
  Stretch<Scalar> left{};  ///< after the last substep; count is 0 unless StepSettings::measure says so
};

/// A budget of the caller's own, a clock for instance, handed to step() among the constraint sets. It is asked after
/// every sweep; once it answers true, the substep's sweeps end, and every later substep of the step takes one.
///
///     pbd::Budget clock{[&] { return now() > deadline; }};
///     pbd::step(particles, settings, clock, cloth.structural);
template <class Function>
struct Budget {
  Function used_up;

  [[nodiscard]] bool is_used_up() { return used_up(); }
};
template <class Function>
Budget(Function) -> Budget<Function>;

namespace detail {

template <class S>
concept BudgetPart = requires(S& part) { part.is_used_up(); };

template <ParticleSet P, class Part>
void sweep_part(Part& part, P& particles, const Substep<typename P::Scalar>& substep) noexcept {
  if constexpr (ConstraintSetOn<Part, P>) sweep(part, particles, substep);
}

/// All sweeps of a substep at once, if the set can do that.
template <class S, class P>
concept IteratesItself = requires(S& set, P& particles, const Substep<typename P::Scalar>& substep) {
  set.iterate(particles, substep);
};

/// The sweeps of one substep: every set once, in the order given, then every set again …
template <ParticleSet P, class... Parts>
void iterate(P& particles, const Substep<typename P::Scalar>& substep, typename P::Scalar tolerance,
             StepReport<typename P::Scalar>& report, Parts&... parts) noexcept {
  ++report.substeps;
  const bool to_tolerance = tolerance > 0;
  if constexpr (sizeof...(Parts) == 1 && (IteratesItself<Parts, P> && ...))
    if (!to_tolerance) {
      (parts.iterate(particles, substep), ...);
      report.sweeps += substep.iterations;
      return;
    }

  report.ended = SweepEnd::iterations;
  for (int n = 0; n < substep.iterations && report.ended == SweepEnd::iterations; ++n) {
    (sweep_part(parts, particles, substep), ...);
    ++report.sweeps;
    [[maybe_unused]] const auto ask = [&report](auto& part) {
      if constexpr (BudgetPart<std::remove_reference_t<decltype(part)>>)
        if (part.is_used_up()) report.ended = SweepEnd::budget;
    };
    (ask(parts), ...);
    if (to_tolerance && is_within(tolerance, particles, parts...)) report.ended = SweepEnd::tolerance;
  }
  if (to_tolerance && report.ended != SweepEnd::tolerance) ++report.substeps_above_tolerance;
}

}  // namespace detail

}  // namespace pbd
