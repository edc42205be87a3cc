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

/// Particles i, i + 1, … and j, j + 1, …: two plain loads.
template <class Scalar, int width_>
struct SideBySide {
  static constexpr int width = width_;
  using Number = Lanes<Scalar, width>;
  Index i, j;

  void read(const Scalar* row, Index, Number& at_i, Number& at_j) const noexcept {
    at_i = Number::load(row + i);
    at_j = Number::load(row + j);
  }
  void write(Scalar* row, Index, Number at_i, Number at_j) const noexcept {
    at_i.store(row + i);
    at_j.store(row + j);
  }
  [[nodiscard]] static Number order(Number numbers) noexcept { return numbers; }
};

/// Pairs of neighbours from `lower` on: two loads, unzipped.
template <class Scalar, int width_>
struct Paired {
  static constexpr int width = width_;
  using Number = Lanes<Scalar, width>;
  Index lower;

  void read(const Scalar* row, Index, Number& at_i, Number& at_j) const noexcept { load_pairs(row + lower, at_i, at_j); }
  void write(Scalar* row, Index, Number at_i, Number at_j) const noexcept { store_pairs(row + lower, at_i, at_j); }
  [[nodiscard]] static Number order(Number numbers) noexcept { return order_by_pair(numbers); }
};

/// Any particles, in any layout: one load a lane.
template <class Scalar, int width_>
struct OneByOne {
  static constexpr int width = width_;
  using Number = Lanes<Scalar, width>;
  std::array<Index, static_cast<std::size_t>(width_)> i, j;

  void read(const Scalar* row, Index stride, Number& at_i, Number& at_j) const noexcept {
    at_i = Number::collect([&](int l) { return row[i[at(l)] * stride]; });
    at_j = Number::collect([&](int l) { return row[j[at(l)] * stride]; });
  }
  void write(Scalar* row, Index stride, Number at_i, Number at_j) const noexcept {
    at_i.distribute([&](int l, Scalar value) { row[i[at(l)] * stride] = value; });
    at_j.distribute([&](int l, Scalar value) { row[j[at(l)] * stride] = value; });
  }
  [[nodiscard]] static Number order(Number numbers) noexcept { return numbers; }

 private:
  [[nodiscard]] static constexpr std::size_t at(int lane) noexcept { return static_cast<std::size_t>(lane); }
};

/// project_fields() for Access::width constraints that share no particle.
template <EdgeConstraint C, class Access, ParticleSet P>
void project_lanes(const Access& access, const std::array<typename C::Scalar*, C::fields.size()>& fields,
                   const RunInput<P>& input) noexcept {
  using Number = typename Access::Number;
  constexpr std::size_t dim = RunInput<P>::dim;
  const auto& predicted = input.predicted;

  std::array<Number, dim> at_i, at_j, now;
  for (std::size_t d = 0; d < dim; ++d) {
    access.read(predicted.data[d], predicted.stride, at_i[d], at_j[d]);
    now[d] = at_i[d] - at_j[d];
  }
  Number w_i, w_j;
  access.read(input.inverse_mass.data[0], input.inverse_mass.stride, w_i, w_j);

  Edge<Number> edge{norm(now), w_i + w_j, Number(0)};
  if (input.damped) {
    const auto& position = input.position;
    std::array<Number, dim> before;
    for (std::size_t d = 0; d < dim; ++d) {
      Number was_i, was_j;
      access.read(position.data[d], position.stride, was_i, was_j);
      before[d] = was_i - was_j;
    }
    edge.drawn_apart = drawn_apart(now, before, edge.length);
  }

  Fields<C, Number> field;
  for (std::size_t f = 0; f < field.size(); ++f) field[f] = access.order(Number::load(fields[f]));
  const Number scale = C::law(edge, field, input.substep);
  for (std::size_t f = field.size() - C::kept; f < field.size(); ++f) access.order(field[f]).store(fields[f]);

  const Number move_i = w_i * scale;
  const Number move_j = w_j * -scale;
  for (std::size_t d = 0; d < dim; ++d)
    access.write(predicted.data[d], predicted.stride, at_i[d] + move_i * now[d], at_j[d] + move_j * now[d]);
}

}  // namespace pbd::detail
