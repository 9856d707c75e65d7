// Probabilities of classes from scores.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>

#include "dyad/base/matrix_view.h"

namespace dyad {

/// Sets chances(i, k) = exp(scores(i, k)) / sum_l exp(scores(i, l)) and log_sums[i] to the logarithm of that
/// sum. Both matrices are rows x classes, and may be the same.
void to_chances(const MatrixView& scores, Matrix& chances, std::span<double> log_sums);

}  // namespace dyad
