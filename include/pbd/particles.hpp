// SPDX-License-Identifier: MIT
//
// 1. The data. Comes in: a count, or an engine's own arrays. Leaves: one open struct of arrays of N columns,
// owned (Particles) or mapped (ParticlesView), in one of two layouts; every algorithm is written once against the
// concept ParticleSet. Next: mass.hpp fills inverse_mass, predict.hpp moves what is here.
#pragma once

#include <pbd/config.hpp>

#include <Eigen/Core>

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace pbd {

using Index = Eigen::Index;

/// A point or direction in the library's public structs. Never over-aligned, so that no struct's layout depends on
/// the instruction set a file is compiled for.
template <class Scalar, int Dim>
using Vector = Eigen::Matrix<Scalar, Dim, 1, Eigen::DontAlign>;

/// How the coordinates of N particles lie in memory.
enum class Layout {
  interleaved,  ///< x y z x y z …: a particle's coordinates are neighbours
  planar,       ///< x x … y y … z z …: one coordinate of all particles is contiguous; the batched sweep's choice
};

namespace detail {

/// False for NaN and ±inf. Reads the bits, because under -ffast-math a compiler may assume that `x != x` is false.
/// By reference, because Clang 19 then assumes even that no argument passed by value is NaN.
template <std::floating_point Scalar>
[[nodiscard]] constexpr bool is_finite(const Scalar& value) noexcept {
  if constexpr (sizeof(Scalar) == 4)
    return (std::bit_cast<std::uint32_t>(value) & 0x7f800000u) != 0x7f800000u;
  else
    return (std::bit_cast<std::uint64_t>(value) & 0x7ff0000000000000u) != 0x7ff0000000000000u;
}

// DontAlign: memory that a file built with -mavx2 allocates over-aligned and a file built without frees as plain
// malloc memory corrupts the heap.
template <class Scalar, int Dim, Layout layout>
using Columns = Eigen::Matrix<Scalar, Dim, Eigen::Dynamic,
                              Eigen::DontAlign | (layout == Layout::planar ? Eigen::RowMajor : Eigen::ColMajor)>;
/// condition ? yes : no, both computed: beside a `?:`, GCC divides for one side only and does not vectorise the loop.
template <std::floating_point Scalar>
[[nodiscard]] constexpr Scalar blend(bool condition, Scalar yes, Scalar no) noexcept {
  using Bits = std::conditional_t<sizeof(Scalar) == 4, std::uint32_t, std::uint64_t>;
  const Bits mask = Bits{0} - Bits{condition};
  return std::bit_cast<Scalar>((std::bit_cast<Bits>(yes) & mask) | (std::bit_cast<Bits>(no) & ~mask));
}

template <class Scalar>
using Column = Eigen::Matrix<Scalar, Eigen::Dynamic, 1, Eigen::DontAlign>;

template <class Scalar, int Dim>
inline constexpr bool supported =
    (std::same_as<Scalar, float> || std::same_as<Scalar, double>) && (Dim == 2 || Dim == 3);

}  // namespace detail

/// N particles in memory of their own. A new one is at the origin, at rest, with a mass of 1 kg.
template <class Scalar_ = float, int Dim_ = 3, Layout layout_ = Layout::planar>
struct Particles {
  static_assert(detail::supported<Scalar_, Dim_>, "pbd: Scalar is float or double, Dim is 2 or 3");
  using Scalar = Scalar_;
  static constexpr int dim = Dim_;
  static constexpr Layout layout = layout_;

  detail::Columns<Scalar, dim, layout> position;       ///< x,  Dim×N, m
  detail::Columns<Scalar, dim, layout> predicted;      ///< x*, Dim×N, m
  detail::Columns<Scalar, dim, layout> velocity;       ///< v,  Dim×N, m/s
  detail::Column<Scalar> inverse_mass;                 ///< w,  N, 1/kg; 0 pins the particle
  detail::Column<Scalar> unpinned_inverse_mass;        ///< N, 1/kg: what unpin() gives back; no solver reads it

  Particles() : Particles(0) {}
  explicit Particles(Index count)
      : position(detail::Columns<Scalar, dim, layout>::Zero(dim, count)),
        predicted(position), velocity(position),
        inverse_mass(detail::Column<Scalar>::Ones(count)),
        unpinned_inverse_mass(inverse_mass) {}

  [[nodiscard]] Index count() const noexcept { return inverse_mass.size(); }
};

/// An engine's array: where its first element lies, and how many scalars on the next one begins.
/// In a planar array of coordinates `stride` leads from x x … to y y …: N if nothing lies between.
template <class Scalar>
struct Strided {
  Scalar* data;
  Index stride;
};

/// An array of structs: `strided<Vertex>(&vertices[0].position[0])` is one coordinate triple a Vertex.
template <class Vertex, class Scalar>
[[nodiscard]] constexpr Strided<Scalar> strided(Scalar* first) noexcept {
  static_assert(sizeof(Vertex) % sizeof(Scalar) == 0,
                "pbd: sizeof(Vertex) must be a multiple of sizeof(Scalar); pad the struct, or map another array");
  return {first, static_cast<Index>(sizeof(Vertex) / sizeof(Scalar))};
}

/// N particles in memory that an engine owns: nothing is copied, and the arrays outlive the view.
/// `unpinned_inverse_mass` may be left out; then unpin() needs to be told the mass.
template <class Scalar_ = float, int Dim_ = 3, Layout layout_ = Layout::interleaved>
struct ParticlesView {
  static_assert(detail::supported<Scalar_, Dim_>, "pbd: Scalar is float or double, Dim is 2 or 3");
  using Scalar = Scalar_;
  static constexpr int dim = Dim_;
  static constexpr Layout layout = layout_;
  using ColumnsMap = Eigen::Map<detail::Columns<Scalar, dim, layout>, Eigen::Unaligned, Eigen::OuterStride<>>;
  using ColumnMap = Eigen::Map<detail::Column<Scalar>, Eigen::Unaligned, Eigen::InnerStride<>>;

  ColumnsMap position;
  ColumnsMap predicted;
  ColumnsMap velocity;
  ColumnMap inverse_mass;
  ColumnMap unpinned_inverse_mass;

  ParticlesView(Index count, Strided<Scalar> position_, Strided<Scalar> predicted_, Strided<Scalar> velocity_,
                Strided<Scalar> inverse_mass_, Strided<Scalar> unpinned_inverse_mass_ = {nullptr, 1})
      : position(position_.data, dim, count, Eigen::OuterStride<>(position_.stride)),
        predicted(predicted_.data, dim, count, Eigen::OuterStride<>(predicted_.stride)),
        velocity(velocity_.data, dim, count, Eigen::OuterStride<>(velocity_.stride)),
        inverse_mass(inverse_mass_.data, count, Eigen::InnerStride<>(inverse_mass_.stride)),
        unpinned_inverse_mass(unpinned_inverse_mass_.data, unpinned_inverse_mass_.data ? count : 0,
                              Eigen::InnerStride<>(unpinned_inverse_mass_.stride)) {}

  ParticlesView(const ParticlesView&) = default;
  ParticlesView& operator=(const ParticlesView&) = delete;  // Eigen would copy the particles, not the view

  [[nodiscard]] Index count() const noexcept { return inverse_mass.size(); }
};

namespace detail {

/// Dim×N numbers of Eigen's: the arrays of a ParticleSet.
template <class Columns, class Scalar>
concept ColumnsOf = requires(Columns& columns, Index i) {
  { columns(i, i) } -> std::convertible_to<Scalar>;
  columns.col(i);
  { columns.cols() } -> std::convertible_to<Index>;
  { columns.outerStride() } -> std::convertible_to<Index>;
  { columns.data() } -> std::convertible_to<const Scalar*>;
};

}  // namespace detail

/// Whatever holds particles: Particles, ParticlesView, or a struct of one's own with the same members.
template <class P>
concept ParticleSet = requires(P& particles, Index i) {
  typename P::Scalar;
  requires std::floating_point<typename P::Scalar>;
  requires P::dim == 2 || P::dim == 3;
  { P::layout } -> std::convertible_to<Layout>;
  requires detail::ColumnsOf<decltype(particles.position), typename P::Scalar>;
  requires detail::ColumnsOf<decltype(particles.predicted), typename P::Scalar>;
  requires detail::ColumnsOf<decltype(particles.velocity), typename P::Scalar>;
  { particles.inverse_mass(i) } -> std::convertible_to<typename P::Scalar>;
  { particles.count() } -> std::convertible_to<Index>;
};

template <ParticleSet P>
using VectorOf = Vector<typename P::Scalar, P::dim>;

namespace detail {

/// One coordinate of all particles, through a bare pointer, without which GCC does not vectorise the loops over it.
template <class Scalar, Index fixed_step>
struct Coordinate {
  Scalar* data;
  Index step;

  [[nodiscard]] Scalar& operator[](Index i) const noexcept { return data[i * (fixed_step > 0 ? fixed_step : step)]; }
};

template <ParticleSet P, class Columns>
[[nodiscard]] auto coordinate(Columns& columns, int d) noexcept {
  using Scalar = std::remove_pointer_t<decltype(columns.data())>;
  constexpr bool planar = P::layout == Layout::planar;
  return Coordinate<Scalar, planar ? 1 : 0>{columns.data() + d * (planar ? columns.outerStride() : 1),
                                            columns.outerStride()};
}

template <ParticleSet P, class Column>
[[nodiscard]] auto coordinate(Column& column) noexcept {
  using Scalar = std::remove_pointer_t<decltype(column.data())>;
  constexpr int fixed = std::remove_cvref_t<Column>::InnerStrideAtCompileTime;
  return Coordinate<Scalar, fixed == 1 ? 1 : 0>{column.data(), column.innerStride()};
}

}  // namespace detail

/// Are the arrays of one length, so that no algorithm can leave them? O(1); `step` asks this itself.
template <ParticleSet P>
Error validate_sizes(const P& particles) noexcept {
  const Index n = particles.count();
  if (n < 0) return {.reason = "their count is negative", .subject = "particles"};
  if (particles.position.cols() != n || particles.predicted.cols() != n || particles.velocity.cols() != n)
    return {.reason = "position, predicted, velocity and inverse_mass differ in length", .subject = "particles"};
  if constexpr (requires { particles.unpinned_inverse_mass.size(); })
    if (particles.unpinned_inverse_mass.size() != 0 && particles.unpinned_inverse_mass.size() != n)
      return {.reason = "unpinned_inverse_mass has neither their length nor none", .subject = "particles"};
  if (n == 0) return {};
  if (particles.position.data() == nullptr || particles.predicted.data() == nullptr ||
      particles.velocity.data() == nullptr || particles.inverse_mass.data() == nullptr)
    return {.reason = "an array is a null pointer", .subject = "particles"};
  if (particles.position.data() == particles.predicted.data())
    return {.reason = "position and predicted are the same array", .subject = "particles"};
  if (n > 1 && particles.inverse_mass.innerStride() < 1)
    return {.reason = "stride of the inverse masses is less than 1", .subject = "particles"};
  const Index shortest = P::layout == Layout::planar ? n : (n < 2 ? 0 : Index{P::dim});
  if (particles.position.outerStride() < shortest || particles.predicted.outerStride() < shortest ||
      particles.velocity.outerStride() < shortest)
    return {.reason = "stride is shorter than what it steps over", .subject = "particles"};
  if (n > Index{INT32_MAX})
    return {.reason = "more particles than a constraint's 32-bit index can name", .subject = "particles"};
  return {};
}

/// Names the first particle that no step could move sensibly: a position or velocity that is not finite, an inverse
/// mass that is negative, NaN or infinite. O(N); for everything that came from outside.
template <ParticleSet P>
Error validate(const P& particles) noexcept {
  if (const Error error = validate_sizes(particles)) return error;
  for (Index i = 0; i < particles.count(); ++i) {
    const auto refuse = [i](const char* reason) { return Error{.reason = reason, .subject = "particle", .item = i}; };
    for (int d = 0; d < P::dim; ++d) {
      if (!detail::is_finite(particles.position(d, i))) return refuse("position is NaN or infinite");
      if (!detail::is_finite(particles.velocity(d, i))) return refuse("velocity is NaN or infinite");
    }
    if (!detail::is_finite(particles.inverse_mass(i))) return refuse("inverse mass is NaN or infinite");
    if (particles.inverse_mass(i) < 0) return refuse("inverse mass is negative");
  }
  return {};
}

}  // namespace pbd
