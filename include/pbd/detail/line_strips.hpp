// SPDX-License-Identifier: MIT
//
// How lines.hpp reaches its particles: as many lines at a time as there are lanes, in place where they lie side by side
// and near to each other, otherwise copied there and back. Included by lines.hpp alone.
#pragma once

#include <pbd/detail/ends.hpp>
#include <pbd/detail/find_lines.hpp>
#include <pbd/detail/solve_lines.hpp>

namespace pbd::detail {

/// Copies a number of every particle of `width` lines side by side, copy[k·width + l] for particle k of line l, or back.
/// particle(l, k) is its index; along a line whose particles are neighbours in memory, squares of it are turned.
template <int width, bool back, class Scalar, class Particle>
void copy_lines(std::int32_t particles, bool contiguous, Particle particle,
                std::conditional_t<back, Scalar, const Scalar>* there, Index stride,
                std::conditional_t<back, const Scalar, Scalar>* copy) noexcept {
  constexpr int side = (std::min)(width, native_width<Scalar>);
  std::int32_t k = 0;
  if constexpr (side > 1)
    if (contiguous && stride == 1)
      for (; k + side <= particles; k += side)
        for (std::int32_t l = 0; l < width; l += side) {
          std::array<Lanes<Scalar, side>, static_cast<std::size_t>(side)> square;
          const auto along = [&](std::int32_t n) { return there + particle(l + n, k); };
          const auto across = [&](std::int32_t n) { return copy + (k + n) * width + l; };
          for (std::int32_t n = 0; n < side; ++n) {
            const Scalar* const from = back ? across(n) : along(n);
            square[static_cast<std::size_t>(n)] = Lanes<Scalar, side>::load(from);
          }
          transpose(square);
          for (std::int32_t n = 0; n < side; ++n) {
            if constexpr (back)
              square[static_cast<std::size_t>(n)].store(along(n));
            else
              square[static_cast<std::size_t>(n)].store(across(n));
          }
        }
  for (; k < particles; ++k)
    for (std::int32_t l = 0; l < width; ++l) {
      if constexpr (back)
        there[particle(l, k) * stride] = copy[k * width + l];
      else
        copy[k * width + l] = there[particle(l, k) * stride];
    }
}


template <class Scalar, int width>
[[nodiscard]] constexpr auto lanes_of() noexcept {
  if constexpr (width == 1)
    return Scalar{};
  else
    return Lanes<Scalar, width>{};
}

/// Visits lines `line`, `line` + 1, … of a group while `width` of them are left; answers where it stopped.
template <int width, class Coordinate, class Lines, ParticleSet P, class Columns, class Visit>
std::int32_t visit_strips(const Lines& lines, const LineGroup& group, std::int32_t line, const P& set, Columns& columns,
                          Visit& visit) noexcept {
  using Scalar = typename P::Scalar;
  constexpr auto dim = static_cast<std::size_t>(P::dim);
  constexpr bool back = !std::is_const_v<Coordinate>;
  const auto rows = rows_of<P::layout, dim>(columns);
  const Scalar* const masses = set.inverse_mass.data();
  const Index mass_stride = set.inverse_mass.innerStride();
  const bool dense = rows.stride == 1 && mass_stride == 1 && group.line_stride == 1 && group.stride != 0;
  const bool apart = width > 1 && dense && group.copied_strips<Scalar>() > 1;
  const bool in_place = group.stride != 0 && (width == 1 || dense) && !apart;
  const Index length = group.links + 1;
  Scalar* const copies = lines.work.data() + static_cast<Index>(work_per_link) * group.links * width;
  const auto copy_of = [&](std::int32_t strip, std::size_t d) {
    return copies + (strip * static_cast<Index>(dim + 1) + static_cast<Index>(d)) * length * width;
  };

  while (line + width <= group.lines) {
    const std::int32_t strips = apart ? (std::min)(group.copied_strips<Scalar>(), (group.lines - line) / width) : 1;
    const auto index = [&](std::int32_t l, std::int32_t k) { return Index{lines.particle(group, line + l, k)}; };
    const auto copy = [&](auto there, Index stride, std::size_t d, auto direction) {
      if (apart) {
        for (std::int32_t k = 0; k <= group.links; ++k)
          for (std::int32_t strip = 0; strip < strips; ++strip) {
            const auto outside = there + index(strip * width, k);
            const auto inside = copy_of(strip, d) + Index{k} * width;
            if constexpr (direction.value)
              for (int l = 0; l < width; ++l) outside[l] = inside[l];
            else
              for (int l = 0; l < width; ++l) inside[l] = outside[l];
          }
      } else {
        copy_lines<width, direction.value, Scalar>(group.links + 1, group.stride == 1, index, there, stride, copy_of(0, d));
      }
    };
    if (!in_place) {
      for (std::size_t d = 0; d < dim; ++d) copy(rows.data[d], rows.stride, d, std::false_type{});
      copy(masses, mass_stride, dim, std::false_type{});
    }
    for (std::int32_t strip = 0; strip < strips; ++strip) {
      const std::int32_t first_line = line + strip * width;
      const auto link = static_cast<std::int64_t>(group.link(first_line, 0));
      LineInput<Scalar, dim, Coordinate> in;
      in.rest_length = lines.rest_length.data() + link;
      in.inverse_rest_length = lines.inverse_rest_length.data() + link;
      in.compliance = lines.compliance.empty() ? nullptr : lines.compliance.data() + link;
      in.first_link = link;
      in.link_pitch = group.width_of_block(first_line);
      in.links = group.links;
      in.work = lines.work.data();
      const Index first = lines.particle(group, first_line, 0);
      for (std::size_t d = 0; d < dim; ++d)
        in.predicted[d] = in_place ? rows.data[d] + first * rows.stride : copy_of(strip, d);
      in.inverse_mass = in_place ? masses + first * mass_stride : copy_of(strip, dim);
      in.pitch = in_place ? group.stride * rows.stride : width;
      in.mass_pitch = in_place ? group.stride * mass_stride : width;
      visit(in, lanes_of<Scalar, width>());
    }
    if constexpr (back)
      if (!in_place)
        for (std::size_t d = 0; d < dim; ++d) copy(rows.data[d], rows.stride, d, std::true_type{});
    line += strips * width;
  }
  return line;
}

/// Calls visit(lines as a LineInput, a Number of the kind to compute with) for every line of a group, in order.
/// Coordinate is const if the visit only looks.
template <class Coordinate, class Lines, ParticleSet P, class Columns, class Visit>
void for_each_strip(const Lines& lines, const LineGroup& group, const P& set, Columns& columns, Visit& visit) noexcept {
  using Scalar = typename P::Scalar;
  constexpr int width = native_width<Scalar>;
  std::int32_t line = 0;
  if constexpr (width > 1) line = visit_strips<width, Coordinate>(lines, group, line, set, columns, visit);
  if constexpr (width * sizeof(Scalar) > 16)
    line = visit_strips<width / 2, Coordinate>(lines, group, line, set, columns, visit);
  visit_strips<1, Coordinate>(lines, group, line, set, columns, visit);
}

}  // namespace pbd::detail
