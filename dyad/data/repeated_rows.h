// Samples with weights or repeated rows in a form of their own, so that a weight and as many copies of a row
// give the same bits.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/data/folds.h"
#include "dyad/data/labelled_sample.h"

namespace dyad {

/// Leaves out rows without weight; then replaces equal rows of a class by `most_pieces` at most that share
/// their weight, or fewer if they weigh less than as many rows, and sorts. The result depends on what is in
/// the sample alone, not on the order or on whether a weight or copies say how often a row is there. Pieces,
/// rather than one row each, can be dealt out to different folds. Rows that `splits` treat differently are
/// different; the splits come to speak of the new rows. A sample of rows of weight 1, no two of them equal,
/// stays as it is, order included. O(n d) then, O(n d log n) otherwise.
void merge_repeated_rows(LabelledSample& sample, std::vector<Split>& splits);

inline constexpr unsigned most_pieces = 10;

/// Replaces weights by copies. Throws std::invalid_argument in the name of `who` if a weight is not a whole
/// number.
void expand_weights(LabelledSample& sample, std::vector<Split>& splits, const char* who);

}  // namespace dyad
