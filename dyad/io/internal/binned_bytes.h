// Axes of terms and the rows counted on them, as bytes of a state file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/fit/term_counts.h"
#include "dyad/io/internal/bytes.h"

namespace dyad::internal {

/// The axes of a term, without rows.
void put_frame(Writer& out, const BinnedTerm& term);
/// Reads a frame back, for a term of the plan, which has all but its frames. Fails if they do not go
/// together, or if the file has too few `bytes_of_counts` for its nodes; those that it needs are taken off.
[[nodiscard]] BinnedTerm take_frame(Reader& in, const Plan& plan, const TermKey& place,
                                    std::size_t& bytes_of_counts);

/// The rows counted on the axes of a term, which reading finds in it.
void exchange_term_counts(Writer& out, const BinnedTerm& term);
void exchange_term_counts(Reader& in, BinnedTerm& term);

}  // namespace dyad::internal
