// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/level_growth.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "dyad/base/random.h"

namespace dyad {
namespace {

/// Bytes of the block for a text that a string has no room for.
std::size_t block_bytes(const std::string& text) {
  constexpr std::size_t unit = 16;  // of blocks, each of which has 8 bytes beside its content
  return text.size() <= std::string().capacity() ? 0 : (text.size() + 1 + 8 + unit - 1) / unit * unit;
}

/// The share of hashes below this one.
double place_of(std::uint64_t hash) { return static_cast<double>(hash) * 0x1p-64; }

}  // namespace

void LevelGrowth::add(const CategoricalColumn& rows) {
  std::vector<Level> added(rows.levels.size());
  for (std::size_t i = 0; i < rows.codes.size(); ++i) {
    if (rows.codes[i] == CategoricalColumn::missing) continue;
    Level& level = added[static_cast<std::size_t>(rows.codes[i])];
    if (level.n_rows++ == 0) level.first_row = static_cast<std::uint32_t>(n_rows_ + i);
  }
  n_rows_ += rows.codes.size();
  for (std::size_t k = 0; k < added.size(); ++k) {
    const std::uint64_t hash = hashed(std::hash<std::string>()(rows.levels[k]));
    if (added[k].n_rows == 0 || place_of(hash) >= share_) continue;
    added[k].n_bytes = static_cast<std::uint32_t>(block_bytes(rows.levels[k]));
    const auto [at, is_new] = levels_.emplace(hash, added[k]);
    if (!is_new) at->second.n_rows += added[k].n_rows;
    while (levels_.size() > most_levels_) {
      share_ /= 2;
      std::erase_if(levels_, [&](const auto& level) { return place_of(level.first) >= share_; });
    }
  }
}

double LevelGrowth::expected_levels(double n_all) const {
  if (levels_.empty()) return 0;
  double f1 = 0;
  double f2 = 0;
  double n_new = 0;
  double n_new_by_chance = 0;
  for (const auto& [hash, level] : levels_) {
    f1 += level.n_rows == 1 ? 1 : 0;
    f2 += level.n_rows == 2 ? 1 : 0;
    n_new += level.first_row >= n_rows_ / 2 ? 1 : 0;
    n_new_by_chance += std::exp2(-static_cast<double>(level.n_rows));
  }
  const auto n = static_cast<double>(n_rows_);
  const double growth = std::max(1.0, n_all / n);
  const double exponent = 1 - 2 * (f2 + 1) / std::max(f1 - 1, 1.0);  // g of few levels, without bias
  const double time = std::log(growth);
  const double by_chance =
      f1 * (std::abs(exponent * time) < 1e-9 ? time : std::expm1(exponent * time) / exponent);
  const double in_order =
      std::max(0.0, n_new - n_new_by_chance - 2 * std::sqrt(n_new_by_chance)) * 2 * (growth - 1);
  return std::min(n_levels() + (by_chance + in_order) / share_, growth * n);
}

double LevelGrowth::mean_bytes() const {
  double sum = 0;
  for (const auto& [hash, level] : levels_) sum += level.n_bytes;
  return levels_.empty() ? 0 : sum / static_cast<double>(levels_.size());
}

}  // namespace dyad
