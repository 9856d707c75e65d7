// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <vector>

namespace dyad {
namespace {

TEST(Random, RepeatsFromTheSameSeedOnly) {
  Random a(1);
  Random b(1);
  Random c(2);
  for (int k = 0; k < 10; ++k) {
    const auto value = a.next();
    EXPECT_EQ(value, b.next());
    EXPECT_NE(value, c.next());
  }
}

TEST(Random, KeepsItsSequenceForEver) {
  // Seeds are promises: a change of these values changes every seeded result of the past.
  Random random(42);
  EXPECT_EQ(random.next(), 15021278609987233951U);
  EXPECT_EQ(random.next(), 5881210131331364753U);
}

TEST(Random, SplitsIntoDifferentStreamsWithoutMoving) {
  Random random(1);
  std::set<std::uint64_t> first;
  for (std::uint64_t stream = 0; stream < 1000; ++stream) first.insert(random.split(stream).next());
  EXPECT_EQ(first.size(), 1000U);
  EXPECT_EQ(random.next(), Random(1).next());
}

TEST(Random, HasTheMomentsOfItsDistributions) {
  Random random(3);
  const int n = 100000;
  double uniform_sum = 0;
  double normal_sum = 0;
  double normal_square = 0;
  double normal_fourth = 0;
  for (int k = 0; k < n; ++k) {
    uniform_sum += random.uniform();
    const double z = random.normal();
    normal_sum += z;
    normal_square += z * z;
    normal_fourth += z * z * z * z;
  }
  EXPECT_NEAR(uniform_sum / n, 0.5, 4 * std::sqrt(1.0 / 12 / n));
  EXPECT_NEAR(normal_sum / n, 0, 4 / std::sqrt(n));
  EXPECT_NEAR(normal_square / n, 1, 4 * std::sqrt(2.0 / n));
  EXPECT_NEAR(normal_fourth / n, 3, 4 * std::sqrt(96.0 / n));
}

TEST(Random, DrawsEveryPermutationEquallyOften) {
  Random random(4);
  std::vector<int> count(6, 0);
  const int n = 60000;
  for (int k = 0; k < n; ++k) {
    std::vector<int> order{0, 1, 2};
    random.shuffle(order);
    const auto first = static_cast<std::size_t>(order[0]);
    ++count[2 * first + (order[1] > order[2] ? 1 : 0)];
  }
  for (const int c : count) EXPECT_NEAR(c, n / 6.0, 4 * std::sqrt(n / 6.0));
}

}  // namespace
}  // namespace dyad
