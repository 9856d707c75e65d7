// The inverse Hessian of a multinomial regression, from products that fits to the same rows share.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "dyad/linear/internal/cholesky.h"
#include "dyad/linear/internal/softmax_problem.h"

namespace dyad::internal {

/// The features of one block of the Hessian. A block holds the intercept and weights of one class; with two
/// classes a single block holds both, and the features of class 1 are negated, since scores enter by their
/// difference.
class BlockFeatures {
 public:
  BlockFeatures(const SoftmaxProblem& problem, std::size_t block) : problem_(problem), block_(block) {}

  [[nodiscard]] static std::size_t count(const SoftmaxProblem& problem) {
    return problem.n_classes() == 2 ? 1 : problem.n_classes();
  }
  [[nodiscard]] std::size_t n_cols() const {
    return joins() ? problem_.n_cols(0) + problem_.n_cols(1) + 2 : problem_.n_cols(block_) + 1;
  }
  [[nodiscard]] std::size_t n_before_last() const { return joins() ? problem_.n_cols(0) + 1 : 0; }
  [[nodiscard]] std::size_t n_rows() const { return problem_.n_rows(); }
  [[nodiscard]] const Execution& execution() const { return problem_.execution(); }

  /// Writes the features of a row times a factor.
  void copy_row(std::size_t i, float factor, float* to) const {
    problem_.copy_features(i, joins() ? 0 : block_, factor, to);
    if (joins()) problem_.copy_features(i, 1, -factor, to + n_before_last());
  }
  /// Calls visit(place, parameter) for intercept and weights of the classes of the block.
  template <class Visit>
  void each_parameter(const Visit& visit) const {
    std::size_t place = 0;
    for (std::size_t k = joins() ? 0 : block_; k < (joins() ? 2 : block_ + 1); ++k) {
      visit(place++, problem_.n_shared() + k);
      for (std::size_t j = 0; j < problem_.n_cols(k); ++j) visit(place++, problem_.offset(k) + j);
    }
  }

 private:
  [[nodiscard]] bool joins() const { return problem_.n_classes() == 2; }

  const SoftmaxProblem& problem_;
  std::size_t block_;
};

/// The inverse of a block of the Hessian, A'A + ridge: by products of the columns of A or, where there are
/// more columns than rows, of its rows:  (A'A + r)^-1 = (1 - A' (AA' + r)^-1 A) / r.
class BlockInverse {
 public:
  BlockInverse(const BlockFeatures& features, std::span<const double> curvature, double ridge,
               SoftmaxCurvature::Block& known);

  /// Replaces v by H^-1 v.
  void apply(Eigen::VectorXd& v) const;

  /// x' H^-1 x of the rows.
  void quadratic_forms(std::span<double> out) const;

 private:
  using Known = SoftmaxCurvature::Block;
  /// Forgets products of another curvature.
  void require_weights(std::span<const double> curvature, double total, Known& known) const;

  void invert_by_columns(double ridge, Known& known);

  /// Computes the products of the columns that are not known yet.
  void add_columns(Known& known) const;

  /// Computes the products of the rows by the columns that are not known yet.
  void add_products_of_rows(Known& known) const;

  void invert_by_rows(double ridge, Known& known);

  BlockFeatures features_;
  bool by_rows_;
  double factor_;  ///< of the curvature, beside that of the known products
  std::optional<Cholesky<float>> columns_inverse_;
  FloatRows rows_{0, 0};  ///< A, but for the root of the factor
  std::optional<Cholesky<double>> rows_inverse_;
  double ridge_ = 0;
};

/// An approximate inverse Hessian at some parameters. The factors are left out. With two classes the rest is
/// exact; with more, entries between classes are taken as 0. Where rows and columns are many, only the
/// diagonal is inverted.
class InverseHessian {
 public:
  /// Takes the products of `known` where the curvature at the residuals is about a multiple of theirs.
  InverseHessian(const SoftmaxProblem& problem, const Matrix& residuals, SoftmaxCurvature& known);

  /// Replaces v by H^-1 v; entries of the factors stay as they are.
  void apply(Eigen::VectorXd& v) const;

  [[nodiscard]] bool is_diagonal() const { return blocks_.empty(); }

  /// x' H^-1 x of the rows, a column per block.
  [[nodiscard]] Matrix quadratic_forms() const;

 private:
  void set_diagonal(const Matrix& curvatures);

  const SoftmaxProblem& problem_;
  std::vector<BlockInverse> blocks_;
  Eigen::VectorXd diagonal_;
};

}  // namespace dyad::internal
