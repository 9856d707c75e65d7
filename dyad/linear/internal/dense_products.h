// Products of the columns of tall matrices, at the full width of the machine's registers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace dyad::internal {

/// Numbers in the widest register.
template <class T>
constexpr std::size_t numbers_of_register = 64 / sizeof(T);

template <class T>
[[nodiscard]] constexpr std::size_t whole_registers(std::size_t n) {
  constexpr std::size_t width = numbers_of_register<T>;
  return (n + width - 1) / width * width;
}

/// A square matrix stored by rows of whole registers.
template <class T>
class SquareRows {
 public:
  explicit SquareRows(std::size_t size)
      : size_(size), stride_(whole_registers<T>(size)), values_(stride_ * stride_) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }
  [[nodiscard]] T* row(std::size_t i) { return values_.data() + i * stride_; }
  [[nodiscard]] const T* row(std::size_t i) const { return values_.data() + i * stride_; }

 private:
  std::size_t size_;
  std::size_t stride_;
  std::vector<T> values_;
};

/// A block of rows, stored by panels of columns as wide as a register.
template <class T>
class Panels {
 public:
  static constexpr std::size_t width = numbers_of_register<T>;

  Panels(std::size_t n_cols, std::size_t most_rows)
      : count_(whole_registers<T>(n_cols) / width),
        most_rows_(most_rows),
        values_(count_ * most_rows * width) {}

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] T* panel(std::size_t p) { return values_.data() + p * most_rows_ * width; }
  [[nodiscard]] const T* panel(std::size_t p) const { return values_.data() + p * most_rows_ * width; }
  void set_row(std::size_t r, std::span<const T> row) {
    for (std::size_t j = 0; j < row.size(); j += width)
      std::copy_n(row.data() + j, std::min(width, row.size() - j), panel(j / width) + r * width);
  }

 private:
  std::size_t count_;
  std::size_t most_rows_;
  std::vector<T> values_;
};

/// Adds factor sum_r rows(r, i) rows(r, j), r < n_rows, to the entries j of row i of a square, `stride`
/// apart, for the columns j of the panels from `first` on and at least all i <= j.
void add_products(const Panels<float>& rows, std::size_t n_rows, std::size_t first, float factor, float* to,
                  std::size_t stride);
void add_products(const Panels<double>& rows, std::size_t n_rows, std::size_t first, double factor,
                  double* to, std::size_t stride);

}  // namespace dyad::internal
