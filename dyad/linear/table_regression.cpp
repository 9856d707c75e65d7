// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/table_regression.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dyad/base/exponential.h"
#include "dyad/base/simd.h"
#include "dyad/base/vector_math.h"

namespace dyad {
namespace {

constexpr int sweeps_of_step = 2;
constexpr int most_halvings = 12;
/// Sums of cells are kept in so many copies, so that an addition need not wait for the one before.
constexpr std::size_t lanes = 4;

/// sums[cells[i]] += numbers[i], where `sums` are 0.
void add_by_cell(std::span<const std::uint16_t> cells, std::span<const double> numbers,
                 std::vector<double>& scratch, std::span<double> sums) {
  const std::size_t n_cells = sums.size();
  scratch.assign(lanes * n_cells, 0);
  std::size_t i = 0;
  for (; i + lanes <= cells.size(); i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane)
      scratch[lane * n_cells + cells[i + lane]] += numbers[i + lane];
  for (; i < cells.size(); ++i) scratch[cells[i]] += numbers[i];
  for (std::size_t cell = 0; cell < n_cells; ++cell)
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[cell] += scratch[lane * n_cells + cell];
}

/// out[i] = exp(a[i] - b[i]) and sums[i] += out[i].
DYAD_SIMD void add_exponentials(std::span<const double> a, std::span<const double> b, std::span<double> out,
                                std::span<double> sums) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    out[i] = exponential(std::max(a[i] - b[i], -700.0));
    sums[i] += out[i];
  }
}

/// The regression while it is solved.
class TableFit {
 public:
  TableFit(const TableRows& rows, const TableOptions& options, TableSolution start)
      : rows_(rows), options_(options), solution_(std::move(start)) {
    if (solution_.values.empty()) {
      solution_.intercepts.assign(rows.n_classes, 0);
      solution_.values.resize(rows.n_classes);
      for (std::size_t k = first_class(); k < rows.n_classes; ++k)
        for (const std::size_t n : rows.n_cells) solution_.values[k].emplace_back(n);
    }
    scores_ = table_scores(rows, solution_);
    chances_ = Matrix(rows.y.size(), rows.n_classes);
    solution_.objective = evaluate(scores_);
  }

  TableSolution solve(const Execution& execution) {
    for (solution_.steps = 0; solution_.steps < options_.max_steps; ++solution_.steps) {
      throw_if_stopped(execution);
      const double before = solution_.objective;
      for (std::size_t k = first_class(); k < rows_.n_classes; ++k) step(k);
      if (!(before - solution_.objective > options_.tolerance * before)) break;
    }
    centre_intercepts();
    return std::move(solution_);
  }

 private:
  /// A constant added to the scores of all classes changes nothing.
  void centre_intercepts() {
    if (rows_.n_classes == 2) return;
    auto& intercepts = solution_.intercepts;
    const double sum = std::accumulate(intercepts.begin(), intercepts.end(), 0.0);
    for (double& intercept : intercepts) intercept -= sum / static_cast<double>(intercepts.size());
  }

  [[nodiscard]] std::size_t first_class() const { return rows_.n_classes == 2 ? 1 : 0; }

  /// The objective; sets the probabilities.
  double evaluate(const Matrix& scores) {
    const std::size_t n = rows_.y.size();
    std::vector<double> highest(n, -std::numeric_limits<double>::infinity());
    std::vector<double> sums(n);
    for (std::size_t k = 0; k < rows_.n_classes; ++k)
      std::ranges::transform(highest, scores.column(k), highest.begin(),
                             [](double a, double b) { return std::max(a, b); });
    for (std::size_t k = 0; k < rows_.n_classes; ++k)
      add_exponentials(scores.column(k), highest, chances_.column(k), sums);
    for (std::size_t k = 0; k < rows_.n_classes; ++k)
      std::ranges::transform(chances_.column(k), sums, chances_.column(k).begin(), std::divides<>());
    take_logarithms(sums);
    double result = 0;
    for (std::size_t i = 0; i < n; ++i)
      result +=
          rows_.loss_weights[i] * (sums[i] + highest[i] - scores(i, static_cast<std::size_t>(rows_.y[i])));
    for (const auto& of_class : solution_.values)
      for (const auto& table : of_class)
        result +=
            std::inner_product(table.begin(), table.end(), table.begin(), 0.0) / (2 * options_.variance);
    return result;
  }

  /// Sets residuals and curvatures of the loss by the score of class k.
  void differentiate(std::size_t k) {
    const std::size_t n = rows_.y.size();
    residuals_.resize(n);
    curvatures_.resize(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double p = chances_(i, k);
      residuals_[i] = rows_.loss_weights[i] * ((static_cast<std::size_t>(rows_.y[i]) == k ? 1 : 0) - p);
      curvatures_[i] = rows_.loss_weights[i] * p * (1 - p);
    }
  }

  /// Moves the values of class k towards the minimum of the quadratic approximation, and returns the change.
  void sweep(std::size_t k, std::span<const std::vector<double>> curvatures_of_cells) {
    auto& values = solution_.values[k];
    const double all = std::accumulate(curvatures_.begin(), curvatures_.end(), 0.0);
    for (std::size_t t = 0; t < values.size(); ++t) {
      const auto& cells = rows_.cells[t];
      sums_.assign(values[t].size(), 0);
      add_by_cell(cells, residuals_, scratch_, sums_);
      for (std::size_t cell = 0; cell < sums_.size(); ++cell) {
        const double ridge = 1 / options_.variance;
        sums_[cell] = (sums_[cell] - ridge * values[t][cell]) / (curvatures_of_cells[t][cell] + ridge);
        values[t][cell] += sums_[cell];
      }
      for (std::size_t i = 0; i < cells.size(); ++i) residuals_[i] -= curvatures_[i] * sums_[cells[i]];
    }
    if (!(all > 0)) return;
    const double change = std::accumulate(residuals_.begin(), residuals_.end(), 0.0) / all;
    solution_.intercepts[k] += change;
    for (std::size_t i = 0; i < residuals_.size(); ++i) residuals_[i] -= curvatures_[i] * change;
  }

  /// A Newton step on the values of class k.
  void step(std::size_t k) {
    differentiate(k);
    std::vector<std::vector<double>> curvatures_of_cells;
    for (std::size_t t = 0; t < rows_.cells.size(); ++t)
      add_by_cell(rows_.cells[t], curvatures_, scratch_, curvatures_of_cells.emplace_back(rows_.n_cells[t]));
    const auto values_before = solution_.values[k];
    const double intercept_before = solution_.intercepts[k];
    for (int s = 0; s < sweeps_of_step; ++s) sweep(k, curvatures_of_cells);
    const std::vector<double> scores_before(scores_.column(k).begin(), scores_.column(k).end());
    for (int halving = 0; halving <= most_halvings; ++halving) {
      set_scores(k);
      if (const double lower = evaluate(scores_); lower <= solution_.objective) {
        solution_.objective = lower;
        return;
      }
      const auto halve = [](double& value, double before) { value = before + (value - before) / 2; };
      halve(solution_.intercepts[k], intercept_before);
      for (std::size_t t = 0; t < values_before.size(); ++t)
        for (std::size_t cell = 0; cell < values_before[t].size(); ++cell)
          halve(solution_.values[k][t][cell], values_before[t][cell]);
    }
    solution_.values[k] = values_before;
    solution_.intercepts[k] = intercept_before;
    std::ranges::copy(scores_before, scores_.column(k).begin());
    solution_.objective = evaluate(scores_);
  }

  void set_scores(std::size_t k) {
    const auto column = scores_.column(k);
    std::ranges::fill(column, solution_.intercepts[k]);
    for (std::size_t t = 0; t < rows_.cells.size(); ++t)
      for (std::size_t i = 0; i < column.size(); ++i) column[i] += solution_.values[k][t][rows_.cells[t][i]];
  }

  const TableRows& rows_;
  TableOptions options_;
  TableSolution solution_;
  Matrix scores_;
  Matrix chances_;
  std::vector<double> residuals_;
  std::vector<double> curvatures_;
  std::vector<double> sums_;
  std::vector<double> scratch_;
};

}  // namespace

TableSolution solve_tables(const TableRows& rows, const TableOptions& options, TableSolution warm,
                           const Execution& execution) {
  return TableFit(rows, options, std::move(warm)).solve(execution);
}

Matrix table_scores(const TableRows& rows, const TableSolution& solution) {
  Matrix scores(rows.cells.empty() ? rows.y.size() : rows.cells[0].size(), rows.n_classes);
  for (std::size_t k = 0; k < rows.n_classes; ++k) {
    const auto column = scores.column(k);
    std::ranges::fill(column, solution.intercepts[k]);
    for (std::size_t t = 0; t < solution.values[k].size(); ++t)
      for (std::size_t i = 0; i < column.size(); ++i) column[i] += solution.values[k][t][rows.cells[t][i]];
  }
  return scores;
}

}  // namespace dyad
