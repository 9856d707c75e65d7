// Averages of multinomial regressions of more than two classes, in which the score of a class is made of its own densities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/float_rows.h"
#include "dyad/data/folds.h"
#include "dyad/data/row_weights.h"
#include "dyad/linear/softmax.h"
#include "dyad/weights/averaged_weights.h"
#include "dyad/weights/averaging.h"
#include "dyad/weights/likelihood_forms.h"

namespace dyad {

/// Which terms the score of each class is made of, those of smaller sets first.
class ClassColumns {
 public:
  ClassColumns(const NestedTerms& terms, std::size_t n_classes);

  [[nodiscard]] const std::vector<std::size_t>& of_class(std::size_t k) const { return columns_[k]; }
  /// By class, how many of its columns belong to a set.
  [[nodiscard]] const std::vector<std::size_t>& n_cols(std::size_t set) const { return n_cols_[set]; }

 private:
  std::vector<std::vector<std::size_t>> columns_;
  std::vector<std::vector<std::size_t>> n_cols_;
};

/// Rows with all that regressions on them, or on parts of them, need. The interface is that of SvmAverage.
///
/// Beside the terms, all classes share factors of NB, TAN and the sum of all dependences, unless blends are ruled out.
class SoftmaxAverage {
 public:
  static const TrialGrid grid;

  SoftmaxAverage(const FloatRows& values, std::span<const std::int32_t> y, const WeightsView& weights,
                 std::vector<Split> splits, const Averaging& averaging);

  /// Three splits at most where there are many values.
  [[nodiscard]] static std::vector<Split> tried_splits(std::vector<Split> splits, std::size_t n_values,
                                                       const WeightOptions& options);

  [[nodiscard]] HeldOutScores hold_out(std::span<const Trial> trials);

  void rate(Trial& trial, std::size_t t, const HeldOutScores& held_out) const;

  [[nodiscard]] static FittedWeights combine(const TrainingRows& rows, const SoftmaxAverage& tried,
                                             bool are_all, std::span<const Trial> trials,
                                             const std::vector<std::size_t>& chosen,
                                             const HeldOutScores& held_out, const Averaging& averaging);

 private:
  /// Sets the shared features, with trees found from the rows `train`.
  void find_shared(std::span<const std::uint32_t> train);
  [[nodiscard]] double value(const LinearForm& form, std::size_t row) const;
  template <class Visit>
  void solve_path(std::span<const Trial* const> trials, std::span<const std::uint32_t> train,
                  const Execution& execution, const Visit& visit) const;
  void add(double share, const SoftmaxSolution& solution, FittedWeights& sum) const;
  /// The mean of the regressions of all rows with the settings of `trials`.
  [[nodiscard]] FittedWeights mean_of_all(std::span<const Trial> trials);

  const FloatRows& values_;
  std::span<const std::int32_t> y_;
  WeightsView weights_;
  std::vector<Split> splits_;
  const Averaging& averaging_;
  ClassColumns columns_;
  SoftmaxRows rows_;
  std::vector<double> squared_norms_;           ///< by set, the mean over rows and classes of the features'
  std::vector<std::vector<LinearForm>> forms_;  ///< what the shared features of `rows_` stand for, by class
};

}  // namespace dyad
