// The counts engine against the exact one, from table to predictions.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>

#include "dyad/data/summary.h"
#include "dyad/fit/fit.h"
#include "dyad/io/model_file.h"
#include "dyad/model/prediction.h"
#include "dyad/pairs/ranking.h"
#include "tests/fitted.h"
#include "tests/model_samples.h"
#include "tests/recipes.h"

namespace dyad {
namespace {

Model fitted(const LabelledSample& sample, FitOptions options, Engine engine) {
  options.engine = engine;
  return test::fitted(sample, options);
}

/// Scores of fresh rows by both engines.
struct Both {
  Matrix exact;
  Matrix counts;

  Both(const LabelledSample& sample, const LabelledSample& fresh, const FitOptions& options)
      : exact(scores(fitted(sample, options, Engine::exact), fresh.X)),
        counts(scores(fitted(sample, options, Engine::counts), fresh.X)) {}

  [[nodiscard]] double share_of_equal_classes() const {
    const auto a = classify(exact);
    const auto b = classify(counts);
    std::size_t equal = 0;
    for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1U : 0U;
    return static_cast<double>(equal) / static_cast<double>(a.size());
  }
};

TEST(SlowEngines, LikelihoodRatiosAgree) {
  const LabelledSample sample = test::class_sample(600, 4, 2, 1);
  const LabelledSample fresh = test::class_sample(400, 4, 2, 77);
  for (const Method method : {Method::nb, Method::tan, Method::tan_forest})
    for (const BandwidthRule rule :
         {BandwidthRule::plug_in, BandwidthRule::plug_in_diagonal, BandwidthRule::normal_scale}) {
      const Both both(sample, fresh, {.method = method, .bandwidth = rule});
      std::vector<double> errors;
      for (std::size_t i = 0; i < fresh.n_rows(); ++i)
        errors.push_back(std::abs(both.exact(i, 0) - both.counts(i, 0)) /
                         (1 + 0.02 * std::abs(both.exact(i, 0))));
      EXPECT_LE(quantile(errors, 0.5), 0.02) << option_text(method, method_names);
      EXPECT_LE(quantile(errors, 0.98), 0.3) << option_text(method, method_names);
    }
}

TEST(SlowEngines, PredictTheSameClasses) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const LabelledSample sample = test::class_sample(300, 4, n_classes, 5);
    const LabelledSample fresh = test::class_sample(300, 4, n_classes, 78);
    for (const FeatureMode mode : {FeatureMode::resubstitution, FeatureMode::leave_one_out,
                                   FeatureMode::cross_fit, FeatureMode::split})
      EXPECT_GE(Both(sample, fresh, {.feature_mode = mode, .pairs = PairRule::count, .n_pairs = 5})
                    .share_of_equal_classes(),
                0.95)
          << option_text(mode, feature_mode_names) << ", " << n_classes << " classes";
    EXPECT_GE(Both(sample, fresh, {.method = Method::lu}).share_of_equal_classes(), 0.95);
    EXPECT_GE(Both(sample, fresh, {.method = Method::slb_minus, .norm_bound = 0.5}).share_of_equal_classes(),
              0.95);
  }
}

TEST(Engines, AgreeWithThePresetAuto) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const LabelledSample sample = test::class_sample(150, 4, n_classes, 5);
    const LabelledSample fresh = test::class_sample(400, 4, n_classes, 78);
    for (const Method method : {Method::slb, Method::lu, Method::tan}) {
      const Both both(sample, fresh, preset_options(Preset::automatic, method));
      EXPECT_GE(both.share_of_equal_classes(), 0.96) << option_text(method, method_names);
      std::vector<double> errors;
      for (std::size_t i = 0; i < both.exact.data.size(); ++i)
        errors.push_back(std::abs(both.exact.data[i] - both.counts.data[i]) /
                         (1 + std::abs(both.exact.data[i])));
      EXPECT_LE(quantile(errors, 0.5), 0.05) << option_text(method, method_names);
      EXPECT_LE(quantile(errors, 0.98), 0.2) << option_text(method, method_names);
    }
  }
}

TEST(Engines, ProbabilitiesAgree) {
  const LabelledSample sample = test::class_sample(300, 4, 2, 5);
  const LabelledSample fresh = test::class_sample(200, 4, 2, 78);
  const FitOptions options{.pairs = PairRule::count, .n_pairs = 4};
  const Model exact = fitted(sample, options, Engine::exact);
  const Model counts = fitted(sample, options, Engine::counts);
  const Matrix p = probabilities(exact, scores(exact, fresh.X));
  const Matrix q = probabilities(counts, scores(counts, fresh.X));
  for (std::size_t i = 0; i < fresh.n_rows(); ++i) EXPECT_NEAR(p(i, 0), q(i, 0), 0.12) << i;
}

TEST(Engines, RankPairsAlikeAndKeepThemByFalseDiscoveryRate) {
  const LabelledSample sample = test::class_sample(400, 5, 2, 3);
  const auto kept = [&](Engine engine) {
    FitReport report;
    auto pairs = select(sample, {.engine = engine, .pairs = PairRule::fdr}, {}, report).pairs;
    std::ranges::sort(pairs, {},
                      [](const TermKey& place) { return std::tuple(place.class_code, place.i, place.j); });
    return pairs;
  };
  EXPECT_FALSE(kept(Engine::exact).empty());
  EXPECT_EQ(kept(Engine::exact), kept(Engine::counts));
}

TEST(Engines, ChooseTheCostThatSuitsTheSample) {
  // Many useless features: a small cost. Classes that are easily told apart by one pair: the pair is kept.
  LabelledSample sample = test::class_sample(120, 3, 2, 4);
  for (const Engine engine : {Engine::exact, Engine::counts}) {
    FitReport report;
    const Selection selection = select(sample, {.engine = engine, .cost = CostRule::cv}, {}, report);
    EXPECT_TRUE(std::ranges::find(cost_candidates, selection.C) != cost_candidates.end());
    EXPECT_FALSE(selection.pairs.empty());
    const Selection given = select(sample, {.engine = engine, .svm = {.C = 3}}, {}, report);
    EXPECT_EQ(given.C, 3);
    const Model model = fitted(sample, {.method = Method::lu, .cost = CostRule::cv}, engine);
    EXPECT_TRUE(std::ranges::find(cost_candidates, options_from(model.fitted_with).svm.C) !=
                cost_candidates.end());
  }
  // Labels that say nothing: no cost is better than another in the long run, and the smallest is taken of
  // equals.
  LabelledSample constant = sample;
  for (double& value : constant.X.data) value = 1;
  FitReport report;
  EXPECT_EQ(select(constant, {.method = Method::lu, .cost = CostRule::cv}, {}, report).C,
            cost_candidates.front());
}

TEST(Engines, ACountsModelHoldsNoRows) {
  const Model model = fitted(test::class_sample(200, 3, 2, 1), {}, Engine::counts);
  EXPECT_TRUE(model.samples.empty());
  EXPECT_EQ(model.class_rows, (std::vector<std::size_t>{100, 100}));
  EXPECT_EQ(model.n_features, 3U);
}

TEST(Engines, FewRowsInLongTailsKeepTheirPoints) {
  LabelledSample sample = test::class_sample(600, 2, 2, 1);
  for (double& value : sample.X.data) value = std::exp(1.5 * value);
  const LabelledSample fresh = sample;
  for (const FeatureMode mode :
       {FeatureMode::resubstitution, FeatureMode::leave_one_out, FeatureMode::cross_fit}) {
    const FitOptions options{.method = Method::slb_minus, .feature_mode = mode};
    const Model counts = fitted(sample, options, Engine::counts);
    ASSERT_TRUE(std::holds_alternative<Kde2d>(counts.terms.back().density));
    EXPECT_GE(Both(sample, fresh, options).share_of_equal_classes(), 0.9);
  }
}

TEST(Engines, ValuesThatStandForSomethingElseAreNotLost) {
  // A tenth of the rows of one class have -9999, thousands of bandwidths from the others.
  for (const std::size_t n : {600U, 6000U}) {
    LabelledSample sample = test::class_sample(n, 2, 2, 1);
    for (std::size_t i = 0; i < n; ++i)
      if (sample.y[i] == 1 && i % 20 < 2) sample.X(i, 0) = -9999;
    for (const Method method : {Method::nb, Method::lu}) {
      Model model = fitted(sample, {.method = method}, Engine::counts);
      model.features = {"x0", "x1"};
      model.classes = {"a", "b"};
      EXPECT_TRUE(std::holds_alternative<Kde1d>(model.terms[2].density));
      const Model loaded = model_from_bytes(model_bytes(model), "m.dyad");
      const Matrix result = scores(model, sample.X);
      EXPECT_EQ(scores(loaded, sample.X).data, result.data);
      for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(sample.X(i, 0) != -9999 || result(i, 0) > 0) << i;
    }
    EXPECT_TRUE(n > 1000 || Both(sample, sample, {.method = Method::nb}).share_of_equal_classes() > 0.98);
  }
}

TEST(Engines, RareClassesSurviveTheChoiceOnPartOfTheRows) {
  LabelledSample sample = test::class_sample(12000, 2, 2, 1);
  std::ranges::fill(sample.y, 0);
  for (const std::size_t i : {5U, 700U, 3000U, 11000U}) sample.y[i] = 1;
  const Model model = fitted(sample, {.cost = CostRule::cv}, Engine::counts);
  for (const double score : scores(model, sample.X).data) ASSERT_TRUE(std::isfinite(score));
}

TEST(Engines, BandwidthsOfTheLargestNumbersStayFiniteWithoutAFold) {
  // Fewer rows have wider kernels.
  constexpr double largest = std::numeric_limits<double>::max();
  LabelledSample sample = test::class_sample(4, 2, 2, 1);
  std::ranges::copy(std::array{-largest, 0.5 * largest, largest, largest}, sample.X.column(0).begin());
  const FitOptions options{
      .method = Method::lu, .bandwidth = BandwidthRule::normal_scale, .feature_mode = FeatureMode::cross_fit};
  FitReport report;
  for (const double score : scores(fit(sample, options, {}, report), sample.X).data)
    EXPECT_TRUE(std::isfinite(score));
}

TEST(Engines, RejectValuesThatAreNotFinite) {
  LabelledSample sample = test::class_sample(40, 2, 2, 1);
  sample.X(3, 1) = INFINITY;
  for (const Engine engine : {Engine::exact, Engine::counts})
    EXPECT_THROW(fitted(sample, {.method = Method::lu}, engine), std::invalid_argument);
}

TEST(Engines, RowsBeyondEveryAxisHaveFiniteScores) {
  const Model model = fitted(test::class_sample(200, 3, 2, 1), {}, Engine::counts);
  Matrix far(4, 3);
  const std::array values{1e3, -1e6, 1e150, -1e300};
  for (std::size_t i = 0; i < 4; ++i)
    for (std::size_t j = 0; j < 3; ++j) far(i, j) = values[i];
  const Matrix result = scores(model, far);
  for (const double score : result.data) EXPECT_TRUE(std::isfinite(score));
  far(0, 0) = INFINITY;
  EXPECT_THROW(scores(model, far), std::invalid_argument);
}

}  // namespace
}  // namespace dyad
