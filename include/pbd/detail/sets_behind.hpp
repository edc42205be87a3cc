// SPDX-License-Identifier: MIT
//
// Several constraint sets as one. Comes in: sets that outlive it. Leaves: what a set that sweeps others needs of them,
// and the numbers that they keep from sweep to sweep. Next: accelerated.hpp.
#pragma once

#include <pbd/parallel.hpp>

#include <cstddef>
#include <ranges>
#include <tuple>

namespace pbd {

namespace detail {

/// Calls visit(number) for all that the constraints of a set keep from sweep to sweep: the fields an EdgeConstraint
/// says it keeps, the `lambda` of a user's own. Extrapolated with the positions, λ still says what moved them.
template <class Set, class Visit>
void for_each_kept(Set& set, Visit& visit) noexcept {
  if constexpr (std::ranges::contiguous_range<Set>) {
    using C = std::ranges::range_value_t<Set>;
    if constexpr (EdgeConstraint<C>) {
      if constexpr (C::kept > 0)
        for (auto& constraint : set)
          for (std::size_t f = C::fields.size() - C::kept; f < C::fields.size(); ++f) visit(constraint.*C::fields[f]);
    } else if constexpr (requires(C& constraint) { constraint.lambda; }) {
      for (auto& constraint : set) visit(constraint.lambda);
    }
  }
}

template <EdgeConstraint C, class Visit>
void for_each_kept(Batches<C>& set, Visit& visit) noexcept {
  for (std::size_t f = C::fields.size() - C::kept; f < C::fields.size(); ++f)
    for (auto& number : set.fields[f]) visit(number);
}

template <class ForEach, class... Cs, class Visit>
void for_each_kept(Parallel<ForEach, Cs...>& set, Visit& visit) noexcept {
  std::apply([&visit](auto*... batches) { (for_each_kept(*batches, visit), ...); }, set.sets);
}

/// Several sets as one: what both kinds of acceleration do with those that they wrap.
template <class... Sets>
struct SetsBehind {
  std::tuple<Sets*...> sets;

  template <ParticleSet P>
  void begin(P& particles, const Substep<typename P::Scalar>& substep) noexcept {
    std::apply([&](auto*... set) { (pbd::begin_substep(*set, particles, substep), ...); }, sets);
  }

  template <ParticleSet P>
  void sweep_all(P& particles, const Substep<typename P::Scalar>& substep) noexcept {
    std::apply([&](auto*... set) { (pbd::sweep(*set, particles, substep), ...); }, sets);
  }

  template <ParticleSet P, class Ask>
  [[nodiscard]] Error first_error(const P&, Ask ask) const noexcept {
    Error error;
    const auto examine = [&](const auto& set) {
      if (!error) error = ask(set);
    };
    std::apply([&](const auto*... set) { (examine(*set), ...); }, sets);
    return error;
  }

  /// Calls visit(constraint) for every constraint of every set, in order: what residual.hpp measures.
  template <class Visit>
  void for_each_constraint(Visit&& visit) const {
    const auto go_through = [&visit](const auto& set) {
      if constexpr (std::ranges::contiguous_range<decltype(set)>)
        for (const auto& constraint : set) visit(constraint);
      else if constexpr (requires { set.for_each_constraint(visit); })
        set.for_each_constraint(visit);
    };
    std::apply([&](const auto*... set) { (go_through(*set), ...); }, sets);
  }
};

}  // namespace detail

}  // namespace pbd
