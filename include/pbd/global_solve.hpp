// SPDX-License-Identifier: MIT
//
// 4. All constraints at once: a sweep is one Newton step on the whole system, by a sparse direct solve. Comes in:
// arrays of distance constraints. Leaves: predicted with (nearly) nothing left of the violation, and λ, the constraint
// forces. Gauss-Seidel needs more sweeps the longer the cloth; this needs a few for any: it is what other solvers are
// judged by, and it costs what a factorisation costs. Next: update_velocity.hpp.
#pragma once

#include <pbd/detail/row_system.hpp>
#include <pbd/detail/system_row.hpp>
#include <pbd/distance.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ranges>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace pbd {

/// How much every constraint of a direct solve yields, in proportion to its own A_kk: the setting's default. Enough to
/// outweigh the rounding of a length (ε), little enough for the longest waves of a long chain, whose A is about 1/N² of
/// A_kk: in between lies ε^(2/3).
template <class Scalar>
inline constexpr double default_relative_compliance = sizeof(Scalar) == 4 ? 2.4e-5 : 3.7e-11;

/// A constraint set that solves for all its constraints at once. make_global_solve() makes it; it can be moved, not
/// copied. The constraints are its own copies, all arrays numbered through in the order given.
template <detail::SystemRowConstraint... Cs>
struct GlobalSolve {
  using Scalar = std::common_type_t<typename Cs::Scalar...>;

  std::tuple<std::vector<Cs>...> constraints;
  std::vector<double> lambda;  ///< λ of this substep, a constraint each, N·s²; negative where it pulls
  /// ε: the system's diagonal is (1 + ε) A_kk. Redundant constraints (both diagonals of a cell beside its edges) and
  /// taut lines between two pins make A singular; with ε it can be solved. The right side stays the true violation, so
  /// the next sweep takes away what this one has left.
  double relative_compliance = default_relative_compliance<Scalar>;
  std::int32_t highest = -1;  ///< the highest particle index of all
  Error error;                ///< if it says so, the set is empty

  std::vector<double> held;          // λ of the last sweep, over the end of a substep
  std::vector<double> displacement;  // of every particle: summed before it is rounded to the particles' precision
  std::vector<signed char> side;     // SystemRow::side of every row
  detail::RowSystem system;

  /// One Newton step: (J M⁻¹ Jᵀ + α̃) Δλ = −C − α̃λ, then x* ← x* + M⁻¹ Jᵀ Δλ. Damping as in delta_lambda(), the row
  /// divided by 1 + γ so that the matrix stays symmetric. Limits that are not crossed (see system_row) act on nothing,
  /// and none leaves a sweep having pushed to its wrong side.
  ///
  ///   reads    predicted, inverse_mass; position if damped; the constraints
  ///   writes   predicted; λ
  ///   needs    every index in [0, N): step() asks
  ///   skips    coincident or both-pinned pairs, pairs whose distance is NaN or infinite: no other one notices
  ///   cost     a sparse factorisation, which grows faster than the sheet. Eigen allocates in it: without memory the
  ///            program ends, for this is noexcept
  ///   source   [Goldenthal07] fast projection; [Macklin16] eqs. 16–17
  template <ParticleSet P>
  void sweep(P& particles, const Substep<Scalar>& substep) noexcept {
    if (lambda.empty()) return;
    for_each_row([&](std::size_t k, const auto& constraint) { linearise(k, constraint, particles, substep); });
    if (!system.solve(particles)) return;
    double relaxation = 1;
    if constexpr (requires { substep.relaxation; }) relaxation = static_cast<double>(substep.relaxation);
    displacement.assign(displacement.size(), 0);
    for (std::size_t k = 0; k < lambda.size(); ++k) apply(k, relaxation, particles);
    for (std::int32_t i = 0; i <= highest; ++i)
      for (int d = 0; d < P::dim; ++d) {
        Scalar& x = particles.predicted(d, i);
        const double moved = displacement[coordinate_of(i, d)];
        if (moved != 0) x = static_cast<Scalar>(static_cast<double>(x) + moved);
      }
    held = lambda;
  }

  template <ParticleSet P>
  void begin_substep(P&, const Substep<Scalar>& substep) noexcept {
    lambda.assign(lambda.size(), 0);
    const auto begin = [&](auto& array) {
      if constexpr (requires { array.front().begin_substep(substep); })
        for (auto& constraint : array) constraint.begin_substep(substep);
    };
    std::apply([&](auto&... array) { (begin(array), ...); }, constraints);
  }

  /// O(1).
  template <ParticleSet P>
  [[nodiscard]] Error validate_indices(const P& particles) const noexcept {
    if (error) return error;
    if (highest < particles.count()) return {};
    return {.reason = "particle index out of range", .subject = "constraints"};
  }

  /// The tension that constraint k held with in the last substep, −λ/Δt² (N): positive where it pulls its ends
  /// together. Of redundant constraints only the sum is determined, not which of them holds.
  [[nodiscard]] Scalar force(std::size_t k, const Substep<Scalar>& substep) const noexcept {
    const auto h = static_cast<double>(substep.dt);
    return static_cast<Scalar>(-lambda[k] / (h * h));
  }

  /// Calls visit(constraint) for every constraint, λ set in those that have one, in the order given.
  template <class Visit>
  void for_each_constraint(Visit&& visit) const {
    for_each_row([&](std::size_t k, auto constraint) {
      if constexpr (requires { constraint.lambda; }) constraint.lambda = static_cast<Scalar>(lambda[k]);
      visit(std::as_const(constraint));
    });
  }

  template <class Visit>
  void for_each_row(Visit&& visit) const {
    std::size_t k = 0;
    const auto walk = [&](const auto& array) {
      for (const auto& constraint : array) visit(k++, constraint);
    };
    std::apply([&](const auto&... array) { (walk(array), ...); }, constraints);
  }

 private:
  static std::size_t coordinate_of(std::int32_t i, int d) noexcept {
    return 3 * static_cast<std::size_t>(i) + static_cast<std::size_t>(d);
  }

  /// The difference of two columns, in double.
  template <int dim, class Columns>
  static std::array<double, 3> between(const Columns& columns, std::int32_t i, std::int32_t j) noexcept {
    std::array<double, 3> difference{};
    for (int d = 0; d < dim; ++d)
      difference[static_cast<std::size_t>(d)] = static_cast<double>(columns(d, i)) - static_cast<double>(columns(d, j));
    return difference;
  }

  template <class C, ParticleSet P>
  void linearise(std::size_t k, const C& constraint, const P& particles, const Substep<Scalar>& substep) noexcept {
    auto now = between<P::dim>(particles.predicted, constraint.i, constraint.j);
    Edge<double> edge{detail::norm(now),
                      static_cast<double>(particles.inverse_mass(constraint.i)) +
                          static_cast<double>(particles.inverse_mass(constraint.j)),
                      0};
    const auto index = static_cast<Index>(k);
    system.direction[k] = {};
    system.diagonal[k] = 1;
    system.right(index) = 0;
    side[k] = 0;
    if (!detail::is_finite(edge.length) || !detail::is_finite(edge.weight)) return;
    if (!(edge.length > 0 && edge.weight > 0)) return;
    if constexpr (detail::has_damping<C>)
      if (constraint.damping > 0)
        edge.drawn_apart =
            detail::drawn_apart(now, between<P::dim>(particles.position, constraint.i, constraint.j), edge.length);
    const detail::SystemRow row = detail::system_row(constraint, edge, held[k], substep);
    if (!row.active) return;
    for (double& x : now) x /= edge.length;
    system.direction[k] = now;
    system.diagonal[k] = (edge.weight + row.scaled_compliance / (1 + row.gamma)) * (1 + relative_compliance);
    system.right(index) = (-row.violation - row.scaled_compliance * lambda[k]) / (1 + row.gamma);
    side[k] = static_cast<signed char>(row.side);
  }

  template <ParticleSet P>
  void apply(std::size_t k, double relaxation, const P& particles) noexcept {
    const auto& direction = system.direction[k];
    double change = relaxation * system.solution(static_cast<Index>(k));
    if (!detail::is_finite(change)) return;
    if (side[k] > 0) change = (std::min)(change, (std::max)(-lambda[k], 0.0));
    if (side[k] < 0) change = (std::max)(change, (std::min)(-lambda[k], 0.0));
    lambda[k] += change;
    const auto [i, j] = system.rows[k];
    const auto w_i = static_cast<double>(particles.inverse_mass(i)),
               w_j = static_cast<double>(particles.inverse_mass(j));
    for (int d = 0; d < P::dim; ++d) {
      const double along = change * direction[static_cast<std::size_t>(d)];
      displacement[coordinate_of(i, d)] += w_i * along;
      displacement[coordinate_of(j, d)] -= w_j * along;
    }
  }
};

/// Copies arrays of distance constraints into a set that solves them together.
///
///     auto global = pbd::make_global_solve(cloth.structural, tethers);
///     settings.iterations = 3;  // Newton steps
///     pbd::step(cloth.particles, settings, global);
///
/// The projection does not know that tension straightens a line: a line under tension T, of particles of mass m a
/// distance l apart, zigzags in substeps longer than √(m l / 3T). Where it rests is off by the square of the substep.
///
///   errors   a constraint with a negative index, i = j, or a flaw(); more couplings than 32 bits can number (n
///            constraints at one particle couple n² times): named in `error`, and the set is empty
///   cost     finds an elimination order (Eigen's AMD); allocates
template <std::ranges::contiguous_range... Arrays>
[[nodiscard]] auto make_global_solve(const Arrays&... arrays) {
  static_assert(sizeof...(Arrays) > 0, "pbd::make_global_solve: give it at least one array of constraints");
  using Solve = GlobalSolve<std::ranges::range_value_t<Arrays>...>;
  Solve solve;
  std::vector<std::array<std::int32_t, 2>> rows;
  std::int64_t set = 0;
  const auto take = [&](const auto& array, auto& copy) {
    std::int64_t item = 0;
    for (const auto& constraint : array) {
      if (solve.error) return;
      const char* reason = nullptr;
      if (constraint.i < 0 || constraint.j < 0) reason = "particle index out of range";
      if (constraint.i == constraint.j) reason = "names the same particle twice";
      if constexpr (requires { constraint.flaw(); })
        if (reason == nullptr) reason = constraint.flaw();
      if (reason != nullptr) solve.error = {.reason = reason, .subject = "constraint", .item = item, .set = set};
      solve.highest = (std::max)({solve.highest, constraint.i, constraint.j});
      rows.push_back({constraint.i, constraint.j});
      copy.push_back(constraint);
      ++item;
    }
    ++set;
  };
  std::apply([&](auto&... copy) { (take(arrays, copy), ...); }, solve.constraints);
  const std::size_t count = rows.size();
  if (!solve.error && !solve.system.analyse(std::move(rows), static_cast<std::size_t>(solve.highest + std::int64_t{1})))
    solve.error = {.reason = "too many constraints share particles", .subject = "constraints"};
  if (solve.error) {
    Solve refused;
    refused.error = solve.error;
    return refused;
  }
  solve.lambda.assign(count, 0);
  solve.held = solve.lambda;
  solve.side.assign(count, 0);
  solve.displacement.assign(3 * static_cast<std::size_t>(solve.highest + std::int64_t{1}), 0);
  return solve;
}

}  // namespace pbd
