// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/prepare.h"

#include "dyad/base/gather.h"
#include "dyad/base/text.h"
#include "dyad/base/vector_math.h"
#include "dyad/data/repeated_rows.h"
#include "dyad/terms/term_keys.h"

namespace dyad {
namespace {

/// Three matrices of rows by rows: 10 GiB.
constexpr std::size_t most_svm_rows = 20000;
/// Hours.
constexpr std::size_t most_exact_rows = 1000000;

/// Throws std::invalid_argument if what is given by row or class is not there for every one.
void require_sizes(const LabelledSample& sample, const FitOptions& options) {
  const auto require = [](std::size_t size, std::size_t wanted, const char* what) {
    if (size != wanted)
      throw std::invalid_argument("fit: there are " + std::to_string(size) + " " + what + ", expected " +
                                  std::to_string(wanted));
  };
  require(sample.y.size(), sample.n_rows(), "labels");
  if (!sample.weights.empty()) require(sample.weights.counts.size(), sample.n_rows(), "weights");
  if (!options.class_weight_values.empty())
    require_class_weights(options.class_weight_values, sample.n_classes);
  if (!options.costs.data.empty()) require_costs(options.costs, sample.n_classes);
  for (const Split& split : options.inner_splits)
    for (const auto* rows : {&split.inside, &split.outside})
      for (const std::size_t row : *rows)
        if (row >= sample.n_rows())
          throw std::invalid_argument("a split of the inner cross-validation has row " + std::to_string(row) +
                                      ", counted from 0, of " + std::to_string(sample.n_rows()));
}

/// Throws std::invalid_argument if a class has no row, or none that a given split trains on.
void require_rows(const LabelledSample& sample, const FitOptions& options) {
  if (sample.n_classes < 2)
    throw std::invalid_argument("fit needs rows of at least two classes, got one class");
  const auto counts = class_counts(sample);
  const WeightsView weights = sample.weights;
  if (const auto none = std::ranges::find(counts, 0.0); none != counts.end())
    throw std::invalid_argument("class " + std::to_string(none - counts.begin() + 1) + " of " +
                                std::to_string(counts.size()) + " has no row of positive weight");
  for (std::size_t k = 0; k < options.inner_splits.size(); ++k) {
    std::vector<bool> trained(sample.n_classes);
    for (const std::size_t row : options.inner_splits[k].outside)
      if (weights.count(row) > 0) trained[static_cast<std::size_t>(sample.y[row])] = true;
    if (const auto none = std::ranges::find(trained, false); none != trained.end())
      throw std::invalid_argument("split " + std::to_string(k + 1) +
                                  " of the inner cross-validation trains on no row of class " +
                                  std::to_string(none - trained.begin() + 1));
  }
}

/// Throws std::invalid_argument if a value is infinite, a code stands for no level, or the engine does not
/// take what a feature has.
void require_values(const LabelledSample& sample, const FitOptions& options) {
  const auto refuse = [](std::size_t j, const std::string& what) {
    throw std::invalid_argument("fit: feature " + std::to_string(j + 1) + what);
  };
  for (std::size_t j = 0; j < sample.n_features(); ++j) {
    const auto column = sample.X.column(j);
    if (!sample.is_categorical(j) && all_finite(column)) continue;
    if (std::ranges::any_of(column, [](double x) { return std::isinf(x); }))
      refuse(j, " has a value that is not finite");
    if (options.engine == Engine::exact)
      refuse(j, std::string(sample.is_categorical(j) ? " is categorical" : " has missing values") +
                    "; the exact engine takes complete numbers, the counts engine takes both");
    if (!sample.is_categorical(j)) continue;
    const auto n_levels = static_cast<double>(sample.levels[j].size());
    for (const double code : column)
      if (!std::isnan(code) && !(code >= 0 && code < n_levels && code == std::floor(code)))
        refuse(j, " has the code " + number_text(code) + " of " + number_text(n_levels) + " levels");
  }
}

/// Throws std::invalid_argument if a value is beyond what the SVM, which has them in single precision, can
/// take.
void require_single_precision(const LabelledSample& sample) {
  constexpr double largest = 1e37;
  for (std::size_t j = 0; j < sample.n_features(); ++j)
    for (const double value : sample.X.column(j))
      if (std::abs(value) > largest)
        throw std::invalid_argument("linear_terms: feature " + std::to_string(j + 1) + " has the value " +
                                    number_text(value) +
                                    ", too large for features that are not put on a scale");
}

/// Brings rows that repeat or have weights into the form that the engine takes.
void prepare_rows(LabelledSample& sample, const Recipe& recipe, std::vector<Split>& inner_splits) {
  if (recipe.terms.engine == Engine::counts) return merge_repeated_rows(sample, inner_splits);
  const double n = WeightsView(sample.weights).total(sample.n_rows());
  const std::size_t most = recipe.has_likelihoods() ? most_exact_rows : most_svm_rows;
  if (n > static_cast<double>(most))
    throw std::invalid_argument("the exact engine goes over all pairs of rows and takes at most " +
                                std::to_string(most) +
                                " rows, each counted as often as its weight says, got " + number_text(n) +
                                "; the counts engine takes more");
  expand_weights(sample, inner_splits, "the exact engine");
}

}  // namespace

void check(const LabelledSample& sample, const FitOptions& options) {
  require_sizes(sample, options);
  require_rows(sample, options);
  require_values(sample, options);
  if (options.linear_terms && options.transform == Transform::none && has_svm(options.method))
    require_single_precision(sample);
}

Encoding encode(LabelledSample& sample, const RowWeights& weights, bool is_part, Recipe& recipe,
                const Execution& execution) {
  recipe.terms.feature_mode =
      settled_feature_mode(recipe.terms.feature_mode, sample.n_classes, sample.n_rows(), is_part);
  auto ranges = ranges_of(sample);
  auto coordinates = fit_coordinates(sample.X, recipe.terms.transform, weights, execution, sample.levels);
  apply_coordinates(coordinates, sample.X, execution);
  return {sample.n_features(), sample.levels, std::move(coordinates), std::move(ranges), {}};
}

Encoding prepare(LabelledSample& sample, const FitOptions& options, Recipe& recipe,
                 const Execution& execution, bool merges) {
  require_valid(options);
  clear_excluded(sample, options);
  check(sample, options);
  std::vector<Split>& inner_splits = recipe.weights.inner_splits;
  for (Split& split : inner_splits)
    for (auto* rows : {&split.inside, &split.outside}) {
      std::ranges::sort(*rows);
      rows->erase(std::unique(rows->begin(), rows->end()), rows->end());
    }
  pool_rare_levels(sample, static_cast<std::size_t>(options.max_levels));
  // Negative zeros become positive: rows that differ only in them are equal.
  for (double& value : sample.X.data) value += 0.0;
  if (merges || options.engine == Engine::exact) prepare_rows(sample, recipe, inner_splits);
  RowSketch sketch = row_sketch(sample.X, static_cast<double>(sample.n_rows()), options.structure.excluded);
  Encoding encoding = encode(sample, sample.weights, false, recipe, execution);
  encoding.sketch = std::move(sketch);
  return encoding;
}

void keep_features(LabelledSample& sample, std::span<const std::size_t> kept) {
  keep_columns(sample.X, kept);
  if (!sample.levels.empty()) sample.levels = gather(sample.levels, kept);
}

void clear_excluded(LabelledSample& sample, const FitOptions& options) {
  // The exact engine takes numbers alone.
  const double nothing = options.engine == Engine::exact ? 0 : std::numeric_limits<double>::quiet_NaN();
  for (const std::size_t j : options.structure.excluded) {
    std::ranges::fill(sample.X.column(j), nothing);
    if (!sample.levels.empty()) sample.levels[j] = {};
  }
}

std::vector<std::size_t> drop_unused_features(LabelledSample& sample, const FitOptions& options) {
  std::vector<std::size_t> allowed;
  std::vector<std::size_t> with_values;
  std::vector<std::size_t> varying;
  for (std::size_t j = 0; j < sample.n_features(); ++j) {
    if (std::ranges::binary_search(options.structure.excluded, j)) continue;
    allowed.push_back(j);
    // The exact engine's models hold the rows, constant features included.
    const bool varies = options.engine == Engine::exact || !is_constant(sample, j);
    if (varies) varying.push_back(j);
    if (varies || !std::isnan(sample.X(0, j))) with_values.push_back(j);
  }
  auto& kept = !varying.empty() ? varying : !with_values.empty() ? with_values : allowed;
  if (kept.size() < sample.n_features()) keep_features(sample, kept);
  return std::move(kept);
}

}  // namespace dyad
