// The inner cross-validation that chooses the number of pairs and the cost of a single SVM.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/model.h"
#include "dyad/pairs/ranking.h"
#include "dyad/pairs/term_rule.h"
#include "dyad/terms/fit_report.h"
#include "dyad/terms/options.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

/// Shares of all ranked pairs that cross-validation chooses from.
inline constexpr std::array<double, 8> kept_shares{0, 0.03, 0.06, 0.12, 0.25, 0.5, 0.75, 1};
/// Costs of the SVM that it chooses from.
inline constexpr std::array<double, 4> cost_candidates{0.01, 0.1, 1, 10};

/// Options of the fit of a single SVM.
struct SingleFit {
  TermOptions terms;
  SingleSvm svm;
  WeightOptions weights;
};

struct Selection {
  std::vector<TermKey> pairs;
  std::vector<double> hsic;  ///< of each pair
  double C = 1;
  std::vector<Setting> tried;  ///< by cross-validation, with their balanced errors, best first
};

/// The pairs that `rule` keeps of `sample` and the cost of the SVM.
///
/// Cross-validation repeats all steps on the rows outside each inner fold for every share of `kept_shares`;
/// the share with the smallest balanced error wins, the smaller one of equals. It then chooses among
/// `cost_candidates` with these pairs. The counts engine takes at most 10 000 rows for this.
[[nodiscard]] Selection select(const LabelledSample& sample, const TermRule& rule, const SingleFit& fit,
                               const Execution& execution, FitReport& report);

/// Settings to choose from: first a number of pairs, at the cost of the options, then a cost.
struct Candidates {
  std::vector<std::size_t> n_pairs;  ///< of largest HSIC, ascending
  std::vector<double> costs;         ///< ascending
};

struct Choice {
  std::size_t n_pairs = 0;
  double cost = 1;
  std::vector<Setting> tried;  ///< the chosen one is marked as averaged
};

/// Chooses the number of pairs at cost C, then the cost for that number, each by the smallest error, the
/// first of equals.
///
/// errors_of(candidates) is a matrix with an entry (s, c) for n_pairs[s] and costs[c].
[[nodiscard]] Choice choose(const Candidates& candidates, double C,
                            const std::function<Matrix(const Candidates&)>& errors_of);

/// Marks the numbers of pairs from `first` on as not tried, in a matrix that `choose` asks for.
void leave_out(Matrix& errors, std::size_t first);
[[nodiscard]] bool is_left_out(const Matrix& errors, std::size_t s);

/// The candidates with the smallest balanced error over the inner folds; all steps are repeated on the rows
/// outside each.
[[nodiscard]] Choice choose_exact(const LabelledSample& sample, const Candidates& candidates,
                                  const SingleFit& fit, const Execution& execution, FitReport& report);

/// The choice of the counts engine, which subtracts folds from the counts of all rows.
///
/// Takes a stratified part of many rows, a smaller one if the values of all folds would take too much memory.
[[nodiscard]] Choice choose_by_counts(const LabelledSample& sample, const Candidates& candidates,
                                      const SingleFit& fit, const Execution& execution, FitReport& report);

/// 1 / (n_classes n_c): what a wrong row of class c adds to a balanced error.
[[nodiscard]] std::vector<double> error_weights(const LabelledSample& sample);

}  // namespace dyad
