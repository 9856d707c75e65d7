// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/shapes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dyad/explanation/effects.h"
#include "dyad/io/model_file.h"
#include "dyad/model/prediction.h"
#include "tests/explanation/models.h"

namespace dyad {
namespace {

using test::ModelAndRows;

/// All rows whose values are complete or stand for missing ones that the model knows.
std::vector<std::size_t> known_rows(const ModelAndRows& of) {
  const auto gaps = features_with_missing(of.model);
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < of.X.n_rows; ++row) {
    bool known = true;
    for (std::size_t j = 0; j < of.X.n_cols; ++j)
      known = known && (!std::isnan(of.X(row, j)) || std::ranges::binary_search(gaps, j));
    if (known) rows.push_back(row);
  }
  return rows;
}

TEST(Shapes, OfAllEffectsAddUpToTheScores) {
  for (const ModelAndRows& of : test::some_models()) {
    SCOPED_TRACE(of.what);
    const Matrix expected = scores(of.model, of.X);
    for (const std::size_t row : known_rows(of)) {
      for (std::size_t k = 0; k < of.model.n_scores(); ++k) {
        double sum = of.model.intercepts[k];
        for (const Effect& effect : effects_of(of.model)) {
          const double x = of.X(row, effect.i);
          const double y = of.X(row, effect.j);
          sum += effect.is_pair() ? effect_surface(of.model, effect.i, effect.j, {&x, 1}, {&y, 1})(0, k)
                                  : effect_curve(of.model, effect.i, {&x, 1})(0, k);
        }
        EXPECT_NEAR(sum, expected(row, k), 1e-9 * (1 + std::abs(expected(row, k))));
      }
      if (row > 40) break;
    }
  }
}

TEST(Shapes, SurfacesRunAlongTheSecondFeatureFirst) {
  const ModelAndRows of = test::some_models()[4];
  const auto pair = std::ranges::find_if(of.model.terms, &Term::is_pair);
  ASSERT_NE(pair, of.model.terms.end());
  const std::vector<double> x{-1, 0.5};
  const std::vector<double> y{-0.5, 0, 1};
  const Matrix all = effect_surface(of.model, pair->i, pair->j, x, y);
  ASSERT_EQ(all.n_rows, 6);
  for (std::size_t a = 0; a < 2; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      EXPECT_EQ(all(a * 3 + b, 0), effect_surface(of.model, pair->i, pair->j, {&x[a], 1}, {&y[b], 1})(0, 0));
}

TEST(Shapes, LogDensitiesAreValuesOfTheTerms) {
  for (const ModelAndRows& of : test::some_models()) {
    SCOPED_TRACE(of.what);
    const Matrix values = term_values(of.model.terms, in_coordinates(of.model.coordinates, of.X));
    const std::size_t row = known_rows(of)[3];
    for (std::size_t t = 0; t < of.model.terms.size(); ++t) {
      const Term& term = of.model.terms[t];
      if (term.is_linear()) continue;
      const double x = of.X(row, term.i);
      const double y = of.X(row, term.j);
      const Matrix found = term.is_pair() ? log_densities(of.model, term.i, term.j, {&x, 1}, {&y, 1})
                                          : log_densities(of.model, term.i, {&x, 1});
      EXPECT_NEAR(found(0, static_cast<std::size_t>(term.class_code)), values(row, t), 1e-12);
    }
  }
}

TEST(Shapes, AClassThatDoesNotKeepAPairTakesItsFeaturesAsIndependent) {
  const ModelAndRows of = test::fitted_to("NB", test::class_table(60, 3, 2, 1), {.method = Method::nb});
  const double x = 0.3;
  const double y = -0.4;
  const Matrix pair = log_densities(of.model, 0, 1, {&x, 1}, {&y, 1});
  const Matrix first = log_densities(of.model, 0, {&x, 1});
  const Matrix second = log_densities(of.model, 1, {&y, 1});
  for (std::size_t c = 0; c < 2; ++c) EXPECT_NEAR(pair(0, c), first(0, c) + second(0, c), 1e-12);
  EXPECT_EQ(effect_surface(of.model, 0, 1, {&x, 1}, {&y, 1})(0, 0), 0);
}

TEST(Points, SpanAllButTheTailsOfTheRowsEvenlyInTheCoordinate) {
  for (const FitOptions& options : {preset_options(Preset::paper), preset_options(Preset::automatic)}) {
    Table table = test::class_table(2000, 2, 2, 1);
    auto& values = std::get<NumericColumn>(table.features[0].data).values;
    for (double& value : values) value = std::exp(2 * value);  // tails, so that auto takes logarithms
    values[0] = 1e9;
    const ModelAndRows of = test::fitted_to("tails", table, options);
    const auto points = points_of(of.model, 0, 33);
    ASSERT_EQ(points.size(), 33);
    EXPECT_TRUE(std::ranges::is_sorted(points));
    std::ranges::sort(values);
    const auto inside = std::ranges::count_if(
        values, [&](double value) { return value >= points.front() && value <= points.back(); });
    EXPECT_GT(inside, 1960);
    EXPECT_LT(inside, 2000);
    EXPECT_LT(points.back(), 1e7);
    const auto positions = positions_among(of.model, 0, points, points);
    for (std::size_t k = 0; k < points.size(); ++k) EXPECT_NEAR(positions[k], static_cast<double>(k), 1e-6);
    EXPECT_TRUE(std::isnan(position_among(of.model, 0, points, std::nan(""))));
  }
}

TEST(Points, OfTheLargestAndTheLeastNumbersAreFiniteAndAscend) {
  for (const double size : {1.7e308, 1e-310})
    for (const Engine engine : {Engine::counts, Engine::exact}) {
      Table table = test::class_table(40, 2, 2, 1);
      auto& values = std::get<NumericColumn>(table.features[0].data).values;
      for (std::size_t i = 0; i < values.size(); ++i) values[i] = size * std::clamp(values[i], -1.0, 1.0);
      const Model model = fit(table, {.method = Method::nb, .engine = engine});
      const auto points = points_of(model, 0, 9);
      EXPECT_TRUE(std::ranges::all_of(points, [](double x) { return std::isfinite(x); }));
      EXPECT_TRUE(std::ranges::is_sorted(points));
      const auto positions = positions_among(model, 0, points, points);
      for (std::size_t k = 0; k < points.size(); ++k)
        EXPECT_NEAR(positions[k], static_cast<double>(k), 1e-9) << size;
      EXPECT_EQ(std::isfinite(position_among(model, 0, points, -1.7e308)), true);
      for (const double value : effect_curve(model, 0, points).data) EXPECT_TRUE(std::isfinite(value));
    }
}

TEST(Points, OfCategoriesAreTheirLevelsAndMissingValues) {
  const ModelAndRows of = test::some_models().back();
  for (std::size_t j = 0; j < of.model.n_features; ++j) {
    const auto points = points_of(of.model, j, 5);
    ASSERT_TRUE(std::isnan(points.back()));
    EXPECT_EQ(points.size(), (of.model.levels[j].is_number() ? 5 : of.model.levels[j].size()) + 1);
    EXPECT_EQ(position_among(of.model, j, points, std::nan("")), static_cast<double>(points.size() - 1));
    EXPECT_NEAR(position_among(of.model, j, points, points[1]), 1, 1e-9);
  }
}

TEST(Points, OfOrderedLevelsKeepTheirOrder) {
  for (const auto& [what, fitted, X, y] : test::some_models())
    for (std::size_t j = 0; j < fitted.n_features; ++j) {
      if (is_number(fitted, j)) continue;
      Model model = fitted;
      auto names = model.levels[j].names;
      std::ranges::reverse(names);
      names.pop_back();  // one that the order does not have comes last
      order_levels(model, j, names);
      const auto plain = points_of(fitted, j, 5);
      const auto points = points_of(model, j, 5);
      ASSERT_EQ(points.size(), plain.size());
      for (std::size_t k = 0; k < names.size(); ++k)
        EXPECT_EQ(model.levels[j].names[static_cast<std::size_t>(points[k])], names[k]);
      EXPECT_EQ(
          std::set<double>(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(names.size() + 1))
              .size(),
          names.size() + 1);
      const auto positions = positions_among(model, j, points, points);
      for (std::size_t k = 0; k < points.size(); ++k) EXPECT_EQ(positions[k], static_cast<double>(k));
      const Matrix curve = effect_curve(model, j, points);
      const Matrix as_named = effect_curve(fitted, j, plain);
      for (std::size_t k = 0; k < points.size(); ++k)
        if (!std::isnan(points[k])) {
          EXPECT_EQ(curve(k, 0), as_named(static_cast<std::size_t>(points[k]), 0));
        }
      EXPECT_EQ(model_from_bytes(model_bytes(model), "copy").level_orders, model.level_orders);
      EXPECT_EQ(scores(model, X).data, scores(fitted, X).data);
      return;
    }
  FAIL() << "no model has a category";
}

}  // namespace
}  // namespace dyad
