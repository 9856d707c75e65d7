// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/folds.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "dyad/base/gather.h"
#include "dyad/base/random.h"

namespace dyad {

std::vector<std::size_t> stratified_folds(std::span<const std::int32_t> y, std::size_t n_folds,
                                          std::uint64_t seed) {
  if (n_folds < 2) throw std::invalid_argument("folds must be at least 2, got " + std::to_string(n_folds));
  if (y.size() < n_folds)
    throw std::invalid_argument(std::to_string(n_folds) + " folds need at least as many rows, got " +
                                std::to_string(y.size()));
  Random random(seed);
  auto order = all_rows(y.size());
  random.shuffle(order);
  std::ranges::stable_sort(order, {}, [&](std::size_t row) { return y[row]; });
  std::vector<std::size_t> folds(y.size());
  std::size_t dealt = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool alone = (k == 0 || y[order[k - 1]] != y[order[k]]) &&
                       (k + 1 == order.size() || y[order[k + 1]] != y[order[k]]);
    folds[order[k]] = alone ? n_folds : dealt++ % n_folds;
  }
  return folds;
}

std::vector<std::size_t> grouped_folds(std::span<const std::int32_t> y, std::span<const std::size_t> groups,
                                       std::size_t n_folds, std::uint64_t seed) {
  const std::size_t n_groups = groups.empty() ? 0 : std::ranges::max(groups) + 1;
  const std::size_t n_classes = y.empty() ? 0 : static_cast<std::size_t>(std::ranges::max(y)) + 1;
  if (n_folds < 2 || n_groups < n_folds)
    throw std::invalid_argument(std::to_string(n_folds) + " folds need at least as many groups, got " +
                                std::to_string(n_groups));
  Matrix rows(n_classes, n_groups);
  std::vector<double> sizes(n_groups);
  std::vector<double> class_rows(n_classes);
  for (std::size_t i = 0; i < y.size(); ++i) {
    ++rows(static_cast<std::size_t>(y[i]), groups[i]);
    ++sizes[groups[i]];
    ++class_rows[static_cast<std::size_t>(y[i])];
  }
  auto order = all_rows(n_groups);
  Random random(seed);
  random.shuffle(order);
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t group) { return sizes[group]; });
  Matrix dealt(n_classes, n_folds);  // shares of the classes
  std::vector<std::size_t> fold_of(n_groups);
  for (const std::size_t group : order) {
    // A group fits best where it adds least to the sum of squared shares.
    const auto added = [&](std::size_t fold) {
      double sum = 0;
      for (std::size_t c = 0; c < n_classes; ++c)
        if (class_rows[c] > 0) sum += dealt(c, fold) * rows(c, group) / class_rows[c];
      return sum;
    };
    fold_of[group] = std::ranges::min(all_rows(n_folds), {}, added);
    for (std::size_t c = 0; c < n_classes; ++c)
      if (class_rows[c] > 0) dealt(c, fold_of[group]) += rows(c, group) / class_rows[c];
  }
  return gather(fold_of, groups);
}

Split split_at(std::span<const std::size_t> folds, std::size_t fold) {
  Split split;
  for (std::size_t i = 0; i < folds.size(); ++i)
    (folds[i] == fold ? split.inside : split.outside).push_back(i);
  return split;
}

std::vector<Split> splits_of(std::span<const std::size_t> folds, std::size_t n_folds) {
  std::vector<Split> splits;
  for (std::size_t fold = 0; fold < n_folds; ++fold) splits.push_back(split_at(folds, fold));
  return splits;
}

}  // namespace dyad
