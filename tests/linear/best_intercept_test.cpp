// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/best_intercept.h"

#include <gtest/gtest.h>

#include "dyad/base/random.h"
#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using internal::best_intercept;

/// Margins of overlapping classes, some of them equal.
struct Rows {
  std::vector<double> f, y, cost;
};

Rows overlapping(std::size_t n, std::uint64_t seed, bool equal_costs) {
  Random random(seed);
  Rows rows;
  for (std::size_t i = 0; i < n; ++i) {
    rows.y.push_back(i % 3 == 0 ? 1 : -1);
    rows.f.push_back(std::round(20 * (rows.y.back() + random.normal())) / 20);
    rows.cost.push_back(equal_costs ? 1 : i % 7 == 0 ? 0 : std::exp(random.normal()));
  }
  return rows;
}

TEST(BestIntercept, IsThatOfAllKinksInOrder) {
  for (const std::size_t n : {1U, 2U, 5U, 32U, 33U, 34U, 100U, 1000U})
    for (const std::uint64_t seed : {1U, 2U, 3U})
      for (const bool equal_costs : {false, true}) {
        const auto [f, y, cost] = overlapping(n, seed, equal_costs);
        test::expect_close(best_intercept(f, y, cost), oracle::best_intercept(f, y, cost), 1e-15,
                           std::to_string(n) + " rows", 1e-15);
      }
}

TEST(BestIntercept, IsTheMiddleOfAnInterval) {
  std::vector<double> f;
  std::vector<double> y;
  for (int i = 0; i < 50; ++i)
    for (const double sign : {-1.0, 1.0}) {
      f.push_back(sign * (1.5 + 0.01 * i));
      y.push_back(sign);
    }
  EXPECT_NEAR(best_intercept(f, y, std::vector<double>(f.size(), 1.0)), 0, 1e-15);
  EXPECT_EQ(best_intercept({}, {}, {}), 0);
}

}  // namespace
}  // namespace dyad
