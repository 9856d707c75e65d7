// The weights of SLB, SLB- and LU with one setting: linear SVMs on T(x), one for two classes, else one
// against the rest each.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/base/matrix_view.h"
#include "dyad/data/row_weights.h"
#include "dyad/linear/active_rows.h"
#include "dyad/linear/calibration.h"
#include "dyad/linear/standardisation.h"
#include "dyad/model/term.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

/// +1 for rows of the class of score k, -1 for the others; the single score of two classes is that of the
/// second.
[[nodiscard]] std::vector<double> signs_of_score(std::span<const std::int32_t> y, std::size_t n_classes,
                                                 std::size_t k);

/// n / (n_groups group): the factor that makes a group count as much as every other.
[[nodiscard]] constexpr double balance(double n, std::size_t n_groups, double group) {
  return n / (static_cast<double>(n_groups) * group);
}

/// The weights of the given rows as numbers.
[[nodiscard]] std::vector<double> weights_of(const WeightsView& weights, std::span<const std::size_t> rows);

/// Row weights times factors of the rows' classes: those that make totals equal if classes are `alike`, and
/// `given` ones unless empty.
[[nodiscard]] std::vector<double> class_weighted(std::vector<double> weights, std::span<const std::int32_t> y,
                                                 std::size_t n_classes, std::span<const double> given,
                                                 bool alike);

/// Factor of C for each row: its weight times that of its class.
///
/// A class counts 1; balanced: n / (2 n_sign), or n / (K n_class) with `given` weights, which multiply.
[[nodiscard]] std::vector<double> loss_weights(std::span<const double> signs, std::span<const std::int32_t> y,
                                               const WeightsView& weights, ClassWeights rule,
                                               std::span<const double> given);

/// The scaling of terms by options.term_scale, from their means and standard deviations.
///
/// Constant terms keep the scale 0. The leading n_linear terms are features themselves: without coordinates
/// they keep their own standard deviation where the others share one.
[[nodiscard]] Standardisation scaled_by(const WeightOptions& options, Standardisation standardisation,
                                        std::size_t n_linear);

/// Weights of terms, and how they were found.
struct FittedWeights {
  Matrix weights;  ///< n_scores x n_terms
  std::vector<double> centres;
  std::vector<double> intercepts;
  std::vector<Calibration> calibrations;  ///< of scores held out of the weights and the densities
  std::vector<Term> tables;               ///< further terms, of weight 1 in the score of their class
  bool converged = true;                  ///< all SVMs
  double gap = 0;                         ///< the largest
  std::int64_t iterations = 0;            ///< the most
};

/// Rows that SVMs are fitted to, and their classes.
struct ScoredRows {
  const FloatRows& values;
  std::span<const std::int32_t> y;
  WeightsView weights;
  std::size_t n_classes = 2;
};

/// The SVM of score k on some rows and the n_cols leading columns.
///
/// `warm` is the SVM of a related problem, or empty. `products` of these rows, if not null, save time.
[[nodiscard]] LinearSolution solve_score(const ScoredRows& scored, std::span<const std::uint32_t> rows,
                                         std::size_t n_cols, std::size_t k, const SingleSvm& rule,
                                         const WeightOptions& options, const LinearSolution& warm,
                                         const RowProducts* products, const Execution& execution);

/// Fits to the values T(x) of training rows of classes y, from a Gram matrix.
///
/// Probabilities are calibrated on `held_out_values`, the rows' values as if the densities had not seen them,
/// and SVMs of the other folds of five.
[[nodiscard]] FittedWeights fit_single_weights(const Matrix& values, const Matrix& held_out_values,
                                               std::span<const std::int32_t> y, std::size_t n_classes,
                                               const SingleSvm& rule, const WeightOptions& options,
                                               const Execution& execution, std::size_t n_linear = 0);

/// Fits to values in single precision, which are scaled in place.
///
/// Probabilities are calibrated on the `held_out` values of rows held_out_rows. With 20 rows or more for each
/// term overfitting is negligible, so the final SVM is calibrated directly; with fewer, SVMs of the other
/// folds of five are.
[[nodiscard]] FittedWeights fit_single_weights(FloatRows& values, std::span<const std::size_t> held_out_rows,
                                               FloatRows& held_out, std::span<const std::int32_t> y,
                                               const WeightsView& weights, std::size_t n_classes,
                                               const SingleSvm& rule, const WeightOptions& options,
                                               const Execution& execution, std::size_t n_linear = 0);

}  // namespace dyad
