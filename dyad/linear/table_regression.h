// Multinomial logistic regression on the cells of tables, one weight a cell.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"

namespace dyad {

/// Rows by the cells that they are in, one of each table.
struct TableRows {
  std::vector<std::vector<std::uint16_t>> cells;  ///< by table and row
  std::vector<std::size_t> n_cells;               ///< by table
  std::vector<std::int32_t> y;
  std::vector<double> loss_weights;
  std::size_t n_classes = 2;
};

/// s_k(x) = intercepts[k] + sum_t values[k][t][cell_t(x)]. Of two classes the first has the score 0; of more,
/// intercepts add up to 0.
struct TableSolution {
  std::vector<std::vector<std::vector<double>>> values;  ///< by class, table and cell
  std::vector<double> intercepts;
  double objective = 0;
  std::int64_t steps = 0;
};

struct TableOptions {
  double variance = 1;      ///< of the value of a cell by its prior
  double tolerance = 1e-4;  ///< ends when a step lowers the objective by less than this share
  std::int64_t max_steps = 50;
};

/// Minimises   sum_i c_i (log sum_k exp s_k(x_i) - s_{y_i}(x_i)) + sum |values|^2 / (2 variance),
/// c_i the loss weights.
///
/// Newton steps on each class in turn, halved until the objective falls. A step is solved by sweeps over the
/// tables: a row is in one cell of a table, so the Hessian of a table alone is diagonal. Cells without rows
/// keep the value 0. `warm` is a solution with another variance, or of the first tables alone, or empty. A
/// sweep costs O(rows x tables).
[[nodiscard]] TableSolution solve_tables(const TableRows& rows, const TableOptions& options,
                                         TableSolution warm = {}, const Execution& execution = {});

/// Scores of rows, whose labels are not used: rows x classes.
[[nodiscard]] Matrix table_scores(const TableRows& rows, const TableSolution& solution);

}  // namespace dyad
