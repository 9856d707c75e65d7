// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/chances.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "dyad/base/exponential.h"
#include "dyad/base/simd.h"
#include "dyad/base/vector_math.h"

namespace dyad {
namespace {

/// Rows whose numbers stay in the nearest cache.
constexpr std::size_t rows_of_block = 256;
using RowBlock = std::array<double, rows_of_block>;

DYAD_SIMD void take_larger(const double* from, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] = to[i] < from[i] ? from[i] : to[i];
}

/// out[i] = exp(scores[i] - highest[i]), added to sums[i].
DYAD_SIMD void add_exponentials(const double* scores, const double* highest, std::size_t n, double* out,
                                double* sums) {
  for (std::size_t i = 0; i < n; ++i) {
    const double below = scores[i] - highest[i];
    out[i] = exponential(below < -700.0 ? -700.0 : below);
    sums[i] += out[i];
  }
}

DYAD_SIMD void multiply(const double* factors, std::size_t n, double* numbers) {
  for (std::size_t i = 0; i < n; ++i) numbers[i] *= factors[i];
}

}  // namespace

void to_chances(const MatrixView& scores, Matrix& chances, std::span<double> log_sums) {
  assert(log_sums.size() == scores.n_rows);
  RowBlock highest;
  RowBlock sums;
  for (std::size_t first = 0; first < scores.n_rows; first += rows_of_block) {
    const std::size_t n = std::min(rows_of_block, scores.n_rows - first);
    std::copy_n(scores.column(0).data() + first, n, highest.data());
    for (std::size_t k = 1; k < scores.n_cols; ++k)
      take_larger(scores.column(k).data() + first, n, highest.data());
    sums.fill(0);
    for (std::size_t k = 0; k < scores.n_cols; ++k)
      add_exponentials(scores.column(k).data() + first, highest.data(), n, chances.column(k).data() + first,
                       sums.data());
    for (std::size_t i = 0; i < n; ++i) log_sums[first + i] = sums[i];
    for (std::size_t i = 0; i < n; ++i) sums[i] = 1 / sums[i];
    for (std::size_t k = 0; k < scores.n_cols; ++k)
      multiply(sums.data(), n, chances.column(k).data() + first);
    take_logarithms(log_sums.subspan(first, n));
    for (std::size_t i = 0; i < n; ++i) log_sums[first + i] += highest[i];
  }
}

}  // namespace dyad
