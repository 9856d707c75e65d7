// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/inverse_hessian.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace dyad::internal {
namespace {

/// Rows whose features are copied at once.
constexpr std::size_t rows_at_once = 128;
/// Products are of use while the sum of the curvatures is within this factor of theirs.
constexpr double largest_change = 5;
/// Rows or columns beyond which products take too long.
constexpr std::size_t most_products = 800;

/// A little more than the penalty, as rounding would lose that of large costs.
double with_margin(double ridge, double largest) { return ridge + 1e-6 * largest; }

}  // namespace

BlockInverse::BlockInverse(const BlockFeatures& features, std::span<const double> curvature, double ridge,
                           SoftmaxCurvature::Block& known)
    : features_(features), by_rows_(features.n_cols() > features.n_rows()) {
  const double total = std::accumulate(curvature.begin(), curvature.end(), 0.0);
  require_weights(curvature, total, known);
  const double factor = known.total > 0 ? total / known.total : 1;
  if (by_rows_)
    invert_by_rows(factor, ridge, known);
  else
    invert_by_columns(static_cast<float>(factor), ridge, known);
}

void BlockInverse::apply(Eigen::VectorXd& v) const {
  Eigen::VectorXd part(index(features_.n_cols()));
  features_.each_parameter(
      [&](std::size_t place, std::size_t parameter) { part[index(place)] = v[index(parameter)]; });
  if (by_rows_) {
    const Eigen::VectorXd solved = rows_inverse_.solve(rows_.transpose() * part);
    part = (part - rows_ * solved) / ridge_;
  } else {
    part = columns_inverse_.solve(part.cast<float>().eval()).cast<double>();
  }
  features_.each_parameter(
      [&](std::size_t place, std::size_t parameter) { v[index(parameter)] = part[index(place)]; });
}

void BlockInverse::quadratic_forms(std::span<double> out) const {
  Eigen::MatrixXf x(index(features_.n_cols()), index(rows_at_once));
  for (std::size_t first = 0; first < features_.n_rows(); first += rows_at_once) {
    throw_if_stopped(features_.execution());
    const std::size_t count = std::min(rows_at_once, features_.n_rows() - first);
    for (std::size_t i = 0; i < count; ++i) features_.copy_row(first + i, 1, x.col(index(i)).data());
    Eigen::MatrixXd some = x.leftCols(index(count)).cast<double>();
    Eigen::ArrayXd forms;
    if (by_rows_) {
      Eigen::MatrixXd of_rows = rows_.transpose() * some;
      rows_inverse_.matrixL().solveInPlace(of_rows);
      forms = (some.colwise().squaredNorm() - of_rows.colwise().squaredNorm()) / ridge_;
    } else {
      Eigen::MatrixXf of_columns = x.leftCols(index(count));
      columns_inverse_.matrixL().solveInPlace(of_columns);
      forms = of_columns.colwise().squaredNorm().cast<double>();
    }
    std::copy_n(forms.data(), count, out.begin() + static_cast<std::ptrdiff_t>(first));
  }
}

void BlockInverse::require_weights(std::span<const double> curvature, double total, Known& known) const {
  if (known.n_before_last == features_.n_before_last() && total < largest_change * known.total &&
      known.total < largest_change * total)
    return;
  known = {.total = total, .n_before_last = features_.n_before_last()};
  for (const double of_row : curvature) known.weights.push_back(static_cast<float>(std::sqrt(of_row)));
}

void BlockInverse::invert_by_columns(float factor, double ridge, Known& known) {
  const std::size_t m = features_.n_cols();
  known.of_rows.clear();
  if (known.of_columns.empty()) known.n_cols = 0;
  if (known.n_cols < m) add_columns(known);
  Eigen::MatrixXf hessian(index(m), index(m));
  auto product = known.of_columns.begin();
  for (std::size_t i = 0; i < m; ++i)
    for (std::size_t j = 0; j <= i; ++j) hessian(index(i), index(j)) = factor * *product++;
  const auto largest = static_cast<double>(hessian.diagonal().maxCoeff());
  hessian.diagonal().array() += static_cast<float>(with_margin(ridge, largest));
  columns_inverse_.compute(hessian);
}

void BlockInverse::add_columns(Known& known) const {
  const std::size_t m = features_.n_cols();
  const std::size_t n_known = known.n_cols;
  const auto n_new = index(m - n_known);
  Eigen::MatrixXf sums = Eigen::MatrixXf::Zero(n_new, index(m));
  Eigen::MatrixXf rows(index(m), index(rows_at_once));
  for (std::size_t first = 0; first < features_.n_rows(); first += rows_at_once) {
    throw_if_stopped(features_.execution());
    const std::size_t count = std::min(rows_at_once, features_.n_rows() - first);
    for (std::size_t i = 0; i < count; ++i)
      features_.copy_row(first + i, known.weights[first + i], rows.col(index(i)).data());
    const auto some = rows.leftCols(index(count));
    if (n_known > 0)
      sums.leftCols(index(n_known)).noalias() +=
          some.bottomRows(n_new) * some.topRows(index(n_known)).transpose();
    sums.rightCols(n_new).selfadjointView<Eigen::Lower>().rankUpdate(some.bottomRows(n_new));
  }
  for (std::size_t i = n_known; i < m; ++i)
    for (std::size_t j = 0; j <= i; ++j) known.of_columns.push_back(sums(index(i - n_known), index(j)));
  known.n_cols = m;
}

void BlockInverse::invert_by_rows(double factor, double ridge, Known& known) {
  const auto m = index(features_.n_cols());
  const auto n = index(features_.n_rows());
  known.of_columns.clear();
  if (known.of_rows.empty() || known.n_cols > features_.n_cols()) known.n_cols = 0;
  known.of_rows.resize(features_.n_rows() * features_.n_rows());
  Eigen::MatrixXf rows(m, n);
  for (std::size_t i = 0; i < features_.n_rows(); ++i)
    features_.copy_row(i, known.weights[i], rows.col(index(i)).data());
  rows_ = rows.cast<double>();
  Eigen::Map<Eigen::MatrixXd> products(known.of_rows.data(), n, n);
  if (known.n_cols == 0) products.setZero();
  if (const auto n_new = m - index(known.n_cols); n_new > 0)
    products.selfadjointView<Eigen::Lower>().rankUpdate(rows_.bottomRows(n_new).transpose());
  known.n_cols = features_.n_cols();
  rows_ *= std::sqrt(factor);
  ridge_ = with_margin(ridge, rows_.rowwise().squaredNorm().maxCoeff());
  Eigen::MatrixXd hessian = factor * products;
  hessian.diagonal().array() += ridge_;
  rows_inverse_.compute(hessian);
}

InverseHessian::InverseHessian(const SoftmaxProblem& problem, const Matrix& residuals,
                               SoftmaxCurvature& known)
    : problem_(problem) {
  const Matrix curvatures = problem.curvatures(residuals);
  const std::size_t n_blocks = BlockFeatures::count(problem);
  std::size_t most = 0;
  for (std::size_t k = 0; k < n_blocks; ++k) most = std::max(most, BlockFeatures(problem, k).n_cols());
  if (std::min(most, problem.n_rows()) > most_products) {
    set_diagonal(curvatures);
    return;
  }
  known.blocks.resize(n_blocks);
  std::vector<std::optional<BlockInverse>> blocks(n_blocks);
  parallel_for(n_blocks, problem.execution(), {}, [&](std::size_t k) {
    blocks[k].emplace(BlockFeatures(problem, k), curvatures.column(k), problem.ridge(), known.blocks[k]);
  });
  for (auto& block : blocks) blocks_.push_back(std::move(*block));
}

void InverseHessian::apply(Eigen::VectorXd& v) const {
  if (is_diagonal()) v.array() *= diagonal_.array();
  for (const BlockInverse& block : blocks_) block.apply(v);
}

Matrix InverseHessian::quadratic_forms() const {
  Matrix result(problem_.n_rows(), BlockFeatures::count(problem_));
  parallel_for(result.n_cols, problem_.execution(), {}, [&](std::size_t k) {
    if (!is_diagonal()) return blocks_[k].quadratic_forms(result.column(k));
    const BlockFeatures features(problem_, k);
    std::vector<float> x(features.n_cols());
    for (std::size_t i = 0; i < result.n_rows; ++i) {
      features.copy_row(i, 1, x.data());
      features.each_parameter([&](std::size_t place, std::size_t parameter) {
        const auto value = static_cast<double>(x[place]);
        result(i, k) += value * value * diagonal_[index(parameter)];
      });
    }
  });
  return result;
}

void InverseHessian::set_diagonal(const Matrix& curvatures) {
  diagonal_ = Eigen::VectorXd::Ones(index(problem_.n_parameters()));
  parallel_for(problem_.n_classes(), problem_.execution(), {}, [&](std::size_t k) {
    std::vector<float> row(problem_.n_cols(k) + 1);
    std::vector<double> sums(row.size());
    for (std::size_t i = 0; i < problem_.n_rows(); ++i) {
      if (i % rows_at_once == 0) throw_if_stopped(problem_.execution());
      problem_.copy_features(i, k, 1, row.data());
      for (std::size_t j = 0; j < row.size(); ++j)
        sums[j] += curvatures(i, k) * static_cast<double>(row[j]) * static_cast<double>(row[j]);
    }
    diagonal_[index(problem_.n_shared() + k)] = 1 / std::max(sums[0], 1e-6);
    for (std::size_t j = 1; j < sums.size(); ++j)
      diagonal_[index(problem_.offset(k) + j - 1)] = 1 / (sums[j] + problem_.ridge());
  });
}

}  // namespace dyad::internal
