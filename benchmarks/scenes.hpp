// SPDX-License-Identifier: MIT
//
// What the benchmarks share: the three scenes, the orders of a sheet's constraints, the hash of a state, smoke mode.
#pragma once

#include <pbd/pbd.hpp>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace bench {

/// With PBD_BENCH_SMOKE set, a benchmark only shows that it still runs: small sizes, seconds in all.
inline bool smoke() {
  return std::getenv("PBD_BENCH_SMOKE") != nullptr;
}

struct Grid {
  int columns;
  int rows;

  [[nodiscard]] std::string name() const { return std::to_string(columns) + "x" + std::to_string(rows); }
};

inline std::vector<Grid> grids() {
  if (smoke()) return {{40, 30}};
  return {{40, 30}, {100, 100}, {300, 300}, {1000, 1000}};
}

/// Every scene is a rigid sheet, 8 m wide, with both diagonals in each cell.
enum class Scene {
  hanging,   ///< a curtain held by its top row, at rest
  swinging,  ///< the same, released from the horizontal
  corners,   ///< held by its two upper corners only, dropped in its own plane
};

inline constexpr std::array scenes{Scene::hanging, Scene::swinging, Scene::corners};

inline const char* name(Scene scene) {
  return std::array{"hanging", "swinging", "corners"}[static_cast<std::size_t>(scene)];
}

template <class Scalar, int Dim, pbd::Layout layout, class Constraint = pbd::DistanceConstraint<Scalar>>
auto make_scene(Scene scene, Grid grid, pbd::SweepOrder order = pbd::SweepOrder::rows) {
  pbd::ClothSettings<Scalar, Dim> settings;
  settings.order = order;
  settings.columns = grid.columns;
  settings.rows = grid.rows;
  settings.spacing = Scalar(8) / static_cast<Scalar>(grid.columns - 1);
  settings.pin_top_row = scene != Scene::corners;
  if (scene == Scene::swinging && Dim == 3) settings.plane = pbd::Plane::horizontal;
  auto cloth = pbd::make_cloth<Scalar, Dim, layout, Constraint>(settings);
  if (cloth.error) {
    std::fprintf(stderr, "make_cloth: %s\n", cloth.error.message().c_str());
    std::exit(1);
  }
  return cloth;
}

/// FNV-1a over the bits of the positions, particle by particle: the same in both layouts if the motion is the same.
template <class Columns>
std::uint64_t hash(const Columns& columns) {
  using Scalar = typename Columns::Scalar;
  std::uint64_t value = 14695981039346656037u;
  for (Eigen::Index i = 0; i < columns.cols(); ++i)
    for (Eigen::Index d = 0; d < columns.rows(); ++d)
      for (const auto byte : std::bit_cast<std::array<unsigned char, sizeof(Scalar)>>(columns(d, i)))
        value = (value ^ byte) * 1099511628211u;
  return value;
}

inline std::string hex(std::uint64_t value) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(value));
  return text.data();
}

/// In which order the constraints of a sheet are swept.
enum class Order {
  natural,   ///< as make_cloth makes them by SweepOrder::natural: the order of the reference trajectories
  rows,      ///< as make_cloth makes them by SweepOrder::rows
  colour,    ///< eight groups in which no two constraints share a particle
  shuffled,  ///< at random, always the same way
};

inline constexpr std::array orders{Order::natural, Order::rows, Order::colour, Order::shuffled};

inline const char* name(Order order) {
  return std::array{"natural", "rows", "colour", "shuffled"}[static_cast<std::size_t>(order)];
}

/// What make_scene() is to be told for an order.
constexpr pbd::SweepOrder built_as(Order order) {
  return order == Order::rows ? pbd::SweepOrder::rows : pbd::SweepOrder::natural;
}

/// The structural and shear constraints of a sheet, which was built_as(order), as one array. Grids of three columns or
/// more.
template <class Cloth>
auto ordered_constraints(const Cloth& cloth, Order order) {
  auto edges = cloth.structural;
  edges.insert(edges.end(), cloth.shear.begin(), cloth.shear.end());
  if (order == Order::shuffled) {
    std::mt19937 random(1);  // std::shuffle would differ between standard libraries
    for (std::size_t n = edges.size(); n > 1; --n) std::swap(edges[n - 1], edges[random() % n]);
  }
  if (order == Order::colour) {
    const auto color = [&](const auto& edge) {
      const int row = std::min(edge.i, edge.j) / cloth.columns;
      const int column = std::min(edge.i, edge.j) % cloth.columns;
      const int step = edge.j - edge.i;
      const int kind = step == 1 ? 0 : step == cloth.columns ? 1 : step == cloth.columns + 1 ? 2 : 3;
      return 2 * kind + (kind == 0 ? column : row) % 2;
    };
    std::stable_sort(edges.begin(), edges.end(), [&](const auto& a, const auto& b) { return color(a) < color(b); });
  }
  return edges;
}

template <class Scalar>
constexpr const char* scalar_name() {
  return sizeof(Scalar) == 4 ? "float" : "double";
}

constexpr const char* name(pbd::Layout layout) {
  return layout == pbd::Layout::interleaved ? "interleaved" : "planar";
}

}  // namespace bench
