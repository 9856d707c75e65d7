// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/pair_path.h"

#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "dyad/base/gather.h"
#include "dyad/base/pairs.h"
#include "dyad/base/stopwatch.h"
#include "dyad/model/model.h"
#include "dyad/pairs/ranking.h"
#include "dyad/pairs/residual_gain.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/weights/inner_splits.h"
#include "dyad/weights/single_weights.h"
#include "dyad/weights/term_rows.h"

namespace dyad {
namespace {

constexpr std::array<double, 8> path_costs{0.01, 0.1, 1, 10, 100, 1e3, 1e4, 1e5};
constexpr std::size_t first_cost = 2;
constexpr std::size_t most_path_rows = 4000;
constexpr std::size_t fewest_path_rows = 500;
constexpr std::size_t most_path_values = 50'000'000;
constexpr std::size_t first_pairs = 10;
/// Pairs of which all are tried.
constexpr std::size_t few_pairs = 50;
/// Standard errors by which a model without pairs may be behind, and one with fewer.
constexpr double errors_of_none = 2;
constexpr double errors_of_few = 0.5;
/// Share of the loss that is more than chance if it exceeds one standard error, too.
constexpr double least_share_of_pairs = 0.05;
/// Share of the loss that twice as many pairs must gain, or a standard error.
constexpr double least_share_of_growth = 0.03;
/// Pairs of largest HSIC that have a chance where there are more.
constexpr std::size_t most_candidates = 5000;

using PairRanking = std::vector<FeaturePair>;

/// The rankings of one kind: by each fold's other rows, then by all.
struct PathRanking {
  std::string name;
  std::vector<PairRanking> of_view;
};

/// The leading pairs of a ranking, with the terms of one feature; or linear terms alone.
struct PathSet {
  /// All terms, with or without sums that the classes share, or linear ones.
  enum Kind : std::uint8_t { all, sharing, linear };
  Kind kind = all;
  std::size_t n_pairs = 0;
  std::size_t ranking = 0;
};

/// Losses of sets differ by more than what tighter solutions would change; linear terms alone are few.
double tolerance_of(const PathSet& set) { return set.kind == PathSet::linear ? 2e-4 : 1e-3; }

/// Regressions of a set of terms without each fold.
struct PathFit {
  PathSet set;
  std::size_t cost = first_cost;           ///< number in path_costs
  std::vector<SoftmaxSolution> solutions;  ///< by fold
  Matrix scores;                           ///< of rows held out
  std::vector<double> losses;              ///< of rows held out
  double loss = std::numeric_limits<double>::infinity();
};

/// A mean over rows, and its standard error.
struct MeanDifference {
  double mean = 0;
  double error = 0;
};

/// Turns scores into probabilities.
void to_chances(Matrix& scores) {
  for (std::size_t i = 0; i < scores.n_rows; ++i) {
    double highest = scores(i, 0);
    for (std::size_t k = 1; k < scores.n_cols; ++k) highest = std::max(highest, scores(i, k));
    double sum = 0;
    for (std::size_t k = 0; k < scores.n_cols; ++k) sum += scores(i, k) = std::exp(scores(i, k) - highest);
    for (std::size_t k = 0; k < scores.n_cols; ++k) scores(i, k) /= sum;
  }
}

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

/// The rows of a fold, and the values of terms by the densities of those that it trains on.
struct FoldValues {
  using Key = std::tuple<std::int32_t, std::size_t, std::size_t>;

  std::vector<std::uint32_t> train;
  std::vector<std::uint32_t> test;
  std::deque<FloatRows> matrices;
  std::map<Key, TermValues> of_term;

  /// The curvature that sets of one ranking share, which begins with that of the terms of one feature.
  [[nodiscard]] SoftmaxCurvature& curvature_of(const PathSet& set) {
    if (set.n_pairs == 0) return of_singles_;
    if (ranking_ != set.ranking) of_pairs_ = of_singles_;
    ranking_ = set.ranking;
    return of_pairs_;
  }

 private:
  SoftmaxCurvature of_singles_;
  SoftmaxCurvature of_pairs_;
  std::optional<std::size_t> ranking_;
};

FoldValues::Key place_of(const TermKey& key) { return {key.class_code, key.i, key.j}; }

/// The sample and everything that all sets share.
class PathSearch {
 public:
  PathSearch(const LabelledSample& all, const TermOptions& terms, const WeightOptions& options,
             const Execution& execution, FitReport& report)
      : terms_(terms), options_(options), execution_(execution), report_(report) {
    SampledRows few = sampled_rows(all, most_rows(all));
    sample_ = rows_of(all, few.rows);
    sample_.weights = std::move(few.weights);
    singles_ = single_keys(sample_, terms_);
    splits_ = inner_splits_among(few.rows, sample_, options);
    folds_.assign(sample_.n_rows(), splits_.size());
    for (std::size_t f = splits_.size(); f-- > 0;)
      for (const std::size_t row : splits_[f].inside) folds_[row] = f;
    labels_ = {
        sample_.y,
        class_weighted(weights_of(sample_.weights, all_rows(sample_.n_rows())), sample_.y, sample_.n_classes,
                       options.class_weight_values, options.class_weights == ClassWeights::balanced),
        sample_.n_classes};
    for (const Split& split : splits_) {
      FoldValues& fold = of_fold_.emplace_back();
      fold.train.assign(split.outside.begin(), split.outside.end());
    }
    for (std::size_t i = 0; i < folds_.size(); ++i)
      if (is_held_out(i)) of_fold_[folds_[i]].test.push_back(static_cast<std::uint32_t>(i));
    const Stopwatch watch(report_.density);
    TermOptions left_out = terms;
    left_out.engine = Engine::counts;
    left_out.feature_mode = FeatureMode::leave_one_out;
    values_.emplace(sample_, splits_, left_out, execution_);
    add_values(std::vector(splits_.size(), singles_));
  }

  PairPath find(std::size_t most) {
    const PathFit none;
    const bool has_linear = linear_count(singles_) > 0;
    const PathFit& linear = has_linear ? fits_[fit_set({.kind = PathSet::linear}, Costs::all)] : none;
    std::size_t single = fit_set({}, Costs::all, &linear);
    const std::size_t sharing = fit_set({.kind = PathSet::sharing}, Costs::all, &fits_[single]);
    const auto [ahead, error] = difference(fits_[single].losses, fits_[sharing].losses);
    if (ahead > 2 * error) single = sharing;
    if (most > 0 && rank_pairs_by(fits_[single])) follow(single, most);
    return choose();
  }

 private:
  /// Values that all folds may have together.
  [[nodiscard]] std::size_t most_values() const {
    constexpr std::size_t bytes_of_value = 2 * sizeof(float);  // regressions have copies
    return options_.bytes == 0 ? most_path_values
                               : std::min(most_path_values, options_.bytes / bytes_of_value);
  }
  /// Rows that are tried: half of the values are for terms of one feature.
  [[nodiscard]] std::size_t most_rows(const LabelledSample& all) const {
    const std::size_t n_folds =
        options_.inner_splits.empty() ? fold_count(all, options_.inner_folds) : options_.inner_splits.size();
    const std::size_t n_values = n_folds * std::max<std::size_t>(single_keys(all, terms_).size(), 1);
    return std::max(fewest_path_rows, std::min(most_path_rows, most_values() / 2 / n_values));
  }

  [[nodiscard]] std::size_t n_classes() const { return sample_.n_classes; }
  [[nodiscard]] bool is_held_out(std::size_t row) const { return folds_[row] < splits_.size(); }

  /// Makes the values of each fold's terms, as far as they are not there yet.
  void add_values(std::span<const std::vector<TermKey>> wanted) {
    std::vector<TermKey> keys;
    std::map<FoldValues::Key, std::size_t> numbers;
    std::vector<std::vector<std::size_t>> columns(splits_.size());
    std::vector<std::vector<TermKey>> made(splits_.size());
    for (std::size_t f = 0; f < splits_.size(); ++f)
      for (const TermKey& key : wanted[f]) {
        if (of_fold_[f].of_term.contains(place_of(key))) continue;
        const auto [number, is_new] = numbers.try_emplace(place_of(key), keys.size());
        if (is_new) keys.push_back(key);
        columns[f].resize(keys.size(), SplitValues::unused);
        columns[f][number->second] = made[f].size();
        made[f].push_back(key);
      }
    for (auto& of_fold : columns) of_fold.resize(keys.size(), SplitValues::unused);
    if (keys.empty()) return;
    auto values = values_->of(keys, columns, execution_);
    for (std::size_t f = 0; f < splits_.size(); ++f) {
      FoldValues& fold = of_fold_[f];
      FloatRows& matrix = fold.matrices.emplace_back(std::move(values[f]));
      const auto variances = scale_terms(made[f], matrix, sample_.weights, options_, execution_).variances;
      for (std::size_t t = 0; t < made[f].size(); ++t)
        fold.of_term[place_of(made[f][t])] = {&matrix, t, variances[t]};
    }
  }

  /// The terms of a set for a fold, or for all rows.
  [[nodiscard]] std::vector<TermKey> keys_of(const PathSet& set, std::size_t view) const {
    std::vector<TermKey> keys = singles_;
    if (set.kind == PathSet::linear) keys.resize(linear_count(singles_));
    for (std::size_t m = 0; m < set.n_pairs; ++m) {
      const FeaturePair& pair = rankings_[set.ranking].of_view[view][m];
      for (std::size_t k = 0; k < n_classes(); ++k)
        keys.push_back({static_cast<std::int32_t>(k), pair.i, pair.j});
    }
    return keys;
  }

  [[nodiscard]] TermRows rows_of_set(const PathSet& set, std::size_t f) const {
    const auto keys = keys_of(set, f);
    std::vector<TermValues> values;
    for (const TermKey& key : keys) values.push_back(of_fold_[f].of_term.at(place_of(key)));
    return {keys, values, labels_, options_, set.kind == PathSet::sharing};
  }

  /// Which costs a set is fitted at, besides that of the set before.
  enum class Costs : std::uint8_t { same, larger, all };

  /// Fits a set without each fold, at the cost of `before` and at `costs`; returns the number of the fit.
  std::size_t fit_set(const PathSet& set, Costs costs, const PathFit* before = nullptr) {
    if (set.n_pairs > 0) {
      const Stopwatch watch(report_.density);
      std::vector<std::vector<TermKey>> wanted;
      for (std::size_t f = 0; f < splits_.size(); ++f) wanted.push_back(keys_of(set, f));
      add_values(wanted);
    }
    const Stopwatch watch(report_.svm);
    const auto rows = rows_by_fold(set);
    PathFit start{.set = set};
    if (before != nullptr) {
      // Terms of one feature without information have a best cost that is too small for pairs.
      start.cost =
          set.n_pairs > 0 && before->set.n_pairs == 0 ? std::max(before->cost, first_cost) : before->cost;
      start.solutions = before->solutions;
    }
    fits_.push_back(fit_cost(start, start.cost, rows));
    improve(fits_.back(), costs, rows);
    return fits_.size() - 1;
  }

  /// Fits a set again at other costs.
  void try_costs(std::size_t number, Costs costs) {
    const Stopwatch watch(report_.svm);
    improve(fits_[number], costs, rows_by_fold(fits_[number].set));
  }

  [[nodiscard]] std::vector<std::optional<TermRows>> rows_by_fold(const PathSet& set) const {
    std::vector<std::optional<TermRows>> rows(splits_.size());
    parallel_for(rows.size(), execution_, {}, [&](std::size_t f) { rows[f] = rows_of_set(set, f); });
    return rows;
  }

  /// Replaces a fit by those of neighbouring costs while the loss falls.
  void improve(PathFit& best, Costs costs, std::span<const std::optional<TermRows>> rows) {
    const std::size_t first = best.cost;
    // Losses of linear terms may fall again.
    const int patience = best.set.kind == PathSet::linear ? 2 : 1;
    for (const bool up : {true, false}) {
      if (costs == Costs::same || (!up && (costs == Costs::larger || best.cost != first))) return;
      int n_worse = 0;
      for (std::size_t cost = first; n_worse < patience && (up ? cost + 1 < path_costs.size() : cost > 0);) {
        cost = up ? cost + 1 : cost - 1;
        PathFit fit = fit_cost(best, cost, rows);
        n_worse = fit.loss < best.loss ? 0 : n_worse + 1;
        if (n_worse == 0) best = std::move(fit);
      }
    }
  }

  /// Fits the set of `warm` at a cost without each fold, starting from its solutions.
  [[nodiscard]] PathFit fit_cost(const PathFit& warm, std::size_t cost,
                                 std::span<const std::optional<TermRows>> rows) {
    PathFit fit{warm.set, cost, std::vector<SoftmaxSolution>(splits_.size()),
                Matrix(sample_.n_rows(), n_classes()), std::vector<double>(sample_.n_rows())};
    parallel_for(splits_.size(), execution_, {}, [&](std::size_t f) {
      const Execution alone{.threads = 1, .stop = execution_.stop};
      FoldValues& fold = of_fold_[f];
      fit.solutions[f] = rows[f]->solve(fold.train, path_costs[cost], sample_.weights, tolerance_of(fit.set),
                                        warm.solutions.empty() ? SoftmaxSolution{} : warm.solutions[f], alone,
                                        &fold.curvature_of(fit.set));
      const Matrix scores = rows[f]->scores(fold.test, fit.solutions[f], alone);
      for (std::size_t i = 0; i < fold.test.size(); ++i) {
        const std::size_t row = fold.test[i];
        for (std::size_t k = 0; k < n_classes(); ++k) fit.scores(row, k) = scores(i, k);
        fit.losses[row] = loss_of(scores, i, sample_.y[row]);
      }
    });
    fit.loss = difference(fit.losses, std::vector<double>(fit.losses.size())).mean;
    return fit;
  }

  static double loss_of(const Matrix& scores, std::size_t i, std::int32_t y) {
    double highest = scores(i, 0);
    for (std::size_t k = 1; k < scores.n_cols; ++k) highest = std::max(highest, scores(i, k));
    double sum = 0;
    for (std::size_t k = 0; k < scores.n_cols; ++k) sum += std::exp(scores(i, k) - highest);
    return std::log(sum) + highest - scores(i, static_cast<std::size_t>(y));
  }

  /// Mean and standard error of the losses a less b of rows held out. A row of weight 2 is two rows.
  [[nodiscard]] MeanDifference difference(std::span<const double> a, std::span<const double> b) const {
    const auto& loss_weights = labels_.loss_weights;
    double total = 0;
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!is_held_out(i)) continue;
      total += loss_weights[i];
      sum += loss_weights[i] * (a[i] - b[i]);
    }
    if (!(total > 0)) return {};
    const double mean = sum / total;
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (is_held_out(i) && loss_weights[i] > 0)
        squares += std::pow(loss_weights[i] * (a[i] - b[i] - mean), 2) / WeightsView(sample_.weights)[i];
    return {mean, std::sqrt(squares) / total};
  }

  /// Probabilities by the terms of one feature: for the last view by models without the row's fold, for the
  /// view of a fold by the model without that, as if it had not been fitted to the row.
  [[nodiscard]] HeldOutChances held_out_chances(const PathFit& single) const {
    const std::size_t n_folds = splits_.size();
    HeldOutChances chances{folds_, n_folds, {}};
    chances.of_view.assign(n_folds + 1, Matrix(sample_.n_rows(), n_classes()));
    chances.of_view.back() = single.scores;
    to_chances(chances.of_view.back());
    parallel_for(n_folds, execution_, {}, [&](std::size_t f) {
      const auto& train = of_fold_[f].train;
      Matrix found = rows_of_set(single.set, f)
                         .left_out_scores(train, path_costs[single.cost], sample_.weights,
                                          single.solutions[f], {.threads = 1, .stop = execution_.stop});
      to_chances(found);
      for (std::size_t k = 0; k < n_classes(); ++k)
        for (std::size_t i = 0; i < train.size(); ++i) chances.of_view[f](train[i], k) = found(i, k);
    });
    return chances;
  }

  /// Ranks the pairs for each fold, with the residuals of a fit of single features; false if there are none.
  bool rank_pairs_by(const PathFit& single) {
    const Stopwatch watch(report_.screen);
    const PairRanking by_hsic = pairs_by_hsic(sample_, terms_, execution_);
    const auto gains = residual_gains(sample_, held_out_chances(single), by_hsic, execution_);
    rankings_ = {{"gain", {}}, {"HSIC", {}}, {"both", {}}};
    const auto in_place = all_rows(by_hsic.size());
    for (const auto& of_view : gains) {
      const auto by_gain = descending(of_view);
      rankings_[0].of_view.push_back(gather(by_hsic, by_gain));
      rankings_[1].of_view.push_back(by_hsic);
      rankings_[2].of_view.push_back(gather(by_hsic, by_better_rank(by_gain, in_place)));
    }
    return !by_hsic.empty();
  }

  /// Fits growing sets by the ranking that begins best.
  void follow(std::size_t single, std::size_t most) {
    const std::size_t n_all = rankings_[0].of_view[0].size();
    const std::size_t affordable = most_values() / (sample_.n_rows() * n_classes() * splits_.size());
    most = std::min({most, n_all, std::max(affordable, first_pairs)});
    PathSet set{.kind = fits_[single].set.kind, .n_pairs = std::min(first_pairs, most)};
    std::size_t last = single;
    // All pairs are the same by any ranking.
    for (set.ranking = 0; set.ranking < (set.n_pairs == n_all ? 1 : rankings_.size()); ++set.ranking) {
      const std::size_t fit = fit_set(set, Costs::same, &fits_[single]);
      if (set.ranking == 0 || fits_[fit].loss < fits_[last].loss) last = fit;
    }
    try_costs(last, Costs::all);
    set = fits_[last].set;
    bool grows = true;
    while (set.n_pairs < most && (grows || n_all <= few_pairs)) {
      set.n_pairs = std::min(2 * set.n_pairs, most);
      const std::size_t before = std::exchange(last, fit_set(set, Costs::larger, &fits_[last]));
      const auto [gain, error] = difference(fits_[before].losses, fits_[last].losses);
      grows = gain > std::min(error, least_share_of_growth * fits_[before].loss);
    }
    std::size_t best = number_of_best();
    if (fits_[best].set.n_pairs == 0) return;
    // What is best without pairs need not be so with them.
    set = fits_[best].set;
    set.kind = set.kind == PathSet::all ? PathSet::sharing : PathSet::all;
    const std::size_t other = fit_set(set, Costs::same, &fits_[best]);
    if (number_of_best() == other) try_costs(best = other, Costs::all);
    set = fits_[best].set;
    set.n_pairs = (std::min(first_pairs, most) + 1) / 2;
    static_cast<void>(fit_set(set, Costs::same, &fits_[best]));
  }

  [[nodiscard]] std::size_t number_of_best() const {
    return static_cast<std::size_t>(std::ranges::min_element(fits_, {}, &PathFit::loss) - fits_.begin());
  }

  /// The smallest set near the best.
  [[nodiscard]] PairPath choose() const {
    const PathFit& best = fits_[number_of_best()];
    const PathFit* kept = &best;
    PairPath path;
    for (const PathFit& fit : fits_) {
      const auto [behind, error] = difference(fit.losses, best.losses);
      path.steps.push_back(
          {name_of_set(fit.set), fit.set.n_pairs, path_costs[fit.cost], fit.loss, behind, error});
      if (behind <= tolerated(fit, error) &&
          std::pair(fit.set.n_pairs, fit.loss) < std::pair(kept->set.n_pairs, kept->loss))
        kept = &fit;
    }
    for (std::size_t m = 0; m < fits_.size(); ++m) path.steps[m].is_kept = &fits_[m] == kept;
    path.is_linear = kept->set.kind == PathSet::linear;
    path.keys = path.is_linear ? singles_ : keys_of(kept->set, splits_.size());
    path.shares_weights = kept->set.kind == PathSet::sharing;
    for (std::size_t cost = std::min(first_cost, kept->cost); cost <= kept->cost; ++cost)
      path.costs.push_back(path_costs[cost]);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < sample_.n_rows(); ++i)
      if (is_held_out(i)) rows.push_back(i);
    path.held_out = {Matrix(rows.size(), n_classes()), gather(sample_.y, rows),
                     weights_of(sample_.weights, rows)};
    for (std::size_t k = 0; k < n_classes(); ++k)
      for (std::size_t i = 0; i < rows.size(); ++i) path.held_out.scores(i, k) = kept->scores(rows[i], k);
    return path;
  }

  /// Loss by which a set may exceed the best, given the standard error of the difference.
  [[nodiscard]] static double tolerated(const PathFit& fit, double error) {
    if (fit.set.n_pairs > 0) return errors_of_few * error;
    return std::min(errors_of_none * error, std::max(error, least_share_of_pairs * fit.loss));
  }

  [[nodiscard]] std::string name_of_set(const PathSet& set) const {
    if (set.kind == PathSet::linear) return "linear";
    std::string name = pairs_name(set.n_pairs);
    if (set.n_pairs > 0) name += " by " + rankings_[set.ranking].name;
    if (set.kind == PathSet::sharing) name += ", shared";
    return name;
  }

  const TermOptions& terms_;
  const WeightOptions& options_;
  const Execution& execution_;
  FitReport& report_;
  LabelledSample sample_;  ///< the rows that are tried
  std::vector<TermKey> singles_;
  std::vector<Split> splits_;
  std::vector<std::size_t> folds_;  ///< the first that holds a row out; the number of folds if none does
  RegressionLabels labels_;
  std::optional<SplitValues> values_;
  std::deque<FoldValues> of_fold_;
  std::vector<PathRanking> rankings_;
  std::deque<PathFit> fits_;
};

}  // namespace

PairPath find_pairs(const LabelledSample& sample, std::size_t most, const TermOptions& terms,
                    const WeightOptions& options, const Execution& execution, FitReport& report) {
  return PathSearch(sample, terms, options, execution, report).find(most);
}

}  // namespace dyad
