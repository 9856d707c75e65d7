// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/wilcoxon.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "tests/samples.h"

namespace dyad {
namespace {

/// Two-sided p-value by all 2^n assignments of signs.
double enumerated_p_value(const std::vector<double>& differences) {
  std::vector<double> d;
  std::ranges::copy_if(differences, std::back_inserter(d), [](double value) { return value != 0; });
  std::vector<double> ranks(d.size());
  for (std::size_t i = 0; i < d.size(); ++i) {
    double below = 0;
    double tied = 0;
    for (const double other : d) {
      below += std::abs(other) < std::abs(d[i]) ? 1 : 0;
      tied += std::abs(other) == std::abs(d[i]) ? 1 : 0;
    }
    ranks[i] = below + (tied + 1) / 2;
  }
  double observed = 0;
  double total = 0;
  for (std::size_t i = 0; i < d.size(); ++i) {
    observed += d[i] > 0 ? ranks[i] : 0;
    total += ranks[i];
  }
  const double smaller = std::min(observed, total - observed);
  double as_extreme = 0;
  const std::uint32_t n_signs = 1U << d.size();
  for (std::uint32_t signs = 0; signs < n_signs; ++signs) {
    double sum = 0;
    for (std::size_t i = 0; i < d.size(); ++i) sum += (signs >> i & 1U) != 0 ? ranks[i] : 0;
    as_extreme += sum <= smaller ? 1 : 0;
  }
  return std::min(1.0, 2 * as_extreme / n_signs);
}

TEST(Wilcoxon, IsExactWithTiesAndZeros) {
  Random random(1);
  for (int round = 0; round < 30; ++round) {
    std::vector<double> a(12);
    const std::vector<double> b(12, 0.0);
    for (double& value : a) value = std::round(4 * random.normal() + 1) / 2;
    const WilcoxonTest test = wilcoxon_signed_rank(a, b);
    EXPECT_TRUE(test.exact);
    EXPECT_NEAR(test.p_value, enumerated_p_value(a), 1e-12);
  }
}

TEST(Wilcoxon, MatchesAPublishedExample) {
  // Depression scale of 9 patients (Hollander and Wolfe 1973, table 3.1): V = 40, two-sided p = 0.0390625.
  const std::vector<double> first{1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06, 1.30};
  const std::vector<double> second{0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06, 3.14, 1.29};
  const WilcoxonTest test = wilcoxon_signed_rank(first, second);
  EXPECT_EQ(test.statistic, 40);
  EXPECT_DOUBLE_EQ(test.p_value, 0.0390625);
}

TEST(Wilcoxon, ApproximationMeetsTheExactValue) {
  auto a = test::normal_sample(50, 3);
  for (double& value : a) value += 0.3;
  const WilcoxonTest exact = wilcoxon_signed_rank(a, std::vector<double>(50, 0.0));
  a.push_back(
      1e-9);  // the smallest rank changes little, but one difference more is too many for the exact test
  const WilcoxonTest approximate = wilcoxon_signed_rank(a, std::vector<double>(51, 0.0));
  EXPECT_TRUE(exact.exact);
  EXPECT_FALSE(approximate.exact);
  EXPECT_NEAR(approximate.p_value, exact.p_value, 0.1 * exact.p_value + 2e-3);
}

TEST(Wilcoxon, OfEqualSamplesIsOne) {
  const std::vector<double> a{1, 2, 3};
  EXPECT_EQ(wilcoxon_signed_rank(a, a).p_value, 1);
}

TEST(Wilcoxon, RejectsBadInput) {
  const std::vector<double> a{1, 2, 3};
  const std::vector<double> b{1, 2};
  EXPECT_THROW(wilcoxon_signed_rank(a, b), std::invalid_argument);
}

TEST(Bonferroni, MultipliesByTheNumberOfTests) {
  const std::vector<double> p{0.01, 0.4, 0.02};
  const auto adjusted = bonferroni(p);
  EXPECT_DOUBLE_EQ(adjusted[0], 0.03);
  EXPECT_DOUBLE_EQ(adjusted[1], 1);
  EXPECT_DOUBLE_EQ(adjusted[2], 0.06);
}

}  // namespace
}  // namespace dyad
