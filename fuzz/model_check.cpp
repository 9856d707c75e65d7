// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/model_check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "dyad/explanation/effects.h"
#include "dyad/io/model_file.h"
#include "dyad/model/description.h"
#include "dyad/model/novelty.h"
#include "dyad/model/prediction.h"
#include "fuzz/require.h"

namespace dyad::fuzz {
namespace {

std::optional<Model> read(std::string_view bytes) {
  try {
    return model_from_bytes(bytes, "m.dyad");
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}

/// Rows of which each column has every kind of value, next to different ones of the other columns.
Matrix rows_for(const Model& model) {
  constexpr double largest = std::numeric_limits<double>::max();
  constexpr std::array values{0.0,    1.0,      -0.7,     2.3,     5.0,
                              1e9,    -1e300,   1e300,    largest, -largest,
                              5e-324, -1.5e150, 1.5e-150, 257.0,   std::numeric_limits<double>::quiet_NaN()};
  Matrix X(2 * values.size(), model.n_features);
  for (std::size_t j = 0; j < X.n_cols; ++j)
    for (std::size_t i = 0; i < X.n_rows; ++i) {
      // The second half has the same value in every column.
      const std::size_t shift = i < values.size() ? 4 * j : 0;
      X(i, j) = values[(i + shift) % values.size()];
    }
  return X;
}

void check_predictions(const Model& model, const Matrix& X) {
  const Execution execution{.threads = 1};
  const auto finite = [](double value) { return std::isfinite(value); };
  const Matrix all_scores = scores(model, X, execution);
  require(std::ranges::all_of(all_scores.data, finite), "a score is not finite");
  const Matrix p = probabilities(model, all_scores);
  const auto predicted = classify(model, all_scores);
  for (std::size_t i = 0; i < X.n_rows; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < p.n_cols; ++k) {
      require(p(i, k) >= 0 && p(i, k) <= 1, "a probability is not between 0 and 1");
      sum += p(i, k);
    }
    require(std::abs(sum - 1) < 1e-9, "probabilities do not add up to 1");
    require(predicted[i] >= 0 && static_cast<std::size_t>(predicted[i]) < model.n_classes(),
            "a class is predicted that is not there");
  }
  for (const Novelty& of_row : novelty(model, X, execution))
    require(!std::isnan(of_row.score), "a novelty is not a number");
  std::vector<double> row(X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) row[j] = X(j % 4, j);
  require(std::ranges::all_of(explain(model, row).contributions.data, finite),
          "a contribution is not finite");
}

}  // namespace

bool is_sound_model(std::string_view bytes) {
  const auto model = read(bytes);
  if (!model) return false;
  check_predictions(*model, rows_for(*model));
  require(!description(*model).empty() && effects_of(*model).size() <= model->terms.size(),
          "a model is not described");
  const std::string written = model_bytes(*model);
  const auto again = read(written);
  require(again.has_value(), "a model that was written is not read");
  require(model_bytes(*again) == written, "a model changes when it is written and read");
  return true;
}

}  // namespace dyad::fuzz
