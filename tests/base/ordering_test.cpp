// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/ordering.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "dyad/base/random.h"

namespace dyad {
namespace {

std::vector<std::uint32_t> stably_sorted(const std::vector<double>& keys) {
  std::vector<std::uint32_t> order(keys.size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  std::ranges::stable_sort(order, {}, [&](std::uint32_t k) { return keys[k]; });
  return order;
}

void expect_ordered(const std::vector<double>& keys) {
  const auto expected = stably_sorted(keys);
  for (const int threads : {1, 3})
    EXPECT_EQ(ordered_positions(
                  keys.size(), [&](std::size_t k) { return keys[k]; }, Execution{.threads = threads}),
              expected);
}

TEST(OrderedPositions, AreThoseOfAStableSort) {
  Random random(1);
  for (const std::size_t n : {0U, 1U, 2U, 1000U, 19999U, 20000U, 50000U}) {
    std::vector<double> keys(n);
    for (double& key : keys) key = random.normal();
    expect_ordered(keys);
    for (double& key : keys) key = std::max(0.0, key);  // half are equal
    expect_ordered(keys);
    std::ranges::sort(keys, std::greater<>());
    expect_ordered(keys);
  }
  expect_ordered(std::vector<double>(30000, 1.0));
}

}  // namespace
}  // namespace dyad
