// Averages of SVMs: one for two classes, or one against the rest for each class.
//
// A blend s > 0 adds two columns to the terms, the log likelihood ratios of NB and of TAN, of s^2 / 2 times
// the variance of a row: the penalty is then centred on multiples of their weights instead of 0. Trees are
// found from the rows outside.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <tuple>

#include "dyad/linear/cholesky_rows.h"
#include "dyad/weights/averaged_weights.h"
#include "dyad/weights/averaging.h"

namespace dyad {

/// Values as the SVMs of one set of terms see them.
struct Design {
  std::size_t n_terms = 0;
  double squared_norm = 1;               ///< mean of the rows
  std::optional<CholeskyRows> rotation;  ///< if there are more terms than rows

  [[nodiscard]] const FloatRows& rows(const FloatRows& values) const {
    return rotation ? rotation->rows : values;
  }
  [[nodiscard]] std::size_t n_cols() const { return rotation ? rotation->rows.n_cols() : n_terms; }
};

/// A form of the values, centred and scaled to be a column of a design.
struct FormColumn {
  std::vector<double> values;
  double mean = 0;  ///< of the form
  double factor = 0;
};

constexpr std::size_t n_forms = std::tuple_size_v<GenerativeForms>;
using FormColumns = std::array<FormColumn, n_forms>;

/// The rows of a design with forms behind its columns.
struct BlendedRows {
  FloatRows rows;
  FormColumns columns;

  void set_blend(double blend, std::size_t n_cols);
};

/// Rows with all that SVMs on them, or on parts of them, need.
class SvmAverage {
 public:
  static const TrialGrid grid;

  /// Values of `rows` are scaled. SVMs can be fitted to the rows outside each of `splits`, and to all. What
  /// is given must outlive this.
  SvmAverage(const ScoredRows& rows, std::vector<Split> splits, const Averaging& averaging);

  /// Scores that all trials give the rows that splits hold out.
  [[nodiscard]] HeldOutScores hold_out(std::span<const Trial> trials) const;

  /// Sets size and loss of trial t.
  void rate(Trial& trial, std::size_t t, const HeldOutScores& held_out) const;

  /// The mean of the chosen trials' SVMs on all rows, as log odds.
  [[nodiscard]] FittedWeights combine(const TrainingRows& rows, bool are_all, std::span<const Trial> trials,
                                      const std::vector<std::size_t>& chosen,
                                      const HeldOutScores& held_out) const;

 private:
  /// An SVM with the rows that it was fitted to; `forms` is null without a blend.
  struct Solved {
    const Trial& trial;
    std::size_t t;  ///< number of the trial
    const FloatRows& rows;
    const FormColumns* forms;
    const LinearSolution& svm;
  };

  [[nodiscard]] double scale(std::size_t t) const { return averaging_.scale(t); }
  /// Solves the trials of one set, those of a blend together, for score k on the rows outside split f, each
  /// from the one before.
  void solve(std::span<const Trial> trials, std::size_t set, std::size_t f, std::size_t k,
             const std::function<void(const Solved&)>& visit) const;
  /// Adds share times an SVM of all rows for score k to `sum`.
  void add(double share, const Solved& solved, std::size_t k, FittedWeights& sum) const;
  /// The sums, by set, over trials of their SVMs of all rows, as weights of scaled terms.
  [[nodiscard]] std::vector<FittedWeights> sums_by_set(std::span<const Trial> trials) const;
  [[nodiscard]] FittedWeights average(std::span<const Trial> trials, const std::vector<std::size_t>& chosen,
                                      const HeldOutScores& held_out) const;
  void make_designs();
  [[nodiscard]] FormColumn form_column(const LinearForm& form, const Design& design,
                                       std::span<const std::uint32_t> rows) const;
  [[nodiscard]] BlendedRows blended(const Design& design, std::size_t f, std::size_t k) const;

  ScoredRows rows_;
  std::vector<Split> splits_;
  const Averaging& averaging_;
  std::vector<std::vector<std::uint32_t>> train_;  ///< of the splits, then all rows
  std::vector<std::vector<double>> signs_;         ///< by score
  std::vector<std::vector<double>> loss_weights_;  ///< by score
  std::vector<std::vector<double>> ratings_;       ///< by score: how much a row counts in losses and log odds
  std::vector<std::vector<GenerativeForms>> forms_;  ///< by element of train_, then score
  std::vector<Design> designs_;                      ///< by set of terms
};

}  // namespace dyad
