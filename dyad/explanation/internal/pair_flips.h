// Changes of two features that change a prediction.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/explanation/flips.h"

namespace dyad::internal {

/// The nearest flips by two features of some rows of X, at most five a row, nearest first; `all_scores` are
/// those of all rows.
///
/// A score after two changes is the sum of the changes of the score by either, plus that of the terms of the
/// pair alone, so that terms of other features need no second look.
[[nodiscard]] std::vector<std::vector<Flip>> pair_flips(const Model& model, const MatrixView& X,
                                                        const Matrix& all_scores,
                                                        std::span<const std::size_t> rows,
                                                        std::span<const std::size_t> immutable,
                                                        const Execution& execution);

}  // namespace dyad::internal
