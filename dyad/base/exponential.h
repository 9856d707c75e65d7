// The exponential function, to be inlined into functions that are compiled for several instruction sets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <numbers>

namespace dyad {

/// exp x for -700 <= x <= 0, to 1e-12 of the result (1e-15 but for rounding of x).
[[gnu::always_inline]] inline double exponential(double x) {
  // x = k log 2 + r; the bits of a number that is large beside k hold k at their low end.
  constexpr double shifter = 0x1.8p52;
  const double shifted = x * (1 / std::numbers::ln2) + shifter;
  const double r = x - (shifted - shifter) * std::numbers::ln2;
  constexpr std::array factors{
      1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880, 1.0 / 40320, 1.0 / 5040, 1.0 / 720,
      1.0 / 120,       1.0 / 24,       1.0 / 6,       1.0 / 2,      1.0,         1.0};
  double series = 0;
  for (const double factor : factors) series = factor + series * r;
  return series * std::bit_cast<double>((std::bit_cast<std::int64_t>(shifted) + 1023) << 52);
}

}  // namespace dyad
