// What is known of a table that a sample is a part of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dyad/base/random.h"
#include "dyad/counts/scaled_column.h"
#include "dyad/terms/term_densities.h"

namespace dyad::internal {

/// A sample of a table that is too large to be at hand: what fits need of all its rows.
struct TableStats {
  std::vector<double> class_rows;                 ///< rows of each class, by weight
  std::vector<bool> has_missing;                  ///< of each feature
  std::vector<std::vector<double>> level_priors;  ///< of each feature, the shares of its levels
  std::vector<std::uint64_t> numbers;             ///< of the rows of the sample in the table
  std::vector<std::vector<Scaling>>
      scalings;                     ///< by class and feature, that rows are counted in; empty: the sample's
  std::span<const TermKey> places;  ///< of the densities, if rows have been counted for them
  std::span<const BinnedTerm> counts;  ///< all rows, for each of `places`
};

/// The fold, one of so many, that a row's levels are counted without.
[[nodiscard]] constexpr std::size_t level_fold(std::uint64_t number, std::size_t n_folds) {
  return static_cast<std::size_t>(hashed(hashed(number)) % n_folds);
}

}  // namespace dyad::internal
