// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/level_terms.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dyad/base/gather.h"
#include "dyad/data/folds.h"
#include "dyad/density/counts_bandwidth.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/terms/term_densities.h"
#include "tests/model_samples.h"
#include "tests/oracles.h"
#include "tests/recipes.h"
#include "tests/shapes.h"

namespace dyad::internal {
namespace {

/// Three numbers, the second and third with gaps, and two categories, the second with gaps.
LabelledSample sample_with_levels(std::size_t n, std::uint64_t seed = 1) {
  LabelledSample sample = test::mixed_sample(
      {.n_rows = n, .n_numbers = 3, .n_categories = 2, .n_classes = 2, .missing = 0.2, .seed = seed});
  const LabelledSample complete =
      test::mixed_sample({.n_rows = n, .n_numbers = 3, .n_categories = 2, .n_classes = 2, .seed = seed});
  for (const std::size_t j : {0U, 3U}) std::ranges::copy(complete.X.column(j), sample.X.column(j).begin());
  return sample;
}

struct NamedPlace {
  std::string name;
  TermKey place;
};
const std::vector<NamedPlace> all_places{// NOLINT(cert-err58-cpp)
                                         {"number with gaps", {1, 1, 1}},
                                         {"category", {0, 3, 3}},
                                         {"category with gaps", {1, 4, 4}},
                                         {"number and number with gaps", {0, 0, 1}},
                                         {"two numbers with gaps", {1, 1, 2}},
                                         {"number and category", {0, 0, 3}},
                                         {"number with gaps and category with gaps", {1, 2, 4}},
                                         {"two categories", {0, 3, 4}}};

double plug_in_h(oracle::Sample x) { return counts_bandwidth_1d(x, BandwidthRule::plug_in); }
Symmetric2 plug_in_H(oracle::Sample x, oracle::Sample y) {
  return counts_bandwidth_2d(x, y, BandwidthRule::plug_in);
}

/// The rows of a term's class at the given places in the sample.
oracle::LevelRows level_rows(const TermContext& context, const TermKey& place,
                             std::span<const std::size_t> rows) {
  oracle::LevelRows result{.number_x = context.stats.axes[place.i].is_number,
                           .number_y = place.is_pair() && context.stats.axes[place.j].is_number,
                           .level_rows = context.options.level_rows,
                           .prior_rows = context.options.prior_rows,
                           .h_1d = plug_in_h,
                           .H_2d = plug_in_H};
  result.x = gather(context.sample.X.column(place.i), rows);
  result.y = place.is_pair() ? gather(context.sample.X.column(place.j), rows)
                             : std::vector<double>(rows.size(), 0.0);
  // A feature alone has one density of all its numbers.
  if (!place.is_pair()) result.fewest = INFINITY;
  return result;
}

/// The share of the levels of row `at` in the given rows, by weight 1 each.
double share_of(const TermContext& context, const TermKey& place, std::span<const std::size_t> rows,
                std::size_t at) {
  const auto prior = [&](std::size_t j) {
    const LevelAxis& axis = context.stats.axes[j];
    std::vector<double> shares(axis.n_levels);
    const auto column = context.sample.X.column(j);
    for (const double value : column) shares[axis.level(value)] += 1 / static_cast<double>(column.size());
    return shares;
  };
  const auto prior_x = prior(place.i);
  const auto prior_y = place.is_pair() ? prior(place.j) : std::vector<double>{1};
  oracle::Grid counts(prior_x.size(), std::vector<double>(prior_y.size()));
  const auto level = [&](std::size_t row, std::size_t j) {
    return context.stats.axes[j].level(context.sample.X(row, j));
  };
  for (const std::size_t row : rows)
    counts[level(row, place.i)][place.is_pair() ? level(row, place.j) : 0] += 1;
  return oracle::level_share(counts, prior_x, prior_y, context.options.level_rows, level(at, place.i),
                             place.is_pair() ? level(at, place.j) : 0);
}

/// Errors of tables of two bytes a node, and of nodes: as those of numbers alone.
void expect_log_densities(std::span<const double> actual, std::span<const double> expected,
                          const std::string& what) {
  const double top = *std::ranges::max_element(expected);
  std::vector<double> near_actual;
  std::vector<double> near_expected;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    ASSERT_TRUE(std::isfinite(actual[i])) << what;
    if (expected[i] <= top - 10) continue;
    near_actual.push_back(actual[i]);
    near_expected.push_back(expected[i]);
  }
  ASSERT_GT(2 * near_actual.size(), actual.size()) << what;
  test::expect_small_errors(test::sorted_errors(near_actual, near_expected), 0.01, 0.05, what);
}

FitOptions options_of(double level_rows, double prior_rows) {
  FitOptions options = preset_options(Preset::automatic);
  options.bandwidth = BandwidthRule::plug_in;
  options.level_rows = level_rows;
  options.prior_rows = prior_rows;
  return options;
}

std::vector<std::size_t> all_rows(const LabelledSample& sample) {
  std::vector<std::size_t> rows(sample.n_rows());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

std::vector<double> values_by(const FittedLevels& fitted, const TermContext& context, const TermKey& place,
                              LeftOut left_out) {
  const auto rows = all_rows(context.sample);
  std::vector<bool> own;
  for (const std::size_t row : rows) own.push_back(context.sample.y[row] == place.class_code);
  std::vector<double> values(rows.size());
  level_values(fitted, context, place, {rows, own}, left_out, values);
  return values;
}

class LevelTermsWith : public testing::TestWithParam<std::tuple<double, double>> {
 protected:
  /// Compares all terms with the definition. The shares of row i rest on `share_rows(context, rows of the
  /// class, i)`.
  template <class ShareRows>
  static void expect_definition(LeftOut left_out, const ShareRows& share_rows) {
    const auto [level, prior] = GetParam();
    const LabelledSample sample = sample_with_levels(300);
    const FitOptions options = options_of(level, prior);
    const TermContext context = make_context(sample, options, {});
    ASSERT_EQ(context.stats.n_level_folds, 10U);
    for (const auto& [name, place] : all_places) {
      const FittedLevels fitted = smooth_levels(bin_levels(context, place), context, place);
      EXPECT_EQ(fitted.n_rows, 150) << name;
      const auto& rows = context.class_of(place).rows;
      const oracle::LevelRows own_rows = level_rows(context, place, rows);
      std::vector<double> expected;
      for (std::size_t i = 0; i < sample.n_rows(); ++i) {
        const double y = place.is_pair() ? sample.X(i, place.j) : 0;
        const auto own = static_cast<std::size_t>(std::ranges::find(rows, i) - rows.begin());
        const std::size_t skipped = left_out == LeftOut::nothing ? rows.size() : own;
        expected.push_back(std::log(share_of(context, place, share_rows(context, rows, i), i) *
                                    oracle::density_in_levels(own_rows, sample.X(i, place.i), y, skipped)));
      }
      std::ranges::replace(expected, -INFINITY, -1e9);  // a share of 0
      expect_log_densities(values_by(fitted, context, place, left_out), expected, name);
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Rows, LevelTermsWith,
                         testing::Combine(testing::Values(0.0, 10.0), testing::Values(0.0, 2.0)));

TEST_P(LevelTermsWith, OfAllRowsAreTheDefinition) {
  expect_definition(LeftOut::nothing, [](const auto&, const auto& rows, std::size_t) { return rows; });
}

TEST_P(LevelTermsWith, LeaveOutTheRowOfNumbersAndItsFoldOfShares) {
  expect_definition(LeftOut::row_and_fold, [](const TermContext& context, auto rows, std::size_t i) {
    const auto& folds = context.stats.level_folds;
    std::erase_if(rows, [&](std::size_t row) { return folds[row] == folds[i]; });
    return rows;
  });
}

TEST_P(LevelTermsWith, LeaveOutTheRowAlone) {
  expect_definition(LeftOut::row, [](const auto&, auto rows, std::size_t i) {
    std::erase(rows, i);
    return rows;
  });
}

TEST(LevelTerms, WithoutSomeRowsHaveTheSharesOfTheOthers) {
  const LabelledSample sample = sample_with_levels(300);
  const FitOptions options = options_of(10, 2);
  const TermContext context = make_context(sample, options, {});
  for (const auto& [name, place] : all_places) {
    const auto& rows = context.class_of(place).rows;
    std::vector<std::size_t> left_out;
    std::vector<std::size_t> others;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      if (k % 3 == 0)
        left_out.push_back(k);
      else
        others.push_back(rows[k]);
    }
    const FittedLevels fitted = smooth_levels(bin_levels(context, place), context, place, left_out);
    EXPECT_EQ(fitted.n_rows, static_cast<double>(others.size())) << name;
    const LevelDensity& density = fitted.grid;
    for (std::size_t i = 0; i < sample.n_rows(); ++i) {
      const std::size_t b = place.is_pair() ? density.y.level(sample.X(i, place.j)) : 0;
      const std::size_t cell = density.x.level(sample.X(i, place.i)) * density.y.n_levels + b;
      EXPECT_NEAR(density.log_shares[cell], std::log(share_of(context, place, others, i)), 1e-12) << name;
      std::vector<std::size_t> other_folds;
      for (const std::size_t row : others)
        if (context.stats.level_folds[row] != context.stats.level_folds[i]) other_folds.push_back(row);
      EXPECT_NEAR(fitted.log_shares_without[context.stats.level_folds[i]][cell],
                  std::log(share_of(context, place, other_folds, i)), 1e-12)
          << name;
    }
  }
}

TEST(LevelTerms, WithoutSomeRowsHaveTheDensitiesOfTheOthers) {
  // As for numbers alone, folds scale the bandwidths of all rows, where a new fit finds new ones.
  const LabelledSample sample = sample_with_levels(600);
  const FitOptions options = options_of(10, 2);
  const TermContext context = make_context(sample, options, {});
  std::vector<std::size_t> kept;
  std::vector<std::vector<std::size_t>> left_out(2);
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t k = 0; k < context.classes[c].rows.size(); ++k) {
      if (k % 5 == 0)
        left_out[c].push_back(k);
      else
        kept.push_back(context.classes[c].rows[k]);
    }
  std::ranges::sort(kept);
  const LabelledSample rest = rows_of(sample, kept);
  const TermContext rest_ground = make_context(rest, options, {});
  for (const auto& [name, place] : all_places) {
    const auto without = smooth_levels(bin_levels(context, place), context, place,
                                       left_out[static_cast<std::size_t>(place.class_code)]);
    const auto fresh = smooth_levels(bin_levels(rest_ground, place), rest_ground, place);
    const auto x = sample.X.column(place.i);
    const auto y = sample.X.column(place.j);
    std::vector<double> actual(x.size());
    std::vector<double> expected(x.size());
    log_density(without.grid, x, y, actual);
    log_density(fresh.grid, x, y, expected);
    test::expect_small_errors(test::sorted_errors(actual, expected), 0.1, 1.1, name);
  }
}

TEST(LevelTerms, WithoutAllRowsOfALevelHaveNoDensityOfIt) {
  const LabelledSample sample = sample_with_levels(200);
  const FitOptions options = options_of(10, 2);
  const TermContext context = make_context(sample, options, {});
  const TermKey place{0, 0, 3};
  const auto& rows = context.class_of(place).rows;
  std::vector<std::size_t> left_out;
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (sample.X(rows[k], 3) == 2) left_out.push_back(k);
  const FittedLevels fitted = smooth_levels(bin_levels(context, place), context, place, left_out);
  EXPECT_EQ(fitted.grid.cells[2], LevelDensity::none);
  ASSERT_EQ(fitted.parts.size(), fitted.grid.parts.size());
  for (const std::size_t cell : {0U, 1U, 3U}) EXPECT_LT(fitted.grid.cells[cell], fitted.parts.size());
  // Number and level are independent there: only the class's own density of the number is left.
  std::vector<double> values(3);
  log_density(fitted.grid, std::vector<double>{-1, 0, 1}, std::vector<double>{2, 2, 2}, values);
  const NumberDensity& margin = fitted.grid.parts[fitted.grid.margin_x];
  std::vector<double> expected(3);
  log_density(std::get<Grid1d>(margin.density), std::vector<double>{-1, 0, 1}, expected);
  const double n = margin.n_rows;
  EXPECT_EQ(n, static_cast<double>(rows.size() - left_out.size()));
  for (std::size_t k = 0; k < 3; ++k) {
    const std::vector<double> point{static_cast<double>(k) - 1};
    EXPECT_NEAR(values[k], fitted.grid.log_shares[2] + oracle::with_pseudo_rows(n, 2, point, expected[k]),
                1e-9);
  }
}

TEST(LevelTerms, OfTrainingRowsAreThoseOfTheTermsWithoutLeavingOut) {
  const LabelledSample sample = sample_with_levels(200);
  FitOptions options = options_of(10, 0);
  options.feature_mode = FeatureMode::resubstitution;
  std::vector<TermKey> places;
  for (const auto& [name, place] : all_places) places.push_back(place);
  FitReport report;
  const CountsFeatures features = counts_training_features(sample, places, options, {}, report);
  const Matrix expected = term_values(features.terms, sample.X);
  for (std::size_t t = 0; t < places.size(); ++t)
    for (std::size_t i = 0; i < sample.n_rows(); ++i)
      EXPECT_NEAR(static_cast<double>(features.values.row(i)[t]), expected(i, t), 1e-4) << all_places[t].name;
}

TEST(LevelTerms, OfASplitAreThoseOfTheTerms) {
  // The gaps are all in rows that weights are fitted to, then all in the others, or in both.
  LabelledSample sample = sample_with_levels(200);
  FitOptions options = options_of(10, 2);
  options.feature_mode = FeatureMode::split;
  const RowSplit halves = row_split(sample, options);
  std::vector<TermKey> places;
  for (const auto& [name, place] : all_places) places.push_back(place);
  places.push_back({0, 0, 0});
  for (const auto& [name, rows] :
       {std::pair{"weights", halves.weight_rows}, {"densities", halves.density_rows}}) {
    LabelledSample some_gaps = sample;
    for (const std::size_t j : {0U, 1U, 2U, 3U, 4U})
      for (std::size_t i = 0; i < sample.n_rows(); ++i) {
        const bool here = std::ranges::binary_search(rows, i) && i % 7 < 2;
        some_gaps.X(i, j) = here                         ? std::numeric_limits<double>::quiet_NaN()
                            : std::isnan(sample.X(i, j)) ? 0
                                                         : sample.X(i, j);
      }
    FitReport report;
    const CountsFeatures features = counts_training_features(some_gaps, places, options, {}, report);
    ASSERT_EQ(features.rows, halves.weight_rows);
    const Matrix expected = term_values(features.terms, rows_of(some_gaps, features.rows).X);
    for (std::size_t t = 0; t < places.size(); ++t)
      for (std::size_t k = 0; k < features.rows.size(); ++k)
        EXPECT_NEAR(static_cast<double>(features.values.row(k)[t]), expected(k, t), 1e-4)
            << name << ", term " << t << ", row " << k;
  }
}

}  // namespace
}  // namespace dyad::internal
