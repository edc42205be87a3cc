// SPDX-License-Identifier: MIT
//
// A sheet of cloth from a few numbers. Comes in: ClothSettings. Leaves: particles on a grid, their constraints by kind,
// triangles and texture coordinates for a renderer. Next: step.hpp takes the particles and the constraint arrays.
#pragma once

#include <pbd/distance.hpp>
#include <pbd/mass.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

namespace pbd {

/// Which way a new sheet lies. Columns run along +x; rows run downward, or away in the horizontal plane.
enum class Plane {
  vertical,    ///< rows along −y: a curtain, and the only one in 2-D
  horizontal,  ///< rows along +z: a sheet on the table, its triangles facing up (+y)
};

/// In which order a sweep meets the constraints of one kind. Both leave about the same stretch after as many sweeps
/// and survive the same scenes; docs/benchmarks.md has the table.
enum class SweepOrder {
  rows,     ///< row by row, in runs that share no particle: what make_batches() packs best. The vertical edges to the
            ///< next row, the row's even horizontal ones, its odd ones; shear: one direction, then the other
  natural,  ///< all horizontal edges row by row, then all vertical ones; shear: both diagonals cell by cell
};

/// One kind of constraint in the sheet. What the constraint type does not have must stay as it is here.
template <class Scalar = float>
struct ClothKind {
  bool present = true;
  Scalar stiffness = 1;   ///< k of SoftDistanceConstraint, in [0, 1]
  Scalar compliance = 0;  ///< α of CompliantDistanceConstraint, m/N
  Scalar damping = 0;     ///< β of CompliantDistanceConstraint, N·s/m
};

/// A sheet of columns × rows particles. Particle (column, row) has index row · columns + column.
template <class Scalar = float, int Dim = 3>
struct ClothSettings {
  int columns = 40;
  int rows = 30;
  Scalar spacing = Scalar(0.2);  ///< m between neighbours
  std::array<Scalar, 2> size{};  ///< m, width and height; if given, it replaces spacing (0 where there is one particle)
  Scalar particle_mass = 0;      ///< kg each      ⎫ at most one of the three is given;
  Scalar total_mass = 0;         ///< kg together  ⎬ none: 1 kg each
  Scalar density = 0;            ///< kg/m²        ⎭
  Plane plane = Plane::vertical;
  SweepOrder order = SweepOrder::rows;
  Vector<Scalar, Dim> origin = Vector<Scalar, Dim>::Zero();  ///< m, where particle 0 lies
  bool pin_top_left = true;
  bool pin_top_right = true;
  bool pin_bottom_left = false;
  bool pin_bottom_right = false;
  bool pin_top_row = false;
  std::vector<int> pinned{};                   ///< further particles, by index
  ClothKind<Scalar> structural{};               ///< horizontal and vertical edges
  ClothKind<Scalar> shear{};                    ///< both diagonals of every cell
  ClothKind<Scalar> bending{.present = false};  ///< skip-one distances, horizontal and vertical
};

/// What make_cloth makes. If `error` says so, the rest is empty.
template <class Scalar = float, int Dim = 3, Layout layout = Layout::planar,
          class Constraint = DistanceConstraint<Scalar>, class Shear = Constraint>
struct Cloth {
  Particles<Scalar, Dim, layout> particles;
  std::vector<Constraint> structural;
  std::vector<Shear> shear;
  std::vector<Constraint> bending;
  std::vector<std::array<std::int32_t, 3>> triangles;  ///< counter-clockwise seen from +z (vertical) or +y (horizontal)
  std::vector<std::array<Scalar, 2>> texture;          ///< u, v in [0, 1], a particle each; (0, 0) at the bottom left
  int columns = 0;
  int rows = 0;
  Error error;

  [[nodiscard]] int index(int column, int row) const noexcept { return row * columns + column; }
};

namespace detail {

template <class Scalar, int Dim>
Error validate_cloth(const ClothSettings<Scalar, Dim>& s) noexcept {
  const auto refuse = [](const char* reason) { return Error{.reason = reason, .subject = "cloth settings"}; };
  if (s.columns < 1 || s.rows < 1) return refuse("columns or rows is less than 1");
  if (std::int64_t{s.columns} * s.rows > INT32_MAX) return refuse("more particles than a 32-bit index can name");
  if (!is_finite(s.spacing) || s.spacing <= 0) return refuse("spacing is not a positive, finite number");
  for (const Scalar side : s.size)
    if (!is_finite(side) || side < 0) return refuse("size is negative, NaN or infinite");
  if (s.size[0] > 0 || s.size[1] > 0)
    if ((s.size[0] > 0) != (s.columns > 1) || (s.size[1] > 0) != (s.rows > 1))
      return refuse("size needs a width if there are several columns and a height if there are several rows");
  int masses = 0;
  for (const Scalar mass : {s.particle_mass, s.total_mass, s.density}) {
    if (!is_finite(mass) || mass < 0) return refuse("a mass or density is negative, NaN or infinite");
    if (mass > 0 && !is_mass(mass)) return refuse("a mass or density is too small to have a finite inverse");
    masses += mass > 0;
  }
  if (masses > 1) return refuse("particle_mass, total_mass and density exclude each other");
  if (s.density > 0 && (s.columns == 1 || s.rows == 1))
    return refuse("a line of particles has no area: give its mass, not a density");
  if (Dim == 2 && s.plane == Plane::horizontal) return refuse("in 2-D there is only the vertical plane");
  for (int d = 0; d < Dim; ++d)
    if (!is_finite(s.origin(d))) return refuse("origin is NaN or infinite");
  for (std::size_t p = 0; p < s.pinned.size(); ++p)
    if (s.pinned[p] < 0 || s.pinned[p] >= s.columns * s.rows)
      return {.reason = "index out of range", .subject = "pinned particle", .item = static_cast<std::int64_t>(p)};
  return {};
}

template <class Constraint, class Scalar>
Error validate_kind(const ClothKind<Scalar>& kind) noexcept {
  const auto refuse = [](const char* reason) { return Error{.reason = reason, .subject = "cloth settings"}; };
  Constraint sample{};
  if constexpr (requires { sample.stiffness; })
    sample.stiffness = kind.stiffness;
  else if (kind.stiffness != 1)
    return refuse("stiffness needs SoftDistanceConstraint");
  if constexpr (requires { sample.compliance; }) {
    sample.compliance = kind.compliance;
    sample.damping = kind.damping;
  } else if (kind.compliance != 0 || kind.damping != 0) {
    return refuse("compliance and damping need CompliantDistanceConstraint");
  }
  if (const char* reason = sample.flaw()) return refuse(reason);
  return {};
}

template <class Constraint, class Scalar>
[[nodiscard]] Constraint make_edge(int i, int j, Scalar length, const ClothKind<Scalar>& kind) noexcept {
  Constraint edge{i, j, length};
  if constexpr (requires { edge.stiffness; }) edge.stiffness = kind.stiffness;
  if constexpr (requires { edge.longest; }) {  // cloth folds, and is never pressed apart
    edge.shortest = 0;
    edge.longest = length;
  }
  if constexpr (requires { edge.compliance; }) {
    edge.compliance = kind.compliance;
    edge.damping = kind.damping;
  }
  return edge;
}

/// Horizontal and vertical edges to the neighbour `reach` particles on.
template <class Constraint, class Scalar>
void append_edges(std::vector<Constraint>& edges, int columns, int rows, int reach, const std::array<Scalar, 2>& pitch,
                  const ClothKind<Scalar>& kind, SweepOrder order) {
  const auto across = static_cast<std::size_t>(columns > reach ? columns - reach : 0);
  const auto down = static_cast<std::size_t>(rows > reach ? rows - reach : 0);
  edges.reserve(across * static_cast<std::size_t>(rows) + down * static_cast<std::size_t>(columns));
  const Scalar width = static_cast<Scalar>(reach) * pitch[0], height = static_cast<Scalar>(reach) * pitch[1];
  const auto horizontal = [&](int c, int r) {
    if (c + reach < columns) edges.push_back(make_edge<Constraint>(r * columns + c, r * columns + c + reach, width, kind));
  };
  const auto vertical_row = [&](int r) {
    for (int c = 0; c < columns && r + reach < rows; ++c)
      edges.push_back(make_edge<Constraint>(r * columns + c, (r + reach) * columns + c, height, kind));
  };
  if (order == SweepOrder::natural) {
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; ++c) horizontal(c, r);
    for (int r = 0; r < rows; ++r) vertical_row(r);
    return;
  }
  // Vertical edges first: a row's horizontal edges before the ones to the next row, and a stiff sheet held by two corners
  // gains energy until it bursts.
  for (int r = 0; r < rows; ++r) {
    vertical_row(r);
    for (const int start : {0, reach})  // every other `reach` edges share no particle
      for (int c = start; c < columns; c += 2 * reach)
        for (int k = 0; k < reach; ++k) horizontal(c + k, r);
  }
}

template <class Constraint, class Scalar>
void append_diagonals(std::vector<Constraint>& edges, int columns, int rows, const std::array<Scalar, 2>& pitch,
                      const ClothKind<Scalar>& kind, SweepOrder order) {
  edges.reserve(2 * static_cast<std::size_t>(columns - 1) * static_cast<std::size_t>(rows - 1));
  const Scalar length = std::sqrt(pitch[0] * pitch[0] + pitch[1] * pitch[1]);
  const auto falling = [&](int corner) {
    edges.push_back(make_edge<Constraint>(corner, corner + columns + 1, length, kind));
  };
  const auto rising = [&](int corner) {
    edges.push_back(make_edge<Constraint>(corner + 1, corner + columns, length, kind));
  };
  for (int r = 0; r + 1 < rows; ++r) {
    for (int c = 0; c + 1 < columns; ++c) {
      falling(r * columns + c);
      if (order == SweepOrder::natural) rising(r * columns + c);
    }
    for (int c = 0; c + 1 < columns && order == SweepOrder::rows; ++c) rising(r * columns + c);
  }
}

template <class Scalar, int Dim, class Cloth>
void assign_masses(const ClothSettings<Scalar, Dim>& s, const std::array<Scalar, 2>& pitch, Cloth& cloth) noexcept {
  const Index n = cloth.particles.count();
  Scalar mass = s.particle_mass > 0 ? s.particle_mass : Scalar{1};
  if (s.total_mass > 0) mass = s.total_mass / static_cast<Scalar>(n);
  if (s.density > 0) mass = s.density * pitch[0] * pitch[1];
  for (int r = 0; r < s.rows; ++r)
    for (int c = 0; c < s.columns; ++c) {
      Scalar share{1};  // by density a particle weighs a quarter of each cell it belongs to
      if (s.density > 0) {
        if (c == 0 || c == s.columns - 1) share /= 2;
        if (r == 0 || r == s.rows - 1) share /= 2;
      }
      const Scalar inverse = Scalar{1} / (share * mass);
      const int i = cloth.index(c, r);
      cloth.particles.inverse_mass(i) = cloth.particles.unpinned_inverse_mass(i) = inverse;
    }
}

}  // namespace detail

/// Builds a sheet. 1×N, N×1 and 1×1 are legal. The constraint type decides what the sheet is made of:
///
///     auto rigid = pbd::make_cloth<float, 3>(settings);
///     auto springy = pbd::make_cloth<double, 2, pbd::Layout::planar, pbd::CompliantDistanceConstraint<double>>(settings);
///
/// The diagonals may be of another type. Hard ones beside hard edges are redundant, four constraints on the three
/// coordinates of a particle; compliant ones, or DistanceLimit, which lets them be shorter, leave the edges their way.
///
///   errors   sizes, masses, compliances, pins that make no sense: named in `error`, and nothing else is in the result
///   cost     O(columns · rows), allocates
template <class Scalar = float, int Dim = 3, Layout layout = Layout::planar,
          class Constraint = DistanceConstraint<Scalar>, class Shear = Constraint>
[[nodiscard]] Cloth<Scalar, Dim, layout, Constraint, Shear> make_cloth(const ClothSettings<Scalar, Dim>& settings) {
  const auto& s = settings;
  Cloth<Scalar, Dim, layout, Constraint, Shear> cloth;
  cloth.error = detail::validate_cloth(s);
  for (const auto* kind : {&s.structural, &s.bending})
    if (!cloth.error) cloth.error = detail::validate_kind<Constraint>(*kind);
  if (!cloth.error) cloth.error = detail::validate_kind<Shear>(s.shear);
  if (cloth.error) return cloth;

  std::array<Scalar, 2> pitch{s.spacing, s.spacing};
  if (s.size[0] > 0) pitch[0] = s.size[0] / static_cast<Scalar>(s.columns - 1);
  if (s.size[1] > 0) pitch[1] = s.size[1] / static_cast<Scalar>(s.rows - 1);

  for (const Scalar length : pitch)
    if (length * length < (std::numeric_limits<Scalar>::min)() || !detail::is_finite(4 * length * length)) {
      cloth.error = {.reason = "spacing or size is so small or so large that its square is not a number",
                     .subject = "cloth settings"};
      return cloth;
    }

  cloth.columns = s.columns;
  cloth.rows = s.rows;
  cloth.particles = Particles<Scalar, Dim, layout>(Index{s.columns} * s.rows);
  cloth.texture.reserve(static_cast<std::size_t>(cloth.particles.count()));
  for (int r = 0; r < s.rows; ++r)
    for (int c = 0; c < s.columns; ++c) {
      Vector<Scalar, Dim> x = s.origin;
      x(0) += static_cast<Scalar>(c) * pitch[0];
      if (s.plane == Plane::vertical)
        x(1) -= static_cast<Scalar>(r) * pitch[1];
      else
        x(Dim - 1) += static_cast<Scalar>(r) * pitch[1];
      cloth.particles.position.col(cloth.index(c, r)) = x;
      cloth.texture.push_back({s.columns > 1 ? static_cast<Scalar>(c) / static_cast<Scalar>(s.columns - 1) : 0,
                               s.rows > 1 ? 1 - static_cast<Scalar>(r) / static_cast<Scalar>(s.rows - 1) : 1});
    }
  cloth.particles.predicted = cloth.particles.position;

  detail::assign_masses(s, pitch, cloth);
  // Masses that overflow when shared out, positions that overflow.
  if (const Error error = validate(cloth.particles)) {
    cloth = {};
    cloth.error = error;
    return cloth;
  }
  const auto pin_if = [&](bool wanted, int c, int r) {
    if (wanted) static_cast<void>(pin(cloth.particles, cloth.index(c, r)));
  };
  pin_if(s.pin_top_left, 0, 0);
  pin_if(s.pin_top_right, s.columns - 1, 0);
  pin_if(s.pin_bottom_left, 0, s.rows - 1);
  pin_if(s.pin_bottom_right, s.columns - 1, s.rows - 1);
  for (int c = 0; c < s.columns; ++c) pin_if(s.pin_top_row, c, 0);
  for (const int i : s.pinned) static_cast<void>(pin(cloth.particles, i));

  if (s.structural.present) detail::append_edges(cloth.structural, s.columns, s.rows, 1, pitch, s.structural, s.order);
  if (s.shear.present) detail::append_diagonals(cloth.shear, s.columns, s.rows, pitch, s.shear, s.order);
  if (s.bending.present) detail::append_edges(cloth.bending, s.columns, s.rows, 2, pitch, s.bending, s.order);

  cloth.triangles.reserve(2 * static_cast<std::size_t>(s.columns - 1) * static_cast<std::size_t>(s.rows - 1));
  for (int r = 0; r + 1 < s.rows; ++r)
    for (int c = 0; c + 1 < s.columns; ++c) {
      const int a = cloth.index(c, r), b = a + 1, d = a + s.columns, e = d + 1;
      cloth.triangles.push_back({a, d, e});
      cloth.triangles.push_back({a, e, b});
    }
  return cloth;
}

}  // namespace pbd
