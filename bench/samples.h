// Inputs of the benchmarks, from fixed seeds, and the check that a timed answer is right.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dyad/base/matrix_view.h"
#include "dyad/base/random.h"

namespace dyad::bench {

inline std::vector<double> normal_sample(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(n);
  for (double& value : x) value = random.normal();
  return x;
}

inline Matrix normal_matrix(std::size_t n, std::size_t d, std::uint64_t seed) {
  Matrix X(n, d);
  X.data = normal_sample(n * d, seed);
  return X;
}

/// Ends the benchmark with an error unless both values agree.
inline bool check(benchmark::State& state, double actual, double expected, double tolerance) {
  if (std::abs(actual - expected) <= tolerance * std::abs(expected)) return true;
  state.SkipWithError(
      ("wrong answer: " + std::to_string(actual) + " for " + std::to_string(expected)).c_str());
  return false;
}

}  // namespace dyad::bench
