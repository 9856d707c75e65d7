// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/term_rows.h"

#include <numbers>

#include "dyad/weights/averaging.h"

namespace dyad {
namespace {

/// Variance by the prior of the factors of sums that all classes share.
constexpr double shared_factor_variance = 0.1;
constexpr std::int64_t most_regression_steps = 100;

/// Weights of naive Bayes and of all dependences.
std::vector<Matrix> shared_sums(std::span<const TermKey> keys, std::size_t n_classes) {
  std::vector<Matrix> sums(1, Matrix(n_classes, keys.size()));
  std::vector<std::vector<std::size_t>> of_feature(n_classes);  // numbers of the terms of one feature
  for (std::size_t t = 0; t < keys.size(); ++t) {
    if (keys[t].is_linear()) continue;
    const auto k = static_cast<std::size_t>(keys[t].class_code);
    if (!keys[t].is_pair()) {
      sums[0](k, t) = 1;
      of_feature[k].push_back(t);
      continue;
    }
    if (sums.size() == 1) sums.emplace_back(n_classes, keys.size());
    sums[1](k, t) = 1;
    for (const std::size_t feature : {keys[t].i, keys[t].j}) sums[1](k, of_feature[k][feature]) -= 1;
  }
  return sums;
}

}  // namespace

ScaledTerms scale_terms(std::span<const TermKey> keys, FloatRows& values, const WeightsView& weights,
                        const WeightOptions& options, const Execution& execution) {
  ScaledTerms result{standardisation_of(values, execution, weights), std::vector<double>(keys.size())};
  for (std::size_t t = 0; t < keys.size(); ++t) {
    double& scale = result.standardisation.scale[t];
    if (!(scale > 0)) continue;
    const double unit = unit_of_term(scale, keys[t].is_linear(), options);
    result.variances[t] = std::pow(scale / unit, 2);
    scale = unit;
  }
  apply(result.standardisation, values, execution);
  return result;
}

/// Writes the terms of some columns, times their factors.
void TermRows::copy_columns(std::span<const Column> columns, std::span<const TermValues> values,
                            const Execution& execution, FloatRows& to) {
  constexpr std::size_t rows_between_checks = 4096;
  struct Source {
    const float* values;  // of the first row
    std::size_t stride;
    float factor;
  };
  std::vector<Source> sources;
  for (const Column& column : columns) {
    const TermValues& from = values[column.term];
    const auto factor = static_cast<float>(column.factor);
    sources.push_back({from.matrix->row(0).data() + from.column, from.matrix->stride(), factor});
  }
  for (std::size_t i = 0; i < to.n_rows(); ++i) {
    if (i % rows_between_checks == 0) throw_if_stopped(execution);
    const auto row = to.row(i);
    for (std::size_t m = 0; m < row.size(); ++m)
      row[m] = sources[m].factor * sources[m].values[i * sources[m].stride];
  }
}

TermRows::TermRows(std::span<const TermKey> keys, std::span<const TermValues> values,
                   const RegressionLabels& labels, const WeightOptions& options, bool shares_weights,
                   const Execution& execution)
    : n_terms_(keys.size()), columns_(labels.n_classes) {
  const std::size_t n = labels.y.size();
  const std::size_t n_classes = labels.n_classes;
  rows_.y = labels.y;
  rows_.loss_weights = labels.loss_weights;
  for (std::size_t t = 0; t < keys.size(); ++t) {
    const auto own = static_cast<std::size_t>(keys[t].class_code);
    const double share = keys[t].is_linear() ? 1 : 1 / static_cast<double>(n_classes);
    squared_norm_ += share * values[t].variance;
    if (n_classes == 2)
      // A weight w of the difference is w / 2 and -w / 2 of the classes, with half the penalty.
      columns_[1].push_back({t, keys[t].is_linear() ? std::numbers::sqrt2 : own == 0 ? -1.0 : 1.0});
    else
      for (std::size_t k = 0; k < n_classes; ++k)
        if (keys[t].is_linear() || k == own) columns_[k].push_back({t, 1});
  }
  for (const auto& columns : columns_) {
    n_cols_.push_back(columns.size());
    copy_columns(columns, values, execution, rows_.own.emplace_back(n, columns.size()));
  }
  if (options.term_scale == TermScale::none) squared_norm_ = 1;
  if (!shares_weights) return;
  shared_weights_ = shared_sums(keys, n_classes);
  for (const Matrix& weights : shared_weights_) {
    Matrix& sums = rows_.shared.emplace_back(n, n_classes);
    for (std::size_t t = 0; t < keys.size(); ++t) {
      throw_if_stopped(execution);
      for (std::size_t k = 0; k < n_classes; ++k)
        for (std::size_t i = 0; weights(k, t) != 0 && i < n; ++i)
          sums(i, k) += weights(k, t) * static_cast<double>(values[t].matrix->row(i)[values[t].column]);
    }
  }
}

SoftmaxOptions TermRows::options(std::span<const std::uint32_t> rows, double cost, const WeightsView& weights,
                                 double tolerance) const {
  double n = 0;
  for (const std::uint32_t row : rows) n += weights[row];
  return {.C = cost / std::max(squared_norm_, 1e-12) * n,
          .factor_C = shared_factor_variance * n,
          .tolerance = tolerance,
          .max_steps = most_regression_steps};
}

SoftmaxSolution TermRows::solve(std::span<const std::uint32_t> rows, double cost, const WeightsView& weights,
                                double tolerance, const SoftmaxSolution& warm, const Execution& execution,
                                SoftmaxCurvature* curvature) const {
  return solve_softmax(rows_, rows, n_cols_, options(rows, cost, weights, tolerance), warm, execution,
                       curvature);
}

Matrix TermRows::left_out_scores(std::span<const std::uint32_t> rows, double cost, const WeightsView& weights,
                                 const SoftmaxSolution& solution, const Execution& execution) const {
  return dyad::left_out_scores(rows_, rows, solution, options(rows, cost, weights), execution);
}

Matrix TermRows::weights(const SoftmaxSolution& solution) const {
  Matrix result(columns_.size(), n_terms_);
  for (std::size_t k = 0; k < columns_.size(); ++k)
    for (std::size_t m = 0; m < columns_[k].size(); ++m)
      result(k, columns_[k][m].term) = columns_[k][m].factor * solution.weights[k][m];
  for (std::size_t f = 0; f < shared_weights_.size(); ++f)
    for (std::size_t i = 0; i < result.data.size(); ++i)
      result.data[i] += solution.factors[f] * shared_weights_[f].data[i];
  return result;
}

}  // namespace dyad
