// SPDX-License-Identifier: BSD-3-Clause

#include <optional>

#include "dyad/base/pairs.h"
#include "dyad/base/stopwatch.h"
#include "dyad/data/folds.h"
#include "dyad/dependence/counts_hsic.h"
#include "dyad/linear/active_rows.h"
#include "dyad/linear/standardisation.h"
#include "dyad/model/prediction.h"
#include "dyad/pairs/ranking.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/weights/choice.h"
#include "dyad/weights/inner_splits.h"
#include "dyad/weights/single_weights.h"

namespace dyad {
namespace {

constexpr std::size_t most_rows = 10000;
constexpr std::size_t most_bytes = std::size_t{192} << 20U;
constexpr std::size_t fewest_rows = 500;
constexpr std::size_t rare_class_rows = 100;
/// Errors of candidates differ by more than what a tighter solution would change.
constexpr double loose_tolerance = 0.01;

/// The sample, or evenly spaced rows of each class if it has too many; rare classes keep more than their
/// share.
std::vector<std::size_t> rows_to_try(const LabelledSample& sample, std::size_t n_terms, std::size_t n_folds) {
  const std::size_t by_memory = most_bytes / (n_folds * std::max<std::size_t>(n_terms, 1) * sizeof(float));
  const std::size_t most = std::max(fewest_rows, std::min(most_rows, by_memory));
  const std::size_t fewest_of_class = std::max(rare_class_rows, 2 * n_folds);
  std::vector<std::size_t> kept;
  for (const auto& rows : rows_by_class(sample)) {
    const std::size_t share = rows.size() * most / sample.n_rows();
    const std::size_t count = sample.n_rows() <= most ? rows.size() : std::max(fewest_of_class, share);
    for (const std::size_t k : evenly_spaced(rows.size(), count)) kept.push_back(rows[k]);
  }
  std::ranges::sort(kept);
  return kept;
}

/// The pairs of all classes in the order of their HSIC over the rows that each split trains on.
std::vector<std::vector<TermKey>> rankings(const LabelledSample& sample, std::span<const Split> splits,
                                           const SingleFit& fit, const Execution& execution) {
  const std::size_t d = sample.n_features();
  std::vector<std::vector<RankedPair>> ranked(splits.size());
  const auto left_out = rows_left_out(sample, splits);
  for (std::size_t c = 0; c < sample.n_classes; ++c) {
    const auto code = static_cast<std::int32_t>(c);
    const auto scores = counts_hsic_without(
        rows_of_class(sample, code), left_out[c], static_cast<std::size_t>(fit.terms.grid), execution,
        weights_of_class(sample, code), categorical_features(sample.levels));
    for (std::size_t k = 0; k < splits.size(); ++k)
      for (std::size_t i = 0; i < d; ++i)
        for (std::size_t j = i + 1; j < d; ++j)
          if (fit.terms.structure.allows(i, j))
            ranked[k].push_back({{code, i, j}, scores[k + 1][pair_index(i, j, d)].value, 1});
  }
  std::vector<std::vector<TermKey>> result(splits.size());
  for (std::size_t k = 0; k < splits.size(); ++k) {
    std::ranges::stable_sort(ranked[k], std::greater<>(), &RankedPair::hsic);
    for (const RankedPair& pair : ranked[k]) result[k].push_back(pair.key);
  }
  return result;
}

/// The terms that any fold needs, and the column of each in every fold's matrix: those of one feature and,
/// before them, the features themselves first, then pairs in the fold's own order.
struct FoldColumns {
  std::vector<TermKey> keys;
  std::vector<std::vector<std::size_t>> columns;  ///< by fold, then key
};

FoldColumns fold_columns(const LabelledSample& sample,
                         const std::vector<std::vector<TermKey>>& rankings_of_folds, std::size_t n_pairs,
                         const SingleFit& fit) {
  FoldColumns result{single_keys(sample, fit.terms), {}};
  const std::size_t n_single = result.keys.size();
  const std::size_t d = sample.n_features();
  const std::size_t n_all = sample.n_classes * pair_count(d);
  const auto number_of = [&](const TermKey& key) {
    return static_cast<std::size_t>(key.class_code) * pair_count(d) + pair_index(key.i, key.j, d);
  };
  constexpr auto unused = SplitValues::unused;  // of pairs that only other folds need
  std::vector<std::size_t> term_of_pair(n_all, unused);
  for (const auto& ranking : rankings_of_folds)
    for (std::size_t k = 0; k < n_pairs; ++k) {
      std::size_t& term = term_of_pair[number_of(ranking[k])];
      if (term != unused) continue;
      term = result.keys.size();
      result.keys.push_back(ranking[k]);
    }
  for (const auto& ranking : rankings_of_folds) {
    std::vector<std::size_t> columns(result.keys.size(), unused);
    for (std::size_t t = 0; t < n_single; ++t) columns[t] = t;
    for (std::size_t k = 0; k < n_pairs; ++k) columns[term_of_pair[number_of(ranking[k])]] = n_single + k;
    result.columns.push_back(std::move(columns));
  }
  return result;
}

/// Errors in all splits, of SVMs that each start from the one before: along costs, and along the nested sets
/// of pairs.
class SplitErrors {
 public:
  SplitErrors(std::span<const FloatRows> values, const LabelledSample& sample, std::span<const Split> splits,
              std::size_t n_single, const SingleFit& fit)
      : values_(values), sample_(sample), n_single_(n_single), fit_(fit), products_(splits.size()) {
    for (const Split& split : splits) {
      train_.emplace_back(split.outside.begin(), split.outside.end());
      test_.emplace_back(split.inside.begin(), split.inside.end());
    }
  }

  Matrix of(const Candidates& candidates, std::span<const double> weights_of_errors,
            const Execution& execution, FitReport& report) {
    const std::size_t n_scores = score_count(sample_.n_classes);
    const std::size_t n_costs = candidates.costs.size();
    first_of_set_.assign(train_.size() * n_scores, {});
    Matrix errors(candidates.n_pairs.size(), n_costs);
    for (std::size_t s = 0; s < candidates.n_pairs.size(); ++s) {
      if (s > 0 && has_to_end(execution, report)) {
        leave_out(errors, s);
        break;
      }
      const std::size_t n_cols = n_single_ + candidates.n_pairs[s];
      parallel_for(train_.size(), execution, {},
                   [&](std::size_t split) { make_products(split, n_cols, execution); });
      std::vector<std::vector<Matrix>> decisions(train_.size());
      for (std::size_t split = 0; split < train_.size(); ++split)
        decisions[split].assign(n_costs, Matrix(test_[split].size(), n_scores));
      parallel_for(train_.size() * n_scores, execution, {}, [&](std::size_t task) {
        decide(task / n_scores, task % n_scores, n_cols, candidates.costs, decisions[task / n_scores],
               execution);
      });
      for (std::size_t split = 0; split < train_.size(); ++split)
        for (std::size_t c = 0; c < n_costs; ++c)
          errors(s, c) += error_of(split, decisions[split][c], weights_of_errors);
    }
    return errors;
  }

 private:
  void make_products(std::size_t split, std::size_t n_cols, const Execution& execution) {
    std::optional<RowProducts>& products = products_[split];
    if (fit_.svm.svm.loss != Loss::hinge || !RowProducts::are_worth(train_[split].size(), n_cols)) return;
    if (!products || products->n_cols() > n_cols) products.emplace(train_[split]);
    products->extend_to(values_[split], n_cols, execution);
  }

  /// The decision values of score k in a split, by cost.
  void decide(std::size_t split, std::size_t k, std::size_t n_cols, std::span<const double> costs,
              std::vector<Matrix>& decisions, const Execution& execution) {
    const auto& products = products_[split];
    LinearSolution& first = first_of_set_[split * score_count(sample_.n_classes) + k];
    LinearSolution warm = first;
    for (std::size_t c = 0; c < costs.size(); ++c) {
      SingleSvm at = fit_.svm;
      at.svm.C = costs[c];
      at.svm.tolerance = std::max(fit_.svm.svm.tolerance, loose_tolerance);
      warm = solve_score({values_[split], sample_.y, sample_.weights, sample_.n_classes}, train_[split],
                         n_cols, k, at, fit_.weights, warm, products ? &*products : nullptr,
                         {.threads = 1, .stop = execution.stop});
      if (c == 0) first = warm;
      std::ranges::copy(decision_values(values_[split], test_[split], warm.w, warm.intercept),
                        decisions[c].column(k).begin());
    }
  }

  [[nodiscard]] double error_of(std::size_t split, const Matrix& decisions,
                                std::span<const double> weights_of_errors) const {
    const WeightsView weights = sample_.weights;
    double error = 0;
    for (std::size_t i = 0; i < test_[split].size(); ++i) {
      const std::size_t row = test_[split][i];
      if (winning_class(decisions, i) != sample_.y[row])
        error += weights[row] * weights_of_errors[static_cast<std::size_t>(sample_.y[row])];
    }
    return error;
  }

  std::span<const FloatRows> values_;
  const LabelledSample& sample_;
  std::size_t n_single_;
  const SingleFit& fit_;
  std::vector<std::vector<std::uint32_t>> train_;
  std::vector<std::vector<std::uint32_t>> test_;
  std::vector<std::optional<RowProducts>> products_;
  std::vector<LinearSolution> first_of_set_;  ///< by split, then score
};

}  // namespace

Choice choose_by_counts(const LabelledSample& all, const Candidates& candidates, const SingleFit& fit,
                        const Execution& execution, FitReport& report) {
  const std::size_t n_single = single_keys(all, fit.terms).size();
  const std::size_t n_pairs = candidates.n_pairs.back();
  const auto rows = rows_to_try(all, n_single + n_pairs, inner_fold_count(all, fit.weights));
  const LabelledSample sample = rows_of(all, rows);
  const auto splits = inner_splits_among(rows, sample, fit.weights);
  std::vector<std::vector<TermKey>> ranked(splits.size());
  if (n_pairs > 0) {
    const Stopwatch watch(report.screen);
    ranked = rankings(sample, splits, fit, execution);
  }
  const FoldColumns terms = fold_columns(sample, ranked, n_pairs, fit);
  std::vector<FloatRows> values;
  {
    const Stopwatch watch(report.density);
    values = SplitValues(sample, splits, fit.terms, execution).of(terms.keys, terms.columns, execution);
  }
  const Stopwatch watch(report.svm);
  // Scales, which only set the units of the penalty, are those of all rows of the split's matrix.
  for (FloatRows& of_split : values)
    apply(scaled_by(fit.weights, standardisation_of(of_split, execution, sample.weights),
                    linear_count(terms.keys)),
          of_split, execution);
  const auto weights_of_errors = error_weights(sample);
  SplitErrors errors(values, sample, splits, n_single, fit);
  return choose(candidates, fit.svm.svm.C, [&](const Candidates& some) {
    return errors.of(some, weights_of_errors, execution, report);
  });
}

}  // namespace dyad
