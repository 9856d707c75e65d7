// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/internal/log_sum.h"

#include "dyad/base/simd.h"
#include "dyad/density/internal/gaussian.h"

namespace dyad::internal {
namespace {

/// exp(-s / 2), s being 0 where rounding made it less; of what is far, something that adds nothing.
[[gnu::always_inline]] inline double limited_gaussian(double s) {
  const double positive = s > 0 ? s : 0;
  return gaussian(positive < 1400 ? positive : 1400);
}

}  // namespace

DYAD_SIMD double kernel_sum(std::span<const double> x, double at, double h, double nearest) {
  const double* const points = x.data();
  return sum_in_chains(x.size(), [=](std::size_t i) {
    const double z = (points[i] - at) / h;
    return limited_gaussian(z * z - nearest);
  });
}

DYAD_SIMD double kernel_sum(std::span<const double> u, std::span<const double> v, double at_u, double at_v,
                            double nearest) {
  const double* const us = u.data();
  const double* const vs = v.data();
  return sum_in_chains(u.size(), [=](std::size_t i) {
    const double du = us[i] - at_u;
    const double dv = vs[i] - at_v;
    return limited_gaussian(du * du + dv * dv - nearest);
  });
}

}  // namespace dyad::internal
