// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/pairs/tree_edges.h"

#include "dyad/base/gather.h"
#include "dyad/base/pairs.h"
#include "dyad/base/vector_math.h"
#include "dyad/dependence/mutual_information.h"
#include "dyad/dependence/spanning_tree.h"
#include "dyad/terms/counts_terms.h"

namespace dyad {
namespace {

/// Mutual information takes all pairs of rows.
constexpr std::size_t most_tree_rows = 2000;

/// The rows of a class that its tree is found from, each as often as its weight says: the counts engine takes
/// `most_tree_rows` evenly spaced ones of more.
Matrix tree_rows(const LabelledSample& sample, std::int32_t code, const TermOptions& options) {
  if (options.engine == Engine::exact) return rows_of_class(sample, code);
  const auto rows = rows_by_class(sample)[static_cast<std::size_t>(code)];
  const auto places = repeated_rows(gather(sample.weights, rows), rows.size(), most_tree_rows);
  return rows_of(sample, gather(rows, places)).X;
}

/// True if a feature is a number in all rows.
bool is_plain(const LabelledSample& sample, std::size_t j) {
  return !sample.is_categorical(j) && all_finite(sample.X.column(j));
}

/// Sets the information of pairs with a feature that has levels, or gaps: the mean over rows of the class of
/// log p(x_i, x_j) / (p(x_i) p(x_j)), each row left out.
void set_information_by_terms(const LabelledSample& sample, std::int32_t code, const std::vector<bool>& plain,
                              const TermOptions& options, const Execution& execution,
                              std::vector<MutualInformation>& information) {
  const std::size_t d = sample.n_features();
  std::vector<TermKey> keys;
  for (std::size_t j = 0; j < d; ++j) keys.push_back({code, j, j});
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i + 1; j < d; ++j)
      if (!plain[i] || !plain[j]) keys.push_back({code, i, j});
  const auto class_rows = rows_by_class(sample)[static_cast<std::size_t>(code)];
  const auto rows = gather(class_rows, evenly_spaced(class_rows.size(), most_tree_rows));
  FitReport report;
  const CountsFeatures features = counts_features_of_rows(sample, keys, rows, stats_of(sample, options),
                                                          options, execution, report, LeftOut::row);
  const RowWeights weights = gather(sample.weights, rows);
  const auto mean_of = [&](std::size_t t) {
    double sum = 0;
    for (std::size_t k = 0; k < rows.size(); ++k) sum += WeightsView(weights)[k] * features.values.row(k)[t];
    return sum / WeightsView(weights).total(rows.size());
  };
  for (std::size_t t = d; t < keys.size(); ++t) {
    const std::size_t i = keys[t].i;
    const std::size_t j = keys[t].j;
    const double value = mean_of(t) - mean_of(i) - mean_of(j);
    information[pair_index(i, j, d)] = {value, value};
  }
}

/// Mutual information of all pairs of columns; it is corrected only where weak edges are dropped by it.
std::vector<MutualInformation> information_of_columns(const Matrix& X, const Tree& rule,
                                                      const Execution& execution) {
  if (rule.drops_weak_edges) return mutual_information_all_pairs(X, execution);
  std::vector<MutualInformation> information;
  for (const double raw : raw_information_all_pairs(X, execution)) information.push_back({raw, raw});
  return information;
}

/// Mutual information of all pairs in one class.
std::vector<MutualInformation> information_of_pairs(const LabelledSample& sample, std::int32_t code,
                                                    const Tree& rule, const TermOptions& options,
                                                    const Execution& execution) {
  const std::size_t d = sample.n_features();
  std::vector<bool> plain;
  std::vector<std::size_t> numbers;
  for (std::size_t j = 0; j < d; ++j) {
    plain.push_back(is_plain(sample, j));
    if (plain[j]) numbers.push_back(j);
  }
  Matrix X = tree_rows(sample, code, options);
  if (numbers.size() == d) return information_of_columns(X, rule, execution);
  keep_columns(X, numbers);
  std::vector<MutualInformation> information(pair_count(d));
  const auto among_numbers = information_of_columns(X, rule, execution);
  for (std::size_t k = 0; k < among_numbers.size(); ++k) {
    const auto [a, b] = pair_at(k, numbers.size());
    information[pair_index(numbers[a], numbers[b], d)] = among_numbers[k];
  }
  set_information_by_terms(sample, code, plain, options, execution, information);
  return information;
}

/// The edges of the tree among the pairs that are not excluded; information has one for each pair.
std::vector<Edge> tree_among(std::span<const double> information, const Structure& structure, std::size_t d) {
  if (structure.excluded_pairs.empty()) return maximum_spanning_tree(information, d);
  std::vector<Edge> edges;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i + 1; j < d; ++j)
      if (structure.allows(i, j)) edges.push_back({i, j, information[pair_index(i, j, d)]});
  return maximum_spanning_forest(std::move(edges), d);
}

}  // namespace

std::vector<TermKey> tree_edges(const LabelledSample& sample, const Tree& rule, const TermOptions& options,
                                const Execution& execution) {
  const std::size_t d = sample.n_features();
  std::vector<TermKey> edges;
  for (std::size_t c = 0; c < sample.n_classes; ++c) {
    const auto code = static_cast<std::int32_t>(c);
    const auto information = information_of_pairs(sample, code, rule, options, execution);
    std::vector<double> raw;
    for (const MutualInformation& pair : information) raw.push_back(pair.raw);
    const double threshold = forest_threshold(class_counts(sample)[c], rule.beta);
    for (const Edge& edge : tree_among(raw, options.structure, d)) {
      if (rule.drops_weak_edges && information[pair_index(edge.i, edge.j, d)].corrected <= threshold)
        continue;
      edges.push_back({code, edge.i, edge.j});
    }
  }
  return edges;
}

}  // namespace dyad
