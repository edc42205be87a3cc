// SPDX-License-Identifier: MIT
//
// Several scalars that are computed with at once, by the compiler's own vector types: +, −, ·, /, √ and comparisons,
// each rounded exactly as the scalar operation, so that lanes and scalars give the same bits. Included by edge.hpp
// alone, whose formulas are written once for both.
//
// The width is part of the type, Lanes<float, 8>, and no public type holds one: a file built with -mavx2 and one built
// without it instantiate different functions, never one function under two meanings.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#if defined(__SSE2__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace pbd::detail {

#if defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)
#if defined(__AVX__)
inline constexpr std::size_t lane_bytes = 32;
#elif defined(__SSE2__) || defined(__aarch64__)
inline constexpr std::size_t lane_bytes = 16;
#else
inline constexpr std::size_t lane_bytes = 0;  // no vector square root known: one scalar at a time
#endif

/// How many scalars the target of this file computes with at once; 1 where there is nothing to gain.
template <class Scalar>
inline constexpr int native_width = lane_bytes == 0 ? 1 : static_cast<int>(lane_bytes / sizeof(Scalar));

// A struct of its own: inside Lanes, GCC would take the dependent vector type for the scalar it is made of.
template <class Scalar, int width>
struct VectorRegister {
  typedef Scalar type __attribute__((vector_size(sizeof(Scalar) * width)));
};

template <class Scalar, int width>
struct Lanes {
  using Register = typename VectorRegister<Scalar, width>::type;
  Register values;

  Lanes() = default;
  Lanes(const Lanes& other) noexcept : values(other.values) {}  // of a struct, GCC would copy halves through memory
  Lanes& operator=(const Lanes& other) noexcept {
    values = other.values;
    return *this;
  }
  Lanes(Register r) noexcept : values(r) {}
  Lanes(Scalar s) noexcept : values(s - Register{}) {}  // keeps −0, as 0 + s would not

  friend Lanes operator-(Lanes a) noexcept { return -a.values; }
  friend Lanes operator+(Lanes a, Lanes b) noexcept { return a.values + b.values; }
  friend Lanes operator-(Lanes a, Lanes b) noexcept { return a.values - b.values; }
  friend Lanes operator*(Lanes a, Lanes b) noexcept { return a.values * b.values; }
  friend Lanes operator/(Lanes a, Lanes b) noexcept { return a.values / b.values; }
  friend auto operator>(Lanes a, Lanes b) noexcept { return a.values > b.values; }
  friend auto operator<(Lanes a, Lanes b) noexcept { return a.values < b.values; }

  template <class Mask>
  friend Lanes select(Mask mask, Lanes yes, Lanes no) noexcept {
    return mask ? yes.values : no.values;
  }

  template <class Mask>
  friend Lanes blend(Mask mask, Lanes yes, Lanes no) noexcept {
    return select(mask, yes, no);
  }

  friend Lanes sqrt([[maybe_unused]] Lanes a) noexcept {
#if defined(__AVX__)
    if constexpr (std::is_same_v<Lanes, Lanes<float, 8>>) return Register(_mm256_sqrt_ps(a.values));
    if constexpr (std::is_same_v<Lanes, Lanes<double, 4>>) return Register(_mm256_sqrt_pd(a.values));
#endif
#if defined(__SSE2__)
    if constexpr (std::is_same_v<Lanes, Lanes<float, 4>>) return Register(_mm_sqrt_ps(a.values));
    if constexpr (std::is_same_v<Lanes, Lanes<double, 2>>) return Register(_mm_sqrt_pd(a.values));
#elif defined(__aarch64__)
    if constexpr (std::is_same_v<Lanes, Lanes<float, 4>>) return Register(vsqrtq_f32(a.values));
    if constexpr (std::is_same_v<Lanes, Lanes<double, 2>>) return Register(vsqrtq_f64(a.values));
#endif
  }

  [[nodiscard]] static Lanes load(const Scalar* from) noexcept {
    Register r;
    std::memcpy(&r, from, sizeof r);
    return r;
  }
  void store(Scalar* to) const noexcept { std::memcpy(to, &values, sizeof values); }

  /// from(l) for every lane l, put together in registers: through memory, the load would wait for all the stores.
  template <class From>
  [[nodiscard]] static Lanes collect(From from) noexcept {
    return [&]<int... lane>(std::integer_sequence<int, lane...>) {
      return Lanes(Register{from(lane)...});
    }(std::make_integer_sequence<int, width>{});
  }
  /// to(l, value) for every lane l.
  template <class To>
  void distribute(To to) const noexcept {
    [&]<int... lane>(std::integer_sequence<int, lane...>) {
      (to(lane, values[lane]), ...);
    }(std::make_integer_sequence<int, width>{});
  }
};

/// Of 2·width neighbours in two registers, the firsts and the seconds of the pairs that lie side by side. In which
/// order the pairs stand in the lanes is these functions' own affair (one that x86 shuffles fast); all of them agree.
template <class Scalar, int width>
[[nodiscard]] Lanes<Scalar, width> firsts(Lanes<Scalar, width> lower, Lanes<Scalar, width> upper) noexcept {
  const auto a = lower.values, b = upper.values;
  if constexpr (width == 8)
    return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14);
  else if constexpr (width == 4 && sizeof(Scalar) == 8)
    return __builtin_shufflevector(a, b, 0, 4, 2, 6);
  else if constexpr (width == 4)
    return __builtin_shufflevector(a, b, 0, 2, 4, 6);
  else
    return __builtin_shufflevector(a, b, 0, 2);
}

template <class Scalar, int width>
[[nodiscard]] Lanes<Scalar, width> seconds(Lanes<Scalar, width> lower, Lanes<Scalar, width> upper) noexcept {
  const auto a = lower.values, b = upper.values;
  if constexpr (width == 8)
    return __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
  else if constexpr (width == 4 && sizeof(Scalar) == 8)
    return __builtin_shufflevector(a, b, 1, 5, 3, 7);
  else if constexpr (width == 4)
    return __builtin_shufflevector(a, b, 1, 3, 5, 7);
  else
    return __builtin_shufflevector(a, b, 1, 3);
}

/// From firsts and seconds back to the lower half of the neighbours, and to the upper one.
template <class Scalar, int width>
[[nodiscard]] Lanes<Scalar, width> lower_pairs(Lanes<Scalar, width> first, Lanes<Scalar, width> second) noexcept {
  const auto f = first.values, s = second.values;
  if constexpr (width == 8)
    return __builtin_shufflevector(f, s, 0, 8, 1, 9, 4, 12, 5, 13);
  else if constexpr (width == 4 && sizeof(Scalar) == 8)
    return __builtin_shufflevector(f, s, 0, 4, 2, 6);
  else if constexpr (width == 4)
    return __builtin_shufflevector(f, s, 0, 4, 1, 5);
  else
    return __builtin_shufflevector(f, s, 0, 2);
}

template <class Scalar, int width>
[[nodiscard]] Lanes<Scalar, width> upper_pairs(Lanes<Scalar, width> first, Lanes<Scalar, width> second) noexcept {
  const auto f = first.values, s = second.values;
  if constexpr (width == 8)
    return __builtin_shufflevector(f, s, 2, 10, 3, 11, 6, 14, 7, 15);
  else if constexpr (width == 4 && sizeof(Scalar) == 8)
    return __builtin_shufflevector(f, s, 1, 5, 3, 7);
  else if constexpr (width == 4)
    return __builtin_shufflevector(f, s, 2, 6, 3, 7);
  else
    return __builtin_shufflevector(f, s, 1, 3);
}

/// The numbers of `width` lanes read as a square: lane c of lanes[r] changes places with lane r of lanes[c].
/// Squares of 1, then of 2, then of 4 … are exchanged across the diagonal.
template <int size = 1, class Scalar, int width>
[[gnu::always_inline]] inline void transpose(std::array<Lanes<Scalar, width>, static_cast<std::size_t>(width)>& lanes) noexcept {
  [&]<int... at>(std::integer_sequence<int, at...>) __attribute__((always_inline)) {
    for (std::size_t r = 0; r < static_cast<std::size_t>(width); ++r) {
      if (r & static_cast<std::size_t>(size)) continue;
      const auto a = lanes[r].values;
      const auto b = lanes[r + static_cast<std::size_t>(size)].values;
      lanes[r] = __builtin_shufflevector(a, b, ((at & size) != 0 ? width + at - size : at)...);
      lanes[r + static_cast<std::size_t>(size)] =
          __builtin_shufflevector(a, b, ((at & size) != 0 ? width + at : at + size)...);
    }
  }(std::make_integer_sequence<int, width>{});
  if constexpr (2 * size < width) transpose<2 * size>(lanes);
}

/// One value a pair, in the order of the pairs in memory, brought into the lanes' order of load_pairs; and back.
/// Each of the two orders is the other's inverse.
template <class Scalar, int width>
[[nodiscard]] Lanes<Scalar, width> order_by_pair(Lanes<Scalar, width> lanes) noexcept {
  const auto v = lanes.values;
  if constexpr (width == 8) return __builtin_shufflevector(v, v, 0, 1, 4, 5, 2, 3, 6, 7);
  if constexpr (width == 4 && sizeof(Scalar) == 8) return __builtin_shufflevector(v, v, 0, 2, 1, 3);
  return lanes;
}

#else

template <class Scalar>
inline constexpr int native_width = 1;

template <class Scalar, int width>
struct Lanes;

#endif

}  // namespace pbd::detail
