// The trees of TAN: in each class the pairs of largest mutual information.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/term.h"
#include "dyad/pairs/term_rule.h"
#include "dyad/terms/options.h"

namespace dyad {

/// The edges of the tree, or forest, that TAN finds in each class by the mutual information of all pairs
/// (paper, section 2.1).
///
/// Excluded pairs are no edges. The tree is that of the raw information; the forest drops edges whose
/// corrected information is at most n_y^-rule.beta.
[[nodiscard]] std::vector<TermKey> tree_edges(const LabelledSample& sample, const Tree& rule,
                                              const TermOptions& options, const Execution& execution);

}  // namespace dyad
