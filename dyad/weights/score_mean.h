// The mean of the scores of several models that predicts best.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dyad/base/matrix_view.h"

namespace dyad {

/// A mean of scores, and the losses of its rows.
struct ScoreMean {
  std::vector<double> shares;  ///< of each model, not negative, 1 in sum
  Matrix scores;               ///< sum_m shares[m] scores_m
  std::vector<double> losses;  ///< -log P(y_i), P the softmax of the scores
  double loss = 0;             ///< their mean, weighted by the rows' loss weights
};

/// Finds the shares of the models in the mean that has the least loss.
///
/// `scores` has the scores of each model, rows x classes. Models that have not seen the rows make the shares
/// honest. Exponentiated gradients (Kivinen and Warmuth 1997) from equal shares, until the loss, which is
/// convex in the shares, is within 1e-4 of the least one, or for 200 steps. Shares stay equal if no row
/// counts. O(rows x classes x models) a step.
[[nodiscard]] ScoreMean fit_score_mean(std::span<const Matrix* const> scores, std::span<const std::int32_t> y,
                                       std::span<const double> loss_weights);

}  // namespace dyad
