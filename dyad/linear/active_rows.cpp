// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/active_rows.h"

#include <utility>

#include "dyad/base/gather.h"
#include "dyad/base/random.h"
#include "dyad/base/vector_math.h"
#include "dyad/linear/internal/best_intercept.h"
#include "dyad/linear/internal/training_rows.h"
#include "dyad/linear/linear_svm.h"

namespace dyad {
namespace {

/// Rows whose Gram matrix takes less time and memory than what it saves.
constexpr std::size_t most_gram_rows = 3000;
/// Fewer rows are all active at first, and left to Newton steps where columns are fewer still.
constexpr std::size_t few_rows = 1000;
/// Rows with margins up to this are active at first.
constexpr double first_margin = 1.01;
constexpr int most_rounds = 30;
/// Rounds that are solved to less than this share of the tolerance do not get there.
constexpr double least_tolerance = 0.01;

/// Rows whose products are computed at once.
constexpr std::size_t tile = 64;

class ActiveRowsSolver {
 public:
  ActiveRowsSolver(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
                   std::span<const double> y, std::span<const double> loss_weights, const SvmOptions& options)
      : X_(X),
        y_(y),
        loss_weights_(loss_weights),
        options_(options),
        rows_(X, rows, n_cols, y, loss_weights, options),
        is_active_(rows_.size()),
        margin_(rows_.size()),
        alpha_(rows_.size()) {}

  /// True if `solve` has solved for some rows.
  [[nodiscard]] bool has_solved() const { return has_solved_; }
  [[nodiscard]] bool has_one_class() const { return rows_.has_one_class(); }

  /// Starts from w and from alpha, if the start has them.
  void start_from(const LinearSolution& start) {
    if (start.w.empty()) {
      is_active_.assign(rows_.size(), true);
      return;
    }
    w_ = internal::start_of(rows_, start);
    rows_.read_margins(w_, margin_);
    if (!start.alpha.empty() && start.C > 0)
      for (std::size_t i = 0; i < rows_.size(); ++i)
        alpha_[i] = std::min(rows_.C[i], start.alpha[rows_.row[i]] * options_.C / start.C);
    for (std::size_t i = 0; i < rows_.size(); ++i) is_active_[i] = alpha_[i] > 0 || margin_[i] < first_margin;
  }

  void use(const RowProducts* products) {
    if (products != nullptr && products->n_cols() == rows_.n_cols) products_ = products;
  }

  /// Returns the solution, or the start for a solver of all rows if these rounds do not get there.
  LinearSolution solve(const LinearSolution& start, const Execution& execution) {
    LinearSolution solution = start;
    for (int round = 0; round < most_rounds; ++round) {
      throw_if_stopped(execution);
      std::vector<std::size_t> active;
      for (std::size_t i = 0; i < rows_.size(); ++i)
        if (is_active_[i]) active.push_back(i);
      const bool by_gram = RowProducts::are_worth(active.size(), rows_.n_cols);
      if (!by_gram && 2 * active.size() > rows_.size()) return solution;
      const std::int64_t left = options_.max_iterations - solution.steps;
      const bool solved = left > 0 && has_both_classes(active) &&
                          (by_gram ? solve_gram(active, left, solution, execution)
                                   : solve_newton(active, left, solution, execution));
      if (!solved && left > 0 && !has_both_classes(active)) return solution;
      finish(solution);
      has_solved_ = true;
      if (solution.converged || solution.steps >= options_.max_iterations) return solution;
      bool added = false;
      for (std::size_t i = 0; i < rows_.size(); ++i)
        if (!is_active_[i] && margin_[i] < 1) added = is_active_[i] = true;
      if (!added && is_exact_) tolerance_ *= 0.1;
      if (!added) is_exact_ = true;
      if (tolerance_ < least_tolerance) return solution;
    }
    return solution;
  }

 private:
  [[nodiscard]] bool has_both_classes(std::span<const std::size_t> active) const {
    return std::ranges::adjacent_find(active, [&](std::size_t a, std::size_t b) {
             return rows_.y[a] != rows_.y[b];
           }) != active.end();
  }

  [[nodiscard]] SvmOptions options_of_round(std::int64_t steps) const {
    SvmOptions options = options_;
    options.tolerance *= tolerance_;
    options.max_iterations = steps;
    return options;
  }

  bool solve_gram(std::span<const std::size_t> active, std::int64_t steps, LinearSolution& solution,
                  const Execution& execution) {
    const Matrix gram = gram_of(gather(rows_.row, active), execution);
    const auto y = gather(rows_.y, active);
    auto C = gather(rows_.C, active);
    for (double& C_i : C) C_i /= options_.C;
    const SvmSolution part = solve_svm(gram, y, C, options_of_round(steps),
                                       start_within(gram, y, gather(alpha_, active)), execution);
    std::ranges::fill(alpha_, 0.0);
    for (std::size_t k = 0; k < active.size(); ++k) alpha_[active[k]] = part.alpha[k];
    solution.steps += part.iterations;
    rows_.reads += static_cast<std::int64_t>(active.size());
    return true;
  }

  [[nodiscard]] Matrix gram_of(const std::vector<std::uint32_t>& active, const Execution& execution) const {
    if (is_exact_) {
      Matrix Z(active.size(), rows_.n_cols);
      for (std::size_t i = 0; i < active.size(); ++i)
        for (std::size_t j = 0; j < rows_.n_cols; ++j) Z(i, j) = static_cast<double>(X_.row(active[i])[j]);
      Matrix gram(active.size(), active.size());
      add_gram(Z, gram, execution);
      return gram;
    }
    if (products_ != nullptr) return products_->of(active);
    RowProducts products(active);
    products.extend_to(X_, rows_.n_cols, execution);
    return products.of(active);
  }

  /// A start for the dual: balanced, and shortened where columns were added since.
  static std::vector<double> start_within(const Matrix& gram, std::span<const double> y,
                                          std::vector<double> alpha) {
    std::array<double, 2> sums{};
    for (std::size_t i = 0; i < y.size(); ++i) sums[y[i] > 0 ? 1 : 0] += alpha[i];
    const double least = std::min(sums[0], sums[1]);
    if (!(least > 0)) return {};
    for (std::size_t i = 0; i < y.size(); ++i) alpha[i] *= least / sums[y[i] > 0 ? 1 : 0];
    double square = 0;
    for (std::size_t k = 0; k < y.size(); ++k) {
      if (alpha[k] == 0) continue;
      double product = 0;
      for (std::size_t i = 0; i < y.size(); ++i) product += alpha[i] * y[i] * gram(i, k);
      square += alpha[k] * y[k] * product;
    }
    const double length = std::min(1.0, 2 * least / square);
    for (double& a : alpha) a *= length;
    return alpha;
  }

  bool solve_newton(std::span<const std::size_t> active, std::int64_t steps, LinearSolution& solution,
                    const Execution& execution) {
    const LinearSolution part = solve_linear(X_, gather(rows_.row, active), rows_.n_cols, y_, loss_weights_,
                                             options_of_round(steps), solution, execution);
    for (std::size_t i = 0; i < rows_.size(); ++i) alpha_[i] = part.alpha[rows_.row[i]];
    solution.steps += part.steps;
    rows_.reads += part.row_reads;
    w_.assign(rows_.last + 1, 0);
    std::ranges::copy(part.w, w_.begin());
    newton_w_ = true;
    return true;
  }

  /// Fills in the solution: w of alpha, the best intercept, and the gap over all rows.
  void finish(LinearSolution& solution) {
    internal::ClassSums v;
    v.fill(std::vector<double>(rows_.last + 1));
    for (std::size_t i = 0; i < rows_.size(); ++i)
      if (alpha_[i] > 0) rows_.add_row(i, alpha_[i], v);
    const auto factor = rows_.balance(v);
    std::vector<double> dual_w(rows_.last + 1);
    double alpha_sum = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      alpha_[i] *= factor[rows_.side(i)];
      alpha_sum += alpha_[i];
    }
    for (std::size_t j = 0; j < rows_.last; ++j) dual_w[j] = factor[0] * v[0][j] + factor[1] * v[1][j];
    const double dual = alpha_sum - 0.5 * internal::product(dual_w, dual_w);
    if (!newton_w_) w_ = dual_w;
    newton_w_ = false;
    w_[rows_.last] = 0;
    rows_.read_margins(w_, margin_);
    std::vector<double> f(rows_.size());
    for (std::size_t i = 0; i < f.size(); ++i) f[i] = rows_.y[i] * margin_[i];
    solution.intercept = internal::best_intercept(f, rows_.y, rows_.C);
    for (std::size_t i = 0; i < f.size(); ++i) margin_[i] += rows_.y[i] * solution.intercept;
    double primal = primal_at(1);
    // Products in single precision leave rows a hair within the margin, whose losses a large C makes large.
    double scale = 1;
    for (std::size_t i = 0; i < f.size(); ++i)
      if (alpha_[i] > 0 && alpha_[i] < rows_.C[i] && margin_[i] > 0.999)
        scale = std::max(scale, 1 / margin_[i]);
    if (const double scaled = primal_at(scale); scaled < primal) {
      primal = scaled;
      for (double& w : w_) w *= scale;
      for (double& margin : margin_) margin *= scale;
      solution.intercept *= scale;
    }
    w_[rows_.last] = solution.intercept;
    internal::set_gap(solution, primal, dual, options_.tolerance);
    const std::int64_t steps = solution.steps;
    internal::set_weights(solution, w_, rows_, options_);
    solution.steps = steps;
    solution.alpha.assign(X_.n_rows(), 0);
    for (std::size_t i = 0; i < rows_.size(); ++i) solution.alpha[rows_.row[i]] = alpha_[i];
  }

  /// The objective over all rows of w and intercept times `scale`.
  [[nodiscard]] double primal_at(double scale) const {
    double primal = 0.5 * scale * scale * internal::product(w_, w_);
    for (std::size_t i = 0; i < rows_.size(); ++i) primal += rows_.C[i] * Hinge::value(scale * margin_[i]);
    return primal;
  }

  const FloatRows& X_;
  std::span<const double> y_;
  std::span<const double> loss_weights_;
  const SvmOptions& options_;
  internal::TrainingRows rows_;
  std::vector<bool> is_active_;
  std::vector<double> margin_;  ///< y_i (w.x_i + b)
  std::vector<double> alpha_;
  std::vector<double> w_;
  double tolerance_ = 0.5;  ///< of a round, as a share of options.tolerance
  const RowProducts* products_ = nullptr;
  bool is_exact_ = false;  ///< products are in double precision, where single did not do
  bool has_solved_ = false;
  bool newton_w_ = false;  ///< w_ is better than that of alpha_
};

}  // namespace

bool RowProducts::are_worth(std::size_t n_rows, std::size_t n_cols) {
  return n_rows <= std::min(most_gram_rows, n_cols);
}

RowProducts::RowProducts(std::vector<std::uint32_t> rows) : rows_(std::move(rows)) {
  std::ranges::sort(rows_);
  const std::size_t n_tiles = (rows_.size() + tile - 1) / tile;
  tiles_.resize(n_tiles * (n_tiles + 1) / 2 * tile * tile);
}

void RowProducts::extend_to(const FloatRows& X, std::size_t n_cols, const Execution& execution) {
  constexpr std::size_t most_columns = 256;
  const std::size_t n_tiles = (rows_.size() + tile - 1) / tile;
  // Products of places that only fill the last tile are never read.
  std::vector<float> by_row(n_tiles * tile * most_columns);
  std::vector<float> by_column(by_row.size());
  for (std::size_t first = n_cols_; first < n_cols; first += most_columns) {
    const std::size_t count = std::min(most_columns, n_cols - first);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const float* const x = X.row(rows_[i]).data() + first;
      std::copy_n(x, count, by_row.data() + i * count);
      float* const column = by_column.data() + i / tile * tile * count + i % tile;
      for (std::size_t j = 0; j < count; ++j) column[j * tile] = x[j];
    }
    float* to = tiles_.data();
    for (std::size_t a = 0; a < n_tiles; ++a) {
      throw_if_stopped(execution);
      for (std::size_t b = 0; b <= a; ++b, to += tile * tile)
        add_product(tile, count, tile, by_row.data() + a * tile * count, by_column.data() + b * tile * count,
                    to);
    }
  }
  n_cols_ = n_cols;
}

Matrix RowProducts::of(std::span<const std::uint32_t> some) const {
  std::vector<std::size_t> places;
  for (const std::uint32_t row : some) places.push_back(place_in(rows_, row));
  Matrix result(some.size(), some.size());
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      const auto [low, high] = std::minmax(places[i], places[k]);
      const std::size_t a = high / tile;
      const std::size_t at = a * (a + 1) / 2 + low / tile;
      result(k, i) = static_cast<double>(tiles_[(at * tile + high % tile) * tile + low % tile]);
    }
  for (std::size_t i = 0; i < places.size(); ++i)
    for (std::size_t k = i + 1; k < places.size(); ++k) result(k, i) = result(i, k);
  return result;
}

// NOLINTNEXTLINE(misc-no-recursion): the inner call has an eighth of the rows
LinearSolution solve_active_rows(const FloatRows& X, std::span<const std::uint32_t> rows, std::size_t n_cols,
                                 std::span<const double> y, std::span<const double> loss_weights,
                                 const SvmOptions& options, const LinearSolution& warm,
                                 const Execution& execution, const RowProducts* products) {
  const auto directly = [&](const LinearSolution& start) {
    return solve_linear(X, rows, n_cols, y, loss_weights, options, start, execution);
  };
  if (options.loss != Loss::hinge) return directly(warm);
  const bool starts = !warm.w.empty();
  const bool are_few = rows.size() <= few_rows;
  if (are_few && rows.size() > n_cols) return directly(warm);
  // The solver of all rows reports wrong sizes.
  if (n_cols > X.n_cols() || y.size() != X.n_rows()) return directly(warm);
  ActiveRowsSolver solver(X, rows, n_cols, y, loss_weights, options);
  if (solver.has_one_class()) return directly(warm);
  LinearSolution start = warm;
  start.converged = false;
  start.steps = 0;
  start.row_reads = 0;
  if (!starts && !are_few) {
    constexpr std::size_t share = 8;
    std::vector<std::uint32_t> sample(rows.begin(), rows.end());
    Random(1).shuffle(sample);
    sample.resize(sample.size() / share);
    std::ranges::sort(sample);
    SvmOptions rough = options;
    rough.C = std::min(rough.C * static_cast<double>(share), cost_range.high);
    rough.tolerance = std::max(0.05, options.tolerance);
    start = solve_active_rows(X, sample, n_cols, y, loss_weights, rough, {}, execution, products);
    start.alpha.clear();
    start.converged = false;
  }
  solver.start_from(start);
  solver.use(products);
  LinearSolution solution = solver.solve(start, execution);
  if (solution.converged || solution.steps >= options.max_iterations) return solution;
  return directly(solver.has_solved() ? warm : start);
}

}  // namespace dyad
