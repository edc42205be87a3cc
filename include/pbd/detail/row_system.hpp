// SPDX-License-Identifier: MIT
//
// The linear system of a direct solve: J M⁻¹ Jᵀ plus a diagonal, a row a constraint between two particles. Comes in:
// which two particles each row joins, later its direction, diagonal and right side. Leaves: the solution. The pattern
// is found and analysed once; only numbers change afterwards.
#pragma once

#include <pbd/config.hpp>
#include <pbd/particles.hpp>

#include <Eigen/SparseCholesky>

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

namespace pbd::detail {

/// In double, whatever the particles are: a sheet's matrix is so ill-conditioned that a float factor would lose it.
struct RowSystem {
  using Direction = std::array<double, 3>;  // ∇C of the row's first particle, a unit vector; 0 for an idle row
  using Factor = Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>>;

  /// Two rows that share a particle: w (∇C_k · ∇C_l) at an entry of the lower triangle.
  struct Coupling {
    std::int32_t row, other, particle;
    std::int32_t entry;
    double sign;  // −1 where the particle is the first of one row and the second of the other
  };

  std::vector<std::array<std::int32_t, 2>> rows;
  std::vector<Direction> direction;
  std::vector<double> diagonal;
  Column<double> right, solution;
  std::vector<Coupling> couplings;
  std::vector<std::int32_t> diagonal_entry;
  Eigen::SparseMatrix<double> matrix;  // lower triangle
  std::unique_ptr<Factor> factor;      // Eigen's cannot be moved

  /// Finds the couplings and their entries, and an elimination order that leaves few more. False if there are more
  /// entries than a 32-bit index can name.
  bool analyse(std::vector<std::array<std::int32_t, 2>> joined, std::size_t particle_count) {
    rows = std::move(joined);
    const std::size_t count = rows.size();
    direction.assign(count, Direction{});
    diagonal.assign(count, 0);
    right = solution = Column<double>::Zero(static_cast<Index>(count));

    // Row 2r is end 0 of constraint r, 2r + 1 its end 1: the ends at each particle, in array order.
    std::vector<std::int64_t> first(particle_count + 1, 0);
    for (const auto& row : rows)
      for (const std::int32_t i : row) ++first[static_cast<std::size_t>(i) + 1];
    std::int64_t entries = static_cast<std::int64_t>(count);
    for (std::size_t i = 1; i < first.size(); ++i) {
      if (first[i] > INT32_MAX / 2) return false;
      entries += first[i] * (first[i] - 1) / 2;
      if (entries > INT32_MAX) return false;
      first[i] += first[i - 1];
    }
    std::vector<std::size_t> ends(2 * count);
    std::vector<std::int64_t> next(first.begin(), first.end() - 1);
    for (std::size_t end = 0; end < ends.size(); ++end)
      ends[static_cast<std::size_t>(next[static_cast<std::size_t>(rows[end / 2][end % 2])]++)] = end;

    std::vector<Eigen::Triplet<double>> triplets;
    triplets.reserve(static_cast<std::size_t>(entries));
    couplings.reserve(static_cast<std::size_t>(entries) - count);
    for (std::size_t r = 0; r < count; ++r) triplets.emplace_back(static_cast<int>(r), static_cast<int>(r), 0.0);
    for (std::size_t i = 0; i + 1 < first.size(); ++i)
      for (auto b = first[i]; b < first[i + 1]; ++b)
        for (auto a = first[i]; a < b; ++a) {
          const std::size_t high = ends[static_cast<std::size_t>(b)], low = ends[static_cast<std::size_t>(a)];
          const auto row = static_cast<std::int32_t>(high / 2), other = static_cast<std::int32_t>(low / 2);
          couplings.push_back({row, other, static_cast<std::int32_t>(i), 0, high % 2 == low % 2 ? 1.0 : -1.0});
          triplets.emplace_back(row, other, 0.0);
        }
    matrix.resize(static_cast<Index>(count), static_cast<Index>(count));
    matrix.setFromTriplets(triplets.begin(), triplets.end());
    matrix.makeCompressed();

    const auto entry_of = [this](std::int32_t row, std::int32_t column) {
      const std::int32_t* inner = matrix.innerIndexPtr();
      const std::int32_t* outer = matrix.outerIndexPtr() + column;
      return static_cast<std::int32_t>(std::lower_bound(inner + outer[0], inner + outer[1], row) - inner);
    };
    for (Coupling& c : couplings) c.entry = entry_of(c.row, c.other);
    diagonal_entry.resize(count);
    for (std::size_t r = 0; r < count; ++r)
      diagonal_entry[r] = entry_of(static_cast<std::int32_t>(r), static_cast<std::int32_t>(r));

    factor = std::make_unique<Factor>();
    if (count > 0) factor->analyzePattern(matrix);
    return true;
  }

  /// Solves for `solution`; false if it cannot be.
  template <ParticleSet P>
  bool solve(const P& particles) {
    double* const entries = matrix.valuePtr();
    std::fill(entries, entries + matrix.nonZeros(), 0.0);
    for (std::size_t r = 0; r < rows.size(); ++r) entries[diagonal_entry[r]] = diagonal[r];
    for (const Coupling& c : couplings) {
      const Direction& a = direction[static_cast<std::size_t>(c.row)];
      const Direction& b = direction[static_cast<std::size_t>(c.other)];
      const double along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
      if (along != 0) entries[c.entry] += c.sign * static_cast<double>(particles.inverse_mass(c.particle)) * along;
    }
    factor->factorize(matrix);
    if (factor->info() != Eigen::ComputationInfo{}) return false;  // the first is Success: of X11 a macro
    solution = factor->solve(right);
    return true;
  }
};

}  // namespace pbd::detail
