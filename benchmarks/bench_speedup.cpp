// SPDX-License-Identifier: MIT
//
// How many times faster than the plain sweep is the batched one, on one thread and on two, and than Bullet's? And what
// does XPBD's λ cost?
//
// Ratios within one run: the two sides of a row are timed in turn, round after round, and the median of the rounds'
// ratios is printed beside the median times. Times are ns per constraint and sweep.
#include "scenes.hpp"
#include "workers.hpp"

#include <chrono>
#include <span>

#ifdef PBD_BENCH_BULLET
#include <BulletSoftBody/btSoftBody.h>
#endif
#ifdef PBD_BENCH_TBB
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#endif

namespace {

using Clock = std::chrono::steady_clock;
using bench::Grid;

const int rounds = bench::smoke() ? 1 : 11;
const double shortest_round = bench::smoke() ? 0 : 0.02;  // s

/// Seconds a call, over as many calls as fill a round.
template <class Call>
double seconds(Call& call) {
  const auto begin = Clock::now();
  double passed = 0;
  int calls = 0;
  do {
    call();
    ++calls;
    passed = std::chrono::duration<double>(Clock::now() - begin).count();
  } while (passed < shortest_round);
  return passed / calls;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// Times both in turn and prints a row. `work` is how many constraints a call sweeps.
template <class Slow, class Fast>
void compare(const char* what, const std::string& size, double work, Slow slow, Fast fast) {
  std::vector<double> slow_times, fast_times, ratios;
  slow();
  fast();
  for (int round = 0; round < rounds; ++round) {
    slow_times.push_back(seconds(slow));
    fast_times.push_back(seconds(fast));
    ratios.push_back(slow_times.back() / fast_times.back());
  }
  std::printf("%s,%s,%.3f,%.3f,%.2f\n", what, size.c_str(), 1e9 * median(slow_times) / work,
              1e9 * median(fast_times) / work, median(ratios));
  std::fflush(stdout);
}

template <class Scalar>
const pbd::Substep<Scalar> substep(Scalar(1) / 600, 1);

std::vector<Grid> squares() {
  if (bench::smoke()) return {{24, 24}};
  return {{100, 100}, {300, 300}, {1000, 1000}};
}

template <class Constraint>
auto make_sheet(Grid grid, pbd::SweepOrder order) {
  auto cloth = bench::make_scene<typename Constraint::Scalar, 3, pbd::Layout::planar, Constraint>(
      bench::Scene::corners, grid, order);
  for (auto* kind : {&cloth.structural, &cloth.shear})
    for (Constraint& edge : *kind) {
      if constexpr (requires { edge.compliance; }) edge.compliance = typename Constraint::Scalar(1e-5);
      if constexpr (requires { edge.longest; }) edge.shortest = edge.longest;
    }
  // Out of its plane, row by row, so that every constraint has something to do.
  for (pbd::Index i = 0; i < cloth.particles.count(); ++i)
    cloth.particles.predicted(2, i) = cloth.structural[0].*Constraint::fields[0] *
                                      typename Constraint::Scalar(0.05 * std::sin(0.37 * static_cast<double>(i)));
  return cloth;
}

/// The plain sweep in natural order against the batched one in row order.
template <class Constraint>
void against_plain(const char* what, Grid grid) {
  using Scalar = typename Constraint::Scalar;
  auto plain = make_sheet<Constraint>(grid, pbd::SweepOrder::natural);
  auto fast = make_sheet<Constraint>(grid, pbd::SweepOrder::rows);
  auto structural = pbd::make_batches(fast.structural), shear = pbd::make_batches(fast.shear);
  compare(
      what, grid.name(), static_cast<double>(plain.structural.size() + plain.shear.size()),
      [&] {
        pbd::sweep(plain.structural, plain.particles, substep<Scalar>);
        pbd::sweep(plain.shear, plain.particles, substep<Scalar>);
      },
      [&] {
        pbd::sweep(structural, fast.particles, substep<Scalar>);
        pbd::sweep(shear, fast.particles, substep<Scalar>);
      });
}

/// A mesh as a modelling program might leave it, plain and as it comes, against the same mesh reordered and batched.
void against_shuffled(Grid grid, bool both_diagonals) {
  using Constraint = pbd::DistanceConstraint<float>;
  auto cloth = make_sheet<Constraint>(grid, pbd::SweepOrder::natural);
  auto edges = cloth.structural;
  for (const Constraint& edge : cloth.shear)
    if (both_diagonals || edge.j - edge.i == grid.columns + 1) edges.push_back(edge);
  std::mt19937 random(1);
  const auto shuffle = [&random](auto& items) {
    for (std::size_t n = items.size(); n > 1; --n) std::swap(items[n - 1], items[random() % n]);
  };
  std::vector<std::int32_t> names(static_cast<std::size_t>(cloth.particles.count()));
  for (std::size_t n = 0; n < names.size(); ++n) names[n] = static_cast<std::int32_t>(n);
  shuffle(names);
  for (Constraint& edge : edges) {
    edge.i = names[static_cast<std::size_t>(edge.i)];
    edge.j = names[static_cast<std::size_t>(edge.j)];
  }
  shuffle(edges);
  auto plain = cloth.particles;
  if (pbd::renumber(plain, std::span<const std::int32_t>(names))) std::exit(1);

  const auto order = pbd::reorder(edges, static_cast<std::int32_t>(names.size()));
  auto fast = plain;
  if (pbd::renumber(fast, std::span<const std::int32_t>(order.new_index))) std::exit(1);
  auto batches = pbd::make_batches(order.constraints);
  compare(
      both_diagonals ? "shuffled mesh with both diagonals" : "shuffled triangle mesh", grid.name(),
      static_cast<double>(edges.size()), [&] { pbd::sweep(edges, plain, substep<float>); },
      [&] { pbd::sweep(batches, fast, substep<float>); });
}

/// A step of XPBD against one of PBD, both with a stiffness, on a sheet as large as that of [Macklin16] section 6, who
/// report 5.65 and 5.61 ms a frame on a GPU: the ratio − 1 is what λ costs. A row here and not a test, for a few
/// percent drown in what else a machine does.
template <class MakeSet>
void against_pbd(const char* what, Grid grid, MakeSet make_set) {
  auto xpbd = make_sheet<pbd::CompliantDistanceConstraint<float>>(grid, pbd::SweepOrder::rows);
  auto pbd_sheet = make_sheet<pbd::SoftDistanceConstraint<float>>(grid, pbd::SweepOrder::rows);
  for (auto* kind : {&pbd_sheet.structural, &pbd_sheet.shear})
    for (pbd::SoftDistanceConstraint<float>& edge : *kind) edge.stiffness = 0.9f;
  auto structural = make_set(xpbd.structural), shear = make_set(xpbd.shear);
  auto pbd_structural = make_set(pbd_sheet.structural), pbd_shear = make_set(pbd_sheet.shear);
  pbd::StepSettings<float, 3> settings;
  settings.substeps = 1;
  settings.iterations = 20;
  compare(
      what, grid.name(), 20 * static_cast<double>(xpbd.structural.size() + xpbd.shear.size()),
      [&] {
        if (pbd::step(xpbd.particles, settings, structural, shear)) std::exit(1);
      },
      [&] {
        if (pbd::step(pbd_sheet.particles, settings, pbd_structural, pbd_shear)) std::exit(1);
      });
}

/// One thread against several on the same sheet (how its memory came to lie makes a difference): the sweeps of a substep,
/// and steps of ten substeps.
template <class ForEach>
void against_one_thread(const char* what, Grid grid, ForEach for_each) {
  using Constraint = pbd::DistanceConstraint<float>;
  auto cloth = make_sheet<Constraint>(grid, pbd::SweepOrder::rows);
  auto structural = pbd::make_batches(cloth.structural), shear = pbd::make_batches(cloth.shear);
  auto parallel = pbd::make_parallel(for_each, 2, structural, shear);
  const auto constraints = static_cast<double>(structural.count + shear.count);
  const pbd::Substep<float> several(1.0f / 600, 10);
  compare(
      (std::string(what) + ", 10 sweeps").c_str(), grid.name(), 10 * constraints,
      [&] {
        for (int n = 0; n < 10; ++n) {
          structural.sweep(cloth.particles, several);
          shear.sweep(cloth.particles, several);
        }
      },
      [&] { parallel.iterate(cloth.particles, several); });
  pbd::StepSettings<float, 3> settings;
  for (const int sweeps : {10, 2, 1}) {
    settings.iterations = sweeps;
    compare(
        (std::string(what) + ", step of 10 x " + std::to_string(sweeps)).c_str(), grid.name(), 10 * sweeps * constraints,
        [&] {
          if (pbd::step(cloth.particles, settings, structural, shear)) std::exit(1);
        },
        [&] {
          if (pbd::step(cloth.particles, settings, parallel)) std::exit(1);
        });
  }
}

#ifdef PBD_BENCH_BULLET
/// Bullet's soft body on the same sheet, its own sweep over its links, against the batched one.
void against_bullet(Grid grid) {
  using Constraint = pbd::DistanceConstraint<float>;
  auto cloth = make_sheet<Constraint>(grid, pbd::SweepOrder::rows);
  const auto natural = make_sheet<Constraint>(grid, pbd::SweepOrder::natural);
  std::vector<btVector3> positions;
  std::vector<btScalar> masses;
  for (pbd::Index i = 0; i < cloth.particles.count(); ++i) {
    const auto p = natural.particles.predicted.col(i);
    positions.emplace_back(p(0), p(1), p(2));
    masses.push_back(pbd::is_pinned(natural.particles, i) ? 0 : 1);
  }
  btSoftBodyWorldInfo world;
  btSoftBody body(&world, static_cast<int>(positions.size()), positions.data(), masses.data());
  for (const auto* kind : {&natural.structural, &natural.shear})
    for (const Constraint& edge : *kind) {
      body.appendLink(edge.i, edge.j);
      body.m_links[body.m_links.size() - 1].m_rl = edge.rest_length;
    }
  body.updateConstants();
  auto structural = pbd::make_batches(cloth.structural), shear = pbd::make_batches(cloth.shear);
  compare(
      "Bullet 3 soft body", grid.name(), static_cast<double>(natural.structural.size() + natural.shear.size()),
      [&] { btSoftBody::PSolve_Links(&body, 1, 0); },
      [&] {
        pbd::sweep(structural, cloth.particles, substep<float>);
        pbd::sweep(shear, cloth.particles, substep<float>);
      });
}
#endif

}  // namespace

int main() {
  using Hard = pbd::DistanceConstraint<float>;
  std::printf("what,size,slow_ns,fast_ns,ratio\n");
  for (const Grid grid : squares()) against_plain<Hard>("hard float", grid);
  for (const Grid grid : squares()) against_plain<pbd::CompliantDistanceConstraint<float>>("compliant float", grid);
  for (const Grid grid : squares()) against_plain<pbd::DistanceLimit<float>>("one-sided float", grid);
  for (const Grid grid : squares()) against_plain<pbd::DistanceConstraint<double>>("hard double", grid);
  const Grid paper{64, 64};
  against_pbd("XPBD against PBD, arrays", paper, [](const auto& edges) { return edges; });
  against_pbd("XPBD against PBD, batches", paper, [](const auto& edges) { return pbd::make_batches(edges); });

  for (const Grid grid : squares()) {
    against_shuffled(grid, false);
    against_shuffled(grid, true);
  }

  {  // memory must not become the limit: the fast side of both sizes, in turn
    const Grid small = squares().front(), large = squares().back();
    auto a = make_sheet<Hard>(large, pbd::SweepOrder::rows), b = make_sheet<Hard>(small, pbd::SweepOrder::rows);
    auto a1 = pbd::make_batches(a.structural), a2 = pbd::make_batches(a.shear);
    auto b1 = pbd::make_batches(b.structural), b2 = pbd::make_batches(b.shear);
    const double many = static_cast<double>(a1.count + a2.count) / static_cast<double>(b1.count + b2.count);
    const auto repeats = static_cast<int>(many + 0.5);
    compare(
        "a large sheet against as many small ones", large.name(), static_cast<double>(a1.count + a2.count),
        [&] {
          a1.sweep(a.particles, substep<float>);
          a2.sweep(a.particles, substep<float>);
        },
        [&] {
          for (int n = 0; n < repeats; ++n) {
            b1.sweep(b.particles, substep<float>);
            b2.sweep(b.particles, substep<float>);
          }
        });
  }

  for (const Grid grid : squares()) {  // a step of ten sweeps against its ten sweeps: the ratio − 1 is the rest's part
    auto cloth = make_sheet<Hard>(grid, pbd::SweepOrder::rows);
    auto structural = pbd::make_batches(cloth.structural), shear = pbd::make_batches(cloth.shear);
    pbd::StepSettings<float, 3> settings;
    settings.substeps = 1;
    settings.iterations = 10;
    compare(
        "step of 10 sweeps against the sweeps", grid.name(), 10 * static_cast<double>(structural.count + shear.count),
        [&] {
          if (pbd::step(cloth.particles, settings, structural, shear)) std::exit(1);
        },
        [&] {
          for (int n = 0; n < 10; ++n) {
            structural.sweep(cloth.particles, settings.substep());
            shear.sweep(cloth.particles, settings.substep());
          }
        });
  }

  for (const Grid grid : squares()) {
    bench::Workers workers(1);
    const auto pool = [&workers](std::size_t count, auto&& body) { workers.for_each(count, body); };
    against_one_thread("2 threads (std::thread)", grid, pool);
  }
#ifdef PBD_BENCH_TBB
  for (const Grid grid : squares()) {
    const tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
    const auto pool = [](std::size_t count, auto&& body) {
      tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, 1),
                        [&body](const auto& range) { body(range.begin(), range.end()); }, tbb::static_partitioner());
    };
    against_one_thread("2 threads (oneTBB)", grid, pool);
  }
#endif
#ifdef PBD_BENCH_BULLET
  for (const Grid grid : squares()) against_bullet(grid);
#endif

  {
    const Grid grid = squares().back();
    const auto cloth = make_sheet<Hard>(grid, pbd::SweepOrder::rows);
    std::vector<double> times;
    double bytes = 0;
    for (int round = 0; round < rounds; ++round) {
      const auto begin = Clock::now();
      const auto structural = pbd::make_batches(cloth.structural), shear = pbd::make_batches(cloth.shear);
      times.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
      bytes = static_cast<double>(structural.bytes() + shear.bytes()) /
              static_cast<double>(structural.count + shear.count);
    }
    std::printf("building the batches of %s: %.0f ms; they take %.2f bytes a constraint\n", grid.name().c_str(),
                1e3 * median(times), bytes);
  }
}
