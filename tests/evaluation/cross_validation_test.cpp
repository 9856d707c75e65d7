// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/cross_validation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dyad/base/random.h"
#include "dyad/data/folds.h"
#include "dyad/fit/fit.h"
#include "dyad/model/prediction.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

TEST(CrossValidation, FitsEachFoldToTheOthers) {
  const LabelledSample sample = test::class_sample(60, 3, 2, 1);
  const CrossValidationOptions options{.folds = 3, .repeats = 2, .fit = {.method = Method::tan, .seed = 9}};
  const CrossValidation cv = cross_validate(sample, options);
  ASSERT_EQ(cv.folds.size(), 6U);
  const auto folds = stratified_folds(sample.y, 3, Random(9).split(1).next());
  const Split split = split_at(folds, 2);
  FitReport report;
  const Model model = fit(rows_of(sample, split.outside), options.fit, {}, report);
  const LabelledSample test = rows_of(sample, split.inside);
  const Confusion counts = confusion(test.y, classify(scores(model, test.X)), 2);
  EXPECT_EQ(cv.folds[5].repeat, 2U);
  EXPECT_EQ(cv.folds[5].fold, 3U);
  EXPECT_EQ(cv.folds[5].error, error_rate(counts));
  EXPECT_EQ(cv.folds[5].ber, balanced_error_rate(counts));
  EXPECT_EQ(cv.folds[5].pairs_kept, count_pairs(model));
}

TEST(CrossValidation, IsTheSameOnAnyNumberOfThreads) {
  const LabelledSample sample = test::class_sample(60, 3, 2, 1);
  const CrossValidationOptions options{.folds = 4, .repeats = 2};
  const CrossValidation one = cross_validate(sample, options, Execution{.threads = 1});
  for (const int threads : {2, 3, 8}) {
    const CrossValidation many = cross_validate(sample, options, Execution{.threads = threads});
    EXPECT_EQ(many.confusion, one.confusion);
    for (std::size_t k = 0; k < one.folds.size(); ++k) {
      EXPECT_EQ(many.folds[k].error, one.folds[k].error);
      EXPECT_EQ(many.folds[k].auc, one.folds[k].auc);
      EXPECT_EQ(many.folds[k].log_loss, one.folds[k].log_loss);
      EXPECT_EQ(many.folds[k].pairs_kept, one.folds[k].pairs_kept);
    }
  }
}

TEST(CrossValidation, AddsUpItsFolds) {
  const LabelledSample sample = test::class_sample(60, 3, 3, 1);
  const CrossValidation cv =
      cross_validate(sample, {.folds = 5, .repeats = 2, .fit = {.method = Method::nb}});
  std::size_t rows = 0;
  for (const auto& line : cv.confusion)
    for (const std::size_t count : line) rows += count;
  EXPECT_EQ(rows, 120U);
  EXPECT_NEAR(cv.mean(&FoldResult::error), error_rate(cv.confusion), 1e-12);
  double first = 0;
  double second = 0;
  for (const FoldResult& fold : cv.folds) (fold.repeat == 1 ? first : second) += fold.ber / 5;
  EXPECT_NEAR(cv.ber_sd(), std::abs(first - second) / std::sqrt(2.0), 1e-12);
}

TEST(CrossValidation, AucOfManyClassesComparesProbabilities) {
  const LabelledSample sample = test::class_sample(150, 3, 3, 1);
  for (const Method method : {Method::nb, Method::lu}) {
    const CrossValidation cv = cross_validate(sample, {.folds = 3, .fit = {.method = method}});
    const auto folds = stratified_folds(sample.y, 3, Random(1).split(0).next());
    const Split split = split_at(folds, 0);
    FitReport report;
    const Model model = fit(rows_of(sample, split.outside), {.method = method}, {}, report);
    const LabelledSample test = rows_of(sample, split.inside);
    const Matrix p = probabilities(model, scores(model, test.X));
    EXPECT_NEAR(cv.folds[0].auc, mean_area_under_curve(p, test.y, 3), 1e-12);
  }
}

TEST(CrossValidation, PoolsReliabilityAndCostsOverFolds) {
  const LabelledSample sample = test::class_sample(90, 3, 3, 1);
  CrossValidationOptions options{.folds = 3, .repeats = 2, .fit = {.method = Method::nb}};
  options.fit.costs = Matrix(3, 3);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b) options.fit.costs(a, b) = a == b ? 0 : static_cast<double>(1 + a);
  const CrossValidation cv = cross_validate(sample, options);
  Reliability expected;
  Confusion counts(3, std::vector<std::size_t>(3));
  for (std::size_t repeat = 0; repeat < 2; ++repeat) {
    const auto folds = stratified_folds(sample.y, 3, Random(1).split(repeat).next());
    for (std::size_t fold = 0; fold < 3; ++fold) {
      const Split split = split_at(folds, fold);
      FitReport report;
      const Model model = fit(rows_of(sample, split.outside), options.fit, {}, report);
      const LabelledSample test = rows_of(sample, split.inside);
      const Matrix all = scores(model, test.X);
      add(expected, reliability(probabilities(model, all), test.y));
      const Confusion part = confusion(test.y, classify(model, all), 3);
      EXPECT_EQ(cv.folds[3 * repeat + fold].cost, mean_cost(part, options.fit.costs));
      for (std::size_t a = 0; a < 3; ++a)
        for (std::size_t b = 0; b < 3; ++b) counts[a][b] += part[a][b];
    }
  }
  EXPECT_EQ(cv.confusion, counts);
  EXPECT_EQ(cv.reliability, expected);
  EXPECT_NEAR(cv.mean(&FoldResult::cost), mean_cost(counts, options.fit.costs), 1e-12);
}

TEST(CrossValidation, RejectsImpossibleFolds) {
  const LabelledSample sample = test::class_sample(10, 3, 2, 1);
  EXPECT_THROW(cross_validate(sample, {.folds = 11}), std::invalid_argument);
  EXPECT_THROW(cross_validate(sample, {.folds = 1}), std::invalid_argument);
  EXPECT_THROW(cross_validate(sample, {.repeats = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace dyad
