// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/exact_terms.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dyad/data/folds.h"
#include "dyad/data/summary.h"
#include "tests/model_samples.h"
#include "tests/oracles.h"
#include "tests/recipes.h"

namespace dyad {
namespace {

using test::expect_close;

const std::vector<TermKey> keys{{0, 0, 0}, {1, 2, 2}, {0, 0, 1}, {1, 0, 2}};  // NOLINT(cert-err58-cpp)

std::vector<double> class_column(const LabelledSample& sample, std::int32_t code, std::size_t j,
                                 const std::vector<std::size_t>& rows) {
  std::vector<double> x;
  for (const std::size_t i : rows)
    if (sample.y[i] == code) x.push_back(sample.X(i, j));
  return x;
}

/// log density of `row` from kernels at `rows`, bandwidth from `bandwidth_rows`, by the definition.
double oracle_value(const LabelledSample& sample, const TermKey& place, std::size_t row,
                    const std::vector<std::size_t>& rows, const std::vector<std::size_t>& bandwidth_rows) {
  const auto x = class_column(sample, place.class_code, place.i, rows);
  const auto bandwidth_x = class_column(sample, place.class_code, place.i, bandwidth_rows);
  if (place.i == place.j)
    return std::log(
        oracle::density_1d(x, bandwidth_1d(bandwidth_x, BandwidthRule::plug_in), sample.X(row, place.i)));
  const auto y = class_column(sample, place.class_code, place.j, rows);
  const auto bandwidth_y = class_column(sample, place.class_code, place.j, bandwidth_rows);
  const Symmetric2 H = bandwidth_2d(bandwidth_x, bandwidth_y, BandwidthRule::plug_in);
  return std::log(oracle::density_2d(x, y, H, sample.X(row, place.i), sample.X(row, place.j)));
}

std::vector<std::size_t> all_rows(const LabelledSample& sample) {
  std::vector<std::size_t> rows(sample.n_rows());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  return rows;
}

TrainingFeatures features_of(const LabelledSample& sample, FeatureMode mode) {
  FitReport report;
  return training_features(
      sample, keys, TermOptions{.floor = 1e-300, .feature_mode = mode, .cross_fit_folds = 3, .seed = 4}, {},
      report);
}

TEST(Features, OfResubstitutionUseAllRowsOfTheClass) {
  const LabelledSample sample = test::class_sample(40, 3, 2, 1);
  const auto rows = all_rows(sample);
  const TrainingFeatures features = features_of(sample, FeatureMode::resubstitution);
  EXPECT_EQ(features.rows, rows);
  for (std::size_t t = 0; t < keys.size(); ++t)
    for (const std::size_t i : rows)
      expect_close(features.values(i, t), oracle_value(sample, keys[t], i, rows, rows), 1e-10);
}

TEST(Features, OfLeaveOneOutDropTheRowsOwnKernel) {
  const LabelledSample sample = test::class_sample(40, 3, 2, 1);
  const auto rows = all_rows(sample);
  const TrainingFeatures features = features_of(sample, FeatureMode::leave_one_out);
  for (std::size_t t = 0; t < keys.size(); ++t)
    for (const std::size_t i : rows) {
      auto others = rows;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      expect_close(features.values(i, t), oracle_value(sample, keys[t], i, others, rows), 1e-10);
    }
}

TEST(Features, OfCrossFitUseTheOtherFolds) {
  const LabelledSample sample = test::class_sample(40, 3, 2, 1);
  const auto folds = stratified_folds(sample.y, 3, 4);
  const TrainingFeatures features = features_of(sample, FeatureMode::cross_fit);
  for (std::size_t t = 0; t < keys.size(); ++t)
    for (std::size_t i = 0; i < 40; ++i) {
      const auto others = split_at(folds, folds[i]).outside;
      expect_close(features.values(i, t), oracle_value(sample, keys[t], i, others, others), 1e-10);
    }
  // New rows meet the densities of all rows.
  const Matrix fresh = term_values(features.terms, sample.X);
  expect_close(fresh(5, 2), oracle_value(sample, keys[2], 5, all_rows(sample), all_rows(sample)), 1e-10);
}

TEST(Features, OfSplitUseOneHalfForTheOther) {
  const LabelledSample sample = test::class_sample(40, 3, 2, 1);
  const Split halves = split_at(stratified_folds(sample.y, 2, 4), 0);
  const TrainingFeatures features = features_of(sample, FeatureMode::split);
  EXPECT_EQ(features.rows, halves.outside);
  for (std::size_t t = 0; t < keys.size(); ++t)
    for (std::size_t k = 0; k < features.rows.size(); ++k)
      expect_close(features.values(k, t),
                   oracle_value(sample, keys[t], features.rows[k], halves.inside, halves.inside), 1e-10);
}

TEST(Features, HaveAFloorInUnitsOfTheStandardDeviation) {
  for (const double factor : {1.0, 1e6}) {
    LabelledSample sample = test::class_sample(40, 3, 2, 1);
    for (double& value : sample.X.data) value *= factor;
    const auto terms = fit_terms(sample, keys, TermOptions{.floor = 1e-8}, {});
    Matrix far(1, 3);
    for (std::size_t j = 0; j < 3; ++j) far(0, j) = 1e5 * factor;
    const Matrix values = term_values(terms, far);
    const auto log_sd = [&](std::size_t j) { return std::log(positive_spread(sample.X.column(j))); };
    expect_close(values(0, 0), std::log(1e-8) - log_sd(0), 1e-12);
    expect_close(values(0, 2), std::log(1e-8) - log_sd(0) - log_sd(1), 1e-12);
  }
}

TEST(Features, OfPseudoRowsCountThemBesideTheOtherRows) {
  const LabelledSample sample = test::class_sample(40, 3, 2, 1);
  const auto rows = all_rows(sample);
  for (const FeatureMode mode : {FeatureMode::resubstitution, FeatureMode::leave_one_out}) {
    FitReport report;
    const TrainingFeatures features = training_features(
        sample, keys, TermOptions{.prior_rows = 2.5, .floor = 1e-300, .feature_mode = mode}, {}, report);
    for (std::size_t t = 0; t < keys.size(); ++t)
      for (const std::size_t i : rows) {
        const TermKey& place = keys[t];
        auto others = rows;
        if (mode == FeatureMode::leave_one_out) others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
        const auto n = static_cast<double>(class_column(sample, place.class_code, 0, others).size());
        std::vector<double> point{sample.X(i, place.i)};
        if (place.is_pair()) point.push_back(sample.X(i, place.j));
        expect_close(features.values(i, t),
                     oracle::with_pseudo_rows(n, 2.5, point, oracle_value(sample, place, i, others, rows)),
                     1e-10);
      }
  }
}

}  // namespace
}  // namespace dyad
