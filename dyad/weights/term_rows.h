// Rows of multinomial regressions whose features are terms.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/linear/softmax.h"
#include "dyad/linear/standardisation.h"
#include "dyad/model/term.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

/// Values of a term: a column of a matrix.
struct TermValues {
  const FloatRows* matrix = nullptr;
  std::size_t column = 0;
  double variance = 0;
};

/// The scaling of terms, and the variances of their scaled values.
struct ScaledTerms {
  Standardisation standardisation;
  std::vector<double> variances;
};

/// Centres the values of terms in place and divides them by the units of the penalty.
[[nodiscard]] ScaledTerms scale_terms(std::span<const TermKey> keys, FloatRows& values,
                                      const WeightsView& weights, const WeightOptions& options,
                                      const Execution& execution);

/// The classes of rows, and how much each row counts in losses.
struct RegressionLabels {
  std::vector<std::int32_t> y;
  std::vector<double> loss_weights;
  std::size_t n_classes = 2;
};

/// When a regression ends: see SoftmaxOptions.
struct RegressionEnd {
  double tolerance = 1e-4;
  int small_steps = 2;
};

/// The scores of a regression: that of a class is made of linear terms and of its own densities.
///
/// The second of two classes has all terms, the densities of the first with the opposite sign; the score of
/// the first is its intercept.
class TermRows {
 public:
  /// Terms are linear ones, those of one feature, class by class, then pairs.
  TermRows(std::span<const TermKey> keys, std::span<const TermValues> values, const RegressionLabels& labels,
           const WeightOptions& options, const Execution& execution = {});

  /// Lets all classes have two sums in common, whose factors are next to free: of the terms of one feature,
  /// as naive Bayes has them, and of all dependences log p(x_i, x_j) / (p(x_i) p(x_j)); or takes them away.
  void share_weights(bool shares);

  /// Fits to some rows; `cost` is the variance by the prior of what a row's features add to its scores.
  [[nodiscard]] SoftmaxSolution solve(std::span<const std::uint32_t> rows, double cost,
                                      const WeightsView& weights, const RegressionEnd& end,
                                      const SoftmaxSolution& warm, const Execution& execution,
                                      SoftmaxCurvature* curvature = nullptr) const;

  /// Scores of the rows that a solution was fitted to as if each had been left out.
  [[nodiscard]] Matrix left_out_scores(std::span<const std::uint32_t> rows, double cost,
                                       const WeightsView& weights, const SoftmaxSolution& solution,
                                       const Execution& execution) const;

  [[nodiscard]] Matrix scores(std::span<const std::uint32_t> rows, const SoftmaxSolution& solution,
                              const Execution& execution) const {
    return softmax_scores(rows_, rows, solution, execution);
  }

  /// Weights of the scaled terms, classes x terms.
  [[nodiscard]] Matrix weights(const SoftmaxSolution& solution) const;

 private:
  [[nodiscard]] SoftmaxOptions options(std::span<const std::uint32_t> rows, double cost,
                                       const WeightsView& weights, const RegressionEnd& end = {}) const;

  /// A feature of a score: a term times a factor.
  struct Column {
    std::size_t term;
    double factor;
  };

  static void copy_columns(std::span<const Column> columns, std::span<const TermValues> values,
                           const Execution& execution, FloatRows& to);
  void add_shared_sums();

  std::vector<TermKey> keys_;
  SoftmaxRows rows_;
  bool shares_weights_ = false;
  std::vector<std::vector<Column>> columns_;  ///< by class
  std::vector<Matrix> shared_weights_;        ///< of each sum, classes x terms
  std::vector<std::size_t> n_cols_;
  double squared_norm_ = 0;  ///< mean over classes of the sum of the variances
};

}  // namespace dyad
