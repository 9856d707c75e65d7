// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/screening.h"

#include <stdexcept>

#include "dyad/base/random.h"
#include "dyad/dependence/false_discovery.h"
#include "dyad/dependence/hsic.h"

namespace dyad {
namespace {

std::vector<ScreenedPair> score_pairs(const Matrix& X, const ScreenOptions& options, const Random& random,
                                      const Execution& execution) {
  const std::size_t d = X.n_cols;
  const auto scores = hsic_all_pairs(X, execution);
  std::vector<ScreenedPair> pairs(scores.size());
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i + 1; j < d; ++j) {
      const Hsic& score = scores[pair_index(i, j, d)];
      pairs[pair_index(i, j, d)] = {.i = i, .j = j, .hsic = score.value, .p_value = score.p_value};
    }
  if (options.p_value == PValueMethod::permutation)
    parallel_for(pairs.size(), execution, "permutations", [&](std::size_t k) {
      pairs[k].p_value = hsic_permutation_p_value(X.column(pairs[k].i), X.column(pairs[k].j),
                                                  options.permutations, random.split(k).next(), execution);
    });
  return pairs;
}

}  // namespace

std::vector<ScreenedClass> screen_pairs(const Table& table, const ScreenOptions& options,
                                        const Execution& execution) {
  validate(options);
  require_classes(table);
  require_complete_numeric(table, "screen");
  if (table.features.size() < 2)
    throw std::invalid_argument("screen needs at least two features, got " +
                                std::to_string(table.features.size()));
  if (!table.weights.empty()) throw std::invalid_argument("screen does not take row weights");

  const Random random(options.seed);
  std::vector<ScreenedClass> result;
  for (std::size_t c = 0; c < table.labels.classes.size(); ++c) {
    const auto rows = rows_of_class(table.labels, static_cast<std::int32_t>(c));
    ScreenedClass screened{table.labels.classes[c], rows.size(),
                           score_pairs(numeric_rows(table, rows), options, random.split(c), execution)};
    std::vector<double> p_values;
    for (const ScreenedPair& pair : screened.pairs) p_values.push_back(pair.p_value);
    const auto q_values = benjamini_hochberg(p_values);
    for (std::size_t k = 0; k < q_values.size(); ++k) {
      ScreenedPair& pair = screened.pairs[k];
      pair.q_value = q_values[k];
      pair.kept = pair.q_value <= options.fdr && pair.hsic >= options.min_hsic;
    }
    result.push_back(std::move(screened));
  }
  return result;
}

}  // namespace dyad
