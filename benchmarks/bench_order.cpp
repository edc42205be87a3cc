// SPDX-License-Identifier: MIT
//
// Which sweep order leaves how much stretch, and which one bursts?
//
// The sheet that tells: rigid, undamped, both diagonals, held by two corners and dropped in its own plane, with substeps
// of one sweep. Prints CSV: max_stretch is the largest |C|/d of any constraint in any frame of three seconds, rms_stretch
// the root mean square over all constraints in the second half of them. A stretch of thousands and more is a sheet that
// burst. "horizontal first" is the row order with a row's own edges before those to the next row: why it is not used.
#include "scenes.hpp"

#include <cmath>
#include <span>

namespace {

using Constraint = pbd::DistanceConstraint<float>;

struct Case {
  const char* name;
  std::vector<Constraint> constraints;
  pbd::Particles<float, 2> particles;
};

/// Row order with each row's horizontal edges before its vertical ones.
template <class Cloth>
std::vector<Constraint> horizontal_first(const Cloth& cloth) {
  std::vector<Constraint> edges = cloth.structural;
  std::stable_sort(edges.begin(), edges.end(), [&](const Constraint& a, const Constraint& b) {
    const auto row_and_kind = [&](const Constraint& edge) {
      return std::pair(edge.i / cloth.columns, edge.j - edge.i != 1);
    };
    return row_and_kind(a) < row_and_kind(b);
  });
  edges.insert(edges.end(), cloth.shear.begin(), cloth.shear.end());
  return edges;
}

std::vector<Case> cases(bench::Grid grid) {
  std::vector<Case> result;
  for (const bench::Order order : bench::orders) {
    auto cloth = bench::make_scene<float, 2, pbd::Layout::planar>(bench::Scene::corners, grid, bench::built_as(order));
    result.push_back({bench::name(order), bench::ordered_constraints(cloth, order), cloth.particles});
    if (order == bench::Order::rows) result.push_back({"horizontal first", horizontal_first(cloth), cloth.particles});
    if (order == bench::Order::shuffled) {
      auto reordered = pbd::reorder(result.back().constraints, static_cast<std::int32_t>(cloth.particles.count()));
      if (pbd::renumber(cloth.particles, std::span<const std::int32_t>(reordered.new_index))) std::exit(1);
      result.push_back({"reorder()", std::move(reordered.constraints), cloth.particles});
    }
  }
  return result;
}

}  // namespace

int main() {
  std::printf("order,columns,rows,substeps,max_stretch,rms_stretch\n");
  const auto grids = bench::smoke() ? std::vector<bench::Grid>{{12, 9}}
                                    : std::vector<bench::Grid>{{40, 30}, {100, 100}, {300, 300}};
  const int frames = bench::smoke() ? 4 : 180;
  for (const bench::Grid grid : grids)
    for (Case& start : cases(grid))
      for (const int substeps : {1, 10, 50}) {
        auto batches = pbd::make_batches(start.constraints);
        auto particles = start.particles;
        pbd::StepSettings<float, 2> settings;
        settings.substeps = substeps;
        double max = 0, squares = 0;
        for (int frame = 0; frame < frames; ++frame) {
          if (pbd::step(particles, settings, batches)) return 1;
          const auto left = pbd::stretch(particles, batches);
          max = std::max(max, static_cast<double>(left.max));
          if (!(max < 1e6)) break;  // it has burst
          if (frame >= frames / 2) squares += static_cast<double>(left.rms) * static_cast<double>(left.rms);
        }
        std::printf("%s,%d,%d,%d,%.3g,%.3g\n", start.name, grid.columns, grid.rows, substeps, max,
                    std::sqrt(squares / (frames - frames / 2)));
        std::fflush(stdout);
      }
}
