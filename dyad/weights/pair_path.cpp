// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/pair_path.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/model/model.h"
#include "dyad/pairs/cell_trees.h"
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
/// Most pairs of free tables.
constexpr std::size_t most_tables = 40;
/// Sets of a smaller share are left out of the mean.
constexpr double least_share = 0.1;
/// Tables are tried further if they lower the loss by so many standard errors.
constexpr double least_errors_of_tables = 0.5;
/// Pairs of largest HSIC that have a chance where there are more.
constexpr std::size_t most_candidates = 5000;

/// Places in descending order of their values.
std::vector<std::size_t> descending(std::span<const double> values) {
  auto order = all_rows(values.size());
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t k) { return values[k]; });
  return order;
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

/// Grows sets of pairs and keeps some.
class PathSearch {
 public:
  PathSearch(const LabelledSample& all, const TermOptions& terms, const WeightOptions& options,
             std::size_t most, const Execution& execution, FitReport& report)
      : terms_(terms),
        most_(terms.structure.pairs ? terms.structure.pairs->size() : most),
        bytes_(options.bytes),
        uses_tables_(options.uses_tables),
        execution_(execution),
        report_(report),
        fits_(all, terms, options, execution, report) {}

  PairPath find() {
    const PathFit* const linear =
        fits_.has_linear_terms() ? &try_set({.kind = PathSet::linear}, PathFits::Costs::all) : nullptr;
    const PathFit* single = &try_set({}, PathFits::Costs::all, linear);
    if (given_pairs() > 0) try_given(*single);
    if (has_to_end(execution_, report_)) return choose();
    const PathFit& sharing = try_set({.kind = PathSet::sharing}, PathFits::Costs::all, single);
    const auto [gain, error] = fits_.difference(single->losses, sharing.losses);
    if (gain > 2 * error) single = &sharing;
    if (!is_given() && most_ > 0 && !has_to_end(execution_, report_) && rank_pairs_by(*single)) {
      if (!has_to_end(execution_, report_)) try_trees(sharing);
      if (!has_to_end(execution_, report_)) follow(*single);
    }
    if (uses_tables_ && fits_.can_have_tables()) try_tables();
    return choose();
  }

 private:
  /// Fits a set, and keeps the fit where it is.
  PathFit& try_set(const PathSet& set, PathFits::Costs costs, const PathFit* before = nullptr) {
    PathFit& fit = tried_.emplace_back(fits_.fit(set, costs, before));
    if (execution_.progress) execution_.progress("sets of terms", tried_.size(), 0);
    return fit;
  }

  [[nodiscard]] bool is_given() const { return terms_.structure.pairs.has_value(); }
  [[nodiscard]] std::size_t given_pairs() const { return is_given() ? terms_.structure.pairs->size() : 0; }

  /// Fits the given pairs, with and without sums that the classes share.
  void try_given(const PathFit& single) {
    fits_.set_rankings({{"", std::vector(fits_.n_views(), *terms_.structure.pairs)}});
    const PathFit* last = &try_set({.n_pairs = most_}, PathFits::Costs::all, &single);
    if (!has_to_end(execution_, report_))
      try_set({.kind = PathSet::sharing, .n_pairs = most_}, PathFits::Costs::all, last);
  }

  /// Ranks the pairs for each fold, with the residuals of a fit of single features; false if there are none.
  bool rank_pairs_by(const PathFit& single) {
    const Stopwatch watch(report_.screen);
    const PairRanking by_hsic = pairs_by_hsic(fits_.sample(), terms_, execution_);
    const HeldOutChances chances = fits_.held_out_chances(single);
    const auto gains = residual_gains(fits_.sample(), chances, by_hsic, execution_);
    trees_ = cell_trees(fits_.sample(), chances, by_hsic, execution_);
    std::vector<PathRanking> rankings{{"gain", {}}, {"HSIC", {}}};
    for (const auto& of_view : gains) {
      const auto by_gain = descending(of_view);
      rankings[0].of_view.push_back(gather(by_hsic, by_gain));
      rankings[1].of_view.push_back(by_hsic);
    }
    fits_.set_rankings(std::move(rankings));
    return !by_hsic.empty();
  }

  /// Pairs that a set may have, by the memory that their values take beside those of trees; 0 bytes for the
  /// usual.
  [[nodiscard]] std::size_t affordable_pairs(std::size_t bytes) const {
    const std::size_t affordable = fits_.affordable_pairs(bytes);
    return std::max(affordable - std::min(affordable, tree_pairs_), first_pairs);
  }

  /// Fits the trees of the classes, if no fold lacks them.
  void try_trees(const PathFit& sharing) {
    const std::size_t n_pairs = pairs_of(trees_.back()).size();
    const std::size_t n_edges = trees_.back().size() / fits_.sample().n_classes;
    if (n_pairs > most_ || n_edges > affordable_pairs(0) ||
        std::ranges::any_of(trees_, [](const auto& edges) { return edges.empty(); }))
      return;
    if (n_edges > affordable_pairs(bytes_)) {
      reduced_pairs_ = affordable_pairs(bytes_);
      return;
    }
    tree_pairs_ = n_edges;
    fits_.set_trees(std::move(trees_));
    try_set({.kind = PathSet::trees, .n_pairs = n_pairs}, PathFits::Costs::all, &sharing);
  }

  /// Fits growing sets by the ranking that begins best, while the loss falls by more than its standard error.
  void follow(const PathFit& single) {
    const std::size_t n_all = fits_.rankings()[0].of_view[0].size();
    const std::size_t most_usual = std::min({most_, n_all, affordable_pairs(0)});
    const std::size_t most = std::min(most_usual, affordable_pairs(bytes_));
    PathSet set{.kind = single.set.kind, .n_pairs = std::min(first_pairs, most)};
    PathFit* last = &try_set(set, PathFits::Costs::same, &single);
    // All pairs are the same by any ranking.
    while (set.n_pairs < n_all && ++set.ranking < fits_.rankings().size())
      if (PathFit& other = try_set(set, PathFits::Costs::same, &single); other.loss < last->loss)
        last = &other;
    fits_.improve(*last, PathFits::Costs::all);
    bool grows = true;
    while (last->set.n_pairs < most && (grows || n_all <= few_pairs) && !has_to_end(execution_, report_)) {
      set = last->set;
      set.n_pairs = std::min(2 * set.n_pairs, most);
      PathFit& larger = try_set(set, PathFits::Costs::same, last);
      const auto [gain, error] = fits_.difference(last->losses, larger.losses);
      grows = gain > error;
      last = &larger;
    }
    followed_ = last->set.ranking;
    if (last->set.n_pairs == most && most < most_usual) reduced_pairs_ = most;
    PathFit* best = &best_fit();
    if (best->set.n_pairs == 0 || best->set.kind == PathSet::trees || has_to_end(execution_, report_)) return;
    // The better kind without pairs may be the worse one with pairs.
    set = best->set;
    set.kind = set.kind == PathSet::all ? PathSet::sharing : PathSet::all;
    if (PathFit& other = try_set(set, PathFits::Costs::same, best); other.loss < best->loss) best = &other;
    fits_.improve(*best, PathFits::Costs::all);
  }

  /// Fits free tables of all features and of growing sets of pairs, if the first of them add something to the
  /// mean of the densities' fits.
  void try_tables() {
    const std::size_t n_all = fits_.rankings().empty() ? 0 : fits_.rankings()[0].of_view[0].size();
    const std::size_t most = is_given() ? n_all : std::min({most_, n_all, most_tables});
    const bool takes_all = is_given() || n_all <= few_pairs;
    PathSet set{.kind = PathSet::tables, .n_pairs = takes_all ? most : std::min(first_pairs, most)};
    const ScoreMean without = fits_.mean_of(joined_fits());
    PathFit* last = &try_set(set, PathFits::Costs::same);
    if (!lowers_loss(without)) return tried_.pop_back();
    fits_.improve(*last, PathFits::Costs::all);
    while (last->set.n_pairs < most) {
      set.n_pairs = std::min(2 * last->set.n_pairs, most);
      PathFit& larger = try_set(set, PathFits::Costs::same, last);
      const auto [gain, error] = fits_.difference(last->losses, larger.losses);
      last = &larger;
      if (!(gain > error)) break;
    }
  }

  /// True if the mean with all fits loses less than the one without the last.
  [[nodiscard]] bool lowers_loss(const ScoreMean& without) const {
    const ScoreMean with = fits_.mean_of(joined_fits());
    const auto [gain, error] = fits_.difference(without.losses, with.losses);
    return gain > least_errors_of_tables * error;
  }

  [[nodiscard]] PathFit& best_fit() { return *std::ranges::min_element(tried_, {}, &PathFit::loss); }

  using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

  [[nodiscard]] static Pairs pairs_of(std::span<const TermKey> keys) {
    Pairs pairs;
    for (const TermKey& key : keys)
      if (key.is_pair()) pairs.emplace(key.i, key.j);
    return pairs;
  }

  /// The fits that means are made of: pairs are those of trees, of tables and of the ranking that was
  /// followed.
  [[nodiscard]] std::vector<const PathFit*> joined_fits() const {
    std::vector<const PathFit*> fits;
    for (const PathFit& fit : tried_)
      if (fit.set.n_pairs == 0 || fit.set.kind == PathSet::trees || fit.set.kind == PathSet::tables ||
          fit.set.ranking == followed_)
        fits.push_back(&fit);
    return fits;
  }

  /// A mean of fits.
  struct Level {
    std::vector<const PathFit*> fits;
    std::size_t n_pairs = 0;
    ScoreMean mean;
  };

  /// The means of the fits with the fewest pairs, of one more fit each time.
  [[nodiscard]] std::vector<Level> levels() const {
    auto fits = joined_fits();
    std::ranges::stable_sort(fits, {}, [](const PathFit* fit) { return fit->set.n_pairs; });
    std::vector<Level> result(1);
    Pairs pairs;
    for (const PathFit* fit : fits) {
      Pairs more = pairs_of(fits_.keys_of(fit->set));
      more.insert(pairs.begin(), pairs.end());
      if (more.size() > most_) continue;
      if (more.size() > pairs.size()) result.push_back({result.back().fits, more.size(), {}});
      result.back().fits.push_back(fit);
      pairs = std::move(more);
    }
    for (Level& level : result) level.mean = fits_.mean_of(level.fits);
    return result;
  }

  /// The fit of given pairs that loses the least; null if there is none.
  [[nodiscard]] const PathFit* best_of_given() const {
    const PathFit* best = nullptr;
    for (const PathFit& fit : tried_)
      if (is_given() && fit.set.n_pairs > 0 && (best == nullptr || fit.loss < best->loss)) best = &fit;
    return best;
  }

  /// Raises the share of a member to the least one; the others keep their proportions.
  static void raise_share(Level& level, std::size_t member) {
    ScoreMean& mean = level.mean;
    const double share = mean.shares[member];
    if (share >= least_share) return;
    for (double& other : mean.shares) other *= (1 - least_share) / (1 - share);
    mean.shares[member] = least_share;
    std::ranges::fill(mean.scores.data, 0.0);
    for (std::size_t m = 0; m < level.fits.size(); ++m)
      for (std::size_t k = 0; k < mean.scores.data.size(); ++k)
        mean.scores.data[k] += mean.shares[m] * level.fits[m]->scores.data[k];
  }

  /// The level without the members that hardly count, but for given pairs.
  [[nodiscard]] Level without_small_shares(const Level& level) const {
    const PathFit* const wanted = best_of_given();
    const double least = std::min(least_share, std::ranges::max(level.mean.shares));
    Level result{{}, level.n_pairs, {}};
    for (std::size_t m = 0; m < level.fits.size(); ++m)
      if (level.mean.shares[m] >= least || level.fits[m] == wanted) result.fits.push_back(level.fits[m]);
    result.mean = fits_.mean_of(result.fits);
    if (const auto place = std::ranges::find(result.fits, wanted); place != result.fits.end())
      raise_share(result, static_cast<std::size_t>(place - result.fits.begin()));
    return result;
  }

  /// The mean with the fewest pairs near the best.
  [[nodiscard]] PairPath choose() {
    const std::vector<Level> tried = levels();
    const auto& best =
        std::ranges::min_element(tried, {}, [](const Level& level) { return level.mean.loss; });
    PairPath path;
    const Level* kept = nullptr;
    for (const Level& level : tried) {
      const auto [behind, error] = fits_.difference(level.mean.losses, best->mean.losses);
      const bool is_near =
          is_given() ? &level == &tried.back() : behind <= tolerated(level.n_pairs, level.mean.loss, error);
      const bool is_kept = kept == nullptr && is_near;
      if (is_kept) kept = &level;
      path.levels.push_back({level.n_pairs, level.mean.loss, behind, error, is_kept});
    }
    assert(kept != nullptr);  // the best is within any tolerance of itself
    const Level members = without_small_shares(*kept);
    path.keys = fits_.singles();
    for (const PathFit& fit : tried_) {
      const auto place = std::ranges::find(members.fits, &fit) - members.fits.begin();
      const bool is_member = static_cast<std::size_t>(place) < members.fits.size();
      const double share = is_member ? members.mean.shares[static_cast<std::size_t>(place)] : 0;
      path.steps.push_back({name_of_set(fit.set), fit.set.n_pairs, PathFits::cost_of(fit), fit.loss, share});
      if (is_member && fit.set.kind == PathSet::tables)
        path.tables.push_back(table_member_of(fit, share));
      else if (is_member)
        path.members.push_back(member_of(fit, share, path.keys));
    }
    path.held_out = fits_.held_out(members.mean.scores);
    for (const auto& [name, n] :
         {std::pair("path_rows", fits_.reduced_rows()), {"path_pairs", reduced_pairs_}})
      if (n > 0) path.reduced.emplace_back(name, std::to_string(n));
    return path;
  }

  /// A fit as a member; adds its pairs to the terms of the path.
  [[nodiscard]] PathMember member_of(const PathFit& fit, double share, std::vector<TermKey>& keys) {
    PathMember member{.is_linear = fit.set.kind == PathSet::linear,
                      .shares_weights = fit.set.shares_weights(),
                      .cost = PathFits::cost_of(fit),
                      .share = share};
    for (const TermKey& key : fits_.keys_of(fit.set)) {
      if (!key.is_pair()) continue;
      const auto [place, is_new] = place_of_pair_.try_emplace({key.class_code, key.i, key.j}, keys.size());
      if (is_new) keys.push_back(key);
      member.pairs.push_back(place->second);
    }
    std::ranges::sort(member.pairs);
    return member;
  }

  [[nodiscard]] TableMember table_member_of(const PathFit& fit, double share) const {
    const auto pairs = fits_.pairs_of_set(fit.set);
    return {{pairs.begin(), pairs.end()}, PathFits::cost_of(fit), share};
  }

  /// Loss by which a level may exceed the best, given the standard error of the difference.
  [[nodiscard]] static double tolerated(std::size_t n_pairs, double loss, double error) {
    constexpr double errors_of_none = 2;
    constexpr double least_share_of_pairs = 0.05;
    if (n_pairs > 0) return error;
    return std::min(errors_of_none * error, std::max(error, least_share_of_pairs * loss));
  }

  [[nodiscard]] std::string name_of_set(const PathSet& set) const {
    if (set.kind == PathSet::linear) return "linear";
    if (set.kind == PathSet::trees) return std::to_string(set.n_pairs) + " pairs of trees";
    std::string name = pairs_name(set.n_pairs);
    if (set.kind == PathSet::tables) return "tables, " + name;
    if (set.n_pairs > 0 && !is_given()) name += " by " + fits_.rankings()[set.ranking].name;
    if (set.kind == PathSet::sharing) name += ", shared";
    return name;
  }

  const TermOptions& terms_;
  std::size_t most_;  ///< pairs that may be kept
  std::size_t bytes_;
  bool uses_tables_;
  const Execution& execution_;
  FitReport& report_;
  PathFits fits_;
  std::vector<std::vector<TermKey>> trees_;  ///< edges, by fold left out, then of all rows
  std::deque<PathFit> tried_;
  std::size_t tree_pairs_ = 0;  ///< edges of trees that were fitted, for each class
  std::size_t followed_ = 0;    ///< the ranking of the path
  std::map<std::tuple<std::int32_t, std::size_t, std::size_t>, std::size_t> place_of_pair_;
  std::size_t reduced_pairs_ = 0;  ///< most pairs that were tried, where the bytes made them fewer
};

}  // namespace

std::vector<std::size_t> PathMember::terms_among(std::span<const TermKey> keys) const {
  std::vector<std::size_t> terms;
  for (std::size_t t = 0; t < keys.size() && !keys[t].is_pair(); ++t)
    if (!is_linear || keys[t].is_linear()) terms.push_back(t);
  terms.insert(terms.end(), pairs.begin(), pairs.end());
  return terms;
}

PairPath find_pairs(const LabelledSample& sample, std::size_t most, const TermOptions& terms,
                    const WeightOptions& options, const Execution& execution, FitReport& report) {
  return PathSearch(sample, terms, options, most, execution, report).find();
}

}  // namespace dyad
