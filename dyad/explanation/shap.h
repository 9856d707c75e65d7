// SHAP values of features in closed form.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/model/model.h"

namespace dyad {

/// score_k(x) = base_k + sum over features of their values at x.
struct ShapValues {
  std::vector<double> base;    ///< per score, its mean over the background
  std::vector<Matrix> values;  ///< per score, n x n_features
};

/// Shapley values of the game v(S) = mean over background rows b of score(x_S, b_rest), features not in S
/// being those of b (interventional).
///
/// A term f of one feature gives it f(x) - mean f(b). A term of two gives the first
/// (f(x, y) - mean f(b, y) + mean f(x, b') - mean f(b, b')) / 2, means being over rows (b, b') of the
/// background, and the second likewise; so they are exact. O(distinct values x background rows) a pair.
/// Throws std::invalid_argument if the background has no row.
[[nodiscard]] ShapValues shap_values(const Model& model, const MatrixView& X, const MatrixView& background,
                                     const Execution& execution = {});

}  // namespace dyad
