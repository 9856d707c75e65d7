// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/pseudo_rows.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "dyad/base/vector_math.h"

namespace dyad {

void mix_in_pseudo_rows(double n_pseudo, double n_rows, std::span<const double> x, std::span<const double> y,
                        std::span<double> values) {
  constexpr double deviation = 1.5;
  constexpr double half_precision = 0.5 / (deviation * deviation);
  const double dimensions = y.empty() ? 1 : 2;
  const double height = std::log(n_pseudo) - std::log(n_rows + n_pseudo) -
                        dimensions * std::log(deviation * std::sqrt(2 * std::numbers::pi));
  const double kept = std::log(n_rows) - std::log(n_rows + n_pseudo);
  constexpr std::size_t block = 256;
  std::array<double, block> prior;
  for (std::size_t first = 0; first < values.size(); first += block) {
    const std::size_t count = std::min(block, values.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      const double u = x[first + i];
      const double v = y.empty() ? 0 : y[first + i];
      prior[i] = height - half_precision * (u * u + v * v);
      values[first + i] += kept;
    }
    add_in_logarithms({prior.data(), count}, values.subspan(first, count));
  }
}

}  // namespace dyad
