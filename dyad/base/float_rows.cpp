// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/float_rows.h"

#include <algorithm>
#include <new>

namespace dyad {
namespace {

constexpr std::align_val_t alignment{FloatRows::line * sizeof(float)};

}  // namespace

FloatRows::FloatRows(std::size_t n_rows, std::size_t n_cols)
    : n_rows_(n_rows), n_cols_(n_cols), stride_((n_cols + line - 1) / line * line) {
  const std::size_t size = n_rows_ * stride_;
  memory_.reset(static_cast<float*>(::operator new(size * sizeof(float), alignment)));
  data_ = memory_.get();
  std::fill_n(data_, size, 0.0F);
}

FloatRows::FloatRows(std::size_t n_rows, std::size_t n_cols, const std::string& scratch_folder)
    : n_rows_(n_rows), n_cols_(n_cols), stride_((n_cols + line - 1) / line * line) {
  scratch_.emplace(scratch_folder, n_rows_ * stride_ * sizeof(float));
  data_ = static_cast<float*>(scratch_->data());
}

void FloatRows::Free::operator()(float* data) const { ::operator delete(data, alignment); }

FloatRows float_rows(const MatrixView& X) {
  FloatRows result(X.n_rows, X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    const auto column = X.column(j);
    for (std::size_t i = 0; i < X.n_rows; ++i) result.row(i)[j] = static_cast<float>(column[i]);
  }
  return result;
}

FloatRows gather(const FloatRows& X, std::span<const std::size_t> rows) {
  FloatRows result(rows.size(), X.n_cols());
  for (std::size_t k = 0; k < rows.size(); ++k) std::ranges::copy(X.row(rows[k]), result.row(k).begin());
  return result;
}

}  // namespace dyad
