// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/shap.h"

#include <map>

#include "dyad/base/gather.h"
#include "dyad/explanation/effects.h"
#include "dyad/explanation/internal/partial_model.h"
#include "dyad/model/prediction.h"

namespace dyad {
namespace {

/// The distinct values of a column, NaN as one of them, and the place of each row's.
struct DistinctValues {
  std::vector<double> values;
  std::vector<std::size_t> places;
};

DistinctValues distinct_values(std::span<const double> column) {
  DistinctValues result;
  std::map<double, std::size_t> found;
  std::optional<std::size_t> missing;
  for (const double value : column) {
    std::size_t place = result.values.size();
    if (std::isnan(value)) {
      place = missing.value_or(place);
      missing = place;
    } else {
      place = found.try_emplace(value, place).first->second;
    }
    if (place == result.values.size()) result.values.push_back(value);
    result.places.push_back(place);
  }
  return result;
}

/// The terms of one effect, with rows of its features alone, in coordinates.
class EffectFunction {
 public:
  EffectFunction(const Model& model, const Effect& effect)
      : part_(internal::partial_model(
            model, [&](const Term& term) { return term.i == effect.i && term.j == effect.j; })) {
    part_.model.coordinates.clear();
  }

  [[nodiscard]] Matrix operator()(const Matrix& rows) const {
    return scores(part_.model, rows, {.threads = 1});
  }

  /// Means over rows of `free`, whose column `fixed` takes each of the values in turn: values x scores.
  [[nodiscard]] Matrix means(std::span<const double> values, std::size_t fixed, const Matrix& free) const {
    constexpr std::size_t block_rows = 8192;
    const std::size_t n = free.n_rows;
    const std::size_t at_once = std::max<std::size_t>(1, block_rows / n);
    Matrix result(values.size(), part_.model.n_scores());
    for (std::size_t first = 0; first < values.size(); first += at_once) {
      const std::size_t count = std::min(at_once, values.size() - first);
      Matrix rows(count * n, free.n_cols);
      for (std::size_t v = 0; v < count; ++v)
        for (std::size_t j = 0; j < free.n_cols; ++j)
          for (std::size_t b = 0; b < n; ++b)
            rows(v * n + b, j) = j == fixed ? values[first + v] : free(b, j);
      const Matrix found = (*this)(rows);
      for (std::size_t k = 0; k < found.n_cols; ++k)
        for (std::size_t v = 0; v < count; ++v) {
          double sum = 0;
          for (std::size_t b = 0; b < n; ++b) sum += found(v * n + b, k);
          result(first + v, k) = sum / static_cast<double>(n);
        }
    }
    return result;
  }

 private:
  internal::PartialModel part_;
};

std::vector<double> column_means(const Matrix& values) {
  std::vector<double> means;
  for (std::size_t k = 0; k < values.n_cols; ++k) {
    const auto column = values.column(k);
    means.push_back(std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(values.n_rows));
  }
  return means;
}

/// The values that an effect gives its features, and its mean over the background.
struct EffectShap {
  Matrix first;  ///< n x n_scores
  Matrix second;
  std::vector<double> base;
};

Matrix columns_of_effect(const Matrix& rows, const Effect& effect) {
  Matrix result(rows.n_rows, effect.is_pair() ? 2 : 1);
  std::ranges::copy(rows.column(effect.i), result.column(0).begin());
  if (effect.is_pair()) std::ranges::copy(rows.column(effect.j), result.column(1).begin());
  return result;
}

EffectShap shap_of(const Model& model, const Effect& effect, const Matrix& Z, const Matrix& background) {
  const EffectFunction f(model, effect);
  const Matrix x = columns_of_effect(Z, effect);
  const Matrix b = columns_of_effect(background, effect);
  EffectShap result{.first = f(x), .base = column_means(f(b))};
  const std::size_t n_scores = result.first.n_cols;
  if (!effect.is_pair()) {
    for (std::size_t k = 0; k < n_scores; ++k)
      for (double& value : result.first.column(k)) value -= result.base[k];
    return result;
  }
  const DistinctValues of_i = distinct_values(x.column(0));
  const DistinctValues of_j = distinct_values(x.column(1));
  const Matrix with_i = f.means(of_i.values, 0, b);
  const Matrix with_j = f.means(of_j.values, 1, b);
  result.second = Matrix(x.n_rows, n_scores);
  for (std::size_t k = 0; k < n_scores; ++k)
    for (std::size_t row = 0; row < x.n_rows; ++row) {
      const double both = result.first(row, k) - result.base[k];
      const double difference = with_i(of_i.places[row], k) - with_j(of_j.places[row], k);
      result.first(row, k) = (both + difference) / 2;
      result.second(row, k) = (both - difference) / 2;
    }
  return result;
}

}  // namespace

ShapValues shap_values(const Model& model, const MatrixView& X, const MatrixView& background,
                       const Execution& execution) {
  if (background.n_rows == 0) throw std::invalid_argument("shap_values: the background has no row");
  constexpr std::size_t block_rows = 2000;
  const Matrix B = in_coordinates(model.coordinates, background, execution);
  const std::vector<Effect> effects = effects_of(model);
  ShapValues result{model.intercepts, std::vector<Matrix>(model.n_scores(), Matrix(X.n_rows, X.n_cols))};
  for (std::size_t first = 0; first < X.n_rows; first += block_rows) {
    const std::size_t count = std::min(block_rows, X.n_rows - first);
    const Matrix Z = in_coordinates(model.coordinates, gather(X, all_rows(count, first)), execution);
    std::vector<EffectShap> found(effects.size());
    parallel_for(effects.size(), execution, "effects",
                 [&](std::size_t e) { found[e] = shap_of(model, effects[e], Z, B); });
    for (std::size_t e = 0; e < effects.size(); ++e)
      for (std::size_t k = 0; k < model.n_scores(); ++k) {
        if (first == 0) result.base[k] += found[e].base[k];
        for (std::size_t row = 0; row < count; ++row) {
          result.values[k](first + row, effects[e].i) += found[e].first(row, k);
          if (effects[e].is_pair()) result.values[k](first + row, effects[e].j) += found[e].second(row, k);
        }
      }
  }
  return result;
}

}  // namespace dyad
