// SPDX-License-Identifier: MIT
//
// What the convergence benchmarks compare: sheets one metre wide and a rope, and every solver as one entry of a list.
#pragma once

#include "scenes.hpp"

#include <chrono>
#include <cmath>
#include <ctime>
#include <functional>
#include <limits>
#include <memory>
#include <utility>

namespace bench {

using Sheet = pbd::Cloth<float, 3, pbd::Layout::planar>;
using Settings = pbd::StepSettings<float, 3>;

/// All are rigid and undamped. Sheets are squares of 1 m, n particles a side, 1 kg each.
enum class Problem {
  hanging,   ///< held by its top row, at rest; structural edges
  swinging,  ///< the same, released from the horizontal
  sheared,   ///< swinging, and both diagonals in each cell
  corners,   ///< held by two corners, released from the horizontal, both diagonals in each cell
  rope,      ///< ten links of 0.1 m, nine particles of 1 kg between, 1000 kg at the end, released from the horizontal
};

inline constexpr std::array problems{Problem::hanging, Problem::swinging, Problem::sheared, Problem::corners,
                                     Problem::rope};

inline const char* name(Problem problem) {
  return std::array{"hanging", "swinging", "sheared", "corners", "rope"}[static_cast<std::size_t>(problem)];
}

inline constexpr int rope_particles = 11;

inline Sheet make_problem(Problem problem, int n, pbd::SweepOrder order = pbd::SweepOrder::rows) {
  const bool rope = problem == Problem::rope;
  pbd::ClothSettings<float, 3> settings;
  settings.columns = rope ? 1 : n;
  settings.rows = rope ? rope_particles : n;
  settings.size = {rope ? 0.0f : 1.0f, 1.0f};
  settings.order = order;
  settings.plane = problem == Problem::hanging ? pbd::Plane::vertical : pbd::Plane::horizontal;
  settings.pin_top_row = problem != Problem::corners;
  settings.shear.present = problem == Problem::sheared || problem == Problem::corners;
  auto sheet = pbd::make_cloth(settings);
  if (sheet.error) {
    std::fprintf(stderr, "make_cloth: %s\n", sheet.error.message().c_str());
    std::exit(1);
  }
  if (rope) sheet.particles.inverse_mass(rope_particles - 1) = 1.0f / 1000;
  return sheet;
}

using Report = pbd::StepReport<float>;

/// The sizes at which a problem is run: the rope has but one.
inline std::vector<int> sizes(Problem problem, std::vector<int> of_sheets) {
  return problem == Problem::rope ? std::vector{rope_particles} : std::move(of_sheets);
}

/// A frame: moves the sheet that it was made for.
using Frame = std::function<Report(const Settings&)>;

/// A solver is what it makes of a sheet, and how it spends a budget.
struct Solver {
  const char* name;
  Settings (*spend)(int budget);  ///< as how many substeps of how many sweeps
  Frame (*make)(Sheet&);
  double nanoseconds;  ///< about what a sweep costs a constraint: only to know when to give up
};

inline Settings spend(int substeps, int iterations) {
  Settings settings;
  settings.substeps = substeps;
  settings.iterations = iterations;
  return settings;
}

inline Settings as_iterations(int n) { return spend(1, n); }
inline Settings as_substeps(int n) { return spend(n, 1); }
inline Settings as_substeps_of_two(int n) { return spend(n, 2); }

/// The sheet's constraints, packed, where a solver can refer to them.
struct Packed {
  decltype(pbd::make_batches(std::declval<Sheet&>().structural)) structural, shear;

  explicit Packed(const Sheet& sheet)
      : structural(pbd::make_batches(sheet.structural)), shear(pbd::make_batches(sheet.shear)) {}
};

/// Frames by the set that make(sheet, packed constraints) makes.
template <class Make>
Frame stepping(Sheet& sheet, Make make) {
  const auto packed = std::make_shared<Packed>(sheet);
  using Set = decltype(make(sheet, *packed));
  const auto set = std::make_shared<Set>(make(sheet, *packed));
  return [&sheet, packed, set](const Settings& settings) { return pbd::step(sheet.particles, settings, *set); };
}

inline Frame gauss_seidel(Sheet& sheet) {
  const auto packed = std::make_shared<Packed>(sheet);
  return [&sheet, packed](const Settings& settings) {
    return pbd::step(sheet.particles, settings, packed->structural, packed->shear);
  };
}

inline Frame over_relaxed(Sheet& sheet) {
  return stepping(sheet, [](Sheet& s, Packed& packed) {
    return pbd::make_over_relaxed(s.particles, packed.structural, packed.shear);
  });
}

/// With the ω that is best for a line as long as the sheet, whatever it does to the energy.
inline Frame most_relaxed(Sheet& sheet) {
  return stepping(sheet, [](Sheet& s, Packed& packed) {
    auto set = pbd::make_over_relaxed(s.particles, packed.structural, packed.shear);
    set.relaxation = pbd::optimal_relaxation(s.rows - 1);
    set.overshoot = 1;
    return set;
  });
}

inline Frame chebyshev(Sheet& sheet) {
  return stepping(sheet, [](Sheet& s, Packed& packed) {
    auto set = pbd::make_chebyshev(s.particles, packed.structural, packed.shear);
    set.radius = pbd::slowest_decay(s.rows - 1);
    return set;
  });
}

inline Frame coarse_to_fine(Sheet& sheet) {
  const auto packed = std::make_shared<Packed>(sheet);
  const auto coarse = std::make_shared<pbd::CoarseToFine<float, 3>>(pbd::make_coarse_to_fine(sheet));
  return [&sheet, packed, coarse](const Settings& settings) {
    return pbd::step(sheet.particles, settings, *coarse, packed->structural, packed->shear);
  };
}

inline Frame lines(Sheet& sheet) {
  const auto packed = std::make_shared<Packed>(sheet);
  const auto set = std::make_shared<pbd::Lines<float>>(pbd::make_lines(pbd::line_constraints(sheet)));
  return [&sheet, packed, set](const Settings& settings) {
    return pbd::step(sheet.particles, settings, *set, packed->shear);
  };
}

/// Lines that choose their substeps themselves, before every frame.
inline Frame lines_at_ease(Sheet& sheet) {
  const auto packed = std::make_shared<Packed>(sheet);
  const auto set = std::make_shared<pbd::Lines<float>>(pbd::make_lines(pbd::line_constraints(sheet)));
  return [&sheet, packed, set](Settings settings) {
    settings.substeps = set->substeps(sheet.particles, settings.dt, 9.81f);
    return pbd::step(sheet.particles, settings, *set, packed->shear);
  };
}

inline Frame global_solve(Sheet& sheet) {
  return stepping(sheet, [](Sheet& s, Packed&) { return pbd::make_global_solve(s.structural, s.shear); });
}

inline Frame implicit_newton(Sheet& sheet) {
  return stepping(sheet,
                  [](Sheet& s, Packed&) { return pbd::make_implicit_newton(s.particles, s.structural, s.shear); });
}

inline const std::vector<Solver>& solvers() {
  static const std::vector<Solver> all{
      {"GS iterations", as_iterations, gauss_seidel, 0.8},
      {"GS substeps", as_substeps, gauss_seidel, 1},
      {"SOR", as_iterations, over_relaxed, 0.8},
      {"SOR best w", as_iterations, most_relaxed, 0.8},
      {"Chebyshev", as_iterations, chebyshev, 1.2},
      {"coarse-to-fine", as_iterations, coarse_to_fine, 15},
      {"lines", as_substeps, lines, 5},
      {"global solve", as_substeps_of_two, global_solve, 1500},
      {"implicit Newton", as_iterations, implicit_newton, 1000},
  };
  return all;
}

/// Processor time of this thread, ms, where a system tells: what else runs on the machine counts as little as can be.
inline double now_ms() {
#ifdef CLOCK_THREAD_CPUTIME_ID
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
#else
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
#endif
}

inline int sweeps(const Settings& settings) { return settings.substeps * settings.iterations; }

/// What a run of some frames left.
struct Left {
  double max = 0;         ///< the largest |C|/d of any constraint in any frame that counts; infinite if it blew up
  double rms = 0;         ///< over all constraints and those frames
  double drift = 0;       ///< change of the total energy over all frames, in units of the sheet's weight × its length
  double fastest_ms = 0;  ///< of a frame
  double median_ms = 0;
  int substeps = 0;  ///< the most in a frame
  int frames = 0;
  std::uint64_t hash = 0;
};

/// About how long a frame takes, ms.
inline double estimated_ms(Problem problem, const Solver& solver, int n, const Settings& settings) {
  const bool diagonals = problem == Problem::sheared || problem == Problem::corners;
  const double constraints = problem == Problem::rope ? n : (diagonals ? 4.0 : 2.0) * n * n;
  return 1e-6 * solver.nanoseconds * constraints * sweeps(settings);
}

/// Runs a solver for some frames, of which those from `first` on count, and stops once a stretch is beyond `enough`.
inline Left run(Problem problem, const Solver& solver, int n, const Settings& settings, int frames, int first,
                double enough = std::numeric_limits<double>::infinity()) {
  Sheet sheet = make_problem(problem, n);
  const Frame frame = solver.make(sheet);
  const auto energy = [&] { return static_cast<double>(pbd::energy(sheet.particles, settings.gravity).total()); };
  const double before = energy();
  Left left;
  std::vector<double> times;
  double squares = 0;
  for (int f = 0; f < frames && left.max <= enough; ++f) {
    const double begin = now_ms();
    const Report report = frame(settings);
    times.push_back(now_ms() - begin);
    if (report) {
      std::fprintf(stderr, "%s: %s\n", solver.name, report.message().c_str());
      std::exit(1);
    }
    left.substeps = std::max(left.substeps, report.substeps);
    ++left.frames;
    if (f < first) continue;
    const auto stretch = pbd::stretch(sheet.particles, sheet.structural, sheet.shear);
    left.max = std::max(left.max, static_cast<double>(stretch.max));
    squares += static_cast<double>(stretch.rms) * static_cast<double>(stretch.rms);
  }
  std::sort(times.begin(), times.end());
  left.fastest_ms = times.front();
  left.median_ms = times[times.size() / 2];
  left.rms = std::sqrt(squares / std::max(1, left.frames - first));
  double weight = 0;
  for (pbd::Index i = 0; i < sheet.particles.count(); ++i)
    if (sheet.particles.inverse_mass(i) > 0) weight += 9.81 / static_cast<double>(sheet.particles.inverse_mass(i));
  left.drift = (energy() - before) / weight;  // the length is 1 m
  if (!std::isfinite(left.drift)) left.drift = std::numeric_limits<double>::infinity();
  left.hash = hash(sheet.particles.position);
  return left;
}

/// The smallest budget, from `from` on by doubling and then halving the interval down to a sixteenth, with which no
/// frame is stretched beyond the tolerance. budget = 0 if none was found that takes `longest_ms` a frame or less, by
/// estimate.
struct Found {
  int budget = 0;
  Left left;
};

inline Found search(Problem problem, const Solver& solver, int n, int frames, double tolerance, int from,
                    double longest_ms) {
  int failed = from - 1;
  Found found;
  for (int budget = from;; budget *= 2) {
    if (estimated_ms(problem, solver, n, solver.spend(budget)) > longest_ms) return found;
    const Left left = run(problem, solver, n, solver.spend(budget), frames, 0, tolerance);
    if (left.max <= tolerance) {
      found = {budget, left};
      break;
    }
    failed = budget;
  }
  while (found.budget - failed > std::max(1, found.budget / 16)) {
    const int budget = (found.budget + failed) / 2;
    const Left left = run(problem, solver, n, solver.spend(budget), frames, 0, tolerance);
    if (left.max <= tolerance)
      found = {budget, left};
    else
      failed = budget;
  }
  return found;
}

}  // namespace bench
