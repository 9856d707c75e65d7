// Averages of multinomial regressions of more than two classes, in which the score of a class is made of its
// own densities.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/linear/softmax.h"
#include "dyad/weights/averaged_weights.h"
#include "dyad/weights/averaging.h"

namespace dyad {

/// Terms that the score of each class is made of, those of smaller sets first.
struct ClassColumns {
  std::vector<std::vector<std::size_t>> of_class;
  std::vector<std::vector<std::size_t>>
      n_cols;  ///< by set and class, how many of its columns belong to the set
};

/// Rows with all that regressions on them, or on parts of them, need. The interface is that of SvmAverage.
///
/// Beside the terms, all classes share factors of NB, TAN and the sum of all dependences, unless blends are
/// ruled out.
class SoftmaxAverage {
 public:
  static const TrialGrid grid;

  SoftmaxAverage(const ScoredRows& rows, std::vector<Split> splits, const Averaging& averaging);

  [[nodiscard]] HeldOutScores hold_out(std::span<const Trial> trials);

  void rate(Trial& trial, std::size_t t, const HeldOutScores& held_out) const;

  [[nodiscard]] FittedWeights combine(const TrainingRows& rows, bool are_all, std::span<const Trial> trials,
                                      const std::vector<std::size_t>& chosen,
                                      const HeldOutScores& held_out) const;

 private:
  /// Sets the shared features, with trees found from the rows `train`.
  void find_shared(std::span<const std::uint32_t> train);
  template <class Visit>
  void solve_path(std::span<const Trial> trials, std::size_t set, std::span<const std::uint32_t> train,
                  const Execution& execution, const Visit& visit) const;
  void add(double share, const SoftmaxSolution& solution, FittedWeights& sum) const;
  /// The mean of the regressions of all rows with the settings of `trials`.
  [[nodiscard]] FittedWeights mean_of_all(std::span<const Trial> trials);

  ScoredRows rows_;
  std::vector<Split> splits_;
  const Averaging& averaging_;
  ClassColumns columns_;
  SoftmaxRows features_;
  std::vector<double> squared_norms_;           ///< by set, the mean over rows and classes of the features'
  std::vector<std::vector<LinearForm>> forms_;  ///< what the shared features stand for, by class
};

}  // namespace dyad
