// The Hilbert-Schmidt independence criterion of pairs of features, with Gaussian kernels, by exact sums
// (paper, section 2.2; the estimate and tests are those of the R package dHSIC).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/base/pairs.h"

namespace dyad {

/// HSIC = Tr(K H L H) / n^2 = mean(K.L) + mean(K) mean(L) - 2 mean_i(rowmean_i(K) rowmean_i(L)) of one pair,
/// H the centring matrix, and the probability of a larger value under independence.
struct Hsic {
  double value = 0;
  double p_value = 1;
};

/// Bandwidth s of the kernel exp(-(a - b)^2 / (2 s^2)) by the median heuristic: s = sqrt(m / 2), m the
/// element of 0-based rank floor(N / 2) among all N = n (n - 1) / 2 squared distances; no subsample, whatever
/// n. Where more than half of the distances are 0, s is 0.001 of the smallest other distance, so that the
/// kernel tells equal from different. 1 for a constant sample. O(n log n). Throws std::invalid_argument if x
/// is empty or has a value that is not finite.
[[nodiscard]] double median_bandwidth(std::span<const double> x);

/// The gamma approximation needs at least this many rows.
inline constexpr std::size_t fewest_gamma_rows = 6;

/// HSIC of two features, with the p-value of the gamma approximation (Pfister et al. 2018): under
/// independence n HSIC is taken as a gamma variable of mean (1 - a)(1 - b), a and b the means of all entries
/// of K and L, and variance 2 n (n - 4)(n - 5) / ((n - 1)(n - 2)(n - 3)) e_K e_L, e_K = mean(K^2) - 2
/// mean(rowmean(K)^2) + mean(K)^2. For n < 6, or a constant feature, the p-value is 1. O(n^2). Throws
/// std::invalid_argument if x and y differ in size, are empty or have a value that is not finite.
[[nodiscard]] Hsic hsic(std::span<const double> x, std::span<const double> y);

/// The same of every pair of columns of X: entry pair_index(i, j, d). O(n^2 d^2) as matrix products, O(d^2 +
/// max(d n, 2^22)) memory.
[[nodiscard]] std::vector<Hsic> hsic_all_pairs(const MatrixView& X, const Execution& execution = {});

/// Rows that permutation takes: it holds two n x n matrices.
inline constexpr std::size_t most_permutation_rows = 20000;

/// p-value by permuting y: (1 + number of B permutations whose HSIC is at least the observed) / (B + 1).
/// O(B n^2) time, 16 n^2 bytes. Throws std::invalid_argument for more than `most_permutation_rows` rows.
[[nodiscard]] double hsic_permutation_p_value(std::span<const double> x, std::span<const double> y,
                                              int permutations, std::uint64_t seed,
                                              const Execution& execution = {});

}  // namespace dyad
