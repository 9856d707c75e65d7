// Linear support vector machines on the rows that matter: those at or within the margin.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/linear/hinge_newton.h"

namespace dyad {

/// Inner products x_i . x_k of some rows of a matrix over its leading columns, in single precision.
///
/// Made once for many problems on the same rows: other labels, costs, or some of the rows. n (n + 64) / 2
/// floats.
class RowProducts {
 public:
  /// True if products of n rows are worth their time and memory: few rows, and no more than columns.
  [[nodiscard]] static bool are_worth(std::size_t n_rows, std::size_t n_cols);

  /// Products over no columns yet.
  explicit RowProducts(std::vector<std::uint32_t> rows);

  /// Adds the columns of X up to n_cols. O(n^2 p) for p new columns.
  void extend_to(const FloatRows& X, std::size_t n_cols, const Execution& execution = {});

  [[nodiscard]] std::size_t n_cols() const { return n_cols_; }
  /// The products of `some` of the rows, which must be among them.
  [[nodiscard]] Matrix of(std::span<const std::uint32_t> some) const;

 private:
  std::vector<std::uint32_t> rows_;
  std::size_t n_cols_ = 0;
  std::vector<float> tiles_;  ///< of the lower triangle
};

/// Solves the problem of `solve_linear` with the same arguments, limits and exceptions, on few rows at a
/// time.
///
/// A round solves for the active rows alone: those with alpha_i > 0 at the start or a margin below 1 so far.
/// The dual is solved from the Gram matrix of m active rows, in O(m^2 p), if they are fewer than the columns;
/// else Newton steps of `solve_linear` are taken. The round then reads all rows once, in O(n p), and adds
/// those with a loss. The gap is over all rows: alpha_i = 0 elsewhere is feasible. Without a start, many rows
/// are first solved for an eighth of them. Where most rows are active, and for smooth losses, this is
/// `solve_linear`. `products`, if not null, are those of all `rows` over n_cols columns, or of other columns
/// and then unused.
[[nodiscard]] LinearSolution solve_active_rows(const FloatRows& X, std::span<const std::uint32_t> rows,
                                               std::size_t n_cols, std::span<const double> y,
                                               std::span<const double> loss_weights,
                                               const SvmOptions& options, const LinearSolution& warm = {},
                                               const Execution& execution = {},
                                               const RowProducts* products = nullptr);

}  // namespace dyad
