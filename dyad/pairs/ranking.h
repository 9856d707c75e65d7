// Which pairs SLB keeps (paper, section 3: the choice of the threshold lambda).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/fit_options.h"
#include "dyad/terms/exact_terms.h"

namespace dyad {

/// A pair of features within a class, with its HSIC.
struct RankedPair {
  TermKey place;
  double hsic = 0;
  double p_value = 1;
};

/// All pairs of all classes, largest HSIC first: a threshold keeps a leading part.
[[nodiscard]] std::vector<RankedPair> rank_pairs(const LabelledSample& sample, const FitOptions& options,
                                                 const Execution& execution);

/// The same of the rows that densities are estimated from.
[[nodiscard]] std::vector<RankedPair> rank_density_rows(const LabelledSample& sample,
                                                        const FitOptions& options, const Execution& execution,
                                                        FitReport& report);

/// Of those, what options.pairs keeps: all where cross-validation is to choose, and of SLB-; none of LU.
[[nodiscard]] std::vector<RankedPair> pairs_to_keep(const LabelledSample& sample, const FitOptions& options,
                                                    const Execution& execution, FitReport& report);

/// Shares of all ranked pairs that cross-validation chooses from.
inline constexpr std::array<double, 8> kept_shares{0, 0.03, 0.06, 0.12, 0.25, 0.5, 0.75, 1};
/// Costs of the SVM that it chooses from.
inline constexpr std::array<double, 4> costs{0.01, 0.1, 1, 10};

struct Selection {
  std::vector<TermKey> pairs;
  std::vector<double> hsic;  ///< of each pair, where pairs are ranked by it
  double C = 1;
  std::vector<Setting> tried;  ///< by cross-validation, with their balanced errors, best first
};

/// The pairs that options.pairs keeps of `sample` (SLB; none of LU, all of SLB-) and the cost that options.cost takes. By
/// cross-validation: in each inner fold all steps are repeated on the other folds for every share of `kept_shares`; the share with
/// the smallest balanced error wins, the smaller one if equal. With the pairs so chosen, the same for `costs`. The counts engine takes
/// at most 10 000 rows for this.
[[nodiscard]] Selection select(const LabelledSample& sample, const FitOptions& options,
                               const Execution& execution, FitReport& report);

}  // namespace dyad
