// A matrix in single precision, stored by rows, in memory or on a disk.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>

#include "dyad/base/matrix_view.h"

namespace dyad {

/// Gives back what a FloatRows holds.
struct FreeFloats {
  std::size_t mapped_bytes = 0;  ///< of a file; 0 if the values are in memory
  void operator()(float* data) const;
};

/// An n_rows x n_cols matrix stored by rows and filled with zeros.
///
/// Each row begins on a cache line and is padded with zeros to whole cache lines: n_rows * stride * 4 bytes.
class FloatRows {
 public:
  static constexpr std::size_t line = 16;  ///< floats in a cache line

  FloatRows(std::size_t n_rows, std::size_t n_cols);
  /// Keeps the values in an unnamed file of `scratch_folder`. Throws std::runtime_error with the folder, the
  /// size and the reason if there is no room, or it cannot be written to.
  FloatRows(std::size_t n_rows, std::size_t n_cols, const std::string& scratch_folder);

  [[nodiscard]] std::size_t n_rows() const { return n_rows_; }
  [[nodiscard]] std::size_t n_cols() const { return n_cols_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }  ///< n_cols rounded up to whole lines

  [[nodiscard]] std::span<float> row(std::size_t i) {
    assert(i < n_rows_);
    return {data_.get() + i * stride_, n_cols_};
  }
  [[nodiscard]] std::span<const float> row(std::size_t i) const {
    assert(i < n_rows_);
    return {data_.get() + i * stride_, n_cols_};
  }

 private:
  std::size_t n_rows_;
  std::size_t n_cols_;
  std::size_t stride_;
  std::unique_ptr<float[], FreeFloats> data_;
};

/// A matrix in single precision.
[[nodiscard]] FloatRows float_rows(const MatrixView& X);

/// Some rows.
[[nodiscard]] FloatRows gather(const FloatRows& X, std::span<const std::size_t> rows);

}  // namespace dyad
