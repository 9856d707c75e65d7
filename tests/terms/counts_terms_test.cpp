// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/counts_terms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dyad/data/folds.h"
#include "dyad/data/summary.h"
#include "dyad/density/counts_bandwidth.h"
#include "dyad/density/kde1d.h"
#include "dyad/density/kde2d.h"
#include "tests/model_samples.h"
#include "tests/oracles.h"
#include "tests/recipes.h"
#include "tests/shapes.h"

namespace dyad {
namespace {

const std::vector<TermKey> count_keys{
    {0, 0, 0}, {1, 2, 2}, {0, 0, 1}, {1, 0, 2}, {1, 0, 1}};  // NOLINT(cert-err58-cpp)

FitOptions options_of(FeatureMode mode) {
  return {.feature_mode = mode, .cross_fit_folds = 3, .floor = 1e-16, .seed = 4};
}

CountsFeatures counted(const LabelledSample& sample, const FitOptions& options, int threads = 1) {
  FitReport report;
  return counts_training_features(sample, count_keys, options, Execution{.threads = threads}, report);
}

TrainingFeatures exact(const LabelledSample& sample, const FitOptions& options) {
  FitReport report;
  return training_features(sample, count_keys, options, {}, report);
}

std::vector<double> column_of(const FloatRows& values, std::size_t t) {
  std::vector<double> column(values.n_rows());
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = static_cast<double>(values.row(i)[t]);
  return column;
}

bool same_bits(const FloatRows& a, const FloatRows& b) {
  if (a.n_rows() != b.n_rows() || a.n_cols() != b.n_cols()) return false;
  for (std::size_t i = 0; i < a.n_rows(); ++i)
    if (!std::ranges::equal(a.row(i), b.row(i))) return false;
  return true;
}

/// Two classes of a skewed and of a heavy-tailed shape.
LabelledSample awkward_sample(std::size_t n) {
  const auto shapes = test::shapes(n);
  LabelledSample sample{Matrix(n, 3), {}, 2};
  for (std::size_t i = 0; i < n; ++i) {
    sample.y.push_back(static_cast<std::int32_t>(i % 2));
    sample.X(i, 0) = shapes[3].x[i] + static_cast<double>(i % 2);
    sample.X(i, 1) = shapes[4].y[i];
    sample.X(i, 2) = shapes[7].x[i];
  }
  return sample;
}

/// Bounds of errors of log densities. Half of all and 99 % of those within e^10 of the highest are
/// held to a fixed bound; rows further down, mostly of other classes and beyond the axes, to a share of how
/// far down they are.
struct Bounds {
  double median;
  double near;
  double share_of_depth;
};
constexpr Bounds same_densities{0.01, 0.05, 0.15};
/// Folds scale the bandwidths of all rows, where the exact engine finds new ones in each.
constexpr Bounds new_bandwidths{0.1, 1.1, 0.4};

void expect_log_densities(std::span<const double> actual, std::span<const double> expected,
                          const Bounds& bounds, const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size());
  const double top = *std::ranges::max_element(expected);
  std::vector<double> near_actual;
  std::vector<double> near_expected;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    if (expected[i] > top - 10) {
      near_actual.push_back(actual[i]);
      near_expected.push_back(expected[i]);
    } else {
      EXPECT_NEAR(actual[i], expected[i], bounds.share_of_depth * (top - expected[i]))
          << what << ", row " << i;
    }
  }
  test::expect_small_errors(test::sorted_errors(actual, expected), bounds.median, INFINITY, what);
  test::expect_small_errors(test::sorted_errors(near_actual, near_expected), bounds.median, bounds.near,
                            what + ", near");
}

class CountsFeaturesBy : public testing::TestWithParam<FeatureMode> {};
INSTANTIATE_TEST_SUITE_P(Mode, CountsFeaturesBy,
                         testing::Values(FeatureMode::resubstitution, FeatureMode::leave_one_out,
                                         FeatureMode::cross_fit, FeatureMode::split));

TEST_P(CountsFeaturesBy, AreThoseOfTheExactEngine) {
  const FitOptions options = options_of(GetParam());
  const Bounds& bounds = GetParam() == FeatureMode::cross_fit ? new_bandwidths : same_densities;
  std::vector<LabelledSample> samples{test::class_sample(400, 3, 2, 1)};
  // New bandwidths in each fold differ too much there; the next test says what cross-fitting is.
  if (GetParam() != FeatureMode::cross_fit) samples.push_back(awkward_sample(400));
  for (const LabelledSample& sample : samples) {
    const CountsFeatures features = counted(sample, options);
    const TrainingFeatures expected = exact(sample, options);
    ASSERT_EQ(features.rows, expected.rows);
    ASSERT_EQ(features.values.n_rows(), expected.values.n_rows);
    ASSERT_EQ(features.values.n_cols(), count_keys.size());
    for (std::size_t t = 0; t < count_keys.size(); ++t) {
      expect_log_densities(column_of(features.values, t), expected.values.column(t), bounds,
                           "term " + std::to_string(t));
      EXPECT_NEAR(features.terms[t].floor, expected.terms[t].floor, 1e-9);
      EXPECT_EQ(features.terms[t].class_code, count_keys[t].class_code);
      EXPECT_EQ(features.terms[t].i, count_keys[t].i);
      EXPECT_EQ(features.terms[t].j, count_keys[t].j);
    }
  }
}

/// Exact log densities of `rows` from the class's rows among `kernels`, with the bandwidth of all its rows
/// made wider for fewer.
std::vector<double> rescaled_values(const LabelledSample& sample, const TermKey& place,
                                    const std::vector<std::size_t>& kernels,
                                    const std::vector<std::size_t>& rows, double floor) {
  const Matrix all = rows_of_class(sample, place.class_code);
  const Matrix some = rows_of_class(rows_of(sample, kernels), place.class_code);
  const Matrix X = rows_of(sample, rows).X;
  const double growth = static_cast<double>(all.n_rows) / static_cast<double>(some.n_rows);
  std::vector<double> values(rows.size());
  if (place.i == place.j) {
    const double h =
        counts_bandwidth_1d(all.column(place.i), BandwidthRule::plug_in) * std::pow(growth, 1.0 / 5);
    log_density(make_kde1d(some.column(place.i), h), X.column(place.i), values);
  } else {
    Symmetric2 H = counts_bandwidth_2d(all.column(place.i), all.column(place.j), BandwidthRule::plug_in);
    for (double* entry : {&H.xx, &H.xy, &H.yy}) *entry *= std::pow(growth, 1.0 / 3);
    log_density(make_kde2d(some.column(place.i), some.column(place.j), H), X.column(place.i),
                X.column(place.j), values);
  }
  for (double& value : values) value = std::max(value, floor);
  return values;
}

TEST(CountsFeatures, OfCrossFitUseTheOtherFoldsWithWiderBandwidths) {
  for (const auto& sample : {test::class_sample(400, 3, 2, 1), awkward_sample(400)}) {
    const CountsFeatures features = counted(sample, options_of(FeatureMode::cross_fit));
    const auto folds = stratified_folds(sample.y, 3, 4);
    for (std::size_t t = 0; t < count_keys.size(); ++t) {
      const auto values = column_of(features.values, t);
      for (std::size_t fold = 0; fold < 3; ++fold) {
        const Split split = split_at(folds, fold);
        std::vector<double> actual;
        for (const std::size_t row : split.inside) actual.push_back(values[row]);
        expect_log_densities(
            actual,
            rescaled_values(sample, count_keys[t], split.outside, split.inside, features.terms[t].floor),
            same_densities, "term " + std::to_string(t) + ", fold " + std::to_string(fold));
      }
    }
  }
}

TEST_P(CountsFeaturesBy, AreTheSameBitForBitOnAnyNumberOfThreads) {
  const LabelledSample sample = test::class_sample(700, 3, 2, 1);
  std::vector<TermKey> many;
  for (int k = 0; k < 8; ++k) many.insert(many.end(), count_keys.begin(), count_keys.end());
  const auto features_on = [&](int threads) {
    FitReport report;
    return counts_training_features(sample, many, options_of(GetParam()), Execution{.threads = threads},
                                    report);
  };
  const CountsFeatures one = features_on(1);
  // Equal terms, at whatever column they stand, have equal values.
  for (std::size_t t = count_keys.size(); t < many.size(); ++t)
    EXPECT_EQ(column_of(one.values, t), column_of(one.values, t - count_keys.size()));
  for (const int threads : {2, 3, 8}) {
    const CountsFeatures others = features_on(threads);
    EXPECT_TRUE(same_bits(others.values, one.values)) << threads;
    EXPECT_TRUE(same_bits(others.held_out, one.held_out)) << threads;
    for (std::size_t t = 0; t < many.size(); ++t)
      EXPECT_TRUE(others.terms[t].density == one.terms[t].density);
  }
}

TEST(CountsFeatures, OfNewRowsAreThoseOfTheExactTerms) {
  const LabelledSample sample = test::class_sample(400, 3, 2, 1);
  const LabelledSample fresh = test::class_sample(200, 3, 2, 50);
  const FitOptions options = options_of(FeatureMode::resubstitution);
  const Matrix values = term_values(counts_terms(sample, count_keys, options, {}), fresh.X);
  const Matrix expected = term_values(fit_terms(sample, count_keys, options, {}), fresh.X);
  for (std::size_t t = 0; t < count_keys.size(); ++t)
    expect_log_densities(values.column(t), expected.column(t), same_densities, "term " + std::to_string(t));
}

TEST(CountsFeatures, HoldOutRowsByLeavingOneOut) {
  const LabelledSample sample = test::class_sample(300, 3, 2, 1);
  const CountsFeatures resubstituted = counted(sample, options_of(FeatureMode::resubstitution));
  const CountsFeatures left_out = counted(sample, options_of(FeatureMode::leave_one_out));
  EXPECT_FALSE(same_bits(resubstituted.values, left_out.values));
  ASSERT_EQ(resubstituted.held_out_rows.size(), 300U);
  for (std::size_t k = 0; k < 300; ++k) {
    EXPECT_EQ(resubstituted.held_out_rows[k], k);
    EXPECT_TRUE(std::ranges::equal(resubstituted.held_out.row(k), left_out.values.row(k))) << k;
    EXPECT_TRUE(std::ranges::equal(left_out.held_out.row(k), left_out.values.row(k))) << k;
  }
}

TEST(CountsFeatures, HaveTheFloorOfTheExactEngine) {
  LabelledSample sample = test::class_sample(200, 3, 2, 1);
  sample.X(0, 0) = 1e6;  // of class 0: class 1 has no row near it
  FitOptions options = options_of(FeatureMode::resubstitution);
  options.floor = 1e-8;
  const CountsFeatures features = counted(sample, options);
  const TrainingFeatures expected = exact(sample, options);
  EXPECT_EQ(features.values.row(0)[3], static_cast<float>(features.terms[3].floor));
  EXPECT_NEAR(static_cast<double>(features.values.row(0)[3]), expected.values(0, 3), 1e-5);
  EXPECT_NEAR(features.terms[3].floor,
              std::log(1e-8) - std::log(positive_spread(sample.X.column(0))) -
                  std::log(positive_spread(sample.X.column(2))),
              1e-12);
}

TEST(CountsFeatures, OfFoldsAreThoseOfTheOtherFolds) {
  const LabelledSample sample = test::class_sample(300, 3, 2, 1);
  const auto folds = stratified_folds(sample.y, 3, 9);
  std::vector<std::vector<std::size_t>> columns(3, {4, 2, 0, 1, 3});
  columns[1] = {0, 1, 2, 3, 4};
  for (const FeatureMode mode : {FeatureMode::resubstitution, FeatureMode::leave_one_out}) {
    const FitOptions options = options_of(mode);
    const auto values = counts_split_values(sample, count_keys, splits_of(folds, 3), columns, options, {});
    ASSERT_EQ(values.size(), 3U);
    for (std::size_t fold = 0; fold < 3; ++fold) {
      const Split split = split_at(folds, fold);
      const LabelledSample outside = rows_of(sample, split.outside);
      const TrainingFeatures expected = exact(outside, options);
      const Matrix inside = term_values(expected.terms, rows_of(sample, split.inside).X);
      for (std::size_t t = 0; t < count_keys.size(); ++t) {
        const auto column = column_of(values[fold], columns[fold][t]);
        std::vector<double> own;
        for (const std::size_t row : split.outside) own.push_back(column[row]);
        std::vector<double> fresh;
        for (const std::size_t row : split.inside) fresh.push_back(column[row]);
        const std::string what = "fold " + std::to_string(fold) + ", term " + std::to_string(t);
        expect_log_densities(own, expected.values.column(t), new_bandwidths, what + ", training rows");
        expect_log_densities(fresh, inside.column(t), new_bandwidths, what + ", new rows");
      }
    }
  }
}

TEST(CountsFeatures, OfFoldsAreTheSameBitForBitOnAnyNumberOfThreads) {
  const LabelledSample sample = test::class_sample(300, 3, 2, 1);
  const auto folds = stratified_folds(sample.y, 3, 9);
  const std::vector<std::vector<std::size_t>> columns(3, {0, 1, 2, 3, 4});
  const FitOptions options = options_of(FeatureMode::leave_one_out);
  const auto one =
      counts_split_values(sample, count_keys, splits_of(folds, 3), columns, options, Execution{.threads = 1});
  for (const int threads : {2, 3, 8}) {
    const auto many = counts_split_values(sample, count_keys, splits_of(folds, 3), columns, options,
                                          Execution{.threads = threads});
    for (std::size_t fold = 0; fold < 3; ++fold) EXPECT_TRUE(same_bits(many[fold], one[fold])) << threads;
  }
}

/// The weight of a row's class without what leaving out takes of the row.
double rows_left(const LabelledSample& sample, const TermKey& place, std::size_t i, FeatureMode mode) {
  const WeightsView weights = sample.weights;
  const double n = class_counts(sample)[static_cast<std::size_t>(place.class_code)];
  if (mode == FeatureMode::resubstitution || sample.y[i] != place.class_code) return n;
  return n - std::min(1.0, weights[i]);
}

void expect_pseudo_rows(const LabelledSample& sample, FeatureMode mode, const std::string& what) {
  FitOptions options = options_of(mode);
  options.floor = 1e-30;
  const CountsFeatures without = counted(sample, options);
  options.prior_rows = 3;
  const CountsFeatures with = counted(sample, options);
  for (std::size_t t = 0; t < count_keys.size(); ++t) {
    const TermKey& place = count_keys[t];
    for (std::size_t i = 0; i < sample.n_rows(); ++i) {
      std::vector<double> point{sample.X(i, place.i)};
      if (place.is_pair()) point.push_back(sample.X(i, place.j));
      const double expected = oracle::with_pseudo_rows(rows_left(sample, place, i, mode), 3, point,
                                                       static_cast<double>(without.values.row(i)[t]));
      EXPECT_NEAR(static_cast<double>(with.values.row(i)[t]), expected, 1e-4)
          << what << ", term " << t << ", row " << i;
    }
  }
}

TEST(CountsFeatures, MixPseudoRowsIntoTheValuesOfTrainingRows) {
  LabelledSample sample = test::class_sample(60, 3, 2, 1);
  for (const FeatureMode mode : {FeatureMode::resubstitution, FeatureMode::leave_one_out}) {
    sample.weights = {};
    expect_pseudo_rows(sample, mode, "no weights");
    sample.weights = test::whole_weights(60, 3);
    expect_pseudo_rows(sample, mode, "whole weights");
  }
}

TEST(CountsFeatures, LeaveOutNoMoreThanTheWeightOfARowBesidePseudoRows) {
  LabelledSample sample = test::class_sample(60, 3, 2, 1);
  for (const double weight : {0.5, 0.125}) {
    sample.weights = make_row_weights(std::vector<double>(60, weight));
    expect_pseudo_rows(sample, FeatureMode::leave_one_out, "weight " + std::to_string(weight));
  }
}

TEST(CountsFeatures, OfAConstantFeatureDoNotTellTheClass) {
  LabelledSample sample = test::class_sample(60, 3, 2, 1);
  std::ranges::fill(sample.X.column(0), 2.5);
  FitOptions options = options_of(FeatureMode::leave_one_out);
  options.transform = Transform::standard;  // prior_rows asks for it
  options.prior_rows = 2;
  FitReport report;
  std::vector<std::size_t> some;
  for (std::size_t i = 0; i < 60; i += 7) some.push_back(i);
  EXPECT_TRUE(is_constant(column_of(counted(sample, options).values, 0)));
  EXPECT_TRUE(is_constant(
      column_of(counts_features_of_rows(sample, count_keys, some, options, {}, report).values, 0)));
  EXPECT_TRUE(is_constant(exact(sample, options).values.column(0)));
}

TEST(CountsFeatures, OfSomeRowsAreThoseOfAll) {
  LabelledSample sample = awkward_sample(200);
  std::vector<TermKey> some_places = count_keys;
  some_places.insert(some_places.begin(), {no_class, 1, 1});
  FitOptions options = preset_options(Preset::automatic);
  options.feature_mode = FeatureMode::leave_one_out;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 200; i += 1 + i % 3) rows.push_back(i);
  for (const bool weighted : {false, true}) {
    if (weighted) sample.weights = test::whole_weights(200, 3);
    FitReport report;
    const CountsFeatures all = counts_training_features(sample, some_places, options, {}, report);
    const CountsFeatures some = counts_features_of_rows(sample, some_places, rows, options, {}, report);
    EXPECT_EQ(some.rows, rows);
    EXPECT_TRUE(same_bits(some.values, gather(all.values, rows)));
    for (std::size_t t = 0; t < some_places.size(); ++t)
      EXPECT_EQ(some.terms[t].density, all.terms[t].density);
    for (std::size_t k = 0; k < rows.size(); ++k)
      EXPECT_EQ(some.values.row(k)[0], static_cast<float>(sample.X(rows[k], 1)));
  }
}

}  // namespace
}  // namespace dyad
