// The inner cross-validation that chooses the number of pairs and the cost of the SVM.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/fit_options.h"
#include "dyad/terms/exact_terms.h"

namespace dyad::internal {

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

/// Adds the settings that are not there yet, with their errors.
void add_tried(const Candidates& candidates, const Matrix& errors, std::vector<Setting>& tried);

/// Marks the chosen one of the settings tried and puts them in the order of their errors, the chosen one first of equals.
void mark_chosen(Choice& choice);

/// Chooses in two steps by errors_of(candidates), a matrix with an entry (s, c) for n_pairs[s] and costs[c]: the number of pairs at the
/// cost of the options, then the cost for that number. The smallest error wins, the first of equal ones.
template <class ErrorsOf>
Choice choose(const Candidates& candidates, const FitOptions& options, const ErrorsOf& errors_of) {
  Choice choice{candidates.n_pairs.front(), candidates.costs.front(), {}};
  const auto place_of_least = [&](const Candidates& some) {
    const Matrix errors = errors_of(some);
    add_tried(some, errors, choice.tried);
    const double least =
        std::ranges::min(errors.data) + 1e-9;  // sums of the same errors may round differently
    return static_cast<std::size_t>(
        std::ranges::find_if(errors.data, [&](double error) { return error <= least; }) -
        errors.data.begin());
  };
  if (candidates.n_pairs.size() > 1)
    choice.n_pairs = candidates.n_pairs[place_of_least({candidates.n_pairs, {options.svm.C}})];
  if (candidates.costs.size() > 1)
    choice.cost = candidates.costs[place_of_least({{choice.n_pairs}, candidates.costs})];
  mark_chosen(choice);
  return choice;
}

/// The candidates with the smallest balanced error over the inner folds: every class counts the same, whatever its number of rows.
/// In each fold all steps are repeated on the rows outside.
[[nodiscard]] Choice choose_exact(const LabelledSample& sample, const Candidates& candidates,
                                  const FitOptions& options, const Execution& execution, FitReport& report);

/// The same from counts. Of many rows a stratified part is taken, and fewer if the values of all folds would take too much memory.
[[nodiscard]] Choice choose_by_counts(const LabelledSample& sample, const Candidates& candidates,
                                      const FitOptions& options, const Execution& execution,
                                      FitReport& report);

/// The splits of the inner cross-validation: options.inner_splits, or those of folds drawn by options.seed.
[[nodiscard]] std::vector<Split> inner_splits(const LabelledSample& sample, const FitOptions& options);

/// The same for `sample`, which has the given rows, ascending, of the one that options.inner_splits are for; without splits that test on
/// no row or train on none of some class. Throws std::invalid_argument if none is left.
[[nodiscard]] std::vector<Split> inner_splits_among(std::span<const std::size_t> rows,
                                                    const LabelledSample& sample, const FitOptions& options);

/// 1 / (n_classes n_c): what a wrong row of class c adds to a balanced error.
[[nodiscard]] std::vector<double> error_weights(const LabelledSample& sample);

}  // namespace dyad::internal
