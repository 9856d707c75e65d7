// The objective of a multinomial regression, its derivatives, and the features behind them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/linear/internal/eigen_maps.h"
#include "dyad/linear/softmax.h"

namespace dyad::internal {

/// The objective; its parameters are one list: factors, intercepts, then the weights of each class.
class SoftmaxProblem {
 public:
  SoftmaxProblem(const SoftmaxRows& problem, std::span<const std::uint32_t> rows,
                 std::span<const std::size_t> n_cols, const SoftmaxOptions& options,
                 const Execution& execution);

  [[nodiscard]] std::size_t n_parameters() const { return offsets_.back(); }
  [[nodiscard]] std::size_t n_common() const { return offsets_.front(); }
  [[nodiscard]] std::size_t offset(std::size_t k) const { return offsets_[k]; }
  [[nodiscard]] double loss_weight(std::size_t i) const { return loss_weights_[i]; }
  [[nodiscard]] std::size_t truth(std::size_t i) const { return truths_[i]; }

  /// The parameters of a solution with as many columns or fewer; 0 for others.
  [[nodiscard]] Eigen::VectorXd parameters_of(const SoftmaxSolution& solution) const;

  /// Scores, rows x K, which are linear in the parameters.
  [[nodiscard]] Matrix scores(const Eigen::VectorXd& parameters) const;

  /// The gradient of the objective at parameters whose scores have these residuals.
  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& parameters, const Matrix& residuals) const;

  /// The gradient of the penalty.
  [[nodiscard]] Eigen::VectorXd penalty_gradient(const Eigen::VectorXd& parameters) const;

  /// Where intercepts, the weights of each class, and other parameters begin.
  [[nodiscard]] std::vector<std::size_t> layout() const;

  [[nodiscard]] double penalty(const Eigen::VectorXd& parameters) const;

  /// Minimises over factors and intercepts alone, by damped Newton steps.
  void solve_common(Eigen::VectorXd& parameters) const;

  /// The objective at parameters that give `scores`; `residuals` become loss_weight_i (P_k(x_i) - [y_i = k]).
  [[nodiscard]] double objective(const Eigen::VectorXd& parameters, const Matrix& scores,
                                 Matrix& residuals) const;

  /// Curvature of the loss by the scores of each class: loss_weight_i P_k(x_i) (1 - P_k(x_i)).
  [[nodiscard]] Matrix curvatures(const Matrix& residuals) const;

  /// A row of the features of class k, the constant first.
  void copy_features(std::size_t i, std::size_t k, float factor, float* to) const;
  [[nodiscard]] std::size_t n_rows() const { return rows_.size(); }
  [[nodiscard]] std::size_t n_classes() const { return n_classes_; }
  [[nodiscard]] std::size_t n_cols(std::size_t k) const { return n_cols_[k]; }
  [[nodiscard]] std::size_t n_shared() const { return n_shared_; }
  [[nodiscard]] double ridge() const { return 1 / options_.C; }
  [[nodiscard]] const Execution& execution() const { return execution_; }

 private:
  [[nodiscard]] Eigen::Index n_factors() const { return index(n_shared_); }

  /// Adds the derivatives by factors and intercepts, of the second ones the lower triangle.
  void add_common_derivatives(const Matrix& scores, Eigen::VectorXd& gradient,
                              Eigen::MatrixXd& hessian) const;

  const SoftmaxRows& problem_;
  std::span<const std::uint32_t> rows_;
  std::span<const std::size_t> n_cols_;
  SoftmaxOptions options_;
  const Execution& execution_;
  std::size_t n_shared_;
  std::size_t n_classes_;
  std::vector<std::size_t> offsets_;   ///< where the weights of each class begin, and end
  std::vector<double> loss_weights_;   ///< loss weights of `rows`, adding up to 1
  std::vector<std::uint32_t> truths_;  ///< classes of `rows`
};

}  // namespace dyad::internal
