// SPDX-License-Identifier: MIT
#include "solve.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace viewer {

namespace {

// Calls visit(constraint) for every constraint of a set; sets that have none of their own are passed over.
template <class Set, class Visit>
void for_each_constraint(const Set& set, Visit&& visit) {
  if constexpr (requires { set.for_each_constraint(visit); })
    set.for_each_constraint(visit);
  else if constexpr (std::ranges::contiguous_range<const Set>)
    for (const auto& constraint : set) visit(constraint);
}

// Handed to step() among the sets: step() tells it of every substep, asks it before and after every sweep, and so it
// sees what the sweeps leave of the violation without a loop of its own. It moves nothing and ends nothing.
template <class P, class... Sets>
struct Watch {
  const P& particles;
  const std::tuple<Sets...>& sets;
  int substeps;
  std::vector<float>* residuals;  // null: it looks at nothing
  int begun = 0;

  void begin_substep(P&, const pbd::Substep<float>&) noexcept { ++begun; }
  void sweep(P&, const pbd::Substep<float>&) noexcept {
    if (watching() && residuals->empty()) note();
  }
  [[nodiscard]] bool is_used_up() noexcept {
    if (watching()) note();
    return false;
  }

 private:
  [[nodiscard]] bool watching() const noexcept { return residuals != nullptr && begun == substeps; }
  void note() {
    float largest = 0;
    const auto look = [&](const auto& c) {
      if (!(c.rest_length > 0)) return;
      const float length = (particles.predicted.col(c.i) - particles.predicted.col(c.j)).norm();
      const float part = std::abs(length - c.rest_length) / c.rest_length;
      if (!(part <= largest)) largest = part;  // NaN too
    };
    std::apply([&](const auto&... set) { (for_each_constraint(set, look), ...); }, sets);
    residuals->push_back(largest);
  }
};

template <int Dim, class... Sets>
class Sweeps : public Solve<Dim> {
 public:
  using Particles = typename Solve<Dim>::Particles;

  explicit Sweeps(Sets... sets) : sets_(std::move(sets)...) {}

  pbd::StepReport<float> step(Particles& particles, const pbd::StepSettings<float, Dim>& settings, Drag drag,
                              std::vector<float>* residuals) override {
    return std::apply([&](auto&... set) { return step_with(particles, settings, drag, residuals, set...); }, sets_);
  }

  [[nodiscard]] int substeps(const Particles& particles, float dt, float gravity) const override {
    int wanted = 0;
    const auto ask = [&](const auto& set) {
      if constexpr (requires { set.substeps(particles, dt, gravity); })
        wanted = std::max(wanted, set.substeps(particles, dt, gravity));
    };
    std::apply([&](const auto&... set) { (ask(set), ...); }, sets_);
    return wanted;
  }

  [[nodiscard]] std::vector<Line> lines(const Particles& particles, const pbd::Substep<float>& substep) const override {
    std::vector<Line> lines;
    const auto add = [&](const auto& set) {
      const std::size_t first = lines.size();
      for_each_constraint(set, [&](const auto& c) {
        lines.push_back({c.i, c.j, c.relative_stretch(particles), 0, c.rest_length});
      });
      std::vector<float> forces(lines.size() - first);
      pbd::write_forces(forces, particles, substep, set);
      for (std::size_t k = 0; k < forces.size(); ++k) lines[first + k].tension = forces[k];
    };
    std::apply([&](const auto&... set) { (add(set), ...); }, sets_);
    return lines;
  }

 protected:
  template <class... Parts>
  pbd::StepReport<float> step_with(Particles& particles, const pbd::StepSettings<float, Dim>& settings, Drag drag,
                                   std::vector<float>* residuals, Parts&... parts) {
    if (residuals != nullptr) {
      residuals->clear();
      residuals->reserve(static_cast<std::size_t>(settings.iterations) + 1);  // step() throws nothing
    }
    pbd::Acceleration air{drag};
    Watch<Particles, Sets...> watch{particles, sets_, settings.substeps, residuals};
    return pbd::step(particles, settings, air, watch, parts...);
  }

  std::tuple<Sets...> sets_;
};

// The same sets behind an acceleration that refers to them.
template <int Dim, class... Sets>
class Accelerated final : public Sweeps<Dim, Sets...> {
 public:
  using Particles = typename Solve<Dim>::Particles;

  Accelerated(const Particles& particles, Sets... sets)
      : Sweeps<Dim, Sets...>(std::move(sets)...),
        fast_(std::apply([&](auto&... set) { return pbd::make_chebyshev(particles, set...); }, this->sets_)) {}

  pbd::StepReport<float> step(Particles& particles, const pbd::StepSettings<float, Dim>& settings, Drag drag,
                              std::vector<float>* residuals) override {
    return this->step_with(particles, settings, drag, residuals, fast_);
  }

 private:
  pbd::Chebyshev<float, Sets...> fast_;
};

template <int Dim, class... Sets>
std::unique_ptr<Solve<Dim>> accelerated(const typename Solve<Dim>::Particles& particles, Sets... sets) {
  return std::make_unique<Accelerated<Dim, Sets...>>(particles, std::move(sets)...);
}

template <int Dim, class... Sets>
std::unique_ptr<Solve<Dim>> sweeps(Sets... sets) {
  return std::make_unique<Sweeps<Dim, Sets...>>(std::move(sets)...);
}

// What a solver of forces takes: springs, or hard constraints that keep the λ that a soft one has no place for.
const std::vector<Compliant>& springs(const std::vector<Compliant>& links) { return links; }
std::vector<Compliant> springs(const std::vector<Soft>& links) {
  std::vector<Compliant> hard;
  hard.reserve(links.size());
  for (const Soft& link : links) hard.push_back({link.i, link.j, link.rest_length});
  return hard;
}

}  // namespace

const std::vector<SolverName>& solver_names() {
  static const std::vector<SolverName> names{
      {Solver::gauss_seidel, "gauss-seidel", "Gauss-Seidel", Takes::all, 10, 1, false},
      {Solver::batches, "batches", "Gauss-Seidel in batches", Takes::all, 10, 1, false},
      {Solver::lines, "lines", "lines", Takes::hard_or_springs, 10, 1, true},
      {Solver::global, "global", "global, direct", Takes::hard_or_springs, 4, 1, false},
      {Solver::chebyshev, "chebyshev", "Chebyshev", Takes::all, 4, 10, false},
      {Solver::coarse, "coarse", "coarse to fine", Takes::hard, 20, 1, false},
      {Solver::newton, "newton", "implicit Newton", Takes::hard_or_springs, 1, 3, false},
  };
  return names;
}

template <int Dim, class Constraint>
std::unique_ptr<Solve<Dim>> make_solve(const ClothOf<Dim, Constraint>& cloth, Solver solver) {
  switch (solver) {
    case Solver::gauss_seidel:
      return sweeps<Dim>(cloth.structural, cloth.shear, cloth.bending);
    case Solver::batches:
      return sweeps<Dim>(pbd::make_batches(cloth.structural), pbd::make_batches(cloth.shear),
                         pbd::make_batches(cloth.bending));
    case Solver::lines:
      return sweeps<Dim>(pbd::make_batches(springs(cloth.shear)), pbd::make_batches(springs(cloth.bending)),
                         pbd::make_lines(springs(pbd::line_constraints(cloth))));
    case Solver::global:
      return sweeps<Dim>(
          pbd::make_global_solve(springs(cloth.structural), springs(cloth.shear), springs(cloth.bending)));
    case Solver::chebyshev:
      return accelerated<Dim>(cloth.particles, pbd::make_batches(cloth.structural), pbd::make_batches(cloth.shear),
                              pbd::make_batches(cloth.bending));
    case Solver::coarse:
      return sweeps<Dim>(pbd::make_coarse_to_fine(cloth), pbd::make_batches(cloth.structural),
                         pbd::make_batches(cloth.shear), pbd::make_batches(cloth.bending));
    case Solver::newton:
      return sweeps<Dim>(pbd::make_implicit_newton(cloth.particles, springs(cloth.structural), springs(cloth.shear),
                                                   springs(cloth.bending)));
  }
  return nullptr;
}

template std::unique_ptr<Solve<2>> make_solve(const ClothOf<2, Soft>&, Solver);
template std::unique_ptr<Solve<2>> make_solve(const ClothOf<2, Compliant>&, Solver);
template std::unique_ptr<Solve<3>> make_solve(const ClothOf<3, Soft>&, Solver);
template std::unique_ptr<Solve<3>> make_solve(const ClothOf<3, Compliant>&, Solver);

}  // namespace viewer
