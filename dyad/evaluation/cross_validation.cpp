// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/cross_validation.h"

#include "dyad/base/random.h"
#include "dyad/base/stopwatch.h"
#include "dyad/base/text.h"
#include "dyad/data/folds.h"
#include "dyad/data/summary.h"
#include "dyad/fit/fit.h"
#include "dyad/model/prediction.h"

namespace dyad {
namespace {

/// The cross-validation of one fold.
CrossValidation run_fold(const LabelledSample& sample, const Split& split, const FitOptions& options,
                         const Execution& execution) {
  CrossValidation run{.folds = {FoldResult{}}};
  FoldResult& result = run.folds.front();
  const Stopwatch watch(result.seconds);
  LabelledSample test = rows_of(sample, split.inside);
  const Model model = fit(rows_of(sample, split.outside), options, execution, run.report);
  Matrix test_scores;
  {
    const Stopwatch features_watch(run.report.features);
    recode(test.X, sample.levels, model.levels);
    test_scores = scores(model, test.X, execution);
  }
  run.confusion = confusion(test.y, classify(model, test_scores), sample.n_classes);
  result.error = error_rate(run.confusion);
  result.ber = balanced_error_rate(run.confusion);
  const Matrix test_probabilities = probabilities(model, test_scores);
  // The scores of three classes or more compare classes within a row, not rows within a class.
  result.auc = mean_area_under_curve(sample.n_classes == 2 ? test_scores : test_probabilities, test.y,
                                     sample.n_classes);
  result.log_loss = log_loss(test_probabilities, test.y);
  run.reliability = reliability(test_probabilities, test.y);
  if (!model.costs.data.empty()) result.cost = mean_cost(run.confusion, model.costs);
  result.pairs_kept = count_pairs(model);
  return run;
}

void add(FitReport& sum, const FitReport& part) {
  sum.screen += part.screen;
  sum.density += part.density;
  sum.features += part.features;
  sum.svm += part.svm;
  sum.converged = sum.converged && part.converged;
  sum.ended_early = sum.ended_early || part.ended_early;
  sum.gap = std::max(sum.gap, part.gap);
  sum.iterations = std::max(sum.iterations, part.iterations);
}

}  // namespace

double CrossValidation::mean(double FoldResult::*field) const {
  std::vector<double> values;
  for (const FoldResult& fold : folds)
    if (!std::isnan(fold.*field)) values.push_back(fold.*field);
  return values.empty() ? std::numeric_limits<double>::quiet_NaN() : dyad::mean(values);
}

double CrossValidation::ber_sd() const {
  const std::size_t n_repeats = folds.back().repeat;
  if (n_repeats == 1) {
    std::vector<double> values;
    for (const FoldResult& fold : folds) values.push_back(fold.ber);
    return standard_deviation(values);
  }
  std::vector<double> means(n_repeats, 0.0);
  for (const FoldResult& fold : folds)
    means[fold.repeat - 1] += fold.ber * static_cast<double>(n_repeats) / static_cast<double>(folds.size());
  return standard_deviation(means);
}

CrossValidation cross_validate(const LabelledSample& sample, const CrossValidationOptions& options,
                               const Execution& execution) {
  validate(options);
  if (!sample.weights.empty()) throw std::invalid_argument("cross-validation does not take row weights");
  const auto counts = class_counts(sample);
  if (const auto alone = std::ranges::find_if(counts, [](double count) { return count < 2; });
      alone != counts.end())
    throw std::invalid_argument("cross-validation needs two rows of each class; class " +
                                std::to_string(alone - counts.begin() + 1) + " of " +
                                std::to_string(counts.size()) + ", in increasing order, has fewer");
  CrossValidation result{.baseline = baseline_of(counts, sample.y)};
  {
    const Stopwatch watch(result.seconds);
    const auto n_folds = static_cast<std::size_t>(options.folds);
    const auto n_repeats = static_cast<std::size_t>(options.repeats);
    const Random random(options.fit.seed);
    std::vector<std::vector<std::size_t>> folds;
    for (std::size_t repeat = 0; repeat < n_repeats; ++repeat)
      folds.push_back(options.groups.empty()
                          ? stratified_folds(sample.y, n_folds, random.split(repeat).next())
                          : grouped_folds(sample.y, options.groups, n_folds, random.split(repeat).next()));

    std::vector<CrossValidation> runs(n_folds * n_repeats);
    const Execution inside{.threads = 1, .stop = execution.stop};
    parallel_for(runs.size(), execution, "cross-validation", [&](std::size_t k) {
      runs[k] = run_fold(sample, split_at(folds[k / n_folds], k % n_folds), options.fit, inside);
      runs[k].folds[0].repeat = k / n_folds + 1;
      runs[k].folds[0].fold = k % n_folds + 1;
    });

    result.confusion.assign(sample.n_classes, std::vector<std::size_t>(sample.n_classes, 0));
    for (const CrossValidation& run : runs) {
      result.folds.push_back(run.folds[0]);
      add(result.report, run.report);
      add(result.reliability, run.reliability);
      for (std::size_t a = 0; a < sample.n_classes; ++a)
        for (std::size_t b = 0; b < sample.n_classes; ++b) result.confusion[a][b] += run.confusion[a][b];
    }
  }
  return result;
}

Provenance held_out_quality(const CrossValidation& cv, int n_folds, const std::vector<std::string>& classes) {
  const double error = cv.mean(&FoldResult::error);
  double squares = 0;
  for (const FoldResult& fold : cv.folds) squares += (fold.error - error) * (fold.error - error);
  const auto n = static_cast<double>(cv.folds.size());
  Provenance quality{{"held_out_folds", std::to_string(n_folds)},
                     {"held_out_error", number_text(error)},
                     {"held_out_error_se", number_text(std::sqrt(squares / (n - 1) / n))},
                     {"held_out_log_loss", number_text(cv.mean(&FoldResult::log_loss))},
                     {"baseline_class", classes[cv.baseline.class_code]},
                     {"baseline_error", number_text(cv.baseline.error)},
                     {"baseline_log_loss", number_text(cv.baseline.log_loss)}};
  const double auc = cv.mean(&FoldResult::auc);
  if (!std::isnan(auc)) quality.emplace_back("held_out_auc", number_text(auc));
  return quality;
}

}  // namespace dyad
