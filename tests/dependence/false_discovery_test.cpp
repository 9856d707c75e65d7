// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/false_discovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dyad/base/random.h"

namespace dyad {
namespace {

TEST(BenjaminiHochberg, AdjustsAKnownExample) {
  // p m / rank is 0.04, 0.04, 0.05, 0.2 for the sorted values, already monotone but for the ties.
  const std::vector<double> p{0.02, 0.2, 0.01, 0.0375};
  const auto q = benjamini_hochberg(p);
  EXPECT_DOUBLE_EQ(q[0], 0.04);
  EXPECT_DOUBLE_EQ(q[1], 0.2);
  EXPECT_DOUBLE_EQ(q[2], 0.04);
  EXPECT_DOUBLE_EQ(q[3], 0.05);
}

TEST(BenjaminiHochberg, KeepsWhatTheStepUpProcedureRejects) {
  // The procedure: the largest k with p_(k) <= a k / m; reject the k smallest.
  Random random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<double> p(30);
    for (double& value : p) value = random.uniform() * random.uniform();
    const auto q = benjamini_hochberg(p);
    auto sorted = p;
    std::ranges::sort(sorted);
    double cut = -1;
    for (std::size_t k = 0; k < sorted.size(); ++k)
      if (sorted[k] <= 0.1 * static_cast<double>(k + 1) / 30) cut = sorted[k];
    for (std::size_t k = 0; k < p.size(); ++k) EXPECT_EQ(q[k] <= 0.1, p[k] <= cut) << p[k];
  }
}

TEST(BenjaminiHochberg, OfManyTestsFollowsTheDefinitionOnAnyNumberOfThreads) {
  Random random(2);
  std::vector<double> p(30000);
  for (double& value : p) value = std::floor(1000 * random.uniform()) / 1000;  // with ties
  const auto q = benjamini_hochberg(p);
  auto sorted = p;
  std::ranges::sort(sorted);
  std::vector<double> smallest(p.size() + 1, 1.0);  // over the ranks from here on
  for (std::size_t k = p.size(); k > 0; --k)
    smallest[k - 1] = std::min(smallest[k], sorted[k - 1] * 30000 / static_cast<double>(k));
  for (std::size_t k = 0; k < p.size(); ++k)
    ASSERT_EQ(q[k],
              smallest[static_cast<std::size_t>(std::ranges::lower_bound(sorted, p[k]) - sorted.begin())]);
  EXPECT_EQ(benjamini_hochberg(p, Execution{.threads = 3}), q);
}

TEST(BenjaminiHochberg, HandlesTheEnds) {
  EXPECT_TRUE(benjamini_hochberg({}).empty());
  const std::vector<double> p{0, 1, 1};
  const auto q = benjamini_hochberg(p);
  EXPECT_EQ(q[0], 0);
  EXPECT_EQ(q[1], 1);
  EXPECT_EQ(q[2], 1);
}

}  // namespace
}  // namespace dyad
