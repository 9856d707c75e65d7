// Rows that a linear classifier is trained on, and the steps that its solvers share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/linear/hinge_newton.h"
#include "dyad/linear/internal/row_arithmetic.h"

namespace dyad::internal {

/// sum_i alpha_i y_i (x_i, 1) over the rows of class -1 and over those of class +1.
using ClassSums = std::array<std::vector<double>, 2>;

/// Rows x_i with labels y_i and costs C_i = C c_i, c_i the loss weight; rows without cost are left out.
///
/// Vectors in the space of w hold the intercept's element last, after the columns padded to whole lines with
/// zeros.
struct TrainingRows {
  TrainingRows(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
               std::span<const double> y, std::span<const double> loss_weights, const SvmOptions& options);

  std::size_t n_cols;
  std::size_t last;  ///< position of the intercept's element
  std::vector<std::uint32_t> row;
  std::vector<const float*> x;
  std::vector<double> y;
  std::vector<double> C;
  std::int64_t steps = 0;  ///< counters of `LinearSolution`
  std::int64_t reads = 0;

  [[nodiscard]] std::size_t size() const { return x.size(); }
  [[nodiscard]] std::size_t side(std::size_t i) const { return y[i] > 0 ? 1 : 0; }
  [[nodiscard]] bool has_one_class() const;

  /// out_i = y_i (x_i, 1).u
  void read_margins(const std::vector<double>& u, std::vector<double>& out);

  /// v += alpha y_i (x_i, 1), for the class of row i.
  void add_row(std::size_t i, double alpha, ClassSums& v) const;

  /// Factors of the alphas of the classes (-1, +1) that make sum_i alpha_i y_i = 0 without raising any.
  [[nodiscard]] std::array<double, 2> balance(const ClassSums& v) const;
};

/// Rows that have curvature: the part sum_k scale_k (x_k, 1) (x_k, 1)' of a Hessian, in single precision.
struct CurvedRows {
  std::vector<const float*> x;
  std::vector<float> scale;

  void add(const float* row, double curvature);
  void pad_to_fours();
  /// q += (sum_k scale_k (x_k, 1) (x_k, 1)') p for a number of rows that is a multiple of four; the intercept
  /// is at `last`.
  void add_product(const std::vector<float>& p, std::size_t last, std::vector<float>& q) const;
};

/// Solves H d = `residual` roughly by conjugate gradients in single precision, multiply(p) being H p.
///
/// Starts from 0 and ends when the squared residual has fallen to the share `enough`, after 50 steps, or
/// where H has no curvature.
template <class Multiply>
[[nodiscard]] std::vector<float> conjugate_gradients(std::vector<float> residual, float enough,
                                                     const Multiply& multiply) {
  std::vector<float> d(residual.size());
  std::vector<float> p = residual;
  float squared = product(residual, residual);
  const float target = enough * squared;
  for (int step = 0; step < 50 && squared > target; ++step) {
    const std::vector<float> q = multiply(p);
    const float curvature = product(p, q);
    if (!(curvature > 0)) break;
    const float length = squared / curvature;
    for (std::size_t j = 0; j < d.size(); ++j) {
      d[j] += length * p[j];
      residual[j] -= length * q[j];
    }
    const float last_squared = squared;
    squared = product(residual, residual);
    for (std::size_t j = 0; j < p.size(); ++j) p[j] = residual[j] + squared / last_squared * p[j];
  }
  return d;
}

/// Ends a solver's rounds.
class Patience {
 public:
  /// Returns true once the solution has converged, the steps are used up, or 300 rounds have not lowered the
  /// smallest gap by a hundredth.
  [[nodiscard]] bool is_over(const LinearSolution& solution, std::int64_t steps, const SvmOptions& options);

 private:
  double best_gap_ = std::numeric_limits<double>::infinity();
  int idle_ = 0;
};

/// w and intercept of `warm`, a solution of perhaps fewer columns, as a vector in the space of w; zeros if it
/// is empty.
[[nodiscard]] std::vector<double> start_of(const TrainingRows& rows, const LinearSolution& warm);

void set_gap(LinearSolution& solution, double primal, double dual, double tolerance);

/// Writes w, its norm, C and the counters.
void set_weights(LinearSolution& solution, const std::vector<double>& w, const TrainingRows& rows,
                 const SvmOptions& options);

}  // namespace dyad::internal
