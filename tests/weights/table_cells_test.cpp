// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/table_cells.h"

#include <gtest/gtest.h>

#include <set>

namespace {

/// Two categories of `n_levels` levels each, in all combinations.
dyad::LabelledSample combinations(std::size_t n_levels) {
  dyad::LabelledSample sample;
  sample.X = dyad::Matrix(n_levels * n_levels, 2);
  sample.n_classes = 2;
  std::vector<std::string> names;
  for (std::size_t a = 0; a < n_levels; ++a) {
    names.push_back("level " + std::to_string(1000 + a));
    for (std::size_t b = 0; b < n_levels; ++b) {
      const std::size_t row = a * n_levels + b;
      sample.X(row, 0) = static_cast<double>(a);
      sample.X(row, 1) = static_cast<double>(b);
      sample.y.push_back(static_cast<std::int32_t>(row % 2));
    }
  }
  sample.levels.assign(2, dyad::Levels{.names = names});
  return sample;
}

dyad::TableRows rows_of_pair(const dyad::LabelledSample& sample) {
  const std::vector<double> weights(sample.n_rows(), 1.0);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 0; row < sample.n_rows(); ++row) rows.push_back(row);
  const std::vector<dyad::FeaturePair> pairs{{0, 1}};
  const auto bins = dyad::feature_bins(sample, dyad::sorted_rows(sample, {}), weights, {});
  return dyad::table_rows(bins, pairs, rows, sample, weights);
}

}  // namespace

TEST(TableCells, OfTwoFeaturesOf255LevelsDiffer) {
  const dyad::TableRows rows = rows_of_pair(combinations(255));
  ASSERT_EQ(rows.cells.size(), 3);
  EXPECT_EQ(std::set(rows.cells[2].begin(), rows.cells[2].end()).size(), 255 * 255);
}

TEST(TableCells, OfTwoFeaturesOf256LevelsAreNone) {
  const dyad::TableRows rows = rows_of_pair(combinations(256));
  EXPECT_EQ(rows.cells.size(), 2);
}

TEST(TableCells, OfAFeatureThatDoesNotVaryAreNone) {
  dyad::LabelledSample sample = combinations(3);
  std::ranges::fill(sample.X.column(1), 2.0);
  EXPECT_EQ(rows_of_pair(sample).cells.size(), 2);  // the first feature and the pair
}
