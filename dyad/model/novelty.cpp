// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/novelty.h"

#include "dyad/base/gather.h"
#include "dyad/data/row_weights.h"
#include "dyad/data/summary.h"

namespace dyad {

void set_typical_values(std::vector<Term>& terms, const LabelledSample& sample, const Execution& execution) {
  constexpr std::size_t most_rows = 500;  // of a class
  const auto classes = rows_by_class(sample);
  std::vector<LabelledSample> samples;
  for (const auto& rows : classes)
    samples.push_back(rows_of(sample, gather(rows, evenly_spaced(rows.size(), most_rows))));
  parallel_for(terms.size(), execution, {}, [&](std::size_t t) {
    if (!terms[t].is_density()) return;
    const LabelledSample& own = samples[static_cast<std::size_t>(terms[t].class_code)];
    const Matrix values = term_values({&terms[t], 1}, own.X, Execution{.threads = 1});
    terms[t].typical = mean(values.column(0), own.weights);
    terms[t].spread = standard_deviation(values.column(0), own.weights);
  });
}

std::vector<Novelty> novelty(const Model& model, const MatrixView& X, const Execution& execution) {
  std::vector<Novelty> result(X.n_rows);
  for_blocks_in_coordinates(model, X, execution, "novelty", [&](std::size_t first, const Matrix& rows) {
    std::vector<std::vector<Novelty>> of_classes(model.n_classes(), std::vector<Novelty>(rows.n_rows));
    std::vector<double> values(rows.n_rows);
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      const Term& term = model.terms[t];
      if (!term.is_density() || !(term.spread > 0)) continue;
      auto& own = of_classes[static_cast<std::size_t>(term.class_code)];
      evaluate_met(term, rows, values);
      for (std::size_t i = 0; i < values.size(); ++i) {
        const double surprise = (term.typical - values[i]) / term.spread;
        if (!std::isnan(surprise) && (own[i].term == Novelty::no_term || surprise > own[i].score))
          own[i] = {surprise, t};
      }
    }
    for (std::size_t i = 0; i < rows.n_rows; ++i) {
      Novelty& least = result[first + i];
      for (const auto& own : of_classes)
        if (own[i].term != Novelty::no_term && (least.term == Novelty::no_term || own[i].score < least.score))
          least = own[i];
    }
  });
  return result;
}

}  // namespace dyad
