// Regressions of sets of terms, each fitted without the rows that judge it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>

#include "dyad/base/pairs.h"
#include "dyad/pairs/residual_gain.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/weights/pair_path.h"
#include "dyad/weights/score_mean.h"
#include "dyad/weights/table_cells.h"
#include "dyad/weights/term_rows.h"

namespace dyad::internal {

using PairRanking = std::vector<FeaturePair>;

/// The rankings of one kind: by each fold's other rows, then by all.
struct PathRanking {
  std::string name;
  std::vector<PairRanking> of_view;
};

/// Terms of one feature with the leading pairs of a ranking or the edges of each class's tree; linear terms
/// alone; or free tables in place of densities.
struct PathSet {
  /// All terms, with or without sums that the classes share; linear ones; those of trees with such sums,
  /// which are the likelihoods of naive Bayes and of TAN; or tables of all features and the leading pairs.
  enum Kind : std::uint8_t { all, sharing, linear, trees, tables };
  Kind kind = all;
  std::size_t n_pairs = 0;
  std::size_t ranking = 0;

  [[nodiscard]] bool shares_weights() const { return kind == sharing || kind == trees; }
  [[nodiscard]] bool has_same_terms(const PathSet& other) const {
    const auto terms = [](Kind of) { return of == sharing ? all : of; };
    return terms(kind) == terms(other.kind) && n_pairs == other.n_pairs &&
           (n_pairs == 0 || ranking == other.ranking);
  }
};

/// Regressions of a set of terms at one cost, without each fold.
struct PathFit {
  PathSet set;
  std::size_t cost = 0;                    ///< number among the costs of a path
  std::vector<SoftmaxSolution> solutions;  ///< by fold, of terms
  std::vector<TableSolution> tables;       ///< by fold, of tables
  Matrix scores;                           ///< of rows held out
  std::vector<double> losses;              ///< of rows held out
  double loss = std::numeric_limits<double>::infinity();
  std::set<std::size_t> costs_tried;  ///< of this set
};

/// A mean over rows, and its standard error.
struct MeanDifference {
  double mean = 0;
  double error = 0;
};

/// The rows of a fold, and the values of terms by the densities of those that it trains on.
struct FoldValues {
  using Key = std::tuple<std::int32_t, std::size_t, std::size_t>;

  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> test;
  std::deque<FloatRows> matrices;
  std::map<Key, TermValues> of_term;
  std::optional<FeatureBins> bins;  ///< of free tables, made from the rows that the fold trains on

  /// The curvature that sets of one ranking share, which begins with that of the terms of one feature.
  [[nodiscard]] SoftmaxCurvature& curvature_of(const PathSet& set);

 private:
  SoftmaxCurvature of_singles_;
  SoftmaxCurvature of_pairs_;
  std::optional<std::pair<std::size_t, bool>> pairs_;  ///< the ranking, and whether they are trees instead
};

/// Fits sets of terms and compares them on the rows held out.
class PathFits {
 public:
  /// Costs that are tried, besides that of the fit before.
  enum class Costs : std::uint8_t { same, all };

  PathFits(const LabelledSample& all, const TermOptions& terms, const WeightOptions& options,
           const Execution& execution, FitReport& report);

  /// The rows that are tried.
  [[nodiscard]] const LabelledSample& sample() const { return sample_; }
  [[nodiscard]] bool has_linear_terms() const;
  /// Pairs whose values take no more than half of `bytes`, as the options have them; 0 for the usual.
  [[nodiscard]] std::size_t affordable_pairs(std::size_t bytes) const;
  /// Number of rows that are tried where the bytes of the options make them fewer; else 0.
  [[nodiscard]] std::size_t reduced_rows() const { return reduced_rows_; }
  /// Number of rankings of a kind: one for each fold, and one by all rows.
  [[nodiscard]] std::size_t n_views() const { return splits_.size() + 1; }
  void set_rankings(std::vector<PathRanking> rankings) { rankings_ = std::move(rankings); }
  /// Sets the edges of trees: those of each fold's other rows, then those of all.
  void set_trees(std::vector<std::vector<TermKey>> trees) { trees_ = std::move(trees); }
  [[nodiscard]] const std::vector<PathRanking>& rankings() const { return rankings_; }

  /// Linear terms and those of one feature.
  [[nodiscard]] const std::vector<TermKey>& singles() const { return singles_; }
  /// The terms of a set by the rankings of all rows.
  [[nodiscard]] std::vector<TermKey> keys_of(const PathSet& set) const {
    return keys_of(set, splits_.size());
  }
  [[nodiscard]] static double cost_of(const PathFit& fit);

  /// The leading pairs of a set, by the rankings of all rows.
  [[nodiscard]] std::span<const FeaturePair> pairs_of_set(const PathSet& set) const {
    return pairs_of_set(set, splits_.size());
  }
  /// True if the bins of all features take little memory.
  [[nodiscard]] bool can_have_tables() const;

  /// Fits a set at the cost of `before`, a fit of fewer terms to start from, and at other costs.
  [[nodiscard]] PathFit fit(const PathSet& set, Costs costs, const PathFit* before = nullptr);
  /// Replaces a fit by those at other costs while the loss falls.
  void improve(PathFit& fit, Costs costs);

  /// Mean and standard error of the losses a of rows held out less b. A row of weight 2 is two rows.
  [[nodiscard]] MeanDifference difference(std::span<const double> a, std::span<const double> b) const;
  /// The mean of the scores of some fits that predicts the rows held out best.
  [[nodiscard]] ScoreMean mean_of(std::span<const PathFit* const> fits) const;
  /// Rows held out, with scores.
  [[nodiscard]] HeldOutRows held_out(const Matrix& scores) const;

  /// Probabilities by a fit of single features: for the last view by models without the row's fold,
  /// for the view of a fold by the model without that, as if it had not been fitted to the row.
  [[nodiscard]] HeldOutChances held_out_chances(const PathFit& single);

 private:
  /// The rows of a regression: its terms, or its tables for the rows to train on and to judge by.
  struct FoldRows {
    std::optional<TermRows> terms;
    TableRows train;
    TableRows test;
  };
  using RowsByFold = std::vector<FoldRows>;

  [[nodiscard]] std::size_t n_classes() const { return sample_.n_classes; }
  [[nodiscard]] bool is_held_out(std::size_t row) const { return folds_[row] < splits_.size(); }
  [[nodiscard]] std::size_t most_rows(const LabelledSample& all, std::size_t bytes) const;
  [[nodiscard]] std::vector<TermKey> keys_of(const PathSet& set, std::size_t view) const;
  [[nodiscard]] std::span<const FeaturePair> pairs_of_set(const PathSet& set, std::size_t view) const;
  void add_values(std::span<const std::vector<TermKey>> wanted);
  void add_bins();
  [[nodiscard]] TermRows rows_of_set(const PathSet& set, std::size_t f) const;
  /// The rows of a set, which the next set of the same terms shares.
  [[nodiscard]] const RowsByFold& rows_by_fold(const PathSet& set);
  /// Fits one fold at the cost of `fit`, starting from `warm`; returns the scores of the rows held out.
  [[nodiscard]] Matrix fit_fold(std::size_t f, const PathFit& warm, const FoldRows& rows, PathFit& fit);
  [[nodiscard]] PathFit at_cost(const PathFit& warm, std::size_t cost, const RowsByFold& rows);
  void improve(PathFit& best, Costs costs, const RowsByFold& rows);

  const TermOptions& terms_;
  WeightOptions options_;
  const Execution& execution_;
  FitReport& report_;
  LabelledSample sample_;
  std::size_t reduced_rows_ = 0;
  std::vector<TermKey> singles_;
  std::vector<Split> splits_;
  std::vector<std::size_t> folds_;  ///< the first that holds a row out; the number of folds if none does
  RegressionLabels labels_;
  std::optional<SplitValues> values_;
  std::deque<FoldValues> of_fold_;
  std::optional<PathSet> set_of_rows_;
  RowsByFold rows_;
  std::vector<PathRanking> rankings_;
  std::vector<std::vector<TermKey>> trees_;
};

}  // namespace dyad::internal
