// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/row_arithmetic.h"

#include "dyad/base/simd.h"

namespace dyad::internal {

constexpr std::size_t line = FloatRows::line;

// Separate sums let the compiler use whole registers.

DYAD_SIMD double dot(const float* x, const double* w, std::size_t n) {
  double sum[2 * line] = {};
  std::size_t j = 0;
  for (; j + 2 * line <= n; j += 2 * line)
    for (std::size_t l = 0; l < 2 * line; ++l) sum[l] += static_cast<double>(x[j + l]) * w[j + l];
  for (; j < n; j += line)
    for (std::size_t l = 0; l < line; ++l) sum[l] += static_cast<double>(x[j + l]) * w[j + l];
  double part[8];
  for (std::size_t l = 0; l < 8; ++l) part[l] = (sum[l] + sum[l + 8]) + (sum[l + 16] + sum[l + 24]);
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

DYAD_SIMD void add(double a, const float* x, std::size_t n, double* w) {
  for (std::size_t j = 0; j < n; ++j) w[j] += a * static_cast<double>(x[j]);
}

DYAD_SIMD void add_four_products(const float* const* x, const float* scale, const float* p, std::size_t n,
                                 float* q) {
  const float* const x0 = x[0];
  const float* const x1 = x[1];
  const float* const x2 = x[2];
  const float* const x3 = x[3];
  float sum[4][line] = {};
  for (std::size_t j = 0; j < n; j += line)
    for (std::size_t l = 0; l < line; ++l) {
      sum[0][l] += x0[j + l] * p[j + l];
      sum[1][l] += x1[j + l] * p[j + l];
      sum[2][l] += x2[j + l] * p[j + l];
      sum[3][l] += x3[j + l] * p[j + l];
    }
  float c[4];
  for (std::size_t k = 0; k < 4; ++k) {
    float part[8];
    for (std::size_t l = 0; l < 8; ++l) part[l] = sum[k][l] + sum[k][l + 8];
    c[k] = scale[k] *
           (p[n] + ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7])));
  }
  for (std::size_t j = 0; j < n; ++j) q[j] += (c[0] * x0[j] + c[1] * x1[j]) + (c[2] * x2[j] + c[3] * x3[j]);
  q[n] += (c[0] + c[1]) + (c[2] + c[3]);
}

}  // namespace dyad::internal
