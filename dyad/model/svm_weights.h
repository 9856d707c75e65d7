// The weights of SLB, SLB- and LU: linear SVMs on T(x), one for two classes, one against the rest for each of more.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/model/fit_options.h"
#include "dyad/svm/calibration.h"

namespace dyad {

/// +1 for rows of the class that score k speaks for, -1 for the others; the single score of two classes speaks for the second.
[[nodiscard]] std::vector<double> signs_of_score(std::span<const std::int32_t> y, std::size_t n_classes,
                                                 std::size_t k);

/// The weight of each row by options.class_weights: 1, or n / (2 n_sign).
[[nodiscard]] std::vector<double> row_weights(std::span<const double> signs, ClassWeights rule);

struct SvmWeights {
  Matrix weights;  ///< n_scores x n_terms
  std::vector<double> centres;
  std::vector<double> intercepts;
  std::vector<Calibration> calibrations;  ///< from scores of 5 folds held out of the SVM and the densities
  bool converged = true;                  ///< all SVMs
  double gap = 0;                         ///< the largest
};

/// Fits to the training values T(x) of rows with classes y. `held_out_values` are their values as if the densities had not seen
/// the row: probabilities are calibrated on scores of those.
[[nodiscard]] SvmWeights fit_svm_weights(const Matrix& values, const Matrix& held_out_values,
                                         std::span<const std::int32_t> y, std::size_t n_classes,
                                         const FitOptions& options, const Execution& execution);

}  // namespace dyad
