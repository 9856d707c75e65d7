// The rounds of the solvers whose Newton steps need a smoothed hinge: the smoothing is about a centre, which moves to the solution.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>

#include "dyad/base/execution.h"

namespace dyad::internal {

constexpr int patience = 300;  ///< steps without a smaller gap before giving up

/// primal - dual = newton + centre: what Newton steps and what moving the centre can still gain.
struct RoundErrors {
  double newton = 0;
  double centre = 0;
  double move = 0;  ///< the price of leaving the centre
};

/// Newton steps until the solution, with members `gap`, `objective` and `converged`, is close enough, has not come closer for long, or
/// is_spent(). evaluate() tells its errors; where those of the centre have become the larger, the centre moves, and where they do not
/// halve by that, `stiffness` grows.
template <class Solution, class Evaluate, class IsSpent, class MoveCentre, class NewtonStep>
void run_proximal_rounds(const Solution& solution, double tolerance, double& stiffness,
                         const Execution& execution, const Evaluate& evaluate, const IsSpent& is_spent,
                         const MoveCentre& move_centre, const NewtonStep& newton_step) {
  double best_gap = std::numeric_limits<double>::infinity();
  double last_error = best_gap;
  for (int idle = 0;; ++idle) {
    throw_if_stopped(execution);
    const RoundErrors errors = evaluate();
    if (solution.gap < 0.99 * best_gap) {
      best_gap = solution.gap;
      idle = 0;
    }
    if (solution.converged || is_spent() || idle > patience) return;
    const double negligible = 0.01 * tolerance * solution.objective;
    if (errors.newton <= std::max(std::min(errors.centre, errors.move), negligible)) {
      if (errors.centre > 0.5 * last_error) stiffness *= 3;
      last_error = errors.centre;
      move_centre();
    }
    newton_step();
  }
}

}  // namespace dyad::internal
