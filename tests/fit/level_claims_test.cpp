// The cost and the worth of categories and missing values in predictions of held-out rows.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dyad/evaluation/cross_validation.h"
#include "dyad/fit/fit.h"
#include "dyad/model/prediction.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

CrossValidation validated(const LabelledSample& sample, Method method) {
  return cross_validate(sample, {.folds = 5, .fit = preset_options(Preset::automatic, method)});
}

double balanced_error(const LabelledSample& sample, Method method) {
  return validated(sample, method).mean(&FoldResult::ber);
}

/// Another column of codes, one level a row or so many in all.
LabelledSample with_codes(const LabelledSample& sample, std::size_t n_levels) {
  LabelledSample result = sample;
  const std::size_t n = sample.n_rows();
  result.X = Matrix(n, sample.n_features() + 1);
  std::ranges::copy(sample.X.data, result.X.data.begin());
  for (std::size_t i = 0; i < n; ++i)
    result.X(i, sample.n_features()) = static_cast<double>(i * 7 % n_levels);
  result.levels.resize(sample.n_features() + 1);
  for (std::size_t k = 0; k < n_levels; ++k)
    result.levels.back().names.push_back("id " + std::to_string(100000 + k));
  return result;
}

class LevelsOfNoise : public testing::TestWithParam<Method> {};
INSTANTIATE_TEST_SUITE_P(SlowMethod, LevelsOfNoise, testing::Values(Method::slb, Method::lu));

TEST_P(LevelsOfNoise, DoNotTellTheClass) {
  for (const double missing : {0.0, 0.2}) {
    double ber = 0;
    double log_loss = 0;
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U}) {
      const CrossValidation cv = validated(test::mixed_sample({.n_rows = 300,
                                                               .n_numbers = 0,
                                                               .n_categories = 10,
                                                               .n_levels = 5,
                                                               .signal = 0,
                                                               .missing = missing,
                                                               .seed = seed}),
                                           GetParam());
      ber += cv.mean(&FoldResult::ber) / 4;
      log_loss += cv.mean(&FoldResult::log_loss) / 4;
    }
    EXPECT_GE(ber, 0.45) << missing;
    EXPECT_LE(ber, 0.55) << missing;
    EXPECT_LE(log_loss, 0.75) << missing;
  }
}

TEST_P(LevelsOfNoise, OfManyLevelsDoNotTellTheClass) {
  const LabelledSample sample = test::mixed_sample(
      {.n_rows = 300, .n_numbers = 2, .n_categories = 8, .n_levels = 40, .signal = 0, .seed = 3});
  const CrossValidation cv = validated(sample, GetParam());
  EXPECT_GE(cv.mean(&FoldResult::ber), 0.4);
  EXPECT_LE(cv.mean(&FoldResult::ber), 0.6);
  EXPECT_LE(cv.mean(&FoldResult::log_loss), 0.75);
}

TEST_P(LevelsOfNoise, OneForEachRowDoNoHarm) {
  for (const double signal : {0.0, 0.3}) {
    double ber = 0;
    double log_loss = 0;
    for (const std::uint64_t seed : {4U, 5U, 6U}) {
      const LabelledSample sample = test::mixed_sample(
          {.n_rows = 300, .n_numbers = 2, .n_categories = 3, .signal = signal, .seed = seed});
      const CrossValidation without = validated(sample, GetParam());
      const CrossValidation with = validated(with_codes(sample, 300), GetParam());
      ber += (with.mean(&FoldResult::ber) - without.mean(&FoldResult::ber)) / 3;
      log_loss += (with.mean(&FoldResult::log_loss) - without.mean(&FoldResult::log_loss)) / 3;
    }
    EXPECT_LE(ber, 0.03) << signal;
    EXPECT_LE(log_loss, 0.03) << signal;
  }
}

TEST(LevelsWithoutSignal, DoNotTellTheClassOfNaiveBayesAndTrees) {
  const LabelledSample sample = test::mixed_sample(
      {.n_rows = 1000, .n_numbers = 0, .n_categories = 10, .n_levels = 5, .signal = 0, .seed = 1});
  for (const Method method : {Method::nb, Method::tan}) {
    const double ber = balanced_error(sample, method);
    EXPECT_GE(ber, 0.4);
    EXPECT_LE(ber, 0.6);
  }
}

/// 10 numbers and 5 categories that all tell of the same quantity, which tells of the class. A share of the
/// values of each class is missing.
LabelledSample redundant_sample(double missing_in_a, double missing_in_b) {
  constexpr std::size_t n = 1500;
  LabelledSample sample{Matrix(n, 15), {}, 2};
  sample.levels.resize(15);
  for (std::size_t j = 10; j < 15; ++j) sample.levels[j].names = {"p", "q", "r", "s", "t"};
  Random values(1);
  Random gaps(2);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = i % 2;
    sample.y.push_back(static_cast<std::int32_t>(c));
    const double quantity = values.normal() + 2 * static_cast<double>(c);
    for (std::size_t j = 0; j < 15; ++j) {
      const double seen = quantity + 0.5 * values.normal();
      // Neighbouring numbers have codes that are not neighbours.
      const double place = std::clamp(std::floor(seen + 1.5), 0.0, 4.0);
      const double value = j < 10 ? seen : std::fmod(2 * place, 5);
      const bool missing = gaps.uniform() < (c == 0 ? missing_in_a : missing_in_b);
      sample.X(i, j) = missing ? std::numeric_limits<double>::quiet_NaN() : value;
    }
  }
  return sample;
}

TEST(SlowGapsAtRandom, CostLittleWhereFeaturesSayTheSame) {
  const LabelledSample complete = redundant_sample(0, 0);
  const LabelledSample gaps = redundant_sample(0.2, 0.2);
  for (const Method method : {Method::slb, Method::lu, Method::nb}) {
    const double before = balanced_error(complete, method);
    // No classifier does much better: the quantity itself errs in 16 of 100 rows.
    EXPECT_GE(before, 0.13) << method_names[static_cast<std::size_t>(method)];
    EXPECT_LE(before, 0.2) << method_names[static_cast<std::size_t>(method)];
    EXPECT_LE(balanced_error(gaps, method), before + 0.02) << method_names[static_cast<std::size_t>(method)];
  }
}

TEST(SlowGapsOfOneClass, AreWorthMoreThanTheValues) {
  const LabelledSample complete = redundant_sample(0, 0);
  const LabelledSample gaps = redundant_sample(0.35, 0.05);
  for (const Method method : {Method::slb, Method::lu, Method::nb})
    EXPECT_LT(balanced_error(gaps, method), balanced_error(complete, method) - 0.05)
        << method_names[static_cast<std::size_t>(method)];
}

TEST(SlowManyLevels, ArePooledToASmallModel) {
  LabelledSample sample =
      test::mixed_sample({.n_rows = 20000, .n_numbers = 2, .n_categories = 1, .signal = 0.3, .seed = 6});
  sample = with_codes(sample, 10000);
  FitReport report;
  const Model model = fit(sample, preset_options(Preset::automatic), {}, report);
  ASSERT_EQ(model.levels.size(), 4U);
  EXPECT_EQ(model.levels[3].size(), 50U);
  EXPECT_TRUE(model.levels[3].has_others);
  std::size_t cells = 0;
  std::size_t parts = 0;
  for (const Term& term : model.terms)
    if (const auto* levels = std::get_if<LevelDensity>(&term.density)) {
      cells += levels->n_cells();
      parts += levels->parts.size();
    }
  EXPECT_GT(cells, 0U);
  // Two classes, one category of 4 levels and one of 50: with each other, with two numbers, alone.
  EXPECT_LE(cells, 2U * (4 + 50 + 200 + 2 * (4 + 50)));
  EXPECT_LE(parts, 2U * 2 * (4 + 50 + 2));
  Matrix X = sample.X;
  recode(X, sample.levels, model.levels);
  for (const double score : scores(model, X).data) ASSERT_TRUE(std::isfinite(score));
}

}  // namespace
}  // namespace dyad
