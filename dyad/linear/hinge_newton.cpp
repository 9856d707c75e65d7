// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/hinge_newton.h"

#include "dyad/base/random.h"
#include "dyad/base/simd.h"
#include "dyad/linear/internal/best_intercept.h"
#include "dyad/linear/internal/line_search.h"
#include "dyad/linear/internal/smooth_loss.h"
#include "dyad/linear/internal/training_rows.h"

namespace dyad {
namespace {

/// sum_i slope_i min(max(0, a_i - t stiffness C_i slope_i), C_i), for any n.
DYAD_SIMD double pull(double t, double stiffness, const double* a, const double* slope, const double* C,
                      std::size_t n) {
  const auto term = [=](std::size_t i) {
    const double alpha = a[i] - t * stiffness * C[i] * slope[i];
    return slope[i] * std::min(std::max(0.0, alpha), C[i]);
  };
  double sum[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8)
    for (std::size_t l = 0; l < 8; ++l) sum[l] += term(i + l);
  for (; i < n; ++i) sum[0] += term(i);
  return ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
}

/// Parts of primal - dual = newton + centre: the gains left to Newton steps and to moving the centre.
struct RoundErrors {
  double newton = 0;
  double centre = 0;
  double move = 0;  ///< the price of leaving the centre
};

constexpr std::size_t many_rows = 3000;
constexpr std::size_t sample_share = 8;

class NewtonSolver {
 public:
  NewtonSolver(internal::TrainingRows rows, const LinearSolution& start, const SvmOptions& options)
      : options_(options),
        rows_(std::move(rows)),
        last_(rows_.last),
        w_(internal::start_of(rows_, start)),
        a_(rows_.size()),
        alpha_(rows_.size()),
        margin_(rows_.size()),
        slope_(rows_.size()),
        stiffness_(1 / first_width()) {
    v_.fill(std::vector<double>(last_ + 1));
    for (const double C : rows_.C) centre_.push_back(0.5 * C * stiffness_);
    if (start.w.empty()) return;
    stiffness_ *= 5;
    // Other columns would need another alpha.
    if (start.alpha.empty() || start.C == 0 || start.w.size() != rows_.n_cols) return;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      centre_[i] = std::min(rows_.C[i], start.alpha[rows_.row[i]] * options_.C / start.C);
  }

  /// Takes Newton steps; where the error of the centre is the larger one, moves the centre to alpha first,
  /// and raises the stiffness if the last move did not halve that error.
  LinearSolution solve(std::size_t n_rows_of_X, const Execution& execution) {
    rows_.read_margins(w_, margin_);
    update_alpha();
    LinearSolution solution;
    internal::Patience patience;
    double last_error = std::numeric_limits<double>::infinity();
    for (;;) {
      throw_if_stopped(execution);
      const RoundErrors errors = evaluate(solution);
      if (patience.is_over(solution, rows_.steps, options_)) break;
      const double negligible = 0.01 * options_.tolerance * solution.objective;
      if (errors.newton <= std::max(std::min(errors.centre, errors.move), negligible)) {
        if (errors.centre > 0.5 * last_error) stiffness_ *= 3;
        last_error = errors.centre;
        centre_ = alpha_;
        update_alpha();
      }
      newton_step(execution);
    }
    finish(solution, n_rows_of_X);
    return solution;
  }

 private:
  /// Change of the margin over which alpha_i crosses its box at first.
  ///
  /// Found by trial: 1 where rows abound, more where alpha will be small beside C because the columns
  /// separate the rows.
  [[nodiscard]] double first_width() const {
    const std::size_t stride = rows_.size() / 256 + 1;  // a sample of the rows suffices
    double squares = 0;
    double n_read = 0;
    for (std::size_t i = 0; i < rows_.size(); i += stride, ++n_read)
      for (std::size_t j = 0; j < rows_.n_cols; ++j)
        squares += std::pow(static_cast<double>(rows_.x[i][j]), 2);
    const double columns_per_row = static_cast<double>(rows_.n_cols) / static_cast<double>(rows_.size());
    return std::max(1.0, options_.C * columns_per_row * squares / (35 * n_read));
  }

  /// u.v without the intercept's elements.
  [[nodiscard]] double product(const std::vector<double>& u, const std::vector<double>& v) const {
    return internal::product(u, v) - u[last_] * v[last_];
  }

  /// alpha_i from the margins, and v = sum_i alpha_i y_i (x_i, 1) of each class.
  void update_alpha() {
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      a_[i] = centre_[i] + stiffness_ * rows_.C[i] * (1 - margin_[i]);
      const double alpha = std::clamp(a_[i], 0.0, rows_.C[i]);
      if (alpha == alpha_[i]) continue;
      rows_.add_row(i, alpha - alpha_[i], v_);
      alpha_[i] = alpha;
      ++rows_.reads;
    }
  }

  void newton_step(const Execution& execution) {
    std::vector<double> gradient(last_ + 1);
    for (std::size_t j = 0; j <= last_; ++j) gradient[j] = w_[j] - v_[0][j] - v_[1][j];
    gradient[last_] -= w_[last_];
    const std::vector<double> d = newton_direction(gradient, execution);
    rows_.read_margins(d, slope_);
    const double t = step_length(d);
    for (std::size_t j = 0; j <= last_; ++j) w_[j] += t * d[j];
    for (std::size_t i = 0; i < rows_.size(); ++i) margin_[i] += t * slope_[i];
    update_alpha();
  }

  /// Solves (I + sum_i stiffness C_i (x_i, 1) (x_i, 1)') d = -gradient, the sum over the rows inside their
  /// box.
  ///
  /// The solution is rough, as exact directions would not pay.
  std::vector<double> newton_direction(const std::vector<double>& gradient, const Execution& execution) {
    internal::CurvedRows inside;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (a_[i] > 0 && a_[i] < rows_.C[i]) inside.add(rows_.x[i], stiffness_ * rows_.C[i]);
    inside.pad_to_fours();
    // The intercept has no curvature of its own: it gets a little, for systems without rows.
    const auto curvature = static_cast<float>(1e-3 * stiffness_ * options_.C);

    std::vector<float> residual(gradient.size());
    for (std::size_t j = 0; j < residual.size(); ++j) residual[j] = static_cast<float>(-gradient[j]);
    const auto multiply = [&](const std::vector<float>& p) {
      throw_if_stopped(execution);
      std::vector<float> q = p;
      q[last_] *= curvature;
      inside.add_product(p, last_, q);
      std::fill(q.begin() + static_cast<std::ptrdiff_t>(rows_.n_cols), q.end() - 1, 0.0F);
      ++rows_.steps;
      rows_.reads += static_cast<std::int64_t>(inside.x.size());
      return q;
    };
    const std::vector<float> d = internal::conjugate_gradients(std::move(residual), 0.05F, multiply);
    ++rows_.steps;
    return {d.begin(), d.end()};
  }

  /// Minimises the round's objective along w + t d. O(n) for each t tried.
  [[nodiscard]] double step_length(const std::vector<double>& d) const {
    const double wd = product(w_, d);
    const double dd = product(d, d);
    const auto slope_at = [&](double t) {
      return wd + t * dd - pull(t, stiffness_, a_.data(), slope_.data(), rows_.C.data(), rows_.size());
    };
    return internal::step_length(slope_at);
  }

  /// Objective and gap at w, its intercept and the balanced alpha. O(n + p).
  RoundErrors evaluate(LinearSolution& solution) const {
    RoundErrors errors;
    double primal = 0.5 * product(w_, w_);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double loss = rows_.C[i] * Hinge::value(margin_[i]);
      primal += loss;
      errors.centre += loss - alpha_[i] * (1 - margin_[i]);
      errors.move += (alpha_[i] - centre_[i]) * (alpha_[i] - centre_[i]) / (2 * stiffness_ * rows_.C[i]);
    }
    const auto [negative, positive] = rows_.balance(v_);
    std::vector<double> v(last_ + 1);
    for (std::size_t j = 0; j <= last_; ++j) v[j] = negative * v_[0][j] + positive * v_[1][j];
    const double dual = positive * v_[1][last_] - negative * v_[0][last_] - 0.5 * product(v, v);
    errors.newton = std::max(0.0, primal - dual - errors.centre);
    internal::set_gap(solution, primal, dual, options_.tolerance);
    return errors;
  }

  /// Moves the intercept to its best place, and fills in the rest.
  void finish(LinearSolution& solution, std::size_t n_rows_of_X) const {
    const double dual = solution.objective * (1 - solution.gap);
    std::vector<double> f(rows_.size());
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = rows_.y[i] * margin_[i] - w_[last_];
    solution.intercept = internal::best_intercept(f, rows_.y, rows_.C);
    double primal = 0.5 * product(w_, w_);
    for (std::size_t i = 0; i < f.size(); ++i)
      primal += rows_.C[i] * Hinge::value(rows_.y[i] * (f[i] + solution.intercept));
    internal::set_gap(solution, primal, dual, options_.tolerance);
    internal::set_weights(solution, w_, rows_, options_);
    const std::array<double, 2> factor = rows_.balance(v_);
    solution.alpha.resize(n_rows_of_X);
    for (std::size_t i = 0; i < alpha_.size(); ++i)
      solution.alpha[rows_.row[i]] = alpha_[i] * factor[rows_.side(i)];
  }

  const SvmOptions& options_;
  internal::TrainingRows rows_;
  std::size_t last_;
  std::vector<double> w_;
  internal::ClassSums v_;
  std::vector<double> centre_;
  std::vector<double> a_;  ///< alpha before it is clipped into its box
  std::vector<double> alpha_;
  std::vector<double> margin_;  ///< y_i (w.x_i + b)
  std::vector<double> slope_;   ///< its change along the Newton direction
  double stiffness_;
};

/// w = 0 and the label of the only class, whose intercept alone has no loss.
LinearSolution one_class_solution(const internal::TrainingRows& rows, const SvmOptions& options,
                                  std::size_t n_rows_of_X) {
  return {.w = std::vector<double>(rows.n_cols),
          .intercept = rows.y.empty() ? 0 : rows.y[0],
          .alpha = std::vector<double>(options.loss == Loss::hinge ? n_rows_of_X : 0),
          .C = options.C,
          .converged = true};
}

/// A random eighth of the rows.
std::vector<std::uint32_t> sample_of(std::span<const std::uint32_t> rows) {
  std::vector<std::uint32_t> sample(rows.begin(), rows.end());
  Random(1).shuffle(sample);
  sample.resize(sample.size() / sample_share);
  std::ranges::sort(sample);
  return sample;
}

/// Solves checked arguments. Without a start, many rows start from a rough solution for an eighth of them,
/// with eight times C.
// NOLINTNEXTLINE(misc-no-recursion): each call has an eighth of the rows
LinearSolution solve(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
                     std::span<const double> y, std::span<const double> loss_weights,
                     const SvmOptions& options, const LinearSolution& warm, const Execution& execution) {
  internal::TrainingRows training(X, rows, n_cols, y, loss_weights, options);
  if (training.has_one_class()) return one_class_solution(training, options, X.n_rows());
  if (options.loss != Loss::hinge)
    return internal::solve_smooth_loss(std::move(training), options, warm, execution);
  LinearSolution sample;
  if (warm.w.empty() && rows.size() > many_rows) {
    SvmOptions rough = options;
    rough.C *= static_cast<double>(sample_share);
    rough.tolerance = std::max(0.05, options.tolerance);
    sample = solve(X, sample_of(rows), n_cols, y, loss_weights, rough, {}, execution);
    sample.alpha.clear();
  }
  NewtonSolver solver(std::move(training), warm.w.empty() ? sample : warm, options);
  LinearSolution solution = solver.solve(X.n_rows(), execution);
  solution.steps += sample.steps;
  solution.row_reads += sample.row_reads;
  return solution;
}

void check(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols) {
  if (n_cols > X.n_cols())
    throw std::invalid_argument("svm: " + std::to_string(n_cols) + " columns asked for, there are " +
                                std::to_string(X.n_cols()));
  for (const std::uint32_t i : rows)
    if (i >= X.n_rows())
      throw std::invalid_argument("svm: row " + std::to_string(i) + " asked for, there are " +
                                  std::to_string(X.n_rows()));
}

}  // namespace

LinearSolution solve_linear(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
                            std::span<const double> y, std::span<const double> loss_weights,
                            const SvmOptions& options, const LinearSolution& warm,
                            const Execution& execution) {
  require_valid(options);
  check(X, rows, n_cols);
  for (const std::size_t size : {y.size(), loss_weights.empty() ? y.size() : loss_weights.size(),
                                 warm.alpha.empty() ? y.size() : warm.alpha.size()})
    if (size != X.n_rows())
      throw std::invalid_argument("svm: labels, weights or a start of " + std::to_string(size) +
                                  " rows for " + std::to_string(X.n_rows()));
  for (const std::uint32_t i : rows)
    if (y[i] != 1 && y[i] != -1)
      throw std::invalid_argument("svm: a label is not +1 or -1, got " + std::to_string(y[i]));
  return solve(X, rows, n_cols, y, loss_weights, options, warm, execution);
}

std::vector<double> decision_values(const FloatRows& X, std::span<const std::uint32_t> rows,
                                    std::span<const double> w, double intercept) {
  check(X, rows, w.size());
  std::vector<double> padded(w.begin(), w.end());
  padded.resize(internal::whole_lines(w.size()));
  std::vector<double> result;
  result.reserve(rows.size());
  for (const std::uint32_t i : rows)
    result.push_back(intercept + internal::dot(X.row(i).data(), padded.data(), padded.size()));
  return result;
}

}  // namespace dyad
