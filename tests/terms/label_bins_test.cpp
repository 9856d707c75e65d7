// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/label_bins.h"

#include <gtest/gtest.h>

#include <limits>

#include "dyad/base/random.h"

namespace dyad {
namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

LabelledSample sample_of(const std::vector<double>& x, const std::vector<std::int32_t>& y) {
  LabelledSample sample{Matrix(x.size(), 1), y, 2};
  sample.X.data = x;
  return sample;
}

BinAxis bins_of(const LabelledSample& sample, std::size_t most = 10) {
  return label_bins(sample, 0, rows_by_value(sample, 0), std::vector<double>(sample.n_rows(), 1), most);
}

TEST(LabelBins, CutsHalfwayWhereTheClassChanges) {
  std::vector<double> x;
  std::vector<std::int32_t> y;
  for (int i = 0; i < 40; ++i) {
    x.push_back((i * 7) % 40);  // in no order
    y.push_back(x.back() >= 12 && x.back() < 30 ? 1 : 0);
  }
  EXPECT_EQ(bins_of(sample_of(x, y)).cuts, (std::vector{11.5, 29.5}));
}

TEST(LabelBins, HasAtMostSoManyIntervalsOfFiveRows) {
  Random random(1);
  LabelledSample sample{Matrix(60, 1), {}, 2};
  for (double& value : sample.X.data) {
    value = random.normal();
    sample.y.push_back(static_cast<std::int32_t>(random.below(2)));
  }
  EXPECT_EQ(bins_of(sample, 4).cuts.size(), 3U);
  const BinAxis axis = bins_of(sample, 1000);
  std::vector<int> counts(axis.size());
  for (const double value : sample.X.data) ++counts[axis.bin(value)];
  counts.pop_back();  // of gaps
  for (const int count : counts) EXPECT_GE(count, 5);
}

TEST(LabelBins, OfRowsOfWeightTwoAreThoseOfRowsTwice) {
  LabelledSample once = sample_of({1, 2, 3, 4, 5, 6}, {0, 0, 0, 1, 1, 1});
  once.weights.counts.assign(6, 2);
  LabelledSample twice =
      sample_of({1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6}, {0, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1});
  EXPECT_EQ(label_bins(once, 0, rows_by_value(once, 0), std::vector<double>(6, 2), 10), bins_of(twice));
  EXPECT_EQ(bins_of(twice).cuts, std::vector{3.5});
}

TEST(LabelBins, HaveNoCutWithoutAChange) {
  EXPECT_TRUE(
      bins_of(sample_of({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, std::vector<std::int32_t>(10, 0))).cuts.empty());
  EXPECT_TRUE(
      bins_of(sample_of(std::vector<double>(12, 3.0), {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1})).cuts.empty());
}

TEST(LabelBins, LeaveGapsOut) {
  const LabelledSample sample = sample_of({gap, 5, 1, gap, 3}, {0, 1, 0, 1, 0});
  EXPECT_EQ(rows_by_value(sample, 0), (std::vector<std::uint32_t>{2, 4, 1}));
}

TEST(LabelBins, OfACategoryAreItsLevels) {
  LabelledSample sample = sample_of({0, 1, 2, gap}, {0, 1, 0, 1});
  sample.levels = {{.names = {"a", "b", "c"}}};
  const BinAxis axis = label_bins(sample, 0, {}, std::vector<double>(4, 1), 10);
  EXPECT_EQ(axis, (BinAxis{.n_levels = 3}));
  EXPECT_EQ(axis.size(), 4U);
}

}  // namespace
}  // namespace dyad
