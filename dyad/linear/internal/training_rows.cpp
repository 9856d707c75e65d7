// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/training_rows.h"

namespace dyad::internal {

TrainingRows::TrainingRows(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_columns,
                           std::span<const double> labels, std::span<const double> loss_weights,
                           const SvmOptions& options)
    : n_cols(n_columns), last(whole_lines(n_columns)) {
  for (const std::uint32_t i : rows) {
    const double C_i = options.C * (loss_weights.empty() ? 1 : loss_weights[i]);
    if (C_i == 0) continue;
    row.push_back(i);
    x.push_back(X.row(i).data());
    y.push_back(labels[i]);
    C.push_back(C_i);
  }
}

bool TrainingRows::has_one_class() const {
  return std::ranges::adjacent_find(y, std::not_equal_to<>()) == y.end();
}

void TrainingRows::read_margins(const std::vector<double>& u, std::vector<double>& out) {
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = y[i] * (dot(x[i], u.data(), last) + u[last]);
  reads += static_cast<std::int64_t>(x.size());
}

void TrainingRows::add_row(std::size_t i, double alpha, ClassSums& v) const {
  std::vector<double>& sum = v[side(i)];
  const double change = y[i] * alpha;
  internal::add(change, x[i], n_cols, sum.data());
  sum[last] += change;
}

std::array<double, 2> TrainingRows::balance(const ClassSums& v) const {
  const double negative = std::max(0.0, -v[0][last]);
  const double positive = std::max(0.0, v[1][last]);
  if (negative == positive) return {1, 1};
  return {std::min(1.0, positive / negative), std::min(1.0, negative / positive)};
}

void CurvedRows::add(const float* row, double curvature) {
  x.push_back(row);
  scale.push_back(static_cast<float>(curvature));
}

void CurvedRows::pad_to_fours() {
  while (x.size() % 4 != 0) add(x.back(), 0);
}

void CurvedRows::add_product(const std::vector<float>& p, std::size_t last, std::vector<float>& q) const {
  for (std::size_t k = 0; k < x.size(); k += 4) add_four_products(&x[k], &scale[k], p.data(), last, q.data());
}

bool Patience::is_over(const LinearSolution& solution, std::int64_t steps, const SvmOptions& options) {
  constexpr int most_idle = 300;
  if (solution.gap < 0.99 * best_gap_) {
    best_gap_ = solution.gap;
    idle_ = 0;
  }
  return idle_++ > most_idle || solution.converged || steps >= options.max_iterations;
}

std::vector<double> start_of(const TrainingRows& rows, const LinearSolution& warm) {
  std::vector<double> w(rows.last + 1);
  if (warm.w.empty()) return w;
  std::copy_n(warm.w.begin(), std::min(warm.w.size(), rows.n_cols), w.begin());
  w[rows.last] = warm.intercept;
  return w;
}

void set_gap(LinearSolution& solution, double primal, double dual, double tolerance) {
  solution.objective = primal;
  solution.gap = primal > 0 ? (primal - dual) / primal : 0;
  solution.converged = solution.gap <= tolerance;
}

void set_weights(LinearSolution& solution, const std::vector<double>& w, const TrainingRows& rows,
                 const SvmOptions& options) {
  solution.w.assign(w.begin(), w.begin() + static_cast<std::ptrdiff_t>(rows.n_cols));
  solution.C = options.C;
  solution.norm = std::sqrt(product(solution.w, solution.w));
  solution.steps = rows.steps;
  solution.row_reads = rows.reads;
}

}  // namespace dyad::internal
