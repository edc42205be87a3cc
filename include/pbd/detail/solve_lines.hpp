// SPDX-License-Identifier: MIT
//
// The tridiagonal solve of lines.hpp, a line a lane: Number is a Scalar for one line and Lanes for several. Included by
// lines.hpp alone. Forward: the equations, built and eliminated link by link. Backward: Δλ. Then the particles move.
#pragma once

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
  Scalar* work;  ///< work_per_link scalars a link and lane
  Index first_particle;  ///< of the first line
  bool fresh;            ///< λ is 0, whatever stands there: the first solve in a substep
};

inline constexpr std::size_t work_per_link = 3;  // 1/length, c, y

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
  constexpr Index step = static_cast<Index>(work_per_link) * width;
  constexpr Scalar smallest_pivot = 4 * std::numeric_limits<Scalar>::epsilon();  // of the diagonal; below, it is rounding
  const Number zero(0), one(1), stiffened = one + mu;
  // By value: a store might change anything that is reached through a reference, as far as a compiler can know.
  auto [predicted, mass, pitch, mass_pitch, rest_length, inverse_rest_length, compliance, first_link, link_pitch, links,
        work, first_particle, fresh] = input;
  const auto read_lambda = [none = input.fresh](const Scalar* from) { return none ? Number(0) : read_lanes<Number>(from); };
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
    for (std::size_t d = 0; d < dim; ++d) normal[d] = normal[d] * inverse_length;
    write_lanes(work, inverse_length);

    const Number d = read_lanes<Number>(rest_length);
    rest_length += link_pitch;
    Number rhs = d - length, diagonal = stiffened * weight;
    if (compliance != nullptr) {
      const Number scaled = read_lanes<Number>(compliance) * inverse_dt_squared;
      rhs = rhs - scaled * read_lambda(lambda + k * link_pitch);
      diagonal = diagonal + scaled;
      compliance += link_pitch;
    }
    const Number coupling = -(w_here * dot(before, normal));
    const Number pivot = larger(diagonal - (coupling * coupling) * inverse_pivot, Number(smallest_pivot) * diagonal);
    if (k > 0) write_lanes(work - step + width, coupling * inverse_pivot);  // c
    inverse_pivot = select(movable, one / pivot, zero);
    y = select(movable, (rhs - coupling * y) * inverse_pivot, zero);
    write_lanes(work + 2 * width, y);
    work += step;
    before = normal;
    w_here = w_next;
  }

  Number change = zero, tightest = zero;
  lambda += links * link_pitch;
  inverse_rest_length += links * link_pitch;
  for (Index k = links; k-- > 0;) {
    work -= step;
    mass -= mass_pitch;
    lambda -= link_pitch;
    inverse_rest_length -= link_pitch;
    Scalar* const at = work + 2 * width;
    change = k + 1 < links ? read_lanes<Number>(at) - read_lanes<Number>(at - width) * change : read_lanes<Number>(at);
    write_lanes(at, change);
    const Number weight = read_lanes<Number>(mass) + read_lanes<Number>(mass + mass_pitch);
    const Number total = read_lambda(lambda) + change;
    const Number inverse_length = read_lanes<Number>(work), inverse_d = read_lanes<Number>(inverse_rest_length);
    const Number inverse_reach = select(inverse_d < inverse_length, inverse_d, inverse_length);
    tightest = larger(tightest, magnitude(Number(Scalar(0.5)) * weight * total) * inverse_reach);
  }
  return tightest;
}

/// x_k ← x_k + w_k (n_k Δλ_k − n_{k−1} Δλ_{k−1}), λ ← λ + Δλ.
template <class Number, class Scalar, std::size_t dim>
void move_line(const LineInput<Scalar, dim>& input, Scalar* lambda, Number relaxation) noexcept {
  constexpr Index width = static_cast<Index>(sizeof(Number) / sizeof(Scalar));
  auto [predicted, mass, pitch, mass_pitch, rest_length, inverse_rest_length, compliance, first_link, link_pitch, links,
        work, first_particle, fresh] = input;
  std::array<Number, dim> here, before;
  for (std::size_t d = 0; d < dim; ++d) {
    here[d] = read_lanes<Number>(predicted[d]);
    before[d] = Number(0);
  }
  for (Index k = 0; k < links; ++k) {
    const Number spent = relaxation * read_lanes<Number>(work + 2 * width), inverse_length = read_lanes<Number>(work);
    work += static_cast<Index>(work_per_link) * width;
    write_lanes(lambda, (fresh ? Number(0) : read_lanes<Number>(lambda)) + spent);
    lambda += link_pitch;
    const Number w = read_lanes<Number>(mass);
    mass += mass_pitch;
    for (std::size_t d = 0; d < dim; ++d) {
      const Number next = read_lanes<Number>(predicted[d] + pitch);  // not moved yet
      const Number pull = spent * ((here[d] - next) * inverse_length);
      write_lanes(predicted[d], here[d] + w * (pull - before[d]));
      predicted[d] += pitch;
      before[d] = pull;
      here[d] = next;
    }
  }
  const Number w = read_lanes<Number>(mass);
  for (std::size_t d = 0; d < dim; ++d) write_lanes(predicted[d], here[d] - w * before[d]);
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

}  // namespace pbd::detail
