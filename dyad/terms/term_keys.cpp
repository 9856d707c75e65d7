// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/term_keys.h"

#include "dyad/base/gather.h"
#include "dyad/data/folds.h"
#include "dyad/data/summary.h"

namespace dyad {

bool can_leave_own_out(const LabelledSample& sample, const TermKey& key) {
  return !is_constant(sample, key.i) || !is_constant(sample, key.j);
}

std::size_t fold_count(const LabelledSample& sample, int wanted) {
  return std::min(static_cast<std::size_t>(wanted), sample.n_rows());
}

std::vector<TermKey> univariate_keys(std::size_t n_classes, std::size_t n_features) {
  std::vector<TermKey> keys;
  for (std::size_t c = 0; c < n_classes; ++c)
    for (std::size_t j = 0; j < n_features; ++j) keys.push_back({static_cast<std::int32_t>(c), j, j});
  return keys;
}

std::vector<TermKey> single_keys(const LabelledSample& sample, const TermOptions& options) {
  std::vector<TermKey> keys;
  for (std::size_t j = 0; options.linear_terms && j < sample.n_features(); ++j)
    if (!sample.is_categorical(j)) keys.push_back({no_class, j, j});
  return with_more(std::move(keys), univariate_keys(sample.n_classes, sample.n_features()));
}

double linear_offset(const LabelledSample& sample, std::size_t j, const TermOptions& options) {
  if (options.transform != Transform::none) return 0;
  const auto rows = rows_with_value(sample.X.column(j));
  return mean(gather(sample.X.column(j), rows), gather(sample.weights, rows));
}

double floor_of(const TermKey& key, const TermOptions& options, std::span<const double> log_spread) {
  return std::log(options.floor) - log_spread[key.i] - (key.is_pair() ? log_spread[key.j] : 0);
}

RowSplit row_split(const LabelledSample& sample, const TermOptions& options) {
  if (options.feature_mode != FeatureMode::split)
    return {all_rows(sample.n_rows()), all_rows(sample.n_rows())};
  const auto folds = stratified_folds(sample.y, 2, options.seed);
  RowSplit halves;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (folds[i] != 1) halves.density_rows.push_back(i);
    if (folds[i] != 0) halves.weight_rows.push_back(i);
  }
  return halves;
}

std::size_t linear_count(std::span<const TermKey> keys) {
  return static_cast<std::size_t>(std::ranges::find(keys, false, &TermKey::is_linear) - keys.begin());
}

std::vector<TermKey> with_more(std::vector<TermKey> keys, std::span<const TermKey> more) {
  keys.insert(keys.end(), more.begin(), more.end());
  return keys;
}

FeatureMode settled_feature_mode(FeatureMode mode, std::size_t n_classes, std::size_t n_rows, bool is_part) {
  constexpr std::size_t most_cross_fit_rows = 10000;
  if (mode != FeatureMode::automatic) return mode;
  const bool folds = n_classes > 2 && n_rows <= most_cross_fit_rows && !is_part;
  return folds ? FeatureMode::cross_fit : FeatureMode::leave_one_out;
}

}  // namespace dyad
