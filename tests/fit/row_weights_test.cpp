// Row weights through every step: a weight is as many copies of the row.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "dyad/density/counts_bandwidth.h"
#include "dyad/density/grid1d.h"
#include "dyad/density/grid2d.h"
#include "dyad/dependence/counts_hsic.h"
#include "dyad/fit/fit.h"
#include "dyad/io/model_file.h"
#include "dyad/linear/calibration.h"
#include "dyad/model/prediction.h"
#include "dyad/terms/counts_terms.h"
#include "tests/fitted.h"
#include "tests/model_samples.h"
#include "tests/recipes.h"
#include "tests/shapes.h"

namespace dyad {
namespace {

using test::expect_close;

using test::fitted;

/// Every shape of test::shapes, its rows weighted and repeated.
struct WeightedShape {
  std::string name;
  std::vector<double> x, y, copies_x, copies_y;
  RowWeights weights;
};

std::vector<WeightedShape> weighted_shapes(std::size_t n) {
  std::vector<WeightedShape> result;
  for (const auto& [name, x, y] : test::shapes(n, 3)) {
    WeightedShape shape{.name = name, .x = x, .y = y, .weights = test::whole_weights(n, 5)};
    shape.copies_x = test::repeated(x, shape.weights);
    shape.copies_y = test::repeated(shape.y, shape.weights);
    result.push_back(std::move(shape));
  }
  return result;
}

/// A sample of two classes in which every fifth row has weight 0, and the same sample without these rows.
std::pair<LabelledSample, LabelledSample> with_and_without_zeros(std::size_t n) {
  LabelledSample sample = test::class_sample(n, 3, 2, 7);
  std::vector<std::size_t> kept;
  std::vector<double> weights(n);
  for (std::size_t i = 0; i < n; ++i) {
    weights[i] = i % 5 == 0 ? 0 : 1;
    if (i % 5 != 0) kept.push_back(i);
  }
  LabelledSample rest = rows_of(sample, kept);
  sample.weights = make_row_weights(weights);
  return {std::move(sample), std::move(rest)};
}

TEST(Weights, GiveTheBandwidthsOfCopies) {
  for (const auto& shape : weighted_shapes(120))
    for (const BandwidthRule rule :
         {BandwidthRule::plug_in, BandwidthRule::plug_in_diagonal, BandwidthRule::normal_scale}) {
      const ScaledColumn x = scaled_column(shape.x, shape.weights);
      const ScaledColumn y = scaled_column(shape.y, shape.weights);
      const ScaledColumn copies_x = scaled_column(shape.copies_x);
      const ScaledColumn copies_y = scaled_column(shape.copies_y);
      // Copies beyond the axis count as rows apart from each other, a weight as one place.
      expect_close(counts_bandwidth_1d(x, rule), counts_bandwidth_1d(copies_x, rule), 1e-3, shape.name);
      const ShearedKernel kernel = counts_bandwidth_2d(x, y, rule);
      const ShearedKernel expected = counts_bandwidth_2d(copies_x, copies_y, rule);
      expect_close(kernel.h_u, expected.h_u, 1e-4, shape.name);
      expect_close(kernel.h_v, expected.h_v, 1e-4, shape.name);
      expect_close(kernel.shear, expected.shear, 1e-4, shape.name, 1e-5);
    }
}

TEST(Weights, GiveTheDensitiesOfCopies) {
  for (const auto& shape : weighted_shapes(120)) {
    const ScaledColumn x = scaled_column(shape.x, shape.weights);
    const ScaledColumn y = scaled_column(shape.y, shape.weights);
    ScaledColumn copies_x = scaled_column(shape.copies_x);
    ScaledColumn copies_y = scaled_column(shape.copies_y);
    copies_x.scaling = x.scaling;  // equal but for rounding
    copies_y.scaling = y.scaling;
    copies_x.values = test::repeated(x.values, shape.weights);
    copies_y.values = test::repeated(y.values, shape.weights);
    const FittedGrid1d one = smooth(bin_column(x, 0.3, 128));
    const FittedGrid1d copies_one = smooth(bin_column(copies_x, 0.3, 128));
    EXPECT_EQ(one.grid, copies_one.grid) << shape.name;
    const ShearedKernel kernel{0.2, 0.4, 0.3};
    const FittedGrid2d two = smooth(bin_pair(make_frame(x, y, kernel, 128), x.values, y.values, x.weights));
    const FittedGrid2d copies_two =
        smooth(bin_pair(make_frame(copies_x, copies_y, kernel, 128), copies_x.values, copies_y.values));
    EXPECT_EQ(two.grid, copies_two.grid) << shape.name;

    // A row that stands for several loses one of them.
    std::vector<double> values(x.values.size());
    leave_out_own(one, x.values, values, x.weights);
    std::vector<double> copies_values(copies_x.values.size());
    leave_out_own(copies_one, copies_x.values, copies_values);
    const auto expected = test::repeated(values, shape.weights);
    for (std::size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(copies_values[i], expected[i], 1e-9) << shape.name;
  }
}

TEST(Weights, BelowOneLeaveOutWhatTheyAre) {
  // Two halves of a row at one place are a row; each half without itself leaves the other and the rest.
  const std::vector<double> x{0, 0, 1, 2};
  const RowWeights weights = make_row_weights(std::vector<double>{0.5, 0.5, 1, 1});
  const ScaledColumn column = scaled_column(x, weights);
  const FittedGrid1d fitted = smooth(bin_column(column, 0.7, 128));
  std::vector<double> values(4);
  log_density(fitted.grid, x, values);
  const auto density = [&](double at, std::span<const double> w) {
    const double h = 0.7 * column.scaling.scale;
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i)
      sum += w[i] * std::exp(-0.5 * (at - x[i]) * (at - x[i]) / h / h) / (h * std::sqrt(2 * M_PI));
    return std::log(sum / std::accumulate(w.begin(), w.end(), 0.0));
  };
  EXPECT_NEAR(values[0], density(0, std::vector<double>{0.5, 0.5, 1, 1}), 0.01);
  leave_out_own(fitted, column.values, values, weights);
  EXPECT_NEAR(values[0], density(0, std::vector<double>{0, 0.5, 1, 1}), 0.01);
  EXPECT_NEAR(values[2], density(1, std::vector<double>{0.5, 0.5, 0, 1}), 0.01);
}

TEST(Weights, GiveTheHsicOfCopies) {
  for (const auto& shape : weighted_shapes(150)) {
    Matrix X(150, 2);
    std::ranges::copy(shape.x, X.column(0).begin());
    std::ranges::copy(shape.y, X.column(1).begin());
    Matrix copies(shape.copies_x.size(), 2);
    std::ranges::copy(shape.copies_x, copies.column(0).begin());
    std::ranges::copy(shape.copies_y, copies.column(1).begin());
    const Hsic weighted = counts_hsic_all_pairs(X, 128, {}, shape.weights).front();
    const Hsic repeated = counts_hsic_all_pairs(copies, 128).front();
    expect_close(weighted.value, repeated.value, 1e-4, shape.name, 1e-9);
    expect_close(weighted.p_value, repeated.p_value, 1e-2, shape.name, 1e-12);

    // The same without some rows.
    const std::vector<std::vector<std::size_t>> left_out{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}};
    std::vector<std::vector<std::size_t>> copies_left_out(1);
    const auto n_out = std::accumulate(shape.weights.counts.begin(), shape.weights.counts.begin() + 10, 0U);
    for (std::size_t i = 0; i < n_out; ++i) copies_left_out[0].push_back(i);
    const auto rest = counts_hsic_without(X, left_out, 128, {}, shape.weights);
    const auto copies_rest = counts_hsic_without(copies, copies_left_out, 128);
    expect_close(rest[1][0].value, copies_rest[1][0].value, 1e-4, shape.name, 1e-9);
  }
}

TEST(Weights, BelowOneGiveAnHsicToo) {
  // Less weight than one row in all: medians come from one value, and nodes still span all of them.
  const auto x = test::normal_sample(50, 1);
  const auto y = test::correlated_with(x, 0.9, 2);
  Matrix X(50, 2);
  std::ranges::copy(x, X.column(0).begin());
  std::ranges::copy(y, X.column(1).begin());
  for (const double weight : {0.001, 0.02, 0.5, 0.9}) {
    const RowWeights weights = make_row_weights(std::vector<double>(50, weight));
    const Hsic result = counts_hsic_all_pairs(X, 128, {}, weights).front();
    EXPECT_GT(result.value, 0) << weight;
    EXPECT_LT(result.value, 0.25) << weight;
  }
}

TEST(Weights, BelowOneFitEveryMethod) {
  LabelledSample sample = test::class_sample(90, 4, 2, 7);
  for (const double weight : {0.001, 0.3, 0.5}) {
    sample.weights = make_row_weights(std::vector<double>(90, weight));
    for (const Method method : {Method::slb, Method::slb_minus, Method::lu, Method::nb, Method::tan})
      for (const FeatureMode mode : {FeatureMode::resubstitution, FeatureMode::leave_one_out,
                                     FeatureMode::cross_fit, FeatureMode::split})
        for (const double value :
             scores(fitted(sample, test::applicable({.method = method, .feature_mode = mode})), sample.X)
                 .data)
          EXPECT_TRUE(std::isfinite(value));
  }
}

TEST(Weights, GiveTheCalibrationOfCopies) {
  const auto scores = test::normal_sample(80, 1);
  std::vector<double> signs(80);
  for (std::size_t i = 0; i < 80; ++i) signs[i] = scores[i] + static_cast<double>(i % 3) > 1 ? 1 : -1;
  const RowWeights weights = test::whole_weights(80, 2);
  const std::vector<double> numbers(weights.counts.begin(), weights.counts.end());
  const Calibration weighted = fit_calibration(scores, signs, numbers);
  const Calibration repeated =
      fit_calibration(test::repeated(scores, weights), test::repeated(signs, weights));
  expect_close(weighted.slope, repeated.slope, 1e-6);
  expect_close(weighted.offset, repeated.offset, 1e-6, "", 1e-9);
}

TEST(Weights, GiveTheModelOfCopiesToTheLastBit) {
  const auto [weighted, copies, rows_of_copies] =
      test::weighted_and_repeated(test::class_sample(90, 4, 2, 7), 3);
  const auto [weighted3, copies3, rows_of_copies3] =
      test::weighted_and_repeated(test::class_sample(120, 3, 3, 7), 4);
  for (const Method method :
       {Method::slb, Method::slb_minus, Method::lu, Method::nb, Method::tan, Method::tan_forest})
    for (const FeatureMode mode : {FeatureMode::resubstitution, FeatureMode::leave_one_out,
                                   FeatureMode::cross_fit, FeatureMode::split}) {
      const FitOptions options = test::applicable({.method = method, .feature_mode = mode});
      EXPECT_EQ(model_bytes(fitted(weighted, options)), model_bytes(fitted(copies, options)));
      EXPECT_EQ(model_bytes(fitted(weighted3, options)), model_bytes(fitted(copies3, options)));
    }
}

TEST(Weights, GiveTheModelOfCopiesWithThePresetAuto) {
  const auto [weighted, copies, rows_of_copies] =
      test::weighted_and_repeated(test::class_sample(70, 4, 2, 7), 3);
  const auto [weighted3, copies3, rows_of_copies3] =
      test::weighted_and_repeated(test::class_sample(90, 3, 3, 7), 4);
  for (const Method method : {Method::slb, Method::slb_minus, Method::lu, Method::nb, Method::tan})
    for (const FeatureMode mode : {FeatureMode::resubstitution, FeatureMode::leave_one_out,
                                   FeatureMode::cross_fit, FeatureMode::split}) {
      if (method != Method::slb && mode != FeatureMode::leave_one_out) continue;
      FitOptions options = preset_options(Preset::automatic, method);
      if (has_svm(method)) options.feature_mode = mode;
      EXPECT_EQ(model_bytes(fitted(weighted, options)), model_bytes(fitted(copies, options)));
      EXPECT_EQ(model_bytes(fitted(weighted3, options)), model_bytes(fitted(copies3, options)));
    }
  const auto [sample, rest] = with_and_without_zeros(80);
  const FitOptions options = preset_options(Preset::automatic);
  EXPECT_EQ(model_bytes(fitted(sample, options)), model_bytes(fitted(rest, options)));
}

// --- categories and missing values ---

/// Two classes or three, few rows, gaps everywhere.
LabelledSample mixed(std::size_t n, std::size_t n_classes) {
  return test::mixed_sample(
      {.n_rows = n, .n_numbers = 2, .n_categories = 2, .n_classes = n_classes, .missing = 0.15, .seed = 3});
}

/// Scores of new rows with the levels of `sample`, and what goes into them.
void expect_same_model(const LabelledSample& a, const LabelledSample& b, const FitOptions& options) {
  const Model first = fitted(a, options);
  const Model second = fitted(b, options);
  EXPECT_EQ(first.levels, second.levels);
  EXPECT_EQ(first.intercepts, second.intercepts);
  EXPECT_EQ(first.weights.data, second.weights.data);
  const LabelledSample fresh = test::mixed_sample({.n_rows = 60,
                                                   .n_numbers = 2,
                                                   .n_categories = 2,
                                                   .n_classes = a.n_classes,
                                                   .missing = 0.15,
                                                   .seed = 20});
  Matrix X = fresh.X;
  recode(X, fresh.levels, first.levels);
  EXPECT_EQ(scores(first, X).data, scores(second, X).data);
}

TEST(Weights, GiveTheModelOfCopiesWithCategoriesAndGaps) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const auto [weighted, copies, rows] = test::weighted_and_repeated(mixed(90, n_classes), 3);
    for (std::size_t m = 0; m < method_names.size(); ++m)
      for (const Preset preset : {Preset::automatic, Preset::paper}) {
        SCOPED_TRACE(method_names[m]);
        expect_same_model(weighted, copies, preset_options(preset, static_cast<Method>(m)));
      }
  }
}

TEST(Weights, CountLevelsThatArePooled) {
  // 30 levels of three rows each; weights make other levels frequent than copies that did not count would.
  LabelledSample sample = mixed(90, 2);
  for (std::size_t i = 0; i < 90; ++i) sample.X(i, 2) = static_cast<double>(i % 30);
  sample.levels[2].names.clear();
  for (std::size_t k = 0; k < 30; ++k) sample.levels[2].names.push_back("level " + std::to_string(10 + k));
  const auto [weighted, copies, rows] = test::weighted_and_repeated(sample, 3);
  FitOptions options = preset_options(Preset::automatic, Method::nb);
  options.max_levels = 8;
  const Model model = fitted(weighted, options);
  EXPECT_EQ(model.levels[2].size(), 8U);
  EXPECT_TRUE(model.levels[2].has_others);
  EXPECT_NE(model.levels, fitted(sample, options).levels);
  expect_same_model(weighted, copies, options);
}

TEST(Weights, OfZeroAreRowsThatAreNotThereWithCategoriesAndGaps) {
  LabelledSample sample = mixed(100, 2);
  // A level, and gaps of a feature, that only rows without weight have.
  std::vector<std::size_t> kept;
  std::vector<double> weights(100);
  for (std::size_t i = 0; i < 100; ++i) {
    weights[i] = i % 5 == 0 ? 0 : 1;
    if (i % 5 != 0) kept.push_back(i);
    if (i % 5 == 0) sample.X(i, 2) = 3;
    if (i % 5 != 0 && sample.X(i, 2) == 3) sample.X(i, 2) = 0;
    if (i % 5 != 0 && std::isnan(sample.X(i, 0))) sample.X(i, 0) = 0.1 * static_cast<double>(i);
    if (i % 10 == 0) sample.X(i, 0) = std::numeric_limits<double>::quiet_NaN();
  }
  const LabelledSample rest = rows_of(sample, kept);
  sample.weights = make_row_weights(weights);
  for (std::size_t m = 0; m < method_names.size(); ++m) {
    SCOPED_TRACE(method_names[m]);
    expect_same_model(sample, rest, preset_options(Preset::automatic, static_cast<Method>(m)));
  }
}

TEST(Weights, OrCopiesMakeTheOrderOfRowsIrrelevant) {
  LabelledSample sample = mixed(90, 2);
  std::vector<std::size_t> order{0};  // row 0 twice
  for (std::size_t i = 0; i < 90; ++i) order.push_back(i);
  const LabelledSample first = rows_of(sample, order);
  Random(8).shuffle(order);
  const LabelledSample second = rows_of(sample, order);
  for (std::size_t m = 0; m < method_names.size(); ++m) {
    SCOPED_TRACE(method_names[m]);
    expect_same_model(first, second, preset_options(Preset::automatic, static_cast<Method>(m)));
  }
}

TEST(Weights, OfOneLeaveDensitiesAloneInAnyOrderOfRows) {
  const LabelledSample sample = mixed(120, 3);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < 120; ++i) order.push_back(i);
  Random(8).shuffle(order);
  const LabelledSample shuffled = rows_of(sample, order);
  for (const Method method : {Method::nb, Method::tan, Method::tan_forest}) {
    const FitOptions options = preset_options(Preset::automatic, method);
    const Matrix a = scores(fitted(sample, options), sample.X);
    const Matrix b = scores(fitted(shuffled, options), sample.X);
    for (std::size_t k = 0; k < a.data.size(); ++k) EXPECT_NEAR(a.data[k], b.data[k], 1e-6);
  }
}

TEST(Weights, OfAnySizeFitCategoriesAndGaps) {
  LabelledSample sample = mixed(90, 2);
  for (const double size : {1e-11, 1 / 200.0, 0.5, 1e3, 4e5}) {
    std::vector<double> weights(90);
    for (std::size_t i = 0; i < 90; ++i) weights[i] = size * (0.5 + 0.01 * static_cast<double>(i));
    sample.weights = make_row_weights(weights);
    for (const Method method : {Method::slb, Method::nb, Method::tan})
      for (const double value :
           scores(fitted(sample, preset_options(Preset::automatic, method)), sample.X).data)
        EXPECT_TRUE(std::isfinite(value)) << size;
  }
}

TEST(Weights, OfAnySizeFitThePresetAuto) {
  LabelledSample sample = test::class_sample(90, 3, 2, 7);
  for (const double size : {1e-11, 1e-6, 1 / 200.0, 0.5, 1e3, 4e5}) {
    std::vector<double> weights(90);
    for (std::size_t i = 0; i < 90; ++i) weights[i] = size * (0.5 + 0.01 * static_cast<double>(i));
    sample.weights = make_row_weights(weights);
    for (const double value : scores(fitted(sample, preset_options(Preset::automatic)), sample.X).data)
      EXPECT_TRUE(std::isfinite(value)) << size;
  }
}

TEST(Weights, GiveTheModelOfCopiesWithGivenSplits) {
  const auto [weighted, copies, rows] = test::weighted_and_repeated(test::class_sample(90, 4, 2, 7), 3);
  for (FitOptions options : {FitOptions{.cost = CostRule::cv}, preset_options(Preset::automatic)}) {
    FitOptions copies_options = options;
    for (std::size_t k = 0; k < 3; ++k) {
      Split& split = options.inner_splits.emplace_back();
      for (std::size_t i = 0; i < weighted.n_rows(); ++i)
        (i / 4 % 3 == k ? split.inside : split.outside).push_back(i);
      Split& copies_split = copies_options.inner_splits.emplace_back();
      for (std::size_t i = 0; i < rows.size(); ++i)
        (rows[i] / 4 % 3 == k ? copies_split.inside : copies_split.outside).push_back(i);
    }
    EXPECT_EQ(model_bytes(fitted(weighted, options)), model_bytes(fitted(copies, copies_options)));
  }
}

TEST(Weights, OfTheExactEngineAreCopies) {
  const auto [weighted, copies, rows_of_copies] =
      test::weighted_and_repeated(test::class_sample(60, 3, 2, 7), 3);
  const FitOptions options{.method = Method::lu, .engine = Engine::exact};
  const Matrix X = test::class_sample(40, 3, 2, 20).X;
  const Matrix a = scores(fitted(weighted, options), X);
  const Matrix b = scores(fitted(copies, options), X);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 0.02);
  LabelledSample halves = weighted;
  halves.weights.unit = 0.5;
  halves.weights.counts[0] = 1;
  EXPECT_THROW(fitted(halves, options), std::invalid_argument);
}

TEST(Weights, OfTheCountsEngineAreNearTheExactOne) {
  const auto [weighted, copies, rows_of_copies] =
      test::weighted_and_repeated(test::class_sample(300, 3, 2, 7), 3);
  for (const Method method : {Method::nb, Method::tan}) {
    const Matrix X = test::class_sample(100, 3, 2, 20).X;
    const Matrix a = scores(fitted(weighted, {.method = method}), X);
    const Matrix b = scores(fitted(copies, {.method = method, .engine = Engine::exact}), X);
    for (std::size_t i = 0; i < 100; ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 0.2);
  }
}

TEST(SlowWeights, OfAnySizeGiveFiniteScores) {
  LabelledSample sample = test::class_sample(200, 3, 2, 7);
  for (const double size : {1e-11, 1e-6, 1 / 200.0, 1.0, 1e3, 4e5}) {
    std::vector<double> weights(200);
    for (std::size_t i = 0; i < 200; ++i) weights[i] = size * (0.5 + 0.01 * static_cast<double>(i));
    sample.weights = make_row_weights(weights);
    for (const Method method : {Method::slb, Method::lu, Method::nb, Method::tan})
      for (const double value : scores(fitted(sample, {.method = method}), sample.X).data)
        EXPECT_TRUE(std::isfinite(value)) << size;
  }
}

TEST(Weights, OfZeroAreRowsThatAreNotThere) {
  const auto [sample, rest] = with_and_without_zeros(120);
  for (const Method method : {Method::slb, Method::lu, Method::nb, Method::tan})
    EXPECT_EQ(model_bytes(fitted(sample, {.method = method})), model_bytes(fitted(rest, {.method = method})));
}

TEST(Weights, OfManyEqualRowsHoldTheirPlaceOnAnAxis) {
  // A value that stands for something else, in most rows of a class, far from the others: axes must keep it.
  LabelledSample sample = test::class_sample(6000, 2, 2, 7);
  for (std::size_t i = 0; i < 6000; ++i)
    if (sample.y[i] == 0 && i % 20 != 0) sample.X(i, 0) = sample.X(i, 1) = -999;
  for (const Method method : {Method::tan, Method::slb_minus}) {
    const auto codes = classify(scores(fitted(sample, {.method = method}), sample.X));
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 6000; ++i)
      if (sample.X(i, 0) == -999 && codes[i] != 0) ++wrong;
    EXPECT_EQ(wrong, 0U);
  }
}

}  // namespace
}  // namespace dyad
