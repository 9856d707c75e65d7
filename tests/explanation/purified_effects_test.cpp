// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/purified_effects.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dyad/base/random.h"
#include "dyad/explanation/internal/anova.h"
#include "dyad/explanation/shapes.h"
#include "dyad/model/prediction.h"
#include "tests/explanation/models.h"
#include "tests/oracles.h"

namespace dyad {
namespace {

using test::ModelAndRows;

std::vector<ModelAndRows> models_with_pairs() {
  auto result = test::some_models();
  for (const auto& [what, n_classes] : {std::pair("all pairs", 2U), {"all pairs, three classes", 3U}}) {
    FitOptions options = preset_options(Preset::automatic);
    options.pairs = PairRule::count;
    options.n_pairs = 6;
    result.push_back(test::fitted_to(what, test::class_table(300, 4, n_classes, 8), options));
  }
  result.push_back(
      test::fitted_to("pairs of categories, numbers and gaps",
                      test::mixed_table({.n_rows = 300, .n_numbers = 2, .n_categories = 3, .missing = 0.1}),
                      {.method = Method::tan}));
  return result;
}

/// Rows of the model, then ones with values that were never met: beyond the numbers, or missing.
Matrix rows_and_strangers(const ModelAndRows& of) {
  constexpr std::size_t n_strangers = 30;
  Random random(3);
  Matrix X(of.X.n_rows + n_strangers, of.X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    std::ranges::copy(of.X.column(j), X.column(j).begin());
    for (std::size_t row = of.X.n_rows; row < X.n_rows; ++row) {
      X(row, j) = of.X(random.below(of.X.n_rows), j);
      if (random.below(4) == 0 && is_number(of.model, j)) X(row, j) = 20 * (random.uniform() - 0.5);
      if (random.below(5) == 0 && of.model.engine == Engine::counts) X(row, j) = std::nan("");
    }
  }
  return X;
}

void expect_to_add_up(const Model& model, const Matrix& X) {
  const PurifiedEffects purified = purified_effects(model);
  const Matrix expected = scores(model, X);
  const auto values = effect_values(model, purified, X);
  for (std::size_t row = 0; row < X.n_rows; ++row) {
    double mean = 0;
    for (std::size_t k = 0; purified.is_centred && k < expected.n_cols; ++k)
      mean += expected(row, k) / static_cast<double>(expected.n_cols);
    for (std::size_t k = 0; k < expected.n_cols; ++k) {
      double sum = purified.baselines[k];
      double size = std::abs(sum) + std::abs(mean) + 1;
      for (const double value : {sum, expected(row, k)}) size += std::abs(value);
      for (std::size_t e = 0; e < purified.effects.size(); ++e) {
        sum += values[k](row, e);
        size += std::abs(values[k](row, e));
      }
      ASSERT_NEAR(sum, expected(row, k) - mean, 1e-9 * size) << "row " << row;
    }
  }
}

TEST(PurifiedEffects, AddUpToTheScoreWhateverTheRow) {
  for (const ModelAndRows& of : models_with_pairs()) {
    SCOPED_TRACE(of.what);
    expect_to_add_up(of.model, rows_and_strangers(of));
  }
}

TEST(PurifiedEffects, AreThoseOfDensitiesIfRowsWereNotCounted) {
  for (ModelAndRows& of : models_with_pairs()) {
    SCOPED_TRACE(of.what);
    EXPECT_TRUE(purified_effects(of.model).is_by_rows);
    of.model.row_counts = {};
    EXPECT_FALSE(purified_effects(of.model).is_by_rows);
    expect_to_add_up(of.model, rows_and_strangers(of));
  }
}

TEST(PurifiedEffects, OfTheSameModelByRowsAndByDensitiesAreMuchAlike) {
  Table table = test::class_table(2000, 3, 2, 8);
  FitOptions options = preset_options(Preset::automatic);
  options.pairs = PairRule::count;
  options.n_pairs = 3;
  ModelAndRows of = test::fitted_to("all pairs", table, options);
  const PurifiedEffects by_rows = purified_effects(of.model);
  of.model.row_counts = {};
  const PurifiedEffects by_densities = purified_effects(of.model);
  double largest = 0;
  for (const double size : by_rows.sizes.data) largest = std::max(largest, size);
  for (std::size_t e = 0; e < by_rows.effects.size(); ++e)
    EXPECT_NEAR(by_rows.sizes(0, e), by_densities.sizes(0, e), 0.1 * largest) << e;
}

/// The values at the places of a feature as tables have them.
std::vector<double> values_at_places(const Model& model, const FeatureCounts& counts, std::size_t feature) {
  std::vector<double> values;
  for (const double z : counts.nodes)
    values.push_back(model.coordinates.empty() ? z : inverse(model.coordinates[feature], z));
  const std::size_t n_known = counts.rows.size() - (counts.has_missing ? 1 : 0);
  while (values.size() < n_known) values.push_back(static_cast<double>(values.size()));
  if (counts.has_missing) values.push_back(std::nan(""));
  return values;
}

TEST(PurifiedEffects, OfPairsHaveTheMeanZeroAtEachPlaceOfEitherFeature) {
  int n_pairs = 0;
  for (const ModelAndRows& of : models_with_pairs()) {
    SCOPED_TRACE(of.what);
    const PurifiedEffects purified = purified_effects(of.model);
    for (const PairRows& pair : purified.counts.pairs) {
      ++n_pairs;
      const auto x = values_at_places(of.model, purified.counts.features[pair.i], pair.i);
      const auto y = values_at_places(of.model, purified.counts.features[pair.j], pair.j);
      const Matrix surface = effect_surface(of.model, purified, pair.i, pair.j, x, y);
      const auto count = [&](std::size_t a, std::size_t b) {
        return static_cast<double>(pair.rows[a * y.size() + b]);
      };
      for (std::size_t k = 0; k < surface.n_cols; ++k) {
        std::vector<double> of_x(x.size());
        std::vector<double> of_y(y.size());
        std::vector<double> n_x(x.size());
        std::vector<double> n_y(y.size());
        double squares = 0;
        double n = 0;
        for (std::size_t a = 0; a < x.size(); ++a)
          for (std::size_t b = 0; b < y.size(); ++b) {
            const double value = surface(a * y.size() + b, k);
            of_x[a] += count(a, b) * value;
            of_y[b] += count(a, b) * value;
            n_x[a] += count(a, b);
            n_y[b] += count(a, b);
            squares += count(a, b) * value * value;
            n += count(a, b);
          }
        const double spread = std::sqrt(squares / n);
        for (std::size_t a = 0; a < x.size(); ++a)
          EXPECT_NEAR(of_x[a], 0, n_x[a] * (0.01 * spread + 1e-9)) << pair.i << " " << pair.j;
        for (std::size_t b = 0; b < y.size(); ++b)
          EXPECT_NEAR(of_y[b], 0, n_y[b] * (0.01 * spread + 1e-9)) << pair.i << " " << pair.j;
      }
    }
  }
  EXPECT_GT(n_pairs, 20);
}

TEST(PurifiedEffects, OfFeaturesHaveTheMeanZeroOverTheRows) {
  for (const ModelAndRows& of : models_with_pairs()) {
    SCOPED_TRACE(of.what);
    const PurifiedEffects purified = purified_effects(of.model);
    for (std::size_t e = 0; e < purified.effects.size(); ++e) {
      const std::size_t j = purified.effects[e].i;
      if (purified.effects[e].is_pair()) continue;
      const FeatureCounts& counts = purified.counts.features[j];
      const Matrix curve = effect_curve(of.model, purified, j, values_at_places(of.model, counts, j));
      for (std::size_t k = 0; k < curve.n_cols; ++k) {
        double sum = 0;
        double sizes = 0;
        double n = 0;
        for (std::size_t place = 0; place < counts.rows.size(); ++place) {
          const auto rows = static_cast<double>(counts.rows[place]);
          sum += rows * curve(place, k);
          sizes += rows * std::abs(curve(place, k));
          n += rows;
        }
        EXPECT_NEAR(sum / n, 0, 1e-6 * (1 + sizes / n));
        EXPECT_NEAR(sizes / n, purified.sizes(k, e), 1e-6 * (1 + sizes / n));
      }
    }
  }
}

TEST(PurifiedEffects, CurvesAndSurfacesAreTheEffectsOfRows) {
  for (const ModelAndRows& of : models_with_pairs()) {
    SCOPED_TRACE(of.what);
    const PurifiedEffects purified = purified_effects(of.model);
    const auto values = effect_values(of.model, purified, of.X);
    for (std::size_t e = 0; e < purified.effects.size(); ++e) {
      const auto [i, j] = std::pair(purified.effects[e].i, purified.effects[e].j);
      const double x = of.X(7, i);
      const double y = of.X(7, j);
      if (std::isnan(x) || std::isnan(y)) continue;
      const Matrix at = i == j ? effect_curve(of.model, purified, i, {&x, 1})
                               : effect_surface(of.model, purified, i, j, {&x, 1}, {&y, 1});
      for (std::size_t k = 0; k < at.n_cols; ++k)
        EXPECT_NEAR(at(0, k), values[k](7, e), 1e-9 * (1 + std::abs(at(0, k))));
    }
  }
}

TEST(PurifiedEffects, OfSoftmaxHaveTheMeanZeroOverClasses) {
  int n_centred = 0;
  for (const ModelAndRows& of : models_with_pairs()) {
    const PurifiedEffects purified = purified_effects(of.model);
    if (!purified.is_centred) continue;
    ++n_centred;
    EXPECT_GT(of.model.n_scores(), 1U);
    const auto values = effect_values(of.model, purified, of.X);
    for (std::size_t e = 0; e < purified.effects.size(); ++e) {
      double sum = 0;
      double size = 1;
      for (const Matrix& of_score : values) {
        sum += of_score(5, e);
        size += std::abs(of_score(5, e));
      }
      EXPECT_NEAR(sum, 0, 1e-12 * size);
    }
  }
  EXPECT_GT(n_centred, 0);
}

TEST(PurifiedEffects, GiveThePartOfOneFeatureToItAlone) {
  // The classes differ in the first feature alone: what its pairs say of it becomes its own effect.
  Random random(4);
  Table table = test::class_table(2000, 3, 2, 9);
  for (std::size_t i = 0; i < table.n_rows; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      auto& values = std::get<NumericColumn>(table.features[j].data).values;
      values[i] = random.normal() + (j == 0 ? 1.5 * table.labels.codes[i] : 0);
    }
  FitOptions options = preset_options(Preset::automatic);
  options.pairs = PairRule::count;
  options.n_pairs = 3;
  const ModelAndRows of = test::fitted_to("one feature", table, options);
  const PurifiedEffects purified = purified_effects(of.model);
  for (std::size_t e = 1; e < purified.effects.size(); ++e)
    EXPECT_LT(purified.sizes(0, e), 0.25 * purified.sizes(0, 0)) << e;
}

TEST(PurifiedEffects, AreTheSameForAnyNumberOfThreads) {
  const ModelAndRows of = models_with_pairs()[6];
  const PurifiedEffects one = purified_effects(of.model, Execution{.threads = 1});
  const PurifiedEffects three = purified_effects(of.model, Execution{.threads = 3});
  EXPECT_EQ(one.baselines, three.baselines);
  for (std::size_t e = 0; e < one.effects.size(); ++e) EXPECT_EQ(one.shifts[e].data, three.shifts[e].data);
}

// --- the analysis of variance ---

TEST(TwoWay, IsWhatBackfittingConvergesTo) {
  Random random(1);
  for (const auto& [n_x, n_y] : {std::pair<std::size_t, std::size_t>{3, 4}, {1, 5}, {7, 2}}) {
    std::vector<std::uint64_t> rows(n_x * n_y);
    for (auto& count : rows) count = random.below(3) == 0 ? 0 : random.below(20);
    Matrix f(n_x * n_y, 2);
    for (double& value : f.data) value = random.normal();
    const auto found = internal::two_way(rows, n_x, f);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto expected = oracle::backfitted(rows, n_x, f.column(k));
      for (std::size_t x = 0; x < n_x; ++x)
        for (std::size_t y = 0; y < n_y; ++y) {
          if (rows[x * n_y + y] == 0) continue;
          EXPECT_NEAR(found.a(x, k) + found.b(y, k), expected[x * n_y + y], 1e-9);
        }
    }
  }
}

TEST(TwoWay, TakesTablesInPartsThatDoNotTouch) {
  const std::vector<std::uint64_t> rows{5, 0, 0, 3};  // each value of x has a value of y of its own
  Matrix f(4, 1);
  f.data = {2, 7, 9, -1};
  const auto found = internal::two_way(rows, 2, f);
  EXPECT_NEAR(found.a(0, 0) + found.b(0, 0), 2, 1e-12);
  EXPECT_NEAR(found.a(1, 0) + found.b(1, 0), -1, 1e-12);
}

TEST(PurifiedEffects, KnowTheCellsThatHaveTrainingRows) {
  std::size_t n_cells = 0;
  std::size_t n_without = 0;
  for (const ModelAndRows& of : models_with_pairs()) {
    SCOPED_TRACE(of.what);
    const PurifiedEffects purified = purified_effects(of.model);
    for (const PairRows& pair : purified.counts.pairs) {
      const auto x = points_of(of.model, pair.i, 33);
      const auto y = points_of(of.model, pair.j, 33);
      const auto cells = cells_with_rows(of.model, purified, pair.i, pair.j, x, y);
      const auto at_x = positions_among(of.model, pair.i, x, of.X.column(pair.i));
      const auto at_y = positions_among(of.model, pair.j, y, of.X.column(pair.j));
      const auto cell_of = [](double position, std::size_t n) {
        return static_cast<std::size_t>(std::clamp(std::round(position), 0.0, static_cast<double>(n - 1)));
      };
      std::size_t n_outside = 0;
      for (std::size_t row = 0; row < of.X.n_rows; ++row)
        if (!cells[cell_of(at_x[row], x.size()) * y.size() + cell_of(at_y[row], y.size())]) ++n_outside;
      EXPECT_EQ(n_outside, 0U);
      n_cells += cells.size();
      n_without += static_cast<std::size_t>(std::ranges::count(cells, false));
    }
  }
  EXPECT_GT(n_without, n_cells / 20);
}

}  // namespace
}  // namespace dyad
