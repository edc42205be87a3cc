// SPDX-License-Identifier: MIT
//
// 4. The same sweeps, faster to the same end: over-relaxation, and Chebyshev's extrapolation over the sweeps. Comes in:
// constraint sets, all that step() would be given. Leaves: one set that sweeps them. Next: update_velocity.hpp.
//
// How far to go. A substep multiplies the error of each mode of the sheet by some s, and the velocity is made from what
// is left, so the error goes on by z² − 2sz + s = 0: it dies out for every complex s below 1/3 in size, and for every
// real one from there up to 1. Plain sweeps have 0 ≤ s < 1. Accelerated ones overshoot, s < 0, and if s were let below
// −1/3 a sheet at rest would shake itself to pieces. `overshoot` is the most that a substep's sweeps may leave of a
// mode with its sign turned; from it and from how many sweeps the substep has follows how fast they may be. So no
// setting has to be found for a sheet's size, and what it would be good for is only an upper bound.
#pragma once

#include <pbd/detail/sets_behind.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <tuple>
#include <utility>
#include <vector>

namespace pbd {

/// ρ = cos²(π/2N), what a sweep in order leaves of the slowest mode of N links from a pin to a free end.
template <class Scalar = float>
[[nodiscard]] Scalar slowest_decay(int links) noexcept {
  const Scalar cosine = std::cos(std::numbers::pi_v<Scalar> / (2 * static_cast<Scalar>(links)));
  return cosine * cosine;
}

/// ω* = 2/(1 + sin(π/2N)), which closes the gaps of N links from a pin to a free end in the fewest sweeps.
template <class Scalar = float>
[[nodiscard]] Scalar optimal_relaxation(int links) noexcept {
  return Scalar{2} / (Scalar{1} + std::sin(std::numbers::pi_v<Scalar> / (2 * static_cast<Scalar>(links))));
}

/// Successive over-relaxation: every constraint moves its particles ω times as far as would restore it.
/// make_over_relaxed() makes it; refers to the sets.
///
/// ω = 1 + overshoot^(1/n), for an error that it turns shrinks by ω − 1 a sweep; n sweeps count as `longest` at most,
/// because sheets with both diagonals gain energy from a larger ω; and never more than `relaxation`.
/// With overshoot = 1 it is `relaxation`: the fewest sweeps for cloth that hangs (ω*), at your own risk.
template <class Scalar_, class... Sets>
struct OverRelaxed : detail::SetsBehind<Sets...> {
  using Scalar = Scalar_;

  Scalar relaxation = 2;             ///< ω at most, in (0, 2]; from 2 on nothing converges
  Scalar overshoot = Scalar(0.02);   ///< in (0, 1]
  int longest = 5;

  /// ω of a substep of `iterations` sweeps.
  [[nodiscard]] Scalar factor(int iterations) const noexcept {
    const auto n = static_cast<Scalar>((std::min)(iterations, longest));
    return (std::min)(relaxation, Scalar{1} + std::pow(overshoot, Scalar{1} / n));
  }

  template <ParticleSet P>
  void begin_substep(P& particles, const Substep<Scalar>& substep) noexcept {
    this->begin(particles, substep);
  }

  /// One sweep of every set, in the order given.
  ///
  ///   reads, writes  what the sets read and write
  ///   cost           theirs; no allocation
  template <ParticleSet P>
  void sweep(P& particles, const Substep<Scalar>& substep) noexcept {
    Substep<Scalar> relaxed = substep;
    relaxed.relaxation = factor(substep.iterations);
    this->sweep_all(particles, relaxed);
  }

  template <ParticleSet P>
  [[nodiscard]] Error validate_indices(const P& particles) const noexcept {
    const auto refuse = [](const char* reason) { return Error{.reason = reason, .subject = "over-relaxation"}; };
    if (!detail::is_finite(relaxation) || !(relaxation > 0 && relaxation <= 2)) return refuse("relaxation is not in (0, 2]");
    if (!detail::is_finite(overshoot) || !(overshoot > 0 && overshoot <= 1)) return refuse("overshoot is not in (0, 1]");
    if (longest < 1) return refuse("longest is less than 1");
    return this->first_error(particles, [&](const auto& set) { return pbd::validate_indices(particles, set); });
  }

  template <ParticleSet P>
  [[nodiscard]] Error validate(const P& particles) const noexcept {
    if (const Error error = validate_indices(particles)) return error;
    return this->first_error(particles, [&](const auto& set) { return pbd::validate_constraints(particles, set); });
  }
};

/// Chebyshev's semi-iteration: x ← w (sweep(x) − x₋₁) + x₋₁ over the sweeps of a substep, x₋₁ the state before the last
/// one; w = 1 for the first `plain` sweeps, then 2/(2 − ρ²), then 4/(4 − ρ²w). λ goes along. Every state is an affine
/// combination of swept ones, so it keeps what they keep: momentum, pinned particles to the bit.
/// make_chebyshev() makes it; refers to the sets.
///
/// n sweeps are cut into equal cycles of `longest` at most, the recurrence starts anew in each. ρ is `radius`, or less,
/// so that the polynomial of a cycle's m accelerated sweeps is within ±overshoot from 0 to ρ: 1/T_m(1/ρ) ≤ overshoot.
/// With overshoot = 1 it is `radius`, at your own risk.
///
///   source  [Wang15], whose ρ is given and whose recurrence runs through
template <class Scalar_, class... Sets>
struct Chebyshev : detail::SetsBehind<Sets...> {
  using Scalar = Scalar_;

  Scalar radius = 1;               ///< ρ at most, in [0, 1]: slowest_decay() of the longest way to a pin
  Scalar overshoot = Scalar(0.1);  ///< in (0, 1]
  int plain = 0;                   ///< sweeps at the start of a cycle that nothing is extrapolated from; 0: half of it
  int longest = 30;                ///< sweeps in a cycle

  std::vector<Scalar> older, newer;  ///< x₋₁, and what is x₋₁ next: predicted and what the constraints keep
  int swept = 0;                     ///< in this substep
  Scalar weight = 1;                 ///< w of the last sweep

  template <ParticleSet P>
  void begin_substep(P& particles, const Substep<Scalar>& substep) noexcept {
    this->begin(particles, substep);
    swept = 0;
  }

  /// One sweep of every set, in the order given, and the extrapolation.
  ///
  ///   reads, writes  what the sets read and write
  ///   needs          begin_substep before the first one
  ///   cost           theirs and, in accelerated sweeps, O(N) and O(M) of what the constraints keep; no allocation
  template <ParticleSet P>
  void sweep(P& particles, const Substep<Scalar>& substep) noexcept {
    const int cycles = 1 + (substep.iterations - 1) / longest, length = substep.iterations / cycles;
    const int rest = substep.iterations % cycles;  // sweeps that fill no cycle come first, plainly
    const int n = swept < rest ? 0 : (swept - rest) % length + 1;
    const int last_plain = plain > 0 ? plain : (length + 1) / 2;
    ++swept;

    const bool starts = n >= last_plain && last_plain < length;
    if (starts) {
      Scalar* to = newer.data();
      for_each_number(particles, [&to](const Scalar& number) { *to++ = number; });
    }
    this->sweep_all(particles, substep);
    if (!starts) return;
    if (n > last_plain) {
      const Scalar rho = bounded_radius(length - last_plain + 1), squared = rho * rho;
      weight = n == last_plain + 1 ? 2 / (2 - squared) : 4 / (4 - squared * weight);
      const Scalar* from = older.data();
      for_each_number(particles, [&from, w = weight](Scalar& number) {
        number = w * (number - *from) + *from;
        ++from;
      });
    }
    std::swap(older, newer);
  }

  /// ρ of a cycle whose polynomial has a given degree: `radius`, or where its Chebyshev polynomial is 1/overshoot.
  [[nodiscard]] Scalar bounded_radius(int degree) const noexcept {
    const Scalar grown = 1 / overshoot;
    const Scalar root = std::pow(grown + std::sqrt(grown * grown - 1), 1 / static_cast<Scalar>(degree));
    return (std::min)(radius, 2 / (root + 1 / root));
  }

  template <ParticleSet P>
  [[nodiscard]] Error validate_indices(const P& particles) const noexcept {
    const auto refuse = [](const char* reason) { return Error{.reason = reason, .subject = "chebyshev"}; };
    if (!detail::is_finite(radius) || !(radius >= 0 && radius <= 1)) return refuse("radius is not in [0, 1]");
    if (!detail::is_finite(overshoot) || !(overshoot > 0 && overshoot <= 1)) return refuse("overshoot is not in (0, 1]");
    if (plain < 0 || longest < 1) return refuse("plain is negative or longest less than 1");
    std::size_t kept = static_cast<std::size_t>(particles.count()) * static_cast<std::size_t>(P::dim);
    auto count = [&kept](const auto&) { ++kept; };
    std::apply([&](auto*... set) { (detail::for_each_kept(*set, count), ...); }, this->sets);
    if (kept != older.size()) return refuse("made for another number of particles or constraints");
    return this->first_error(particles, [&](const auto& set) { return pbd::validate_indices(particles, set); });
  }

  template <ParticleSet P>
  [[nodiscard]] Error validate(const P& particles) const noexcept {
    if (const Error error = validate_indices(particles)) return error;
    return this->first_error(particles, [&](const auto& set) { return pbd::validate_constraints(particles, set); });
  }

  /// Calls visit(number) for all that is extrapolated.
  template <ParticleSet P, class Visit>
  void for_each_number(P& particles, Visit visit) noexcept {
    for (int d = 0; d < P::dim; ++d) {
      const auto predicted = detail::coordinate<P>(particles.predicted, d);
      for (Index i = 0; i < particles.count(); ++i) visit(predicted[i]);
    }
    std::apply([&visit](auto*... set) { (detail::for_each_kept(*set, visit), ...); }, this->sets);
  }
};

/// Over-relaxes the sets, swept in this order. They outlive the result; `Scalar` is theirs.
///
///     auto fast = pbd::make_over_relaxed(cloth.particles, cloth.structural, cloth.shear);
///     pbd::step(cloth.particles, settings, fast);
template <ParticleSet P, class... Sets>
[[nodiscard]] OverRelaxed<typename P::Scalar, Sets...> make_over_relaxed(const P&, Sets&... sets) {
  static_assert(sizeof...(Sets) > 0 && (ConstraintSetOn<Sets, P> && ...), "pbd::make_over_relaxed: give it constraint sets");
  OverRelaxed<typename P::Scalar, Sets...> relaxed;
  relaxed.sets = {&sets...};
  return relaxed;
}

/// Accelerates the sets, swept in this order. They outlive the result, and keep their numbers of constraints.
///
///     auto fast = pbd::make_chebyshev(cloth.particles, cloth.structural, cloth.shear);
///     pbd::step(cloth.particles, settings, fast);
///
///   cost  O(N + M), allocates
template <ParticleSet P, class... Sets>
[[nodiscard]] Chebyshev<typename P::Scalar, Sets...> make_chebyshev(P& particles, Sets&... sets) {
  static_assert(sizeof...(Sets) > 0 && (ConstraintSetOn<Sets, P> && ...), "pbd::make_chebyshev: give it constraint sets");
  Chebyshev<typename P::Scalar, Sets...> chebyshev;
  chebyshev.sets = {&sets...};
  std::size_t numbers = 0;
  chebyshev.for_each_number(particles, [&numbers](const auto&) { ++numbers; });
  chebyshev.older.resize(numbers);
  chebyshev.newer.resize(numbers);
  return chebyshev;
}

}  // namespace pbd
