// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/internal/hermite_sum.h"

#include <cassert>

#include "dyad/base/simd.h"
#include "dyad/density/internal/gaussian.h"

namespace dyad::internal {
namespace {

/// He_Order(z), of s = z^2.
template <int Order>
[[gnu::always_inline]] inline double hermite(double s) {
  if constexpr (Order == 4) return (s - 6) * s + 3;
  if constexpr (Order == 6) return ((s - 15) * s + 45) * s - 15;
  if constexpr (Order == 8) return (((s - 28) * s + 210) * s - 420) * s + 105;
}

template <int Order>
[[gnu::always_inline]] inline double sum_of(std::span<const double> x, double centre, double g) {
  const double* const values = x.data();
  const double factor = 1 / g;
  return sum_in_chains(x.size(), [=](std::size_t i) {
    const double z = (values[i] - centre) * factor;
    return hermite<Order>(z * z) * gaussian(z * z);
  });
}

DYAD_SIMD double sum_4(std::span<const double> x, double centre, double g) { return sum_of<4>(x, centre, g); }
DYAD_SIMD double sum_6(std::span<const double> x, double centre, double g) { return sum_of<6>(x, centre, g); }
DYAD_SIMD double sum_8(std::span<const double> x, double centre, double g) { return sum_of<8>(x, centre, g); }

}  // namespace

double hermite_sum(std::span<const double> x, double centre, double g, int order) {
  assert(order == 4 || order == 6 || order == 8);
  return order == 4 ? sum_4(x, centre, g) : order == 6 ? sum_6(x, centre, g) : sum_8(x, centre, g);
}

}  // namespace dyad::internal
