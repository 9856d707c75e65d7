// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/term_rows.h"

#include <numbers>

#include "dyad/base/simd.h"
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

/// sums[i] += w . row i of X
DYAD_SIMD void add_row_products(const FloatRows& X, std::span<const double> w, std::span<double> sums) {
  constexpr std::size_t lanes = 8;
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const float* const x = X.row(i).data();
    double parts[lanes] = {};
    std::size_t j = 0;
    for (; j + lanes <= w.size(); j += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane)
        parts[lane] += w[j + lane] * static_cast<double>(x[j + lane]);
    for (; j < w.size(); ++j) parts[0] += w[j] * static_cast<double>(x[j]);
    sums[i] +=
        ((parts[0] + parts[4]) + (parts[2] + parts[6])) + ((parts[1] + parts[5]) + (parts[3] + parts[7]));
  }
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

/// Writes the terms of some columns, times their factors: neighbours in the same matrix at once.
void TermRows::copy_columns(std::span<const Column> columns, std::span<const TermValues> values,
                            const Execution& execution, FloatRows& to) {
  constexpr std::size_t rows_between_checks = 4096;
  struct Run {
    const float* values;  // of the first row
    std::size_t stride;
    std::size_t count;
  };
  std::vector<Run> runs;
  std::vector<float> factors;
  for (const Column& column : columns) {
    const TermValues& from = values[column.term];
    const float* const first = from.matrix->row(0).data() + from.column;
    factors.push_back(static_cast<float>(column.factor));
    if (!runs.empty() && runs.back().stride == from.matrix->stride() &&
        runs.back().values + runs.back().count == first)
      ++runs.back().count;
    else
      runs.push_back({first, from.matrix->stride(), 1});
  }
  for (std::size_t i = 0; i < to.n_rows(); ++i) {
    if (i % rows_between_checks == 0) throw_if_stopped(execution);
    float* row = to.row(i).data();
    const float* factor = factors.data();
    for (const Run& run : runs) {
      const float* const x = run.values + i * run.stride;
      for (std::size_t m = 0; m < run.count; ++m) row[m] = factor[m] * x[m];
      row += run.count;
      factor += run.count;
    }
  }
}

TermRows::TermRows(std::span<const TermKey> keys, std::span<const TermValues> values,
                   const RegressionLabels& labels, const WeightOptions& options, const Execution& execution)
    : keys_(keys.begin(), keys.end()), columns_(labels.n_classes) {
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
}

void TermRows::share_weights(bool shares) {
  shares_weights_ = shares;
  if (shares && shared_weights_.empty()) add_shared_sums();
}

/// Sums up columns, which are terms times factors.
void TermRows::add_shared_sums() {
  const std::size_t n_classes = columns_.size();
  shared_weights_ = shared_sums(keys_, n_classes);
  for (const Matrix& weights : shared_weights_) {
    Matrix& sums = rows_.shared.emplace_back(rows_.y.size(), n_classes);
    for (std::size_t k = 0; k < n_classes; ++k)
      for (std::size_t own = 0; own < n_classes; ++own) {
        std::vector<double> of_columns;
        for (const Column& column : columns_[k])
          of_columns.push_back(weights(own, column.term) / column.factor);
        if (std::ranges::any_of(of_columns, [](double weight) { return weight != 0; }))
          add_row_products(rows_.own[k], of_columns, sums.column(own));
      }
  }
}

SoftmaxOptions TermRows::options(std::span<const std::uint32_t> rows, double cost, const WeightsView& weights,
                                 const RegressionEnd& end) const {
  double n = 0;
  for (const std::uint32_t row : rows) n += weights[row];
  return {.C = cost / std::max(squared_norm_, 1e-12) * n,
          .factor_C = shared_factor_variance * n,
          .has_factors = shares_weights_,
          .tolerance = end.tolerance,
          .small_steps = end.small_steps,
          .max_steps = most_regression_steps};
}

SoftmaxSolution TermRows::solve(std::span<const std::uint32_t> rows, double cost, const WeightsView& weights,
                                const RegressionEnd& end, const SoftmaxSolution& warm,
                                const Execution& execution, SoftmaxCurvature* curvature) const {
  return solve_softmax(rows_, rows, n_cols_, options(rows, cost, weights, end), warm, execution, curvature);
}

Matrix TermRows::left_out_scores(std::span<const std::uint32_t> rows, double cost, const WeightsView& weights,
                                 const SoftmaxSolution& solution, const Execution& execution) const {
  return dyad::left_out_scores(rows_, rows, solution, options(rows, cost, weights), execution);
}

Matrix TermRows::weights(const SoftmaxSolution& solution) const {
  Matrix result(columns_.size(), keys_.size());
  for (std::size_t k = 0; k < columns_.size(); ++k)
    for (std::size_t m = 0; m < columns_[k].size(); ++m)
      result(k, columns_[k][m].term) = columns_[k][m].factor * solution.weights[k][m];
  for (std::size_t f = 0; f < solution.factors.size(); ++f)
    for (std::size_t i = 0; i < result.data.size(); ++i)
      result.data[i] += solution.factors[f] * shared_weights_[f].data[i];
  return result;
}

}  // namespace dyad
