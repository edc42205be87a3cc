// SPDX-License-Identifier: MIT
//
// Cholesky elimination in one dense piece of a sparse matrix. Comes in: the columns to eliminate, and the rest. Leaves:
// their factor, and the rest without them. Every entry takes its products in the order of the columns, however many are
// computed at once: the same bits everywhere. Included by block_cholesky.hpp alone.
#pragma once

#include <pbd/detail/lanes.hpp>
#include <pbd/particles.hpp>

#include <cmath>
#include <cstddef>

namespace pbd::detail {

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
template <int width>
struct Doubles {
  using Number = Lanes<double, width>;
  [[nodiscard]] static Number load(const double* from) noexcept { return Number::load(from); }
  static void store(Number value, double* to) noexcept { value.store(to); }
};
#else
template <int width>
struct Doubles;
#endif
template <>
struct Doubles<1> {
  using Number = double;
  [[nodiscard]] static Number load(const double* from) noexcept { return *from; }
  static void store(Number value, double* to) noexcept { *to = value; }
};

template <class T, int count>
using Array = T[static_cast<std::size_t>(count)];

/// rows × columns entries of a matrix in registers; rows = vectors · width.
template <int width, int columns, int vectors>
struct Tile {
  using Simd = Doubles<width>;
  using Number = typename Simd::Number;
  static constexpr int rows = vectors * width;
  Array<Array<Number, vectors>, columns> at;

  void load(const double* from, Index stride) noexcept {
    for (int c = 0; c < columns; ++c)
      for (int v = 0; v < vectors; ++v) at[c][v] = Simd::load(from + c * stride + v * width);
  }
  void store(double* to, Index stride) const noexcept {
    for (int c = 0; c < columns; ++c)
      for (int v = 0; v < vectors; ++v) Simd::store(at[c][v], to + c * stride + v * width);
  }

  /// −= the product of `depth` columns' rows from a and rows from b.
  void subtract(const double* a, const double* b, Index stride, Index depth) noexcept {
    for (Index k = 0; k < depth; ++k, a += stride, b += stride) {
      Array<Number, vectors> row;
      for (int v = 0; v < vectors; ++v) row[v] = Simd::load(a + v * width);
      for (int c = 0; c < columns; ++c) {
        const Number factor(b[c]);
        for (int v = 0; v < vectors; ++v) at[c][v] = at[c][v] - row[v] * factor;
      }
    }
  }

  /// Solves X·Lᵀ = this; `inverse` is 1 over L's diagonal.
  void solve(const double* lower, Index stride, const double* inverse) noexcept {
    for (int c = 0; c < columns; ++c) {
      for (int k = 0; k < c; ++k) {
        const Number factor(lower[k * stride + c]);
        for (int v = 0; v < vectors; ++v) at[c][v] = at[c][v] - at[k][v] * factor;
      }
      for (int v = 0; v < vectors; ++v) at[c][v] = at[c][v] * Number(inverse[c]);
    }
  }
};

/// What a column of `rows` entries takes in memory: its end may be read and written a register too far.
[[nodiscard]] constexpr Index padded(Index rows) noexcept { return (rows + 3 + 3) / 4 * 4; }

/// The columns of one front, column after column; only their lower triangle counts.
struct DenseFront {
  double* pivots;   ///< the columns to eliminate, rows × count; then their factor
  double* rest;     ///< the columns after them, (rows − count) × (rows − count)
  double* inverse;  ///< 1 over the factor's diagonal; 0 for a column without a positive pivot, which stays out of it
  Index rows;
  Index count;
  Index stride;       ///< padded(rows)
  Index rest_stride;  ///< padded(rows − count)
};

template <int width, int columns>
void eliminate_columns(const DenseFront& front, Index c) noexcept {
  const double* done = front.pivots + c;  // row c of the columns before
  double* const here = front.pivots + c * front.stride + c;
  const auto update = [&]<int vectors>(Tile<width, columns, vectors> tile, Index r) {
    tile.load(here + r, front.stride);
    tile.subtract(done + r, done, front.stride, c);
    return tile;
  };
  constexpr int over = (columns + width - 1) / width;
  Array<double, columns * over * width> diagonal;
  update(Tile<width, columns, over>{}, 0).store(diagonal, over * width);
  for (int k = 0; k < columns; ++k) {
    const auto at = [&](int row, int column) -> double& { return diagonal[column * over * width + row]; };
    for (int j = 0; j < k; ++j)
      for (int r = k; r < columns; ++r) at(r, k) -= at(r, j) * at(k, j);
    const double root = at(k, k) > 0 ? std::sqrt(at(k, k)) : 0;
    const double inverse = root > 0 ? 1 / root : 0;
    front.inverse[c + k] = inverse;
    at(k, k) = root;
    for (int r = k + 1; r < columns; ++r) at(r, k) *= inverse;
    for (int r = k; r < columns; ++r) here[k * front.stride + r] = at(r, k);
  }
  const auto finish = [&]<int vectors>(Tile<width, columns, vectors> tile, Index r) {
    tile = update(tile, r);
    tile.solve(here, front.stride, front.inverse + c);
    tile.store(here + r, front.stride);
  };
  Index r = columns;
  const Index rows = front.rows - c;
  for (; r + 2 * width <= rows; r += 2 * width) finish(Tile<width, columns, 2>{}, r);
  for (; r < rows; r += width) finish(Tile<width, columns, 1>{}, r);
}

template <int width, int columns>
void update_columns(const DenseFront& front, Index c) noexcept {
  const double* done = front.pivots + front.count + c;
  double* const here = front.rest + c * front.rest_stride + c;
  const auto update = [&]<int vectors>(Tile<width, columns, vectors> tile, Index r) {
    tile.load(here + r, front.rest_stride);
    tile.subtract(done + r, done, front.stride, front.count);
    tile.store(here + r, front.rest_stride);
  };
  Index r = 0;
  const Index rows = front.rows - front.count - c;
  for (; r + 2 * width <= rows; r += 2 * width) update(Tile<width, columns, 2>{}, r);
  for (; r < rows; r += width) update(Tile<width, columns, 1>{}, r);
}

/// pivots ← L, rest ← rest − L·Lᵀ. Counts are multiples of Dim.
template <int width, int Dim>
void eliminate(const DenseFront& front) noexcept {
  Index c = 0;
  for (; c + 2 * Dim <= front.count; c += 2 * Dim) eliminate_columns<width, 2 * Dim>(front, c);
  for (; c < front.count; c += Dim) eliminate_columns<width, Dim>(front, c);
  const Index rest = front.rows - front.count;
  c = 0;
  for (; c + 2 * Dim <= rest; c += 2 * Dim) update_columns<width, 2 * Dim>(front, c);
  for (; c < rest; c += Dim) update_columns<width, Dim>(front, c);
}

/// b ← L⁻¹·b for the front's own rows; the rest of b ← −(its columns of L)·those. b is as long as a padded column.
template <int Dim>
void solve_forward(const DenseFront& front, double* b) noexcept {
  for (Index c = 0; c < front.count; c += Dim) {
    Array<const double*, Dim> column;
    Array<double, Dim> known;
    for (int k = 0; k < Dim; ++k) {
      column[k] = front.pivots + (c + k) * front.stride;
      double sum = b[c + k];
      for (int j = 0; j < k; ++j) sum -= column[j][c + k] * known[j];
      b[c + k] = known[k] = sum * front.inverse[c + k];
    }
    for (Index r = c + Dim; r < front.rows; ++r) {
      double sum = b[r];
      for (int k = 0; k < Dim; ++k) sum -= column[k][r] * known[k];
      b[r] = sum;
    }
  }
}

/// b ← L⁻ᵀ·b for the front's own rows, the rest of b being known.
template <int Dim>
void solve_backward(const DenseFront& front, double* b) noexcept {
  for (Index c = front.count - Dim; c >= 0; c -= Dim) {
    Array<const double*, Dim> column;
    Array<double, Dim> sum;
    for (int k = 0; k < Dim; ++k) {
      column[k] = front.pivots + (c + k) * front.stride;
      sum[k] = b[c + k];
    }
    for (Index r = c + Dim; r < front.rows; ++r)
      for (int k = 0; k < Dim; ++k) sum[k] -= column[k][r] * b[r];
    for (int k = Dim - 1; k >= 0; --k) {
      for (int j = k + 1; j < Dim; ++j) sum[k] -= column[k][c + j] * b[c + j];
      b[c + k] = sum[k] * front.inverse[c + k];
    }
  }
}

}  // namespace pbd::detail
