// Density functionals psi_r = E f^(r)(X), the unknowns of every plug-in bandwidth, by kernel sums over all
// pairs of points (Wand and Jones 1994, 1995 section 3.5).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <span>

namespace dyad {

/// psi_r(g) = n^-2 sum_i sum_k phi_g^(r)(x_i - x_k), the pairs i = k included, for even r <= 8. O(n^2), less
/// for small g.
[[nodiscard]] double functional_1d(std::span<const double> x, int order, double g);

/// The functionals psi_(r - k, k), k = 0 .. r, of one total order r (4, 6 or 8; entries past r are 0).
struct Functionals2d {
  int order = 0;
  std::array<double, 9> psi{};  ///< psi[k] belongs to the partial derivative (order - k, k)
};

/// The same with the bivariate kernel phi_g(x) phi_g(y), for order 4 or 6. O(n^2).
[[nodiscard]] Functionals2d functionals_2d(std::span<const double> x, std::span<const double> y, int order,
                                           double g);

/// The functionals of the bivariate normal density with unit variances and the given correlation, |r| < 1.
[[nodiscard]] Functionals2d normal_functionals_2d(int order, double correlation);

/// phi^(r)(0) of the standard normal density.
[[nodiscard]] double normal_derivative_at_zero(int order);

}  // namespace dyad
