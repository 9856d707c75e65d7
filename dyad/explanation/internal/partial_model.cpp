// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/internal/partial_model.h"

#include "dyad/base/gather.h"
#include "dyad/model/prediction.h"

namespace dyad::internal {

PartialModel partial_model(const Model& model, std::vector<std::size_t> chosen) {
  PartialModel part{.chosen = std::move(chosen)};
  for (const std::size_t t : part.chosen) {
    part.features.push_back(model.terms[t].i);
    part.features.push_back(model.terms[t].j);
  }
  std::ranges::sort(part.features);
  part.features.erase(std::unique(part.features.begin(), part.features.end()), part.features.end());
  if (!model.coordinates.empty()) part.coordinates = gather(model.coordinates, part.features);

  // A pair with a value that was never met is what the other feature says alone.
  std::vector<std::size_t> needed = part.chosen;
  for (std::size_t t = 0; t < model.terms.size(); ++t)
    if (const Term& term = model.terms[t]; !term.is_pair() && !term.is_linear() &&
                                           std::ranges::binary_search(part.features, term.i) &&
                                           std::ranges::find(part.chosen, t) == part.chosen.end())
      needed.push_back(t);
  const auto place_of = [&](std::size_t feature) {
    return static_cast<std::size_t>(std::ranges::lower_bound(part.features, feature) - part.features.begin());
  };
  part.terms = gather(model.terms, needed);
  for (Term& term : part.terms) {
    term.i = place_of(term.i);
    term.j = place_of(term.j);
  }
  part.weights = Matrix(model.n_scores(), part.chosen.size());
  for (std::size_t t = 0; t < part.chosen.size(); ++t)
    std::ranges::copy(model.weights.column(part.chosen[t]), part.weights.column(t).begin());
  return part;
}

Matrix values_of(const PartialModel& part, const Matrix& X) {
  const Execution alone{.threads = 1};
  Matrix values = term_values(part.terms, in_coordinates(part.coordinates, X, alone), alone);
  values.n_cols = part.chosen.size();
  values.data.resize(values.n_rows * values.n_cols);
  return values;
}

Matrix partial_scores(const PartialModel& part, const Matrix& X) {
  const Matrix values = values_of(part, X);
  Matrix result(X.n_rows, part.weights.n_rows);
  for (std::size_t k = 0; k < result.n_cols; ++k)
    for (std::size_t t = 0; t < values.n_cols; ++t)
      for (std::size_t row = 0; row < values.n_rows; ++row)
        result(row, k) += contribution(part.weights(k, t), values(row, t), part.terms[t].centre);
  return result;
}

}  // namespace dyad::internal
