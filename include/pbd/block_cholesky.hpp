// SPDX-License-Identifier: MIT
//
// 4. A direct solve by Eigen's sparse Cholesky factorisation. Comes in: a BlockMatrix. Leaves: x with A·x = b.
// Next: implicit_newton.hpp.
#pragma once

#include <pbd/block_matrix.hpp>

#include <Eigen/SparseCholesky>

#include <memory>

namespace pbd {

/// A = L·Lᵀ. A factorisation allocates (Eigen's own affair).
template <int Dim>
struct BlockCholesky {
  Eigen::SparseMatrix<double> matrix;
  std::unique_ptr<Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>> cholesky;  // Eigen's cannot be moved

  void analyze(const BlockMatrix<Dim>& blocks, const BlockVector<Dim>&) {
    fill(blocks);
    cholesky = std::make_unique<Eigen::SimplicialLLT<Eigen::SparseMatrix<double>>>();
    cholesky->analyzePattern(matrix);
  }

  [[nodiscard]] bool factorize(const BlockMatrix<Dim>& blocks) noexcept {
    fill(blocks);
    cholesky->factorize(matrix);
    return cholesky->info() == Eigen::Success;
  }

  void solve(const BlockMatrix<Dim>&, const BlockVector<Dim>& b, BlockVector<Dim>& x) noexcept {
    const Eigen::Map<const Eigen::VectorXd> right(b.data(), b.size());
    Eigen::Map<Eigen::VectorXd>(x.data(), x.size()) = cholesky->solve(right);
  }

 private:
  void fill(const BlockMatrix<Dim>& blocks) {
    std::vector<Eigen::Triplet<double, int>> entries;
    for (std::size_t i = 0; i < blocks.diagonal.size(); ++i)
      for (int r = 0; r < Dim; ++r)
        for (int c = 0; c <= r; ++c)
          entries.emplace_back(static_cast<int>(i) * Dim + r, static_cast<int>(i) * Dim + c, blocks.diagonal[i](r, c));
    for (std::size_t p = 0; p < blocks.pairs.size(); ++p)
      for (int r = 0; r < Dim; ++r)
        for (int c = 0; c < Dim; ++c)
          entries.emplace_back(blocks.pairs[p][1] * Dim + r, blocks.pairs[p][0] * Dim + c, blocks.coupling[p](c, r));
    const auto size = static_cast<Index>(blocks.diagonal.size()) * Dim;
    matrix.resize(size, size);
    matrix.setFromTriplets(entries.begin(), entries.end());
  }
};

}  // namespace pbd
