// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/chances.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dyad/base/random.h"

namespace dyad {
namespace {

TEST(ToChances, IsTheDefinition) {
  Random random(1);
  Matrix scores(300, 3);
  for (double& score : scores.data) score = 3 * random.normal();
  Matrix chances(300, 3);
  std::vector<double> log_sums(300);
  to_chances(scores, chances, log_sums);
  for (std::size_t i = 0; i < 300; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += std::exp(scores(i, k));
    EXPECT_NEAR(log_sums[i], std::log(sum), 1e-11);
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(chances(i, k), std::exp(scores(i, k)) / sum, 1e-11);
  }
}

TEST(ToChances, TakesScoresThatAreFarApart) {
  Matrix scores(1, 2);
  scores(0, 0) = 5000;
  scores(0, 1) = -5000;
  std::vector<double> log_sums(1);
  to_chances(scores, scores, log_sums);  // in place
  EXPECT_NEAR(scores(0, 0), 1, 1e-12);
  EXPECT_NEAR(scores(0, 1), 0, 1e-300);
  EXPECT_NEAR(log_sums[0], 5000, 1e-9);
}

}  // namespace
}  // namespace dyad
