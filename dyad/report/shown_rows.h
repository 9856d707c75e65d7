// Which rows of a table a report shows.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

#include "dyad/base/matrix_view.h"

namespace dyad {

struct ShownRow {
  std::size_t row = 0;
  std::string_view why;  ///< "chosen", "wrong", "close" or "other"
};

/// The rows that were asked for, and `count` others, or all: up to a third predicted wrongly with the largest
/// probability, up to a third whose two most probable classes are closest, then evenly spaced ones; by
/// number. `labels` may be empty: then none is wrong.
[[nodiscard]] std::vector<ShownRow> shown_rows(const Matrix& probabilities,
                                               std::span<const std::int32_t> predicted,
                                               std::span<const std::int32_t> labels,
                                               std::span<const std::size_t> chosen, std::size_t count);

}  // namespace dyad
