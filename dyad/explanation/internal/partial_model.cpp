// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/internal/partial_model.h"

#include <set>

#include "dyad/base/gather.h"

namespace dyad::internal {

PartialModel partial_model(const Model& whole, const std::function<bool(const Term&)>& is_wanted) {
  std::vector<std::size_t> terms;
  std::set<std::size_t> features;
  for (std::size_t t = 0; t < whole.terms.size(); ++t)
    if (const Term& term = whole.terms[t]; is_wanted(term)) {
      terms.push_back(t);
      features.insert({term.i, term.j});
    }
  PartialModel part{.features = {features.begin(), features.end()}, .n_chosen = terms.size()};
  // A pair with a value that was never met is what the other feature says alone.
  for (std::size_t t = 0; t < whole.terms.size(); ++t)
    if (const Term& term = whole.terms[t];
        !term.is_pair() && term.is_density() && features.contains(term.i) && !is_wanted(term))
      terms.push_back(t);

  Model& model = part.model;
  if (!whole.coordinates.empty()) model.coordinates = gather(whole.coordinates, part.features);
  model.terms = gather(whole.terms, terms);
  for (Term& term : model.terms) {
    term.i = place_in(part.features, term.i);
    term.j = place_in(part.features, term.j);
  }
  model.intercepts.resize(whole.n_scores());
  model.weights = Matrix(whole.n_scores(), terms.size());
  for (std::size_t t = 0; t < part.n_chosen; ++t)
    std::ranges::copy(whole.weights.column(terms[t]), model.weights.column(t).begin());
  return part;
}

}  // namespace dyad::internal
