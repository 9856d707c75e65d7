// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/averaged_weights.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "dyad/base/gather.h"
#include "dyad/data/folds.h"
#include "dyad/weights/likelihood_forms.h"
#include "tests/averages.h"
#include "tests/model_samples.h"
#include "tests/oracles.h"
#include "tests/terms/term_values.h"

namespace dyad {
namespace {

using test::expect_close;

/// A sample with the values of all terms, as the averaging of weights gets them, and the twin of that
/// averaging.
struct Problem : test::TermValues {
  using TermValues::TermValues;

  [[nodiscard]] AveragedWeights averaged() const {
    TrainingRows rows{all_rows(), float_rows(values), sample.y, sample.weights};
    const Recipe recipe = make_recipe(options);
    auto rule = std::get<Average>(recipe.weight_rule);
    rule.multiclass = Multiclass::one_vs_rest;
    return fit_averaged_weights(rows, terms, sample.n_classes, rule, recipe.weights, {});
  }

  [[nodiscard]] std::vector<std::size_t> all_rows() const {
    std::vector<std::size_t> rows(sample.n_rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }

  /// +1 for the class of score k.
  [[nodiscard]] std::vector<double> signs(std::size_t k) const {
    std::vector<double> result;
    for (const std::int32_t code : sample.y)
      result.push_back(code == static_cast<std::int32_t>(sample.n_classes == 2 ? 1 : k) ? 1 : -1);
    return result;
  }
  /// Factor of C for each row: SVMs balance for any objective.
  [[nodiscard]] std::vector<double> costs(std::size_t k) const { return weights(k, true); }
  /// Weight of a row in losses and log odds.
  [[nodiscard]] std::vector<double> ratings(std::size_t k) const {
    return weights(k, options.optimise == Objective::balanced);
  }
  [[nodiscard]] std::vector<double> weights(std::size_t k, bool balanced) const {
    const auto y = signs(k);
    const auto n = static_cast<double>(y.size());
    const auto positives = static_cast<double>(std::ranges::count(y, 1.0));
    std::vector<double> result;
    for (const double sign : y)
      result.push_back(balanced ? n / (2 * (sign > 0 ? positives : n - positives)) : 1);
    return result;
  }

  /// Features of a setting, with those of the forms of rows `train` for its blend.
  [[nodiscard]] oracle::Rows features(const Setting& setting, std::size_t k,
                                      const std::vector<std::size_t>& train) const {
    const auto set = std::ranges::find(terms.sets, setting.terms, &NestedTerms::Set::name);
    std::vector<bool> linear;
    for (const TermKey& place : terms.keys) linear.push_back(place.is_linear());
    auto rows = oracle::features_of_set(values, linear, set->n_terms, options.term_scale == TermScale::unit);
    if (setting.blend == 0) return rows;
    const std::vector<std::uint32_t> few(train.begin(), train.end());
    const Matrix means = class_means(float_rows(values), few, sample.y, {}, sample.n_classes);
    const auto forms = generative_forms(terms, means, sample.n_classes);
    for (const LinearForm& form : forms[k]) {
      std::vector<double> column(values.n_rows);
      for (std::size_t i = 0; i < column.size(); ++i)
        for (std::size_t m = 0; m < form.columns.size(); ++m)
          column[i] += form.weights[m] * values(i, form.columns[m]);
      oracle::append_form(rows, column, setting.blend, train);
    }
    return rows;
  }

  /// Scores of each row by the SVM of the other folds.
  [[nodiscard]] std::vector<double> held_out(const Setting& setting, std::size_t k) const {
    std::vector<double> result(sample.n_rows());
    const auto n_folds = static_cast<std::size_t>(options.inner_folds);
    for (const Split& split : splits_of(stratified_folds(sample.y, n_folds, options.seed), n_folds)) {
      const auto scores = oracle::svm_scores(features(setting, k, split.outside), split.outside, split.inside,
                                             signs(k), costs(k), setting.C);
      for (std::size_t i = 0; i < scores.size(); ++i) result[split.inside[i]] = scores[i];
    }
    return result;
  }

  [[nodiscard]] double loss(const Setting& setting) const {
    const std::size_t n_scores = score_count(sample.n_classes);
    double sum = 0;
    for (std::size_t k = 0; k < n_scores; ++k) {
      const auto scores = held_out(setting, k);
      sum += options.optimise == Objective::auc ? 1 - oracle::area_under_curve(scores, signs(k), ratings(k))
                                                : oracle::least_logistic_loss(scores, signs(k), ratings(k));
    }
    return sum / static_cast<double>(n_scores);
  }

  /// The scores of all rows by the average of the given settings, as log odds.
  [[nodiscard]] std::vector<double> average(const std::vector<Setting>& settings, std::size_t k) const {
    std::vector<double> mean(sample.n_rows());
    std::vector<double> mean_held_out(sample.n_rows());
    const auto rows = all_rows();
    for (const Setting& setting : settings) {
      const auto own = held_out(setting, k);
      const double share =
          1 / (oracle::weighted_root_mean_square(own, ratings(k)) * static_cast<double>(settings.size()));
      const auto all =
          oracle::svm_scores(features(setting, k, rows), rows, rows, signs(k), costs(k), setting.C);
      for (std::size_t i = 0; i < mean.size(); ++i) {
        mean[i] += share * all[i];
        mean_held_out[i] += share * own[i];
      }
    }
    const Calibration calibration = fit_calibration(mean_held_out, signs(k), ratings(k));
    for (double& score : mean) score = calibration.slope * score + calibration.offset;
    return mean;
  }
};

/// Scores of the rows by the weights that were found.
std::vector<double> scores_of(const FittedWeights& weights, const Matrix& values, std::size_t k) {
  std::vector<double> result(values.n_rows, weights.intercepts[k]);
  for (std::size_t i = 0; i < values.n_rows; ++i)
    for (std::size_t t = 0; t < values.n_cols; ++t)
      result[i] += weights.weights(k, t) * (values(i, t) - weights.centres[t]);
  return result;
}

FitOptions few_settings(double C) {
  FitOptions options = test::averaging_options();
  options.cost = CostRule::given;
  options.svm.C = C;
  options.blend = Blend::never;
  options.n_average = 1;
  return options;
}

/// The solver stops at a gap of 1 %: losses differ by as much and more, scores by some hundredths of their
/// size.
constexpr double loss_tolerance = 0.05;
constexpr double score_tolerance = 0.1;  // of root mean squares

void expect_like_twin(const Problem& problem, const std::string& what) {
  const AveragedWeights averaged = problem.averaged();
  std::vector<Setting> chosen;
  for (const Setting& setting : averaged.settings) {
    expect_close(setting.loss, problem.loss(setting), loss_tolerance, what + ", " + setting.terms,
                 problem.options.optimise == Objective::auc ? 0.005 : 0);
    if (setting.averaged) chosen.push_back(setting);
  }
  EXPECT_TRUE(std::ranges::is_sorted(averaged.settings, {}, &Setting::loss)) << what;
  ASSERT_EQ(chosen.size(), static_cast<std::size_t>(problem.options.n_average)) << what;
  for (std::size_t k = 0; k < averaged.weights.intercepts.size(); ++k) {
    const auto scores = scores_of(averaged.weights, problem.values, k);
    const auto expected = problem.average(chosen, k);
    std::vector<double> differences;
    for (std::size_t i = 0; i < scores.size(); ++i) differences.push_back(scores[i] - expected[i]);
    const std::vector<double> ones(scores.size(), 1.0);
    EXPECT_LE(oracle::weighted_root_mean_square(differences, ones),
              score_tolerance * oracle::weighted_root_mean_square(expected, ones))
        << what;
  }
}

TEST(AveragedWeights, AreThoseOfExactSvmsOnEachSetOfTerms) {
  for (const double C : {0.3, 10.0})
    expect_like_twin({test::class_sample(60, 3, 2, 1), few_settings(C)}, "plain");
}

TEST(AveragedWeights, AreMeansOfSvmsOfTheSameSize) {
  FitOptions options = few_settings(3);
  options.n_average = 3;
  expect_like_twin({test::class_sample(60, 3, 2, 1), options}, "three of four");
  options.term_scale = TermScale::unit;
  expect_like_twin({test::class_sample(60, 3, 2, 1), options}, "unit scale");
}

TEST(AveragedWeights, AreFittedForEveryClassOfThree) {
  FitOptions options = few_settings(3);
  options.n_average = 2;
  expect_like_twin({test::class_sample(90, 3, 3, 2), options}, "three classes");
}

TEST(AveragedWeights, CountClassesAsTheObjectiveSays) {
  LabelledSample sample = test::class_sample(100, 3, 2, 3);
  for (std::size_t i = 0; i < 60; ++i) sample.y[i] = 0;  // 80 against 20
  for (const Objective objective : {Objective::balanced, Objective::auc, Objective::logloss}) {
    FitOptions options = few_settings(1);
    options.optimise = objective;
    expect_like_twin({sample, options}, std::string(objective_names[static_cast<std::size_t>(objective)]));
  }
}

TEST(AveragedWeights, BlendWithTheFormsOfTheRowsOutsideASplit) {
  FitOptions options = few_settings(1);
  options.blend = Blend::always;
  options.n_average = 4;
  for (const std::size_t n_classes : {2U, 3U})
    for (const TermScale scale : {TermScale::common, TermScale::unit}) {
      options.term_scale = scale;
      const Problem problem(test::class_sample(40 * n_classes, 4, n_classes, 4), options);
      const AveragedWeights averaged = problem.averaged();
      EXPECT_TRUE(
          std::ranges::any_of(averaged.settings, [](const Setting& s) { return s.averaged && s.blend > 0; }));
      expect_like_twin(problem, std::string("blend, ") + (scale == TermScale::unit ? "unit" : "common"));
    }
}

TEST(AveragedWeights, AreTheSameForMoreTermsThanRows) {
  // 8 features of 2 classes have 8 + 16 + 56 terms, and 40 rows turn into as many columns.
  FitOptions options = few_settings(1);
  options.n_average = 2;
  expect_like_twin({test::class_sample(40, 8, 2, 5), options}, "wide");
  options.blend = Blend::always;
  expect_like_twin({test::class_sample(40, 8, 2, 5), options}, "wide, with blends");
}

TEST(AveragedWeights, TryEveryCostOfEverySet) {
  FitOptions options = test::averaging_options();
  const Problem problem(test::class_sample(60, 3, 2, 1), options);
  std::map<std::string, std::map<double, std::size_t>> tried;  // by set and blend
  std::size_t n_averaged = 0;
  const auto settings = problem.averaged().settings;
  for (const Setting& setting : settings) {
    ++tried[setting.terms][setting.blend];
    n_averaged += setting.averaged ? 1 : 0;
  }
  EXPECT_EQ(n_averaged, 10U);
  ASSERT_EQ(tried.size(), 4U);
  EXPECT_EQ(tried["linear"], (std::map<double, std::size_t>{{0, 12}}));
  for (const std::string name : {"univariate", "2 pairs", "6 pairs"})
    EXPECT_EQ(tried[name], (std::map<double, std::size_t>{{0, 8}, {1, 8}, {3, 8}})) << name;
}

TEST(AveragedWeights, TakeTheSettingsOfLeastLoss) {
  for (const Blend blend : {Blend::never, Blend::if_better, Blend::always})
    for (const std::int64_t n_average : {1, 10, 1000}) {
      FitOptions options = test::averaging_options();
      options.blend = blend;
      options.n_average = n_average;
      const auto settings = Problem(test::class_sample(60, 3, 2, 1), options).averaged().settings;
      const bool blended =
          std::ranges::any_of(settings, [](const Setting& s) { return s.averaged && s.blend > 0; });
      std::size_t left = static_cast<std::size_t>(n_average);
      for (const Setting& setting : settings) {
        const bool eligible = blended || setting.blend == 0;
        EXPECT_EQ(setting.averaged, eligible && left > 0);
        if (eligible && left > 0) --left;
      }
    }
}

TEST(AveragedWeights, BlendIfTheLossFallsByAFifth) {
  std::size_t n_blended = 0;
  for (const std::uint64_t seed : {1U, 2U, 3U, 4U})
    for (const std::size_t d : {2U, 5U}) {
      LabelledSample sample = test::class_sample(60, d, 2, seed);
      for (std::size_t i = 0; i < 60; ++i) sample.X(i, d - 1) += static_cast<double>(seed) * sample.y[i];
      const auto settings = Problem(sample, test::averaging_options()).averaged().settings;
      double all = 0;
      double plain = 0;
      std::size_t n_all = 0;
      std::size_t n_plain = 0;
      bool blended = false;
      for (const Setting& setting : settings) {
        if (n_all++ < 10) all += setting.loss;
        if (setting.blend == 0 && n_plain++ < 10) plain += setting.loss;
        blended = blended || (setting.averaged && setting.blend > 0);
      }
      EXPECT_EQ(blended, all <= 0.8 * plain) << seed << ", " << all / plain;
      n_blended += blended ? 1 : 0;
    }
  EXPECT_GT(n_blended, 0U);  // both cases occur
  EXPECT_LT(n_blended, 8U);
}

TEST(AveragedWeights, TakeGivenSplits) {
  FitOptions options = few_settings(1);
  Problem drawn(test::class_sample(60, 3, 2, 1), options);
  Problem given = drawn;
  given.options.inner_splits = splits_of(stratified_folds(given.sample.y, 5, options.seed), 5);
  EXPECT_EQ(drawn.averaged().settings, given.averaged().settings);
  given.options.inner_splits.resize(2);
  EXPECT_NE(drawn.averaged().settings, given.averaged().settings);
}

TEST(AveragedWeights, OfAConstantTermAreZero) {
  Problem problem(test::class_sample(60, 3, 2, 1), few_settings(1));
  std::ranges::fill(problem.values.column(0), 7.0);
  std::ranges::fill(problem.values.column(4), -1e6);
  const AveragedWeights averaged = problem.averaged();
  EXPECT_EQ(averaged.weights.weights(0, 0), 0);
  EXPECT_EQ(averaged.weights.weights(0, 4), 0);
  EXPECT_TRUE(std::isfinite(averaged.weights.intercepts[0]));
}

TEST(AveragedWeights, WithoutAnyTermThatVariesAreOfNoHarm) {
  Problem problem(test::class_sample(20, 2, 2, 1), test::averaging_options());
  std::ranges::fill(problem.values.data, 3.0);
  const AveragedWeights averaged = problem.averaged();
  for (const double weight : averaged.weights.weights.data) EXPECT_EQ(weight, 0);
  EXPECT_NEAR(averaged.weights.intercepts[0], 0, 0.3);  // as many rows of either class
}

}  // namespace
}  // namespace dyad
