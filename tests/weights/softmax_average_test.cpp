// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/softmax_average.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <map>
#include <numeric>

#include "dyad/base/gather.h"
#include "dyad/data/folds.h"
#include "dyad/evaluation/metrics.h"
#include "dyad/fit/fit.h"
#include "dyad/io/model_file.h"
#include "dyad/model/prediction.h"
#include "tests/averages.h"
#include "tests/fitted.h"
#include "tests/model_samples.h"
#include "tests/oracles.h"
#include "tests/terms/term_values.h"

namespace dyad {
namespace {

using test::error_of;
using test::expect_close;
using test::fitted;

FitOptions automatic(Method method = Method::slb, Objective objective = Objective::logloss) {
  return test::averaging_options(method, objective);
}

/// One cost instead of several.
FitOptions of_one_cost(double C, Blend blend = Blend::never) {
  FitOptions options = automatic();
  options.cost = CostRule::given;
  options.svm.C = C;
  options.blend = blend;
  options.n_average = 1;
  return options;
}

/// A sample with the values of all terms, as the averaging of weights gets them, and the twin of that
/// averaging without blends.
struct SoftmaxProblem : test::TermValues {
  using TermValues::TermValues;

  [[nodiscard]] AveragedWeights averaged(const Execution& execution = {}) const {
    TrainingRows rows{all_rows(), float_rows(values), sample.y, sample.weights};
    const Recipe recipe = make_recipe(options);
    return fit_averaged_weights(rows, terms, sample.n_classes, std::get<Average>(recipe.weight_rule),
                                recipe.weights, execution);
  }

  [[nodiscard]] std::vector<std::size_t> all_rows() const {
    std::vector<std::size_t> rows(sample.n_rows());
    std::iota(rows.begin(), rows.end(), std::size_t{0});
    return rows;
  }

  [[nodiscard]] std::vector<Split> splits() const {
    const auto n_folds = static_cast<std::size_t>(options.inner_folds);
    return splits_of(stratified_folds(sample.y, n_folds, options.seed), n_folds);
  }

  /// Classes count the same, or rows.
  [[nodiscard]] double cost(std::size_t i) const {
    if (options.optimise != Objective::balanced) return 1;
    return static_cast<double>(sample.n_rows()) /
           static_cast<double>(sample.n_classes *
                               static_cast<std::size_t>(std::ranges::count(sample.y, sample.y[i])));
  }

  /// The regression of a set of terms on the rows `train`: an intercept and the terms of its own for each
  /// class, a feature being sqrt(3) times as large; the penalty is that of a prior of variance C of the score
  /// of a mean row.
  [[nodiscard]] oracle::SoftmaxLoss regression(const Setting& setting,
                                               const std::vector<std::size_t>& train) const {
    const std::size_t n_terms =
        std::ranges::find(terms.sets, setting.terms, &NestedTerms::Set::name)->n_terms;
    const std::size_t n_classes = sample.n_classes;
    std::vector<std::pair<std::size_t, std::size_t>> columns;  // class and term
    double squared_norm = 0;
    for (std::size_t k = 0; k < n_classes; ++k)
      for (std::size_t t = 0; t < n_terms; ++t) {
        if (!terms.keys[t].is_linear() && terms.keys[t].class_code != static_cast<std::int32_t>(k)) continue;
        columns.emplace_back(k, t);
        squared_norm +=
            std::pow(factor(t) * oracle::deviation(values.column(t)), 2) / static_cast<double>(n_classes);
      }
    oracle::SoftmaxLoss result;
    result.penalties.assign(n_classes, 0);
    result.penalties.resize(n_classes + columns.size(),
                            squared_norm / setting.C / static_cast<double>(train.size()));
    for (const std::size_t i : train) {
      result.y.push_back(sample.y[i]);
      result.costs.push_back(cost(i));
    }
    for (std::size_t i = 0; i < sample.n_rows(); ++i) {
      oracle::Rows& of_row = result.features.emplace_back(n_classes);
      for (std::size_t k = 0; k < n_classes; ++k) {
        of_row[k].resize(result.penalties.size());
        of_row[k][k] = 1;
      }
      for (std::size_t m = 0; m < columns.size(); ++m) {
        const auto& [k, t] = columns[m];
        of_row[k][n_classes + m] = factor(t) * (values(i, t) - oracle::mean(values.column(t)));
      }
    }
    return result;
  }
  [[nodiscard]] double factor(std::size_t t) const { return terms.keys[t].is_linear() ? std::sqrt(3.0) : 1; }

  /// Scores of the rows `test` by the regression on the rows `train`.
  [[nodiscard]] oracle::Rows scores(const Setting& setting, const std::vector<std::size_t>& train,
                                    const std::vector<std::size_t>& test) const {
    const oracle::SoftmaxLoss all = regression(setting, train);
    oracle::SoftmaxLoss trained = all;
    trained.features = gather(all.features, train);
    const auto w = oracle::minimise_softmax_loss(trained, 12);
    oracle::Rows result;
    for (const std::size_t i : test) result.push_back(all.scores(w, i));
    return result;
  }

  [[nodiscard]] oracle::Rows held_out(const Setting& setting) const {
    oracle::Rows result(sample.n_rows());
    for (const Split& split : splits()) {
      const auto of_split = scores(setting, split.outside, split.inside);
      for (std::size_t i = 0; i < of_split.size(); ++i) result[split.inside[i]] = of_split[i];
    }
    return result;
  }

  /// Mean of -log P(y) with P the softmax of slope times the scores.
  [[nodiscard]] double loss(const oracle::Rows& s, double slope) const {
    double sum = 0;
    double total = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
      double chances = 0;
      for (const double score : s[i]) chances += std::exp(slope * score);
      sum += cost(i) * (std::log(chances) - slope * s[i][static_cast<std::size_t>(sample.y[i])]);
      total += cost(i);
    }
    return sum / total;
  }
};

/// Scores of the rows by the weights that were found.
double score_of(const FittedWeights& weights, const Matrix& values, std::size_t i, std::size_t k) {
  double sum = weights.intercepts[k];
  for (std::size_t t = 0; t < values.n_cols; ++t)
    sum += weights.weights(k, t) * (values(i, t) - weights.centres[t]);
  return sum;
}

/// Normal rows of unit variance about `distance` times points on a circle, with features of noise behind.
LabelledSample circle(std::size_t n, std::size_t n_classes, double distance, std::uint64_t seed,
                      std::size_t n_noise = 1) {
  LabelledSample sample{Matrix(n, 2 + n_noise), {}, n_classes};
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    sample.y.push_back(static_cast<std::int32_t>(i % n_classes));
    const double angle = 6.283185307 * static_cast<double>(i % n_classes) / static_cast<double>(n_classes);
    for (std::size_t j = 0; j < 2 + n_noise; ++j) sample.X(i, j) = random.normal();
    sample.X(i, 0) += distance * std::cos(angle);
    sample.X(i, 1) += distance * std::sin(angle);
  }
  return sample;
}

/// That of the nearest point.
double bayes_error(const LabelledSample& sample, double distance) {
  const auto n_classes = static_cast<double>(sample.n_classes);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < sample.n_rows(); ++i) {
    std::vector<double> squares;
    for (std::size_t k = 0; k < sample.n_classes; ++k) {
      const double angle = 6.283185307 * static_cast<double>(k) / n_classes;
      squares.push_back(std::pow(sample.X(i, 0) - distance * std::cos(angle), 2) +
                        std::pow(sample.X(i, 1) - distance * std::sin(angle), 2));
    }
    wrong += std::ranges::min_element(squares) - squares.begin() != sample.y[i] ? 1U : 0U;
  }
  return static_cast<double>(wrong) / static_cast<double>(sample.n_rows());
}

/// Mean over settings, by row and class.
oracle::Rows mean_of(const std::vector<oracle::Rows>& of_settings) {
  oracle::Rows result = of_settings.front();
  for (std::size_t i = 0; i < result.size(); ++i)
    for (std::size_t k = 0; k < result[i].size(); ++k) {
      result[i][k] = 0;
      for (const auto& rows : of_settings)
        result[i][k] += rows[i][k] / static_cast<double>(of_settings.size());
    }
  return result;
}

/// Solutions are rough on purpose: losses differ by a hundredth, scores by some of their root mean square.
constexpr double softmax_loss_tolerance = 0.02;
constexpr double softmax_score_tolerance = 0.1;

void expect_like_softmax_twin(const SoftmaxProblem& problem, const std::string& what) {
  const AveragedWeights averaged = problem.averaged();
  const auto rows = problem.all_rows();
  std::vector<oracle::Rows> of_all_rows;
  std::vector<oracle::Rows> of_other_folds;
  for (const Setting& setting : averaged.settings) {
    const auto held_out = problem.held_out(setting);
    double least = std::log(3.0);
    for (const double slope : {0.3, 0.5, 0.7, 1.0, 1.4})
      least = std::min(least, problem.loss(held_out, slope));
    expect_close(setting.loss, least, softmax_loss_tolerance, what + ", " + setting.terms);
    if (!setting.averaged) continue;
    of_all_rows.push_back(problem.scores(setting, rows, rows));
    of_other_folds.push_back(held_out);
  }
  ASSERT_EQ(of_all_rows.size(), static_cast<std::size_t>(problem.options.n_average)) << what;
  const auto expected = mean_of(of_all_rows);
  const auto held_out = mean_of(of_other_folds);
  Matrix held_out_scores(rows.size(), 3);
  std::vector<double> costs;
  for (const std::size_t i : rows) {
    for (std::size_t k = 0; k < 3; ++k) held_out_scores(i, k) = held_out[i][k];
    costs.push_back(problem.cost(i));
  }
  const double slope = fit_softmax_slope(held_out_scores, std::vector<double>(3), problem.sample.y, costs);
  double squares = 0;
  double differences = 0;
  for (const std::size_t i : rows)
    for (std::size_t k = 1; k < 3; ++k) {
      const double difference = slope * (expected[i][k] - expected[i][0]);
      const double actual =
          score_of(averaged.weights, problem.values, i, k) - score_of(averaged.weights, problem.values, i, 0);
      squares += difference * difference;
      differences += std::pow(actual - difference, 2);
    }
  EXPECT_LT(std::sqrt(differences / squares), softmax_score_tolerance) << what;
}

TEST(SlowSoftmaxWeights, AreMeansOfThoseOfNewtonsMethod) {
  const LabelledSample all = test::class_sample(120, 3, 3, 2);
  std::vector<std::size_t> kept;  // 40, 20 and 20
  for (std::size_t i = 0; i < 120; ++i)
    if (all.y[i] == 0 || i % 2 == 0) kept.push_back(i);
  for (const Objective objective : {Objective::balanced, Objective::logloss})
    for (const double C : {0.1, 2.0})
      for (const std::int64_t n_average : {1, 3}) {
        FitOptions options = of_one_cost(C);
        options.optimise = objective;
        options.n_average = n_average;
        expect_like_softmax_twin({rows_of(all, kept), options},
                                 std::string(objective_names[static_cast<std::size_t>(objective)]) +
                                     ", C = " + std::to_string(C) + ", mean of " + std::to_string(n_average));
      }
}

TEST(SoftmaxWeights, OfAClassAreOnItsOwnTermsAndTheFeatures) {
  for (const Blend blend : {Blend::never, Blend::if_better, Blend::always}) {
    FitOptions options = automatic();
    options.blend = blend;
    const Model model = fitted(test::class_sample(150, 4, 3, 1), options);
    std::size_t n_own = 0;
    std::size_t n_linear = 0;
    for (std::size_t t = 0; t < model.terms.size(); ++t)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::int32_t code = model.terms[t].class_code;
        if (code == no_class)
          n_linear += model.weights(k, t) != 0 ? 1U : 0U;
        else if (code == static_cast<std::int32_t>(k))
          n_own += model.weights(k, t) != 0 ? 1U : 0U;
        else
          EXPECT_EQ(model.weights(k, t), 0) << t << ", " << k;
      }
    EXPECT_GE(n_own, 12U);
    EXPECT_EQ(n_linear, 12U);
  }
}

TEST(SoftmaxWeights, WithoutBlendTellNothingAtNoCost) {
  const LabelledSample sample = test::class_sample(150, 3, 3, 1);
  for (const Setting& setting : SoftmaxProblem(sample, of_one_cost(1e-9)).averaged().settings) {
    EXPECT_EQ(setting.blend, 0);
    expect_close(setting.loss, std::log(3.0), 1e-4);
  }
  for (const Setting& setting :
       SoftmaxProblem(sample, of_one_cost(1e-9, Blend::always)).averaged().settings) {
    EXPECT_EQ(setting.blend, 1);
    EXPECT_LT(setting.loss, 0.9 * std::log(3.0));
  }
}

TEST(SoftmaxWeights, WithBlendAreMultiplesOfLikelihoodsThatAllClassesShareAtNoCost) {
  // Two features: NB has weight a on each and TAN b on the pair, or (of a class without an edge) on each;
  // dependences c (1, -1, -1).
  LabelledSample sample = test::class_sample(150, 2, 3, 1);
  const SoftmaxProblem problem(sample, of_one_cost(1e-9, Blend::always));
  const AveragedWeights averaged = problem.averaged();
  std::vector<double> single;
  std::vector<double> pair;
  for (std::size_t t = 0; t < problem.terms.keys.size(); ++t) {
    const TermKey& place = problem.terms.keys[t];
    for (std::size_t k = 0; k < 3; ++k) {
      const double weight = averaged.weights.weights(k, t);
      if (place.class_code != static_cast<std::int32_t>(k))
        EXPECT_NEAR(weight, 0, 1e-6);
      else
        (place.is_pair() ? pair : single).push_back(weight);
    }
  }
  ASSERT_EQ(single.size(), 6U);
  ASSERT_EQ(pair.size(), 3U);
  for (const double weight : single) EXPECT_NEAR(weight, single[0], 1e-6);
  for (const double weight : pair) EXPECT_NEAR(weight, pair[0], 1e-6);
  EXPECT_GT(pair[0], 0.3);  // of three features' worth the pair tells most
}

TEST(SoftmaxWeights, TakeTheSettingsOfLeastLoss) {
  for (const std::int64_t n_average : {1, 10, 1000}) {
    FitOptions options = automatic();
    options.n_average = n_average;
    const auto settings = SoftmaxProblem(test::class_sample(90, 3, 3, 1), options).averaged().settings;
    EXPECT_TRUE(std::ranges::is_sorted(settings, {}, &Setting::loss));
    for (std::size_t s = 0; s < settings.size(); ++s)
      EXPECT_EQ(settings[s].averaged, s < static_cast<std::size_t>(n_average)) << s;
    std::map<std::string, std::size_t> tried;
    for (const Setting& setting : settings) ++tried[setting.terms];
    EXPECT_EQ(tried, (std::map<std::string, std::size_t>{
                         {"linear", 7}, {"univariate", 5}, {"3 pairs", 5}, {"9 pairs", 5}}));
  }
}

TEST(SoftmaxWeights, TakeGivenSplits) {
  const SoftmaxProblem drawn(test::class_sample(90, 3, 3, 1), of_one_cost(1));
  SoftmaxProblem given = drawn;
  given.options.inner_splits = drawn.splits();
  EXPECT_EQ(drawn.averaged().settings, given.averaged().settings);
  given.options.inner_splits.resize(2);
  EXPECT_NE(drawn.averaged().settings, given.averaged().settings);
}

TEST(SoftmaxWeights, TakeRowWeightsAsCopies) {
  for (const Blend blend : {Blend::never, Blend::always}) {
    SoftmaxProblem copied(test::class_sample(120, 3, 3, 1), of_one_cost(2, blend));
    SoftmaxProblem weighted = copied;
    weighted.sample.weights = test::whole_weights(120, 3);
    const auto copies = test::repeated(copied.all_rows(), weighted.sample.weights);
    copied.values = Matrix(copies.size(), weighted.values.n_cols);
    for (std::size_t t = 0; t < copied.values.n_cols; ++t)
      for (std::size_t i = 0; i < copies.size(); ++i) copied.values(i, t) = weighted.values(copies[i], t);
    copied.sample = rows_of(copied.sample, copies);
    weighted.options.inner_splits = weighted.splits();
    for (const Split& split : weighted.options.inner_splits) {
      Split& of_copies = copied.options.inner_splits.emplace_back();
      for (std::size_t i = 0; i < copies.size(); ++i)
        (std::ranges::binary_search(split.inside, copies[i]) ? of_copies.inside : of_copies.outside)
            .push_back(i);
    }
    const AveragedWeights one = weighted.averaged();
    const AveragedWeights other = copied.averaged();
    ASSERT_EQ(one.settings.size(), other.settings.size());
    for (std::size_t s = 0; s < one.settings.size(); ++s) {
      EXPECT_EQ(one.settings[s].terms, other.settings[s].terms);
      expect_close(one.settings[s].loss, other.settings[s].loss, 1e-5);
    }
    for (std::size_t m = 0; m < one.weights.weights.data.size(); ++m)
      EXPECT_NEAR(one.weights.weights.data[m], other.weights.weights.data[m], 1e-6);
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_NEAR(one.weights.intercepts[k] - one.weights.intercepts[0],
                  other.weights.intercepts[k] - other.weights.intercepts[0], 1e-4);
  }
}

TEST(SoftmaxWeights, OfAConstantTermAreZero) {
  for (const Blend blend : {Blend::never, Blend::always}) {
    SoftmaxProblem problem(test::class_sample(90, 3, 3, 1), of_one_cost(1, blend));
    std::ranges::fill(problem.values.column(0), 7.0);
    const AveragedWeights averaged = problem.averaged();
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(averaged.weights.weights(k, 0), 0);
    std::ranges::fill(problem.values.data, 3.0);
    for (const double weight : problem.averaged().weights.weights.data) EXPECT_TRUE(std::isfinite(weight));
    for (const double intercept : problem.averaged().weights.intercepts)
      EXPECT_NEAR(intercept, problem.averaged().weights.intercepts[0], 1e-4);
  }
}

TEST(SoftmaxWeights, StopWhenAsked) {
  const std::atomic<bool> stop{true};
  const SoftmaxProblem problem(test::class_sample(60, 3, 3, 1), of_one_cost(1));
  EXPECT_THROW(problem.averaged({.stop = &stop}), Interrupted);
}

TEST(SoftmaxWeights, GiveTheSameModelOnAnyNumberOfThreads) {
  const LabelledSample sample = test::class_sample(150, 4, 3, 1);
  for (const Method method : {Method::slb, Method::lu})
    EXPECT_EQ(model_bytes(fitted(sample, automatic(method), {.threads = 1})),
              model_bytes(fitted(sample, automatic(method), {.threads = 2})));
}

TEST(SoftmaxWeights, ErrNearlyAsSeldomAsBayesRule) {
  for (const double distance : {1.2, 2.5}) {
    const LabelledSample fresh = circle(6000, 3, distance, 2);
    EXPECT_LT(error_of(fitted(circle(600, 3, distance, 1), automatic()), fresh),
              bayes_error(fresh, distance) + 0.02);
  }
}

TEST(SlowSoftmaxWeights, TellManyClassesApart) {
  const LabelledSample fresh = circle(6000, 12, 8, 2);
  const double bayes = bayes_error(fresh, 8);
  EXPECT_GT(bayes, 0.02);
  EXPECT_LT(error_of(fitted(circle(1200, 12, 8, 1), automatic()), fresh), bayes + 0.02);
}

TEST(SlowSoftmaxWeights, GiveCalibratedProbabilities) {
  const LabelledSample fresh = circle(6000, 3, 1, 2, 3);
  for (const Method method : {Method::slb, Method::lu}) {
    const Model model = fitted(circle(2000, 3, 1, 1, 3), automatic(method));
    const Matrix s = scores(model, fresh.X);
    const Matrix p = probabilities(model, s);
    EXPECT_LT(calibration_error(reliability(p, fresh.y)), 0.05);
    // Scores are log probabilities but for a constant.
    for (std::size_t i = 0; i < 50; ++i)
      for (std::size_t k = 1; k < 3; ++k)
        EXPECT_NEAR(std::log(p(i, k) / p(i, 0)), s(i, k) - s(i, 0), 0.05 * (1 + std::abs(s(i, k) - s(i, 0))));
  }
}

TEST(SoftmaxWeights, AreNotThoseOfOneClassAgainstTheRest) {
  const LabelledSample sample = test::class_sample(150, 4, 3, 1);
  FitOptions options = automatic();
  const Model together = fitted(sample, options);
  options.multiclass = Multiclass::direct;
  EXPECT_EQ(fitted(sample, options).weights.data, together.weights.data);
  options.multiclass = Multiclass::one_vs_rest;
  const Model apart = fitted(sample, options);
  EXPECT_NE(apart.weights.data, together.weights.data);
  // There a score has the terms of all classes.
  bool others = false;
  for (std::size_t t = 0; t < apart.terms.size(); ++t)
    others = others || (apart.terms[t].class_code == 1 && apart.weights(0, t) != 0);
  EXPECT_TRUE(others);
}

TEST(SlowSoftmaxWeights, ShiftPredictionsByTheWeightsOfClasses) {
  const LabelledSample sample = circle(450, 3, 1, 1);
  const auto count_of = [&](std::size_t k, const std::vector<double>& weights) {
    FitOptions options = automatic(Method::lu);
    options.class_weight_values = weights;
    return std::ranges::count(classify(scores(fitted(sample, options), sample.X)),
                              static_cast<std::int32_t>(k));
  };
  for (std::size_t k = 0; k < 3; ++k) {
    std::vector<double> more(3, 1.0);
    more[k] = 20;
    std::vector<double> less(3, 1.0);
    less[k] = 0.05;
    EXPECT_GT(count_of(k, more), 300);
    EXPECT_LT(count_of(k, less), 50);
    EXPECT_EQ(count_of(k, {1, 1, 1}), count_of(k, {}));
    EXPECT_EQ(count_of(k, {2, 2, 2}), count_of(k, {}));
  }
}

TEST(SlowSoftmaxWeights, CountClassesAsTheObjectiveSays) {
  const LabelledSample fresh = circle(3000, 3, 1, 50);  // as many of each class
  const auto mean_of_first = [&](Objective objective) {
    constexpr std::uint64_t n_samples = 8;
    double sum = 0;
    for (std::uint64_t seed = 1; seed <= n_samples; ++seed) {
      const LabelledSample all = circle(1800, 3, 1, seed);
      std::vector<std::size_t> kept;  // 600, 60 and 60
      for (std::size_t i = 0; i < all.n_rows(); ++i)
        if (all.y[i] == 0 || i % 10 == 0) kept.push_back(i);
      const Model model = fitted(rows_of(all, kept), automatic(Method::lu, objective));
      sum += oracle::mean(probabilities(model, scores(model, fresh.X)).column(0));
    }
    return sum / static_cast<double>(n_samples);
  };
  EXPECT_NEAR(mean_of_first(Objective::balanced), 1.0 / 3, 0.03);
  EXPECT_GT(mean_of_first(Objective::logloss), 0.6);
}

TEST(SoftmaxWeights, WithoutPairsOrWithoutNumbersTellTheClasses) {
  const Model lu = fitted(circle(450, 3, 2.5, 1), automatic(Method::lu));
  EXPECT_EQ(count_pairs(lu), 0U);
  const LabelledSample fresh = circle(3000, 3, 2.5, 2);
  EXPECT_LT(error_of(lu, fresh), bayes_error(fresh, 2.5) + 0.02);

  const test::MixedShape shape{
      .n_rows = 900, .n_numbers = 0, .n_categories = 4, .n_classes = 3, .signal = 0.6};
  const LabelledSample sample = test::mixed_sample(shape);
  test::MixedShape other = shape;
  other.seed = 50;
  for (const Method method : {Method::slb, Method::lu}) {
    const Model model = fitted(sample, automatic(method));
    for (const Term& term : model.terms) EXPECT_FALSE(term.is_linear());
    for (const Setting& setting : model.settings) EXPECT_NE(setting.terms, "linear");
    LabelledSample rows = test::mixed_sample(other);
    recode(rows.X, rows.levels, model.levels);
    // A level of the class counts log(0.7 / 0.1): the class of most such levels, drawn among equals.
    std::size_t wrong = 0;
    const auto predicted = classify(scores(model, rows.X));
    double by_votes = 0;
    for (std::size_t i = 0; i < rows.n_rows(); ++i) {
      wrong += predicted[i] != rows.y[i] ? 1U : 0U;
      std::array<int, 3> votes{};
      for (std::size_t j = 0; j < 4; ++j)
        for (std::size_t c = 0; c < 3; ++c)
          votes[c] += rows.X(i, j) == static_cast<double>((c + j) % 4) ? 1 : 0;
      const auto most = *std::ranges::max_element(votes);
      const auto n_most = std::ranges::count(votes, most);
      by_votes +=
          votes[static_cast<std::size_t>(rows.y[i])] == most ? 1 - 1 / static_cast<double>(n_most) : 1;
    }
    EXPECT_LT(static_cast<double>(wrong), by_votes + 0.03 * 900);
  }
}

}  // namespace
}  // namespace dyad
