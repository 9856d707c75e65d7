// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/edits.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "dyad/base/random.h"
#include "dyad/explanation/internal/isotonic.h"
#include "dyad/io/model_file.h"
#include "dyad/model/prediction.h"
#include "tests/explanation/models.h"

namespace dyad {
namespace {

using test::ModelAndRows;

ModelAndRows model_with_pairs(std::size_t n_classes) {
  FitOptions options = preset_options(Preset::automatic);
  options.pairs = PairRule::count;
  options.n_pairs = 8;
  return test::fitted_to("pairs", test::class_table(300, 4, n_classes, 8), options);
}

std::vector<ModelAndRows> edited_models() {
  std::vector<ModelAndRows> result = test::some_models();
  result.push_back(model_with_pairs(2));
  result.push_back(model_with_pairs(3));
  result.push_back(
      test::fitted_to("pairs of categories, numbers and gaps",
                      test::mixed_table({.n_rows = 300, .n_numbers = 2, .n_categories = 3, .missing = 0.1}),
                      {.method = Method::tan}));
  return result;
}

/// Rows of the model and rows drawn feature by feature, some beyond the numbers, some with gaps.
Matrix drawn_rows(const ModelAndRows& of, std::size_t n) {
  Random random(3);
  Matrix X(n, of.X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j)
    for (std::size_t row = 0; row < n; ++row) {
      X(row, j) = of.X(random.below(of.X.n_rows), j);
      if (random.below(6) == 0 && is_number(of.model, j)) X(row, j) = 20 * (random.uniform() - 0.5);
      if (random.below(9) == 0 && of.model.engine == Engine::counts) X(row, j) = std::nan("");
    }
  return X;
}

/// score + (factor - 1) times some effects; scores are centred as effects are.
Matrix scaled_scores(const Model& model, std::span<const std::size_t> effects, double factor,
                     const Matrix& X) {
  const PurifiedEffects purified = purified_effects(model);
  const auto values = effect_values(model, purified, X);
  Matrix result = scores(model, X);
  for (std::size_t k = 0; k < result.n_cols; ++k)
    for (std::size_t row = 0; row < X.n_rows; ++row)
      for (const std::size_t e : effects) result(row, k) += (factor - 1) * values[k](row, e);
  return result;
}

void centre(Matrix& values) {
  for (std::size_t row = 0; row < values.n_rows; ++row) {
    double mean = 0;
    for (std::size_t k = 0; k < values.n_cols; ++k)
      mean += values(row, k) / static_cast<double>(values.n_cols);
    for (std::size_t k = 0; k < values.n_cols; ++k) values(row, k) -= mean;
  }
}

void expect_equal_scores(const Model& model, Matrix expected, const Matrix& X, bool is_centred) {
  Matrix found = scores(model, X);
  if (is_centred) {
    centre(found);
    centre(expected);
  }
  for (std::size_t t = 0; t < found.data.size(); ++t)
    ASSERT_NEAR(found.data[t], expected.data[t], 1e-9 * (1 + std::abs(expected.data[t]))) << t;
}

TEST(ScaledEffects, AddTheChangeOfTheEffectsToTheScoreWhateverTheRow) {
  for (const ModelAndRows& of : edited_models()) {
    SCOPED_TRACE(of.what);
    const PurifiedEffects purified = purified_effects(of.model);
    const Matrix X = drawn_rows(of, 400);
    const std::size_t n = purified.effects.size();
    for (const double factor : {0.0, 0.5, -2.0})
      for (const std::vector<std::size_t>& effects :
           {std::vector<std::size_t>{0}, {n - 1}, {0, n / 2, n - 1}}) {
        std::vector<FeaturePair> named;
        for (const std::size_t e : effects) named.push_back({purified.effects[e].i, purified.effects[e].j});
        const std::set<std::size_t> distinct(effects.begin(), effects.end());
        const std::vector<std::size_t> places(distinct.begin(), distinct.end());
        expect_equal_scores(with_scaled_effects(of.model, named, factor),
                            scaled_scores(of.model, places, factor, X), X, purified.is_centred);
      }
  }
}

TEST(ScaledEffects, LeaveTheOtherEffectsAsTheyAre) {
  for (const ModelAndRows& of : edited_models()) {
    SCOPED_TRACE(of.what);
    const PurifiedEffects before = purified_effects(of.model);
    const std::size_t removed = before.effects.size() - 1;
    const Model model = with_scaled_effects(
        of.model, std::vector<FeaturePair>{{before.effects[removed].i, before.effects[removed].j}}, 0);
    const PurifiedEffects after = purified_effects(model);
    for (std::size_t e = 0; e < removed; ++e) {
      const std::size_t now = effect_place(after, before.effects[e].i, before.effects[e].j);
      for (std::size_t k = 0; k < before.sizes.n_rows; ++k)
        EXPECT_NEAR(now == after.effects.size() ? 0 : after.sizes(k, now), before.sizes(k, e),
                    1e-8 * (1 + before.sizes(k, e)));
    }
  }
}

TEST(ScaledEffects, AreWrittenToFilesWithTheirTrace) {
  for (const ModelAndRows& of : edited_models()) {
    SCOPED_TRACE(of.what);
    const PurifiedEffects purified = purified_effects(of.model);
    const Effect& last = purified.effects.back();
    const Model edited = with_scaled_effects(of.model, std::vector<FeaturePair>{{last.i, last.j}}, 0.5);
    const Model read = model_from_bytes(readable_model_bytes(edited, "edited"), "edited");
    ASSERT_EQ(edits_of(read).size(), 1);
    EXPECT_EQ(edits_of(read)[0], effect_name(of.model, {last.i, last.j}) + " times 0.5");
    const Matrix X = drawn_rows(of, 100);
    EXPECT_EQ(scores(read, X).data, scores(edited, X).data);
  }
}

TEST(ScaledEffects, RefuseEffectsThatAModelDoesNotHave) {
  ModelAndRows of = model_with_pairs(2);
  EXPECT_THROW(static_cast<void>(with_scaled_effects(of.model, std::vector<FeaturePair>{{0, 7}}, 0)),
               std::invalid_argument);
  of.model.row_counts = {};
  EXPECT_THROW(static_cast<void>(with_scaled_effects(of.model, std::vector<FeaturePair>{{0, 0}}, 0)),
               std::invalid_argument);
}

TEST(LargestEffects, AreThoseThatStay) {
  for (const ModelAndRows& of : edited_models()) {
    SCOPED_TRACE(of.what);
    const PurifiedEffects purified = purified_effects(of.model);
    const auto order = largest_columns(purified.sizes);
    const std::size_t most = order.size() / 2;
    const Model model = with_largest_effects(of.model, most);
    const Matrix X = drawn_rows(of, 100);
    expect_equal_scores(model, scaled_scores(of.model, std::span(order).subspan(most), 0, X), X,
                        purified.is_centred);
    EXPECT_LE(count_that_carry(purified_effects(model), 1 - 1e-9), most);
  }
}

TEST(EffectShapes, ReplaceTheEffectOfAFeature) {
  const ModelAndRows of = model_with_pairs(2);
  const PurifiedEffects purified = purified_effects(of.model);
  const Matrix X = drawn_rows(of, 200);
  EffectShape shape{.x = {-1, 0, 2}, .values = Matrix(3, 1)};
  shape.values.data = {3, 1, -2};
  const Model model = with_shape(of.model, {1, 1}, shape);
  const std::vector<std::size_t> effects{effect_place(purified, 1, 1)};
  Matrix expected = scaled_scores(of.model, effects, 0, X);
  std::vector<double> nodes(shape.x);
  if (!of.model.coordinates.empty()) apply(of.model.coordinates[1], nodes, nodes);
  const Matrix at_gap = effect_curve(of.model, purified, 1, std::vector<double>{std::nan("")});
  for (std::size_t row = 0; row < X.n_rows; ++row) {
    double x = X(row, 1);
    if (!of.model.coordinates.empty()) apply(of.model.coordinates[1], {&x, 1}, {&x, 1});
    if (std::isnan(x))
      expected(row, 0) += at_gap(0, 0);
    else if (x <= nodes[0])
      expected(row, 0) += 3;
    else if (x >= nodes[2])
      expected(row, 0) += -2;
    else if (x < nodes[1])
      expected(row, 0) += std::lerp(3.0, 1.0, (x - nodes[0]) / (nodes[1] - nodes[0]));
    else
      expected(row, 0) += std::lerp(1.0, -2.0, (x - nodes[1]) / (nodes[2] - nodes[1]));
  }
  expect_equal_scores(model, expected, X, false);
}

TEST(EffectShapes, ReplaceTheEffectOfAPairAtItsPoints) {
  const ModelAndRows of = model_with_pairs(2);
  const PurifiedEffects purified = purified_effects(of.model);
  const Effect& pair = purified.effects.back();
  ASSERT_TRUE(pair.is_pair());
  EffectShape shape{.x = {-1, 0}, .y = {-2, 0, 1}, .values = Matrix(6, 1)};
  shape.values.data = {1, 2, 3, 4, 5, 6};
  const Model model = with_shape(of.model, {pair.i, pair.j}, shape);
  Matrix X(6, 4);
  for (std::size_t row = 0; row < 6; ++row) {
    X(row, pair.i) = shape.x[row / 3];
    X(row, pair.j) = shape.y[row % 3];
  }
  const std::vector<std::size_t> effects{purified.effects.size() - 1};
  Matrix expected = scaled_scores(of.model, effects, 0, X);
  for (std::size_t row = 0; row < 6; ++row) expected(row, 0) += shape.values.data[row];
  expect_equal_scores(model, expected, X, false);
}

TEST(EffectShapes, RefusePointsInNoOrderAndValuesThatAreNotFinite) {
  const ModelAndRows of = model_with_pairs(2);
  EffectShape shape{.x = {1, 0}, .values = Matrix(2, 1)};
  EXPECT_THROW(static_cast<void>(with_shape(of.model, {0, 0}, shape)), std::invalid_argument);
  shape.x = {0, 1};
  shape.values.data = {0, std::nan("")};
  EXPECT_THROW(static_cast<void>(with_shape(of.model, {0, 0}, shape)), std::invalid_argument);
}

/// The largest fall of the score as a feature grows, over drawn rows with sorted values of the feature.
double largest_fall(const Model& model, Matrix X, std::size_t feature, double sign) {
  std::vector<double> points = {-1e6, 1e6};
  Random random(5);
  for (std::size_t k = 0; k < 60; ++k) points.push_back(8 * (random.uniform() - 0.5));
  std::ranges::sort(points);
  std::vector<double> last(X.n_rows, -std::numeric_limits<double>::infinity());
  double fall = 0;
  for (const double point : points) {
    std::ranges::fill(X.column(feature), point);
    const Matrix found = scores(model, X);
    for (std::size_t row = 0; row < X.n_rows; ++row) {
      fall = std::max(fall, last[row] - sign * found(row, 0));
      last[row] = sign * found(row, 0);
    }
  }
  return fall;
}

TEST(MonotoneFeatures, NeverLowerTheScore) {
  for (const ModelAndRows& of : edited_models()) {
    if (of.model.n_scores() > 1) continue;
    SCOPED_TRACE(of.what);
    const Matrix X = drawn_rows(of, 300);
    for (const Direction direction : {Direction::increasing, Direction::decreasing}) {
      const double sign = direction == Direction::increasing ? 1 : -1;
      const std::vector<MonotoneFeature> both{{0, direction}, {1, direction}};
      const Model model = with_monotone_features(of.model, both);
      EXPECT_EQ(model.monotone, both);
      for (const std::size_t feature : {0U, 1U}) EXPECT_LT(largest_fall(model, X, feature, sign), 1e-9);
      const Model read = model_from_bytes(readable_model_bytes(model, "monotone"), "monotone");
      EXPECT_EQ(read.monotone, both);
      EXPECT_EQ(scores(read, X).data, scores(model, X).data);
    }
  }
}

TEST(MonotoneFeatures, KeepTheDirectionOfFeaturesThatHadOne) {
  const ModelAndRows of = model_with_pairs(2);
  Model model = with_monotone_features(of.model, std::vector<MonotoneFeature>{{2, Direction::increasing}});
  model = with_monotone_features(model, std::vector<MonotoneFeature>{{0, Direction::decreasing}});
  const Matrix X = drawn_rows(of, 300);
  EXPECT_LT(largest_fall(model, X, 2, 1), 1e-9);
  EXPECT_LT(largest_fall(model, X, 0, -1), 1e-9);
  ASSERT_EQ(model.monotone.size(), 2);
  const auto first = std::vector<FeaturePair>{{0, 0}};
  EXPECT_EQ(with_scaled_effects(model, first, -1).monotone,
            (std::vector<MonotoneFeature>{{2, Direction::increasing}}));
}

TEST(MonotoneFeatures, RefuseCategoriesAndSeveralClasses) {
  const auto models = test::some_models();
  const std::vector<MonotoneFeature> first{{0, Direction::increasing}};
  const std::vector<MonotoneFeature> last{{3, Direction::increasing}};
  EXPECT_THROW(static_cast<void>(with_monotone_features(models[1].model, first)), std::invalid_argument);
  EXPECT_THROW(static_cast<void>(with_monotone_features(models[5].model, last)), std::invalid_argument);
}

TEST(Isotonic, HasTheMinMaxForm) {
  Random random(1);
  std::vector<double> values(25);
  std::vector<double> weights(25);
  for (double& value : values) value = random.uniform();
  for (double& weight : weights) weight = 0.1 + random.uniform();
  std::vector<double> found = values;
  internal::make_isotonic(found, weights);
  for (std::size_t k = 0; k < values.size(); ++k) {
    double largest = -1e9;
    for (std::size_t first = 0; first <= k; ++first) {
      double least = 1e9;
      for (std::size_t last = k; last < values.size(); ++last) {
        double sum = 0;
        double weight = 0;
        for (std::size_t i = first; i <= last; ++i) {
          sum += weights[i] * values[i];
          weight += weights[i];
        }
        least = std::min(least, sum / weight);
      }
      largest = std::max(largest, least);
    }
    EXPECT_NEAR(found[k], largest, 1e-12);
  }
}

}  // namespace
}  // namespace dyad
