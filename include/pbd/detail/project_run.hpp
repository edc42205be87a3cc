// SPDX-License-Identifier: MIT
//
// The batched sweep's inner loop: as many constraints of a run as there are lanes are read, moved by their law and
// written back. Included by batches.hpp alone. Three ways to reach the particles, ends.hpp's; one formula, edge.hpp's.
#pragma once

#include <pbd/detail/ends.hpp>

#include <utility>

namespace pbd::detail {

/// All that a run's inner loop reads of the particles and of the substep. Found once a run and held by value: a store
/// to a particle might change anything that is reached through a reference, as far as a compiler can know.
template <ParticleSet P>
struct RunInput {
  using Scalar = typename P::Scalar;
  static constexpr auto dim = static_cast<std::size_t>(P::dim);

  Rows<Scalar*, dim> predicted;
  Rows<const Scalar*, dim> position;
  Rows<const Scalar*, 1> inverse_mass;
  Substep<Scalar> substep;
  bool damped;

  RunInput(P& particles, const Substep<Scalar>& substep_, bool damped_) noexcept
      : predicted(rows_of<P::layout, dim>(particles.predicted)),
        position(rows_of<P::layout, dim>(std::as_const(particles.position))),
        inverse_mass{{particles.inverse_mass.data()}, particles.inverse_mass.innerStride()},
        substep(substep_),
        damped(damped_) {}
};

/// The numbers of a run's constraints, an array a field.
template <EdgeConstraint C>
struct RunFields {
  std::array<typename C::Scalar*, C::fields.size()> first;
  Index step;  ///< 1; 0 if all constraints have the first ones' numbers: what a sweep does not change is read there

  [[nodiscard]] typename C::Scalar* at(std::size_t f, Index n) const noexcept {
    return first[f] + (f + C::kept < first.size() ? n * step : n);
  }
};

template <EdgeConstraint C, class Access>
[[nodiscard]] auto load_fields(const Access& access, const RunFields<C>& fields, Index n) noexcept {
  Fields<C, typename Access::Number> field;
  for (std::size_t f = 0; f < field.size(); ++f) field[f] = access.order(Access::Number::load(fields.at(f, n)));
  return field;
}

/// What can be known of constraints before their law is asked. Filled and copied register by register, for GCC moves
/// arrays of registers through memory.
template <class Number, std::size_t dim>
struct Begun {
  std::array<Number, dim> now;  ///< x*_i − x*_j
  Number length;
  Number drawn_apart;

  Begun() = default;
  Begun(const Begun&) = delete;
  Begun& operator=(const Begun& other) noexcept {
    for (std::size_t d = 0; d < dim; ++d) now[d] = other.now[d];
    length = other.length;
    drawn_apart = other.drawn_apart;
    return *this;
  }
};

template <EdgeConstraint C, class Access, ParticleSet P, class Number, std::size_t dim>
void begin_lanes(const Access& access, const Loaded<Number, dim>& loaded, const RunInput<P>& input,
                 Begun<Number, dim>& begun) noexcept {
  subtract<Access>(loaded, begun.now);
  begun.length = norm(begun.now);
  begun.drawn_apart = Number(0);
  if constexpr (has_damping<C>)
    if (input.damped) {
      std::array<Number, dim> before;
      subtract<Access>(load_ends(access, input.position), before);
      begun.drawn_apart = drawn_apart(begun.now, before, begun.length);
    }
}

/// The rest of project_fields(): the law, and the moves that follow from it.
template <EdgeConstraint C, class Access, ParticleSet P, class Number, std::size_t dim>
void end_lanes(const Access& access, const Begun<Number, dim>& begun, const Loaded<Number, dim>& loaded,
               Fields<C, Number> field, const RunFields<C>& fields, Index n, const RunInput<P>& input) noexcept {
  const auto& mass = input.inverse_mass;
  const auto w = Access::apart(access.load(mass.data[0], mass.stride));
  const Number scale = C::law(Edge<Number>{begun.length, w.i + w.j, begun.drawn_apart}, field, input.substep);
  for (std::size_t f = field.size() - C::kept; f < field.size(); ++f) access.order(field[f]).store(fields.at(f, n));

  const Number move_i = w.i * scale;
  const Number move_j = w.j * -scale;
  const auto& predicted = input.predicted;
  for (std::size_t d = 0; d < dim; ++d)
    access.store(predicted.data[d], predicted.stride,
                 loaded[d] + Access::together({move_i * begun.now[d], move_j * begun.now[d]}));
}

/// project_fields() for `count` constraints that share no particle, Access::width at a time. Flattened, for calls in
/// the loop would pass their registers through memory.
template <EdgeConstraint C, ParticleSet P, class AccessAt>
[[gnu::flatten]] void project_run(AccessAt access_at, std::int32_t count, RunFields<C> fields, P& particles,
                                  const Substep<typename C::Scalar>& substep, bool damped) noexcept {
  using Access = decltype(access_at(Index{}));
  using Number = typename Access::Number;
  constexpr Index width = Access::width;
  constexpr std::size_t dim = RunInput<P>::dim;
  const RunInput<P> input(particles, substep, damped);
  const auto load = [&input](const Access& access) { return load_ends(access, input.predicted); };
  const auto end = [&](Index n, const Access& access, const Begun<Number, dim>& begun,
                       const Loaded<Number, dim>& loaded) {
    end_lanes<C>(access, begun, loaded, load_fields<C>(access, fields, n), fields, n, input);
  };

  const Index last = count - width;
  Index n = 0;
  Begun<Number, dim> begun;
  if constexpr (!Access::loads_twice) {
    for (; n <= last; n += width) {  // a rest of less than `width` is left alone
      const Access access = access_at(n);
      const auto loaded = load(access);
      begin_lanes<C>(access, loaded, input, begun);
      end(n, access, begun, loaded);
    }
  } else {
    if (last < 0) return;
    // Each round begins the next constraints before it ends its own, so that their square root is under way early.
    Begun<Number, dim> next_begun;
    begin_lanes<C>(access_at(n), load(access_at(n)), input, begun);
    for (; n + width <= last; n += width) {
      const Access access = access_at(n), next = access_at(n + width);
      begin_lanes<C>(next, load(next), input, next_begun);
      end(n, access, begun, load(access));
      begun = next_begun;
    }
    const Access access = access_at(n), overlapping = access_at(last);
    if (n == last) return end(n, access, begun, load(access));
    // The last round overlaps the one before: both read before either writes, and what both write is the same.
    const auto overlapping_ends = load(overlapping);
    const auto overlapping_fields = load_fields<C>(overlapping, fields, last);
    begin_lanes<C>(overlapping, overlapping_ends, input, next_begun);
    end(n, access, begun, load(access));
    end_lanes<C>(overlapping, next_begun, overlapping_ends, overlapping_fields, fields, last, input);
  }
}

}  // namespace pbd::detail
