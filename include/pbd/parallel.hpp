// SPDX-License-Identifier: MIT
//
// 2→5. The same steps, on an engine's threads. Comes in: batches, and the engine's own for_each. Leaves: the same bits
// as one sweep after another, for any number of workers; nothing here starts a thread. Next: step.hpp.
//
// Gauss-Seidel is sequential, but only where constraints share particles. The sheet is cut into pieces that advance over
// the particles. Once the first piece has been swept, the second one may be, while the first is swept again; and so on:
// all pieces are worked on at once, each at least one sweep behind the piece before it. They end where they share no
// particle (detail/pieces.hpp), so whoever works on them, in whatever order, the results are those of the plain order.
// Cutting a loop over time and space aslant is time skewing [Wonnacott00].
#pragma once

#include <pbd/batches.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace pbd {

/// Sets that are swept in pieces, as one constraint set for step(). Made by make_parallel(); refers to the batches.
///
/// `for_each(count, body)` is the engine's: it calls body(begin, end) for parts that cover [0, count) once each, on
/// any threads and in any order, even all on the caller's, and returns when all have ended. `count` is always the same,
/// and number k always means about the same particles: given to the same thread, they stay in its cache.
template <class ForEach, EdgeConstraint... Cs>
struct Parallel {
  using Scalar = std::common_type_t<typename Cs::Scalar...>;

  ForEach for_each;
  std::tuple<Batches<Cs>*...> sets;
  std::vector<detail::Piece> pieces;
  std::int64_t skew = 0;             ///< by how many particles the pieces move down, a sweep
  std::int64_t sweeps_at_a_time = 1;  ///< after so many sweeps they start anew

  /// One sweep of every set, in the order given.
  template <ParticleSet P>
  void sweep(P& particles, const Substep<Scalar>& substep) noexcept {
    sweep_in_pieces<P>(particles.count(), 1, [&](detail::Piece& piece, std::int64_t, auto&... each) {
      detail::sweep_piece(particles, substep, piece, false, each...);
    });
  }

  /// All sweeps of a substep: no piece waits for the end of a sweep. What step() calls if this is the only set it is given.
  template <ParticleSet P>
  void iterate(P& particles, const Substep<Scalar>& substep) noexcept {
    sweep_in_pieces<P>(particles.count(), substep.iterations, [&](detail::Piece& piece, std::int64_t, auto&... each) {
      detail::sweep_piece(particles, substep, piece, false, each...);
    });
  }

  /// All substeps of a step: no piece waits for the end of a substep, and the prediction and the velocities are on the
  /// threads, too. What step() calls if this is the only set with anything in it, and there is no tolerance.
  template <ParticleSet P>
  bool iterate(P& particles, const VectorOf<P>& gravity, const Substep<Scalar>& substep, int substeps) noexcept {
    sweep_in_pieces<P>(particles.count(), std::int64_t{substeps} * substep.iterations,
                       [&](detail::Piece& piece, std::int64_t sweep, auto&... each) {
                         detail::step_piece(particles, gravity, substep, piece, sweep, each...);
                       });
    return true;
  }

  template <ParticleSet P>
  void begin_substep(P& particles, const Substep<Scalar>& substep) noexcept {
    std::apply([&](auto*... set) { (set->begin_substep(particles, substep), ...); }, sets);
  }

  template <ParticleSet P>
  [[nodiscard]] Error validate_indices(const P& particles) const noexcept {
    Error error;
    const auto examine = [&](const auto& set) {
      if (!error) error = set.validate_indices(particles);
    };
    std::apply([&](const auto*... set) { (examine(*set), ...); }, sets);
    return error;
  }

  template <class Visit>
  void for_each_constraint(Visit&& visit) const {
    std::apply([&](const auto*... set) { (set->for_each_constraint(visit), ...); }, sets);
  }

 private:
  /// Calls do_sweep(part of a piece, number, sets…) for all pieces and `sweeps` sweeps: in wave t piece k is in its sweeps
  /// from (t − k)·at_once on.
  template <ParticleSet P, class DoSweep>
  void sweep_in_pieces(std::int64_t particles, std::int64_t sweeps, DoSweep do_sweep) noexcept {
    const auto count = static_cast<std::int64_t>(pieces.size());
    const std::int64_t turns = (sweeps + sweeps_at_a_time - 1) / sweeps_at_a_time;
    for (std::int64_t turn = 0; turn < turns; ++turn) {
      const std::int64_t begin = sweeps * turn / turns, end = sweeps * (turn + 1) / turns;
      // A piece does several sweeps of a part while that is in the cache, if a turn has so many that the wait for the first
      // piece is still short beside it.
      const std::int64_t at_once = (std::max<std::int64_t>)(1, (end - begin) / 16);
      const std::int64_t waves = (end - begin + at_once - 1) / at_once + count - 1;
      cut(particles, end - begin);
      for (std::int64_t t = 0; t < waves; ++t)
        for_each(pieces.size(), [&](std::size_t first, std::size_t last) {
          for (std::size_t k = first; k < last; ++k) {
            const std::int64_t from = begin + (t - static_cast<std::int64_t>(k)) * at_once;
            if (from < begin || from >= end) continue;
            detail::Piece piece = pieces[k];  // a copy, not to write where others write, all the time
            detail::sweep_parts(piece, particles, detail::cached_particles<P>, skew, from, (std::min)(end, from + at_once),
                                [&](detail::Piece& part, std::int64_t sweep) {
                                  std::apply([&](auto*... set) { do_sweep(part, sweep, *set...); }, sets);
                                });
            pieces[k] = piece;
          }
        });
    }
  }

  /// Cuts the particles into pieces that are of equal size half way through `sweeps` sweeps.
  void cut(std::int64_t particles, std::int64_t sweeps) noexcept {
    const auto count = static_cast<std::int64_t>(pieces.size());
    std::int64_t lower = 0, k = 0;
    for (detail::Piece& piece : pieces) {
      const std::int64_t upper = ++k < count ? (std::min)(particles, particles * k / count + skew * sweeps / 2)
                                             : (std::numeric_limits<std::int64_t>::max)();
      piece = {{lower}, {upper}};
      lower = upper;
    }
  }
};

/// Spreads batches over an engine's threads. Their runs must advance over the particles, as a grid's rows and the runs
/// of reorder() do; runs that leap about leave one piece to work on at a time: the right result, on one thread.
///
///     auto parallel = pbd::make_parallel(engine_for_each, workers, structural, shear);
///     pbd::step(particles, settings, parallel);
///
///   batches   outlive the result and are not moved or changed while it is used
///   workers   how many threads there are, the caller's too: as many pieces, if they are not too small then. Any number gives
///             the same bits on any number of threads
///   cost      O(runs), allocates
template <class ForEach, EdgeConstraint... Cs>
[[nodiscard]] Parallel<ForEach, Cs...> make_parallel(ForEach for_each, std::size_t workers, Batches<Cs>&... batches) {
  static_assert(sizeof...(Cs) > 0, "pbd::make_parallel: give it at least one set of batches");
  Parallel<ForEach, Cs...> parallel{std::move(for_each), {&batches...}, {}};
  const std::int64_t particles = 1 + std::int64_t{(std::max)({batches.highest...})};
  parallel.skew = detail::skew_of(particles, batches...);
  const std::int64_t skew = (std::max<std::int64_t>)(1, parallel.skew), most = (std::max<std::int64_t>)(1, particles / skew);
  const auto count = static_cast<std::int64_t>((std::min)(workers, static_cast<std::size_t>(most)));
  parallel.pieces.resize(static_cast<std::size_t>((std::max<std::int64_t>)(1, count)));

  // Of s sweeps at a time, n pieces of N/n particles lose skew·s/4 on average for not being alike, and n − 1 of s waves to
  // waiting for the first piece, and for the last one. Both together are least at this s.
  const auto n = static_cast<double>(parallel.pieces.size());
  const double sweeps = std::sqrt(4 * (n - 1) * static_cast<double>(particles) / (n * static_cast<double>(skew)));
  parallel.sweeps_at_a_time = (std::max<std::int64_t>)(1, std::llround(sweeps));
  return parallel;
}

}  // namespace pbd
