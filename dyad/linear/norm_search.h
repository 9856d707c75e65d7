// Search for the C whose SVM has a given norm (paper, section 4: the Ivanov form).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

namespace dyad {

/// Searches for the C at which the norm of solve_at(C, warm) is between 0.9999 norm_bound and norm_bound.
///
/// A solution has members `C`, `norm` and `converged`. Where the norm stops growing before the bound, or C
/// reaches 10 000, the search ends there.
template <class Solution, class SolveAt>
Solution search_norm(double norm_bound, const SolveAt& solve_at) {
  constexpr double first_C = 1e-6;
  constexpr double largest_C = 1e4;
  Solution solution = solve_at(first_C, Solution{});
  // The norm grows with C, and is proportional to it while C is small.
  while (solution.norm > norm_bound)
    solution = solve_at(std::min(0.5, norm_bound / solution.norm) * solution.C, solution);
  Solution within = solution;
  while (solution.norm <= norm_bound && solution.C < largest_C && solution.converged) {
    within = solution;
    solution = solve_at(4 * within.C, within);
    if (solution.norm <= norm_bound && solution.norm < 1.001 * within.norm) return solution;
  }
  if (solution.norm <= norm_bound) return solution;
  double too_large = solution.C;
  for (int step = 0; step < 60 && within.norm < (1 - 1e-4) * norm_bound; ++step) {
    solution = solve_at(std::sqrt(within.C * too_large), solution);
    if (solution.norm > norm_bound)
      too_large = solution.C;
    else
      within = solution;
  }
  return within;
}

}  // namespace dyad
