// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/internal/partial_model.h"

#include <set>

#include "dyad/base/gather.h"
#include "dyad/model/prediction.h"

namespace dyad::internal {

PartialModel partial_model(const Model& model, const std::function<bool(const Term&)>& is_wanted) {
  PartialModel part;
  std::set<std::size_t> features;
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    if (!is_wanted(model.terms[t])) continue;
    part.chosen.push_back(t);
    features.insert({model.terms[t].i, model.terms[t].j});
  }
  part.features.assign(features.begin(), features.end());
  if (!model.coordinates.empty()) part.coordinates = gather(model.coordinates, part.features);

  // A pair with a value that was never met is what the other feature says alone.
  std::vector<std::size_t> needed = part.chosen;
  for (std::size_t t = 0; t < model.terms.size(); ++t)
    if (const Term& term = model.terms[t];
        !term.is_pair() && !term.is_linear() && features.contains(term.i) && !is_wanted(term))
      needed.push_back(t);
  part.terms = gather(model.terms, needed);
  for (Term& term : part.terms) {
    term.i = place_in(part.features, term.i);
    term.j = place_in(part.features, term.j);
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
