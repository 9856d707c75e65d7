// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/internal/isotonic.h"

#include <algorithm>
#include <cassert>
#include <cstddef>

namespace dyad::internal {
namespace {

/// Neighbouring values that have one mean.
struct PooledValues {
  std::size_t end = 0;
  double weight = 0;
  double mean = 0;
};

}  // namespace

void make_isotonic(std::span<double> values, std::span<const double> weights) {
  assert(values.size() == weights.size());
  std::vector<PooledValues> pools;
  for (std::size_t k = 0; k < values.size(); ++k) {
    PooledValues next{k + 1, weights[k], values[k]};
    for (; !pools.empty() && pools.back().mean > next.mean; pools.pop_back()) {
      const PooledValues& before = pools.back();
      const double weight = before.weight + next.weight;
      next.mean = before.mean + (next.mean - before.mean) * (next.weight / weight);
      next.weight = weight;
    }
    pools.push_back(next);
  }
  std::size_t k = 0;
  for (const PooledValues& pool : pools)
    for (; k < pool.end; ++k) values[k] = pool.mean;
}

}  // namespace dyad::internal
