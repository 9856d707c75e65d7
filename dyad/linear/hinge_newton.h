// Linear support vector machines on many rows, without a Gram matrix, by Newton steps.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/linear/options.h"

namespace dyad {

/// Solution of   min over w, b:  |w|^2 / 2 + sum_i C c_i max(0, 1 - y_i (w.x_i + b)).
struct LinearSolution {
  std::vector<double> w;
  double intercept = 0;        ///< b
  std::vector<double> alpha;   ///< feasible dual variables of all rows of X, 0 outside the rows trained on
  double C = 0;                ///< the C of the problem
  double norm = 0;             ///< |w|
  double objective = 0;        ///< primal, at w and b
  double gap = 0;              ///< (primal at w and b - dual at alpha) / primal: bounds the relative error
  bool converged = false;      ///< gap <= tolerance
  std::int64_t steps = 0;      ///< steps of conjugate gradients
  std::int64_t row_reads = 0;  ///< work: each reads 4 n_cols bytes
};

/// Trains on those `rows` of X and on its `n_cols` leading columns.
///
/// y (+1 or -1) and `loss_weights` (c_i >= 0; empty: all 1) belong to all rows of X. options.max_iterations
/// limits `steps`. A loss other than the hinge is solved by `internal/smooth_loss.h`.
///
/// The algorithm is a proximal point iteration on the dual, as in the augmented Lagrangian method of Yan and
/// Li (2020). A round minimises
///   |w|^2 / 2 + sum_i psi_i(1 - y_i (w.x_i + b)),   psi_i'(g) = alpha_i(g) = min(max(0, centre_i + s C c_i
///   g), C c_i),
/// where `centre` is the last round's alpha and s, the stiffness, grows when rounds gain little. A round
/// takes semismooth Newton steps with exact line search; their systems, I + s C sum_i c_i x_i x_i' over the
/// rows with 0 < alpha_i < C c_i, are solved by conjugate gradients in single precision. Without a start,
/// many rows are first solved for an eighth of them.
///
/// `warm` is the solution of a related problem: with another C, other rows, or fewer columns. A step costs
/// O(m p) for m rows inside their box; some 10 Newton steps cost O(n p) each. On standardised columns the gap
/// reaches 1e-6, on few rows 1e-9; on columns of very different scales it may not, and `converged` is then
/// false. Results have the same bits whenever run on the same kind of processor. Rows of one class give w = 0
/// and that class. Throws std::invalid_argument if sizes differ, a label is not +1 or -1, a row or column
/// does not exist, or options conflict.
[[nodiscard]] LinearSolution solve_linear(const FloatRows& X, std::span<const std::uint32_t> rows,
                                          std::size_t n_cols, std::span<const double> y,
                                          std::span<const double> loss_weights, const SvmOptions& options,
                                          const LinearSolution& warm = {}, const Execution& execution = {});

/// w.x_i + intercept for each of `rows`; w belongs to the leading columns. O(rows.size() * w.size()).
[[nodiscard]] std::vector<double> decision_values(const FloatRows& X, std::span<const std::uint32_t> rows,
                                                  std::span<const double> w, double intercept);

}  // namespace dyad
