// Columns with mean 0 and standard deviation 1.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/base/matrix_view.h"
#include "dyad/data/row_weights.h"

namespace dyad {

/// Centre and scale (standard deviation, divisor n - 1) of each column; scale 0 marks a constant column.
struct Standardisation {
  std::vector<double> centre;
  std::vector<double> scale;
};

[[nodiscard]] Standardisation standardisation_of(const MatrixView& X);

/// (X - centre) / scale, constant columns 0.
[[nodiscard]] Matrix standardised(const MatrixView& X, const Standardisation& standardisation);

/// Centre and scale of the columns, by two passes in double precision. O(n p), same bits for any number of
/// threads.
[[nodiscard]] Standardisation standardisation_of(const FloatRows& X, const Execution& execution = {},
                                                 const WeightsView& weights = {});

/// Replaces X by (X - centre) / scale, constant columns by 0. O(n p).
void apply(const Standardisation& standardisation, FloatRows& X, const Execution& execution = {});

}  // namespace dyad
