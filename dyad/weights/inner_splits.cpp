// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/inner_splits.h"

#include "dyad/terms/term_keys.h"

namespace dyad {
namespace {

/// The splits of a sample that consists of the given rows, ascending.
std::vector<Split> restricted(std::span<const Split> splits, std::span<const std::size_t> rows) {
  const auto places_of = [&](std::span<const std::size_t> some) {
    std::vector<std::size_t> places;
    for (const std::size_t row : some)
      if (const auto at = std::ranges::lower_bound(rows, row); at != rows.end() && *at == row)
        places.push_back(static_cast<std::size_t>(at - rows.begin()));
    return places;
  };
  std::vector<Split> result;
  for (const Split& split : splits) result.push_back({places_of(split.inside), places_of(split.outside)});
  return result;
}

/// The splits that test on a row and train on one of each class.
std::vector<Split> useful(std::vector<Split> splits, const LabelledSample& sample) {
  std::erase_if(splits, [&](const Split& split) {
    std::vector<bool> trained(sample.n_classes);
    for (const std::size_t row : split.outside) trained[static_cast<std::size_t>(sample.y[row])] = true;
    return split.inside.empty() || std::ranges::find(trained, false) != trained.end();
  });
  return splits;
}

}  // namespace

std::size_t inner_fold_count(const LabelledSample& sample, const WeightOptions& options) {
  constexpr int usual_folds = 5;
  if (!options.inner_splits.empty()) return options.inner_splits.size();
  return fold_count(sample, options.inner_folds > 0 ? options.inner_folds : usual_folds);
}

std::vector<Split> inner_splits(const LabelledSample& sample, const WeightOptions& options) {
  if (!options.inner_splits.empty()) return options.inner_splits;
  const std::size_t n_folds = inner_fold_count(sample, options);
  return splits_of(stratified_folds(sample.y, n_folds, options.seed), n_folds);
}

std::vector<Split> inner_splits_among(std::span<const std::size_t> rows, const LabelledSample& sample,
                                      const WeightOptions& options) {
  if (options.inner_splits.empty()) return inner_splits(sample, options);
  auto splits = useful(restricted(options.inner_splits, rows), sample);
  if (splits.empty())
    throw std::invalid_argument(
        "no split of the inner cross-validation trains on every class and tests on a row, of " +
        std::to_string(rows.size()) + " rows that are tried");
  return splits;
}

}  // namespace dyad
