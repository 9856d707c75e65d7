// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/linear/linear_svm.h"
#include "dyad/model/prediction.h"
#include "dyad/pairs/ranking.h"
#include "dyad/terms/exact_terms.h"
#include "dyad/weights/choice.h"
#include "dyad/weights/inner_splits.h"
#include "dyad/weights/single_weights.h"

namespace dyad {
namespace {

/// Columns first .. last - 1 of X.
MatrixView columns(const Matrix& X, std::size_t first, std::size_t last) {
  return {X.data.data() + first * X.n_rows, X.n_rows, last - first};
}

/// The standardised values of one fold's rows, and of those outside.
struct Fold {
  Matrix train;
  Matrix test;
  std::vector<std::int32_t> train_y;
  std::vector<std::int32_t> test_y;
};

Fold make_fold(const LabelledSample& sample, const Split& split, std::size_t n_pairs, const SingleFit& fit,
               const Execution& execution, FitReport& report) {
  const LabelledSample train = rows_of(sample, split.outside);
  const LabelledSample test = rows_of(sample, split.inside);
  auto keys = single_keys(sample, fit.terms);
  if (n_pairs > 0) {
    const auto ranked = rank_density_rows(train, fit.terms, execution, report);
    for (std::size_t k = 0; k < n_pairs; ++k) keys.push_back(ranked[k].key);
  }
  const TrainingFeatures features = training_features(train, keys, fit.terms, execution, report);
  const Stopwatch watch(report.features);
  const Standardisation standardisation =
      scaled_by(fit.weights, standardisation_of(features.values), linear_count(keys));
  return {standardised(features.values, standardisation),
          standardised(term_values(features.terms, test.X, execution), standardisation),
          gather(train.y, features.rows), test.y};
}

/// Adds the errors of SVMs for a growing number of leading terms. The sets are nested, so Gram matrices grow
/// by the added terms; each SVM starts from the one before.
///
/// Leaves numbers of pairs out from the one on at which the search has to end.
void add_errors(const Fold& fold, std::span<const double> weights_of_errors, const Candidates& candidates,
                std::size_t n_single, const SingleFit& fit, const Execution& execution, FitReport& report,
                Matrix& errors) {
  const std::size_t n_classes = weights_of_errors.size();
  const std::size_t n_train = fold.train.n_rows;
  const std::size_t n_test = fold.test.n_rows;
  Matrix gram(n_train, n_train);
  Matrix cross(n_test, n_train);
  std::vector<std::vector<double>> warm(score_count(n_classes));
  std::size_t n_terms = 0;
  for (std::size_t s = 0; s < candidates.n_pairs.size() && !is_left_out(errors, s); ++s) {
    if (s > 0 && has_to_end(execution, report)) return leave_out(errors, s);
    const std::size_t last = n_single + candidates.n_pairs[s];
    add_gram(columns(fold.train, n_terms, last), gram, execution);
    add_cross_gram(columns(fold.test, n_terms, last), columns(fold.train, n_terms, last), cross, execution);
    n_terms = last;
    for (std::size_t c = 0; c < candidates.costs.size(); ++c) {
      SvmOptions svm_options = fit.svm.svm;
      svm_options.C = candidates.costs[c];
      Matrix decisions(n_test, warm.size());
      for (std::size_t k = 0; k < warm.size(); ++k) {
        const auto signs = signs_of_score(fold.train_y, n_classes, k);
        const auto losses =
            loss_weights(signs, fold.train_y, {}, fit.weights.class_weights, fit.weights.class_weight_values);
        const SvmSolution svm =
            solve_svm_within(gram, signs, losses, svm_options, fit.svm.norm_bound, warm[k], execution);
        for (std::size_t i = 0; i < n_test; ++i) {
          decisions(i, k) = svm.intercept;
          for (std::size_t a = 0; a < n_train; ++a) decisions(i, k) += svm.alpha[a] * signs[a] * cross(i, a);
        }
        warm[k] = svm.alpha;
      }
      for (std::size_t i = 0; i < n_test; ++i)
        if (winning_class(decisions, i) != fold.test_y[i])
          errors(s, c) += weights_of_errors[static_cast<std::size_t>(fold.test_y[i])];
    }
  }
}

}  // namespace

Choice choose_exact(const LabelledSample& sample, const Candidates& candidates, const SingleFit& fit,
                    const Execution& execution, FitReport& report) {
  std::vector<Fold> folds;
  for (const Split& split : inner_splits(sample, fit.weights))
    folds.push_back(make_fold(sample, split, candidates.n_pairs.back(), fit, execution, report));
  const auto weights_of_errors = error_weights(sample);
  const std::size_t n_single = single_keys(sample, fit.terms).size();
  const Stopwatch watch(report.svm);
  return choose(candidates, fit.svm.svm.C, [&](const Candidates& some) {
    Matrix errors(some.n_pairs.size(), some.costs.size());
    for (const Fold& fold : folds)
      add_errors(fold, weights_of_errors, some, n_single, fit, execution, report, errors);
    return errors;
  });
}

}  // namespace dyad
