// Tables of every kind through every method: numbers, categories or both, with gaps or without, with weights
// or without.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dyad/fit/fit.h"
#include "dyad/io/model_file.h"
#include "dyad/model/prediction.h"
#include "tests/model/explanations.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

enum class Features { numbers, categories, both };

using Kind = std::tuple<std::size_t, Features, bool, bool>;

std::string name_of(const Kind& kind) {
  const auto& [n_classes, features, gaps, weights] = kind;
  return std::to_string(n_classes) + "Classes" +
         (features == Features::numbers      ? "Numbers"
          : features == Features::categories ? "Categories"
                                             : "Both") +
         (gaps ? "Gaps" : "") + (weights ? "Weights" : "");
}

Table table_of(const Kind& kind) {
  const auto& [n_classes, features, gaps, weights] = kind;
  Table table = test::mixed_table({.n_rows = 150,
                                   .n_numbers = features == Features::numbers      ? 6U
                                                : features == Features::categories ? 0U
                                                                                   : 3U,
                                   .n_categories = features == Features::numbers      ? 0U
                                                   : features == Features::categories ? 6U
                                                                                      : 3U,
                                   .n_classes = n_classes,
                                   .missing = gaps ? 0.15 : 0});
  Random random(5);
  for (std::size_t i = 0; weights && i < table.n_rows; ++i)
    table.weights.push_back(0.25 * static_cast<double>(random.below(8)));
  return table;
}

void expect_scores_and_probabilities(const Model& model, const Matrix& X) {
  const Matrix result = scores(model, X);
  ASSERT_EQ(result.n_cols, score_count(model.n_classes()));
  const Matrix p = probabilities(model, result);
  const auto classes = classify(result);
  for (std::size_t i = 0; i < X.n_rows; ++i) {
    for (std::size_t k = 0; k < result.n_cols; ++k) ASSERT_TRUE(std::isfinite(result(i, k))) << "row " << i;
    double sum = 0;
    for (std::size_t c = 0; c < p.n_cols; ++c) {
      EXPECT_GE(p(i, c), 0);
      EXPECT_LE(p(i, c), p(i, static_cast<std::size_t>(classes[i])));
      sum += p(i, c);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

void expect_same_after_loading(const Model& model, const Matrix& X) {
  const std::string bytes = model_bytes(model);
  const Model loaded = model_from_bytes(bytes, "it");
  EXPECT_EQ(model_bytes(loaded), bytes);
  EXPECT_EQ(loaded.levels, model.levels);
  EXPECT_EQ(scores(loaded, X).data, scores(model, X).data);
}

class Tables : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Kind, Tables,
                         testing::Combine(testing::Values(2, 5),
                                          testing::Values(Features::numbers, Features::categories,
                                                          Features::both),
                                          testing::Bool(), testing::Bool()),
                         [](const auto& test) { return name_of(test.param); });

void expect_all(const Table& table, const FitOptions& options) {
  const Model model = fit(table, options);
  Matrix X = labelled_sample(table).X;
  recode(X, labelled_sample(table).levels, model.levels);
  expect_scores_and_probabilities(model, X);
  test::expect_contributions_that_add_up(model, X);
  expect_same_after_loading(model, X);
}

TEST_P(Tables, AreFittedPredictedExplainedAndKeptByEveryMethod) {
  const Table table = table_of(GetParam());
  for (std::size_t m = 0; m < method_names.size(); ++m) {
    SCOPED_TRACE(method_names[m]);
    expect_all(table, preset_options(Preset::automatic, static_cast<Method>(m)));
  }
  SCOPED_TRACE("slb of the paper");
  expect_all(table, preset_options(Preset::paper));
}

TEST_P(Tables, AreFittedInEveryFeatureMode) {
  const Table table = table_of(GetParam());
  const LabelledSample sample = labelled_sample(table);
  for (const FeatureMode mode : {FeatureMode::resubstitution, FeatureMode::cross_fit, FeatureMode::split}) {
    SCOPED_TRACE(feature_mode_names[static_cast<std::size_t>(mode)]);
    for (FitOptions options :
         {preset_options(Preset::automatic, Method::lu), FitOptions{.method = Method::lu}}) {
      options.feature_mode = mode;
      const Model model = fit(table, options);
      Matrix X = sample.X;
      recode(X, sample.levels, model.levels);
      expect_scores_and_probabilities(model, X);
    }
  }
}

TEST_P(Tables, GiveTheSameBitsOnTwoThreads) {
  const Table table = table_of(GetParam());
  const LabelledSample sample = labelled_sample(table);
  for (const Method method : {Method::slb, Method::tan}) {
    const FitOptions options = preset_options(Preset::automatic, method);
    const Model one = fit(table, options, Execution{.threads = 1});
    const Model two = fit(table, options, Execution{.threads = 2});
    EXPECT_EQ(one.weights.data, two.weights.data);
    EXPECT_EQ(one.intercepts, two.intercepts);
    ASSERT_EQ(one.terms.size(), two.terms.size());
    for (std::size_t t = 0; t < one.terms.size(); ++t) EXPECT_EQ(one.terms[t].density, two.terms[t].density);
    Matrix X = sample.X;
    recode(X, sample.levels, one.levels);
    EXPECT_EQ(scores(one, X, Execution{.threads = 1}).data, scores(two, X, Execution{.threads = 2}).data);
  }
}

}  // namespace
}  // namespace dyad
