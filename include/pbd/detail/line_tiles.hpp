// SPDX-License-Identifier: MIT
//
// The particles of a large sheet, for the time of a step, where its columns and its rows can both be read fast. Comes in:
// particles in rows. Leaves: the same in tiles of line_tile columns, all rows of a tile one after another. In rows, each
// step down a column is a step to another page of memory, from where nothing is read ahead. Included by lines.hpp alone.
#pragma once

#include <pbd/detail/line_strips.hpp>

namespace pbd::detail {

inline constexpr std::int32_t line_tile = 8;

/// Are these the columns and the rows of a sheet so wide that tiles pay? 200x200 gains 16 %, 1000x1000 half; 100x100 nothing.
[[nodiscard]] inline bool wants_tiles(const std::vector<LineGroup>& groups) noexcept {
  if (groups.size() != 2) return false;
  const LineGroup& columns = groups[0];
  const LineGroup& rows = groups[1];
  return columns.stride == columns.lines && columns.line_stride == 1 && columns.first == 0 && rows.stride == 1 &&
         rows.line_stride == columns.lines && rows.first == 0 && rows.lines == columns.links + 1 &&
         rows.links + 1 == columns.lines && columns.lines >= 128;
}

[[nodiscard]] inline std::size_t tile_size(const LineGroup& columns) noexcept {
  return static_cast<std::size_t>((columns.lines + line_tile - 1) / line_tile * line_tile) *
         static_cast<std::size_t>(columns.links + 1);
}

/// Where particle k of a column l is, or of a row l.
struct TileIndex {
  std::int32_t rows;
  bool across;

  [[nodiscard]] Index operator()(std::int32_t l, std::int32_t k) const noexcept {
    const std::int32_t column = across ? k : l, row = across ? l : k;
    return (Index{column / line_tile} * rows + row) * line_tile + column % line_tile;
  }
};

/// Views of memory for `1 + 3·dim` numbers a particle.
template <class Scalar, std::size_t dim>
struct LineTiles {
  std::array<Scalar*, dim> predicted, position, velocity;
  Scalar* inverse_mass;
  std::int32_t columns, rows;

  LineTiles(Scalar* memory, const LineGroup& group) noexcept : columns(group.lines), rows(group.links + 1) {
    const std::size_t size = tile_size(group);
    inverse_mass = memory;
    for (std::size_t d = 0; d < dim; ++d) {
      predicted[d] = memory + (1 + 3 * d) * size;
      position[d] = predicted[d] + size;
      velocity[d] = position[d] + size;
    }
  }

  /// Copies to the tiles, or back from them.
  template <bool back, ParticleSet P>
  void copy(P& set) const noexcept {
    if constexpr (!back) copy_one<back>(set.inverse_mass.data(), inverse_mass);
    for (std::size_t d = 0; d < dim; ++d) {
      const int row = static_cast<int>(d);
      if constexpr (back) copy_one<back>(coordinate<P>(set.predicted, row).data, predicted[d]);
      copy_one<back>(coordinate<P>(set.position, row).data, position[d]);
      copy_one<back>(coordinate<P>(set.velocity, row).data, velocity[d]);
    }
  }

  [[nodiscard]] auto place(const LineGroup& group) const noexcept {
    const bool across = group.stride == 1;  // a row
    return LinePlace<Scalar, dim, TileIndex>{
        {predicted, 1}, inverse_mass, 1, {rows, across}, across ? 0 : line_tile, !across, across};
  }

 private:
  template <bool back>
  void copy_one(Scalar* in_rows, Scalar* in_tiles) const noexcept {
    for (std::int32_t r = 0; r < rows; ++r)
      for (std::int32_t first = 0; first < columns; first += line_tile) {
        Scalar* const there = in_rows + Index{r} * columns + first;
        Scalar* const here = in_tiles + (Index{first} * rows + Index{r} * line_tile);
        const std::int32_t n = (std::min)(line_tile, columns - first);
        if constexpr (back)
          std::copy_n(here, n, there);
        else
          std::copy_n(there, n, here);
      }
  }
};

}  // namespace pbd::detail
