// SPDX-License-Identifier: MIT
//
// How sweeps over runs are cut into pieces. Comes in: the runs of each set. Leaves: pieces that several threads may work on
// at the same time, or one thread one after the other, each while it is in the cache. Included by batches.hpp, parallel.hpp
// and step.hpp.
//
// A piece is a range of particles, and of each set the runs in it. Its upper end, which is the next piece's lower end, moves
// down with every set that is swept, so that no run of a piece touches what the next piece has yet to do in any sweep
// before. Thus a piece may be any number of sweeps ahead of the next one.
#pragma once

#include <pbd/constraint.hpp>
#include <pbd/detail/runs.hpp>
#include <pbd/predict.hpp>
#include <pbd/update_velocity.hpp>

#include <cstddef>
#include <limits>

namespace pbd::detail {

/// What the first runs of a set touch, and what the others do.
struct Reach {
  std::vector<std::int32_t> highest_before;  ///< the highest particle of the runs [0, r)
  std::vector<std::int32_t> lowest_from;     ///< the lowest particle of the runs [r, …)

  Reach() : Reach(std::vector<Run>{}) {}
  explicit Reach(const std::vector<Run>& runs)
      : highest_before(runs.size() + 1, -1), lowest_from(runs.size() + 1, (std::numeric_limits<std::int32_t>::max)()) {
    for (std::size_t r = 0; r < runs.size(); ++r)
      highest_before[r + 1] = (std::max)(highest_before[r], runs[r].highest());
    for (std::size_t r = runs.size(); r-- > 0;) lowest_from[r] = (std::min)(lowest_from[r + 1], runs[r].lowest());
  }
};

/// Where a piece ends and the next one begins.
struct Cut {
  std::int64_t particle;  ///< the piece below touches none from here on

  /// On to the next set to be swept: answers how many of its runs lie below the cut, and moves it below all that the others touch.
  std::size_t advance(const Reach& reach) noexcept {
    const auto above = std::ranges::lower_bound(reach.highest_before, particle) - reach.highest_before.begin();
    const auto below = static_cast<std::size_t>((std::max<std::ptrdiff_t>)(above, 1) - 1);
    particle = (std::min)(particle, std::int64_t{reach.lowest_from[below]});
    return below;
  }
};

struct Piece {
  Cut lower, upper;  ///< as they lie in its own next sweep
};

/// By how many particles a piece moves down when all sets are swept: told by one in the middle.
template <class... Sets>
[[nodiscard]] std::int64_t skew_of(std::int64_t particles, const Sets&... sets) noexcept {
  Cut cut{particles / 2};
  (cut.advance(sets.reach), ...);
  return particles / 2 - cut.particle;
}

/// Sweeps all sets where the piece is; `begin` if it is the first time in a substep.
template <ParticleSet P, class... Sets>
void sweep_piece(P& particles, const Substep<typename P::Scalar>& substep, Piece& piece, bool begin, Sets&... sets) noexcept {
  const auto sweep_runs = [&](auto& set) {
    const std::size_t first = piece.lower.advance(set.reach), end = piece.upper.advance(set.reach);
    for (std::size_t r = first; r < end; ++r) {
      const Run& run = set.runs[r];
      if (begin) set.begin_substep(run.first, run.count, substep);
      set.project(run, particles, substep);
    }
  };
  (sweep_runs(sets), ...);
}

/// The same as part of a step, whose sweeps are numbered through all substeps: with the prediction and the velocities.
template <ParticleSet P, class... Sets>
void step_piece(P& particles, const VectorOf<P>& gravity, const Substep<typename P::Scalar>& substep, Piece& piece,
                std::int64_t sweep, Sets&... sets) noexcept {
  const std::int64_t n = particles.count(), iterations = substep.iterations;
  const bool first = sweep % iterations == 0, last = (sweep + 1) % iterations == 0;
  if (first) predict(particles, gravity, substep.dt, piece.lower.particle, (std::min)(n, piece.upper.particle));
  sweep_piece(particles, substep, piece, first, sets...);
  if (last) update_velocity(particles, substep.dt, piece.lower.particle, (std::min)(n, piece.upper.particle));
}

/// How many particles a piece has that is worked on while it is in the cache: 1 MiB of what a sweep reads of two of them.
template <ParticleSet P>
inline constexpr std::int64_t cached_particles =
    static_cast<std::int64_t>((1 << 19) / (sizeof(typename P::Scalar) * static_cast<std::size_t>(P::dim + 1)));

/// Calls do_sweep(part, sweep) for the sweeps [begin, end) of a piece of `particles` particles in all: all of them for its
/// first `size` particles, which stay in the cache, then all of them for the next ones …
template <class DoSweep>
void sweep_parts(Piece& piece, std::int64_t particles, std::int64_t size, std::int64_t skew, std::int64_t begin,
                 std::int64_t end, DoSweep do_sweep) noexcept {
  const std::int64_t drift = skew * (end - begin), top = (std::min)(piece.upper.particle, particles);
  const Piece whole = piece;
  Cut lower = whole.lower;
  for (bool is_first = true, is_last = false; !is_last; is_first = false) {
    is_last = lower.particle + drift + size >= top;
    const Cut upper = is_last ? whole.upper : Cut{lower.particle + size + (is_first ? drift : 0)};
    Piece part{lower, upper};
    for (std::int64_t sweep = begin; sweep < end; ++sweep) do_sweep(part, sweep);
    if (is_first) piece.lower = part.lower;
    if (is_last) piece.upper = part.upper;
    lower = upper;
  }
}

/// All substeps of a step on one thread, part by part. Answers false, and does nothing, if all particles are in the cache
/// anyway.
template <ParticleSet P, class... Sets>
bool step_in_parts(P& particles, const VectorOf<P>& gravity, const Substep<typename P::Scalar>& substep, int substeps,
                   Sets&... sets) noexcept {
  constexpr std::int64_t size = cached_particles<P>;
  const std::int64_t n = particles.count(), skew = skew_of(n, sets...);
  if (n <= 2 * size) return false;
  const std::int64_t sweeps = std::int64_t{substeps} * substep.iterations;
  const std::int64_t at_a_time = (std::max<std::int64_t>)(1, size / (std::max<std::int64_t>)(1, skew));
  for (std::int64_t begin = 0; begin < sweeps; begin += at_a_time) {
    Piece all{{0}, {(std::numeric_limits<std::int64_t>::max)()}};
    sweep_parts(all, n, size, skew, begin, (std::min)(sweeps, begin + at_a_time), [&](Piece& part, std::int64_t sweep) {
      step_piece(particles, gravity, substep, part, sweep, sets...);
    });
  }
  return true;
}

}  // namespace pbd::detail
