// The weights of SLB, SLB- and LU: linear SVMs on T(x), one for two classes, of more one against the rest for each or one for all.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/base/matrix_view.h"
#include "dyad/linear/calibration.h"
#include "dyad/linear/hinge_newton.h"
#include "dyad/model/fit_options.h"

namespace dyad {

/// +1 for rows of the class that score k speaks for, -1 for the others; the single score of two classes speaks for the second.
[[nodiscard]] std::vector<double> signs_of_score(std::span<const std::int32_t> y, std::size_t n_classes,
                                                 std::size_t k);

/// What multiplies C for each row: its weight, times that of its class by the options: 1, n / (2 n_sign), or as given.
[[nodiscard]] std::vector<double> row_costs(std::span<const double> signs, std::span<const std::int32_t> y,
                                            const WeightsView& weights, const FitOptions& options);

struct SvmWeights {
  Matrix weights;  ///< n_scores x n_terms
  std::vector<double> centres;
  std::vector<double> intercepts;
  std::vector<Calibration>
      calibrations;  ///< by `fit_calibrations` from scores of 5 folds held out of the SVM and the densities
  bool converged = true;        ///< all SVMs
  double gap = 0;               ///< the largest
  std::int64_t iterations = 0;  ///< the most
};

/// Fits to the training values T(x) of rows with classes y. `held_out_values` are their values as if the densities had not seen
/// the row: probabilities are calibrated on scores of those.
[[nodiscard]] SvmWeights fit_svm_weights(const Matrix& values, const Matrix& held_out_values,
                                         std::span<const std::int32_t> y, std::size_t n_classes,
                                         const FitOptions& options, const Execution& execution);

/// One SVM on the `n_cols` leading columns of some rows in single precision: with cost options.svm.C, or within options.norm_bound.
[[nodiscard]] LinearSolution solve_rows(const FloatRows& values, std::span<const std::uint32_t> rows,
                                        std::size_t n_cols, std::span<const double> signs,
                                        std::span<const double> row_costs, const FitOptions& options,
                                        const LinearSolution& warm, const Execution& execution);

/// The SVMs of all scores: one for each, or, by options.multiclass, one machine of more than two classes. `costs` are what to put in place of
/// options.svm.C, by score; empty for it. `warm` are the SVMs of a related problem, or none.
[[nodiscard]] std::vector<LinearSolution> solve_scores(
    const FloatRows& values, std::span<const std::uint32_t> rows, std::size_t n_cols,
    std::span<const std::int32_t> y, const WeightsView& weights, std::size_t n_classes,
    const FitOptions& options, std::span<const double> costs, const std::vector<LinearSolution>& warm,
    const Execution& execution);

/// The same as above from values in single precision, which are standardised in place. Scores to calibrate on are those of
/// `held_out` values of rows held_out_rows; where there are 20 rows or more for each term, what is calibrated is the SVM of all rows,
/// which so many rows keep from fitting single ones.
[[nodiscard]] SvmWeights fit_svm_weights(FloatRows& values, std::span<const std::size_t> held_out_rows,
                                         FloatRows& held_out, std::span<const std::int32_t> y,
                                         const WeightsView& weights, std::size_t n_classes,
                                         const FitOptions& options, const Execution& execution);

}  // namespace dyad
