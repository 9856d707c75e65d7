// Newton directions in single precision by conjugate gradients.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/linear/internal/row_arithmetic.h"

namespace dyad::internal {

/// Solves H d = `residual` roughly, multiply(p) being H p.
///
/// Starts from 0 and ends when the squared residual has fallen to the share `enough`, after 50 steps, or where H has no curvature.
template <class Multiply>
[[nodiscard]] std::vector<float> conjugate_gradients(std::vector<float> residual, float enough,
                                                     const Multiply& multiply) {
  std::vector<float> d(residual.size());
  std::vector<float> p = residual;
  float squared = product(residual, residual);
  const float target = enough * squared;
  for (int step = 0; step < 50 && squared > target; ++step) {
    const std::vector<float> q = multiply(p);
    const float curvature = product(p, q);
    if (!(curvature > 0)) break;
    const float length = squared / curvature;
    for (std::size_t j = 0; j < d.size(); ++j) {
      d[j] += length * p[j];
      residual[j] -= length * q[j];
    }
    const float last_squared = squared;
    squared = product(residual, residual);
    for (std::size_t j = 0; j < p.size(); ++j) p[j] = residual[j] + squared / last_squared * p[j];
  }
  return d;
}

}  // namespace dyad::internal
