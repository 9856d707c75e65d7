// How sums over rows are computed.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/options.h"

namespace dyad {

enum class Engine {
  exact  ///< every pair of rows, as the formulas say: the reference
};
inline constexpr Names<1> engine_names{"exact"};

}  // namespace dyad
