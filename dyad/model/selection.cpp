// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/selection.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "dyad/base/pairs.h"
#include "dyad/base/stopwatch.h"
#include "dyad/data/folds.h"
#include "dyad/dependence/false_discovery.h"
#include "dyad/dependence/hsic.h"
#include "dyad/model/svm_weights.h"
#include "dyad/svm/linear_svm.h"

namespace dyad {
namespace {

/// Balanced error of each share: every class counts the same, whatever its number of rows.
using Errors = std::array<double, kept_shares.size()>;

std::size_t kept_count(double share, std::size_t n_pairs) {
  return static_cast<std::size_t>(std::lround(share * static_cast<double>(n_pairs)));
}

/// Columns first .. last - 1 of X.
MatrixView columns(const Matrix& X, std::size_t first, std::size_t last) {
  return {X.data.data() + first * X.n_rows, X.n_rows, last - first};
}

/// Errors on the `test` rows of SVMs fitted to the `train` values, for a growing number of leading terms. The sets are nested, so
/// Gram matrices grow by the added terms and each SVM starts from the one before.
Errors errors_of_leading_terms(const Matrix& train, std::span<const std::int32_t> train_y, const Matrix& test,
                               std::span<const std::int32_t> test_y, std::span<const double> error_weights,
                               std::span<const std::size_t> term_counts, const FitOptions& options,
                               const Execution& execution) {
  const std::size_t n_classes = error_weights.size();
  const Standardisation standardisation = standardisation_of(train);
  const Matrix Z = standardised(train, standardisation);
  const Matrix Z_test = standardised(test, standardisation);
  Matrix gram(train.n_rows, train.n_rows);
  Matrix cross(test.n_rows, train.n_rows);
  std::vector<std::vector<double>> warm(score_count(n_classes));
  Errors errors{};
  std::size_t n_terms = 0;
  for (std::size_t s = 0; s < term_counts.size(); ++s) {
    add_gram(columns(Z, n_terms, term_counts[s]), gram);
    add_cross_gram(columns(Z_test, n_terms, term_counts[s]), columns(Z, n_terms, term_counts[s]), cross);
    n_terms = term_counts[s];
    Matrix decisions(test.n_rows, warm.size());
    for (std::size_t k = 0; k < warm.size(); ++k) {
      const auto signs = signs_of_score(train_y, n_classes, k);
      const auto weights = row_weights(signs, options.class_weights);
      const SvmSolution svm =
          options.norm_bound > 0
              ? solve_svm_within(gram, signs, weights, options.svm, options.norm_bound, execution)
              : solve_svm(gram, signs, weights, options.svm, warm[k], execution);
      for (std::size_t i = 0; i < test.n_rows; ++i) {
        decisions(i, k) = svm.intercept;
        for (std::size_t a = 0; a < train.n_rows; ++a)
          decisions(i, k) += svm.alpha[a] * signs[a] * cross(i, a);
      }
      warm[k] = svm.alpha;
    }
    for (std::size_t i = 0; i < test.n_rows; ++i)
      if (winning_class(decisions, i) != test_y[i])
        errors[s] += error_weights[static_cast<std::size_t>(test_y[i])];
  }
  return errors;
}

std::vector<RankedPair> rank_density_rows(const LabelledSample& sample, const FitOptions& options,
                                          const Execution& execution, FitReport& report) {
  const Stopwatch watch(report.screen);
  return rank_pairs(rows_of(sample, roles_of_rows(sample, options).density_rows), execution);
}

/// The errors of every share of kept pairs, all steps repeated on the rows outside one fold.
Errors errors_in_fold(const LabelledSample& sample, const Split& split, const FitOptions& options,
                      const Execution& execution, FitReport& report) {
  const LabelledSample train = rows_of(sample, split.outside);
  const LabelledSample test = rows_of(sample, split.inside);
  auto places = univariate_places(sample.n_classes, sample.n_features());
  const auto ranked = rank_density_rows(train, options, execution, report);
  std::vector<std::size_t> term_counts;
  for (const double share : kept_shares)
    term_counts.push_back(places.size() + kept_count(share, ranked.size()));
  for (const RankedPair& pair : ranked) places.push_back(pair.place);

  const TrainingFeatures features = training_features(train, places, options, execution, report);
  Matrix test_values;
  {
    const Stopwatch watch(report.features);
    test_values = term_values(features.terms, test.X, execution);
  }
  std::vector<std::int32_t> y;
  for (const std::size_t row : features.rows) y.push_back(train.y[row]);
  std::vector<double> error_weights;
  for (const std::size_t count : class_counts(sample))
    error_weights.push_back(1 / static_cast<double>(count * sample.n_classes));
  const Stopwatch watch(report.svm);
  return errors_of_leading_terms(features.values, y, test_values, test.y, error_weights, term_counts, options,
                                 execution);
}

double best_share(const LabelledSample& sample, const FitOptions& options, const Execution& execution,
                  FitReport& report) {
  const auto n_folds = static_cast<std::size_t>(options.inner_folds);
  const auto folds = stratified_folds(sample.y, n_folds, options.seed);
  Errors errors{};
  for (std::size_t fold = 0; fold < n_folds; ++fold) {
    const auto in_fold = errors_in_fold(sample, split_at(folds, fold), options, execution, report);
    for (std::size_t s = 0; s < errors.size(); ++s) errors[s] += in_fold[s];
  }
  const double least = std::ranges::min(errors) + 1e-9;  // sums of the same errors may round differently
  const auto best = std::ranges::find_if(errors, [&](double error) { return error <= least; });
  return kept_shares[static_cast<std::size_t>(best - errors.begin())];
}

/// Drops the pairs whose q-value within their class exceeds `fdr`.
void keep_discoveries(std::vector<RankedPair>& ranked, std::size_t n_classes, double fdr) {
  std::vector<double> q_values(ranked.size());
  for (std::size_t c = 0; c < n_classes; ++c) {
    std::vector<std::size_t> members;
    std::vector<double> p_values;
    for (std::size_t k = 0; k < ranked.size(); ++k) {
      if (ranked[k].place.class_code != static_cast<std::int32_t>(c)) continue;
      members.push_back(k);
      p_values.push_back(ranked[k].p_value);
    }
    const auto q = benjamini_hochberg(p_values);
    for (std::size_t k = 0; k < members.size(); ++k) q_values[members[k]] = q[k];
  }
  std::vector<RankedPair> kept;
  for (std::size_t k = 0; k < ranked.size(); ++k)
    if (q_values[k] <= fdr) kept.push_back(ranked[k]);
  ranked = std::move(kept);
}

}  // namespace

std::vector<RankedPair> rank_pairs(const LabelledSample& sample, const Execution& execution) {
  const std::size_t d = sample.n_features();
  std::vector<RankedPair> ranked;
  for (std::size_t c = 0; c < sample.n_classes; ++c) {
    const auto code = static_cast<std::int32_t>(c);
    const auto scores = hsic_all_pairs(rows_of_class(sample, code), execution);
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i + 1; j < d; ++j) {
        const Hsic& score = scores[pair_index(i, j, d)];
        ranked.push_back({{code, i, j}, score.value, score.p_value});
      }
  }
  std::ranges::stable_sort(ranked, std::greater<>(), &RankedPair::hsic);
  return ranked;
}

std::vector<TermPlace> select_pairs(const LabelledSample& sample, const FitOptions& options,
                                    const Execution& execution, FitReport& report) {
  auto ranked = rank_density_rows(sample, options, execution, report);
  switch (options.pairs) {
    case PairRule::cv:
      ranked.resize(kept_count(best_share(sample, options, execution, report), ranked.size()));
      break;
    case PairRule::fdr:
      keep_discoveries(ranked, sample.n_classes, options.fdr);
      break;
    case PairRule::count:
      ranked.resize(std::min(ranked.size(), static_cast<std::size_t>(options.n_pairs)));
      break;
    case PairRule::threshold:
      std::erase_if(ranked, [&](const RankedPair& pair) { return pair.hsic < options.min_hsic; });
      break;
  }
  std::vector<TermPlace> places;
  for (const RankedPair& pair : ranked) places.push_back(pair.place);
  return places;
}

}  // namespace dyad
