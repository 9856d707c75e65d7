// Features along which the score of two classes never falls, or never rises.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/options.h"

namespace dyad {

enum class Direction { increasing, decreasing };
inline constexpr Names<2> direction_names{"increasing", "decreasing"};

/// A feature along which the score of the second class has a direction.
struct MonotoneFeature {
  std::size_t feature = 0;
  Direction direction = Direction::increasing;

  bool operator==(const MonotoneFeature&) const = default;
};

}  // namespace dyad
