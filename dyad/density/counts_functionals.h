// The density functionals of functionals.h from binned counts: what plug-in bandwidths of large samples rest
// on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/counts/pair_counts.h"
#include "dyad/density/functionals.h"
#include "dyad/density/smoothing_axis.h"

namespace dyad {

/// psi_r(g) of a univariate sample from counts on an axis with nodes `step` apart, for any g >= step. With
/// the autocorrelation of the counts, made once in O(G^2), each value costs O(G). Counts are those of
/// `quadratic_shares`, which widen differences by a variance of step^2 / 2; it is taken off g^2.
class CountsFunctionals1d {
 public:
  CountsFunctionals1d(std::span<const std::int64_t> counts, double step, CountedRows rows);
  [[nodiscard]] double functional(int order, double g) const;

 private:
  std::vector<double> autocorrelation_;  ///< of the shares of rows, by distance in nodes
  double step_;
  CountedRows rows_;
};

/// Functionals of a bivariate sample, from the squared modulus of its characteristic function on a lattice of
/// frequencies:
///   psi_rs(g) = 1 / (2 pi)^2 integral of (i a)^r (i b)^s exp(-g^2 (a^2 + b^2) / 2) |phi(a, b)|^2,
/// of counts filled with quadratic shares, by the trapezoidal rule, which is exact to rounding for a kernel
/// that has died away within the period. Two matrix products of G x G by G x F, F about 50 frequencies.
class CountsFunctionals2d {
 public:
  /// For bandwidths from `smallest_g` to `largest_g`.
  CountsFunctionals2d(const PairCounts& counts, double step_x, double step_y, CountedRows rows,
                      double smallest_g, double largest_g);
  [[nodiscard]] Functionals2d functionals(int order, double g) const;

 private:
  /// Frequencies k 2 pi / (period step), k = 0 .. count - 1.
  struct Lattice {
    Lattice(std::size_t n_nodes, double step, double smallest_g, double largest_g);
    /// cos and sin of every frequency at every node: 2 count values a node.
    [[nodiscard]] std::vector<float> basis(std::size_t n_nodes) const;
    double step;
    std::size_t period;  ///< in nodes
    std::size_t count;
  };
  /// omega^k exp(-(g^2 - step^2 / 2) omega^2 / 2), k = 0 .. largest_power, the frequency 0 counted half.
  [[nodiscard]] static std::vector<std::vector<double>> weighted_powers(const Lattice& lattice, double g,
                                                                        int largest_power);

  Lattice x_;
  Lattice y_;
  CountedRows rows_;
  std::vector<double> even_;  ///< |phi(a, b)|^2 + |phi(a, -b)|^2
  std::vector<double> odd_;   ///< |phi(a, b)|^2 - |phi(a, -b)|^2
};

}  // namespace dyad
