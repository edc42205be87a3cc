// SPDX-License-Identifier: MIT
//
// 4. The same sweeps, on an engine's threads. Comes in: batches, and the engine's own for_each. Leaves: the same bits
// as one sweep after another, for any number of workers; nothing here starts a thread. Next: update_velocity.hpp.
//
// Gauss-Seidel is sequential, but only where constraints share particles. Cut each set's runs into blocks that advance
// over the particles: while one sweep works on block b, the sweep after it may already work on the blocks that lie
// `lag` behind, and the one after that … All blocks on such a diagonal are one wave; its blocks share no particle, so
// whoever runs them, in whatever order, the results are those of the plain order. The idea is temporal blocking by
// wavefronts [Wellein09].
#pragma once

#include <pbd/batches.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

namespace pbd {

namespace detail {

/// A block: the runs [first, last) of a set, and the particles that they touch.
struct Block {
  std::size_t first, last;
  std::int32_t lowest = (std::numeric_limits<std::int32_t>::max)();
  std::int32_t highest = -1;
};

/// Cuts the runs, in their order, into `count` blocks: a run belongs to the block that its lowest particle lies in,
/// but never to an earlier block than the run before it.
inline std::vector<Block> cut_blocks(const std::vector<Run>& runs, std::int64_t particles_per_block,
                                     std::size_t count) {
  std::vector<Block> blocks(count);
  std::size_t r = 0;
  for (std::size_t b = 0; b < count; ++b) {
    Block& block = blocks[b];
    block.first = r;
    const std::int64_t end = static_cast<std::int64_t>(b + 1) * particles_per_block;
    for (; r < runs.size() && (b + 1 == count || runs[r].lowest() < end); ++r) {
      block.lowest = (std::min)(block.lowest, runs[r].lowest());
      block.highest = (std::max)(block.highest, runs[r].highest());
    }
    block.last = r;
  }
  return blocks;
}

/// By how many blocks a sweep of `later` must stay behind a sweep of `earlier`, so that no block of `later` touches a
/// particle that `earlier` has yet to touch: the smallest lag with highest(later, b) < lowest(earlier, b + lag …).
inline std::size_t smallest_lag(const std::vector<Block>& earlier, const std::vector<Block>& later) {
  const std::size_t count = earlier.size();
  std::vector<std::int32_t> ahead(count + 1, (std::numeric_limits<std::int32_t>::max)());  // lowest of all from b on
  for (std::size_t b = count; b-- > 0;) ahead[b] = (std::min)(ahead[b + 1], earlier[b].lowest);
  std::size_t lag = 1;
  for (std::size_t b = 0; b < count; ++b)
    while (b + lag < count && later[b].highest >= ahead[b + lag]) ++lag;
  return lag;
}

}  // namespace detail

/// Sets that are swept in waves, as one constraint set for step(). Made by make_parallel(); refers to the batches.
///
/// `for_each(count, body)` is the engine's: it calls body(begin, end) for pieces that cover [0, count) once each, on
/// any threads and in any order, even all on the caller's, and returns when all have ended.
template <class ForEach, EdgeConstraint... Cs>
struct Parallel {
  using Scalar = std::common_type_t<typename Cs::Scalar...>;
  static constexpr std::size_t set_count = sizeof...(Cs);

  ForEach for_each;
  std::tuple<Batches<Cs>*...> sets;
  std::array<std::vector<detail::Block>, set_count> blocks;
  std::size_t block_count = 1;
  std::size_t lag = 1;

  /// One sweep of every set, in the order given.
  template <ParticleSet P>
  void sweep(P& particles, const Substep<Scalar>& substep) noexcept {
    sweep_in_waves(particles, substep, 1);
  }

  /// All sweeps of a substep at once, for more blocks a wave: what step() calls if this is the only set it is given.
  template <ParticleSet P>
  void iterate(P& particles, const Substep<Scalar>& substep) noexcept {
    sweep_in_waves(particles, substep, static_cast<std::size_t>(substep.iterations));
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
  /// Pass p is one sweep of set p mod set_count. Wave t holds block t − lag·p of every pass p.
  template <ParticleSet P>
  void sweep_in_waves(P& particles, const Substep<Scalar>& substep, std::size_t sweeps) noexcept {
    const std::size_t passes = sweeps * set_count;
    const std::size_t waves = block_count + lag * (passes - 1);
    for (std::size_t t = 0; t < waves; ++t) {
      const std::size_t first = t < block_count ? 0 : (t - block_count) / lag + 1;  // passes that have a block now
      const std::size_t last = (std::min)(passes, t / lag + 1);
      for_each(last - first, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = first + begin; p < first + end; ++p)
          sweep_block(particles, substep, p % set_count, t - lag * p, std::make_index_sequence<set_count>{});
      });
    }
  }

  template <ParticleSet P, std::size_t... Is>
  void sweep_block(P& particles, const Substep<Scalar>& substep, std::size_t set, std::size_t b,
                   std::index_sequence<Is...>) noexcept {
    const auto sweep_if = [&](auto& batches, std::size_t index) {
      if (index != set) return;
      const detail::Block& block = blocks[index][b];
      for (std::size_t r = block.first; r < block.last; ++r) batches.project(batches.runs[r], particles, substep);
    };
    (sweep_if(*std::get<Is>(sets), Is), ...);
  }
};

/// Spreads batches over an engine's threads. Their runs must advance over the particles, as a grid's rows and the runs
/// of reorder() do; runs that leap about leave one block a wave: the right result, on one thread.
///
///     auto parallel = pbd::make_parallel(engine_for_each, structural, shear);
///     pbd::step(particles, settings, parallel);
///
///   batches              outlive the result and are not moved or changed while it is used
///   particles_per_block  how large a piece of work is: a block should take some microseconds
///   cost                 O(runs), allocates
template <class ForEach, EdgeConstraint... Cs>
[[nodiscard]] Parallel<ForEach, Cs...> make_parallel(ForEach for_each, std::int32_t particles_per_block,
                                                     Batches<Cs>&... batches) {
  static_assert(sizeof...(Cs) > 0, "pbd::make_parallel: give it at least one set of batches");
  Parallel<ForEach, Cs...> parallel{std::move(for_each), {&batches...}, {}};
  const std::int64_t size = (std::max<std::int64_t>)(1, particles_per_block);
  const std::int64_t particles = 1 + std::int64_t{(std::max)({batches.highest...})};
  parallel.block_count = static_cast<std::size_t>((std::max<std::int64_t>)(1, (particles + size - 1) / size));
  std::size_t set = 0;
  ((parallel.blocks[set++] = detail::cut_blocks(batches.runs, size, parallel.block_count)), ...);
  for (const auto& earlier : parallel.blocks)
    for (const auto& later : parallel.blocks) parallel.lag = (std::max)(parallel.lag, detail::smallest_lag(earlier, later));
  return parallel;
}

template <class ForEach, EdgeConstraint... Cs>
[[nodiscard]] Parallel<ForEach, Cs...> make_parallel(ForEach for_each, Batches<Cs>&... batches) {
  return make_parallel(std::move(for_each), 2048, batches...);
}

}  // namespace pbd
