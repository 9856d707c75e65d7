// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/table_regression.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dyad/linear/chances.h"

namespace dyad {
namespace {

constexpr int sweeps_of_step = 2;
constexpr int most_halvings = 12;
/// Sums of cells are kept in so many copies, so that an addition need not wait for the one before.
constexpr std::size_t copies_of_cell = 4;

/// A residual and a curvature, or sums of them.
using ResidualAndCurvature [[gnu::vector_size(16)]] = double;

/// The regression while it is solved.
class TableFit {
 public:
  TableFit(const TableRows& rows, const TableOptions& options, TableSolution start)
      : rows_(rows), options_(options), solution_(std::move(start)) {
    solution_.intercepts.resize(rows.n_classes);
    solution_.values.resize(rows.n_classes);
    for (std::size_t k = first_class(); k < rows.n_classes; ++k)
      for (std::size_t t = solution_.values[k].size(); t < rows.n_cells.size(); ++t)
        solution_.values[k].emplace_back(rows.n_cells[t]);
    scores_ = table_scores(rows, solution_);
    chances_ = Matrix(rows.y.size(), rows.n_classes);
    log_sums_.resize(rows.y.size());
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
    to_chances(scores, chances_, log_sums_);
    double result = 0;
    for (std::size_t i = 0; i < rows_.y.size(); ++i)
      result += rows_.loss_weights[i] * (log_sums_[i] - scores(i, static_cast<std::size_t>(rows_.y[i])));
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

  /// Empties the sums of table t, if there is one, and returns its cells.
  const std::uint16_t* begin_sums(std::size_t t) {
    if (t == rows_.cells.size()) return nullptr;
    sums_.assign(copies_of_cell * rows_.n_cells[t], ResidualAndCurvature{});
    return rows_.cells[t].data();
  }

  void add_to_sums(std::size_t cell, std::size_t row) {
    sums_[copies_of_cell * cell + row % copies_of_cell] +=
        ResidualAndCurvature{residuals_[row], curvatures_[row]};
  }

  /// Moves the values of a table to the minimum of the quadratic approximation in them, and sets `changes_`.
  void move_values(std::vector<double>& values) {
    const double ridge = 1 / options_.variance;
    changes_.resize(values.size());
    for (std::size_t cell = 0; cell < values.size(); ++cell) {
      const auto* const copies = &sums_[copies_of_cell * cell];
      const ResidualAndCurvature sum = (copies[0] + copies[1]) + (copies[2] + copies[3]);
      changes_[cell] = (sum[0] - ridge * values[cell]) / (sum[1] + ridge);
      values[cell] += changes_[cell];
    }
  }

  /// Moves the values of class k towards the minimum of the quadratic approximation, table by table, then the
  /// intercept. One pass over the rows brings residuals up to date and sums them for the next table.
  void sweep(std::size_t k) {
    auto& values = solution_.values[k];
    const std::size_t n = rows_.y.size();
    if (const std::uint16_t* const first = begin_sums(0))
      for (std::size_t i = 0; i < n; ++i) add_to_sums(first[i], i);
    for (std::size_t t = 0; t < values.size(); ++t) {
      move_values(values[t]);
      const std::uint16_t* const cells = rows_.cells[t].data();
      const auto move_row = [&](std::size_t i) {
        const double change = changes_[cells[i]];
        moves_[i] += change;
        residuals_[i] -= curvatures_[i] * change;
      };
      if (const std::uint16_t* const next = begin_sums(t + 1))
        for (std::size_t i = 0; i < n; ++i) {
          move_row(i);
          add_to_sums(next[i], i);
        }
      else
        for (std::size_t i = 0; i < n; ++i) move_row(i);
    }
    const double all = std::accumulate(curvatures_.begin(), curvatures_.end(), 0.0);
    if (!(all > 0)) return;
    const double change = std::accumulate(residuals_.begin(), residuals_.end(), 0.0) / all;
    solution_.intercepts[k] += change;
    for (std::size_t i = 0; i < n; ++i) {
      moves_[i] += change;
      residuals_[i] -= curvatures_[i] * change;
    }
  }

  /// A Newton step on the values of class k.
  void step(std::size_t k) {
    differentiate(k);
    const auto values_before = solution_.values[k];
    const double intercept_before = solution_.intercepts[k];
    const auto column = scores_.column(k);
    const std::vector<double> scores_before(column.begin(), column.end());
    moves_.assign(column.size(), 0);
    for (int s = 0; s < sweeps_of_step; ++s) sweep(k);
    for (int halving = 0; halving <= most_halvings; ++halving) {
      const double length = std::ldexp(1.0, -halving);
      for (std::size_t i = 0; i < column.size(); ++i) column[i] = scores_before[i] + length * moves_[i];
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
    std::ranges::copy(scores_before, column.begin());
    solution_.objective = evaluate(scores_);
  }

  const TableRows& rows_;
  TableOptions options_;
  TableSolution solution_;
  Matrix scores_;
  Matrix chances_;
  std::vector<double> log_sums_;
  std::vector<double> residuals_;
  std::vector<double> curvatures_;
  std::vector<double> moves_;               ///< of scores, by a step
  std::vector<double> changes_;             ///< by cell
  std::vector<ResidualAndCurvature> sums_;  ///< by cell and copy
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
