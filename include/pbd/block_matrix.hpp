// SPDX-License-Identifier: MIT
//
// 4. The matrix of a global solve: a Dim×Dim block a particle, and one a pair of particles that share a constraint.
// Comes in: the pairs. Leaves: blocks to add up, and the interface of whatever solves with them. In double, whatever
// the particles are made of: a stiff sheet's matrix is too badly conditioned for float. Next: block_cholesky.hpp
// solves, implicit_newton.hpp fills.
#pragma once

#include <pbd/particles.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <vector>

namespace pbd {

/// Dim numbers a particle: Dim×N.
template <int Dim>
using BlockVector = detail::Columns<double, Dim, Layout::interleaved>;

/// A symmetric matrix of N×N blocks, most of them 0.
template <int Dim>
struct BlockMatrix {
  using Block = Eigen::Matrix<double, Dim, Dim, Eigen::DontAlign>;
  using Pair = std::array<std::int32_t, 2>;

  std::vector<Pair> pairs;      ///< (i, j), i < j, ascending, each once: where the off-diagonal blocks are
  std::vector<Block> diagonal;  ///< block (i, i) of every particle
  std::vector<Block> coupling;  ///< block (i, j) of every pair; block (j, i) is its transpose

  [[nodiscard]] Index count() const noexcept { return static_cast<Index>(diagonal.size()); }

  void set_zero() noexcept {
    std::fill(diagonal.begin(), diagonal.end(), Block::Zero());
    std::fill(coupling.begin(), coupling.end(), Block::Zero());
  }

  /// Where the pair of i and j stands among `pairs`, in which it must be.
  [[nodiscard]] std::size_t find(std::int32_t i, std::int32_t j) const noexcept {
    const Pair pair{(std::min)(i, j), (std::max)(i, j)};
    return static_cast<std::size_t>(std::lower_bound(pairs.begin(), pairs.end(), pair) - pairs.begin());
  }

  /// out ← A · in. O(N + pairs).
  void multiply(const BlockVector<Dim>& in, BlockVector<Dim>& out) const noexcept {
    for (Index i = 0; i < count(); ++i) out.col(i).noalias() = diagonal[static_cast<std::size_t>(i)] * in.col(i);
    for (std::size_t p = 0; p < pairs.size(); ++p) {
      const auto [i, j] = pairs[p];
      out.col(i).noalias() += coupling[p] * in.col(j);
      out.col(j).noalias() += coupling[p].transpose() * in.col(i);
    }
  }
};

/// Zeros for N particles and any pairs, in any order and as often as they like; i ≠ j.
template <int Dim>
[[nodiscard]] BlockMatrix<Dim> make_block_matrix(Index count, std::vector<std::array<std::int32_t, 2>> pairs) {
  for (auto& pair : pairs)
    if (pair[0] > pair[1]) std::swap(pair[0], pair[1]);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  BlockMatrix<Dim> matrix;
  matrix.diagonal.resize(static_cast<std::size_t>(count));
  matrix.coupling.resize(pairs.size());
  matrix.pairs = std::move(pairs);
  matrix.set_zero();
  return matrix;
}

/// Whatever solves A·x = b for a symmetric, positive definite A:
///
///     void analyze(const BlockMatrix<Dim>& A, const BlockVector<Dim>& places);  // once; only the pairs count yet
///     void factorize(const BlockMatrix<Dim>& A) noexcept;
///     void solve(const BlockMatrix<Dim>& A, const BlockVector<Dim>& b, BlockVector<Dim>& x) noexcept;
///
/// `analyze` allocates what the other two need; `places` are where the particles are then. `solve` gets the A that was
/// factorized last. An x that is only near, or nothing like it, costs Newton steps and does no harm.
template <class S, int Dim>
concept LinearSolver = std::default_initializable<S> &&
    requires(S& solver, const BlockMatrix<Dim>& matrix, const BlockVector<Dim>& in, BlockVector<Dim>& out) {
  solver.analyze(matrix, in);
  { solver.factorize(matrix) }
  noexcept;
  { solver.solve(matrix, in, out) }
  noexcept;
};

}  // namespace pbd
