// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/evaluation/dependence.h"

#include <set>

#include "dyad/base/gather.h"
#include "dyad/data/folds.h"
#include "dyad/data/repeated_rows.h"
#include "dyad/dependence/counts_hsic.h"
#include "dyad/dependence/false_discovery.h"
#include "dyad/fit/options.h"
#include "dyad/fit/recipe.h"
#include "dyad/pairs/tree_edges.h"

namespace dyad {
namespace {

constexpr std::size_t fewest_rows = 4;

/// Some rows of one class and the given features, in coordinates, as a sample of one class.
LabelledSample class_sample(const Model& model, const MatrixView& X, std::span<const std::int32_t> y,
                            std::int32_t code, std::span<const std::size_t> features, std::size_t most_rows) {
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < y.size(); ++row)
    if (y[row] == code) rows.push_back(row);
  rows = gather(rows, evenly_spaced(rows.size(), most_rows));
  LabelledSample sample{
      .X = Matrix(rows.size(), features.size()), .y = std::vector(rows.size(), 0), .n_classes = 1};
  for (std::size_t k = 0; k < features.size(); ++k)
    std::ranges::copy(gather(X.column(features[k]), rows), sample.X.column(k).begin());
  if (!model.coordinates.empty())
    apply_coordinates(gather(model.coordinates, features), sample.X, {.threads = 1});
  if (!model.levels.empty()) sample.levels = gather(model.levels, features);
  return sample;
}

}  // namespace

std::vector<ClassDependence> dependence_of(const Model& model, const MatrixView& X,
                                           std::span<const std::int32_t> y,
                                           std::span<const std::size_t> features, std::size_t most_rows,
                                           const Execution& execution) {
  const std::size_t n_pairs = pair_count(features.size());
  std::vector<ClassDependence> result;
  for (std::size_t c = 0; c < model.n_classes(); ++c) {
    const auto code = static_cast<std::int32_t>(c);
    const LabelledSample sample = class_sample(model, X, y, code, features, most_rows);
    ClassDependence& own = result.emplace_back();
    own.n_rows = sample.n_rows();
    if (sample.n_rows() < fewest_rows || n_pairs == 0) {
      own.hsic = own.q = std::vector(n_pairs, std::numeric_limits<double>::quiet_NaN());
      continue;
    }
    std::vector<double> p_values;
    for (const Hsic& pair : pairwise_hsic(sample.X, Engine::counts, options_from(model.fitted_with).grid,
                                          execution, {}, categorical_features(sample.levels))) {
      own.hsic.push_back(pair.value);
      p_values.push_back(pair.p_value);
    }
    own.q = benjamini_hochberg(std::move(p_values));
  }
  return result;
}

std::vector<double> hsic_of_terms(const Model& model, LabelledSample rows, const Execution& execution) {
  std::vector<Split> no_splits;
  if (model.engine == Engine::exact)
    expand_weights(rows, no_splits, "the exact engine");
  else
    merge_repeated_rows(rows, no_splits);
  const auto has_hsic = [](const Term& term) { return term.is_pair() && term.is_density(); };
  std::vector<double> result(static_cast<std::size_t>(std::ranges::count_if(model.terms, has_hsic)));
  for (std::size_t c = 0; c < model.n_classes(); ++c) {
    const auto code = static_cast<std::int32_t>(c);
    std::set<std::size_t> paired;  // perhaps few of thousands
    for (const Term& term : model.terms)
      if (has_hsic(term) && term.class_code == code) paired.insert({term.i, term.j});
    if (paired.empty()) continue;
    const std::vector<std::size_t> features(paired.begin(), paired.end());
    const LabelledSample sample = class_sample(model, rows.X, rows.y, code, features, rows.n_rows());
    const auto scores = pairwise_hsic(sample.X, model.engine, options_from(model.fitted_with).grid, execution,
                                      weights_of_class(rows, code), categorical_features(sample.levels));
    std::size_t k = 0;
    for (const Term& term : model.terms) {
      if (!has_hsic(term)) continue;
      if (term.class_code == code)
        result[k] =
            scores[pair_index(place_in(features, term.i), place_in(features, term.j), features.size())].value;
      ++k;
    }
  }
  return result;
}

std::vector<std::vector<FeaturePair>> trees_of(const Model& model, const MatrixView& X,
                                               std::span<const std::int32_t> y,
                                               std::span<const std::size_t> features, std::size_t most_rows,
                                               const Execution& execution) {
  TermOptions options = make_recipe(options_from(model.fitted_with)).terms;
  options.engine = Engine::counts;
  std::vector<std::vector<FeaturePair>> trees(model.n_classes());
  for (std::size_t c = 0; c < trees.size(); ++c) {
    const LabelledSample sample =
        class_sample(model, X, y, static_cast<std::int32_t>(c), features, most_rows);
    if (sample.n_rows() < fewest_rows || features.size() < 2) continue;
    for (const TermKey& edge : tree_edges(sample, Tree{}, options, execution))
      trees[c].push_back(
          {std::min(features[edge.i], features[edge.j]), std::max(features[edge.i], features[edge.j])});
  }
  return trees;
}

}  // namespace dyad
