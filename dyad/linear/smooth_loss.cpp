// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/smooth_loss.h"

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "dyad/linear/internal/conjugate_gradients.h"
#include "dyad/linear/internal/quadratic_l1.h"
#include "dyad/linear/internal/row_arithmetic.h"

namespace dyad {
namespace {

using internal::add;
using internal::add_four_products;
using internal::dot;
using internal::product;
using internal::whole_lines;

constexpr int patience = 300;        ///< rounds without a smaller gap before giving up
constexpr double sufficient = 1e-4;  ///< share of the descent promised by the slope that a step must bring

/// A Hessian of more weights than these costs more than steps of conjugate gradients.
constexpr std::size_t most_contended = 1000;
/// The same where squares are part of the penalty: systems are easier then, and more weights are not 0.
constexpr std::size_t most_contended_with_squares = 100;
/// Weights that may leave 0 at once, where fewer are not 0.
constexpr std::size_t fewest_entering = 50;
/// What making a Hessian counts as, in steps of conjugate gradients.
constexpr std::int64_t steps_of_hessian = 10;

// --- the losses ---

double loss_of(Loss loss, double margin) {
  if (loss == Loss::logistic) return std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
  return std::pow(std::max(0.0, 1 - margin), 2);
}

/// -loss'(margin), which is not negative.
double pull_of(Loss loss, double margin) {
  if (loss == Loss::squared_hinge) return 2 * std::max(0.0, 1 - margin);
  const double e = std::exp(-std::abs(margin));
  return (margin > 0 ? e : 1) / (1 + e);
}

/// loss''(margin), of the squared hinge from the left.
double curvature_of(Loss loss, double margin) {
  if (loss == Loss::squared_hinge) return margin < 1 ? 2 : 0;
  const double e = std::exp(-std::abs(margin));
  return e / ((1 + e) * (1 + e));
}

/// min over m of loss(m) + a m, for a that -loss' can be.
double least_above_line(Loss loss, double a) {
  if (loss == Loss::squared_hinge) return a - a * a / 4;
  const auto part = [](double p) { return p > 0 ? -p * std::log(p) : 0; };
  return part(a) + part(1 - a);
}

/// l1 |w| + l2 w^2 / 2 of a weight.
struct WeightPenalty {
  double l1 = 0;
  double l2 = 1;

  [[nodiscard]] double operator()(double w) const { return l1 * std::abs(w) + 0.5 * l2 * w * w; }
  /// max over w of v w - penalty, for |v| <= l1 if l2 is 0.
  [[nodiscard]] double conjugate(double v) const {
    const double excess = std::max(0.0, std::abs(v) - l1);
    return l2 > 0 ? 0.5 * excess * excess / l2 : 0;
  }
};

WeightPenalty penalty_of(const SvmOptions& options) {
  if (options.penalty == Penalty::l2) return {0, 1};
  if (options.penalty == Penalty::l1) return {1, 0};
  return {options.l1_ratio, 1 - options.l1_ratio};
}

double shrunk(double w, double by) { return w > by ? w - by : w < -by ? w + by : 0; }

// --- the solver ---

/// Vectors in the space of w hold the intercept's element last, after the columns padded to whole lines with zeros.
class Solver {
 public:
  Solver(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
         std::span<const double> y, std::span<const double> weights, const SvmOptions& options)
      : options_(options),
        penalty_(penalty_of(options)),
        n_cols_(n_cols),
        last_(whole_lines(n_cols)),
        w_(last_ + 1) {
    for (const std::uint32_t i : rows) {
      const double cost = options.C * (weights.empty() ? 1 : weights[i]);
      if (cost == 0) continue;
      x_.push_back(X.row(i).data());
      y_.push_back(y[i]);
      cost_.push_back(cost);
    }
    margin_.resize(x_.size());
    alpha_.resize(x_.size());
    slope_.resize(x_.size());
  }

  void start_from(const LinearSolution& warm) {
    std::copy_n(warm.w.begin(), std::min(warm.w.size(), n_cols_), w_.begin());
    w_[last_] = warm.intercept;
  }

  /// Whether an intercept alone has no loss, or as little as one likes.
  [[nodiscard]] bool has_one_class() const {
    return std::ranges::adjacent_find(y_, std::not_equal_to<>()) == y_.end();
  }

  [[nodiscard]] LinearSolution one_class() const {
    return {.w = std::vector<double>(n_cols_),
            .intercept = y_.empty() ? 0 : y_[0],
            .alpha = {},
            .C = options_.C,
            .converged = true};
  }

  LinearSolution solve(const Execution& execution) {
    read_margins(w_, margin_);
    settle();
    LinearSolution solution;
    double best_gap = std::numeric_limits<double>::infinity();
    for (int idle = 0;; ++idle) {
      throw_if_stopped(execution);
      update_alpha();
      evaluate(solution);
      if (solution.gap < 0.99 * best_gap) {
        best_gap = solution.gap;
        idle = 0;
      }
      if (solution.converged || steps_ >= options_.max_iterations || idle > patience) break;
      if (penalty_.l1 > 0 && proximal_newton_step()) continue;
      if (penalty_.l1 > 0) {
        proximal_step();
        update_alpha();
      }
      newton_step();
    }
    solution.w.assign(w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(n_cols_));
    solution.intercept = w_[last_];
    solution.C = options_.C;
    solution.steps = steps_;
    solution.row_reads = reads_;
    return solution;
  }

 private:
  /// out_i = y_i (x_i, 1).u
  void read_margins(const std::vector<double>& u, std::vector<double>& out) {
    for (std::size_t i = 0; i < x_.size(); ++i) out[i] = y_[i] * (dot(x_[i], u.data(), last_) + u[last_]);
    reads_ += static_cast<std::int64_t>(x_.size());
  }

  [[nodiscard]] double penalty(const std::vector<double>& w) const {
    double sum = 0;
    for (std::size_t j = 0; j < n_cols_; ++j) sum += penalty_(w[j]);
    return sum;
  }

  [[nodiscard]] double total_loss(const std::vector<double>& margins) const {
    double sum = 0;
    for (std::size_t i = 0; i < margins.size(); ++i) sum += cost_[i] * loss_of(options_.loss, margins[i]);
    return sum;
  }

  /// alpha_i = cost_i pull_i, and v = sum_i alpha_i y_i (x_i, 1), separately for the two classes.
  void update_alpha() {
    v_.fill(std::vector<double>(last_ + 1));
    for (std::size_t i = 0; i < x_.size(); ++i) {
      alpha_[i] = cost_[i] * pull_of(options_.loss, margin_[i]);
      if (alpha_[i] == 0) continue;
      std::vector<double>& v = v_[y_[i] > 0 ? 1 : 0];
      add(y_[i] * alpha_[i], x_[i], n_cols_, v.data());
      v[last_] += y_[i] * alpha_[i];
    }
    reads_ += static_cast<std::int64_t>(x_.size());
  }

  /// Of the loss and the square of w.
  [[nodiscard]] std::vector<double> smooth_gradient() const {
    std::vector<double> gradient(last_ + 1);
    for (std::size_t j = 0; j <= last_; ++j) gradient[j] = -v_[0][j] - v_[1][j];
    for (std::size_t j = 0; j < n_cols_; ++j) gradient[j] += penalty_.l2 * w_[j];
    return gradient;
  }

  /// Moves the intercept to where sum_i alpha_i y_i = 0: Newton steps inside a bracket.
  void settle() {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    double shift = 0;
    double reach = 1;  // by which the bracket grows while it is open
    for (int step = 0; step < 100; ++step) {
      double slope = 0;
      double size = 0;
      double curvature = 0;
      for (std::size_t i = 0; i < x_.size(); ++i) {
        const double margin = margin_[i] + y_[i] * shift;
        const double alpha = cost_[i] * pull_of(options_.loss, margin);
        slope -= y_[i] * alpha;
        size += alpha;
        curvature += cost_[i] * curvature_of(options_.loss, margin);
      }
      if (std::abs(slope) <= 1e-13 * size) break;
      (slope < 0 ? low : high) = shift;
      double next = curvature > 0 ? shift - slope / curvature : std::numeric_limits<double>::quiet_NaN();
      if (!(std::abs(next - shift) <= reach) || next <= low || next >= high) {
        const bool open = slope < 0 ? std::isinf(high) : std::isinf(low);
        next = open ? shift - std::copysign(reach, slope) : 0.5 * (low + high);
        reach *= open ? 4 : 1;
      }
      if (next == shift) break;
      shift = next;
    }
    w_[last_] += shift;
    for (std::size_t i = 0; i < x_.size(); ++i) margin_[i] += y_[i] * shift;
    objective_ = penalty(w_) + total_loss(margin_);
  }

  /// w = argmin of gradient.(u - w) + curvature |u - w|^2 / 2 + l1 |u|_1, with the first curvature at which that is above the objective.
  void proximal_step() {
    const std::vector<double> gradient = smooth_gradient();
    if (proximal_curvature_ == 0) proximal_curvature_ = curvature_along(gradient);
    proximal_curvature_ *= 0.8;
    std::vector<double> margins(x_.size());
    const double smooth = smooth_objective(w_, margin_);
    for (int trial = 0; trial < 60; ++trial, proximal_curvature_ *= 2) {
      std::vector<double> u = w_;
      double slope = 0;
      double squares = 0;
      for (std::size_t j = 0; j < n_cols_; ++j) {
        u[j] = shrunk(w_[j] - gradient[j] / proximal_curvature_, penalty_.l1 / proximal_curvature_);
        slope += gradient[j] * (u[j] - w_[j]);
        squares += (u[j] - w_[j]) * (u[j] - w_[j]);
      }
      ++steps_;
      if (squares == 0) return;
      read_margins(u, margins);
      const double bound = smooth + slope + 0.5 * proximal_curvature_ * squares;
      if (smooth_objective(u, margins) > bound + 1e-14 * objective_) continue;
      w_ = std::move(u);
      margin_ = margins;
      return settle();
    }
  }

  [[nodiscard]] double smooth_objective(const std::vector<double>& w,
                                        const std::vector<double>& margins) const {
    double squares = 0;
    for (std::size_t j = 0; j < n_cols_; ++j) squares += w[j] * w[j];
    return 0.5 * penalty_.l2 * squares + total_loss(margins);
  }

  double curvature_along(const std::vector<double>& u) {
    read_margins(u, slope_);
    const double squares = product(u, u);
    double sum = penalty_.l2 * squares;
    for (std::size_t i = 0; i < x_.size(); ++i)
      sum += cost_[i] * curvature_of(options_.loss, margin_[i]) * slope_[i] * slope_[i];
    return squares > 0 && sum > 0 ? sum / squares : 1;
  }

  /// The weights that are not 0 or should not be, of the latter those that are wrong most if they are many; then the intercept.
  [[nodiscard]] std::vector<std::size_t> contended(const std::vector<double>& gradient) const {
    std::vector<std::size_t> chosen;
    std::vector<std::size_t> entering;
    for (std::size_t j = 0; j < n_cols_; ++j) {
      if (w_[j] != 0)
        chosen.push_back(j);
      else if (std::abs(gradient[j]) > penalty_.l1)
        entering.push_back(j);
    }
    std::ranges::stable_sort(entering, std::greater<>(),
                             [&](std::size_t j) { return std::abs(gradient[j]); });
    entering.resize(std::min(entering.size(), std::max(fewest_entering, chosen.size())));
    chosen.insert(chosen.end(), entering.begin(), entering.end());
    chosen.push_back(last_);
    std::ranges::sort(chosen);
    return chosen;
  }

  /// l2 I + sum_i curvature_i (x_i, 1) (x_i, 1)' among the chosen elements.
  [[nodiscard]] Matrix hessian(std::span<const std::size_t> chosen) {
    constexpr std::size_t block_rows = 512;
    const auto m = static_cast<Eigen::Index>(chosen.size());
    Eigen::MatrixXd sum = Eigen::MatrixXd::Zero(m, m);
    Eigen::MatrixXf block(m, static_cast<Eigen::Index>(block_rows));
    double total = 0;
    for (std::size_t first = 0; first < x_.size(); first += block_rows) {
      Eigen::Index n = 0;
      for (std::size_t i = first; i < std::min(x_.size(), first + block_rows); ++i) {
        const double curvature = cost_[i] * curvature_of(options_.loss, margin_[i]);
        if (curvature == 0) continue;
        const auto root = static_cast<float>(std::sqrt(curvature));
        for (Eigen::Index k = 0; k < m; ++k) {
          const std::size_t j = chosen[static_cast<std::size_t>(k)];
          block(k, n) = j == last_ ? root : root * x_[i][j];
        }
        total += curvature;
        ++n;
      }
      Eigen::MatrixXf part = Eigen::MatrixXf::Zero(m, m);
      part.selfadjointView<Eigen::Lower>().rankUpdate(block.leftCols(n));
      sum.triangularView<Eigen::Lower>() += part.cast<double>();
    }
    reads_ += static_cast<std::int64_t>(x_.size());
    Matrix H(chosen.size(), chosen.size());
    for (std::size_t b = 0; b < H.n_cols; ++b)
      for (std::size_t a = b; a < H.n_rows; ++a)
        H(a, b) = H(b, a) = sum(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b));
    // What has no curvature of its own gets a little, for systems of few rows.
    for (std::size_t a = 0; a < H.n_rows; ++a)
      H(a, a) += 1e-6 * total + 1e-12 + (chosen[a] == last_ ? 0 : penalty_.l2);
    return H;
  }

  /// A Newton step of the weights in question, by their Hessian, if they are few; says whether it took one.
  bool proximal_newton_step() {
    const std::vector<double> gradient = smooth_gradient();
    const std::vector<std::size_t> chosen = contended(gradient);
    if (chosen.size() > (penalty_.l2 > 0 ? most_contended_with_squares : most_contended)) return false;
    std::vector<double> w;
    std::vector<double> g;
    std::vector<double> l1;
    for (const std::size_t j : chosen) {
      w.push_back(w_[j]);
      g.push_back(gradient[j]);
      l1.push_back(j == last_ ? 0 : penalty_.l1);
    }
    const auto to = internal::minimise_quadratic_l1(hessian(chosen), g, w, l1);
    std::vector<double> d(last_ + 1);
    double slope = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      d[chosen[k]] = to[k] - w[k];
      slope += g[k] * (to[k] - w[k]) + l1[k] * (std::abs(to[k]) - std::abs(w[k]));
    }
    steps_ += steps_of_hessian;
    read_margins(d, slope_);
    std::vector<double> margins(x_.size());
    double t = 1;
    for (int trial = 0; trial < 30; ++trial, t /= 2) {
      std::vector<double> u = w_;
      for (std::size_t k = 0; k < chosen.size(); ++k)
        u[chosen[k]] = t == 1 ? to[k] : w[k] + t * (to[k] - w[k]);
      for (std::size_t i = 0; i < margins.size(); ++i) margins[i] = margin_[i] + t * slope_[i];
      const double objective = penalty(u) + total_loss(margins);
      if (objective > objective_ + sufficient * t * std::min(0.0, slope)) continue;
      const bool moved = objective < objective_;
      w_ = std::move(u);
      margin_ = margins;
      settle();
      return moved;
    }
    return false;
  }

  /// A Newton step of the weights that are not 0 (of all without an L1 part) and of the intercept.
  void newton_step() {
    std::vector<double> gradient = smooth_gradient();
    std::vector<std::size_t> free;
    for (std::size_t j = 0; j < n_cols_; ++j) {
      if (penalty_.l1 == 0 || w_[j] != 0) free.push_back(j);
      gradient[j] = penalty_.l1 > 0 && w_[j] == 0 ? 0 : gradient[j] + std::copysign(penalty_.l1, w_[j]);
    }
    free.push_back(last_);
    const std::vector<double> d = newton_direction(gradient, free);
    read_margins(d, slope_);

    std::vector<double> margins(x_.size());
    double t = 1;
    for (int trial = 0; trial < 30; ++trial, t /= 2) {
      std::vector<double> u = w_;
      for (std::size_t j = 0; j <= last_; ++j) u[j] += t * d[j];
      bool cut = false;
      if (penalty_.l1 > 0)
        for (std::size_t j = 0; j < n_cols_; ++j) {
          if (u[j] * w_[j] >= 0) continue;
          u[j] = 0;
          cut = true;
        }
      double slope = 0;
      for (std::size_t j = 0; j <= last_; ++j) slope += gradient[j] * (u[j] - w_[j]);
      if (cut)
        read_margins(u, margins);
      else
        for (std::size_t i = 0; i < margins.size(); ++i) margins[i] = margin_[i] + t * slope_[i];
      const double objective = penalty(u) + total_loss(margins);
      if (objective > objective_ + sufficient * std::min(0.0, slope)) continue;
      w_ = std::move(u);
      margin_ = margins;
      return settle();
    }
  }

  /// Solves (l2 I + sum_i curvature_i (x_i, 1) (x_i, 1)') d = -gradient among the free elements, ascending: roughly, as exact directions
  /// would not pay.
  std::vector<double> newton_direction(const std::vector<double>& gradient,
                                       std::span<const std::size_t> free) {
    std::vector<const float*> x;
    std::vector<float> scale;
    double total = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const double curvature = cost_[i] * curvature_of(options_.loss, margin_[i]);
      if (curvature == 0) continue;
      x.push_back(x_[i]);
      scale.push_back(static_cast<float>(curvature));
      total += curvature;
    }
    while (x.size() % 4 != 0) {
      x.push_back(x.back());
      scale.push_back(0);
    }
    const bool few = 2 * free.size() < n_cols_;
    const std::size_t n_columns =
        static_cast<std::size_t>(std::ranges::lower_bound(free, last_) - free.begin());
    FloatRows narrow(few ? x.size() : 0, n_columns);
    for (std::size_t i = 0; few && i < x.size(); ++i) {
      const auto to = narrow.row(i);
      for (std::size_t m = 0; m < n_columns; ++m) to[m] = x[i][free[m]];
      x[i] = to.data();
    }
    const std::size_t last = few ? whole_lines(n_columns) : last_;
    const auto place = [&](std::size_t m) { return free[m] == last_ ? last : few ? m : free[m]; };

    // What has no curvature of its own gets a little, for systems of few rows.
    const auto own = static_cast<float>(std::max(penalty_.l2, 1e-6 * total));
    const auto own_of_intercept = static_cast<float>(1e-6 * total + 1e-12);
    std::vector<float> mask(last + 1);
    std::vector<float> residual(last + 1);
    for (std::size_t m = 0; m < free.size(); ++m) {
      mask[place(m)] = 1;
      residual[place(m)] = static_cast<float>(-gradient[free[m]]);
    }
    const auto multiply = [&](const std::vector<float>& p) {
      std::vector<float> q = p;
      for (std::size_t j = 0; j < last; ++j) q[j] *= own;
      q[last] *= own_of_intercept;
      for (std::size_t k = 0; k < x.size(); k += 4)
        add_four_products(&x[k], &scale[k], p.data(), last, q.data());
      for (std::size_t j = 0; j <= last; ++j) q[j] *= mask[j];
      ++steps_;
      reads_ += static_cast<std::int64_t>(x.size());
      return q;
    };
    const std::vector<float> d = internal::conjugate_gradients(std::move(residual), 0.01F, multiply);
    ++steps_;
    std::vector<double> direction(last_ + 1);
    for (std::size_t m = 0; m < free.size(); ++m) direction[free[m]] = static_cast<double>(d[place(m)]);
    return direction;
  }

  /// By what the alphas of the classes (-1, +1) must be multiplied to satisfy sum_i alpha_i y_i = 0.
  [[nodiscard]] std::array<double, 2> balance() const {
    const double negative = -v_[0][last_];
    const double positive = v_[1][last_];
    if (negative == positive) return {1, 1};
    return {std::min(1.0, positive / negative), std::min(1.0, negative / positive)};
  }

  /// Objective and gap at w and the alpha that they give, made feasible. O(n + p).
  void evaluate(LinearSolution& solution) const {
    std::array<double, 2> factor = balance();
    std::vector<double> v(last_ + 1);
    for (std::size_t j = 0; j <= last_; ++j) v[j] = factor[0] * v_[0][j] + factor[1] * v_[1][j];
    if (penalty_.l2 == 0) {
      double largest = 1;
      for (std::size_t j = 0; j < n_cols_; ++j) largest = std::max(largest, std::abs(v[j]) / penalty_.l1);
      for (double& part : factor) part /= largest;
      for (double& value : v) value /= largest;
    }
    double dual = 0;
    for (std::size_t j = 0; j < n_cols_; ++j) dual -= penalty_.conjugate(v[j]);
    for (std::size_t i = 0; i < x_.size(); ++i)
      dual += cost_[i] * least_above_line(options_.loss, factor[y_[i] > 0 ? 1 : 0] * alpha_[i] / cost_[i]);
    solution.objective = objective_;
    solution.gap = objective_ > 0 ? (objective_ - dual) / objective_ : 0;
    solution.converged = solution.gap <= options_.tolerance;
  }

  const SvmOptions& options_;
  WeightPenalty penalty_;
  std::size_t n_cols_;
  std::size_t last_;  ///< where the intercept's element is
  std::vector<const float*> x_;
  std::vector<double> y_;
  std::vector<double> cost_;
  std::vector<double> w_;
  std::array<std::vector<double>, 2> v_;  ///< of the classes -1, +1
  std::vector<double> alpha_;
  std::vector<double> margin_;  ///< y_i (w.x_i + b)
  std::vector<double> slope_;   ///< its change along a direction
  double objective_ = 0;
  double proximal_curvature_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t reads_ = 0;
};

}  // namespace

LinearSolution solve_smooth_loss(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
                                 std::span<const double> y, std::span<const double> weights,
                                 const SvmOptions& options, const LinearSolution& warm,
                                 const Execution& execution) {
  Solver solver(X, rows, n_cols, y, weights, options);
  if (solver.has_one_class()) return solver.one_class();
  if (!warm.w.empty()) solver.start_from(warm);
  return solver.solve(execution);
}

}  // namespace dyad
