// Support vector machines with the hinge loss, solved in the dual from a Gram matrix (paper, algorithm 1,
// step 4).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/linear/options.h"

namespace dyad {

/// Solution of   min over f, b:  |f|^2 / 2 + sum_i C c_i max(0, 1 - y_i (f(x_i) + b)),   f(x) = sum_i alpha_i
/// y_i k(x_i, x).
struct SvmSolution {
  std::vector<double> alpha;  ///< dual variables, 0 <= alpha_i <= C c_i
  double intercept = 0;       ///< b
  double C = 0;               ///< the C of the problem
  double norm = 0;            ///< |f|
  double objective = 0;       ///< primal
  double gap = 0;             ///< (primal - dual) / primal
  bool converged = false;     ///< gap <= tolerance
  std::int64_t iterations = 0;
};

/// Solves the dual by sequential minimal optimisation with second-order working sets (Fan, Chen and Lin
/// 2005).
///
/// `gram` is the n x n matrix k(x_i, x_k), y_i is +1 or -1, `loss_weights` holds a c_i >= 0 for each row
/// (empty: all 1). `warm` is the alpha of a related problem: it is clipped into the box, and used if it then
/// still satisfies the dual's equation. O(n) per step, O(n^2) at the start. Throws std::invalid_argument if
/// sizes differ, a label is not +1 or -1, or the options name another loss or penalty.
[[nodiscard]] SvmSolution solve_svm(const MatrixView& gram, std::span<const double> y,
                                    std::span<const double> loss_weights, const SvmOptions& options,
                                    std::span<const double> warm = {}, const Execution& execution = {});

/// Minimises the loss subject to |f| <= norm_bound: the Ivanov form of the paper's theory (section 4).
/// Without a bound, which is 0, this is `solve_svm`.
///
/// Solves for the C whose solution has that norm; options.C and `warm` are ignored. |f| is then between
/// 0.9999 norm_bound and norm_bound, unless it stops growing before the bound or C reaches 10 000.
[[nodiscard]] SvmSolution solve_svm_within(const MatrixView& gram, std::span<const double> y,
                                           std::span<const double> loss_weights, const SvmOptions& options,
                                           double norm_bound, std::span<const double> warm = {},
                                           const Execution& execution = {});

}  // namespace dyad
