// Multinomial logistic regression in which the score of each class has features of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dyad/base/execution.h"
#include "dyad/base/float_rows.h"
#include "dyad/base/matrix_view.h"

namespace dyad {

/// Rows of K classes, with the features of their scores.
struct SoftmaxRows {
  std::vector<FloatRows> own;  ///< by class: the features of its score, n x m_k
  std::vector<Matrix>
      shared{};  ///< features that all scores have, each with a value for every row and class: n x K
  std::vector<std::int32_t> y{};  ///< class of each row
  std::vector<double> loss_weights{};

  [[nodiscard]] std::size_t n_classes() const { return own.size(); }
};

/// s_k(x) = intercepts[k] + weights[k] . own_k(x) + sum_f factors[f] shared_f(x, k)
struct SoftmaxSolution {
  std::vector<std::vector<double>> weights;
  std::vector<double> intercepts;
  std::vector<double> factors;
  double objective = 0;
  std::int64_t steps = 0;
  bool converged = false;  ///< ended by `tolerance`, not by `max_steps`
};

/// The curvature of the loss, which fits to the same rows share: products of their features that are weighted
/// by it, and the last steps of a fit.
///
/// A fit takes products where it can, and computes them anew where the curvature has changed.
struct SoftmaxCurvature {
  /// Products of the features of one class, or of both of two classes.
  struct Block {
    std::vector<float> of_columns{};  ///< products of two columns: of column i those with columns 0 .. i
    std::vector<double> of_rows{};    ///< of two rows instead, where there are more columns
    std::size_t n_cols = 0;           ///< columns that the products are of
    std::vector<float> weights{};     ///< roots of the curvatures, by row
    double total = 0;                 ///< sum of the curvatures
    std::size_t n_before_last = 0;    ///< columns of the first of two classes
  };
  /// A step, and the change of the gradient by it without the penalty's.
  struct Move {
    std::vector<double> step;
    std::vector<double> change;
  };
  std::vector<Block> blocks;
  std::vector<Move> moves{};          ///< of the last fit
  std::vector<std::size_t> layout{};  ///< where its parameters begin: those of intercepts, then of each class
};

struct SoftmaxOptions {
  double C = 1;
  double factor_C = 1;
  bool has_factors = true;  ///< whether shared features count
  double tolerance = 1e-4;  ///< a step is small that lowers the objective by less than this share
  int small_steps = 2;      ///< ends after so many of them in a row
  std::int64_t max_steps = 100;
};

/// Minimises   sum_i c_i (log sum_k exp s_k(x_i) - s_{y_i}(x_i)) / sum_i c_i  +  sum_k |weights_k|^2 / (2 C)
///             + |factors|^2 / (2 factor_C),   c_i the loss weights,
/// over those `rows`, with the leading n_cols[k] own features of each class.
///
/// First moves intercepts and factors alone by Newton steps, then all by limited-memory BFGS, preconditioned
/// by an inverse Hessian and with step lengths 1, 1/2, 1/4, .. until the objective falls. `warm` is a
/// solution with another C, or with fewer columns. A step costs O(n sum_k m_k). Results have the same bits
/// for any number of threads.
///
/// `curvature`, if given, is that of earlier fits to the same rows, with another C or with other numbers of
/// the same leading columns, and is kept up to date.
[[nodiscard]] SoftmaxSolution solve_softmax(const SoftmaxRows& problem, std::span<const std::uint32_t> rows,
                                            std::span<const std::size_t> n_cols,
                                            const SoftmaxOptions& options, const SoftmaxSolution& warm = {},
                                            const Execution& execution = {},
                                            SoftmaxCurvature* curvature = nullptr);

/// Scores of `rows`: rows.size() x K.
[[nodiscard]] Matrix softmax_scores(const SoftmaxRows& problem, std::span<const std::uint32_t> rows,
                                    const SoftmaxSolution& solution, const Execution& execution = {});

/// Scores of the `rows` that a solution was fitted to, with the same options, as if each had been left out:
/// those after one Newton step without it, of two classes on both, of more on each class by itself.
[[nodiscard]] Matrix left_out_scores(const SoftmaxRows& problem, std::span<const std::uint32_t> rows,
                                     const SoftmaxSolution& solution, const SoftmaxOptions& options,
                                     const Execution& execution = {});

/// Mean of -log P(y_i), weighted by `loss_weights`; P is the softmax of `slope` times the scores.
[[nodiscard]] double softmax_loss(const Matrix& scores, std::span<const std::int32_t> y,
                                  std::span<const double> loss_weights, double slope = 1);

}  // namespace dyad
