// SPDX-License-Identifier: MIT
//
// 4. A direct solve: A = L·Lᵀ, front by front. Comes in: a BlockMatrix and where its particles are. Leaves: x with
// A·x = b. Every front is a small dense matrix of the particles that it eliminates and those that they are coupled to;
// what it leaves is added into its parent's (multifrontal, [Duff83]). Next: implicit_newton.hpp.
#pragma once

#include <pbd/detail/dense_front.hpp>
#include <pbd/detail/dissect.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace pbd {

/// A LinearSolver. On a sheet of n×n particles a factorisation takes O(n³), a solution and the memory O(n² log n);
/// neither allocates. Its results have the same bits whatever the registers are that it is run with.
template <int Dim>
class BlockCholesky {
 public:
  /// Chooses the order of elimination and reserves all memory.
  void analyze(const BlockMatrix<Dim>& matrix, const BlockVector<Dim>& places) {
    detail::Dissection dissection = detail::Dissector<Dim>(matrix, places)();
    order_ = std::move(dissection.order);
    std::vector<std::int32_t> place_of(order_.size());
    for (std::size_t k = 0; k < order_.size(); ++k) place_of[at(order_[k])] = static_cast<std::int32_t>(k);
    find_fronts(matrix, place_of, dissection.fronts);
    find_entries(matrix, place_of);
    reserve();
  }

  /// Skips a pivot that rounding has left without a positive value: its number does not move then.
  void factorize(const BlockMatrix<Dim>& matrix) noexcept {
    auto entry = entries_.begin();
    std::size_t waiting = 0;  // fronts whose parent is still to come
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
      const Front& front = fronts_[f];
      const detail::DenseFront dense = dense_front(front);
      clear_lower(dense.pivots, dense.stride, dense.count, dense.rows);
      clear_lower(dense.rest, dense.rest_stride, front.rest(), front.rest());
      const std::size_t end = front.factor + at(dense.count * dense.stride);
      for (; entry != entries_.end() && entry->to < end; ++entry) add_entry(*entry, matrix);
      for (std::int32_t child = 0; child < front.children; ++child) add_rest(fronts_[waiting_[--waiting]], dense);
      detail::eliminate<detail::native_width<double>, Dim>(dense);
      waiting_[waiting++] = f;
    }
  }

  void solve(const BlockMatrix<Dim>&, const BlockVector<Dim>& b, BlockVector<Dim>& x) noexcept {
    double* const local = local_.data();
    for (std::size_t k = 0; k < order_.size(); ++k) copy(&b(0, order_[k]), &sorted_[k * Dim]);
    for (const Front& front : fronts_) {
      std::fill_n(local, detail::padded(front.size * Dim), 0.0);
      for (std::int32_t r = 0; r < front.count; ++r) copy(row_of(front, r), local + r * Dim);
      detail::solve_forward<Dim>(dense_front(front), local);
      for (std::int32_t r = 0; r < front.count; ++r) copy(local + r * Dim, row_of(front, r));
      for (std::int32_t r = front.count; r < front.size; ++r)
        for (int d = 0; d < Dim; ++d) row_of(front, r)[d] += local[r * Dim + d];
    }
    for (auto front = fronts_.rbegin(); front != fronts_.rend(); ++front) {
      for (std::int32_t r = 0; r < front->size; ++r) copy(row_of(*front, r), local + r * Dim);
      detail::solve_backward<Dim>(dense_front(*front), local);
      for (std::int32_t r = 0; r < front->count; ++r) copy(local + r * Dim, row_of(*front, r));
    }
    for (std::size_t k = 0; k < order_.size(); ++k) copy(&sorted_[k * Dim], &x(0, order_[k]));
  }

  /// Numbers that the factor holds.
  [[nodiscard]] std::size_t factor_size() const noexcept { return factor_size_; }

 private:
  struct Front {
    std::int32_t first, count;  // what it eliminates: places in the order
    std::int32_t size;          // its rows: those, and what they are coupled to after them
    std::int32_t children;
    std::size_t rows;     // where its rows begin in rows_ and into_
    std::size_t factor;   // where its columns begin in factor_
    std::size_t rest_at;  // where what it leaves begins in rests_
    std::size_t parent;   // itself, if it has none

    [[nodiscard]] Index rest() const noexcept { return Index{size - count} * Dim; }
    [[nodiscard]] std::size_t rest_size() const noexcept { return at(rest() * detail::padded(rest())); }
  };
  struct Entry {
    std::size_t to, stride;  // where in factor_ the block begins, and its next column
    std::size_t from;        // a particle of the matrix, or one of its pairs
    bool is_pair, transposed;
  };

  std::vector<std::int32_t> order_;  // place → particle
  std::vector<Front> fronts_;        // children before parents
  std::vector<std::int32_t> rows_;   // of all fronts: places, ascending
  std::vector<std::int32_t> into_;   // beside it: the row of the front's parent that is the same place
  std::vector<std::int32_t>
      run_end_;  // and how far (in the rows after the front's own) its successors are successors there
  std::vector<Entry> entries_;
  std::vector<double> factor_, rests_, inverse_, sorted_, local_;
  std::vector<std::size_t> waiting_;

  template <class Integer>
  [[nodiscard]] static constexpr std::size_t at(Integer i) noexcept {
    return static_cast<std::size_t>(i);
  }
  static void copy(const double* from, double* to) noexcept { std::copy_n(from, Dim, to); }

  [[nodiscard]] double* row_of(const Front& front, std::int32_t row) noexcept {
    return &sorted_[at(rows_[front.rows + at(row)]) * Dim];
  }

  [[nodiscard]] detail::DenseFront dense_front(const Front& f) noexcept {
    const Index rows = Index{f.size} * Dim;
    return {factor_.data() + f.factor,
            rests_.data() + f.rest_at,
            inverse_.data() + at(f.first) * Dim,
            rows,
            Index{f.count} * Dim,
            detail::padded(rows),
            detail::padded(f.rest())};
  }

  /// Zeros the lower triangle, and what a tile on the diagonal reads above it.
  static void clear_lower(double* columns, Index stride, Index count, Index rows) noexcept {
    for (Index c = 0; c < count; ++c) {
      const Index first = c - c % (2 * Dim);
      std::fill_n(columns + c * stride + first, detail::padded(rows) - first, 0.0);
    }
  }

  void add_entry(const Entry& e, const BlockMatrix<Dim>& matrix) noexcept {
    const auto& block = e.is_pair ? matrix.coupling[e.from] : matrix.diagonal[e.from];
    for (int c = 0; c < Dim; ++c)
      for (int r = 0; r < Dim; ++r) factor_[e.to + at(c) * e.stride + at(r)] = e.transposed ? block(c, r) : block(r, c);
  }

  /// Adds what a child has left to the rows and columns of its parent that are the same places.
  void add_rest(const Front& child, const detail::DenseFront& parent) noexcept {
    const double* rest = rests_.data() + child.rest_at;
    const std::int32_t* into = &into_[child.rows + at(child.count)];
    const std::int32_t* run_end = &run_end_[child.rows + at(child.count)];
    const std::int32_t size = child.size - child.count;
    const Index stride = detail::padded(child.rest());
    for (std::int32_t c = 0; c < size; ++c)
      for (int d = 0; d < Dim; ++d, rest += stride) {
        const Index column = Index{into[c]} * Dim + d, past = column - parent.count;
        double* to =
            past < 0 ? parent.pivots + column * parent.stride : parent.rest + past * parent.rest_stride - parent.count;
        for (std::int32_t r = c; r < size;) {
          double* const sum = to + Index{into[r]} * Dim;
          const double* const part = rest + Index{r} * Dim;
          const Index numbers = Index{run_end[r] - r} * Dim;
          for (Index k = 0; k < numbers; ++k) sum[k] += part[k];
          r = run_end[r];
        }
      }
  }

  void find_fronts(const BlockMatrix<Dim>& matrix, const std::vector<std::int32_t>& place_of,
                   const std::vector<detail::Front>& dissected) {
    std::vector<std::vector<std::int32_t>> later(order_.size());
    for (const auto& pair : matrix.pairs) {
      const std::int32_t i = place_of[at(pair[0])], j = place_of[at(pair[1])];
      later[at((std::min)(i, j))].push_back((std::max)(i, j));
    }
    fronts_.clear();
    rows_.clear();
    into_.clear();
    run_end_.clear();
    std::size_t factor = 0;
    std::vector<std::size_t> waiting;
    for (const detail::Front& d : dissected) {
      const std::size_t begin = rows_.size(), first_child = waiting.size() - at(d.children);
      const std::int32_t end = d.first + d.count;
      std::vector<std::int32_t> rest;
      for (std::int32_t k = d.first; k < end; ++k) {
        rows_.push_back(k);
        for (const std::int32_t row : later[at(k)])
          if (row >= end) rest.push_back(row);
      }
      for (std::size_t child = first_child; child < waiting.size(); ++child)
        for (const std::int32_t row : rest_of(fronts_[waiting[child]]))
          if (row >= end) rest.push_back(row);
      std::sort(rest.begin(), rest.end());
      rest.erase(std::unique(rest.begin(), rest.end()), rest.end());
      rows_.insert(rows_.end(), rest.begin(), rest.end());
      into_.resize(rows_.size());
      run_end_.resize(rows_.size());
      const auto size = static_cast<std::int32_t>(rows_.size() - begin);
      for (; waiting.size() > first_child; waiting.pop_back()) {
        Front& child = fronts_[waiting.back()];
        child.parent = fronts_.size();
        for (std::int32_t r = child.size - 1; r >= child.count; --r) {
          const std::size_t row = child.rows + at(r);
          into_[row] = row_in(begin, rows_[row]);
          const bool goes_on = r + 1 < child.size && into_[row + 1] == into_[row] + 1;
          run_end_[row] = goes_on ? run_end_[row + 1] : r + 1 - child.count;
        }
      }
      waiting.push_back(fronts_.size());
      fronts_.push_back({d.first, d.count, size, d.children, begin, factor, 0, fronts_.size()});
      factor += at(Index{d.count} * Dim * detail::padded(Index{size} * Dim));
    }
    factor_size_ = factor;
  }

  [[nodiscard]] std::span<const std::int32_t> rest_of(const Front& front) const noexcept {
    return {rows_.data() + front.rows + front.count, at(front.size - front.count)};
  }

  /// The row, of those from `begin` on, that is a place.
  [[nodiscard]] std::int32_t row_in(std::size_t begin, std::int32_t place) const noexcept {
    const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(begin);
    return static_cast<std::int32_t>(std::lower_bound(first, rows_.end(), place) - first);
  }

  void find_entries(const BlockMatrix<Dim>& matrix, const std::vector<std::int32_t>& place_of) {
    std::vector<std::size_t> front_of(order_.size());
    for (std::size_t f = 0; f < fronts_.size(); ++f)
      for (std::int32_t k = 0; k < fronts_[f].count; ++k) front_of[at(fronts_[f].first + k)] = f;
    entries_.clear();
    const auto append = [&](std::int32_t i, std::int32_t j, std::size_t from) {
      const std::int32_t a = place_of[at(i)], b = place_of[at(j)], column = (std::min)(a, b), row = (std::max)(a, b);
      const Front& front = fronts_[front_of[at(column)]];
      const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(front.rows);
      const auto r = std::lower_bound(first, first + front.size, row) - first;
      const std::size_t stride = at(detail::padded(Index{front.size} * Dim));
      entries_.push_back(
          {front.factor + at(column - front.first) * Dim * stride + at(r) * Dim, stride, from, i != j, a < b});
    };
    for (std::size_t i = 0; i < order_.size(); ++i)
      append(static_cast<std::int32_t>(i), static_cast<std::int32_t>(i), i);
    for (std::size_t p = 0; p < matrix.pairs.size(); ++p) append(matrix.pairs[p][0], matrix.pairs[p][1], p);
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) { return a.to < b.to; });
  }

  /// What fronts leave waits on two stacks, that of a front on the other one than those of its children: it can be made
  /// while theirs are read, and the last to come is the first to go.
  void reserve() {
    std::vector<char> odd(fronts_.size(), 0);
    for (std::size_t f = fronts_.size(); f-- > 0;)
      if (fronts_[f].parent != f) odd[f] = !odd[fronts_[f].parent];
    std::array<std::size_t, 2> used{}, most{};
    std::vector<std::size_t> waiting;
    Index rows = 0;
    for (std::size_t f = 0; f < fronts_.size(); ++f) {
      auto& top = used[at(odd[f])];
      fronts_[f].rest_at = top;
      top += fronts_[f].rest_size();
      most[at(odd[f])] = (std::max)(most[at(odd[f])], top);
      for (std::int32_t child = 0; child < fronts_[f].children; ++child, waiting.pop_back())
        used[at(!odd[f])] -= fronts_[waiting.back()].rest_size();
      waiting.push_back(f);
      rows = (std::max)(rows, Index{fronts_[f].size} * Dim);
    }
    for (std::size_t f = 0; f < fronts_.size(); ++f)
      if (odd[f]) fronts_[f].rest_at += most[0];
    constexpr std::size_t overrun = 4;
    factor_.assign(factor_size_ + overrun, 0);
    rests_.assign(most[0] + most[1] + overrun, 0);
    inverse_.assign(order_.size() * Dim, 0);
    sorted_.assign(order_.size() * Dim, 0);
    local_.assign(at(detail::padded(rows)), 0);
    waiting_.assign(fronts_.size(), 0);
  }

  std::size_t factor_size_ = 0;
};

}  // namespace pbd
