// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/inverse_hessian.h"

#include <algorithm>
#include <numeric>

#include "dyad/linear/internal/row_arithmetic.h"

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
  factor_ = known.total > 0 ? total / known.total : 1;
  by_rows_ ? invert_by_rows(ridge, known) : invert_by_columns(ridge, known);
}

void BlockInverse::apply(Eigen::VectorXd& v) const {
  std::vector<double> part(whole_lines(features_.n_cols()));
  features_.each_parameter(
      [&](std::size_t place, std::size_t parameter) { part[place] = v[index(parameter)]; });
  if (by_rows_) {
    std::vector<double> of_rows(features_.n_rows());
    for (std::size_t i = 0; i < of_rows.size(); ++i)
      of_rows[i] = dot(rows_.row(i).data(), part.data(), part.size());
    rows_inverse_->solve(of_rows);
    for (std::size_t i = 0; i < of_rows.size(); ++i)
      add(-factor_ * of_rows[i], rows_.row(i).data(), features_.n_cols(), part.data());
    for (double& x : part) x /= ridge_;
  } else {
    std::vector<float> in_floats(part.begin(), part.begin() + index(features_.n_cols()));
    columns_inverse_->solve(in_floats);
    std::ranges::copy(in_floats, part.begin());
  }
  features_.each_parameter(
      [&](std::size_t place, std::size_t parameter) { v[index(parameter)] = part[place]; });
}

void BlockInverse::quadratic_forms(std::span<double> out) const {
  Eigen::MatrixXf x(index(features_.n_cols()), index(rows_at_once));
  for (std::size_t first = 0; first < features_.n_rows(); first += rows_at_once) {
    throw_if_stopped(features_.execution());
    const std::size_t count = std::min(rows_at_once, features_.n_rows() - first);
    for (std::size_t i = 0; i < count; ++i) features_.copy_row(first + i, 1, x.col(index(i)).data());
    Eigen::ArrayXd forms;
    if (by_rows_) {
      Eigen::MatrixXd of_rows(index(features_.n_rows()), index(count));
      std::vector<double> row(whole_lines(features_.n_cols()));
      for (std::size_t i = 0; i < count; ++i) {
        std::copy_n(x.col(index(i)).data(), features_.n_cols(), row.begin());
        for (std::size_t r = 0; r < features_.n_rows(); ++r)
          of_rows(index(r), index(i)) = dot(rows_.row(r).data(), row.data(), row.size());
      }
      rows_inverse_->divide_columns({of_rows.data(), features_.n_rows() * count});
      forms = (x.leftCols(index(count)).cast<double>().colwise().squaredNorm() -
               factor_ * of_rows.colwise().squaredNorm()) /
              ridge_;
    } else {
      Eigen::MatrixXf of_columns = x.leftCols(index(count));
      columns_inverse_->divide_columns({of_columns.data(), features_.n_cols() * count});
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

void BlockInverse::invert_by_columns(double ridge, Known& known) {
  const std::size_t m = features_.n_cols();
  known.of_rows.clear();
  if (known.of_columns.empty()) known.n_cols = 0;
  if (known.n_cols < m) add_columns(known);
  SquareRows<float> hessian(m);
  const auto factor = static_cast<float>(factor_);
  float largest = 0;
  auto product = known.of_columns.begin();
  for (std::size_t j = 0; j < m; ++j) {
    for (std::size_t i = 0; i <= j; ++i) hessian.row(i)[j] = factor * *product++;
    largest = std::max(largest, hessian.row(j)[j]);
  }
  const auto added = static_cast<float>(with_margin(ridge, static_cast<double>(largest)));
  for (std::size_t j = 0; j < m; ++j) hessian.row(j)[j] += added;
  columns_inverse_.emplace(std::move(hessian), added);
}

void BlockInverse::add_columns(Known& known) const {
  const std::size_t m = features_.n_cols();
  SquareRows<float> sums(m);
  Panels<float> panels(m, rows_at_once);
  std::vector<float> row(m);
  for (std::size_t first = 0; first < features_.n_rows(); first += rows_at_once) {
    throw_if_stopped(features_.execution());
    const std::size_t count = std::min(rows_at_once, features_.n_rows() - first);
    for (std::size_t i = 0; i < count; ++i) {
      features_.copy_row(first + i, known.weights[first + i], row.data());
      panels.set_row(i, row);
    }
    add_products(panels, count, known.n_cols / Panels<float>::width, 1, sums.row(0), sums.stride());
  }
  for (std::size_t j = known.n_cols; j < m; ++j)
    for (std::size_t i = 0; i <= j; ++i) known.of_columns.push_back(sums.row(i)[j]);
  known.n_cols = m;
}

void BlockInverse::add_products_of_rows(Known& known) const {
  constexpr std::size_t width = Panels<double>::width;
  const std::size_t n = features_.n_rows();
  const std::size_t m = features_.n_cols();
  Panels<double> panels(n, rows_at_once);
  for (std::size_t first = known.n_cols; first < m; first += rows_at_once) {
    throw_if_stopped(features_.execution());
    const std::size_t count = std::min(rows_at_once, m - first);
    for (std::size_t i = 0; i < n; ++i) {
      double* const to = panels.panel(i / width) + i % width;
      for (std::size_t j = 0; j < count; ++j) to[j * width] = static_cast<double>(rows_.row(i)[first + j]);
    }
    add_products(panels, count, 0, 1, known.of_rows.data(), whole_registers<double>(n));
  }
  known.n_cols = m;
}

void BlockInverse::invert_by_rows(double ridge, Known& known) {
  const std::size_t m = features_.n_cols();
  const std::size_t n = features_.n_rows();
  const std::size_t stride = whole_registers<double>(n);
  known.of_columns.clear();
  if (known.of_rows.empty() || known.n_cols > m) {
    known.n_cols = 0;
    known.of_rows.assign(stride * stride, 0);
  }
  rows_ = FloatRows(n, m);
  std::vector<double> squares(m);
  for (std::size_t i = 0; i < n; ++i) {
    float* const row = rows_.row(i).data();
    features_.copy_row(i, known.weights[i], row);
    for (std::size_t j = 0; j < m; ++j)
      squares[j] += static_cast<double>(row[j]) * static_cast<double>(row[j]);
  }
  if (known.n_cols < m) add_products_of_rows(known);
  ridge_ = with_margin(ridge, factor_ * std::ranges::max(squares));
  SquareRows<double> hessian(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = i; j < n; ++j) hessian.row(i)[j] = factor_ * known.of_rows[i * stride + j];
    hessian.row(i)[i] += ridge_;
  }
  rows_inverse_.emplace(std::move(hessian), ridge_);
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
