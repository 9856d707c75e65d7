// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/standardisation.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dyad/base/simd.h"
#include "dyad/data/summary.h"
#include "dyad/linear/internal/row_arithmetic.h"

namespace dyad {
namespace {

constexpr std::size_t rows_per_block = 1024;

std::size_t block_count(const FloatRows& X) { return (X.n_rows() + rows_per_block - 1) / rows_per_block; }

/// Calls visit(k, i) for the rows i of each block k.
template <class Visit>
void for_rows_in_blocks(const FloatRows& X, const Execution& execution, const Visit& visit) {
  parallel_for(block_count(X), execution, "", [&](std::size_t k) {
    const std::size_t end = std::min(X.n_rows(), (k + 1) * rows_per_block);
    for (std::size_t i = k * rows_per_block; i < end; ++i) visit(k, i);
  });
}

DYAD_SIMD void add_squares_to(const float* row, double weight, const double* centre, std::size_t n,
                              double* sum) {
  for (std::size_t j = 0; j < n; ++j) {
    const double d = static_cast<double>(row[j]) - centre[j];
    sum[j] += weight * (d * d);
  }
}

DYAD_SIMD void centre_and_scale(const double* centre, const double* factor, std::size_t n, float* row) {
  for (std::size_t j = 0; j < n; ++j)
    row[j] = static_cast<float>((static_cast<double>(row[j]) - centre[j]) * factor[j]);
}

/// Sums of add(i, row, sums) over the rows: within blocks of rows first, then over the blocks in order.
template <class Add>
std::vector<double> column_sums(const FloatRows& X, const Execution& execution, const Add& add) {
  std::vector<std::vector<double>> parts(block_count(X), std::vector<double>(X.n_cols()));
  for_rows_in_blocks(X, execution,
                     [&](std::size_t k, std::size_t i) { add(i, X.row(i).data(), parts[k].data()); });
  std::vector<double> sums(X.n_cols());
  for (const std::vector<double>& part : parts)
    for (std::size_t j = 0; j < sums.size(); ++j) sums[j] += part[j];
  return sums;
}

/// sd, or 0 if it is within rounding of a constant column.
double scale_of(double sd, double centre) { return sd > 1e-12 * std::abs(centre) ? sd : 0; }

}  // namespace

Standardisation standardisation_of(const MatrixView& X) {
  Standardisation result;
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    const double centre = mean(X.column(j));
    result.centre.push_back(centre);
    result.scale.push_back(scale_of(standard_deviation(X.column(j)), centre));
  }
  return result;
}

Matrix standardised(const MatrixView& X, const Standardisation& standardisation) {
  Matrix Z(X.n_rows, X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    const double centre = standardisation.centre[j];
    const double scale = standardisation.scale[j];
    if (scale == 0) continue;
    const auto from = X.column(j);
    const auto to = Z.column(j);
    for (std::size_t i = 0; i < X.n_rows; ++i) to[i] = (from[i] - centre) / scale;
  }
  return Z;
}

Standardisation standardisation_of(const FloatRows& X, const Execution& execution,
                                   const WeightsView& weights) {
  const double n = std::max(weights.total(X.n_rows()), std::numeric_limits<double>::min());
  Standardisation result;
  result.centre = column_sums(X, execution, [&](std::size_t i, const float* row, double* sum) {
    internal::add(weights[i], row, X.n_cols(), sum);
  });
  for (double& centre : result.centre) centre /= n;
  result.scale = column_sums(X, execution, [&](std::size_t i, const float* row, double* sum) {
    add_squares_to(row, weights[i], result.centre.data(), X.n_cols(), sum);
  });
  for (std::size_t j = 0; j < X.n_cols(); ++j)
    result.scale[j] = scale_of(std::sqrt(result.scale[j] / one_less(n)), result.centre[j]);
  return result;
}

void apply(const Standardisation& standardisation, FloatRows& X, const Execution& execution) {
  std::vector<double> factor(X.n_cols());
  for (std::size_t j = 0; j < X.n_cols(); ++j)
    factor[j] = standardisation.scale[j] == 0 ? 0 : 1 / standardisation.scale[j];
  for_rows_in_blocks(X, execution, [&](std::size_t, std::size_t i) {
    centre_and_scale(standardisation.centre.data(), factor.data(), X.n_cols(), X.row(i).data());
  });
}

}  // namespace dyad
