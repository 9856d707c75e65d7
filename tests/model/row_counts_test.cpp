// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/row_counts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/explanation/models.h"

namespace dyad {
namespace {

/// The place of a value on an axis, by going over all nodes.
std::size_t slow_place(const FeatureCounts& axis, double z) {
  if (std::isnan(z)) return axis.rows.size() - 1;
  if (axis.nodes.empty()) return static_cast<std::size_t>(z);
  std::size_t best = 0;
  for (std::size_t k = 1; k < axis.nodes.size(); ++k)
    if (std::abs(z - axis.nodes[k]) < std::abs(z - axis.nodes[best])) best = k;
  return best;
}

TEST(RowCounts, OfAModelAreThoseOfItsRows) {
  for (const auto& [what, model, X, y] : test::some_models()) {
    SCOPED_TRACE(what);
    const RowCounts& counts = model.row_counts;
    ASSERT_EQ(counts.features.size(), model.n_features);
    const Matrix Z = in_coordinates(model.coordinates, X);
    std::size_t n_pairs = 0;
    for (const PairRows& pair : counts.pairs) {
      ++n_pairs;
      const FeatureCounts& first = counts.features[pair.i];
      const FeatureCounts& second = counts.features[pair.j];
      std::vector<std::uint64_t> expected(first.rows.size() * second.rows.size());
      for (std::size_t row = 0; row < X.n_rows; ++row)
        ++expected[slow_place(first, Z(row, pair.i)) * second.rows.size() +
                   slow_place(second, Z(row, pair.j))];
      EXPECT_EQ(pair.rows, expected);
    }
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (const Term& term : model.terms)
      if (term.is_pair()) pairs.insert({term.i, term.j});
    EXPECT_EQ(n_pairs, pairs.size());
  }
}

TEST(RowCounts, HaveTheRangesOfTheTable) {
  for (const auto& [what, model, X, y] : test::some_models())
    for (std::size_t j = 0; j < model.n_features; ++j) {
      const ValueRange& range = model.row_counts.features[j].range;
      EXPECT_EQ(range.has_numbers, is_number(model, j)) << what;
      double low = std::numeric_limits<double>::infinity();
      double high = -low;
      bool is_whole = true;
      for (const double value : X.column(j)) {
        if (std::isnan(value)) continue;
        low = std::min(low, value);
        high = std::max(high, value);
        is_whole = is_whole && value == std::round(value);
      }
      if (!range.has_numbers) continue;
      EXPECT_EQ(range.low, low);
      EXPECT_EQ(range.high, high);
      EXPECT_EQ(range.is_whole, is_whole);
    }
}

TEST(RowCounts, TakeAWeightForAsManyRows) {
  Table twice = test::class_table(60, 3, 2, 1);
  Table weighted = twice;
  for (std::size_t i = 0; i < 60; ++i) weighted.weights.push_back(i % 3 == 0 ? 2 : 1);
  for (Column& column : twice.features) {
    auto& values = std::get<NumericColumn>(column.data).values;
    for (std::size_t i = 0; i < 60; i += 3) values.push_back(values[i]);
  }
  for (std::size_t i = 0; i < 60; i += 3) twice.labels.codes.push_back(twice.labels.codes[i]);
  twice.n_rows = twice.labels.codes.size();
  const FitOptions options = preset_options(Preset::automatic);
  EXPECT_EQ(fit(twice, options).row_counts, fit(weighted, options).row_counts);
}

TEST(RowCounts, HaveTheDistinctValuesOfAFeatureWithFew) {
  Table table = test::class_table(400, 2, 2, 1);
  auto& values = std::get<NumericColumn>(table.features[0].data).values;
  for (double& value : values) value = std::round(3 * value);
  const Model model = fit(table, preset_options(Preset::automatic));
  const std::set<double> distinct(values.begin(), values.end());
  EXPECT_EQ(model.row_counts.features[0].nodes.size(), distinct.size());
  EXPECT_EQ(model.row_counts.features[1].nodes.size(), most_count_nodes);
}

TEST(RowCounts, StandForAllRowsOfALargeTable) {
  const Table table = test::class_table(3 * most_counted_rows, 2, 2, 1);
  const Model model = fit(table, {.method = Method::nb});
  for (const FeatureCounts& feature : model.row_counts.features) {
    double rows = 0;
    for (const std::uint64_t count : feature.rows) rows += static_cast<double>(count);
    EXPECT_NEAR(rows * model.row_counts.unit, static_cast<double>(most_counted_rows),
                0.01 * static_cast<double>(most_counted_rows));
  }
}

TEST(NearestNode, IsTheLowerOfTwo) {
  const std::vector<double> nodes{0, 1, 3};
  EXPECT_EQ(nearest_node(nodes, -5), 0U);
  EXPECT_EQ(nearest_node(nodes, 0.5), 0U);
  EXPECT_EQ(nearest_node(nodes, 0.6), 1U);
  EXPECT_EQ(nearest_node(nodes, 2.1), 2U);
  EXPECT_EQ(nearest_node(nodes, 9), 2U);
}

}  // namespace
}  // namespace dyad
