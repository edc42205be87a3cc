// SPDX-License-Identifier: MIT
//
// How lines.hpp reaches its particles: as many lines at a time as there are lanes, in place where they lie side by side
// and near to each other, otherwise copied there and back. Included by lines.hpp alone.
#pragma once

#include <pbd/detail/ends.hpp>
#include <pbd/detail/find_lines.hpp>
#include <pbd/detail/solve_lines.hpp>

#include <span>

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

/// Where the lines of a group lie. place.index(l, k) tells of particle k of line l.
template <class Coordinate, std::size_t dim, class IndexOf>
struct LinePlace {
  using Scalar = std::remove_const_t<Coordinate>;

  Rows<Coordinate*, dim> rows;  ///< coordinate d of particle i is at rows.data[d] + i·rows.stride
  const Scalar* masses;
  Index mass_stride;
  IndexOf index;
  Index stride;                ///< index(l, k + 1) − index(l, k), if that is always the same; otherwise 0
  bool side_by_side;           ///< are neighbouring lines neighbours in memory
  bool turned;                 ///< are the particles of a line neighbours, whose squares can be turned
  std::int32_t together = 1;   ///< how many strips are copied at a time; if only 1, none is that need not be
};

template <class Coordinate, class Lines, ParticleSet P, class Columns>
[[nodiscard]] auto as_they_lie(const Lines& lines, const LineGroup& group, const P& set, Columns& columns) noexcept {
  using Scalar = typename P::Scalar;
  constexpr auto dim = static_cast<std::size_t>(P::dim);
  const auto rows = rows_of<P::layout, dim>(columns);
  const Index mass_stride = set.inverse_mass.innerStride();
  const auto index = [&lines, &group](std::int32_t l, std::int32_t k) { return Index{lines.particle(group, l, k)}; };
  const bool dense = rows.stride == 1 && mass_stride == 1 && group.line_stride == 1 && group.stride != 0;
  return LinePlace<Coordinate, dim, decltype(index)>{
      {rows.data, rows.stride}, set.inverse_mass.data(), mass_stride, index, group.stride, dense,
      group.stride == 1, dense ? group.template copied_strips<Scalar>() : 1};
}

/// Visits lines `line`, `line` + 1, … of a group while `width` of them are left, some strips of `width` at a time; answers
/// where it stopped.
template <int width, class Lines, class Coordinate, std::size_t dim, class IndexOf, class Visit>
std::int32_t visit_strips(const Lines& lines, const LineGroup& group, std::int32_t line,
                          const LinePlace<Coordinate, dim, IndexOf>& place, Visit& visit) noexcept {
  using Scalar = std::remove_const_t<Coordinate>;
  constexpr bool back = !std::is_const_v<Coordinate>;
  const auto& rows = place.rows;
  const bool apart = width > 1 && place.together > 1;
  const bool in_place = place.stride != 0 && (width == 1 || place.side_by_side) && !apart;
  const Index length = group.links + 1;
  Scalar* const copies = lines.work.data() + static_cast<Index>(work_per_link) * group.links * width;
  const auto copy_of = [&](std::int32_t strip, std::size_t d) {
    return copies + (strip * static_cast<Index>(dim + 1) + static_cast<Index>(d)) * length * width;
  };

  while (line + width <= group.lines) {
    const std::int32_t strips = apart ? (std::min)(place.together, (group.lines - line) / width) : 1;
    const auto index = [&](std::int32_t l, std::int32_t k) { return place.index(line + l, k); };
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
        copy_lines<width, direction.value, Scalar>(group.links + 1, place.turned, index, there, stride, copy_of(0, d));
      }
    };
    if (!in_place) {
      for (std::size_t d = 0; d < dim; ++d) copy(rows.data[d], rows.stride, d, std::false_type{});
      copy(place.masses, place.mass_stride, dim, std::false_type{});
    }
    std::array<LineInput<Scalar, dim, Coordinate>, most_copied_strips> inputs;
    for (std::int32_t strip = 0; strip < strips; ++strip) {
      const std::int32_t first_line = line + strip * width;
      const auto link = static_cast<std::int64_t>(group.link(first_line, 0));
      auto& in = inputs[static_cast<std::size_t>(strip)];
      in.rest_length = lines.rest_length.data() + link;
      in.inverse_rest_length = lines.inverse_rest_length.data() + link;
      in.compliance = lines.compliance.empty() ? nullptr : lines.compliance.data() + link;
      in.first_link = link;
      in.link_pitch = group.width_of_block(first_line);
      in.links = group.links;
      in.work = lines.work.data();
      in.first_particle = index(strip * width, 0);
      in.fresh = false;
      for (std::size_t d = 0; d < dim; ++d)
        in.predicted[d] = in_place ? rows.data[d] + in.first_particle * rows.stride : copy_of(strip, d);
      in.inverse_mass = in_place ? place.masses + in.first_particle * place.mass_stride : copy_of(strip, dim);
      in.pitch = in_place ? place.stride * rows.stride : width;
      in.mass_pitch = in_place ? place.stride * place.mass_stride : width;
    }
    visit(std::span(inputs.data(), static_cast<std::size_t>(strips)), lanes_of<Scalar, width>());
    if constexpr (back)
      if (!in_place)
        for (std::size_t d = 0; d < dim; ++d) copy(rows.data[d], rows.stride, d, std::true_type{});
    line += strips * width;
  }
  return line;
}

/// Calls visit(lines as a span of LineInput, a Number of the kind to compute with) until every line of a group was in one.
/// A place of const coordinates is only looked at.
template <class Lines, class Coordinate, std::size_t dim, class IndexOf, class Visit>
void for_each_strip(const Lines& lines, const LineGroup& group, const LinePlace<Coordinate, dim, IndexOf>& place,
                    Visit& visit) noexcept {
  using Scalar = std::remove_const_t<Coordinate>;
  constexpr int width = native_width<Scalar>;
  std::int32_t line = 0;
  if constexpr (width > 1) line = visit_strips<width>(lines, group, line, place, visit);
  if constexpr (width * sizeof(Scalar) > 16) line = visit_strips<width / 2>(lines, group, line, place, visit);
  visit_strips<1>(lines, group, line, place, visit);
}

}  // namespace pbd::detail
