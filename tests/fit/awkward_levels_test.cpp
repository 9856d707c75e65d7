// Columns with next to nothing in them.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dyad/fit/fit.h"
#include "dyad/fit/recipe.h"
#include "dyad/model/prediction.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

using test::gap;

/// A sample whose columns are given by functions of row and class.
struct AwkwardColumn {
  std::string name;
  std::size_t n_levels;  ///< 0 for numbers
  double (*value)(std::size_t i, std::size_t c);
};

const std::vector<AwkwardColumn> awkward_columns{
    // NOLINT(cert-err58-cpp)
    {"one level and gaps", 1, [](std::size_t i, std::size_t) { return i % 3 == 0 ? gap : 0; }},
    {"no value", 0, [](std::size_t, std::size_t) { return gap; }},
    {"no level", 3, [](std::size_t, std::size_t) { return gap; }},
    {"one level", 1, [](std::size_t, std::size_t) { return 0.0; }},
    {"numbers in one class only", 0,
     [](std::size_t i, std::size_t c) { return c == 0 ? gap : std::sin(static_cast<double>(i)); }},
    {"levels in one class only", 4,
     [](std::size_t i, std::size_t c) { return c == 1 ? gap : static_cast<double>(i / 2 % 4); }},
    {"one number", 0, [](std::size_t i, std::size_t) { return i == 5 ? 1.5 : gap; }},
    {"one gap", 0,
     [](std::size_t i, std::size_t) { return i == 5 ? gap : std::cos(static_cast<double>(i)); }},
    {"a constant and gaps", 0, [](std::size_t i, std::size_t) { return i % 4 == 1 ? gap : 7.25; }},
    {"an outlier and gaps", 0,
     [](std::size_t i, std::size_t) {
       return i == 2 ? 1e300 : i % 5 == 3 ? gap : std::sin(3 * static_cast<double>(i));
     }},
    {"another level in each class", 3, [](std::size_t, std::size_t c) { return static_cast<double>(c); }},
    {"another level in each row", 64,
     [](std::size_t i, std::size_t) { return static_cast<double>(i % 64); }}};

LabelledSample awkward_sample(std::size_t n, std::size_t n_classes, const std::vector<std::size_t>& columns) {
  LabelledSample sample{Matrix(n, columns.size()), {}, n_classes};
  sample.levels.resize(columns.size());
  for (std::size_t i = 0; i < n; ++i) sample.y.push_back(static_cast<std::int32_t>(i % n_classes));
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const AwkwardColumn& column = awkward_columns[columns[j]];
    for (std::size_t k = 0; k < column.n_levels; ++k)
      sample.levels[j].names.push_back("level " + std::to_string(100 + k));
    for (std::size_t i = 0; i < n; ++i) sample.X(i, j) = column.value(i, i % n_classes);
  }
  return sample;
}

std::vector<std::size_t> all_columns() {
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < awkward_columns.size(); ++j) columns.push_back(j);
  return columns;
}

void expect_finite(const LabelledSample& sample, const FitOptions& options, const std::string& what) {
  FitReport report;
  const Model model = fit(sample, options, {}, report);
  Matrix X = sample.X;
  recode(X, sample.levels, model.levels);
  // Also the first row with each of its values missing, and none.
  Matrix with_gaps(X.n_rows + X.n_cols + 1, X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    std::ranges::copy(X.column(j), with_gaps.column(j).begin());
    for (std::size_t i = X.n_rows; i < with_gaps.n_rows; ++i)
      with_gaps(i, j) = i - X.n_rows == j || i + 1 == with_gaps.n_rows ? gap : X(0, j);
  }
  const Matrix result = scores(model, with_gaps);
  const Matrix p = probabilities(model, result);
  for (const double score : result.data) ASSERT_TRUE(std::isfinite(score)) << what;
  for (const double share : p.data) ASSERT_TRUE(share >= 0 && share <= 1) << what;
}

class AwkwardLevels : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(Method, AwkwardLevels,
                         testing::Values(Method::slb, Method::slb_minus, Method::lu, Method::nb, Method::tan,
                                         Method::tan_forest));

TEST_P(AwkwardLevels, AreFittedInEveryPair) {
  for (const Preset preset : {Preset::automatic, Preset::paper})
    for (std::size_t a = 0; a < awkward_columns.size(); ++a)
      for (std::size_t b = a; b < awkward_columns.size(); ++b)
        expect_finite(awkward_sample(40, 2, {a, b}), preset_options(preset, GetParam()),
                      awkward_columns[a].name + ", " + awkward_columns[b].name);
}

TEST_P(AwkwardLevels, AreFittedTogether) {
  for (const Preset preset : {Preset::automatic, Preset::paper})
    for (const std::size_t n : {6U, 9U, 60U})
      for (const std::size_t n_classes : {2U, 3U})
        expect_finite(awkward_sample(n, n_classes, all_columns()), preset_options(preset, GetParam()),
                      std::to_string(n) + " rows");
}

TEST_P(AwkwardLevels, AreFittedWithAnyOptionsOfLevels) {
  const LabelledSample sample = awkward_sample(60, 2, all_columns());
  for (const double level_rows : {0.0, 1e6})
    for (const std::int64_t max_levels : {2, 256})
      for (const double prior_rows : {0.0, 5.0})
        for (const int grid : {32, 128}) {
          FitOptions options = preset_options(Preset::automatic, GetParam());
          options.level_rows = level_rows;
          options.max_levels = max_levels;
          options.prior_rows = prior_rows;
          options.grid = grid;
          expect_finite(sample, options, "level_rows " + std::to_string(level_rows));
        }
}

TEST_P(AwkwardLevels, AreFittedInEveryFeatureMode) {
  if (!has_svm(GetParam())) return;
  for (const Preset preset : {Preset::automatic, Preset::paper})
    for (std::size_t mode = 0; mode < feature_mode_names.size(); ++mode) {
      FitOptions options = preset_options(preset, GetParam());
      options.feature_mode = static_cast<FeatureMode>(mode);
      expect_finite(awkward_sample(60, 3, all_columns()), options, std::string(feature_mode_names[mode]));
    }
}

TEST_P(AwkwardLevels, OfAClassOfOneRowAreFitted) {
  LabelledSample sample = awkward_sample(40, 2, all_columns());
  std::ranges::fill(sample.y, 0);
  sample.y[7] = 1;
  expect_finite(sample, preset_options(Preset::automatic, GetParam()), "one row");
}

TEST(LevelsOfEachClass, TellIt) {
  const LabelledSample sample = awkward_sample(60, 3, {10, 0, 1});
  for (std::size_t m = 0; m < method_names.size(); ++m) {
    FitReport report;
    const Model model = fit(sample, preset_options(Preset::automatic, static_cast<Method>(m)), {}, report);
    EXPECT_EQ(classify(scores(model, sample.X)), sample.y) << method_names[m];
  }
}

}  // namespace
}  // namespace dyad
