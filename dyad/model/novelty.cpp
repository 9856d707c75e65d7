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
    if (terms[t].is_linear()) return;
    const LabelledSample& own = samples[static_cast<std::size_t>(terms[t].class_code)];
    const Matrix values = term_values({&terms[t], 1}, own.X, Execution{.threads = 1});
    terms[t].typical = mean(values.column(0), own.weights);
    terms[t].spread = standard_deviation(values.column(0), own.weights);
  });
}

std::vector<Novelty> novelty(const Model& model, const MatrixView& X, const Execution& execution) {
  constexpr std::size_t block_rows = 512;
  std::vector<Novelty> result(X.n_rows);
  parallel_for((X.n_rows + block_rows - 1) / block_rows, execution, "novelty", [&](std::size_t block) {
    const std::size_t first = block * block_rows;
    const std::size_t count = std::min(block_rows, X.n_rows - first);
    Matrix rows(count, X.n_cols);
    for (std::size_t j = 0; j < X.n_cols; ++j)
      std::ranges::copy(X.column(j).subspan(first, count), rows.column(j).begin());
    rows = in_coordinates(model.coordinates, rows, Execution{.threads = 1});
    std::vector<std::vector<Novelty>> of_classes(model.n_classes(), std::vector<Novelty>(count));
    const Matrix values = met_term_values(model.terms, rows, Execution{.threads = 1});
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      const Term& term = model.terms[t];
      if (term.is_linear() || !(term.spread > 0)) continue;
      auto& own = of_classes[static_cast<std::size_t>(term.class_code)];
      for (std::size_t i = 0; i < count; ++i) {
        const double surprise = (term.typical - values(i, t)) / term.spread;
        if (!std::isnan(surprise) && (own[i].term == Novelty::no_term || surprise > own[i].score))
          own[i] = {surprise, t};
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      Novelty& least = result[first + i];
      for (const auto& own : of_classes)
        if (own[i].term != Novelty::no_term && (least.term == Novelty::no_term || own[i].score < least.score))
          least = own[i];
    }
  });
  return result;
}

}  // namespace dyad
