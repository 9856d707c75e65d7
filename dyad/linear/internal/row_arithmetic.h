// Products of rows in single precision.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/float_rows.h"

namespace dyad::internal {

/// n rounded up to whole cache lines, the padded width of a row.
[[nodiscard]] constexpr std::size_t whole_lines(std::size_t n) {
  return (n + FloatRows::line - 1) / FloatRows::line * FloatRows::line;
}

/// x.w, for n that is a multiple of the line.
[[nodiscard]] double dot(const float* x, const double* w, std::size_t n);

/// w += a x, for any n.
void add(double a, const float* x, std::size_t n, double* w);

/// q += sum_k scale_k ((x_k, 1).p) (x_k, 1) over four rows, which share the loads of p and q.
///
/// p and q have n + 1 elements; n is a multiple of the line.
void add_four_products(const float* const* x, const float* scale, const float* p, std::size_t n, float* q);

/// u.v
template <class T>
[[nodiscard]] T product(const std::vector<T>& u, const std::vector<T>& v) {
  T sum = 0;
  for (std::size_t j = 0; j < u.size(); ++j) sum += u[j] * v[j];
  return sum;
}

}  // namespace dyad::internal
