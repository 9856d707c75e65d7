// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/labelled_sample.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "tests/samples.h"

namespace dyad {
namespace {

/// Classes of so many rows, dealt out by a shuffle.
LabelledSample sample_of(const std::vector<std::size_t>& class_sizes) {
  LabelledSample sample;
  for (std::size_t c = 0; c < class_sizes.size(); ++c)
    sample.y.insert(sample.y.end(), class_sizes[c], static_cast<std::int32_t>(c));
  Random(3).shuffle(sample.y);
  sample.X = Matrix(sample.y.size(), 0);
  sample.n_classes = class_sizes.size();
  return sample;
}

std::vector<double> by_class(const LabelledSample& sample, const SampledRows& some, bool weighted) {
  std::vector<double> sums(sample.n_classes);
  const WeightsView weights = some.weights;
  for (std::size_t k = 0; k < some.rows.size(); ++k)
    sums[static_cast<std::size_t>(sample.y[some.rows[k]])] += weighted ? weights[k] : 1;
  return sums;
}

TEST(LabelledSample, AColumnOfCategoriesWithoutValuesHasNoLevels) {
  constexpr std::int32_t gap = CategoricalColumn::missing;
  const Table table{.n_rows = 2,
                    .features = {{"a", NumericColumn{{1, 2}}}, {"b", CategoricalColumn{{gap, gap}, {}}}},
                    .labels = {{0, 1}, {"no", "yes"}}};
  const LabelledSample sample = labelled_sample(table);
  EXPECT_TRUE(sample.levels.empty());
  EXPECT_TRUE(std::isnan(sample.X(0, 1)));
}

TEST(LabelledSample, SampledRowsAreAllIfTheyAreFew) {
  LabelledSample sample = sample_of({30, 10});
  for (const std::size_t most : {40U, 41U, 1000U}) {
    const SampledRows some = sampled_rows(sample, most);
    std::vector<std::size_t> all(40);
    std::iota(all.begin(), all.end(), std::size_t{0});
    EXPECT_EQ(some.rows, all);
    EXPECT_TRUE(some.weights.empty());
  }
  sample.weights = test::whole_weights(40, 2);
  EXPECT_EQ(sampled_rows(sample, 40).weights.counts, sample.weights.counts);
}

TEST(LabelledSample, SampledRowsShareEvenlyAndKeepSmallClassesWhole) {
  const LabelledSample sample = sample_of({5000, 20, 900, 1});
  const SampledRows some = sampled_rows(sample, 600);
  EXPECT_EQ(some.rows.size(), 600U);
  EXPECT_TRUE(std::ranges::is_sorted(some.rows));
  EXPECT_EQ(std::ranges::adjacent_find(some.rows), some.rows.end());
  const auto counts = by_class(sample, some, false);
  EXPECT_EQ(counts[1], 20);
  EXPECT_EQ(counts[3], 1);
  EXPECT_NEAR(counts[0], (600 - 21) / 2.0, 1);
  EXPECT_NEAR(counts[2], (600 - 21) / 2.0, 1);
  // Evenly spaced: no gap within a class is much wider than another.
  const auto classes = rows_by_class(sample);
  std::vector<std::size_t> places;
  for (std::size_t k = 0; k < classes[0].size(); ++k)
    if (std::ranges::binary_search(some.rows, classes[0][k])) places.push_back(k);
  EXPECT_LE(places.front(), 20U);
  for (std::size_t k = 1; k < places.size(); ++k) EXPECT_LE(places[k] - places[k - 1], 19U);
}

TEST(LabelledSample, SampledRowsAreAtMostWhatIsAskedForOrOneOfEachClass) {
  for (const std::vector<std::size_t>& sizes :
       {std::vector<std::size_t>{700, 300}, {334, 333, 333}, {999, 1}})
    for (const std::size_t most : {1U, 2U, 3U, 10U, 500U, 999U}) {
      const LabelledSample sample = sample_of(sizes);
      const SampledRows some = sampled_rows(sample, most);
      EXPECT_LE(some.rows.size(), std::max(most, sizes.size())) << most;
      for (const double count : by_class(sample, some, false)) EXPECT_GE(count, 1) << most;
    }
}

TEST(LabelledSample, SampledRowsStandForTheSharesOfTheClasses) {
  const std::vector<std::size_t> sizes{5000, 20, 900};
  LabelledSample sample = sample_of(sizes);
  for (const bool weighted : {false, true}) {
    if (weighted) sample.weights = test::whole_weights(sample.n_rows(), 2, 0);
    const SampledRows some = sampled_rows(sample, 600);
    const auto expected = class_counts(sample);
    const double total = std::accumulate(expected.begin(), expected.end(), 0.0);
    const auto sums = by_class(sample, some, true);
    const double sampled_total = std::accumulate(sums.begin(), sums.end(), 0.0);
    EXPECT_NEAR(sampled_total / static_cast<double>(some.rows.size()), 1, 0.01);
    for (std::size_t c = 0; c < sizes.size(); ++c)
      EXPECT_NEAR(sums[c] / sampled_total, expected[c] / total, 1e-5) << c;
  }
}

TEST(LabelledSample, SampledRowsKeepTheRatioOfTheirWeightsWithinAClass) {
  LabelledSample sample = sample_of({800, 50});
  sample.weights = test::whole_weights(850, 4);
  const SampledRows some = sampled_rows(sample, 200);
  const WeightsView before = sample.weights;
  const WeightsView after = some.weights;
  std::array<double, 2> ratio{};
  for (std::size_t k = 0; k < some.rows.size(); ++k) {
    double& known = ratio[static_cast<std::size_t>(sample.y[some.rows[k]])];
    const double own = after[k] / before[some.rows[k]];
    if (known == 0) known = own;
    EXPECT_NEAR(own / known, 1, 1e-4);
  }
}

// --- categories and missing values ---

using test::gap;

/// Codes in the order in which the names appear, "" for a missing value.
CategoricalColumn texts(const std::vector<std::string>& names) {
  CategoricalColumn column;
  for (const std::string& name : names) {
    if (name.empty()) {
      column.codes.push_back(CategoricalColumn::missing);
      continue;
    }
    const auto found = std::ranges::find(column.levels, name);
    column.codes.push_back(static_cast<std::int32_t>(found - column.levels.begin()));
    if (found == column.levels.end()) column.levels.push_back(name);
  }
  return column;
}

/// Rows of a class in turn of a number and a text.
Table table_of(const std::vector<double>& numbers, const std::vector<std::string>& names) {
  Table table{.n_rows = names.size()};
  table.features.push_back({"x", NumericColumn{numbers}});
  table.features.push_back({"colour", texts(names)});
  for (std::size_t i = 0; i < names.size(); ++i)
    table.labels.codes.push_back(static_cast<std::int32_t>(i % 2));
  table.labels.classes = {"a", "b"};
  return table;
}

void expect_column(const LabelledSample& sample, std::size_t j, const std::vector<double>& expected) {
  const auto column = sample.X.column(j);
  ASSERT_EQ(column.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(column[i] == expected[i] || (std::isnan(column[i]) && std::isnan(expected[i])))
        << "row " << i << ": " << column[i] << ", " << expected[i];
}

LabelledSample sample_of_names(const std::vector<std::string>& names) {
  return labelled_sample(table_of(std::vector<double>(names.size(), 1.0), names));
}

TEST(LabelledSample, HasCodesByNameAndGapsWhereATableHasThem) {
  Table table = table_of({1, gap, 3, 4}, {"red", "", "blue", "red"});
  const LabelledSample sample = labelled_sample(table);
  expect_column(sample, 0, {1, gap, 3, 4});
  expect_column(sample, 1, {1, gap, 0, 1});
  ASSERT_EQ(sample.levels.size(), 2U);
  EXPECT_TRUE(sample.levels[0].is_number());
  EXPECT_EQ(sample.levels[1], (Levels{{"blue", "red"}}));
  EXPECT_FALSE(sample.is_categorical(0));
  EXPECT_TRUE(sample.is_categorical(1));
  EXPECT_EQ(categorical_features(sample.levels), (std::vector<bool>{false, true}));
  const LabelledSample taken = take_labelled_sample(table);
  EXPECT_EQ(taken.levels, sample.levels);
  expect_column(taken, 0, {1, gap, 3, 4});
  expect_column(taken, 1, {1, gap, 0, 1});
  EXPECT_TRUE(std::get<NumericColumn>(table.features[0].data).values.empty());
}

TEST(LabelledSample, OfNumbersHasNoLevels) {
  Table table = table_of({1, gap}, {"red", "blue"});
  table.features.pop_back();
  const LabelledSample sample = labelled_sample(table);
  EXPECT_TRUE(sample.levels.empty());
  EXPECT_FALSE(sample.is_categorical(0));
  EXPECT_TRUE(categorical_features(sample.levels).empty());
}

TEST(LabelledSample, HasTheSameCodesInWhateverOrderLevelsAppear) {
  const std::vector<std::string> names{"b", "c", "", "a", "b", "d"};
  std::vector<std::size_t> order{5, 2, 3, 0, 4, 1};
  std::vector<std::string> other;
  for (const std::size_t i : order) other.push_back(names[i]);
  const LabelledSample first = sample_of_names(names);
  const LabelledSample second = sample_of_names(other);
  EXPECT_EQ(first.levels, second.levels);
  const auto column = first.X.column(1);
  std::vector<double> expected;
  for (const std::size_t i : order) expected.push_back(column[i]);
  expect_column(second, 1, expected);
  expect_column(first, 1, {1, 2, gap, 0, 1, 3});
}

TEST(LabelledSample, RowsKeepTheLevelsOfAll) {
  const LabelledSample sample = sample_of_names({"b", "c", "a", "d"});
  const LabelledSample some = rows_of(sample, std::vector<std::size_t>{3, 0});
  EXPECT_EQ(some.levels, sample.levels);
  expect_column(some, 1, {3, 1});
}

TEST(LabelledSample, PoolsAllButTheMostFrequentLevels) {
  LabelledSample sample = sample_of_names({"d", "d", "d", "c", "b", "b", "a", "", "e", "e", "e", "e"});
  pool_rare_levels(sample, 3);
  EXPECT_EQ(sample.levels[1], (Levels{{"d", "e"}, true}));
  expect_column(sample, 1, {0, 0, 0, 2, 2, 2, 2, gap, 1, 1, 1, 1});
  expect_column(sample, 0, std::vector<double>(12, 1.0));
}

TEST(LabelledSample, PoolsNothingWhereLevelsAreFewEnough) {
  LabelledSample sample = sample_of_names({"c", "a", "b", "", "c"});
  const LabelledSample before = sample;
  pool_rare_levels(sample, 3);
  EXPECT_EQ(sample.levels, before.levels);
  expect_column(sample, 1, {2, 0, 1, gap, 2});
}

TEST(LabelledSample, KeepsTheFirstByNameOfEquallyFrequentLevels) {
  LabelledSample sample = sample_of_names({"d", "c", "b", "a", "d", "c", "b", "a", "e"});
  pool_rare_levels(sample, 3);
  EXPECT_EQ(sample.levels[1], (Levels{{"a", "b"}, true}));
  expect_column(sample, 1, {2, 2, 1, 0, 2, 2, 1, 0, 2});
}

TEST(LabelledSample, CountsLevelsByWeight) {
  LabelledSample sample = sample_of_names({"a", "a", "a", "b", "c", "d"});
  sample.weights = make_row_weights(std::vector<double>{0.5, 0.5, 0.5, 2, 0.25, 0});
  LabelledSample two = sample;
  pool_rare_levels(two, 2);
  EXPECT_EQ(two.levels[1], (Levels{{"b"}, true}));
  expect_column(two, 1, {1, 1, 1, 0, 1, 1});
  // The row of the only level without weight stands for nothing.
  pool_rare_levels(sample, 3);
  EXPECT_EQ(sample.levels[1], (Levels{{"a", "b", "c"}}));
  expect_column(sample, 1, {0, 0, 0, 1, 2, gap});
}

TEST(LabelledSample, DropsLevelsWithoutRows) {
  const LabelledSample all = sample_of_names({"a", "b", "c", "d", "c"});
  LabelledSample some = rows_of(all, std::vector<std::size_t>{2, 3, 4});
  pool_rare_levels(some, 2);
  EXPECT_EQ(some.levels[1], (Levels{{"c", "d"}}));
  expect_column(some, 1, {0, 1, 0});
  LabelledSample none = rows_of(sample_of_names({"a", "b", ""}), std::vector<std::size_t>{2, 2});
  pool_rare_levels(none, 2);
  EXPECT_TRUE(none.levels[1].is_number());
  expect_column(none, 1, {gap, gap});
}

TEST(LabelledSample, PooledAgainStaysAsItIs) {
  LabelledSample sample = sample_of_names({"d", "d", "d", "c", "b", "b", "a", "", "e", "e", "e", "e"});
  pool_rare_levels(sample, 3);
  LabelledSample again = sample;
  pool_rare_levels(again, 3);
  EXPECT_EQ(again.levels, sample.levels);
  expect_column(again, 1, {0, 0, 0, 2, 2, 2, 2, gap, 1, 1, 1, 1});
  // Fewer: d joins the others.
  pool_rare_levels(again, 2);
  EXPECT_EQ(again.levels[1], (Levels{{"e"}, true}));
  expect_column(again, 1, {1, 1, 1, 1, 1, 1, 1, gap, 0, 0, 0, 0});
  // Without rows, the others go as any level does.
  LabelledSample some = rows_of(sample, std::vector<std::size_t>{0, 1, 8});
  pool_rare_levels(some, 3);
  EXPECT_EQ(some.levels[1], (Levels{{"d", "e"}}));
  expect_column(some, 1, {0, 0, 1});
}

TEST(LabelledSample, IsConstantInAFeatureThatIsTheSameOrMissingInAllRows) {
  LabelledSample sample{Matrix(3, 6), {0, 1, 0}, 2};
  const std::vector<std::vector<double>> columns{{2, 2, 2},   {2, 2, 3},   {gap, gap, gap},
                                                 {gap, 2, 2}, {2, 2, gap}, {2, gap, 2}};
  const std::vector<bool> expected{true, false, true, false, false, false};
  for (std::size_t j = 0; j < columns.size(); ++j) {
    std::ranges::copy(columns[j], sample.X.column(j).begin());
    EXPECT_EQ(is_constant(sample, j), expected[j]) << j;
  }
}

}  // namespace
}  // namespace dyad
