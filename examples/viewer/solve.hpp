// SPDX-License-Identifier: MIT
//
// How a cloth's constraints are solved. Comes in: a cloth, the name of a solver. Leaves: the solver with constraint
// sets of its own, made once; it steps the cloth's particles, and tells how stretched each constraint is and what it
// carries. A further solver is a name here, a case in make_solve(), and a line in solver_names().
#pragma once

#include <pbd/pbd.hpp>

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

namespace viewer {

enum class Solver {
  gauss_seidel,  ///< constraint by constraint, in array order
  batches,       ///< the same, several at a time
  lines,         ///< rows and columns whole, diagonals before them in batches
  global,        ///< all at once, by a sparse direct solve
  chebyshev,     ///< in batches, extrapolated from sweep to sweep
  coarse,        ///< coarse levels of the grid before every sweep in batches
  newton,        ///< all at once, by Newton steps towards implicit Euler
};

/// Which constraints a solver can be given.
enum class Takes {
  all,
  hard_or_springs,  ///< and it knows their forces
  hard,
};

struct SolverName {
  Solver solver;
  const char* option;  ///< on the command line
  const char* label;   ///< in the panel
  Takes takes;
  int substeps;  ///< what it does well with …
  int iterations;
  bool automatic;  ///< … or as many substeps as its tension asks for
};

/// All solvers, in the enum's order.
[[nodiscard]] const std::vector<SolverName>& solver_names();
[[nodiscard]] inline const SolverName& name_of(Solver solver) {
  return solver_names()[static_cast<std::size_t>(solver)];
}

using Soft = pbd::SoftDistanceConstraint<float>;
using Compliant = pbd::CompliantDistanceConstraint<float>;

/// One constraint as a line to draw.
struct Line {
  std::int32_t i;
  std::int32_t j;
  float stretch;  // relative, negative if compressed
  float tension;  // N, negative where it pushes; 0 where no force is known
  float length;   // at rest, m
};

/// The air: a = −rate · v.
struct Drag {
  float rate;  // 1/s

  template <pbd::ParticleSet P>
  [[nodiscard]] pbd::VectorOf<P> operator()(const P& particles, pbd::Index i) const {
    return -rate * particles.velocity.col(i);
  }
};

template <int Dim>
class Solve {
 public:
  using Particles = pbd::Particles<float, Dim, pbd::Layout::planar>;

  Solve() = default;
  Solve(const Solve&) = delete;
  Solve& operator=(const Solve&) = delete;
  virtual ~Solve() = default;

  /// pbd::step(). If `residuals` is not null it becomes max |C|/d before the sweeps of the last substep and after each.
  virtual pbd::StepReport<float> step(Particles& particles, const pbd::StepSettings<float, Dim>& settings, Drag drag,
                                      std::vector<float>* residuals) = 0;
  /// How many substeps of a dt its tension asks for; 0: it has no opinion.
  [[nodiscard]] virtual int substeps(const Particles& particles, float dt, float gravity) const = 0;
  /// Its constraints as they stand after a step of such substeps.
  [[nodiscard]] virtual std::vector<Line> lines(const Particles& particles,
                                                const pbd::Substep<float>& substep) const = 0;
};

template <int Dim, class Constraint>
struct ClothOf : pbd::Cloth<float, Dim, pbd::Layout::planar, Constraint> {
  std::unique_ptr<Solve<Dim>> solve;
};

/// Best called while the cloth lies as it was made.
template <int Dim, class Constraint>
[[nodiscard]] std::unique_ptr<Solve<Dim>> make_solve(const ClothOf<Dim, Constraint>& cloth, Solver solver);

}  // namespace viewer
