// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/counts/pair_counts.h"

#include <array>
#include <cassert>
#include <cstring>
#include <functional>
#include <numeric>

#include "dyad/base/simd.h"
#include "dyad/base/vector_math.h"

namespace dyad {
namespace {

/// Rows that a 32-bit sum of whole numbers of 1/65536 holds.
constexpr std::size_t rows_at_once = 65535;

/// `table` has a node more than the axes on either side, which places on the last node touch with weight 0.
/// Shares are computed for a block of rows at a time, in vectors; only the additions go row by row.
DYAD_SIMD void add_rows(std::span<const Place> x, std::span<const Place> y, std::size_t width,
                        std::uint32_t* table) {
  constexpr std::size_t block = 64;
  std::uint32_t at[block];
  std::uint32_t shares[4][block];
  const auto stride = static_cast<std::uint32_t>(width);
  for (std::size_t first = 0; first < x.size(); first += block) {
    const Place* const from_x = x.data() + first;
    const Place* const from_y = y.data() + first;
    const std::size_t count = std::min(block, x.size() - first);
    for (std::size_t k = 0; k < count; ++k) {
      const std::uint32_t f = from_x[k] & 255U;
      const std::uint32_t g = from_y[k] & 255U;
      at[k] = (from_x[k] >> 8U) * stride + (from_y[k] >> 8U);
      shares[0][k] = (place_steps - f) * (place_steps - g);
      shares[1][k] = (place_steps - f) * g;
      shares[2][k] = f * (place_steps - g);
      shares[3][k] = f * g;
    }
    for (std::size_t k = 0; k < count; ++k) {
      std::uint32_t* const node = table + at[k];
      node[0] += shares[0][k];
      node[1] += shares[1][k];
      node[width] += shares[2][k];
      node[width + 1] += shares[3][k];
    }
  }
}

using FourCounts [[gnu::vector_size(16)]] = std::uint32_t;

/// Of each fraction the shares along y, and a zero.
constexpr auto quadratic_rows = [] {
  std::array<FourCounts, place_steps> rows{};
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const auto shares = quadratic_shares(static_cast<std::int32_t>(k) - 128);
    rows[k] = FourCounts{static_cast<std::uint32_t>(shares.before), static_cast<std::uint32_t>(shares.at),
                         static_cast<std::uint32_t>(shares.after), 0};
  }
  return rows;
}();

/// Adds rows to three by three nodes each: `place` + 128 has the nearest node in its upper and the fraction +
/// 128 in its lower byte.
void add_quadratic_rows(std::span<const Place> x, std::span<const Place> y, std::size_t width,
                        std::uint32_t* table) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint32_t p = x[i] + 128U;
    const std::uint32_t q = y[i] + 128U;
    const FourCounts along_x = quadratic_rows[p & 255U];
    const FourCounts along_y = quadratic_rows[q & 255U];
    std::uint32_t* node = table + ((p >> 8U) - 1) * width + (q >> 8U) - 1;
    for (int k = 0; k < 3; ++k, node += width) {
      FourCounts counts;
      std::memcpy(&counts, node, sizeof counts);
      counts += along_x[k] * along_y;
      std::memcpy(node, &counts, sizeof counts);
    }
  }
}

}  // namespace

template <class AddRows>
void PairCounts::fill_by(const AddRows& add_rows_to, std::span<const Place> x, std::span<const Place> y) {
  assert(x.size() == y.size());
  assert(std::ranges::all_of(x, [&](Place place) { return place <= (n_x_ - 1) * place_steps; }));
  assert(std::ranges::all_of(y, [&](Place place) { return place <= (n_y_ - 1) * place_steps; }));
  const std::size_t width = n_y_ + 1;
  std::vector<std::uint32_t> part((n_x_ + 1) * width);
  for (std::size_t first = 0; first < x.size(); first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, x.size() - first);
    if (first > 0) std::ranges::fill(part, 0U);
    add_rows_to(x.subspan(first, count), y.subspan(first, count), width, part.data());
    for (std::size_t a = 0; a < n_x_; ++a)
      add_counts({part.data() + a * width, n_y_}, counts_.data() + a * n_y_);
  }
}

void PairCounts::fill_quadratic(std::span<const Place> x, std::span<const Place> y,
                                std::span<const std::uint32_t> weights) {
  assert(std::ranges::all_of(x, [](Place place) { return place >= place_steps / 2; }));
  assert(std::ranges::all_of(y, [](Place place) { return place >= place_steps / 2; }));
  if (weights.empty()) return fill_by(add_quadratic_rows, x, y);
  assert(x.size() == y.size() && x.size() == weights.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::uint32_t p = x[i] + 128U;
    const std::uint32_t q = y[i] + 128U;
    std::int64_t* node = counts_.data() + ((p >> 8U) - 1) * n_y_ + (q >> 8U) - 1;
    for (int k = 0; k < 3; ++k, node += n_y_) {
      const std::int64_t along_x = std::int64_t{weights[i]} * quadratic_rows[p & 255U][k];
      // A share of 0 may be that of a node beyond the axis.
      for (int l = 0; l < 3; ++l)
        if (const std::int64_t share = along_x * quadratic_rows[q & 255U][l]; share != 0) node[l] += share;
    }
  }
}

void PairCounts::fill(std::span<const Place> x, std::span<const Place> y,
                      std::span<const std::uint32_t> weights) {
  if (weights.empty()) return fill_by(add_rows, x, y);
  assert(x.size() == y.size() && x.size() == weights.size());
  const auto add = [&](std::size_t a, std::size_t b, std::uint64_t share) {
    if (share != 0) counts_[a * n_y_ + b] += static_cast<std::int64_t>(share);
  };
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t a = x[i] >> 8U;
    const std::size_t b = y[i] >> 8U;
    const std::uint64_t f = x[i] & 255U;
    const std::uint64_t g = y[i] & 255U;
    add(a, b, weights[i] * (place_steps - f) * (place_steps - g));
    add(a, b + 1, weights[i] * (place_steps - f) * g);
    add(a + 1, b, weights[i] * f * (place_steps - g));
    add(a + 1, b + 1, weights[i] * f * g);
  }
}

PairCounts& PairCounts::operator+=(const PairCounts& other) {
  assert(n_x_ == other.n_x_ && n_y_ == other.n_y_);
  std::ranges::transform(counts_, other.counts_, counts_.begin(), std::plus<>());
  return *this;
}

PairCounts& PairCounts::operator-=(const PairCounts& other) {
  assert(n_x_ == other.n_x_ && n_y_ == other.n_y_);
  std::ranges::transform(counts_, other.counts_, counts_.begin(), std::minus<>());
  return *this;
}

std::int64_t PairCounts::total() const {
  return std::accumulate(counts_.begin(), counts_.end(), std::int64_t{0});
}

}  // namespace dyad
