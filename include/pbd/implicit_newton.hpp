// SPDX-License-Identifier: MIT
//
// 4. All constraints at once, for a sheet held by points, where Gauss-Seidel stalls: every constraint a stiff spring,
// and a sweep one Newton step towards the minimum of ½‖x − y‖²_M/h² + Σ ½kC², y the prediction. Comes in: constraint
// arrays, copied once. Leaves: predicted, near to the step of implicit Euler. Next: update_velocity.hpp.
#pragma once

#include <pbd/block_cholesky.hpp>
#include <pbd/detail/spring.hpp>

#include <cmath>
#include <cstdint>
#include <ranges>
#include <tuple>
#include <vector>

namespace pbd {

namespace detail {

/// a·b in the order of the coordinates. Eigen's own has the order of the registers that it is compiled for.
template <int Dim>
[[nodiscard]] double dot(const Vector<double, Dim>& a, const Vector<double, Dim>& b) noexcept {
  double sum = a(0) * b(0);
  for (int d = 1; d < Dim; ++d) sum += a(d) * b(d);
  return sum;
}

template <int Dim>
[[nodiscard]] double squared_distance(const BlockVector<Dim>& a, Index i, const BlockVector<Dim>& b, Index j) noexcept {
  const Vector<double, Dim> apart = a.col(i) - b.col(j);
  return dot<Dim>(apart, apart);
}

}  // namespace detail

/// A constraint set that sweeps itself: make_implicit_newton() makes it.
///
/// A hard constraint is a spring of k = stiffness·m/h², m being 2/(w_i + w_j): its stretch under a given load is in
/// proportion to 1/stiffness. A compliant one is a spring of k = 1/α, with the damping energy β(length − length
/// before)²/2h, and a soft one, alone, leaves the part 1 − k of a violation; neither is ever stiffer than a hard one.
template <int Dim, class Solver, EdgeConstraint... Cs>
struct ImplicitNewton {
  double stiffness = 1e6;  ///< κ = k·h²/m of hard constraints, > 0

  std::tuple<std::vector<Cs>...> constraints;
  Error error;                          ///< if it says so, the set is empty
  Solver solver;                        ///< a LinearSolver
  std::vector<detail::Spring> springs;  ///< one a constraint, all arrays one after the other
  std::vector<double> mass;             ///< kg; 0: stays where it is
  BlockMatrix<Dim> matrix;              ///< the Hessian of the energy times h², kg
  BlockVector<Dim> prediction, place, trial, gradient, direction;
  bool begun = false;  ///< the next sweep is a substep's first

  /// Sets up the springs, and where to begin: at x + h·v, as if the forces of the last substep went on balancing each
  /// other. The prediction is what the first sweep finds, for predict() is still to come.
  template <ParticleSet P>
  void begin_substep(P& particles, const Substep<typename P::Scalar>& substep) noexcept {
    begun = true;
    std::size_t s = 0;
    const auto set_up = [&](const auto& array) {
      for (const auto& constraint : array) springs[s++].set_up(constraint, particles, stiffness, substep);
    };
    std::apply([&](const auto&... array) { (set_up(array), ...); }, constraints);
    for (Index i = 0; i < place.cols(); ++i)
      for (int d = 0; d < Dim; ++d)
        place(d, i) = static_cast<double>(particles.position(d, i)) +
                      static_cast<double>(substep.dt) * static_cast<double>(particles.velocity(d, i));
  }

  /// One Newton step, halved until the energy falls.
  ///
  ///   reads    predicted, inverse_mass
  ///   writes   predicted
  ///   needs    begin_substep() before; to come first among a step's sets, for a substep's first sweep takes what it
  ///            finds for the prediction
  ///   skips    constraints without a direction (coincident particles); particles that are pinned, NaN or infinite
  ///   cost     that of the solver, and O(N + M); no allocation but the solver's
  ///   source   [Baraff98] for the linearised step, [Tournier15] for what geometric stiffness is good for
  template <ParticleSet P>
  void sweep(P& particles, const Substep<typename P::Scalar>&) noexcept {
    read(particles);
    const double before = linearize();
    direction.setZero();
    solver.factorize(matrix);
    solver.solve(matrix, gradient, direction);
    double slope = 0;
    for (Index i = 0; i < place.cols(); ++i) slope += detail::dot<Dim>(gradient.col(i), direction.col(i));
    double length = slope > 0 ? 1 : 0;
    for (; length > 0; length = length > shortest_step ? length / 2 : 0) {
      trial = place - length * direction;
      if (energy_at(trial) <= before - sufficient * length * slope + rounding * before) break;
    }
    if (!(length > 0)) {
      trial = place;
      energy_at(trial);
    }
    write(particles);
  }

  /// O(1).
  template <ParticleSet P>
  [[nodiscard]] Error validate_indices(const P& particles) const noexcept {
    if (error) return error;
    if (place.cols() == particles.count()) return {};
    return {.reason = "implicit Newton was made for another number of particles", .subject = "constraints"};
  }

  /// Calls visit(constraint) for every constraint, in the order of the arrays; a compliant one with its λ.
  template <class Visit>
  void for_each_constraint(Visit&& visit) const {
    std::size_t s = 0;
    const auto visit_all = [&](const auto& array) {
      for (auto constraint : array) {
        using Scalar = typename decltype(constraint)::Scalar;
        if constexpr (requires { constraint.lambda; }) constraint.lambda = static_cast<Scalar>(-springs[s].pull);
        visit(constraint);
        ++s;
      }
    };
    std::apply([&](const auto&... array) { (visit_all(array), ...); }, constraints);
  }

  /// The energy times h² at `place`, its gradient and its Hessian, in which a compressed spring resists to turning as a
  /// stretched one does: the minus that it has would leave the Hessian indefinite, and a zero lets a sheet wrinkle and
  /// the steps overshoot ([Chen24] does so with eigenvalues). Where nothing is compressed it is the exact Hessian.
  double linearize() noexcept {
    matrix.set_zero();
    double sum = 0;
    for (Index i = 0; i < place.cols(); ++i) {
      const double m = mass[static_cast<std::size_t>(i)];
      gradient.col(i).setZero();
      matrix.diagonal[static_cast<std::size_t>(i)].diagonal().setConstant(m > 0 ? m : 1);
      if (!(m > 0)) continue;
      gradient.col(i) = m * (place.col(i) - prediction.col(i));
      sum += m * detail::squared_distance<Dim>(place, i, prediction, i) / 2;
    }
    for (auto& s : springs) {
      const Vector<double, Dim> along = place.col(s.i) - place.col(s.j);
      const double length = std::sqrt(detail::dot<Dim>(along, along));
      if (!s.evaluate(length)) continue;
      const Vector<double, Dim> normal = along / length;
      sum += s.energy();
      const double across = std::abs(s.pull) / length;
      const double stiff = s.acts(length) ? s.stiffness : 0;
      typename BlockMatrix<Dim>::Block block = (stiff - across) * normal * normal.transpose();
      block.diagonal().array() += across;
      const bool i_moves = mass[static_cast<std::size_t>(s.i)] > 0, j_moves = mass[static_cast<std::size_t>(s.j)] > 0;
      if (i_moves) gradient.col(s.i) += s.pull * normal;
      if (j_moves) gradient.col(s.j) -= s.pull * normal;
      if (i_moves) matrix.diagonal[static_cast<std::size_t>(s.i)] += block;
      if (j_moves) matrix.diagonal[static_cast<std::size_t>(s.j)] += block;
      if (i_moves && j_moves) matrix.coupling[s.pair] -= block;
    }
    return sum;
  }

  /// The energy times h², and every spring's pull, at `where`.
  double energy_at(const BlockVector<Dim>& where) noexcept {
    double sum = 0;
    for (Index i = 0; i < where.cols(); ++i)
      if (const double m = mass[static_cast<std::size_t>(i)]; m > 0)
        sum += m * detail::squared_distance<Dim>(where, i, prediction, i) / 2;
    for (auto& s : springs)
      if (s.evaluate(std::sqrt(detail::squared_distance<Dim>(where, s.i, where, s.j)))) sum += s.energy();
    return sum;
  }

 private:
  static constexpr double shortest_step = 1.0 / (1 << 12);  // a direction that needs a smaller part leads nowhere
  static constexpr double sufficient = 1e-4;                // Armijo's: of the decrease that the slope promises
  static constexpr double rounding = 1e-12;                 // of the energy: what its sum may be off by

  /// Where to begin: a substep's first sweep at x + h·v or at the prediction, whichever has less energy. A sheet that
  /// hangs is nearer to the former, one that falls freely is at the latter.
  template <ParticleSet P>
  void read(const P& particles) noexcept {
    for (Index i = 0; i < place.cols(); ++i) {
      bool moves = true;
      for (int d = 0; d < Dim; ++d) {
        trial(d, i) = static_cast<double>(particles.predicted(d, i));
        if (begun) prediction(d, i) = trial(d, i);
        moves = moves && detail::is_finite(trial(d, i)) && detail::is_finite(prediction(d, i));
        if (begun) moves = moves && detail::is_finite(place(d, i));
      }
      const double w = static_cast<double>(particles.inverse_mass(i)), m = 1 / w;
      moves = moves && w > 0 && m > 0 && detail::is_finite(m);
      mass[static_cast<std::size_t>(i)] = moves ? m : 0;
      if (!moves) place.col(i) = trial.col(i);
      for (int d = 0; d < Dim && !moves; ++d) prediction(d, i) = place(d, i);
    }
    if (!begun || !(energy_at(place) < energy_at(trial))) place.swap(trial);
    begun = false;
  }

  template <ParticleSet P>
  void write(P& particles) const noexcept {
    using Scalar = typename P::Scalar;
    for (Index i = 0; i < place.cols(); ++i)
      if (mass[static_cast<std::size_t>(i)] > 0)
        for (int d = 0; d < Dim; ++d) particles.predicted(d, i) = static_cast<Scalar>(trial(d, i));
  }
};

/// Copies constraint arrays into one set that a step sweeps by Newton steps; `iterations` is their number.
///
///     auto newton = pbd::make_implicit_newton(cloth.particles, cloth.structural, cloth.shear);
///     pbd::step(cloth.particles, {.substeps = 1, .iterations = 2}, newton);
///
/// One Newton step a frame is enough to keep a sheet's lengths while it swings, but its fall lags behind; two move it
/// as many do. Pins that are jerked about need more.
///
/// Best called while the sheet lies flat: from where the particles are now follows the order of elimination, and so the
/// speed. Another linear solver is named in front: make_implicit_newton<MySolver>(…), a class template of Dim.
///
///   reads    position
///   errors   an index out of [0, N), i = j, or a flaw(): named in `error`, and the set is empty
///   cost     O(M log M) and the solver's analysis; allocates
template <template <int> class Solver = BlockCholesky, ParticleSet P, std::ranges::contiguous_range... Constraints>
requires(EdgeConstraint<std::ranges::range_value_t<Constraints>>&&...)
    [[nodiscard]] auto make_implicit_newton(const P& particles, const Constraints&... constraints) {
  static_assert(LinearSolver<Solver<P::dim>, P::dim>, "pbd: see LinearSolver in block_matrix.hpp");
  using Newton = ImplicitNewton<P::dim, Solver<P::dim>, std::ranges::range_value_t<Constraints>...>;
  Newton newton;
  newton.error = validate_sizes(particles);
  std::int64_t set = 0;
  const auto examine = [&](const auto& array) {
    if (newton.error) return;
    newton.error = validate_constraints(particles, array);
    if (newton.error) newton.error.set = set;
    ++set;
  };
  (examine(constraints), ...);
  if (newton.error) return newton;

  std::vector<std::array<std::int32_t, 2>> pairs;
  const auto append = [&](const auto& array) {
    for (const auto& c : array) pairs.push_back({c.i, c.j});
  };
  (append(constraints), ...);
  newton.constraints = {std::vector(std::ranges::begin(constraints), std::ranges::end(constraints))...};
  newton.matrix = make_block_matrix<P::dim>(particles.count(), pairs);
  newton.springs.reserve(pairs.size());
  for (const auto& [i, j] : pairs) newton.springs.push_back({i, j, newton.matrix.find(i, j)});
  newton.mass.resize(static_cast<std::size_t>(particles.count()));
  for (auto* array : {&newton.prediction, &newton.place, &newton.trial, &newton.gradient, &newton.direction})
    array->setZero(P::dim, particles.count());
  for (Index i = 0; i < particles.count(); ++i)
    for (int d = 0; d < P::dim; ++d) newton.place(d, i) = static_cast<double>(particles.position(d, i));
  newton.solver.analyze(newton.matrix, newton.place);
  return newton;
}

}  // namespace pbd
