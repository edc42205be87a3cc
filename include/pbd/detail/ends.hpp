// SPDX-License-Identifier: MIT
//
// The ends of several constraints at once, and three ways to reach them in memory. Comes in: rows of coordinates and
// indices. Leaves: registers, and rows again. Included by project_run.hpp alone.
#pragma once

#include <pbd/edge.hpp>

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

}  // namespace pbd::detail
