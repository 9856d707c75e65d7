// The few pairs that a model keeps: a path of growing sets, judged by rows held out.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/base/pairs.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/model.h"
#include "dyad/model/term.h"
#include "dyad/terms/fit_report.h"
#include "dyad/terms/options.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

/// A set of terms that was tried, at the best of its costs.
struct PathStep {
  std::string name;  ///< its size, and what its pairs are ranked by
  std::size_t n_pairs = 0;
  double C = 1;
  double loss = 0;   ///< mean over the rows held out
  double share = 0;  ///< of its scores in the model's; 0 if it is no member
};

/// A mean of the scores of all sets with `n_pairs` pairs at most together, by the shares that minimise its
/// loss.
struct PathLevel {
  std::size_t n_pairs = 0;  ///< of all its sets, each once
  double loss = 0;          ///< mean over the rows held out
  double behind = 0;        ///< mean over the rows of the excess of their losses over those of the best level
  double error = 0;         ///< standard error of that mean
  bool is_kept = false;
};

/// Rows with the scores of regressions that were fitted without them.
struct HeldOutRows {
  Matrix scores;  ///< rows x classes
  std::vector<std::int32_t> y;
  std::vector<double> weights;
};

/// A regression of some terms of a path, whose scores count by its share.
struct PathMember {
  bool is_linear = false;          ///< whether it has linear terms alone
  bool shares_weights = false;     ///< whether the classes share sums of terms
  std::vector<std::size_t> pairs;  ///< numbers of its pairs among the terms of the path, ascending
  double cost = 1;
  double share = 1;

  /// Numbers of all its terms, ascending.
  [[nodiscard]] std::vector<std::size_t> terms_among(std::span<const TermKey> keys) const;
};

/// A regression on free tables of all features and some pairs, whose scores count by its share.
struct TableMember {
  std::vector<FeaturePair> pairs;
  double variance = 1;  ///< of the value of a cell by its prior
  double share = 1;
};

/// The terms to keep, and the regressions of which the model is the mean.
struct PairPath {
  std::vector<TermKey> keys;  ///< linear terms, those of one feature, then the pairs of all members
  std::vector<PathMember> members;
  std::vector<TableMember> tables;
  HeldOutRows held_out;
  std::vector<PathStep> steps;
  std::vector<PathLevel> levels;
  Provenance reduced;  ///< path_rows and path_pairs, where a limit of memory made them fewer
};

/// Finds the terms to keep: linear ones, those of one feature, and some pairs, `most` at most.
///
/// Each set of terms is fitted by multinomial regression without each fold of the inner cross-validation,
/// with densities of the other folds alone (counts engine), and judged by the rows of the fold. Unless the
/// options give another number there are 5 folds of at most 2000 rows, else 3. Of more than 3000 rows a part
/// is tried.
///
/// Sets without pairs are linear terms; all terms of one feature; these with sums that the classes share,
/// which are the likelihoods of naive Bayes. A set has the edges of each class's tree (`cell_trees`) and the
/// sums of naive Bayes and of TAN. Two have the ten leading pairs by `residual_gains` of the model of single
/// features, in each fold by the other folds, and by HSIC over all classes. The ranking of lower loss is
/// followed to twice as many pairs each time, while the loss falls by more than the standard error of the
/// difference; of at most 50 pairs all are tried. The best set with pairs is tried last with sums that the
/// classes share, or without.
///
/// If `terms` has given pairs, these are the pairs of two sets, with and without sums that the classes share,
/// and of free tables; nothing is ranked. The mean is that of all sets, and the pairs have a tenth of it at
/// least.
///
/// With `uses_tables` sets of free tables follow, in place of densities, of all features and of ten leading
/// pairs by gain, or of all of at most 50. If the first lowers the loss of the mean by half a standard error,
/// sets grow to 40 pairs while the loss falls.
///
/// The model is the mean of the scores of several sets, with the shares that minimise the loss of the rows
/// held out. Sets join in the order of their pairs; the mean with the fewest pairs is kept whose loss exceeds
/// that of the best by one standard error of the difference at most, without pairs by two and less than 5
/// percent. Sets with a share below a tenth are dropped.
[[nodiscard]] PairPath find_pairs(const LabelledSample& sample, std::size_t most, const TermOptions& terms,
                                  const WeightOptions& options, const Execution& execution,
                                  FitReport& report);

}  // namespace dyad
