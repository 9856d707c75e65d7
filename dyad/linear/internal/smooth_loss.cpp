// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/smooth_loss.h"

#include <utility>

#include "dyad/linear/internal/eigen_maps.h"
#include "dyad/linear/internal/line_search.h"
#include "dyad/linear/internal/quadratic_l1.h"

namespace dyad::internal {
namespace {

constexpr double sufficient = 1e-4;  ///< share of the descent promised by the slope that a step must bring

/// Largest number of weights whose Hessian costs less than steps of conjugate gradients.
constexpr std::size_t most_contended = 1000;
/// Limit with squares in the penalty: systems are easier then, and more weights are not 0.
constexpr std::size_t most_contended_with_squares = 100;
/// Weights that may leave 0 at once, where fewer are not 0.
constexpr std::size_t fewest_entering = 50;
/// Cost of making a Hessian, in steps of conjugate gradients.
constexpr std::int64_t steps_of_hessian = 10;

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

template <class SmoothLoss>
class SmoothSolver {
 public:
  SmoothSolver(TrainingRows rows, const LinearSolution& warm, const SvmOptions& options,
               const Execution& execution)
      : options_(options),
        execution_(execution),
        penalty_(penalty_of(options)),
        rows_(std::move(rows)),
        n_cols_(rows_.n_cols),
        last_(rows_.last),
        w_(start_of(rows_, warm)),
        alpha_(rows_.size()),
        margin_(rows_.size()),
        slope_(rows_.size()) {}

  LinearSolution solve() {
    rows_.read_margins(w_, margin_);
    settle();
    LinearSolution solution;
    Patience patience;
    for (;;) {
      throw_if_stopped(execution_);
      update_alpha();
      evaluate(solution);
      if (patience.is_over(solution, rows_.steps, options_)) break;
      if (penalty_.l1 > 0 && proximal_newton_step()) continue;
      if (penalty_.l1 > 0) {
        proximal_step();
        update_alpha();
      }
      newton_step();
    }
    set_weights(solution, w_, rows_, options_);
    solution.intercept = w_[last_];
    return solution;
  }

 private:
  [[nodiscard]] double objective_at(const std::vector<double>& w, const std::vector<double>& margins) const {
    double penalty = 0;
    for (std::size_t j = 0; j < n_cols_; ++j) penalty += penalty_(w[j]);
    return penalty + total_loss(margins);
  }

  /// The objective without absolute values.
  [[nodiscard]] double smooth_objective_at(const std::vector<double>& w,
                                           const std::vector<double>& margins) const {
    double squares = 0;
    for (std::size_t j = 0; j < n_cols_; ++j) squares += w[j] * w[j];
    return 0.5 * penalty_.l2 * squares + total_loss(margins);
  }

  [[nodiscard]] double total_loss(const std::vector<double>& margins) const {
    double sum = 0;
    for (std::size_t i = 0; i < margins.size(); ++i) sum += rows_.C[i] * SmoothLoss::value(margins[i]);
    return sum;
  }

  [[nodiscard]] double curvature(std::size_t i) const {
    return rows_.C[i] * SmoothLoss::curvature(margin_[i]);
  }

  /// alpha_i = C_i slope_i, and v = sum_i alpha_i y_i (x_i, 1) of each class.
  void update_alpha() {
    v_.fill(std::vector<double>(last_ + 1));
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      alpha_[i] = rows_.C[i] * SmoothLoss::slope(margin_[i]);
      if (alpha_[i] != 0) rows_.add_row(i, alpha_[i], v_);
    }
    rows_.reads += static_cast<std::int64_t>(rows_.size());
  }

  /// Gradient of the objective without absolute values.
  [[nodiscard]] std::vector<double> smooth_gradient() const {
    std::vector<double> gradient(last_ + 1);
    for (std::size_t j = 0; j <= last_; ++j) gradient[j] = -v_[0][j] - v_[1][j];
    for (std::size_t j = 0; j < n_cols_; ++j) gradient[j] += penalty_.l2 * w_[j];
    return gradient;
  }

  void move_to(std::vector<double> w, const std::vector<double>& margins) {
    w_ = std::move(w);
    margin_ = margins;
    settle();
  }

  /// Derivatives of the loss by the intercept, and the sum of all alpha.
  struct InterceptSlope {
    double slope = 0;
    double size = 0;
    double curvature = 0;
  };
  [[nodiscard]] InterceptSlope slope_of_intercept(double shift) const {
    InterceptSlope sums;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double margin = margin_[i] + rows_.y[i] * shift;
      const double alpha = rows_.C[i] * SmoothLoss::slope(margin);
      sums.slope -= rows_.y[i] * alpha;
      sums.size += alpha;
      sums.curvature += rows_.C[i] * SmoothLoss::curvature(margin);
    }
    return sums;
  }

  /// Moves the intercept to where sum_i alpha_i y_i = 0: Newton steps inside a bracket.
  void settle() {
    double low = -std::numeric_limits<double>::infinity();
    double high = std::numeric_limits<double>::infinity();
    double shift = 0;
    double reach = 1;  // by which the bracket grows while it is open
    for (int step = 0; step < 100; ++step) {
      const auto [slope, size, curvature] = slope_of_intercept(shift);
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
    for (std::size_t i = 0; i < rows_.size(); ++i) margin_[i] += rows_.y[i] * shift;
    objective_ = objective_at(w_, margin_);
  }

  /// Steps to argmin over u of gradient.(u - w) + curvature |u - w|^2 / 2 + l1 |u|_1.
  ///
  /// The curvature is the first one tried at which this bounds the objective from above.
  void proximal_step() {
    const std::vector<double> gradient = smooth_gradient();
    if (proximal_curvature_ == 0) proximal_curvature_ = curvature_along(gradient);
    proximal_curvature_ *= 0.8;
    std::vector<double> margins(rows_.size());
    const double smooth = smooth_objective_at(w_, margin_);
    for (int trial = 0; trial < 60; ++trial, proximal_curvature_ *= 2) {
      std::vector<double> u = w_;
      double slope = 0;
      double squares = 0;
      for (std::size_t j = 0; j < n_cols_; ++j) {
        u[j] = shrunk(w_[j] - gradient[j] / proximal_curvature_, penalty_.l1 / proximal_curvature_);
        slope += gradient[j] * (u[j] - w_[j]);
        squares += (u[j] - w_[j]) * (u[j] - w_[j]);
      }
      ++rows_.steps;
      if (squares == 0) return;
      rows_.read_margins(u, margins);
      const double bound = smooth + slope + 0.5 * proximal_curvature_ * squares;
      if (smooth_objective_at(u, margins) > bound + 1e-14 * objective_) continue;
      return move_to(std::move(u), margins);
    }
  }

  double curvature_along(const std::vector<double>& u) {
    rows_.read_margins(u, slope_);
    const double squares = product(u, u);
    double sum = penalty_.l2 * squares;
    for (std::size_t i = 0; i < rows_.size(); ++i) sum += curvature(i) * slope_[i] * slope_[i];
    return squares > 0 && sum > 0 ? sum / squares : 1;
  }

  /// The weights that are not 0, those that should not be, and the intercept; ascending.
  ///
  /// If many weights should leave 0, only those with the largest gradient are among them.
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
    const Eigen::Index m = index(chosen.size());
    Matrix H(chosen.size(), chosen.size());
    auto sum = mapped(H);
    Eigen::MatrixXf block(m, index(block_rows));
    double total = 0;
    for (std::size_t first = 0; first < rows_.size(); first += block_rows) {
      throw_if_stopped(execution_);
      Eigen::Index n = 0;
      for (std::size_t i = first; i < std::min(rows_.size(), first + block_rows); ++i) {
        const double of_row = curvature(i);
        if (of_row == 0) continue;
        const auto root = static_cast<float>(std::sqrt(of_row));
        for (std::size_t k = 0; k < chosen.size(); ++k)
          block(index(k), n) = chosen[k] == last_ ? root : root * rows_.x[i][chosen[k]];
        total += of_row;
        ++n;
      }
      Eigen::MatrixXf part = Eigen::MatrixXf::Zero(m, m);
      part.selfadjointView<Eigen::Lower>().rankUpdate(block.leftCols(n));
      sum.triangularView<Eigen::Lower>() += part.cast<double>();
    }
    rows_.reads += static_cast<std::int64_t>(rows_.size());
    sum.triangularView<Eigen::StrictlyUpper>() = sum.transpose();
    // Elements without curvature of their own get a little, for systems of few rows.
    for (std::size_t a = 0; a < H.n_rows; ++a)
      H(a, a) += 1e-6 * total + 1e-12 + (chosen[a] == last_ ? 0 : penalty_.l2);
    return H;
  }

  /// Takes the first step of length 1, 1/2, 1/4, .. with sufficient descent; returns whether the objective
  /// fell.
  ///
  /// try_length(t, u, margins) moves u from w, sets its margins and returns the change that the slope
  /// promises.
  template <class TryLength>
  bool take_step(const TryLength& try_length) {
    std::vector<double> margins(rows_.size());
    bool fell = false;
    backtrack(0x1p-30, [&](double t) {
      std::vector<double> u = w_;
      const double promised = try_length(t, u, margins);
      const double objective = objective_at(u, margins);
      if (objective > objective_ + sufficient * std::min(0.0, promised)) return false;
      fell = objective < objective_;
      move_to(std::move(u), margins);
      return true;
    });
    return fell;
  }

  /// margins = those at w + t d, `slope_` having been read for d.
  void extrapolate(double t, std::vector<double>& margins) const {
    for (std::size_t i = 0; i < margins.size(); ++i) margins[i] = margin_[i] + t * slope_[i];
  }

  /// Takes a Newton step of the contended weights by their Hessian if they are few; returns whether the
  /// objective fell.
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
    const auto to = minimise_quadratic_l1(hessian(chosen), g, w, l1);
    std::vector<double> d(last_ + 1);
    double slope = 0;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      d[chosen[k]] = to[k] - w[k];
      slope += g[k] * (to[k] - w[k]) + l1[k] * (std::abs(to[k]) - std::abs(w[k]));
    }
    rows_.steps += steps_of_hessian;
    rows_.read_margins(d, slope_);
    return take_step([&](double t, std::vector<double>& u, std::vector<double>& margins) {
      for (std::size_t k = 0; k < chosen.size(); ++k)
        u[chosen[k]] = t == 1 ? to[k] : w[k] + t * (to[k] - w[k]);
      extrapolate(t, margins);
      return t * slope;
    });
  }

  /// Takes a Newton step of the intercept and of the weights that are not 0, or of all without an L1 part.
  void newton_step() {
    std::vector<double> gradient = smooth_gradient();
    std::vector<std::size_t> free;
    for (std::size_t j = 0; j < n_cols_; ++j) {
      if (penalty_.l1 == 0 || w_[j] != 0) free.push_back(j);
      gradient[j] = penalty_.l1 > 0 && w_[j] == 0 ? 0 : gradient[j] + std::copysign(penalty_.l1, w_[j]);
    }
    free.push_back(last_);
    const std::vector<double> d = newton_direction(gradient, free);
    rows_.read_margins(d, slope_);
    take_step([&](double t, std::vector<double>& u, std::vector<double>& margins) {
      for (std::size_t j = 0; j <= last_; ++j) u[j] += t * d[j];
      bool cut = false;
      for (std::size_t j = 0; penalty_.l1 > 0 && j < n_cols_; ++j) {
        if (u[j] * w_[j] >= 0) continue;
        u[j] = 0;
        cut = true;
      }
      double slope = 0;
      for (std::size_t j = 0; j <= last_; ++j) slope += gradient[j] * (u[j] - w_[j]);
      if (cut)
        rows_.read_margins(u, margins);
      else
        extrapolate(t, margins);
      return slope;
    });
  }

  /// Solves (l2 I + sum_i curvature_i (x_i, 1) (x_i, 1)') d = -gradient among the free elements, ascending.
  ///
  /// The solution is rough, as exact directions would not pay. Where few elements are free, their columns are
  /// copied.
  std::vector<double> newton_direction(const std::vector<double>& gradient,
                                       std::span<const std::size_t> free) {
    CurvedRows curved;
    double total = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const double of_row = curvature(i);
      if (of_row == 0) continue;
      curved.add(rows_.x[i], of_row);
      total += of_row;
    }
    curved.pad_to_fours();
    const bool few = 2 * free.size() < n_cols_;
    const std::size_t n_free = free.size() - 1;  // columns, without the intercept
    FloatRows narrow(few ? curved.x.size() : 0, n_free);
    for (std::size_t i = 0; i < narrow.n_rows(); ++i) {
      const auto to = narrow.row(i);
      for (std::size_t m = 0; m < n_free; ++m) to[m] = curved.x[i][free[m]];
      curved.x[i] = to.data();
    }
    const std::size_t last = few ? whole_lines(n_free) : last_;
    const auto place = [&](std::size_t m) { return free[m] == last_ ? last : few ? m : free[m]; };

    // Elements without curvature of their own get a little, for systems of few rows.
    const auto own = static_cast<float>(std::max(penalty_.l2, 1e-6 * total));
    const auto own_of_intercept = static_cast<float>(1e-6 * total + 1e-12);
    std::vector<float> mask(last + 1);
    std::vector<float> residual(last + 1);
    for (std::size_t m = 0; m < free.size(); ++m) {
      mask[place(m)] = 1;
      residual[place(m)] = static_cast<float>(-gradient[free[m]]);
    }
    const auto multiply = [&](const std::vector<float>& p) {
      throw_if_stopped(execution_);
      std::vector<float> q = p;
      for (std::size_t j = 0; j < last; ++j) q[j] *= own;
      q[last] *= own_of_intercept;
      curved.add_product(p, last, q);
      for (std::size_t j = 0; j <= last; ++j) q[j] *= mask[j];
      ++rows_.steps;
      rows_.reads += static_cast<std::int64_t>(curved.x.size());
      return q;
    };
    const std::vector<float> d = conjugate_gradients(std::move(residual), 0.01F, multiply);
    ++rows_.steps;
    std::vector<double> direction(last_ + 1);
    for (std::size_t m = 0; m < free.size(); ++m) direction[free[m]] = static_cast<double>(d[place(m)]);
    return direction;
  }

  /// Objective and gap at w and the alpha that they give, made feasible. O(n + p).
  void evaluate(LinearSolution& solution) const {
    std::array<double, 2> factor = rows_.balance(v_);
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
    for (std::size_t i = 0; i < rows_.size(); ++i)
      dual += rows_.C[i] * SmoothLoss::conjugate(factor[rows_.side(i)] * alpha_[i] / rows_.C[i]);
    set_gap(solution, objective_, dual, options_.tolerance);
  }

  const SvmOptions& options_;
  const Execution& execution_;
  WeightPenalty penalty_;
  TrainingRows rows_;
  std::size_t n_cols_;
  std::size_t last_;
  std::vector<double> w_;
  ClassSums v_;
  std::vector<double> alpha_;
  std::vector<double> margin_;  ///< y_i (w.x_i + b)
  std::vector<double> slope_;   ///< its change along a direction
  double objective_ = 0;
  double proximal_curvature_ = 0;
};

}  // namespace

LinearSolution solve_smooth_loss(TrainingRows rows, const SvmOptions& options, const LinearSolution& warm,
                                 const Execution& execution) {
  return with_smooth_loss(options.loss, [&]<class SmoothLoss>(SmoothLoss) {
    return SmoothSolver<SmoothLoss>(std::move(rows), warm, options, execution).solve();
  });
}

}  // namespace dyad::internal
