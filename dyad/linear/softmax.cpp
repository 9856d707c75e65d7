// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/softmax.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <deque>
#include <numeric>
#include <optional>

#include "dyad/base/exponential.h"
#include "dyad/base/simd.h"
#include "dyad/base/vector_math.h"
#include "dyad/linear/internal/eigen_maps.h"
#include "dyad/linear/internal/line_search.h"
#include "dyad/linear/internal/row_arithmetic.h"

namespace dyad {
namespace {

using internal::index;

constexpr std::size_t lanes = FloatRows::line;

/// out[i] = w . row rows[i] of X; w has a number of whole lines.
DYAD_SIMD void products(const FloatRows& X, std::span<const std::uint32_t> rows, std::span<const float> w,
                        std::span<double> out) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float* const x = X.row(rows[i]).data();
    float sums[lanes] = {};
    for (std::size_t j = 0; j < w.size(); j += lanes)
      for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += x[j + lane] * w[j + lane];
    double sum = 0;
    for (const float part : sums) sum += static_cast<double>(part);
    out[i] = sum;
  }
}

/// out += sum_i r[i] row rows[i] of X, over its leading columns.
DYAD_SIMD void add_combination(const FloatRows& X, std::span<const std::uint32_t> rows,
                               std::span<const float> r, std::span<double> out) {
  constexpr std::size_t block = 64;
  std::vector<float> sums(out.size());
  for (std::size_t first = 0; first < rows.size(); first += block) {
    std::ranges::fill(sums, 0.0F);
    for (std::size_t i = first; i < std::min(rows.size(), first + block); ++i) {
      const float* const x = X.row(rows[i]).data();
      const float factor = r[i];
      float* const s = sums.data();
      for (std::size_t j = 0; j < out.size(); ++j) s[j] += factor * x[j];
    }
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += static_cast<double>(sums[j]);
  }
}

/// out[i] = exp(scores[i] - highest[i]), added to sums[i].
DYAD_SIMD void add_exponentials(std::span<const double> scores, std::span<const double> highest,
                                std::span<double> out, std::span<double> sums) {
  for (std::size_t i = 0; i < scores.size(); ++i) {
    out[i] = exponential(std::max(scores[i] - highest[i], -700.0));
    sums[i] += out[i];
  }
}

double highest_score(const Matrix& scores, std::size_t i) {
  double highest = scores(i, 0);
  for (std::size_t k = 1; k < scores.n_cols; ++k) highest = std::max(highest, scores(i, k));
  return highest;
}

/// The objective; its parameters are one list: factors, intercepts, then the weights of each class.
class Problem {
 public:
  Problem(const SoftmaxRows& problem, std::span<const std::uint32_t> rows,
          std::span<const std::size_t> n_cols, const SoftmaxOptions& options, const Execution& execution)
      : problem_(problem),
        rows_(rows),
        n_cols_(n_cols),
        options_(options),
        execution_(execution),
        n_shared_(problem.shared.size()),
        n_classes_(problem.n_classes()),
        offsets_{n_shared_ + n_classes_} {
    for (const std::size_t count : n_cols) offsets_.push_back(offsets_.back() + count);
    double total = 0;
    for (const std::uint32_t row : rows) total += problem.loss_weights[row];
    for (const std::uint32_t row : rows) loss_weights_.push_back(problem.loss_weights[row] / total);
  }

  [[nodiscard]] std::size_t n_parameters() const { return offsets_.back(); }
  [[nodiscard]] std::size_t n_common() const { return offsets_.front(); }
  [[nodiscard]] std::size_t offset(std::size_t k) const { return offsets_[k]; }
  [[nodiscard]] double loss_weight(std::size_t i) const { return loss_weights_[i]; }
  [[nodiscard]] std::size_t truth(std::size_t i) const {
    return static_cast<std::size_t>(problem_.y[rows_[i]]);
  }

  /// The parameters of a solution with as many columns or fewer; 0 for others.
  [[nodiscard]] Eigen::VectorXd parameters_of(const SoftmaxSolution& solution) const {
    Eigen::VectorXd result = Eigen::VectorXd::Zero(index(n_parameters()));
    std::ranges::copy(solution.factors, result.data());
    std::ranges::copy(solution.intercepts, result.data() + n_shared_);
    for (std::size_t k = 0; k < solution.weights.size(); ++k)
      std::copy_n(solution.weights[k].begin(), std::min(solution.weights[k].size(), n_cols_[k]),
                  result.data() + offsets_[k]);
    return result;
  }

  /// Scores, rows x K, which are linear in the parameters.
  [[nodiscard]] Matrix scores(const Eigen::VectorXd& parameters) const {
    Matrix result(rows_.size(), n_classes_);
    parallel_for(n_classes_, execution_, {}, [&](std::size_t k) {
      const auto column = result.column(k);
      std::vector<float> w(internal::whole_lines(n_cols_[k]));
      std::copy_n(parameters.data() + offsets_[k], n_cols_[k], w.begin());
      products(problem_.own[k], rows_, w, column);
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        column[i] += parameters[index(n_shared_ + k)];
        for (std::size_t f = 0; f < n_shared_; ++f)
          column[i] += parameters[index(f)] * problem_.shared[f](rows_[i], k);
      }
    });
    return result;
  }

  /// The gradient of the objective at parameters whose scores have these residuals.
  [[nodiscard]] Eigen::VectorXd gradient(const Eigen::VectorXd& parameters, const Matrix& residuals) const {
    Eigen::VectorXd result = Eigen::VectorXd::Zero(index(n_parameters()));
    Matrix of_shared(n_classes_, n_shared_);
    parallel_for(n_classes_, execution_, {}, [&](std::size_t k) {
      const auto r = residuals.column(k);
      result[index(n_shared_ + k)] = std::accumulate(r.begin(), r.end(), 0.0);
      for (std::size_t f = 0; f < n_shared_; ++f)
        for (std::size_t i = 0; i < rows_.size(); ++i)
          of_shared(k, f) += r[i] * problem_.shared[f](rows_[i], k);
      const std::vector<float> in_floats(r.begin(), r.end());
      add_combination(problem_.own[k], rows_, in_floats, {result.data() + offsets_[k], n_cols_[k]});
    });
    for (std::size_t f = 0; f < n_shared_; ++f)
      for (std::size_t k = 0; k < n_classes_; ++k) result[index(f)] += of_shared(k, f);
    const auto weights = index(n_parameters() - n_common());
    result.tail(weights) += parameters.tail(weights) / options_.C;
    result.head(n_factors()) += parameters.head(n_factors()) / options_.factor_C;
    return result;
  }

  [[nodiscard]] double penalty(const Eigen::VectorXd& parameters) const {
    const auto weights = index(n_parameters() - n_common());
    return parameters.tail(weights).squaredNorm() / (2 * options_.C) +
           parameters.head(n_factors()).squaredNorm() / (2 * options_.factor_C);
  }

  /// Minimises over factors and intercepts alone, by damped Newton steps.
  void solve_common(Eigen::VectorXd& parameters) const {
    constexpr int most_steps = 30;
    const auto p = index(n_common());
    Matrix at = scores(parameters);
    Matrix residuals(rows_.size(), n_classes_);
    double value = objective(parameters, at, residuals);
    for (int step = 0; step < most_steps; ++step) {
      Eigen::VectorXd gradient = Eigen::VectorXd::Zero(p);
      Eigen::MatrixXd hessian = 1e-10 * Eigen::MatrixXd::Identity(p, p);
      add_common_derivatives(at, gradient, hessian);
      gradient.head(n_factors()) += parameters.head(n_factors()) / options_.factor_C;
      hessian.diagonal().head(n_factors()).array() += 1 / options_.factor_C;
      const Eigen::VectorXd direction = -hessian.ldlt().solve(gradient);
      Eigen::VectorXd next = parameters;
      double lower = value;
      internal::backtrack(1e-6, [&](double length) {
        next.head(p) = parameters.head(p) + length * direction;
        at = scores(next);
        lower = objective(next, at, residuals);
        return lower <= value;
      });
      if (!(lower < value)) return;
      parameters = next;
      const bool done = value - lower < 1e-6 * value;
      value = lower;
      if (done) return;
    }
  }

  /// The objective at parameters that give `scores`; `residuals` become loss_weight_i (P_k(x_i) - [y_i = k]).
  [[nodiscard]] double objective(const Eigen::VectorXd& parameters, const Matrix& scores,
                                 Matrix& residuals) const {
    std::vector<double> sums(rows_.size());
    double loss = to_chances(scores, residuals, sums);
    for (std::size_t k = 0; k < n_classes_; ++k)
      for (std::size_t i = 0; i < rows_.size(); ++i) residuals(i, k) *= loss_weights_[i] / sums[i];
    take_logarithms(sums);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      residuals(i, truth(i)) -= loss_weights_[i];
      loss += loss_weights_[i] * sums[i];
    }
    return loss + penalty(parameters);
  }

  /// Curvature of the loss by the scores of each class: loss_weight_i P_k(x_i) (1 - P_k(x_i)).
  [[nodiscard]] Matrix curvatures(const Matrix& residuals) const {
    Matrix result(rows_.size(), n_classes_);
    for (std::size_t k = 0; k < n_classes_; ++k)
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (!(loss_weights_[i] > 0)) continue;
        const double chance = residuals(i, k) / loss_weights_[i] + (truth(i) == k ? 1 : 0);
        result(i, k) = loss_weights_[i] * std::max(chance * (1 - chance), 0.0);
      }
    return result;
  }

  /// A row of the features of class k, the constant first.
  void copy_features(std::size_t i, std::size_t k, float factor, float* to) const {
    to[0] = factor;
    const float* const x = problem_.own[k].row(rows_[i]).data();
    for (std::size_t j = 0; j < n_cols_[k]; ++j) to[j + 1] = factor * x[j];
  }
  [[nodiscard]] std::size_t n_rows() const { return rows_.size(); }
  [[nodiscard]] std::size_t n_classes() const { return n_classes_; }
  [[nodiscard]] std::size_t n_cols(std::size_t k) const { return n_cols_[k]; }
  [[nodiscard]] std::size_t n_shared() const { return n_shared_; }
  [[nodiscard]] double ridge() const { return 1 / options_.C; }
  [[nodiscard]] const Execution& execution() const { return execution_; }

 private:
  [[nodiscard]] Eigen::Index n_factors() const { return index(n_shared_); }

  /// exp of the scores less the highest of the row, with their sums; returns the loss without the logarithms
  /// of those sums.
  double to_chances(const Matrix& scores, Matrix& chances, std::vector<double>& sums) const {
    std::vector<double> highest(rows_.size(), -std::numeric_limits<double>::infinity());
    for (std::size_t k = 0; k < n_classes_; ++k)
      for (std::size_t i = 0; i < rows_.size(); ++i) highest[i] = std::max(highest[i], scores(i, k));
    for (std::size_t k = 0; k < n_classes_; ++k)
      add_exponentials(scores.column(k), highest, chances.column(k), sums);
    double loss = 0;
    for (std::size_t i = 0; i < rows_.size(); ++i)
      loss += loss_weights_[i] * (highest[i] - scores(i, truth(i)));
    return loss;
  }

  [[nodiscard]] Matrix probabilities_of(const Matrix& scores) const {
    Matrix result(rows_.size(), n_classes_);
    std::vector<double> sums(rows_.size());
    static_cast<void>(to_chances(scores, result, sums));
    for (std::size_t k = 0; k < n_classes_; ++k)
      for (std::size_t i = 0; i < rows_.size(); ++i) result(i, k) /= sums[i];
    return result;
  }

  void add_common_derivatives(const Matrix& scores, Eigen::VectorXd& gradient,
                              Eigen::MatrixXd& hessian) const {
    const Matrix probabilities = probabilities_of(scores);
    Eigen::MatrixXd features(index(n_common()), index(n_classes_));  // of one row, by class
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      features.setZero();
      const Eigen::VectorXd chances = internal::mapped(probabilities).row(index(i));
      for (std::size_t k = 0; k < n_classes_; ++k) {
        for (std::size_t f = 0; f < n_shared_; ++f)
          features(index(f), index(k)) = problem_.shared[f](rows_[i], k);
        features(index(n_shared_ + k), index(k)) = 1;
      }
      const Eigen::VectorXd mean = features * chances;
      gradient += loss_weights_[i] * (mean - features.col(index(truth(i))));
      hessian += loss_weights_[i] *
                 (features * chances.asDiagonal() * features.transpose() - mean * mean.transpose());
    }
  }

  const SoftmaxRows& problem_;
  std::span<const std::uint32_t> rows_;
  std::span<const std::size_t> n_cols_;
  SoftmaxOptions options_;
  const Execution& execution_;
  std::size_t n_shared_;
  std::size_t n_classes_;
  std::vector<std::size_t> offsets_;  ///< where the weights of each class begin, and end
  std::vector<double> loss_weights_;  ///< loss weights of `rows`, adding up to 1
};

/// The features by which the scores of a block change with its parameters: those of one class, or of both of
/// two, of which the second counts as the difference.
class BlockFeatures {
 public:
  BlockFeatures(const Problem& problem, std::size_t block) : problem_(problem), block_(block) {}

  [[nodiscard]] static std::size_t count(const Problem& problem) {
    return problem.n_classes() == 2 ? 1 : problem.n_classes();
  }
  [[nodiscard]] std::size_t n_cols() const {
    return joins() ? problem_.n_cols(0) + problem_.n_cols(1) + 2 : problem_.n_cols(block_) + 1;
  }
  [[nodiscard]] std::size_t n_before_last() const { return joins() ? problem_.n_cols(0) + 1 : 0; }
  [[nodiscard]] std::size_t n_rows() const { return problem_.n_rows(); }

  /// Writes the features of a row times a factor.
  void copy_row(std::size_t i, float factor, float* to) const {
    problem_.copy_features(i, joins() ? 0 : block_, factor, to);
    if (joins()) problem_.copy_features(i, 1, -factor, to + n_before_last());
  }
  /// Calls visit(place, parameter) for intercept and weights of the classes of the block.
  template <class Visit>
  void each_parameter(const Visit& visit) const {
    std::size_t place = 0;
    for (std::size_t k = joins() ? 0 : block_; k < (joins() ? 2 : block_ + 1); ++k) {
      visit(place++, problem_.n_shared() + k);
      for (std::size_t j = 0; j < problem_.n_cols(k); ++j) visit(place++, problem_.offset(k) + j);
    }
  }

 private:
  [[nodiscard]] bool joins() const { return problem_.n_classes() == 2; }

  const Problem& problem_;
  std::size_t block_;
};

/// The inverse of a block of the Hessian, A'A + ridge: by products of the columns of A or, where there are
/// more columns than rows, of its rows:  (A'A + r)^-1 = (1 - A' (AA' + r)^-1 A) / r.
class BlockInverse {
 public:
  BlockInverse(const BlockFeatures& features, std::span<const double> curvature, double ridge,
               SoftmaxCurvature::Block& known)
      : features_(features), by_rows_(features.n_cols() > features.n_rows()) {
    const double total = std::accumulate(curvature.begin(), curvature.end(), 0.0);
    require_weights(curvature, total, known);
    const double factor = known.total > 0 ? total / known.total : 1;
    if (by_rows_)
      invert_by_rows(factor, ridge, known);
    else
      invert_by_columns(static_cast<float>(factor), ridge, known);
  }

  void apply(Eigen::VectorXd& v) const {
    Eigen::VectorXd part(index(features_.n_cols()));
    features_.each_parameter(
        [&](std::size_t place, std::size_t parameter) { part[index(place)] = v[index(parameter)]; });
    if (by_rows_) {
      const Eigen::VectorXd solved = rows_inverse_.solve(rows_.transpose() * part);
      part = (part - rows_ * solved) / ridge_;
    } else {
      part = columns_inverse_.solve(part.cast<float>().eval()).cast<double>();
    }
    features_.each_parameter(
        [&](std::size_t place, std::size_t parameter) { v[index(parameter)] = part[index(place)]; });
  }

  /// x' H^-1 x of the rows.
  void quadratic_forms(std::span<double> out) const {
    Eigen::MatrixXf x(index(features_.n_cols()), index(rows_at_once));
    for (std::size_t first = 0; first < features_.n_rows(); first += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, features_.n_rows() - first);
      for (std::size_t i = 0; i < count; ++i) features_.copy_row(first + i, 1, x.col(index(i)).data());
      Eigen::MatrixXd some = x.leftCols(index(count)).cast<double>();
      Eigen::ArrayXd forms;
      if (by_rows_) {
        Eigen::MatrixXd of_rows = rows_.transpose() * some;
        rows_inverse_.matrixL().solveInPlace(of_rows);
        forms = (some.colwise().squaredNorm() - of_rows.colwise().squaredNorm()) / ridge_;
      } else {
        Eigen::MatrixXf of_columns = x.leftCols(index(count));
        columns_inverse_.matrixL().solveInPlace(of_columns);
        forms = of_columns.colwise().squaredNorm().cast<double>();
      }
      std::ranges::copy(forms, out.begin() + static_cast<std::ptrdiff_t>(first));
    }
  }

 private:
  using Known = SoftmaxCurvature::Block;
  static constexpr std::size_t rows_at_once = 128;
  /// Products are of use while the sum of the curvatures is within this factor of theirs.
  static constexpr double largest_change = 5;

  /// Forgets products of another curvature.
  void require_weights(std::span<const double> curvature, double total, Known& known) const {
    if (known.n_before_last == features_.n_before_last() && total < largest_change * known.total &&
        known.total < largest_change * total)
      return;
    known = {.total = total, .n_before_last = features_.n_before_last()};
    for (const double of_row : curvature) known.weights.push_back(static_cast<float>(std::sqrt(of_row)));
  }

  /// A little more than the penalty, as rounding would lose that of large costs.
  static double with_margin(double ridge, double largest) { return ridge + 1e-6 * largest; }

  void invert_by_columns(float factor, double ridge, Known& known) {
    const std::size_t m = features_.n_cols();
    known.of_rows.clear();
    if (known.of_columns.empty()) known.n_cols = 0;
    if (known.n_cols < m) add_columns(known);
    Eigen::MatrixXf hessian(index(m), index(m));
    auto product = known.of_columns.begin();
    for (std::size_t i = 0; i < m; ++i)
      for (std::size_t j = 0; j <= i; ++j) hessian(index(i), index(j)) = factor * *product++;
    const auto largest = static_cast<double>(hessian.diagonal().maxCoeff());
    hessian.diagonal().array() += static_cast<float>(with_margin(ridge, largest));
    columns_inverse_.compute(hessian);
  }

  /// Computes the products of the columns that are not known yet.
  void add_columns(Known& known) const {
    const std::size_t m = features_.n_cols();
    const std::size_t n_known = known.n_cols;
    const auto n_new = index(m - n_known);
    Eigen::MatrixXf sums = Eigen::MatrixXf::Zero(n_new, index(m));
    Eigen::MatrixXf rows(index(m), index(rows_at_once));
    for (std::size_t first = 0; first < features_.n_rows(); first += rows_at_once) {
      const std::size_t count = std::min(rows_at_once, features_.n_rows() - first);
      for (std::size_t i = 0; i < count; ++i)
        features_.copy_row(first + i, known.weights[first + i], rows.col(index(i)).data());
      const auto some = rows.leftCols(index(count));
      if (n_known > 0)
        sums.leftCols(index(n_known)).noalias() +=
            some.bottomRows(n_new) * some.topRows(index(n_known)).transpose();
      sums.rightCols(n_new).selfadjointView<Eigen::Lower>().rankUpdate(some.bottomRows(n_new));
    }
    for (std::size_t i = n_known; i < m; ++i)
      for (std::size_t j = 0; j <= i; ++j) known.of_columns.push_back(sums(index(i - n_known), index(j)));
    known.n_cols = m;
  }

  void invert_by_rows(double factor, double ridge, Known& known) {
    const auto m = index(features_.n_cols());
    const auto n = index(features_.n_rows());
    known.of_columns.clear();
    if (known.of_rows.empty() || known.n_cols > features_.n_cols()) known.n_cols = 0;
    known.of_rows.resize(features_.n_rows() * features_.n_rows());
    Eigen::MatrixXf rows(m, n);
    for (std::size_t i = 0; i < features_.n_rows(); ++i)
      features_.copy_row(i, known.weights[i], rows.col(index(i)).data());
    rows_ = rows.cast<double>();
    Eigen::Map<Eigen::MatrixXd> products(known.of_rows.data(), n, n);
    if (known.n_cols == 0) products.setZero();
    if (const auto n_new = m - index(known.n_cols); n_new > 0)
      products.selfadjointView<Eigen::Lower>().rankUpdate(rows_.bottomRows(n_new).transpose());
    known.n_cols = features_.n_cols();
    rows_ *= std::sqrt(factor);
    ridge_ = with_margin(ridge, rows_.rowwise().squaredNorm().maxCoeff());
    Eigen::MatrixXd hessian = factor * products;
    hessian.diagonal().array() += ridge_;
    rows_inverse_.compute(hessian);
  }

  BlockFeatures features_;
  bool by_rows_;
  Eigen::LLT<Eigen::MatrixXf> columns_inverse_;
  Eigen::MatrixXd rows_;  ///< A', columns x rows
  Eigen::LLT<Eigen::MatrixXd> rows_inverse_;
  double ridge_ = 0;
};

/// The inverse Hessian at some parameters, as far as it is worth its cost: of two classes all of it but for
/// the factors, of more the blocks of the classes; only the diagonal where rows and columns are many.
class InverseHessian {
 public:
  /// Takes the products of `known` where the curvature at the residuals is about a multiple of theirs.
  InverseHessian(const Problem& problem, const Matrix& residuals, SoftmaxCurvature& known)
      : problem_(problem) {
    const Matrix curvatures = problem.curvatures(residuals);
    const std::size_t n_blocks = BlockFeatures::count(problem);
    std::size_t most = 0;
    for (std::size_t k = 0; k < n_blocks; ++k) most = std::max(most, BlockFeatures(problem, k).n_cols());
    if (std::min(most, problem.n_rows()) > most_products) {
      set_diagonal(curvatures);
      return;
    }
    known.blocks.resize(n_blocks);
    std::vector<std::optional<BlockInverse>> blocks(n_blocks);
    parallel_for(n_blocks, problem.execution(), {}, [&](std::size_t k) {
      blocks[k].emplace(BlockFeatures(problem, k), curvatures.column(k), problem.ridge(), known.blocks[k]);
    });
    for (auto& block : blocks) blocks_.push_back(std::move(*block));
  }

  /// Solves for the parameters in place. Factors stay as they are.
  void apply(Eigen::VectorXd& v) const {
    if (is_diagonal()) v.array() *= diagonal_.array();
    for (const BlockInverse& block : blocks_) block.apply(v);
  }

  [[nodiscard]] bool is_diagonal() const { return blocks_.empty(); }

  /// x' H^-1 x of the rows, by class; of two classes x are the features of their difference.
  [[nodiscard]] Matrix quadratic_forms() const {
    Matrix result(problem_.n_rows(), BlockFeatures::count(problem_));
    parallel_for(result.n_cols, problem_.execution(), {}, [&](std::size_t k) {
      if (!is_diagonal()) return blocks_[k].quadratic_forms(result.column(k));
      const BlockFeatures features(problem_, k);
      std::vector<float> x(features.n_cols());
      for (std::size_t i = 0; i < result.n_rows; ++i) {
        features.copy_row(i, 1, x.data());
        features.each_parameter([&](std::size_t place, std::size_t parameter) {
          const auto value = static_cast<double>(x[place]);
          result(i, k) += value * value * diagonal_[index(parameter)];
        });
      }
    });
    return result;
  }

 private:
  static constexpr std::size_t most_products = 800;

  void set_diagonal(const Matrix& curvatures) {
    diagonal_ = Eigen::VectorXd::Ones(index(problem_.n_parameters()));
    parallel_for(problem_.n_classes(), problem_.execution(), {}, [&](std::size_t k) {
      std::vector<float> row(problem_.n_cols(k) + 1);
      std::vector<double> sums(row.size());
      for (std::size_t i = 0; i < problem_.n_rows(); ++i) {
        problem_.copy_features(i, k, 1, row.data());
        for (std::size_t j = 0; j < row.size(); ++j)
          sums[j] += curvatures(i, k) * static_cast<double>(row[j]) * static_cast<double>(row[j]);
      }
      diagonal_[index(problem_.n_shared() + k)] = 1 / std::max(sums[0], 1e-6);
      for (std::size_t j = 1; j < sums.size(); ++j)
        diagonal_[index(problem_.offset(k) + j - 1)] = 1 / (sums[j] + problem_.ridge());
    });
  }

  const Problem& problem_;
  std::vector<BlockInverse> blocks_;
  Eigen::VectorXd diagonal_;
};

/// Steps after which the Hessian is computed anew.
constexpr std::int64_t steps_of_one_hessian = 20;

/// The last steps and changes of the gradient: an approximation of the inverse Hessian.
class History {
 public:
  void add(const Eigen::VectorXd& step, const Eigen::VectorXd& change) {
    constexpr std::size_t most = 10;
    const double curvature = step.dot(change);
    if (!(curvature > 0)) return;
    pairs_.push_back({step, change, 1 / curvature});
    if (pairs_.size() > most) pairs_.pop_front();
  }

  [[nodiscard]] Eigen::VectorXd direction(const Eigen::VectorXd& gradient,
                                          const InverseHessian& first) const {
    Eigen::VectorXd result = -gradient;
    std::vector<double> shares(pairs_.size());
    for (std::size_t m = pairs_.size(); m-- > 0;) {
      shares[m] = pairs_[m].inverse * pairs_[m].step.dot(result);
      result -= shares[m] * pairs_[m].change;
    }
    first.apply(result);
    for (std::size_t m = 0; m < pairs_.size(); ++m)
      result += (shares[m] - pairs_[m].inverse * pairs_[m].change.dot(result)) * pairs_[m].step;
    return result;
  }

 private:
  struct Pair {
    Eigen::VectorXd step, change;
    double inverse;
  };
  std::deque<Pair> pairs_;
};

}  // namespace

SoftmaxSolution solve_softmax(const SoftmaxRows& rows_of_classes, std::span<const std::uint32_t> rows,
                              std::span<const std::size_t> n_cols, const SoftmaxOptions& options,
                              const SoftmaxSolution& warm, const Execution& execution,
                              SoftmaxCurvature* curvature) {
  SoftmaxCurvature own;
  SoftmaxCurvature& known = curvature == nullptr ? own : *curvature;
  const Problem problem(rows_of_classes, rows, n_cols, options, execution);
  const std::size_t n_shared = rows_of_classes.shared.size();
  Eigen::VectorXd parameters = problem.parameters_of(warm);
  if (warm.weights.empty()) problem.solve_common(parameters);
  Matrix scores = problem.scores(parameters);
  Matrix residuals(rows.size(), n_cols.size());
  SoftmaxSolution solution{.objective = problem.objective(parameters, scores, residuals)};
  Eigen::VectorXd gradient = problem.gradient(parameters, residuals);
  std::optional<InverseHessian> inverse;
  History history;
  int n_idle = 0;
  while (solution.steps < options.max_steps && !solution.converged) {
    throw_if_stopped(execution);
    if (solution.steps % steps_of_one_hessian == 0 && (!inverse || !inverse->is_diagonal())) {
      if (solution.steps > 0) known.blocks.clear();
      inverse.emplace(problem, residuals, known);
    }
    const Eigen::VectorXd direction = history.direction(gradient, *inverse);
    const double slope = gradient.dot(direction);
    if (!(slope < 0)) {
      solution.converged = true;
      break;
    }
    const Matrix slopes = problem.scores(direction);
    Matrix next_scores = scores;
    Eigen::VectorXd next = parameters;
    double lower = solution.objective;
    internal::backtrack(0x1p-21, [&](double length) {
      next = parameters + length * direction;
      std::ranges::transform(scores.data, slopes.data, next_scores.data.begin(),
                             [length](double score, double change) { return score + length * change; });
      lower = problem.objective(next, next_scores, residuals);
      return lower <= solution.objective + 1e-4 * length * slope;
    });
    if (!(lower < solution.objective)) {
      solution.converged = true;
      break;
    }
    const Eigen::VectorXd next_gradient = problem.gradient(next, residuals);
    history.add(next - parameters, next_gradient - gradient);
    n_idle = solution.objective - lower < options.tolerance * solution.objective ? n_idle + 1 : 0;
    solution.converged = n_idle == 2;
    parameters = std::move(next);
    scores = std::move(next_scores);
    gradient = next_gradient;
    solution.objective = lower;
    ++solution.steps;
  }

  const double* const first = parameters.data();
  solution.factors.assign(first, first + n_shared);
  solution.intercepts.assign(first + n_shared, first + problem.n_common());
  for (std::size_t k = 0; k < n_cols.size(); ++k)
    solution.weights.emplace_back(first + problem.offset(k), first + problem.offset(k + 1));
  return solution;
}

Matrix softmax_scores(const SoftmaxRows& rows_of_classes, std::span<const std::uint32_t> rows,
                      const SoftmaxSolution& solution, const Execution& execution) {
  std::vector<std::size_t> n_cols;
  for (const auto& weights : solution.weights) n_cols.push_back(weights.size());
  const Problem problem(rows_of_classes, rows, n_cols, {}, execution);
  return problem.scores(problem.parameters_of(solution));
}

Matrix left_out_scores(const SoftmaxRows& rows_of_classes, std::span<const std::uint32_t> rows,
                       const SoftmaxSolution& solution, const SoftmaxOptions& options,
                       const Execution& execution) {
  /// Least share of a row's curvature that the other rows leave.
  constexpr double least_share = 0.05;
  std::vector<std::size_t> n_cols;
  for (const auto& weights : solution.weights) n_cols.push_back(weights.size());
  const Problem problem(rows_of_classes, rows, n_cols, options, execution);
  const Eigen::VectorXd parameters = problem.parameters_of(solution);
  Matrix scores = problem.scores(parameters);
  Matrix residuals(rows.size(), n_cols.size());
  static_cast<void>(problem.objective(parameters, scores, residuals));
  const Matrix curvatures = problem.curvatures(residuals);
  SoftmaxCurvature known;
  const Matrix forms = InverseHessian(problem, residuals, known).quadratic_forms();
  for (std::size_t k = 0; k < forms.n_cols; ++k)
    for (std::size_t i = 0; i < rows.size(); ++i)
      scores(i, k) +=
          forms(i, k) * residuals(i, k) / std::max(1 - forms(i, k) * curvatures(i, k), least_share);
  return scores;
}

double softmax_loss(const Matrix& scores, std::span<const std::int32_t> y,
                    std::span<const double> loss_weights, double slope) {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < scores.n_rows; ++i) {
    const double highest = highest_score(scores, i);
    double chances = 0;
    for (std::size_t k = 0; k < scores.n_cols; ++k) chances += std::exp(slope * (scores(i, k) - highest));
    sum +=
        loss_weights[i] * (std::log(chances) - slope * (scores(i, static_cast<std::size_t>(y[i])) - highest));
    total += loss_weights[i];
  }
  return sum / total;
}

}  // namespace dyad
