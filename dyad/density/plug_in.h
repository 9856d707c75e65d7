// The stages of the plug-in bandwidths: pilot bandwidths, and the bandwidth that minimises the asymptotic
// error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/density/functionals.h"

namespace dyad {

/// A symmetric 2 x 2 matrix.
struct Symmetric2 {
  double xx = 0;
  double xy = 0;
  double yy = 0;

  bool operator==(const Symmetric2&) const = default;
};

[[nodiscard]] double determinant(const Symmetric2& m);

/// psi_r of the standard normal density, for even r.
[[nodiscard]] double normal_functional(int order);

/// The g that makes the leading bias of psi_r(g) vanish: (-2 phi^(r)(0) / (psi_(r+2) n))^(1 / (r + 3)).
[[nodiscard]] double pilot_bandwidth(int order, double psi_above, double n);

/// Integrated fourth-order functional psi_4 by `stages` >= 1 stages of direct plug-in (Wand and Jones 1995,
/// section 3.6.1) for a sample of unit scale: the first pilot takes psi_(4 + 2 stages) from the normal
/// density, each stage estimates the functional two orders lower. stages = 2 is the usual rule, 3 that of
/// mutual information. `stages` is at most 3. O(n^2) per stage.
[[nodiscard]] double plug_in_functional_1d(std::span<const double> x, int stages);

/// Pilot bandwidth for the functionals of order `higher.order - 2`: the g that minimises the sum of the
/// asymptotic squared biases of those whose orders are even in both coordinates (SAMSE; Duong and Hazelton
/// 2003, section 3),
///   sum over even r of ( K^(r)(0) / (n g^(|r| + 2)) + g^2 / 2 (psi_(r + 2 e1) + psi_(r + 2 e2)) )^2.
[[nodiscard]] double samse_pilot(const Functionals2d& higher, double n);

/// The asymptotic mean integrated squared error of the bandwidth matrix H,
///   1 / (4 pi n |H|^(1/2)) + 1/4 vec'H Psi_4 vec H,   Psi_4 made of psi_40 .. psi_04.
[[nodiscard]] double amise(const Symmetric2& H, const Functionals2d& psi4, double n);

/// The positive definite H that minimises `amise`: a convex problem of three unknowns, solved by damped
/// Newton steps to full precision.
[[nodiscard]] Symmetric2 minimise_amise(const Functionals2d& psi4, double n);

/// The same over diagonal H, in closed form (Wand and Jones 1995, section 4.6).
[[nodiscard]] Symmetric2 minimise_amise_diagonal(const Functionals2d& psi4, double n);

}  // namespace dyad
