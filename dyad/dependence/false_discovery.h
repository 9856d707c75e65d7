// Control of the false discovery rate over many tests (paper, section 3: a way to choose the HSIC threshold).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dyad/base/execution.h"

namespace dyad {

/// Benjamini-Hochberg q-values: q of the k-th smallest of m p-values is the minimum over l >= k of p_(l) m /
/// l. Keeping the tests with q <= a has a false discovery rate of at most a. O(m log m) time; the q-values
/// take the place of the p-values, and their order 4 bytes a test. Throws std::invalid_argument for more than
/// 2^32 tests.
[[nodiscard]] std::vector<double> benjamini_hochberg(std::vector<double> p_values,
                                                     const Execution& execution = {.threads = 1});

}  // namespace dyad
