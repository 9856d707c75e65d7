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
