// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/pair_path.h"

#include <utility>

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/model/model.h"
#include "dyad/pairs/ranking.h"
#include "dyad/weights/internal/path_fits.h"

namespace dyad {
namespace {

using internal::PairRanking;
using internal::PathFit;
using internal::PathFits;
using internal::PathRanking;
using internal::PathSet;

constexpr std::size_t first_pairs = 10;
/// Pairs of which all are tried.
constexpr std::size_t few_pairs = 50;
/// Pairs of largest HSIC that have a chance where there are more.
constexpr std::size_t most_candidates = 5000;

/// Places in descending order of their values.
std::vector<std::size_t> descending(std::span<const double> values) {
  auto order = all_rows(values.size());
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return values[k]; });
  return order;
}

/// The numbers of both lists in the order of their better place.
std::vector<std::size_t> by_better_rank(std::span<const std::size_t> a, std::span<const std::size_t> b) {
  std::vector<std::size_t> result;
  std::vector<bool> has(a.size());
  for (std::size_t k = 0; k < a.size(); ++k)
    for (const std::size_t number : {a[k], b[k]})
      if (!has[number]) {
        has[number] = true;
        result.push_back(number);
      }
  return result;
}

/// The pairs of features that vary, largest HSIC over the rows of all classes first: labels, those of rows
/// held out among them, have no part in it.
PairRanking pairs_by_hsic(const LabelledSample& sample, TermOptions options, const Execution& execution) {
  options.engine = Engine::counts;
  LabelledSample unlabelled = sample;
  unlabelled.n_classes = 1;
  std::ranges::fill(unlabelled.y, 0);
  std::vector<bool> varies;
  for (std::size_t j = 0; j < sample.n_features(); ++j) varies.push_back(!is_constant(sample, j));
  PairRanking result;
  for (const RankedPair& pair : rank_pairs(unlabelled, options, execution))
    if (varies[pair.key.i] && varies[pair.key.j] && result.size() < most_candidates)
      result.push_back({pair.key.i, pair.key.j});
  return result;
}

/// Grows sets of pairs and keeps one.
class PathSearch {
 public:
  PathSearch(const LabelledSample& all, const TermOptions& terms, const WeightOptions& options,
             const Execution& execution, FitReport& report)
      : terms_(terms),
        execution_(execution),
        report_(report),
        fits_(all, terms, options, execution, report) {}

  PairPath find(std::size_t most) {
    const PathFit* const linear =
        fits_.has_linear_terms() ? &try_set({.kind = PathSet::linear}, PathFits::Costs::all) : nullptr;
    const PathFit* single = &try_set({}, PathFits::Costs::all, linear);
    const PathFit& sharing = try_set({.kind = PathSet::sharing}, PathFits::Costs::all, single);
    if (const auto [gain, error] = fits_.difference(*single, sharing); gain > 2 * error) single = &sharing;
    if (most > 0 && rank_pairs_by(*single)) follow(*single, most);
    return choose();
  }

 private:
  /// Fits a set, and keeps the fit where it is.
  PathFit& try_set(const PathSet& set, PathFits::Costs costs, const PathFit* before = nullptr) {
    return tried_.emplace_back(fits_.fit(set, costs, before));
  }

  /// Ranks the pairs for each fold, with the residuals of a fit of single features; false if there are none.
  bool rank_pairs_by(const PathFit& single) {
    const Stopwatch watch(report_.screen);
    const PairRanking by_hsic = pairs_by_hsic(fits_.sample(), terms_, execution_);
    const auto gains = residual_gains(fits_.sample(), fits_.held_out_chances(single), by_hsic, execution_);
    std::vector<PathRanking> rankings{{"gain", {}}, {"HSIC", {}}, {"both", {}}};
    const auto in_place = all_rows(by_hsic.size());
    for (const auto& of_view : gains) {
      const auto by_gain = descending(of_view);
      rankings[0].of_view.push_back(gather(by_hsic, by_gain));
      rankings[1].of_view.push_back(by_hsic);
      rankings[2].of_view.push_back(gather(by_hsic, by_better_rank(by_gain, in_place)));
    }
    fits_.set_rankings(std::move(rankings));
    return !by_hsic.empty();
  }

  /// Fits growing sets by the ranking that begins best, while the loss falls.
  void follow(const PathFit& single, std::size_t most) {
    const std::size_t n_all = fits_.rankings()[0].of_view[0].size();
    most = std::min({most, n_all, std::max(fits_.affordable_pairs(), first_pairs)});
    PathSet set{.kind = single.set.kind, .n_pairs = std::min(first_pairs, most)};
    PathFit* last = &try_set(set, PathFits::Costs::same, &single);
    // All pairs are the same by any ranking.
    while (set.n_pairs < n_all && ++set.ranking < fits_.rankings().size())
      if (PathFit& other = try_set(set, PathFits::Costs::same, &single); other.loss < last->loss)
        last = &other;
    fits_.improve(*last, PathFits::Costs::all);
    bool grows = true;
    while (last->set.n_pairs < most && (grows || n_all <= few_pairs)) {
      set = last->set;
      set.n_pairs = std::min(2 * set.n_pairs, most);
      PathFit& larger = try_set(set, PathFits::Costs::larger, last);
      grows = larger.loss < last->loss;
      last = &larger;
    }
    PathFit* best = &best_fit();
    if (best->set.n_pairs == 0) return;
    // What is best without pairs need not be so with them.
    set = best->set;
    set.kind = set.kind == PathSet::all ? PathSet::sharing : PathSet::all;
    if (PathFit& other = try_set(set, PathFits::Costs::same, best); other.loss < best->loss) {
      fits_.improve(other, PathFits::Costs::all);
      best = &other;
    }
    set = best->set;
    set.n_pairs = (std::min(first_pairs, most) + 1) / 2;
    try_set(set, PathFits::Costs::all, best);
  }

  [[nodiscard]] PathFit& best_fit() { return *std::ranges::min_element(tried_, {}, &PathFit::loss); }

  /// The smallest set near the best.
  [[nodiscard]] PairPath choose() {
    const PathFit& best = best_fit();
    const PathFit* kept = &best;
    PairPath path;
    for (const PathFit& fit : tried_) {
      const auto [behind, error] = fits_.difference(fit, best);
      path.steps.push_back(
          {name_of_set(fit.set), fit.set.n_pairs, PathFits::costs_of(fit).back(), fit.loss, behind, error});
      if (behind <= tolerated(fit, error) &&
          std::pair(fit.set.n_pairs, fit.loss) < std::pair(kept->set.n_pairs, kept->loss))
        kept = &fit;
    }
    for (std::size_t m = 0; m < tried_.size(); ++m) path.steps[m].is_kept = &tried_[m] == kept;
    path.is_linear = kept->set.kind == PathSet::linear;
    path.keys = fits_.keys_of(path.is_linear ? PathSet{} : kept->set);
    path.shares_weights = kept->set.kind == PathSet::sharing;
    path.costs = PathFits::costs_of(*kept);
    path.held_out = fits_.held_out(*kept);
    return path;
  }

  /// Loss by which a set may exceed the best, given the standard error of the difference.
  [[nodiscard]] static double tolerated(const PathFit& fit, double error) {
    constexpr double errors_of_none = 2;
    constexpr double least_share_of_pairs = 0.05;
    if (fit.set.n_pairs > 0) return error;
    return std::min(errors_of_none * error, std::max(error, least_share_of_pairs * fit.loss));
  }

  [[nodiscard]] std::string name_of_set(const PathSet& set) const {
    if (set.kind == PathSet::linear) return "linear";
    std::string name = pairs_name(set.n_pairs);
    if (set.n_pairs > 0) name += " by " + fits_.rankings()[set.ranking].name;
    if (set.kind == PathSet::sharing) name += ", shared";
    return name;
  }

  const TermOptions& terms_;
  const Execution& execution_;
  FitReport& report_;
  PathFits fits_;
  std::deque<PathFit> tried_;
};

}  // namespace

PairPath find_pairs(const LabelledSample& sample, std::size_t most, const TermOptions& terms,
                    const WeightOptions& options, const Execution& execution, FitReport& report) {
  return PathSearch(sample, terms, options, execution, report).find(most);
}

}  // namespace dyad
