// SPDX-License-Identifier: MIT
//
// 4. The same sweep, several independent constraints at a time. Comes in: an array of constraints. Leaves: a packed
// set that step() takes like any other and that gives the same bits, because consecutive constraints that share no
// particle do not see each other. Runs are found once, in array order; where a run's indices advance evenly it needs
// no index in memory and no gather. Next: parallel.hpp spreads such sets over an engine's threads.
#pragma once

#include <pbd/detail/pieces.hpp>
#include <pbd/detail/project_run.hpp>
#include <pbd/detail/runs.hpp>
#include <pbd/gauss_seidel.hpp>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <ranges>
#include <vector>

namespace pbd {

/// A packed constraint set: runs, and the constraints' numbers, one array a field. make_batches() makes it.
template <EdgeConstraint C>
struct Batches {
  using Scalar = typename C::Scalar;

  std::vector<Run> runs;
  detail::Reach reach;  ///< what the runs touch; made anew after a change of them by hand
  std::array<std::vector<Scalar>, C::fields.size()> fields;  ///< C::fields of every constraint, in array order; after
                                                             ///< a change by hand call find_uniform_runs()
  std::vector<std::int32_t> i;                               ///< indices that no stride describes
  std::vector<std::int32_t> j;
  std::int64_t count = 0;     ///< constraints
  std::int32_t highest = -1;  ///< the highest particle index of all
  bool damped = false;        ///< has any of them damping
  Error error;                ///< if it says so, the set is empty

  /// Projects every constraint once, in array order: sweep() of the array that this was made from, bit for bit.
  ///
  ///   reads    predicted, inverse_mass; position if damped; the fields
  ///   writes   predicted; fields that the constraints keep (λ)
  ///   needs    every index in [0, N): step() asks
  ///   cost     O(M); no allocation
  template <ParticleSet P>
  void sweep(P& particles, const Substep<Scalar>& substep) noexcept {
    for (const Run& run : runs) project(run, particles, substep);
  }

  template <ParticleSet P>
  void begin_substep(P&, const Substep<Scalar>& substep) noexcept {
    begin_substep(0, count, substep);
  }

  /// Of `n` constraints from `first` on.
  void begin_substep([[maybe_unused]] std::int64_t first, [[maybe_unused]] std::int64_t n,
                     [[maybe_unused]] const Substep<Scalar>& substep) noexcept {
    if constexpr (requires(detail::Fields<C> & field) { C::prepare(field, substep); })
      for (auto c = static_cast<std::size_t>(first); c < static_cast<std::size_t>(first + n); ++c) {
        detail::Fields<C> field = read(c);
        C::prepare(field, substep);
        keep(c, field);
      }
  }

  /// O(1).
  template <ParticleSet P>
  [[nodiscard]] Error validate_indices(const P& particles) const noexcept {
    if (error) return error;
    if (highest < particles.count()) return {};
    return {.reason = "particle index out of range", .subject = "constraints"};
  }

  /// Projects the constraints of one run.
  template <ParticleSet P>
  void project(const Run& run, P& particles, const Substep<Scalar>& substep) noexcept {
    constexpr int width = detail::native_width<Scalar>;
    std::int32_t n = 0;
    if constexpr (width > 1)
      if (run.shape != RunShape::sequential) n = project_wide<width>(run, particles, substep);
    for (; n < run.count; ++n) {
      const auto c = static_cast<std::size_t>(run.first + n);
      detail::Fields<C> field = read(c);
      detail::project_fields<C>(particles, first_of(run, n), second_of(run, n), field, damped, substep);
      keep(c, field);
    }
  }

  /// Finds the runs whose constraints all have the same numbers: a sweep reads them in one place, and so that it stays
  /// in the nearest cache, runs with like numbers share it. O(M).
  void find_uniform_runs() noexcept {
    const auto same = [this](std::int64_t a, std::int64_t b, std::int32_t n) {
      bool all = true;
      for (std::size_t f = 0; f + C::kept < fields.size(); ++f)
        all = all && std::memcmp(&fields[f][static_cast<std::size_t>(a)], &fields[f][static_cast<std::size_t>(b)],
                                 static_cast<std::size_t>(n) * sizeof(Scalar)) == 0;
      return all;
    };
    constexpr std::int32_t widest = 8;   // as many are read at once, at most
    std::array<const Run*, 4> models{};  // the last that were unlike each other
    std::size_t next = 0;
    for (Run& run : runs) {
      run.numbers = run.first;
      run.uniform = !run.is_listed() && run.count > 1 && same(run.first, run.first + 1, run.count - 1);
      if (!run.uniform) continue;
      const auto is_like = [&](const Run* model) {
        const std::int32_t n = (std::min)(run.count, widest);
        return model != nullptr && model->count >= n && same(model->first, run.first, n);
      };
      const auto model = std::find_if(models.begin(), models.end(), is_like);
      if (model != models.end())
        run.numbers = (*model)->first;
      else
        models[next++ % models.size()] = &run;
    }
  }

  /// Calls visit(constraint) for every constraint as it stands (λ too), in array order.
  template <class Visit>
  void for_each_constraint(Visit&& visit) const {
    for (const Run& run : runs)
      for (std::int32_t n = 0; n < run.count; ++n) {
        C constraint{};
        constraint.i = first_of(run, n);
        constraint.j = second_of(run, n);
        const detail::Fields<C> field = read(static_cast<std::size_t>(run.first + n));
        for (std::size_t f = 0; f < field.size(); ++f) constraint.*C::fields[f] = field[f];
        visit(constraint);
      }
  }

  /// What the set takes. A sweep reads less of it where runs are uniform.
  [[nodiscard]] std::size_t bytes() const noexcept {
    return runs.size() * sizeof(Run) + (i.size() + j.size()) * sizeof(std::int32_t) +
           fields.size() * static_cast<std::size_t>(count) * sizeof(Scalar);
  }

  [[nodiscard]] std::int32_t first_of(const Run& run, std::int32_t n) const noexcept {
    return run.is_listed() ? i[static_cast<std::size_t>(run.listed + n)] : run.i + n * run.stride();
  }
  [[nodiscard]] std::int32_t second_of(const Run& run, std::int32_t n) const noexcept {
    return run.is_listed() ? j[static_cast<std::size_t>(run.listed + n)] : run.j + n * run.stride();
  }

 private:
  [[nodiscard]] detail::Fields<C> read(std::size_t c) const noexcept {
    detail::Fields<C> field;
    for (std::size_t f = 0; f < field.size(); ++f) field[f] = fields[f][c];
    return field;
  }

  void keep(std::size_t c, const detail::Fields<C>& field) noexcept {
    for (std::size_t f = field.size() - C::kept; f < field.size(); ++f) fields[f][c] = field[f];
  }

  /// As many constraints of a run as the lanes can take; answers how many.
  template <int width, ParticleSet P>
  std::int32_t project_wide(const Run& run, P& particles, const Substep<Scalar>& substep) noexcept {
    detail::RunFields<C> field{{}, run.uniform ? 0 : 1};
    for (std::size_t f = 0; f < fields.size(); ++f)
      field.first[f] = fields[f].data() + (f + C::kept < fields.size() ? run.numbers : run.first);
    if constexpr (P::layout == Layout::planar)
      if (particles.inverse_mass.innerStride() == 1 && !run.is_listed()) {
        if constexpr (width * sizeof(Scalar) > 16)
          if (run.count < width) return project_wide<width / 2>(run, particles, substep);
        if (run.count < width) return 0;
        const Index from_i = run.i, from_j = run.j, lowest = run.lowest();
        if (run.shape == RunShape::contiguous)
          detail::project_run<C>(
              [=](Index k) {
                return detail::SideBySide<Scalar, width>{from_i + k, from_j + k};
              },
              run.count, field, particles, substep, damped);
        else
          detail::project_run<C>([=](Index k) { return detail::Paired<Scalar, width>{lowest + 2 * k}; }, run.count,
                                 field, particles, substep, damped);
        return run.count;
      }
    // One by one, wider registers than 16 bytes cost more to fill than they save: 4.7 instead of 3.7 ns a constraint.
    if constexpr (width * sizeof(Scalar) > 16)
      return project_wide<width / 2>(run, particles, substep);
    else {
      detail::project_run<C>(
          [&run, this](Index k) {
            detail::OneByOne<Scalar, width> access;
            for (std::size_t l = 0; l < width; ++l) {
              access.i[l] = first_of(run, static_cast<std::int32_t>(k) + static_cast<std::int32_t>(l));
              access.j[l] = second_of(run, static_cast<std::int32_t>(k) + static_cast<std::int32_t>(l));
            }
            return access;
          },
          run.count, field, particles, substep, damped);
      return run.count - run.count % width;
    }
  }
};

/// Packs an array of constraints of one type for a batched sweep in the same order, with the same results.
///
///     auto structural = pbd::make_batches(cloth.structural);
///     pbd::step(cloth.particles, settings, structural);
///
///   errors   a constraint with a negative index, i = j, or a flaw(): named in `error`, and the set is empty
///   cost     O(M), allocates
template <std::ranges::contiguous_range Constraints>
requires EdgeConstraint<std::ranges::range_value_t<Constraints>>
[[nodiscard]] auto make_batches(const Constraints& constraints) {
  using C = std::ranges::range_value_t<Constraints>;
  Batches<C> batches;
  std::int64_t item = 0;
  for (const C& constraint : constraints) {
    const auto refuse = [&](const char* reason) {
      Batches<C> refused;
      refused.error = {.reason = reason, .subject = "constraint", .item = item};
      return refused;
    };
    if (constraint.i < 0 || constraint.j < 0) return refuse("particle index out of range");
    if (constraint.i == constraint.j) return refuse("names the same particle twice");
    if constexpr (requires { constraint.flaw(); })
      if (const char* reason = constraint.flaw()) return refuse(reason);
    if constexpr (detail::has_damping<C>) batches.damped = batches.damped || constraint.damping > 0;
    batches.highest = (std::max)({batches.highest, constraint.i, constraint.j});
    ++item;
  }
  batches.count = item;
  for (std::size_t f = 0; f < C::fields.size(); ++f) {
    batches.fields[f].reserve(static_cast<std::size_t>(item));
    for (const C& constraint : constraints) batches.fields[f].push_back(constraint.*C::fields[f]);
  }
  detail::find_runs(constraints, batches.highest, batches.runs, batches.i, batches.j);
  batches.reach = detail::Reach(batches.runs);
  batches.find_uniform_runs();
  return batches;
}

}  // namespace pbd
