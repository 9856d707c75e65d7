// The univariate plug-in rule with the slip of KernSmooth::dpik 2.23-20, on which ks::hpi and mpmi::cmi
// stand: its binning drops the largest observation, tied copies included, from the functionals, but n and the
// scale are of the whole sample.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "dyad/data/summary.h"
#include "dyad/density/functionals.h"

namespace dyad::test {

inline double dpik(std::vector<double> x, int stages, double kernel_constant) {
  const auto n = static_cast<double>(x.size());
  const double iqr_scale = interquartile_range(x) / 1.349;
  const double sd = standard_deviation(x);
  const double scale = iqr_scale > 0 ? std::min(sd, iqr_scale) : sd;
  const double largest = *std::ranges::max_element(x);
  std::erase(x, largest);
  for (double& value : x) value /= scale;
  int order = 4 + 2 * stages;
  double psi = normal_derivative_at_zero(order) / std::pow(2, (order + 1) / 2.0);
  while (order > 4) {
    order -= 2;
    psi = functional_1d(x, order,
                        std::pow(-2 * normal_derivative_at_zero(order) / (psi * n), 1.0 / (order + 3)));
  }
  return scale * kernel_constant * std::pow(psi * n, -0.2);
}

}  // namespace dyad::test
