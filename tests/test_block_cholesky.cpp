// SPDX-License-Identifier: MIT
#include "catch.hpp"
#include "support.hpp"
#include <pbd/block_cholesky.hpp>

#include <Eigen/Cholesky>

using namespace support;

namespace {

using Pairs = std::vector<std::array<std::int32_t, 2>>;

Pairs grid(int columns, int rows) {
  Pairs pairs;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      for (const auto& [dc, dr] : {std::array{1, 0}, {0, 1}, {1, 1}, {-1, 1}})
        if (c + dc >= 0 && c + dc < columns && r + dr < rows)
          pairs.push_back({r * columns + c, (r + dr) * columns + c + dc});
  return pairs;
}

/// Positive definite, with blocks that are not symmetric.
template <int Dim>
pbd::BlockMatrix<Dim> fill(Index count, const Pairs& pairs) {
  auto matrix = pbd::make_block_matrix<Dim>(count, pairs);
  Random random(7);
  for (std::size_t i = 0; i < matrix.diagonal.size(); ++i) matrix.diagonal[i].diagonal().setConstant(random(0.1, 1));
  for (std::size_t p = 0; p < matrix.pairs.size(); ++p) {
    Eigen::Matrix<double, Dim, 2 * Dim> root;
    for (double& number : root.reshaped()) number = random(-3, 3);
    const Eigen::Matrix<double, 2 * Dim, 2 * Dim> part = root.transpose() * root;
    const auto [i, j] = matrix.pairs[p];
    matrix.diagonal[static_cast<std::size_t>(i)] += part.template topLeftCorner<Dim, Dim>();
    matrix.diagonal[static_cast<std::size_t>(j)] += part.template bottomRightCorner<Dim, Dim>();
    matrix.coupling[p] += part.template topRightCorner<Dim, Dim>();
  }
  return matrix;
}

template <int Dim>
pbd::BlockVector<Dim> random_vector(Index count, std::uint64_t seed) {
  pbd::BlockVector<Dim> vector(Dim, count);
  Random random(seed);
  for (double& number : vector.reshaped()) number = random(-1, 1);
  return vector;
}

template <int Dim>
Eigen::MatrixXd dense(const pbd::BlockMatrix<Dim>& matrix) {
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(matrix.count() * Dim, matrix.count() * Dim);
  for (Index i = 0; i < matrix.count(); ++i)
    all.block<Dim, Dim>(i * Dim, i * Dim) = matrix.diagonal[static_cast<std::size_t>(i)];
  for (std::size_t p = 0; p < matrix.pairs.size(); ++p) {
    const auto [i, j] = matrix.pairs[p];
    all.block<Dim, Dim>(i * Dim, j * Dim) = matrix.coupling[p];
    all.block<Dim, Dim>(j * Dim, i * Dim) = matrix.coupling[p].transpose();
  }
  return all;
}

template <int Dim>
void compare_with_eigen(Index count, const Pairs& pairs, const pbd::BlockVector<Dim>& places) {
  const auto matrix = fill<Dim>(count, pairs);
  const auto b = random_vector<Dim>(count, 3);
  pbd::BlockVector<Dim> x = b, product = b;
  pbd::BlockCholesky<Dim> cholesky;
  cholesky.analyze(matrix, places);
  for (int again = 0; again < 2; ++again) {  // the second time in memory that has been used
    cholesky.factorize(matrix);
    cholesky.solve(matrix, b, x);
    const Eigen::VectorXd expected = dense(matrix).llt().solve(Eigen::Map<const Eigen::VectorXd>(b.data(), b.size()));
    CHECK((Eigen::Map<const Eigen::VectorXd>(x.data(), x.size()) - expected).norm() <= 1e-10 * expected.norm());
    matrix.multiply(x, product);
    CHECK((product - b).norm() <= 1e-11 * b.norm());
  }
}

template <int width>
void same_as_scalar(const std::vector<double>& pivots, Index rows, Index count) {
  const Index stride = pbd::detail::padded(rows), rest_stride = pbd::detail::padded(rows - count);
  const auto run = [&]<int w>(std::integral_constant<int, w>) {
    std::vector<double> columns = pivots, rest(static_cast<std::size_t>(rest_stride * (rows - count) + 4), 1.0);
    std::vector<double> inverse(static_cast<std::size_t>(count));
    pbd::detail::eliminate<w, 3>({columns.data(), rest.data(), inverse.data(), rows, count, stride, rest_stride});
    std::vector<double> lower;
    for (Index c = 0; c < rows; ++c)
      for (Index r = c; r < rows; ++r)
        lower.push_back(c < count ? columns[static_cast<std::size_t>(c * stride + r)]
                                  : rest[static_cast<std::size_t>((c - count) * rest_stride + r - count)]);
    return lower;
  };
  const auto scalar = run(std::integral_constant<int, 1>{});
  CHECK(same_bits(scalar, run(std::integral_constant<int, width>{})));
}

}  // namespace

TEMPLATE_TEST_CASE_SIG("a block matrix multiplies like the dense one", "[block_matrix]", ((int Dim), Dim), 2, 3) {
  const auto matrix = fill<Dim>(12, grid(4, 3));
  const auto in = random_vector<Dim>(12, 5);
  pbd::BlockVector<Dim> out(Dim, 12);
  matrix.multiply(in, out);
  const Eigen::VectorXd expected = dense(matrix) * Eigen::Map<const Eigen::VectorXd>(in.data(), in.size());
  CHECK((Eigen::Map<const Eigen::VectorXd>(out.data(), out.size()) - expected).norm() < 1e-13 * expected.norm());
}

TEST_CASE("pairs are kept once, in order, whichever way round they come", "[block_matrix]") {
  const auto matrix = pbd::make_block_matrix<2>(4, {{3, 1}, {0, 1}, {1, 3}, {1, 0}, {2, 3}});
  CHECK(matrix.pairs == Pairs{{0, 1}, {1, 3}, {2, 3}});
  CHECK(matrix.coupling.size() == 3);
  CHECK(matrix.find(3, 1) == 1);
  CHECK(matrix.find(2, 3) == 2);
}

TEMPLATE_TEST_CASE_SIG("block Cholesky solves what Eigen's dense Cholesky solves", "[block_cholesky]", ((int Dim), Dim),
                       2, 3) {
  SECTION("a sheet") {
    const int columns = GENERATE(1, 2, 5, 13), rows = GENERATE(1, 4, 11);
    pbd::BlockVector<Dim> places = pbd::BlockVector<Dim>::Zero(Dim, columns * rows);
    for (int i = 0; i < columns * rows; ++i) places.col(i).template head<2>() << i % columns, i / columns;
    compare_with_eigen<Dim>(columns * rows, grid(columns, rows), places);
  }
  SECTION("a sheet crumpled to a point, or scattered") {
    compare_with_eigen<Dim>(80, grid(10, 8), pbd::BlockVector<Dim>::Zero(Dim, 80));
    compare_with_eigen<Dim>(80, grid(10, 8), random_vector<Dim>(80, 9));
  }
  SECTION("two sheets that nothing joins, and lone particles") {
    Pairs pairs = grid(6, 6);
    for (const auto& [i, j] : grid(6, 6)) pairs.push_back({i + 40, j + 40});
    compare_with_eigen<Dim>(80, pairs, random_vector<Dim>(80, 9));
    compare_with_eigen<Dim>(30, {}, random_vector<Dim>(30, 9));
  }
  SECTION("a star, and everyone joined to everyone") {
    Pairs star, all;
    for (int i = 1; i < 40; ++i) star.push_back({0, i});
    for (int i = 0; i < 25; ++i)
      for (int j = 0; j < i; ++j) all.push_back({i, j});
    compare_with_eigen<Dim>(40, star, random_vector<Dim>(40, 9));
    compare_with_eigen<Dim>(25, all, random_vector<Dim>(25, 9));
  }
  SECTION("one, and none") {
    compare_with_eigen<Dim>(1, {}, random_vector<Dim>(1, 9));
    pbd::BlockCholesky<Dim> cholesky;
    pbd::BlockVector<Dim> nothing(Dim, 0);
    const auto matrix = fill<Dim>(0, {});
    cholesky.analyze(matrix, nothing);
    cholesky.factorize(matrix);
    cholesky.solve(matrix, nothing, nothing);
  }
}

TEST_CASE("a sheet's factor grows as the particles times their logarithm", "[block_cholesky]") {
  // nested dissection of n×n with nine-point coupling fills in at most 31/4 n² log2 n blocks [George73]
  for (const int n : {16, 32, 64}) {
    pbd::BlockVector<3> places = pbd::BlockVector<3>::Zero(3, n * n);
    for (int i = 0; i < n * n; ++i) places.col(i) << 0.1 * (i % n), 0.1 * (i / n), 0;
    pbd::BlockCholesky<3> flat, crumpled;
    const auto matrix = pbd::make_block_matrix<3>(n * n, grid(n, n));
    flat.analyze(matrix, places);
    crumpled.analyze(matrix, pbd::BlockVector<3>::Zero(3, n * n));
    const double bound = 9 * 31.0 / 4 * n * n * std::log2(n);
    CHECK(static_cast<double>(flat.factor_size()) < bound);
    CHECK(static_cast<double>(crumpled.factor_size()) < 2.5 * bound);
  }
}

TEST_CASE("a number without a positive pivot stays and the others are solved", "[block_cholesky]") {
  auto matrix = fill<2>(20, grid(5, 4));
  const auto last = matrix;
  matrix.diagonal[7].setZero();  // of particle 7, nothing is known, nor coupled
  for (std::size_t p = 0; p < matrix.pairs.size(); ++p)
    if (matrix.pairs[p][0] == 7 || matrix.pairs[p][1] == 7) matrix.coupling[p].setZero();
  const auto b = random_vector<2>(20, 3);
  pbd::BlockVector<2> x = b, product = b;
  pbd::BlockCholesky<2> cholesky;
  cholesky.analyze(matrix, random_vector<2>(20, 9));
  cholesky.factorize(matrix);
  cholesky.solve(matrix, b, x);
  CHECK(x.col(7).norm() == 0);
  matrix.multiply(x, product);
  product.col(7) = b.col(7);
  CHECK((product - b).norm() < 1e-11);
  cholesky.factorize(last);  // and nothing of it remains
  cholesky.solve(last, b, x);
  last.multiply(x, product);
  CHECK((product - b).norm() < 1e-11);
}

TEST_CASE("elimination gives the same bits in registers of any width", "[block_cholesky]") {
  for (const Index count : {3, 6, 15, 36})
    for (const Index rest : {0, 3, 9, 30}) {
      const Index rows = count + rest, stride = pbd::detail::padded(rows);
      std::vector<double> pivots(static_cast<std::size_t>(stride * count + 4), 0.0);
      Random random(5);
      for (Index c = 0; c < count; ++c)
        for (Index r = c; r < rows; ++r) pivots[static_cast<std::size_t>(c * stride + r)] = r == c ? 50 : random(-1, 1);
      if constexpr (pbd::detail::native_width < double >> 1) same_as_scalar<2>(pivots, rows, count);
      if constexpr (pbd::detail::native_width < double >> 2) same_as_scalar<4>(pivots, rows, count);
    }
}
