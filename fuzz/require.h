// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>

namespace dyad::fuzz {

/// Throws std::logic_error unless what must hold does.
inline void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

}  // namespace dyad::fuzz
