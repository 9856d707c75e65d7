// Stratified folds: parts of a sample with nearly the same share of each class.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dyad {

/// Fold of each row, 0 .. n_folds - 1: the rows of each class are shuffled and dealt out in turn, so that
/// fold sizes differ by at most one, in all and within a class. The single row of a class is in no fold,
/// which is n_folds: no class is without a row outside a fold. The same seed gives the same folds. Throws
/// std::invalid_argument if n_folds < 2 or there are fewer rows than folds.
[[nodiscard]] std::vector<std::size_t> stratified_folds(std::span<const std::int32_t> y, std::size_t n_folds,
                                                        std::uint64_t seed);

/// Folds that keep groups whole: all rows of a group are in one fold, and classes are spread as evenly as
/// groups allow, the largest groups first. `groups` has the number of each row's group, 0, 1, .. The same
/// seed gives the same folds. Throws std::invalid_argument if there are fewer groups than folds.
[[nodiscard]] std::vector<std::size_t> grouped_folds(std::span<const std::int32_t> y,
                                                     std::span<const std::size_t> groups, std::size_t n_folds,
                                                     std::uint64_t seed);

/// Row numbers, those of one fold apart.
struct Split {
  std::vector<std::size_t> inside;
  std::vector<std::size_t> outside;
};

[[nodiscard]] Split split_at(std::span<const std::size_t> folds, std::size_t fold);

/// The splits of all folds.
[[nodiscard]] std::vector<Split> splits_of(std::span<const std::size_t> folds, std::size_t n_folds);

}  // namespace dyad
