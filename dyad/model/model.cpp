// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/model.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "dyad/density/pseudo_rows.h"

namespace dyad {
namespace {

/// Values of the rows from `first` on, as many as `out` takes.
void evaluate(const Term& term, const MatrixView& X, std::size_t first, std::span<double> out) {
  const auto x = X.column(term.i).subspan(first, out.size());
  const auto y = X.column(term.j).subspan(first, out.size());
  if (term.is_linear()) {
    std::ranges::copy(x, out.begin());
    return;
  }
  std::visit(
      [&](const auto& density) {
        if constexpr (requires { log_density(density, x, y, out); })
          log_density(density, x, y, out);
        else if constexpr (requires { log_density(density, x, out); })
          log_density(density, x, out);
      },
      term.density);
  if (term.prior_rows > 0)
    mix_in_pseudo_rows(term.prior_rows, term.n_rows, x, term.is_pair() ? y : std::span<const double>(), out);
  for (double& value : out) value = std::max(value, term.floor);
}

/// Rows handled at a time, so that memory does not grow with rows times terms.
constexpr std::size_t block_rows = 512;

/// Raises a probability in row i to the largest, or by rounding more if an earlier one is that, unless it is so already.
void let_win(std::size_t winner, std::size_t i, Matrix& probabilities) {
  double largest = 0;
  bool wins = true;
  for (std::size_t k = 0; k < probabilities.n_cols; ++k) {
    largest = std::max(largest, probabilities(i, k));
    if (k < winner ? probabilities(i, k) >= probabilities(i, winner)
                   : probabilities(i, k) > probabilities(i, winner))
      wins = false;
  }
  if (wins) return;
  const double sum = 1 - probabilities(i, winner) + largest;
  probabilities(i, winner) = largest * (1 + 1e-12);
  for (std::size_t k = 0; k < probabilities.n_cols; ++k) probabilities(i, k) /= sum;
}

}  // namespace

Term linear_term(std::size_t i) {
  return {.class_code = no_class,
          .i = i,
          .j = i,
          .density = Linear{},
          .floor = -std::numeric_limits<double>::max()};
}

std::size_t count_pairs(const Model& model) {
  return static_cast<std::size_t>(std::ranges::count_if(model.terms, &Term::is_pair));
}

Matrix in_coordinates(std::span<const Coordinate> coordinates, const MatrixView& X,
                      const Execution& execution) {
  Matrix result(X.n_rows, X.n_cols);
  parallel_for(X.n_cols, execution, {}, [&](std::size_t j) {
    if (coordinates.empty())
      std::ranges::copy(X.column(j), result.column(j).begin());
    else
      apply(coordinates[j], X.column(j), result.column(j));
  });
  return result;
}

Matrix term_values(std::span<const Term> terms, const MatrixView& X, const Execution& execution) {
  Matrix values(X.n_rows, terms.size());
  parallel_for(terms.size(), execution, "features",
               [&](std::size_t t) { evaluate(terms[t], X, 0, values.column(t)); });
  return values;
}

Matrix scores(const Model& model, const MatrixView& X, const Execution& execution) {
  Matrix result(X.n_rows, model.n_scores());
  const std::size_t n_blocks = (X.n_rows + block_rows - 1) / block_rows;
  parallel_for(n_blocks, execution, "predict", [&](std::size_t block) {
    const std::size_t first = block * block_rows;
    const std::size_t count = std::min(block_rows, X.n_rows - first);
    std::vector<double> values(count);
    Matrix block_in_coordinates;
    if (!model.coordinates.empty()) {
      block_in_coordinates = Matrix(count, X.n_cols);
      for (std::size_t j = 0; j < X.n_cols; ++j)
        apply(model.coordinates[j], X.column(j).subspan(first, count), block_in_coordinates.column(j));
    }
    const MatrixView rows = model.coordinates.empty() ? X : MatrixView(block_in_coordinates);
    const std::size_t first_row = model.coordinates.empty() ? first : 0;
    for (std::size_t k = 0; k < model.n_scores(); ++k)
      std::ranges::fill(result.column(k).subspan(first, count), model.intercepts[k]);
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      evaluate(model.terms[t], rows, first_row, values);
      for (std::size_t k = 0; k < model.n_scores(); ++k)
        for (std::size_t i = 0; i < count; ++i)
          result(first + i, k) += model.weights(k, t) * (values[i] - model.terms[t].centre);
    }
  });
  return result;
}

std::int32_t winning_class(const Matrix& scores, std::size_t i) {
  if (scores.n_cols == 1) return scores(i, 0) > 0 ? 1 : 0;
  std::size_t best = 0;
  for (std::size_t k = 1; k < scores.n_cols; ++k)
    if (scores(i, k) > scores(i, best)) best = k;
  return static_cast<std::int32_t>(best);
}

std::vector<std::int32_t> classify(const Matrix& scores) {
  std::vector<std::int32_t> result(scores.n_rows);
  for (std::size_t i = 0; i < scores.n_rows; ++i) result[i] = winning_class(scores, i);
  return result;
}

Matrix probabilities(const Model& model, const Matrix& scores) {
  const std::size_t n_classes = model.n_classes();
  Matrix result(scores.n_rows, n_classes);
  for (std::size_t i = 0; i < scores.n_rows; ++i) {
    const auto winner = static_cast<std::size_t>(winning_class(scores, i));
    if (model.n_scores() == 1) {
      const Calibration calibration = model.calibrations.empty() ? Calibration{} : model.calibrations[0];
      result(i, 1) = probability(calibration, scores(i, 0));
      result(i, 0) = 1 - result(i, 1);
      let_win(winner, i, result);
      continue;
    }
    double highest = scores(i, 0);
    for (std::size_t k = 1; k < n_classes; ++k) highest = std::max(highest, scores(i, k));
    double sum = 0;
    for (std::size_t k = 0; k < n_classes; ++k) {
      result(i, k) = model.calibrations.empty() ? std::exp(scores(i, k) - highest)
                                                : probability(model.calibrations[k], scores(i, k));
      sum += result(i, k);
    }
    for (std::size_t k = 0; k < n_classes; ++k)
      result(i, k) = sum > 0 ? result(i, k) / sum : 1 / static_cast<double>(n_classes);
    let_win(winner, i, result);
  }
  return result;
}

Explanation explain(const Model& model, std::span<const double> row) {
  if (row.size() != model.n_features)
    throw std::invalid_argument("explain: the model has " + std::to_string(model.n_features) +
                                " features, got a row of " + std::to_string(row.size()));
  const Matrix X =
      in_coordinates(model.coordinates, MatrixView{row.data(), 1, row.size()}, Execution{.threads = 1});
  Explanation result{model.intercepts, term_values(model.terms, X, Execution{.threads = 1}).data,
                     Matrix(model.n_scores(), model.terms.size())};
  for (std::size_t t = 0; t < model.terms.size(); ++t)
    for (std::size_t k = 0; k < model.n_scores(); ++k) {
      result.contributions(k, t) = model.weights(k, t) * (result.values[t] - model.terms[t].centre);
      result.scores[k] += result.contributions(k, t);
    }
  return result;
}

}  // namespace dyad
