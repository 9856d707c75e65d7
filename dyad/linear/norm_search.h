// Search for the C whose SVM has a given norm (paper, section 4: the Ivanov form).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

namespace dyad {

/// Searches for the C at which norm_of(solve_at(C, warm)) is between 0.9999 norm_bound and norm_bound.
///
/// A solution has members `C` and `converged`. Where the norm stops growing before the bound, or C reaches 10 000, the search ends
/// there.
template <class Solution, class SolveAt, class NormOf>
Solution search_norm(double norm_bound, const SolveAt& solve_at, const NormOf& norm_of) {
  constexpr double first_C = 1e-6;
  constexpr double largest_C = 1e4;
  Solution solution = solve_at(first_C, Solution{});
  // The norm grows with C, and is proportional to it while C is small.
  while (norm_of(solution) > norm_bound)
    solution = solve_at(std::min(0.5, norm_bound / norm_of(solution)) * solution.C, solution);
  Solution within = solution;
  while (norm_of(solution) <= norm_bound && solution.C < largest_C && solution.converged) {
    within = solution;
    solution = solve_at(4 * within.C, within);
    if (norm_of(solution) <= norm_bound && norm_of(solution) < 1.001 * norm_of(within)) return solution;
  }
  if (norm_of(solution) <= norm_bound) return solution;
  double too_large = solution.C;
  for (int step = 0; step < 60 && norm_of(within) < (1 - 1e-4) * norm_bound; ++step) {
    solution = solve_at(std::sqrt(within.C * too_large), solution);
    if (norm_of(solution) > norm_bound)
      too_large = solution.C;
    else
      within = solution;
  }
  return within;
}

}  // namespace dyad
