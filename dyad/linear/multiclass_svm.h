// Support vector machines of several classes at once (Crammer and Singer 2001).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/base/matrix_view.h"
#include "dyad/linear/options.h"

namespace dyad {

/// Solution of   min over w_k, b_k:  sum_k (|w_k|^2 + b_k^2) / 2 + sum_i C c_i max over k of (e_ik + s_ik - s_iy),
/// s_ik = w_k.x_i + b_k, y the class of row i, e_ik = 0 for k = y and 1 otherwise: intercepts are weights of a constant column 1, penalised
/// as the others. Of two classes, the SVM with cost 2 C has w = w_1 - w_0 and, if its intercept is penalised, b = b_1 - b_0.
struct MulticlassSolution {
  std::vector<std::vector<double>> w;  ///< by class
  std::vector<double> intercepts;      ///< b
  std::vector<double> beta;  ///< dual variables: n_classes for each of `rows`, >= 0, adding up to C c_i
  double C = 0;              ///< what it was solved with
  double objective = 0;      ///< primal
  double gap = 0;            ///< (primal - dual at beta) / primal: bounds the relative error
  bool converged = false;    ///< gap <= tolerance
  std::int64_t steps =
      0;  ///< of conjugate gradients, each over the rows that more than one class contends for
};

/// Trains on those `rows` of X, and on its `n_cols` leading columns; y (0 .. n_classes - 1) and `weights` (c_i >= 0; empty: all 1) are
/// those of all rows of X. Of `options`, the intercept, loss and penalty must be, or are taken as, penalised, hinge and l2.
///
/// The dual is   max over beta:  sum_ik beta_ik e_ik - sum_k |v_k|^2 / 2,   v_k = sum_i ([y_i = k] C c_i - beta_ik) (x_i, 1),
/// beta_i in the simplex of size C c_i. It is solved as in `solve_linear`, by proximal point iterations: a round minimises
/// sum_k |w_k|^2 / 2 - sum_i C c_i s_iy + psi_i(e_i + s_i), the gradient of psi_i being beta_i(g) = the point of the simplex nearest to
/// centre_i + s C c_i g. Where beta_i has m > 1 positive elements its Jacobian is s C c_i (I - 11'/m) among them, else 0: Newton systems
/// hold few rows and few classes of each. Only w and intercepts of `warm` are used.
///
/// A Newton step costs O(n p K), memory is O(n K). The same bits whenever run on the same kind of processor.
/// Throws std::invalid_argument if sizes differ, or a class, row or column does not exist.
[[nodiscard]] MulticlassSolution solve_multiclass(const FloatRows& X, std::span<const std::uint32_t> rows,
                                                  std::size_t n_cols, std::span<const std::int32_t> y,
                                                  std::size_t n_classes, std::span<const double> weights,
                                                  const SvmOptions& options,
                                                  const MulticlassSolution& warm = {},
                                                  const Execution& execution = {});

}  // namespace dyad
