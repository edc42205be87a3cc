// SPDX-License-Identifier: MIT
//
// What the cases share: particles in every kind of memory, scenes put into them, and comparisons to the bit.
#pragma once

#include <pbd/pbd.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

namespace support {

using pbd::Index;
using pbd::Layout;

template <class Scalar>
inline constexpr Scalar not_a_number = std::numeric_limits<Scalar>::quiet_NaN();
template <class Scalar>
inline constexpr Scalar infinity = std::numeric_limits<Scalar>::infinity();
template <class Scalar>
inline constexpr Scalar epsilon = std::numeric_limits<Scalar>::epsilon();

// ---- memory

template <class Scalar_, int Dim, Layout layout>
struct Owned {
  using Scalar = Scalar_;
  static constexpr int dim = Dim;
  pbd::Particles<Scalar, Dim, layout> particles;

  explicit Owned(Index count) : particles(count) {}
};

/// An engine's memory: five arrays in one block, `gap` foreign scalars after each column (interleaved) or row (planar).
template <class Scalar_, int Dim, Layout layout, Index gap>
struct Mapped {
  using Scalar = Scalar_;
  static constexpr int dim = Dim;
  std::vector<Scalar> block;
  pbd::ParticlesView<Scalar, Dim, layout> particles;

  explicit Mapped(Index count)
      : block(static_cast<std::size_t>(3 * coordinates(count) + 2 * masses(count)), Scalar{0}),
        particles(count, at(0, count), at(1, count), at(2, count), masses_at(0, count), masses_at(1, count)) {
    particles.inverse_mass.setOnes();
    particles.unpinned_inverse_mass.setOnes();
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

 private:
  static Index stride(Index count) { return (layout == Layout::planar ? count : Index{Dim}) + gap; }
  static Index coordinates(Index count) { return stride(count) * (layout == Layout::planar ? Index{Dim} : count); }
  static Index masses(Index count) { return count * (1 + gap); }
  pbd::Strided<Scalar> at(Index array, Index count) {
    return {block.data() + array * coordinates(count), stride(count)};
  }
  pbd::Strided<Scalar> masses_at(Index array, Index count) {
    return {block.data() + 3 * coordinates(count) + array * masses(count), 1 + gap};
  }
};

template <class Scalar, int Dim>
using Layouts = std::tuple<Owned<Scalar, Dim, Layout::interleaved>, Owned<Scalar, Dim, Layout::planar>>;
template <class Scalar, int Dim>
using Views = std::tuple<Mapped<Scalar, Dim, Layout::interleaved, 0>, Mapped<Scalar, Dim, Layout::planar, 0>,
                         Mapped<Scalar, Dim, Layout::interleaved, 3>, Mapped<Scalar, Dim, Layout::planar, 3>>;

template <template <class, int> class... Lists>
using InEveryPrecisionAndDimension =
    decltype(std::tuple_cat(std::declval<Lists<float, 2>>()..., std::declval<Lists<float, 3>>()...,
                            std::declval<Lists<double, 2>>()..., std::declval<Lists<double, 3>>()...));

// A few of them, in which each precision, dimension and layout occurs, for what takes long to compile.
using SomeLayouts = std::tuple<Owned<float, 3, Layout::planar>, Owned<float, 2, Layout::interleaved>,
                               Owned<double, 3, Layout::interleaved>, Owned<double, 2, Layout::planar>>;
using SomeMemory = std::tuple<Owned<float, 3, Layout::planar>, Mapped<float, 2, Layout::interleaved, 3>,
                              Mapped<double, 3, Layout::planar, 3>, Owned<double, 2, Layout::interleaved>>;

#ifdef PBD_TEST_FEW_KINDS  // under sanitizers, which make everything slow to compile
using EveryLayout = SomeLayouts;
using EveryMemory = decltype(std::tuple_cat(std::declval<SomeMemory>(), std::declval<Views<float, 3>>()));
#else
using EveryLayout = InEveryPrecisionAndDimension<Layouts>;
using EveryMemory = InEveryPrecisionAndDimension<Layouts, Views>;
#endif

// ---- scenes

class Random {
 public:
  explicit Random(std::uint64_t seed = 1) : bits_(seed) {}
  double operator()(double low, double high) {
    return low + (high - low) * (static_cast<double>(bits_() >> 11) * 0x1p-53);
  }

 private:
  std::mt19937_64 bits_;
};

/// Any positions, predictions and velocities of the order of 1; masses from 1/spread to spread.
template <pbd::ParticleSet P>
void scatter(P& particles, double spread = 10, std::uint64_t seed = 1) {
  using Scalar = typename P::Scalar;
  Random random(seed);
  for (Index i = 0; i < particles.count(); ++i) {
    for (int d = 0; d < P::dim; ++d) {
      const double x = random(-1, 1);
      particles.position(d, i) = static_cast<Scalar>(x);
      particles.predicted(d, i) = static_cast<Scalar>(x + random(-0.1, 0.1));
      particles.velocity(d, i) = static_cast<Scalar>(random(-1, 1));
    }
    particles.inverse_mass(i) = static_cast<Scalar>(std::pow(spread, random(-1, 1)));
  }
}

template <class Scalar>
using EveryConstraint = std::tuple<pbd::DistanceConstraint<Scalar>, pbd::SoftDistanceConstraint<Scalar>,
                                   pbd::CompliantDistanceConstraint<Scalar>, pbd::DistanceLimit<Scalar>>;

/// A constraint of any of the four types that wants `length`, with every setting that its type has away from its
/// default: k = 0.7; α = 0.01 m/N and β = 2 N·s/m; within 5 % of the length.
template <class Constraint, class Scalar = typename Constraint::Scalar>
[[nodiscard]] Constraint between(Index i, Index j, Scalar length) {
  Constraint constraint{static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), length};
  if constexpr (requires { constraint.stiffness; }) constraint.stiffness = Scalar(0.7);
  if constexpr (requires { constraint.compliance; }) {
    constraint.compliance = Scalar(0.01);
    constraint.damping = 2;
  }
  if constexpr (requires { constraint.longest; }) {
    constraint.shortest = Scalar(0.95) * length;
    constraint.longest = Scalar(1.05) * length;
  }
  return constraint;
}

/// Ties every particle to the next one and to the one after the next, at four fifths of their present distance.
template <class Constraint, pbd::ParticleSet P>
[[nodiscard]] std::vector<Constraint> net(const P& particles) {
  std::vector<Constraint> edges;
  for (Index reach = 1; reach <= 2; ++reach)
    for (Index i = 0; i + reach < particles.count(); ++i) {
      double squared = 0;
      for (int d = 0; d < P::dim; ++d)
        squared += std::pow(static_cast<double>(particles.position(d, i) - particles.position(d, i + reach)), 2);
      edges.push_back(between<Constraint>(i, i + reach, static_cast<typename P::Scalar>(0.8 * std::sqrt(squared))));
    }
  return edges;
}

// ---- comparisons

/// All that a step may change or must not, particle by particle: the same order for every kind of memory.
template <pbd::ParticleSet P>
[[nodiscard]] std::vector<double> state(const P& particles) {
  std::vector<double> values;
  for (Index i = 0; i < particles.count(); ++i) {
    for (const auto* array : {&particles.position, &particles.predicted, &particles.velocity})
      for (int d = 0; d < P::dim; ++d) values.push_back(static_cast<double>((*array)(d, i)));
    values.push_back(static_cast<double>(particles.inverse_mass(i)));
  }
  return values;
}

/// To the bit: NaN equals itself, +0 differs from −0.
template <class T>
[[nodiscard]] bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// The largest difference, relative to the largest value.
[[nodiscard]] inline double difference(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() != b.size()) return infinity<double>;
  double largest = 0, apart = 0;
  for (std::size_t k = 0; k < a.size(); ++k) {
    if (!std::isfinite(a[k] - b[k])) return infinity<double>;
    largest = std::max({largest, std::abs(a[k]), std::abs(b[k])});
    apart = std::max(apart, std::abs(a[k] - b[k]));
  }
  return largest > 0 ? apart / largest : 0;
}

}  // namespace support
