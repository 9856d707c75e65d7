// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/pairs.h"

#include <gtest/gtest.h>

namespace dyad {
namespace {

TEST(PairAt, IsTheInverseOfPairIndex) {
  for (const std::size_t d : {2U, 3U, 4U, 7U, 8U, 9U, 64U, 65U})
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i + 1; j < d; ++j) {
        const FeaturePair pair = pair_at(pair_index(i, j, d), d);
        ASSERT_EQ(pair.i, i) << d;
        ASSERT_EQ(pair.j, j) << d;
      }
  constexpr std::size_t many = 92682;  // the most features whose pairs 32 bits can number
  constexpr FeaturePair last = pair_at(pair_count(many) - 1, many);
  EXPECT_EQ(last.i, many - 2);
  EXPECT_EQ(last.j, many - 1);
}

}  // namespace
}  // namespace dyad
