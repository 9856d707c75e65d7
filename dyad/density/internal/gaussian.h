// Gaussian kernels, their derivatives and sums of them, to be inlined into functions that are compiled for
// several instruction sets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

#include "dyad/base/exponential.h"

namespace dyad::internal {

/// exp(-s / 2) for 0 <= s <= 1400.
[[gnu::always_inline]] inline double gaussian(double s) { return exponential(-0.5 * s); }

/// He_order(z) of s = z^2, for order 4, 6 or 8.
[[gnu::always_inline]] inline double hermite(int order, double s) {
  if (order == 4) return (s - 6) * s + 3;
  if (order == 6) return ((s - 15) * s + 45) * s - 15;
  return (((s - 28) * s + 210) * s - 420) * s + 105;
}

/// The sum of term(i), i = 0 .. n - 1: separate sums let the compiler use whole registers.
template <class Term>
[[gnu::always_inline]] inline double sum_in_chains(std::size_t n, const Term& term) {
  constexpr std::size_t chains = 16;
  double sums[chains] = {};
  std::size_t i = 0;
  for (; i + chains <= n; i += chains)
    for (std::size_t c = 0; c < chains; ++c) sums[c] += term(i + c);
  for (std::size_t c = 0; i < n; ++i, ++c) sums[c] += term(i);
  for (std::size_t half = chains / 2; half > 0; half /= 2)
    for (std::size_t c = 0; c < half; ++c) sums[c] += sums[c + half];
  return sums[0];
}

}  // namespace dyad::internal
