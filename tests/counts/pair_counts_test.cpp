// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/counts/pair_counts.h"

#include <gtest/gtest.h>

#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

/// Rows at random places from `lowest` to `highest`, given in 1/256 steps.
std::vector<Place> random_places(std::size_t n, unsigned lowest, unsigned highest, std::uint64_t seed) {
  Random random(seed);
  std::vector<Place> places(n);
  for (Place& place : places) place = static_cast<Place>(lowest + random.below(highest - lowest + 1));
  return places;
}

std::vector<Place> on_axis(std::size_t n, std::size_t size, std::uint64_t seed) {
  return random_places(n, 0, static_cast<unsigned>(256 * (size - 1)), seed);
}

/// Half a step or more from the ends.
std::vector<Place> inside_axis(std::size_t n, std::size_t size, std::uint64_t seed) {
  return random_places(n, 128, static_cast<unsigned>(256 * (size - 1) - 129), seed);
}

PairCounts filled(std::size_t n_x, std::size_t n_y, std::span<const Place> x, std::span<const Place> y) {
  PairCounts counts(n_x, n_y);
  counts.fill(x, y);
  return counts;
}

std::int64_t at(const PairCounts& counts, std::size_t a, std::size_t b) {
  return counts.values()[a * counts.n_y() + b];
}

TEST(PairCounts, FillIsLinearBinning) {
  const auto x = on_axis(40, 5, 1);
  const auto y = on_axis(40, 9, 2);
  const PairCounts counts = filled(5, 9, x, y);
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = 0; b < 9; ++b) {
      std::int64_t expected = 0;
      for (std::size_t i = 0; i < x.size(); ++i)
        expected +=
            oracle::linear_count(x[i], y[i], static_cast<std::int64_t>(a), static_cast<std::int64_t>(b));
      EXPECT_EQ(at(counts, a, b), expected) << a << ", " << b;
    }
  EXPECT_EQ(counts.total(), 40 * PairCounts::one);
}

TEST(PairCounts, ARowOnTheLastNodesCountsThere) {
  for (const std::size_t size : {1U, 2U, 256U}) {
    const std::vector<Place> last{static_cast<Place>(256 * (size - 1))};
    const PairCounts counts = filled(size, size, last, last);
    EXPECT_EQ(at(counts, size - 1, size - 1), PairCounts::one) << size;
    EXPECT_EQ(counts.total(), PairCounts::one) << size;
    PairCounts weighted(size, size);
    weighted.fill(last, last, std::vector<std::uint32_t>{1});
    EXPECT_TRUE(weighted == counts) << size;
  }
}

TEST(PairCounts, SumsOverAnAxisAreTheCountsOfTheOtherAlone) {
  const auto x = on_axis(60, 7, 3);
  const auto y = on_axis(60, 4, 4);
  const PairCounts counts = filled(7, 4, x, y);
  std::vector<std::int64_t> margin_x(7);
  std::vector<std::int64_t> margin_y(4);
  for (std::size_t a = 0; a < 7; ++a)
    for (std::size_t b = 0; b < 4; ++b) {
      margin_x[a] += at(counts, a, b);
      margin_y[b] += at(counts, a, b);
    }
  const std::vector<Place> on_node(60, 0);
  const PairCounts x_alone = filled(7, 1, x, on_node);
  const PairCounts y_alone = filled(1, 4, on_node, y);
  for (std::size_t a = 0; a < 7; ++a) EXPECT_EQ(margin_x[a], at(x_alone, a, 0));
  for (std::size_t b = 0; b < 4; ++b) EXPECT_EQ(margin_y[b], at(y_alone, 0, b));
}

TEST(PairCounts, AreTheSameInWhateverOrderAndPartsRowsCome) {
  const std::size_t n = 1000;
  const auto x = on_axis(n, 30, 5);
  const auto y = on_axis(n, 20, 6);
  const PairCounts all = filled(30, 20, x, y);

  std::vector<Place> reversed_x(x.rbegin(), x.rend());
  std::vector<Place> reversed_y(y.rbegin(), y.rend());
  EXPECT_TRUE(filled(30, 20, reversed_x, reversed_y) == all);

  const std::span<const Place> xs(x);
  const std::span<const Place> ys(y);
  const PairCounts first = filled(30, 20, xs.first(333), ys.first(333));
  PairCounts rest = filled(30, 20, xs.subspan(333), ys.subspan(333));
  PairCounts in_steps = first;
  in_steps.fill(xs.subspan(333), ys.subspan(333));
  EXPECT_TRUE(in_steps == all);
  PairCounts left = all;
  left -= first;
  EXPECT_TRUE(left == rest);
  rest += first;
  EXPECT_TRUE(rest == all);
  rest -= all;
  EXPECT_TRUE(rest == PairCounts(30, 20));
}

TEST(PairCounts, AWeightIsThatManyRows) {
  const auto x = on_axis(50, 6, 7);
  const auto y = on_axis(50, 6, 8);
  std::vector<std::uint32_t> weights;
  std::vector<Place> repeated_x;
  std::vector<Place> repeated_y;
  for (std::uint32_t i = 0; i < 50; ++i) {
    weights.push_back(i % 4);
    repeated_x.insert(repeated_x.end(), i % 4, x[i]);
    repeated_y.insert(repeated_y.end(), i % 4, y[i]);
  }
  PairCounts weighted(6, 6);
  weighted.fill(x, y, weights);
  EXPECT_TRUE(weighted == filled(6, 6, repeated_x, repeated_y));
}

TEST(PairCounts, LargeWeightsStayExact) {
  const std::vector<Place> x{100};
  const std::vector<Place> y{511};
  PairCounts counts(3, 3);
  for (int k = 0; k < 100; ++k) counts.fill(x, y, std::vector<std::uint32_t>{4294967295U});
  EXPECT_EQ(at(counts, 0, 1), 100 * std::int64_t{4294967295} * 156 * 1);
  EXPECT_EQ(at(counts, 1, 2), 100 * std::int64_t{4294967295} * 100 * 255);
}

TEST(PairCounts, MoreRowsThan32BitsHoldAreExact) {
  for (const std::size_t n : {65535U, 65536U, 131071U, 200000U}) {
    const std::vector<Place> on_node(n, 256);
    const PairCounts counts = filled(3, 3, on_node, on_node);
    EXPECT_EQ(at(counts, 1, 1), static_cast<std::int64_t>(n) * PairCounts::one);
    EXPECT_EQ(counts.total(), static_cast<std::int64_t>(n) * PairCounts::one);
    PairCounts quadratic(3, 3);
    quadratic.fill_quadratic(on_node, on_node);
    EXPECT_EQ(at(quadratic, 1, 1), static_cast<std::int64_t>(n) * 192 * 192);
    EXPECT_EQ(quadratic.total(), static_cast<std::int64_t>(n) * PairCounts::one);
  }
}

// --- quadratic shares ---

TEST(QuadraticShares, KeepTheMassAndTheMeanAndWidenAllRowsAlike) {
  for (int offset = -128; offset < 128; ++offset) {
    const auto [before, at, after] = quadratic_shares(offset);
    EXPECT_GE(std::min({before, at, after}), 0);
    EXPECT_EQ(before + at + after, 256) << offset;
    EXPECT_EQ(after - before, offset) << offset;
    const double mean = offset / 256.0;
    EXPECT_NEAR((before + after) / 256.0 - mean * mean, 0.25, 1.0 / 256) << offset;
    EXPECT_NEAR(at / 256.0, oracle::quadratic_spline(mean), 1.01 / 256) << offset;
    EXPECT_NEAR(after / 256.0, oracle::quadratic_spline(1 - mean), 0.51 / 256) << offset;
  }
}

TEST(PairCounts, FillQuadraticSpreadsARowOverThreeByThreeNodes) {
  for (const std::size_t size : {3U, 11U, 256U}) {
    const auto x = inside_axis(30, size, 9);
    const auto y = inside_axis(30, 5, 10);
    PairCounts counts(size, 5);
    counts.fill_quadratic(x, y);
    std::vector<std::int64_t> expected(size * 5);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const int a = (x[i] + 128) / 256;
      const int b = (y[i] + 128) / 256;
      const auto [x_before, x_at, x_after] = quadratic_shares(x[i] - 256 * a);
      const auto [y_before, y_at, y_after] = quadratic_shares(y[i] - 256 * b);
      const std::int64_t along_x[] = {x_before, x_at, x_after};
      const std::int64_t along_y[] = {y_before, y_at, y_after};
      for (int k = 0; k < 3; ++k)
        for (int l = 0; l < 3; ++l)
          expected[static_cast<std::size_t>((a + k - 1) * 5 + b + l - 1)] += along_x[k] * along_y[l];
    }
    EXPECT_TRUE(std::ranges::equal(counts.values(), expected)) << size;
  }
}

TEST(PairCounts, FillQuadraticTakesPlacesHalfAStepFromTheEnds) {
  const std::vector<Place> ends{128, 255 * 256 - 129};
  PairCounts counts(256, 256);
  counts.fill_quadratic(ends, ends);
  EXPECT_EQ(counts.total(), 2 * PairCounts::one);
  EXPECT_EQ(at(counts, 0, 0), 128 * 128);
  EXPECT_EQ(at(counts, 255, 255), 127 * 127);
}

TEST(PairCounts, QuadraticRowsCanBeTakenOutAgain) {
  const auto x = inside_axis(500, 40, 11);
  const auto y = inside_axis(500, 40, 12);
  const std::span<const Place> xs(x);
  const std::span<const Place> ys(y);
  PairCounts all(40, 40);
  all.fill_quadratic(x, y);
  PairCounts part(40, 40);
  part.fill_quadratic(xs.first(77), ys.first(77));
  PairCounts rest(40, 40);
  rest.fill_quadratic(xs.subspan(77), ys.subspan(77));
  all -= part;
  EXPECT_TRUE(all == rest);
}

}  // namespace
}  // namespace dyad
