// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/prediction.h"

namespace dyad {
namespace {

/// Raises a probability in row i to the largest, or by rounding more if an earlier one is that, unless it is
/// so already.
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
  probabilities(i, winner) = largest * (1 + 1e-12);
  double sum = 0;
  for (std::size_t k = 0; k < probabilities.n_cols; ++k) sum += probabilities(i, k);
  for (std::size_t k = 0; k < probabilities.n_cols; ++k) probabilities(i, k) /= sum;
}

/// In proportion to exp(slope score + offset).
void set_softmax(const Model& model, const Matrix& scores, Matrix& probabilities) {
  constexpr double largest = 1e300;  // the differences of infinite ones are no numbers
  for (std::size_t i = 0; i < scores.n_rows; ++i) {
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t k = 0; k < scores.n_cols; ++k) {
      const double given = model.calibrations.empty()
                               ? scores(i, k)
                               : model.calibrations[k].slope * scores(i, k) + model.calibrations[k].offset;
      const double value = std::clamp(given, -largest, largest);
      probabilities(i, k) = value;
      highest = std::max(highest, value);
    }
    double sum = 0;
    for (std::size_t k = 0; k < scores.n_cols; ++k) {
      probabilities(i, k) = std::exp(probabilities(i, k) - highest);
      sum += probabilities(i, k);
    }
    for (std::size_t k = 0; k < scores.n_cols; ++k) probabilities(i, k) /= sum;
  }
}

/// Sets probabilities in proportion to those of each score, which are calibrated.
void set_one_against_rest(const Model& model, const Matrix& scores, Matrix& probabilities) {
  for (std::size_t i = 0; i < scores.n_rows; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < scores.n_cols; ++k) {
      probabilities(i, k) = probability(model.calibrations[k], scores(i, k));
      sum += probabilities(i, k);
    }
    for (std::size_t k = 0; k < scores.n_cols; ++k)
      probabilities(i, k) = sum > 0 ? probabilities(i, k) / sum : 1 / static_cast<double>(scores.n_cols);
  }
}

}  // namespace

void for_blocks_in_coordinates(const Model& model, const MatrixView& X, const Execution& execution,
                               std::string_view step,
                               const std::function<void(std::size_t first, const Matrix& rows)>& body) {
  constexpr std::size_t block_rows = 512;
  parallel_blocks(X.n_rows, block_rows, execution, step, [&](std::size_t first, std::size_t count) {
    Matrix rows(count, X.n_cols);
    for (std::size_t j = 0; j < X.n_cols; ++j)
      std::ranges::copy(X.column(j).subspan(first, count), rows.column(j).begin());
    apply_coordinates(model.coordinates, rows, Execution{.threads = 1});
    body(first, rows);
  });
}

Matrix scores(const Model& model, const MatrixView& X, const Execution& execution) {
  Matrix result(X.n_rows, model.n_scores());
  for_blocks_in_coordinates(model, X, execution, "predict", [&](std::size_t first, const Matrix& rows) {
    std::vector<double> values(rows.n_rows);
    for (std::size_t k = 0; k < model.n_scores(); ++k)
      std::ranges::fill(result.column(k).subspan(first, rows.n_rows), model.intercepts[k]);
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      evaluate(model.terms, model.terms[t], rows, values);
      for (std::size_t k = 0; k < model.n_scores(); ++k)
        for (std::size_t i = 0; i < rows.n_rows; ++i)
          result(first + i, k) += contribution(model.weights(k, t), values[i], model.terms[t].centre);
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

std::vector<std::int32_t> classify(const Model& model, const Matrix& scores) {
  std::vector<std::int32_t> result = classify(scores);
  if (model.costs.data.empty()) return result;
  const Matrix p = probabilities(model, scores);
  for (std::size_t i = 0; i < scores.n_rows; ++i) {
    const auto expected_cost = [&](std::size_t predicted) {
      double sum = 0;
      for (std::size_t a = 0; a < p.n_cols; ++a) sum += p(i, a) * model.costs(a, predicted);
      return sum;
    };
    double least = expected_cost(static_cast<std::size_t>(result[i]));
    for (std::size_t b = 0; b < p.n_cols; ++b)
      if (const double cost = expected_cost(b); cost < least) {
        least = cost;
        result[i] = static_cast<std::int32_t>(b);
      }
  }
  return result;
}

Matrix log_odds_against_rest(const Matrix& scores) {
  Matrix result(scores.n_rows, scores.n_cols);
  for (std::size_t i = 0; i < scores.n_rows; ++i)
    for (std::size_t k = 0; k < scores.n_cols; ++k) {
      double highest = -std::numeric_limits<double>::infinity();
      for (std::size_t l = 0; l < scores.n_cols; ++l)
        if (l != k) highest = std::max(highest, scores(i, l));
      double sum = 0;
      for (std::size_t l = 0; l < scores.n_cols; ++l)
        if (l != k) sum += std::exp(scores(i, l) - highest);
      result(i, k) = scores(i, k) - highest - std::log(sum);
    }
  return result;
}

Matrix probabilities(const Model& model, const Matrix& scores) {
  const std::size_t n_classes = model.n_classes();
  Matrix result(scores.n_rows, n_classes);
  const auto has_no_steps = [](const Calibration& calibration) { return calibration.steps.empty(); };
  if (model.n_scores() == 1) {
    const Calibration calibration = model.calibrations.empty() ? Calibration{} : model.calibrations[0];
    for (std::size_t i = 0; i < scores.n_rows; ++i) {
      result(i, 1) = probability(calibration, scores(i, 0));
      result(i, 0) = 1 - result(i, 1);
    }
  } else if (std::ranges::all_of(model.calibrations, has_no_steps)) {
    set_softmax(model, scores, result);
  } else if (model.has_likelihoods) {
    set_one_against_rest(model, log_odds_against_rest(scores), result);
  } else {
    set_one_against_rest(model, scores, result);
  }
  for (std::size_t i = 0; model.costs.data.empty() && i < scores.n_rows; ++i)
    let_win(static_cast<std::size_t>(winning_class(scores, i)), i, result);
  return result;
}

Matrix contributions(const Model& model, const MatrixView& values, std::size_t score) {
  Matrix result(values.n_rows, model.terms.size());
  for (std::size_t t = 0; t < model.terms.size(); ++t)
    std::ranges::transform(values.column(t), result.column(t).begin(), [&](double value) {
      return contribution(model.weights(score, t), value, model.terms[t].centre);
    });
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
      result.contributions(k, t) = contribution(model.weights(k, t), result.values[t], model.terms[t].centre);
      result.scores[k] += result.contributions(k, t);
    }
  return result;
}

}  // namespace dyad
