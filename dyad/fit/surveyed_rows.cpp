// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/surveyed_rows.h"

#include <algorithm>

#include "dyad/base/gather.h"

namespace dyad {

void SurveyedRows::grow(std::size_t d, std::size_t most) {
  if (size() < y.capacity()) return;
  const std::size_t n = std::min(most, std::max<std::size_t>(2 * size(), 1024));
  numbers.reserve(n);
  y.reserve(n);
  weights.reserve(n);
  values.reserve(n * d);
}

void SurveyedRows::keep_ascending(std::size_t d, std::span<const std::size_t> kept) {
  for (std::size_t k = 0; k < kept.size(); ++k) {
    numbers[k] = numbers[kept[k]];
    y[k] = y[kept[k]];
    weights[k] = weights[kept[k]];
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(kept[k] * d), d,
                values.begin() + static_cast<std::ptrdiff_t>(k * d));
  }
  numbers.resize(kept.size());
  y.resize(kept.size());
  weights.resize(kept.size());
  values.resize(kept.size() * d);
}

void SurveyedRows::keep(std::size_t d, std::span<const std::size_t> kept) {
  SurveyedRows some{gather(numbers, kept), gather(y, kept), gather(weights, kept), {}};
  some.values.reserve(kept.size() * d);
  for (const std::size_t i : kept)
    some.values.insert(some.values.end(), values.begin() + static_cast<std::ptrdiff_t>(i * d),
                       values.begin() + static_cast<std::ptrdiff_t>((i + 1) * d));
  *this = std::move(some);
}

std::uint64_t rows_of_each_class(std::vector<std::uint64_t> class_rows, std::size_t most) {
  std::ranges::sort(class_rows);
  std::uint64_t left = most;
  for (std::size_t k = 0; k < class_rows.size(); ++k) {
    const std::uint64_t share = left / (class_rows.size() - k);
    if (class_rows[k] > share) return std::max<std::uint64_t>(share, 1);
    left -= class_rows[k];
  }
  return SurveyedRows::all;
}

}  // namespace dyad
