// HSIC of all pairs of features from pair counts: as hsic.h, in time that grows with n, not n^2.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/engine.h"
#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/data/row_weights.h"
#include "dyad/dependence/hsic.h"

namespace dyad {

/// HSIC of every pair of columns of X: entry pair_index(i, j, d).
///
/// Each feature gets at most `grid` nodes, a
/// quarter of its kernel's bandwidth apart in the bulk and further in long tails, or its values themselves if
/// they are few. With joint shares P and margins p, q of the nodes, C = P - p q' and the kernels on the nodes
/// K = U U', L = V V' of low rank, HSIC = Tr(C' K C L) = |U' C V|^2. The table of a pair is dropped once it
/// is scored. O(n d^2 + d^2 grid^2) time, O(d^2 + n d) memory. Medians of distances are exact up to 10 000
/// rows and from as many evenly spaced rows beyond. Columns that are `categorical` hold codes, whose kernel
/// is 1 for equal ones and 0 for others; so it is for missing values, NaN, of any column.
[[nodiscard]] std::vector<Hsic> counts_hsic_all_pairs(const MatrixView& X, std::size_t grid,
                                                      const Execution& execution = {},
                                                      const WeightsView& weights = {},
                                                      const std::vector<bool>& categorical = {});

/// HSIC of all pairs with some rows left out: the first of the results is over all rows, result k + 1 over
/// all but the rows left_out[k], by subtraction, with the axes and kernels of all rows and without p-values.
[[nodiscard]] std::vector<std::vector<Hsic>> counts_hsic_without(
    const MatrixView& X, std::span<const std::vector<std::size_t>> left_out, std::size_t grid,
    const Execution& execution = {}, const WeightsView& weights = {},
    const std::vector<bool>& categorical = {});

/// HSIC of every pair of columns of X by either engine: `hsic_all_pairs` or `counts_hsic_all_pairs`.
///
/// The exact engine requires complete numbers without weights; it ignores `grid`, `weights` and
/// `categorical`.
[[nodiscard]] std::vector<Hsic> pairwise_hsic(const MatrixView& X, Engine engine, int grid,
                                              const Execution& execution = {},
                                              const WeightsView& weights = {},
                                              const std::vector<bool>& categorical = {});

/// HSIC of two features.
[[nodiscard]] Hsic counts_hsic(std::span<const double> x, std::span<const double> y, std::size_t grid);

}  // namespace dyad
