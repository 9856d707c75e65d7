// Linear classifiers with a smooth loss and an L2, L1 or elastic net penalty, which may make weights 0.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/linear/internal/training_rows.h"

namespace dyad::internal {

/// Solves   min over w, b:  P(w) + sum_i C c_i loss(y_i (w.x_i + b)),   P(w) = sum_j l1 |w_j| + l2 w_j^2 / 2.
///
/// options.loss is one of the smooth losses (`dyad/linear/losses.h`), options.penalty sets P. Rows have both
/// classes. Uses w and intercept of `warm`; `alpha` of the result is empty.
///
/// L2: Newton steps, their systems solved roughly by conjugate gradients in single precision, with
/// backtracking. With an L1 part, a proximal Newton step of the weights that are not 0 or violate the
/// conditions for it, by their Hessian (Lee, Sun and Saunders 2014). Where these are many, a proximal
/// gradient step finds the weights that are 0, and conjugate gradients move the others, cut off where one
/// would change its sign (as in Byrd, Chin, Nocedal and Oztoprak 2016). The intercept is moved to its best
/// place after each step.
///
/// Stops when (primal - dual) / primal <= options.tolerance, at the dual point alpha_i = -C c_i loss'(m_i),
/// scaled until |sum_i alpha_i y_i x_ij| <= 1 for each weight if the penalty is L1, and within the classes
/// until sum_i alpha_i y_i = 0. A round costs O(n p), a step of conjugate gradients O(n_violating n_free), a
/// Hessian O(n_violating n_free^2). Results have the same bits whenever run on the same kind of processor.
[[nodiscard]] LinearSolution solve_smooth_loss(TrainingRows rows, const SvmOptions& options,
                                               const LinearSolution& warm, const Execution& execution);

}  // namespace dyad::internal
