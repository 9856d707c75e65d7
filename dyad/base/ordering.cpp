// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/ordering.h"

#include <algorithm>
#include <array>
#include <cassert>

#include "dyad/base/gather.h"

namespace dyad {
namespace {

using Key = std::function<double(std::size_t)>;

constexpr std::size_t n_buckets = 256;

/// Sorts copies of the keys with their positions: keys in memory one after the other are what makes it fast.
void sort_positions(std::span<std::uint32_t> positions, const Key& key) {
  struct Item {
    double key;
    std::uint32_t position;
  };
  std::vector<Item> items;
  items.reserve(positions.size());
  for (const std::uint32_t position : positions) items.push_back({key(position), position});
  std::ranges::sort(items, [](const Item& a, const Item& b) {
    return a.key != b.key ? a.key < b.key : a.position < b.position;
  });
  std::ranges::transform(items, positions.begin(), &Item::position);
}

/// Keys that cut those of n > n_buckets positions into buckets of about the same size, going by a sample.
std::array<double, n_buckets - 1> splitters_of(std::size_t n, const Key& key) {
  constexpr std::size_t per_bucket = 16;
  std::vector<double> sample(n_buckets * per_bucket);
  for (std::size_t k = 0; k < sample.size(); ++k) sample[k] = key(k * n / sample.size());
  std::ranges::sort(sample);
  std::array<double, n_buckets - 1> splitters{};
  for (std::size_t b = 0; b < splitters.size(); ++b) splitters[b] = sample[(b + 1) * per_bucket];
  return splitters;
}

}  // namespace

std::vector<std::uint32_t> ordered_positions(std::size_t n, const Key& key, const Execution& execution) {
  constexpr std::size_t few = 20000;
  assert(n <= most_positions);
  if (n < few) {
    auto result = all_rows<std::uint32_t>(n);
    sort_positions(result, key);
    return result;
  }
  std::vector<std::uint32_t> result(n);
  const auto splitters = splitters_of(n, key);
  std::vector<std::uint8_t> bucket_of(n);
  std::array<std::size_t, n_buckets + 1> begin{};
  for (std::size_t k = 0; k < n; ++k) {
    bucket_of[k] = static_cast<std::uint8_t>(std::ranges::upper_bound(splitters, key(k)) - splitters.begin());
    ++begin[bucket_of[k] + 1U];
  }
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  auto next = begin;
  for (std::size_t k = 0; k < n; ++k) result[next[bucket_of[k]]++] = static_cast<std::uint32_t>(k);
  parallel_for(n_buckets, execution, {}, [&](std::size_t b) {
    sort_positions(std::span(result).subspan(begin[b], begin[b + 1] - begin[b]), key);
  });
  return result;
}

}  // namespace dyad
