// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/repeated_rows.h"

#include <algorithm>
#include <bit>
#include <compare>
#include <limits>
#include <stdexcept>

#include "dyad/base/gather.h"
#include "dyad/base/text.h"

namespace dyad {
namespace {

/// What each split does with each row: n_rows x n_splits.
class SplitRoles {
 public:
  SplitRoles(std::span<const Split> splits, std::size_t n_rows)
      : n_splits_(splits.size()), roles_(n_rows * n_splits_) {
    for (std::size_t k = 0; k < n_splits_; ++k) {
      for (const std::size_t row : splits[k].inside) roles_[row * n_splits_ + k] |= inside;
      for (const std::size_t row : splits[k].outside) roles_[row * n_splits_ + k] |= outside;
    }
  }

  [[nodiscard]] std::strong_ordering compare(std::size_t a, std::size_t b) const {
    const auto of_a = of(a);
    const auto of_b = of(b);
    return std::lexicographical_compare_three_way(of_a.begin(), of_a.end(), of_b.begin(), of_b.end());
  }

  /// The splits of a sample whose row i is what row rows[i] was.
  [[nodiscard]] std::vector<Split> splits_of(std::span<const std::size_t> rows) const {
    std::vector<Split> splits(n_splits_);
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t k = 0; k < n_splits_; ++k) {
        if ((of(rows[i])[k] & inside) != 0) splits[k].inside.push_back(i);
        if ((of(rows[i])[k] & outside) != 0) splits[k].outside.push_back(i);
      }
    return splits;
  }

 private:
  static constexpr std::uint8_t inside = 1;
  static constexpr std::uint8_t outside = 2;

  [[nodiscard]] std::span<const std::uint8_t> of(std::size_t row) const {
    return {roles_.data() + row * n_splits_, n_splits_};
  }

  std::size_t n_splits_;
  std::vector<std::uint8_t> roles_;
};

/// Values in their order, the missing ones behind all others.
double ranked(double value) { return std::isnan(value) ? std::numeric_limits<double>::infinity() : value; }

/// Equal for equal rows of a class, and as good as never for others.
std::vector<std::uint64_t> hashes_of(const LabelledSample& sample) {
  constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
  std::vector<std::uint64_t> hashes(sample.n_rows());
  for (std::size_t i = 0; i < hashes.size(); ++i) hashes[i] = static_cast<std::uint64_t>(sample.y[i]) + 1;
  for (std::size_t j = 0; j < sample.n_features(); ++j) {
    const auto column = sample.X.column(j);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const double value = ranked(column[i]) + 0.0;  // of the two zeros the positive one
      hashes[i] = (std::rotl(hashes[i], 23) ^ std::bit_cast<std::uint64_t>(value)) * odd;
    }
  }
  return hashes;
}

bool has_repeats(std::vector<std::uint64_t> hashes) {
  std::ranges::sort(hashes);
  return std::ranges::adjacent_find(hashes) != hashes.end();
}

/// Replaces the sample by the given rows, in place unless they are more than there were, and the splits by
/// theirs.
void take_rows(LabelledSample& sample, std::vector<Split>& splits, const SplitRoles& halves,
               std::span<const std::size_t> rows) {
  splits = halves.splits_of(rows);
  if (rows.size() > sample.n_rows()) {
    sample = rows_of(sample, rows);
    return;
  }
  Matrix& X = sample.X;
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    const auto column = gather(X.column(j), rows);
    std::ranges::copy(column, X.data.begin() + static_cast<std::ptrdiff_t>(j * rows.size()));
  }
  X.n_rows = rows.size();
  X.data.resize(rows.size() * X.n_cols);
  sample.y = gather(sample.y, rows);
  sample.weights = gather(sample.weights, rows);
}

/// The weight of equal rows, `count` in all, shared among few: whole rows each where those are few enough.
std::vector<std::uint32_t> pieces_of(std::uint64_t count, double unit) {
  constexpr std::uint64_t largest = std::uint64_t{1} << 31U;
  const auto row = static_cast<std::uint64_t>(1 / unit);
  const std::uint64_t copies = (count + row - 1) / row;
  const std::uint64_t n =
      std::max(std::min<std::uint64_t>(copies, most_pieces), (count + largest - 1) / largest);
  std::vector<std::uint32_t> pieces(n, static_cast<std::uint32_t>(count / n));
  for (std::uint64_t k = 0; k < count % n; ++k) ++pieces[k];
  if (n == copies && n > 1 && row <= largest) {
    std::ranges::fill(pieces, static_cast<std::uint32_t>(row));
    pieces.back() = static_cast<std::uint32_t>(count - (n - 1) * row);
  }
  return pieces;
}

/// Leaves out weights that say nothing.
void drop_plain_weights(RowWeights& weights) {
  const auto is_one = [](std::uint32_t count) { return count == 1; };
  if (weights.unit == 1 && std::ranges::all_of(weights.counts, is_one)) weights = {};
}

void drop_rows_without_weight(LabelledSample& sample, std::vector<Split>& splits) {
  if (std::ranges::find(sample.weights.counts, 0U) == sample.weights.counts.end()) return;
  const auto rows = rows_where(sample.n_rows(), [&](std::size_t i) { return sample.weights.counts[i] > 0; });
  take_rows(sample, splits, SplitRoles(splits, sample.n_rows()), rows);
}

}  // namespace

void merge_repeated_rows(LabelledSample& sample, std::vector<Split>& splits) {
  drop_rows_without_weight(sample, splits);
  drop_plain_weights(sample.weights);
  const auto hashes = hashes_of(sample);
  if (sample.weights.empty() && !has_repeats(hashes)) return;

  const SplitRoles halves(splits, sample.n_rows());
  const auto compare = [&](std::size_t a, std::size_t b) -> std::partial_ordering {
    if (const auto order = sample.y[a] <=> sample.y[b]; std::is_neq(order)) return order;
    if (const auto order = hashes[a] <=> hashes[b]; std::is_neq(order)) return order;
    for (std::size_t j = 0; j < sample.n_features(); ++j)
      if (const auto order = ranked(sample.X(a, j)) <=> ranked(sample.X(b, j)); std::is_neq(order))
        return order;
    return halves.compare(a, b);
  };
  auto order = all_rows(sample.n_rows());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return std::is_lt(compare(a, b)); });

  const WeightsView weights = sample.weights;
  std::vector<std::size_t> rows;
  RowWeights shared{{}, weights.unit};
  for (std::size_t k = 0; k < order.size();) {
    const std::size_t row = order[k];
    std::uint64_t count = 0;
    for (; k < order.size() && std::is_eq(compare(row, order[k])); ++k) count += weights.count(order[k]);
    for (const std::uint32_t piece : pieces_of(count, weights.unit)) {
      rows.push_back(row);
      shared.counts.push_back(piece);
    }
  }
  take_rows(sample, splits, halves, rows);
  sample.weights = std::move(shared);
  drop_plain_weights(sample.weights);
}

void expand_weights(LabelledSample& sample, std::vector<Split>& splits, const char* who) {
  if (sample.weights.empty()) return;
  const WeightsView weights = sample.weights;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < sample.n_rows(); ++i) {
    if (weights[i] != std::floor(weights[i]))
      throw std::invalid_argument(std::string(who) + " takes weights that are whole numbers, got " +
                                  number_text(weights[i]));
    rows.insert(rows.end(), static_cast<std::size_t>(weights[i]), i);
  }
  sample.weights = {};
  take_rows(sample, splits, SplitRoles(splits, sample.n_rows()), rows);
}

}  // namespace dyad
