// Control of the false discovery rate over many tests (paper, section 3: a way to choose the HSIC threshold).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <span>
#include <vector>

namespace dyad {

/// Benjamini-Hochberg q-values: q of the k-th smallest of m p-values is the minimum over l >= k of p_(l) m /
/// l. Keeping the tests with q <= a has a false discovery rate of at most a. O(m log m).
[[nodiscard]] std::vector<double> benjamini_hochberg(std::span<const double> p_values);

}  // namespace dyad
