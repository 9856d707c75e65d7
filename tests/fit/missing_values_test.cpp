// Rows with missing values for models that were fitted to complete ones.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dyad/fit/fit.h"
#include "dyad/model/prediction.h"
#include "tests/fitted.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

using test::fitted;
using test::gap;

/// Rows with every pattern of missing values that d features can have.
Matrix with_all_patterns(const LabelledSample& sample) {
  const std::size_t d = sample.n_features();
  Matrix X(std::size_t{1} << d, d);
  for (std::size_t i = 0; i < X.n_rows; ++i)
    for (std::size_t j = 0; j < d; ++j) X(i, j) = (i >> j & 1U) != 0 ? gap : sample.X(i, j);
  return X;
}

std::vector<double> row_of(const Matrix& X, std::size_t i) {
  std::vector<double> row;
  for (std::size_t j = 0; j < X.n_cols; ++j) row.push_back(X(i, j));
  return row;
}

struct Fit {
  std::string name;
  Model model;
};

/// Models of every method and both presets of samples without a missing value.
std::vector<Fit> complete_fits(const LabelledSample& sample) {
  std::vector<Fit> result;
  for (const Preset preset : {Preset::automatic, Preset::paper})
    for (std::size_t m = 0; m < method_names.size(); ++m) {
      const auto method = static_cast<Method>(m);
      result.push_back(
          {std::string(preset_names[static_cast<std::size_t>(preset)]) + " " + std::string(method_names[m]),
           fitted(sample, preset_options(preset, method))});
    }
  return result;
}

std::vector<LabelledSample> complete_samples() {
  return {test::class_sample(150, 4, 2, 1), test::class_sample(150, 4, 3, 1),
          test::mixed_sample({.n_numbers = 2, .n_categories = 2})};
}

TEST(MissingValues, OfNewRowsLeaveScoresFiniteAndExplained) {
  for (const LabelledSample& sample : complete_samples())
    for (const auto& [name, model] : complete_fits(sample)) {
      const Matrix X = with_all_patterns(sample);
      const Matrix result = scores(model, X);
      const Matrix p = probabilities(model, result);
      for (std::size_t i = 0; i < X.n_rows; ++i) {
        const Explanation explanation = explain(model, row_of(X, i));
        for (std::size_t k = 0; k < model.n_scores(); ++k) {
          EXPECT_TRUE(std::isfinite(result(i, k))) << name;
          EXPECT_NEAR(explanation.scores[k], result(i, k), 1e-9 * (1 + std::abs(result(i, k)))) << name;
          double sum = model.intercepts[k];
          for (std::size_t t = 0; t < model.terms.size(); ++t) sum += explanation.contributions(k, t);
          EXPECT_NEAR(sum, result(i, k), 1e-9 * (1 + std::abs(result(i, k)))) << name;
        }
        double total = 0;
        for (std::size_t c = 0; c < model.n_classes(); ++c) total += p(i, c);
        EXPECT_NEAR(total, 1, 1e-12) << name;
      }
    }
}

TEST(MissingValues, OfAllFeaturesLeaveTheIntercepts) {
  for (const LabelledSample& sample : complete_samples())
    for (const auto& [name, model] : complete_fits(sample)) {
      const std::vector<double> nothing(sample.n_features(), gap);
      const Explanation explanation = explain(model, nothing);
      for (const double contribution : explanation.contributions.data) EXPECT_EQ(contribution, 0) << name;
      EXPECT_EQ(explanation.scores, model.intercepts) << name;
      const Matrix result = scores(model, MatrixView{nothing.data(), 1, nothing.size()});
      EXPECT_EQ(result.data, model.intercepts) << name;
    }
}

/// The model without the terms for which `drop` holds.
template <class Drop>
Model without_terms(const Model& model, const Drop& drop) {
  Model result = model;
  std::vector<std::size_t> kept;
  for (std::size_t t = 0; t < model.terms.size(); ++t)
    if (!drop(model.terms[t])) kept.push_back(t);
  result.terms.clear();
  result.weights = Matrix(model.n_scores(), kept.size());
  for (std::size_t t = 0; t < kept.size(); ++t) {
    result.terms.push_back(model.terms[kept[t]]);
    std::ranges::copy(model.weights.column(kept[t]), result.weights.column(t).begin());
  }
  return result;
}

TEST(MissingValues, OfNaiveBayesDropTheFeaturesTerms) {
  for (const LabelledSample& sample : complete_samples()) {
    const Model model = fitted(sample, preset_options(Preset::automatic, Method::nb));
    for (std::size_t j = 0; j < sample.n_features(); ++j) {
      Matrix X = sample.X;
      std::ranges::fill(X.column(j), gap);
      const Matrix actual = scores(model, X);
      const Matrix expected =
          scores(without_terms(model, [&](const Term& term) { return term.i == j; }), sample.X);
      for (std::size_t k = 0; k < actual.data.size(); ++k)
        EXPECT_NEAR(actual.data[k], expected.data[k], 1e-9) << "feature " << j;
      EXPECT_NE(expected.data, scores(model, sample.X).data);
    }
  }
}

/// Scores where term t of feature(s) that are missing has the value that the density of the others has,
/// weights being likelihoods'.
double score_of(const Model& model, const std::vector<double>& values, const std::vector<bool>& missing,
                std::size_t k) {
  double sum = model.intercepts[k];
  const auto margin = [&](std::int32_t c, std::size_t j) {
    for (std::size_t t = 0; t < model.terms.size(); ++t)
      if (model.terms[t].class_code == c && model.terms[t].i == j && model.terms[t].j == j) return values[t];
    throw std::logic_error("no density of one feature");
  };
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const Term& term = model.terms[t];
    double value = values[t];
    if (missing[term.i] && missing[term.j])
      value = 0;
    else if (missing[term.i])
      value = margin(term.class_code, term.j);
    else if (missing[term.j])
      value = margin(term.class_code, term.i);
    sum += model.weights(k, t) * value;
  }
  return sum;
}

TEST(MissingValues, OfTreesReplacePairsByTheOtherFeature) {
  for (const LabelledSample& sample : complete_samples())
    for (const Method method : {Method::tan, Method::tan_forest}) {
      const Model model = fitted(sample, preset_options(Preset::automatic, method));
      const Matrix X = with_all_patterns(sample);
      const Matrix actual = scores(model, X);
      const Matrix values = term_values(model.terms, in_coordinates(model.coordinates, sample.X));
      for (std::size_t i = 0; i < X.n_rows; ++i) {
        std::vector<bool> missing;
        for (std::size_t j = 0; j < X.n_cols; ++j) missing.push_back(std::isnan(X(i, j)));
        for (std::size_t k = 0; k < model.n_scores(); ++k)
          EXPECT_NEAR(actual(i, k), score_of(model, row_of(values, i), missing, k), 1e-9) << i;
      }
    }
}

TEST(MissingValues, OfALeafGiveTheScoresOfTheTreeWithoutIt) {
  // Integrated over a leaf, a tree's density is that of the tree without it.
  const LabelledSample sample = test::class_sample(400, 4, 2, 1);
  const Model model = fitted(sample, preset_options(Preset::automatic, Method::tan));
  std::size_t n_leaves = 0;
  for (std::size_t j = 0; j < 4; ++j) {
    std::vector<std::size_t> degree(2);
    for (const Term& term : model.terms)
      if (term.is_pair() && (term.i == j || term.j == j)) ++degree[static_cast<std::size_t>(term.class_code)];
    if (degree[0] != 1 || degree[1] != 1) continue;
    ++n_leaves;
    // The weight of a feature alone is 1 - degree: without the leaf, its neighbour has one edge fewer.
    Model rest = without_terms(model, [&](const Term& term) { return term.i == j || term.j == j; });
    for (const Term& term : model.terms) {
      if (!term.is_pair() || (term.i != j && term.j != j)) continue;
      const std::size_t other = term.i == j ? term.j : term.i;
      for (std::size_t t = 0; t < rest.terms.size(); ++t)
        if (!rest.terms[t].is_pair() && rest.terms[t].i == other &&
            rest.terms[t].class_code == term.class_code)
          rest.weights(0, t) += term.class_code == 1 ? 1 : -1;
    }
    Matrix X = sample.X;
    std::ranges::fill(X.column(j), gap);
    const Matrix actual = scores(model, X);
    const Matrix expected = scores(rest, sample.X);
    for (std::size_t i = 0; i < 400; ++i) EXPECT_NEAR(actual(i, 0), expected(i, 0), 1e-9);
  }
  EXPECT_GE(n_leaves, 1U);
}

TEST(MissingValues, OfPairsLeaveWhatTheOtherFeatureSaysAlone) {
  const LabelledSample sample = test::class_sample(200, 3, 2, 1);
  FitOptions options = preset_options(Preset::paper);
  options.pairs = PairRule::count;
  options.n_pairs = 4;
  const Model model = fitted(sample, options);
  ASSERT_EQ(count_pairs(model), 4U);
  const Matrix complete = term_values(model.terms, sample.X);
  Matrix X = sample.X;
  std::ranges::fill(X.column(1), gap);
  const Matrix values = term_values(model.terms, X);
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const Term& term = model.terms[t];
    if (term.i != 1 && term.j != 1) {
      EXPECT_TRUE(std::ranges::equal(values.column(t), complete.column(t)));
      continue;
    }
    const std::size_t other = term.i == 1 ? term.j : term.i;
    const auto margin = static_cast<std::size_t>(
        std::ranges::find_if(model.terms,
                             [&](const Term& of) {
                               return of.class_code == term.class_code && of.i == other && of.j == other;
                             }) -
        model.terms.begin());
    for (std::size_t i = 0; i < sample.n_rows(); ++i) {
      const double says = term.is_pair() ? complete(i, margin) - model.terms[margin].centre : 0;
      EXPECT_NEAR(values(i, t), term.centre + says, 1e-12) << t;
    }
  }
}

TEST(MissingValues, OfALevelThatNoTrainingRowHadAreAsMissing) {
  const LabelledSample sample = test::mixed_sample({.n_numbers = 1, .n_categories = 2});
  const Model model = fitted(sample, preset_options(Preset::automatic));
  const std::vector<Levels> more{{}, {{"level 0", "new"}}, sample.levels[2]};
  Matrix X(2, 3);
  X(0, 0) = X(1, 0) = 0.3;
  X(0, 1) = 1;  // the new one
  X(1, 1) = gap;
  X(0, 2) = X(1, 2) = 2;
  recode(X, more, model.levels);
  const Matrix result = scores(model, X);
  EXPECT_TRUE(std::isfinite(result(0, 0)));
  EXPECT_EQ(result(0, 0), result(1, 0));
}

TEST(MissingValues, AreRefusedByTheExactEngine) {
  LabelledSample sample = test::class_sample(60, 3, 2, 1);
  const FitOptions options{.method = Method::nb, .engine = Engine::exact};
  EXPECT_NO_THROW(fitted(sample, options));
  sample.X(3, 1) = gap;
  EXPECT_THROW(fitted(sample, options), std::invalid_argument);
  EXPECT_NO_THROW(fitted(sample, {.method = Method::nb}));
  const LabelledSample categories = test::mixed_sample({});
  EXPECT_THROW(fitted(categories, options), std::invalid_argument);
  // Infinite values are refused by both.
  sample.X(3, 1) = INFINITY;
  EXPECT_THROW(fitted(sample, {.method = Method::nb}), std::invalid_argument);
}

TEST(MissingValues, OfAllTrainingRowsLeaveAFeatureWithoutTerms) {
  for (const bool has_constant : {false, true})
    for (const std::size_t n_classes : {2U, 3U}) {
      LabelledSample sample = test::class_sample(60, 2, n_classes, 1);
      std::ranges::fill(sample.X.data, gap);
      if (has_constant) std::ranges::fill(sample.X.column(1), 2.5);
      Matrix with_value = sample.X;
      std::ranges::fill(with_value.column(0), 7.0);
      for (const Preset preset : {Preset::automatic, Preset::paper})
        for (std::size_t m = 0; m < method_names.size(); ++m) {
          FitOptions options = preset_options(preset, static_cast<Method>(m));
          options.engine = Engine::counts;
          const Model model = fitted(sample, options);
          for (const Term& term : model.terms) {
            EXPECT_EQ(term.i, 1U) << method_names[m];
            EXPECT_EQ(term.j, 1U) << method_names[m];
          }
          EXPECT_EQ(scores(model, with_value).data, scores(model, sample.X).data) << method_names[m];
          EXPECT_TRUE(has_constant || model.terms.empty()) << method_names[m];
        }
    }
}

TEST(MissingValues, AndCodesOfNoLevelAreToldApart) {
  LabelledSample sample = test::mixed_sample({.n_numbers = 1, .n_categories = 1});
  for (const double code : {4.0, -1.0, 0.5}) {
    sample.X(7, 1) = code;
    EXPECT_THROW(fitted(sample, {.method = Method::nb}), std::invalid_argument) << code;
  }
  sample.X(7, 1) = gap;
  EXPECT_NO_THROW(fitted(sample, {.method = Method::nb}));
}

}  // namespace
}  // namespace dyad
