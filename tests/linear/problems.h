// Linear problems of two classes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "dyad/base/float_rows.h"
#include "dyad/base/gather.h"
#include "dyad/base/random.h"
#include "dyad/linear/linear_svm.h"

namespace dyad::test {

struct Problem {
  std::string name;
  FloatRows X;
  std::vector<double> y;
  std::vector<double> weights;

  [[nodiscard]] std::vector<std::uint32_t> rows() const { return all_rows<std::uint32_t>(X.n_rows()); }
  [[nodiscard]] LinearSolution solve(const SvmOptions& options) const {
    return solve_linear(X, rows(), X.n_cols(), y, weights, options);
  }
};

/// Correlated normal columns; the label follows the first few, with noise and an offset of `shift`.
inline Problem draw(const std::string& name, std::size_t n, std::size_t p, double noise, double shift = 0.2) {
  Problem problem{name, FloatRows(n, p), {}, {}};
  Random random(n + p);
  for (std::size_t i = 0; i < n; ++i) {
    const double common = random.normal();
    double rule = shift;
    for (std::size_t j = 0; j < p; ++j) {
      const double value = 0.6 * common + random.normal();
      problem.X.row(i)[j] = static_cast<float>(value);
      if (j < 4) rule += value * (j % 2 == 0 ? 1 : -0.6);
    }
    problem.y.push_back(rule + noise * random.normal() > 0 ? 1 : -1);
  }
  return problem;
}

/// Problems with repeated rows, constant columns, rows of weight 0, few rows of a class, more columns than
/// rows.
inline std::vector<Problem> problems() {
  std::vector<Problem> result;
  result.push_back(draw("overlapping", 120, 9, 1));
  result.push_back(draw("separable", 60, 5, 0));
  result.push_back(draw("more columns than rows", 40, 70, 0.5));
  result.push_back(draw("unbalanced with weights", 150, 6, 0.5, 2));
  for (std::size_t i = 0; i < 150; ++i)
    result.back().weights.push_back(i % 7 == 0 ? 0 : result.back().y[i] > 0 ? 0.3 : 2);
  result.push_back(draw("repeated rows and constant columns", 80, 6, 0.6));
  FloatRows& X = result.back().X;
  for (std::size_t i = 0; i < 80; ++i) {
    if (i >= 40) std::ranges::copy(X.row(i - 40), X.row(i).begin());
    X.row(i)[2] = 0;
    X.row(i)[4] = 1;
  }
  return result;
}

}  // namespace dyad::test
