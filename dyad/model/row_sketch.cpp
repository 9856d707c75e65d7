// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/row_sketch.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "dyad/base/random.h"

namespace dyad {
namespace {

/// Hashes of the different rows of X, ascending; those of the same values are the same on any machine.
std::vector<std::uint64_t> distinct_row_hashes(const MatrixView& X, std::span<const std::size_t> ignored) {
  std::vector<std::uint64_t> hashes(X.n_rows);
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    if (std::ranges::binary_search(ignored, j)) continue;
    const auto column = X.column(j);
    const std::uint64_t salt = hashed(j + 1);
    for (std::size_t i = 0; i < X.n_rows; ++i) {
      const double value = column[i] + 0.0;  // -0 is 0
      hashes[i] += hashed(salt ^ (std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value)));
    }
  }
  for (std::uint64_t& hash : hashes) hash = hashed(hash);
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  return hashes;
}

}  // namespace

RowSketch row_sketch(const MatrixView& X, double n_table, std::span<const std::size_t> ignored) {
  RowSketch sketch{.hashes = distinct_row_hashes(X, ignored)};
  if (sketch.empty()) return sketch;
  const auto n_distinct = static_cast<double>(sketch.hashes.size());
  sketch.n_rows = n_distinct * std::max(n_table / static_cast<double>(X.n_rows), 1.0);
  if (sketch.hashes.size() > most_row_hashes) sketch.hashes.resize(most_row_hashes);
  return sketch;
}

std::optional<double> training_share(const RowSketch& sketch, const MatrixView& X,
                                     std::span<const std::size_t> ignored) {
  if (sketch.empty() || X.n_rows == 0) return std::nullopt;
  const auto of_table = distinct_row_hashes(X, ignored);
  const auto n_found = std::ranges::count_if(
      sketch.hashes, [&](std::uint64_t hash) { return std::ranges::binary_search(of_table, hash); });
  const double share_found = static_cast<double>(n_found) / static_cast<double>(sketch.hashes.size());
  return std::min(share_found * sketch.n_rows / static_cast<double>(of_table.size()), 1.0);
}

}  // namespace dyad
