// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/flips.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "dyad/base/random.h"
#include "dyad/explanation/shapes.h"
#include "dyad/model/prediction.h"
#include "tests/explanation/models.h"

namespace dyad {
namespace {

using test::ModelAndRows;

std::int32_t predicted(const Model& model, const Matrix& row) {
  return classify(model, scores(model, row))[0];
}

Matrix row_matrix(const Matrix& X, std::size_t row) {
  Matrix result(1, X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) result(0, j) = X(row, j);
  return result;
}

/// A row with a flip's values in place of its own.
Matrix changed_by(const Flip& flip, Matrix row) {
  row(0, flip.feature) = flip.value;
  if (flip.second) row(0, flip.second->feature) = flip.second->value;
  return row;
}

/// Shares of the training range of a number, in the model's coordinate.
class Coordinates {
 public:
  Coordinates(const Model& model, std::size_t feature)
      : model_(model), feature_(feature), range_(model.row_counts.features[feature].range) {}

  [[nodiscard]] double share(double value) const {
    return (z(value) - z(range_.low)) / (z(range_.high) - z(range_.low));
  }
  [[nodiscard]] double value(double share) const {
    const double at = std::lerp(z(range_.low), z(range_.high), share);
    const double value = model_.coordinates.empty() ? at : inverse(model_.coordinates[feature_], at);
    return std::clamp(range_.is_whole ? std::round(value) : value, range_.low, range_.high);
  }

 private:
  [[nodiscard]] double z(double value) const {
    if (model_.coordinates.empty()) return value;
    double result = 0;
    apply(model_.coordinates[feature_], {&value, 1}, {&result, 1});
    return result;
  }

  const Model& model_;
  std::size_t feature_;
  ValueRange range_;
};

TEST(Flips, ChangeWhatIsPredictedAndNothingNearerOnTheGridDoes) {
  int n_found = 0;
  for (const ModelAndRows& of : test::some_models()) {
    SCOPED_TRACE(of.what);
    const auto flips = nearest_flips(of.model, of.X);
    for (std::size_t row = 0; row < of.X.n_rows; row += 9) {
      const Matrix as_it_is = row_matrix(of.X, row);
      const std::int32_t own = predicted(of.model, as_it_is);
      EXPECT_TRUE(std::ranges::is_sorted(flips[row], {}, &Flip::distance));
      for (const auto& flip : flips[row]) {
        const auto& [feature, value, distance, class_code, second] = flip;
        ++n_found;
        Matrix changed = changed_by(flip, as_it_is);
        EXPECT_EQ(predicted(of.model, changed), class_code);
        EXPECT_NE(class_code, own);
        if (second) continue;
        if (std::isnan(as_it_is(0, feature)) || !is_number(of.model, feature)) continue;
        const Coordinates along(of.model, feature);
        EXPECT_NEAR(distance, std::abs(along.share(value) - along.share(as_it_is(0, feature))), 1e-9);
        for (std::size_t k = 0; k < 65; ++k) {
          changed(0, feature) = along.value(static_cast<double>(k) / 64);
          if (std::abs(along.share(changed(0, feature)) - along.share(as_it_is(0, feature))) >=
              distance - 1e-9)
            continue;
          EXPECT_EQ(predicted(of.model, changed), own);
        }
      }
    }
  }
  EXPECT_GT(n_found, 100);
}

TEST(Flips, AreAtTheBoundary) {
  const ModelAndRows of = test::some_models()[0];
  const auto flips = nearest_flips(of.model, of.X);
  int n_found = 0;
  for (std::size_t row = 0; row < of.X.n_rows; ++row)
    for (const Flip& flip : flips[row]) {
      ++n_found;
      EXPECT_NEAR(scores(of.model, changed_by(flip, row_matrix(of.X, row)))(0, 0), 0, 1e-4);
    }
  EXPECT_GT(n_found, 50);
}

TEST(Flips, AreTheSameForAnyNumberOfThreads) {
  const ModelAndRows of = test::some_models()[1];
  const auto one = nearest_flips(of.model, of.X, Execution{.threads = 1});
  const auto three = nearest_flips(of.model, of.X, Execution{.threads = 3});
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t row = 0; row < one.size(); ++row) {
    ASSERT_EQ(one[row].size(), three[row].size());
    for (std::size_t k = 0; k < one[row].size(); ++k) EXPECT_EQ(one[row][k].value, three[row][k].value);
  }
}

TEST(Flips, AreNoneOfAFeatureWithoutTerms) {
  Table table = test::class_table(80, 3, 2, 1);
  table.features.push_back({"constant", NumericColumn{std::vector<double>(80, 1.0)}});
  const ModelAndRows of = test::fitted_to("constant", table, preset_options(Preset::automatic));
  for (const auto& of_row : nearest_flips(of.model, of.X))
    for (const Flip& flip : of_row) EXPECT_NE(flip.feature, 3);
}

/// A table with whole numbers, numbers, and a category with rare levels.
ModelAndRows whole_numbers() {
  Table table = test::class_table(300, 2, 2, 5);
  const auto& first = std::get<NumericColumn>(table.features[0].data).values;
  NumericColumn whole;
  CategoricalColumn levels{.codes = {}, .levels = {"low", "middle", "high", "rare"}};
  for (std::size_t i = 0; i < table.n_rows; ++i) {
    whole.values.push_back(std::round(10 * first[i]));
    levels.codes.push_back(i == 0 ? 3 : first[i] < -0.5 ? 0 : first[i] < 0.5 ? 1 : 2);
  }
  table.features.push_back({"whole", whole});
  table.features.push_back({"level", levels});
  FitOptions options = preset_options(Preset::automatic);
  options.max_levels = 3;
  return test::fitted_to("whole numbers", table, options);
}

TEST(Flips, StayWithinTheTrainingRowsAndWhole) {
  const ModelAndRows of = whole_numbers();
  Matrix X = of.X;
  for (std::size_t row = 0; row < 20; ++row) X(row, 2) = 1000 + static_cast<double>(row);  // beyond
  int n_whole = 0;
  const auto flips = nearest_flips(of.model, X);
  for (std::size_t row = 0; row < X.n_rows; ++row)
    for (const Flip& flip : flips[row]) {
      if (!is_number(of.model, flip.feature)) {
        EXPECT_LT(flip.value, static_cast<double>(of.model.levels[flip.feature].names.size()));
        continue;
      }
      const auto [least, most] = std::ranges::minmax(of.X.column(flip.feature));
      EXPECT_GE(flip.value, least);
      EXPECT_LE(flip.value, most);
      if (flip.feature != 2 || flip.second) continue;
      ++n_whole;
      EXPECT_EQ(flip.value, std::round(flip.value));
      // The whole number next to it, towards the row's value, has the row's class.
      Matrix changed = row_matrix(X, row);
      const std::int32_t own = predicted(of.model, changed);
      const double next = flip.value + (X(row, 2) > flip.value ? 1 : -1);
      changed(0, 2) = next;
      if (next >= least && next <= most) {
        EXPECT_EQ(predicted(of.model, changed), own);
      }
    }
  EXPECT_GT(n_whole, 50);
}

TEST(Flips, LeaveImmutableFeaturesAsTheyAre) {
  const ModelAndRows of = whole_numbers();
  const std::array<std::size_t, 2> immutable{0, 3};
  const auto all = nearest_flips(of.model, of.X);
  const auto some = nearest_flips(of.model, of.X, {}, immutable);
  std::size_t n_left_out = 0;
  for (std::size_t row = 0; row < all.size(); ++row) {
    std::size_t k = 0;
    for (const Flip& flip : some[row])
      if (flip.second) {
        EXPECT_TRUE(flip.feature == 1 && flip.second->feature == 2);
        ++k;
      }
    if (k > 0) continue;
    for (const Flip& flip : all[row]) {
      if (flip.second || flip.feature == 0 || flip.feature == 3) {
        ++n_left_out;
        continue;
      }
      ASSERT_LT(k, some[row].size());
      EXPECT_EQ(some[row][k++].value, flip.value);
    }
    EXPECT_EQ(k, some[row].size());
  }
  EXPECT_GT(n_left_out, 0U);
}

/// A model of a sum of four features and of a category, of which one alone seldom decides.
ModelAndRows sum_of_features() {
  constexpr std::size_t n = 300;
  Table table = test::class_table(n, 4, 2, 6);
  Random random(1);
  std::vector<double> sums(n);
  for (Column& feature : table.features) {
    NumericColumn column;
    for (std::size_t i = 0; i < n; ++i) sums[i] += column.values.emplace_back(2 * random.uniform() - 1);
    feature.data = column;
  }
  CategoricalColumn site{.codes = {}, .levels = {"hill", "sea"}};
  for (std::size_t i = 0; i < n; ++i) sums[i] += site.codes.emplace_back(random.below(2) == 0 ? 0 : 1);
  table.features.push_back({"site", site});
  for (std::size_t i = 0; i < n; ++i) table.labels.codes[i] = sums[i] > 1.2 ? 1 : 0;
  return test::fitted_to("sum of features", table, preset_options(Preset::automatic));
}

/// Values of a feature in the rows, some of them.
std::vector<double> observed(const Matrix& X, std::size_t feature) {
  std::set<double> values;
  for (const double value : X.column(feature))
    if (!std::isnan(value)) values.insert(value);
  std::vector<double> result(values.begin(), values.end());
  const std::size_t step = (result.size() + 24) / 25;
  std::size_t n = 0;
  for (std::size_t k = 0; k < result.size(); k += step) result[n++] = result[k];
  result.resize(n);
  return result;
}

/// Whether observed values of two features give a row another class.
bool can_be_flipped(const Model& model, const Matrix& X, const Matrix& row) {
  const std::int32_t own = predicted(model, row);
  for (std::size_t i = 0; i < X.n_cols; ++i)
    for (std::size_t j = i + 1; j < X.n_cols; ++j) {
      const auto x = observed(X, i);
      const auto y = observed(X, j);
      Matrix changed(x.size() * y.size(), X.n_cols);
      for (std::size_t c = 0; c < X.n_cols; ++c) std::ranges::fill(changed.column(c), row(0, c));
      for (std::size_t k = 0; k < changed.n_rows; ++k) {
        changed(k, i) = x[k / y.size()];
        changed(k, j) = y[k % y.size()];
      }
      for (const std::int32_t c : classify(model, scores(model, changed)))
        if (c != own) return true;
    }
  return false;
}

TEST(Flips, ByTwoFeaturesAreFoundWhereASearchOverObservedValuesFindsOne) {
  auto models = test::some_models();
  models.push_back(whole_numbers());
  models.push_back(sum_of_features());
  int n_found = 0;
  for (const ModelAndRows& of : models) {
    SCOPED_TRACE(of.what);
    const auto flips = nearest_flips(of.model, of.X);
    for (std::size_t row = 0; row < of.X.n_rows; ++row) {
      if (flips[row].empty()) {
        if (row % 3 == 0) {
          EXPECT_FALSE(can_be_flipped(of.model, of.X, row_matrix(of.X, row)));
        }
        continue;
      }
      if (!flips[row][0].second) continue;
      EXPECT_LE(flips[row].size(), 5U);
      for (const Flip& flip : flips[row]) {
        ++n_found;
        EXPECT_LT(flip.feature, flip.second->feature);
        for (const auto& [feature, value] : {FeatureValue{flip.feature, flip.value}, *flip.second}) {
          if (!is_number(of.model, feature)) {
            EXPECT_LT(value, static_cast<double>(of.model.levels[feature].names.size()));
            continue;
          }
          const ValueRange& range = of.model.row_counts.features[feature].range;
          EXPECT_TRUE(value >= range.low && value <= range.high);
          EXPECT_TRUE(!range.is_whole || value == std::round(value));
        }
        // Either alone does not do.
        const Matrix as_it_is = row_matrix(of.X, row);
        Matrix first = as_it_is;
        first(0, flip.feature) = flip.value;
        Matrix second = as_it_is;
        second(0, flip.second->feature) = flip.second->value;
        EXPECT_EQ(predicted(of.model, first), predicted(of.model, as_it_is));
        EXPECT_EQ(predicted(of.model, second), predicted(of.model, as_it_is));
      }
    }
  }
  EXPECT_GT(n_found, 50);
}

}  // namespace
}  // namespace dyad
