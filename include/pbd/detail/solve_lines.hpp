// SPDX-License-Identifier: MIT
//
// The tridiagonal solve of lines.hpp, a line a lane: Number is a Scalar for one line and Lanes for several. Included by
// lines.hpp alone. Forward: the equations, built and eliminated link by link. Backward: Δλ. Then the particles move.
#pragma once

#include <pbd/detail/project_run.hpp>
#include <pbd/edge.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace pbd::detail {

/// Lines of equal length, side by side: what belongs to the first line is at the pointers, to the second one further on.
template <class Scalar, std::size_t dim, class Coordinate = Scalar>
struct LineInput {
  std::array<Coordinate*, dim> predicted;
  const Scalar* inverse_mass;
  Index pitch;       ///< from a particle of a line to the next one, in `predicted`
  Index mass_pitch;  ///< the same in `inverse_mass`
  const Scalar* rest_length;
  const Scalar* inverse_rest_length;
  const Scalar* compliance;  ///< null: all are 0
  std::int64_t first_link;   ///< where the first link stands in the fields of all lines
  Index link_pitch;          ///< from a link to the next one, in the fields
  Index links;
  Scalar* work;  ///< work_per_link<dim> scalars a link and lane
};

template <std::size_t dim>
inline constexpr std::size_t work_per_link = dim + 3;  // n, c, y, the smaller of 1/d and 1/length

template <class Number, class Scalar>
[[nodiscard]] Number read_lanes(const Scalar* from) noexcept {
  if constexpr (std::is_same_v<Number, Scalar>)
    return *from;
  else
    return Number::load(from);
}

template <class Scalar, class Number>
void write_lanes(Scalar* to, Number value) noexcept {
  if constexpr (std::is_same_v<Number, Scalar>)
    *to = value;
  else
    value.store(to);
}

template <class Number>
[[nodiscard]] Number magnitude(Number a) noexcept {
  return select(a < Number(0), -a, a);
}

template <class Number>
[[nodiscard]] Number larger(Number a, Number b) noexcept {
  return select(a > b, a, b);
}

/// One Newton step of every link of a line at once: (J M⁻¹ Jᵀ + α̃) Δλ = −C − α̃λ, tridiagonal because a link shares
/// particles with its two neighbours only, solved by elimination without pivoting (the matrix is positive definite).
/// Links k − 1 and k meet in particle k with w_k ∇C_{k−1}·∇C_k = −w_k n_{k−1}·n_k. The diagonal is 1 + μ times itself.
///
/// Answers h²T/(m·length) of the tightest link of each line, and leaves Δλ in `work`.
template <class Number, class Scalar, std::size_t dim>
Number eliminate(const LineInput<Scalar, dim>& input, const Scalar* lambda, const Substep<Scalar>& substep,
                 Number mu) noexcept {
  constexpr Index width = static_cast<Index>(sizeof(Number) / sizeof(Scalar));
  constexpr Index step = static_cast<Index>(work_per_link<dim>) * width;
  constexpr Scalar smallest_pivot = 4 * std::numeric_limits<Scalar>::epsilon();  // of the diagonal; below, it is rounding
  const Number zero(0), one(1), stiffened = one + mu;
  // By value: a store might change anything that is reached through a reference, as far as a compiler can know.
  auto [predicted, mass, pitch, mass_pitch, rest_length, inverse_rest_length, compliance, first_link, link_pitch, links,
        work] = input;
  const Number inverse_dt_squared(substep.inverse_dt_squared);

  std::array<Number, dim> here, before;
  for (std::size_t d = 0; d < dim; ++d) {
    here[d] = read_lanes<Number>(predicted[d]);
    before[d] = zero;
  }
  Number w_here = read_lanes<Number>(mass);
  Number inverse_pivot = zero, y = zero;
  for (Index k = 0; k < links; ++k) {
    std::array<Number, dim> normal;
    for (std::size_t d = 0; d < dim; ++d) {
      predicted[d] += pitch;
      const Number next = read_lanes<Number>(predicted[d]);
      normal[d] = here[d] - next;
      here[d] = next;
    }
    mass += mass_pitch;
    const Number w_next = read_lanes<Number>(mass);
    const Number length = norm(normal), weight = w_here + w_next;
    const auto movable = weight * length > zero;
    const Number inverse_length = select(movable, one / length, zero);
    for (std::size_t d = 0; d < dim; ++d) {
      normal[d] = normal[d] * inverse_length;
      write_lanes(work + static_cast<Index>(d) * width, normal[d]);
    }

    const Number d = read_lanes<Number>(rest_length);
    rest_length += link_pitch;
    const Number inverse_d = read_lanes<Number>(inverse_rest_length);
    inverse_rest_length += link_pitch;
    write_lanes(work + static_cast<Index>(dim + 2) * width, select(inverse_d < inverse_length, inverse_d, inverse_length));
    Number rhs = d - length, diagonal = stiffened * weight;
    if (compliance != nullptr) {
      const Number scaled = read_lanes<Number>(compliance) * inverse_dt_squared;
      rhs = rhs - scaled * read_lanes<Number>(lambda + k * link_pitch);
      diagonal = diagonal + scaled;
      compliance += link_pitch;
    }
    const Number coupling = -(w_here * dot(before, normal));
    const Number pivot = larger(diagonal - (coupling * coupling) * inverse_pivot, Number(smallest_pivot) * diagonal);
    if (k > 0) write_lanes(work - step + static_cast<Index>(dim) * width, coupling * inverse_pivot);  // c
    inverse_pivot = select(movable, one / pivot, zero);
    y = select(movable, (rhs - coupling * y) * inverse_pivot, zero);
    write_lanes(work + static_cast<Index>(dim + 1) * width, y);
    work += step;
    before = normal;
    w_here = w_next;
  }

  Number change = zero, tightest = zero;
  lambda += links * link_pitch;
  for (Index k = links; k-- > 0;) {
    work -= step;
    mass -= mass_pitch;
    lambda -= link_pitch;
    Scalar* const at = work + static_cast<Index>(dim + 1) * width;
    change = k + 1 < links ? read_lanes<Number>(at) - read_lanes<Number>(at - width) * change : read_lanes<Number>(at);
    write_lanes(at, change);
    const Number weight = read_lanes<Number>(mass) + read_lanes<Number>(mass + mass_pitch);
    const Number total = read_lanes<Number>(lambda) + change;
    tightest = larger(tightest, magnitude(Number(Scalar(0.5)) * weight * total) * read_lanes<Number>(at + width));
  }
  return tightest;
}

/// x_k ← x_k + w_k (n_k Δλ_k − n_{k−1} Δλ_{k−1}), λ ← λ + Δλ.
template <class Number, class Scalar, std::size_t dim>
void move_line(const LineInput<Scalar, dim>& input, Scalar* lambda, Number relaxation) noexcept {
  constexpr Index width = static_cast<Index>(sizeof(Number) / sizeof(Scalar));
  auto [predicted, mass, pitch, mass_pitch, rest_length, inverse_rest_length, compliance, first_link, link_pitch, links,
        work] = input;
  std::array<Number, dim> before, pull;
  for (std::size_t d = 0; d < dim; ++d) before[d] = Number(0);
  for (Index k = 0; k <= links; ++k) {
    for (std::size_t d = 0; d < dim; ++d) pull[d] = Number(0);
    if (k < links) {
      const Number spent = relaxation * read_lanes<Number>(work + static_cast<Index>(dim + 1) * width);
      write_lanes(lambda, read_lanes<Number>(lambda) + spent);
      lambda += link_pitch;
      for (std::size_t d = 0; d < dim; ++d) pull[d] = spent * read_lanes<Number>(work + static_cast<Index>(d) * width);
      work += static_cast<Index>(work_per_link<dim>) * width;
    }
    const Number w = read_lanes<Number>(mass);
    mass += mass_pitch;
    for (std::size_t d = 0; d < dim; ++d) {
      write_lanes(predicted[d], read_lanes<Number>(predicted[d]) + w * (pull[d] - before[d]));
      predicted[d] += pitch;
      before[d] = pull[d];
    }
  }
}

template <class Scalar, class Number, class Function>
void for_each_lane(Number numbers, Function function) noexcept {
  if constexpr (std::is_same_v<Number, Scalar>)
    function(numbers);
  else
    numbers.distribute([&function](int, Scalar number) { function(number); });
}

template <class Scalar, class Number>
[[nodiscard]] bool any_above(Number numbers, Scalar bound) noexcept {
  bool any = false;
  for_each_lane<Scalar>(numbers, [&](Scalar number) { any = any || number > bound; });
  return any;
}

/// The solve of lines as far as it may be trusted. It takes the directions n as fixed, which a tension beyond
/// h²T/(m·length) = 1 belies: the line would shake sideways, more with every substep; and a line that is taut between two
/// pins has no solution at all. A line that asks for more than twice that is solved again with a greater μ (Levenberg and
/// Marquardt's damping) until it does not: it gives way, and comes right in further sweeps.
template <class Number, class Scalar, std::size_t dim>
Number solve_lines(const LineInput<Scalar, dim>& input, Scalar* lambda, const Substep<Scalar>& substep) noexcept {
  constexpr Scalar most = 2;
  Number mu(0);
  const Number wanted = eliminate(input, lambda, substep, mu);
  Number asked = wanted;
  for (int attempt = 0; attempt < 8 && any_above<Scalar>(asked, most); ++attempt) {
    mu = select(asked > Number(most), Number(4) * mu + Number(Scalar(0.001)), mu);
    asked = eliminate(input, lambda, substep, mu);
  }
  move_line(input, lambda, Number(substep.relaxation));
  return wanted;
}

/// The largest |C|/d of each line, and in `flags` 0 if everything was finite, NaN otherwise.
template <class Number, class Scalar, std::size_t dim>
Number measure_lines(const LineInput<Scalar, dim, const Scalar>& in, Number& flags) noexcept {
  Number largest(0);
  std::array<Number, dim> here;
  for (std::size_t d = 0; d < dim; ++d) here[d] = read_lanes<Number>(in.predicted[d]);
  for (Index k = 0; k < in.links; ++k) {
    std::array<Number, dim> apart;
    for (std::size_t d = 0; d < dim; ++d) {
      const Number next = read_lanes<Number>(in.predicted[d] + (k + 1) * in.pitch);
      apart[d] = here[d] - next;
      here[d] = next;
    }
    const Number rest_length = read_lanes<Number>(in.rest_length + k * in.link_pitch);
    const Number stretch = select(rest_length > Number(0), (norm(apart) - rest_length) / rest_length, Number(0));
    flags = flags + (stretch - stretch);
    largest = larger(largest, magnitude(stretch));
  }
  return largest;
}

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

}  // namespace pbd::detail
