// A matrix in single precision, stored by rows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>

#include "dyad/base/matrix_view.h"
#include "dyad/base/scratch_file.h"

namespace dyad {

/// An n_rows x n_cols matrix stored by rows and filled with zeros.
///
/// Each row begins on a cache line and is padded with zeros to whole cache lines: n_rows * stride * 4 bytes.
class FloatRows {
 public:
  static constexpr std::size_t line = 16;  ///< floats in a cache line

  FloatRows(std::size_t n_rows, std::size_t n_cols);
  /// Keeps the values in an unnamed file of `scratch_folder`. Throws as ScratchFile does.
  FloatRows(std::size_t n_rows, std::size_t n_cols, const std::string& scratch_folder);

  [[nodiscard]] std::size_t n_rows() const { return n_rows_; }
  [[nodiscard]] std::size_t n_cols() const { return n_cols_; }
  [[nodiscard]] std::size_t stride() const { return stride_; }  ///< n_cols rounded up to whole lines

  [[nodiscard]] std::span<float> row(std::size_t i) {
    assert(i < n_rows_);
    return {data_ + i * stride_, n_cols_};
  }
  [[nodiscard]] std::span<const float> row(std::size_t i) const {
    assert(i < n_rows_);
    return {data_ + i * stride_, n_cols_};
  }

 private:
  struct Free {
    void operator()(float* data) const;
  };

  std::size_t n_rows_;
  std::size_t n_cols_;
  std::size_t stride_;
  std::unique_ptr<float[], Free> memory_;
  std::optional<ScratchFile> scratch_;
  float* data_ = nullptr;  ///< in either
};

/// A matrix in single precision.
[[nodiscard]] FloatRows float_rows(const MatrixView& X);

/// Some rows.
[[nodiscard]] FloatRows gather(const FloatRows& X, std::span<const std::size_t> rows);

}  // namespace dyad
