// SPDX-License-Identifier: MIT
//
// The batched sweep's inner loop: as many constraints of a run as there are lanes are read, moved by their law and
// written back. Included by batches.hpp alone. Three ways to reach the particles; one formula, edge.hpp's.
#pragma once

#include <pbd/edge.hpp>

#include <utility>

namespace pbd::detail {

/// Where the coordinates of the particles lie: row d begins at data[d], the next particle `stride` scalars on.
template <class Pointer, std::size_t dim>
struct Rows {
  std::array<Pointer, dim> data;
  Index stride;
};

template <Layout layout, std::size_t dim, class Columns>
[[nodiscard]] auto rows_of(Columns& columns) noexcept {
  constexpr bool planar = layout == Layout::planar;
  Rows<decltype(columns.data()), dim> rows;
  for (std::size_t d = 0; d < dim; ++d)
    rows.data[d] = columns.data() + static_cast<Index>(d) * (planar ? columns.outerStride() : 1);
  rows.stride = planar ? 1 : columns.outerStride();
  return rows;
}

/// All that a run's inner loop reads of the particles and of the substep. Found once a run and held by value: a store to
/// a particle might change anything that is reached through a reference, as far as a compiler can know.
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

/// One coordinate of the two ends of several constraints: of the ends i and of the ends j, or as they lie in memory.
template <class Number>
struct TwoEnds {
  Number i, j;

  friend TwoEnds operator+(TwoEnds a, TwoEnds b) noexcept { return {a.i + b.i, a.j + b.j}; }
};

/// Particles i, i + 1, … and j, j + 1, …: two plain loads.
template <class Scalar, int width_>
struct SideBySide {
  static constexpr int width = width_;
  static constexpr bool loads_twice = true;  // cheaper than to keep in registers what was read
  using Number = Lanes<Scalar, width>;
  Index i, j;

  [[nodiscard]] TwoEnds<Number> load(const Scalar* row, Index) const noexcept {
    return {Number::load(row + i), Number::load(row + j)};
  }
  void store(Scalar* row, Index, TwoEnds<Number> ends) const noexcept {
    ends.i.store(row + i);
    ends.j.store(row + j);
  }
  [[nodiscard]] static TwoEnds<Number> apart(TwoEnds<Number> loaded) noexcept { return loaded; }
  [[nodiscard]] static TwoEnds<Number> together(TwoEnds<Number> ends) noexcept { return ends; }
  [[nodiscard]] static Number order(Number numbers) noexcept { return numbers; }
};

/// Pairs of neighbours from `lower` on: two loads, unzipped.
template <class Scalar, int width_>
struct Paired {
  static constexpr int width = width_;
  static constexpr bool loads_twice = true;
  using Number = Lanes<Scalar, width>;
  Index lower;

  [[nodiscard]] TwoEnds<Number> load(const Scalar* row, Index) const noexcept {
    return {Number::load(row + lower), Number::load(row + lower + width)};
  }
  void store(Scalar* row, Index, TwoEnds<Number> loaded) const noexcept {
    loaded.i.store(row + lower);
    loaded.j.store(row + lower + width);
  }
  [[nodiscard]] static TwoEnds<Number> apart(TwoEnds<Number> loaded) noexcept {
    return {firsts(loaded.i, loaded.j), seconds(loaded.i, loaded.j)};
  }
  [[nodiscard]] static TwoEnds<Number> together(TwoEnds<Number> ends) noexcept {
    return {lower_pairs(ends.i, ends.j), upper_pairs(ends.i, ends.j)};
  }
  [[nodiscard]] static Number order(Number numbers) noexcept { return order_by_pair(numbers); }
};

/// Any particles, in any layout: one load a lane.
template <class Scalar, int width_>
struct OneByOne {
  static constexpr int width = width_;
  static constexpr bool loads_twice = false;
  using Number = Lanes<Scalar, width>;
  std::array<Index, static_cast<std::size_t>(width_)> i, j;

  [[nodiscard]] TwoEnds<Number> load(const Scalar* row, Index stride) const noexcept {
    return {Number::collect([&](int l) { return row[i[at(l)] * stride]; }),
            Number::collect([&](int l) { return row[j[at(l)] * stride]; })};
  }
  void store(Scalar* row, Index stride, TwoEnds<Number> ends) const noexcept {
    ends.i.distribute([&](int l, Scalar value) { row[i[at(l)] * stride] = value; });
    ends.j.distribute([&](int l, Scalar value) { row[j[at(l)] * stride] = value; });
  }
  [[nodiscard]] static TwoEnds<Number> apart(TwoEnds<Number> loaded) noexcept { return loaded; }
  [[nodiscard]] static TwoEnds<Number> together(TwoEnds<Number> ends) noexcept { return ends; }
  [[nodiscard]] static Number order(Number numbers) noexcept { return numbers; }

 private:
  [[nodiscard]] static constexpr std::size_t at(int lane) noexcept { return static_cast<std::size_t>(lane); }
};

/// Every coordinate of the ends of several constraints that share no particle, as Access loads them.
template <class Number, std::size_t dim>
using Loaded = std::array<TwoEnds<Number>, dim>;

template <class Access, class Pointer, std::size_t dim>
[[nodiscard]] auto load_ends(const Access& access, const Rows<Pointer, dim>& rows) noexcept {
  Loaded<typename Access::Number, dim> loaded;
  for (std::size_t d = 0; d < dim; ++d) loaded[d] = access.load(rows.data[d], rows.stride);
  return loaded;
}

/// x_i − x_j.
template <class Access, class Number, std::size_t dim>
void subtract(const Loaded<Number, dim>& loaded, std::array<Number, dim>& difference) noexcept {
  for (std::size_t d = 0; d < dim; ++d) {
    const auto ends = Access::apart(loaded[d]);
    difference[d] = ends.i - ends.j;
  }
}

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

/// project_fields() for `count` constraints that share no particle, Access::width at a time. Flattened, for calls in the
/// loop would pass their registers through memory.
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
