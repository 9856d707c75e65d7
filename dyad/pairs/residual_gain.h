// The second screen: which pairs of features would add something to a model, by its residuals.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/pairs.h"
#include "dyad/data/labelled_sample.h"

namespace dyad {

/// Probabilities of the classes by models that a row was held out of.
///
/// View v < n_folds ranks pairs for fold v to judge: its models were fitted without that fold, and without
/// the fold of the row. The last view, n_folds, ranks them by all rows.
struct HeldOutChances {
  std::vector<std::size_t> folds;  ///< of each row; n_folds for one that is never held out
  std::size_t n_folds = 0;
  std::vector<Matrix> of_view;  ///< rows x classes

  [[nodiscard]] std::size_t n_views() const { return n_folds + 1; }
  /// True if a row counts in a view.
  [[nodiscard]] bool counts(std::size_t row, std::size_t view) const {
    return folds[row] != view && folds[row] < n_folds;
  }
};

/// The cells that a feature is cut into: six intervals with about as many rows each, or the seven most
/// frequent levels and one for all others; and one for gaps.
struct FeatureCells {
  std::vector<std::uint8_t> of_row;
  std::size_t count = 0;
};
[[nodiscard]] FeatureCells feature_cells(const LabelledSample& sample, std::size_t feature);

/// For each view the gains of the given pairs.
///
/// The gain is how far the residuals of a model exceed chance in the cells of a pair, in standard deviations,
/// summed over the scores (one of two classes) where it is positive. With the sums over the rows of a cell
///   R of [y_i = k] - P_k(x_i),   H of h_i = P_k(x_i) (1 - P_k(x_i)),   Q of h_i (1 - 6 h_i),
/// R is taken less H (a + b), the best function of one feature plus one of the other, so that a feature that
/// is fitted badly does not lift its pairs. The statistic is the sum over cells of R^2 / (H + 2); by chance R
/// has the variance H and the fourth cumulant Q, of which the margins leave the share 1 - H / H_a - H / H_b +
/// H / H_all, with H_a, H_b and H_all the sums over the cells with the same a, the same b and all. Rows enter
/// in steps of 2^-20: sums, and so the gains, have the same bits for any number of threads and any order of
/// the rows.
[[nodiscard]] std::vector<std::vector<double>> residual_gains(const LabelledSample& sample,
                                                              const HeldOutChances& chances,
                                                              std::span<const FeaturePair> pairs,
                                                              const Execution& execution);

}  // namespace dyad
