// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/screening.h"

#include <algorithm>

#include "dyad/base/gather.h"
#include "dyad/base/ordering.h"
#include "dyad/base/pairs.h"
#include "dyad/base/random.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/dependence/counts_hsic.h"
#include "dyad/dependence/false_discovery.h"

namespace dyad {
namespace {

void require_screenable(const Table& table, const ScreenOptions& options) {
  validate(options);
  require_classes(table);
  if (options.engine == Engine::exact) require_complete_numeric(table, "the exact engine");
  if (options.p_value == PValueMethod::permutation) require_complete_numeric(table, "p_value permutation");
  const std::size_t d = table.features.size();
  if (d < 2) throw std::invalid_argument("screen needs at least two features, got " + std::to_string(d));
  if (pair_count(d) > most_positions)
    throw std::invalid_argument("screen takes at most 2^32 pairs, got " + std::to_string(d) + " features");
  if (!table.weights.empty()) throw std::invalid_argument("screen does not take row weights");
  if (options.p_value != PValueMethod::permutation) return;
  for (std::size_t c = 0; c < table.labels.classes.size(); ++c) {
    const auto n = std::ranges::count(table.labels.codes, static_cast<std::int32_t>(c));
    if (static_cast<std::size_t>(n) > most_permutation_rows)
      throw std::invalid_argument("class " + quoted(table.labels.classes[c]) + " has " + std::to_string(n) +
                                  " rows; p_value permutation takes at most " +
                                  std::to_string(most_permutation_rows));
  }
}

/// The rows of one class.
struct ClassRows {
  Matrix X;
  std::vector<bool> categorical;  ///< of the features; empty if none is
};

ClassRows rows_to_screen(const Table& table, std::int32_t code, const ScreenOptions& options) {
  if (std::ranges::none_of(table.features, [](const Column& column) {
        return std::holds_alternative<CategoricalColumn>(column.data);
      }))
    return {numeric_rows(table, rows_of_class(table.labels, code)), {}};
  LabelledSample sample = labelled_sample(table);
  pool_rare_levels(sample, most_screened_levels(options));
  return {rows_of_class(sample, code), categorical_features(sample.levels)};
}

std::vector<Hsic> score_pairs(const ClassRows& rows, const ScreenOptions& options, const Random& random,
                              const Execution& execution) {
  const Matrix& X = rows.X;
  auto scores = pairwise_hsic(X, options.engine, options.grid, execution, {}, rows.categorical);
  if (options.p_value == PValueMethod::permutation)
    parallel_for(scores.size(), execution, "permutations", [&](std::size_t k) {
      const auto [i, j] = pair_at(k, X.n_cols);
      scores[k].p_value = hsic_permutation_p_value(X.column(i), X.column(j), options.permutations,
                                                   random.split(k).next(), execution);
    });
  return scores;
}

}  // namespace

std::size_t most_screened_levels(const ScreenOptions& options) {
  constexpr std::size_t most = 50;  // as in a fit
  // Each takes a node, and so do missing values.
  return std::min(most, static_cast<std::size_t>(options.grid) - 1);
}

ScreenedPair ScreenedClass::pair(std::size_t k) const {
  const auto [i, j] = pair_at(k, n_features);
  return {i, j, scores[k].value, scores[k].p_value, q_values[k], kept[k]};
}

ScreenedClass screen_class(const Table& table, std::size_t code, const ScreenOptions& options,
                           const Execution& execution) {
  require_screenable(table, options);
  const ClassRows rows = rows_to_screen(table, static_cast<std::int32_t>(code), options);
  ScreenedClass result{
      .label = table.labels.classes.at(code), .n_rows = rows.X.n_rows, .n_features = table.features.size()};
  result.scores = score_pairs(rows, options, Random(options.seed).split(code), execution);
  std::vector<double> p_values(result.scores.size());
  std::ranges::transform(result.scores, p_values.begin(), &Hsic::p_value);
  result.q_values = benjamini_hochberg(std::move(p_values), execution);
  result.kept.resize(result.scores.size());
  for (std::size_t k = 0; k < result.kept.size(); ++k)
    result.kept[k] = result.q_values[k] <= options.fdr && result.scores[k].value >= options.min_hsic;
  return result;
}

std::vector<ScreenedClass> screen_pairs(const Table& table, const ScreenOptions& options,
                                        const Execution& execution) {
  require_screenable(table, options);
  std::vector<ScreenedClass> result;
  for (std::size_t code = 0; code < table.labels.classes.size(); ++code)
    result.push_back(screen_class(table, code, options, execution));
  return result;
}

std::vector<std::uint32_t> strongest_pairs(const ScreenedClass& screened, std::size_t count,
                                           const Execution& execution) {
  const auto& scores = screened.scores;
  // A heap of the strongest is the quicker the smaller it is.
  if (count >= scores.size() / 16) {
    auto order = ordered_positions(
        scores.size(), [&](std::size_t k) { return -scores[k].value; }, execution);
    order.resize(std::min(order.size(), count));
    return order;
  }
  const auto all = all_rows<std::uint32_t>(scores.size());
  std::vector<std::uint32_t> order(count);
  std::ranges::partial_sort_copy(all, order, [&](std::uint32_t a, std::uint32_t b) {
    return scores[a].value != scores[b].value ? scores[a].value > scores[b].value : a < b;
  });
  return order;
}

}  // namespace dyad
