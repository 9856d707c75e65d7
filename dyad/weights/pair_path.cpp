// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/pair_path.h"

#include <map>

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/linear/softmax.h"
#include "dyad/linear/standardisation.h"
#include "dyad/pairs/residual_gain.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/weights/averaging.h"
#include "dyad/weights/inner_splits.h"
#include "dyad/weights/single_weights.h"

namespace dyad {
namespace {

constexpr std::array<double, 5> path_costs{0.1, 1, 10, 100, 1000};
constexpr std::size_t most_path_rows = 4000;
constexpr std::size_t most_path_values = 50'000'000;
constexpr std::size_t first_pairs = 5;
/// Sets without a lower loss after which a path ends, unless all pairs are few.
constexpr std::size_t path_patience = 2;
constexpr std::size_t few_pairs = 50;
/// Standard errors by which a model without pairs may be behind.
constexpr double errors_of_none = 2;
/// Pairs of largest HSIC that have a chance where there are more.
constexpr std::size_t most_candidates = 5000;

using PairRanking = std::vector<FeaturePair>;

/// The rankings of one kind: by each fold's other rows, then by all.
struct PathRanking {
  std::string name;
  std::vector<PairRanking> of_view;
};

/// Regressions of one set of terms without each fold.
struct PathFit {
  std::size_t n_pairs = 0;
  std::size_t ranking = 0;
  std::size_t cost = 0;                    ///< number in path_costs
  std::vector<SoftmaxSolution> solutions;  ///< by fold
  std::vector<double> losses;              ///< of rows held out
  double loss = 0;
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

/// The pairs of features that vary, largest HSIC of any class first.
PairRanking candidates_by_hsic(const LabelledSample& sample, std::span<const RankedPair> ranked) {
  std::vector<bool> varies;
  for (std::size_t j = 0; j < sample.n_features(); ++j) varies.push_back(!is_constant(sample, j));
  PairRanking result;
  std::vector<bool> has(pair_count(sample.n_features()));
  for (const RankedPair& pair : ranked) {
    const std::size_t number = pair_index(pair.key.i, pair.key.j, sample.n_features());
    if (has[number] || !varies[pair.key.i] || !varies[pair.key.j]) continue;
    has[number] = true;
    result.push_back({pair.key.i, pair.key.j});
    if (result.size() == most_candidates) break;
  }
  return result;
}

/// The rows of a fold's regressions: values are from the densities of the rows that it trains on.
struct FoldValues {
  using Key = std::tuple<std::int32_t, std::size_t, std::size_t>;
  /// Place of the values of a pair's term, and their variance.
  struct Column {
    std::size_t batch = 0;
    std::size_t column = 0;
    double variance = 0;
  };

  std::vector<std::uint32_t> train;
  SoftmaxRows single;      ///< terms of one feature, linear ones in all classes
  double single_norm = 0;  ///< mean over classes of the sum of their variances
  std::vector<FloatRows> batches;
  std::map<Key, Column> columns;

  [[nodiscard]] const Column& column(std::size_t k, const FeaturePair& pair) const {
    return columns.at({static_cast<std::int32_t>(k), pair.i, pair.j});
  }
};

/// The sample and everything that all sets share.
class PathSearch {
 public:
  PathSearch(const LabelledSample& all, const TermOptions& terms, const WeightOptions& options,
             const Execution& execution, FitReport& report)
      : terms_(terms), options_(options), execution_(execution), report_(report) {
    terms_.engine = Engine::counts;
    terms_.feature_mode = FeatureMode::leave_one_out;
    SampledRows few = sampled_rows(all, most_path_rows);
    sample_ = rows_of(all, few.rows);
    sample_.weights = std::move(few.weights);
    splits_ = inner_splits_among(few.rows, sample_, options);
    folds_.assign(sample_.n_rows(), splits_.size());
    for (std::size_t f = splits_.size(); f-- > 0;)
      for (const std::size_t row : splits_[f].inside) folds_[row] = f;
    loss_weights_ =
        class_weighted(weights_of(sample_.weights, all_rows(sample_.n_rows())), sample_.y, sample_.n_classes,
                       options.class_weight_values, options.class_weights == ClassWeights::balanced);
    for (const Split& split : splits_) of_fold_.push_back(fold_values(split, execution));
  }

  PairPath find(std::span<const RankedPair> ranked, std::size_t most) {
    std::vector<PathFit> fits;
    fits.push_back(fit_set(0, 0, {}));
    const PairRanking candidates = candidates_by_hsic(sample_, ranked);
    if (!candidates.empty() && most > 0) {
      rank(candidates, fits.front());
      for (std::size_t r = 0; r < rankings_.size(); ++r) follow(r, most, fits);
    }
    return choose(fits);
  }

 private:
  [[nodiscard]] std::size_t n_classes() const { return sample_.n_classes; }
  [[nodiscard]] bool is_held_out(std::size_t row) const { return folds_[row] < splits_.size(); }

  /// Values of terms by the densities of the rows outside a split, centred and in the units of the penalty;
  /// `variances` gets those of the columns.
  FloatRows values_of(std::span<const TermKey> keys, const Split& split, const Execution& execution,
                      std::vector<double>& variances) const {
    const std::vector<std::vector<std::size_t>> columns{all_rows(keys.size())};
    FloatRows values =
        std::move(counts_split_values(sample_, keys, {&split, 1}, columns, terms_, execution).front());
    Standardisation scaling = standardisation_of(values, execution, sample_.weights);
    for (std::size_t t = 0; t < keys.size(); ++t) {
      const double deviation = scaling.scale[t];
      if (deviation > 0) scaling.scale[t] = unit_of_term(deviation, keys[t].is_linear(), options_);
      variances.push_back(deviation > 0 ? std::pow(deviation / scaling.scale[t], 2) : 0);
    }
    apply(scaling, values, execution);
    return values;
  }

  /// The rows of a split with the terms of one feature.
  [[nodiscard]] FoldValues fold_values(const Split& split, const Execution& execution) const {
    const auto keys = single_keys(sample_, terms_);
    std::vector<double> variances;
    const FloatRows values = values_of(keys, split, execution, variances);
    FoldValues result{{split.outside.begin(), split.outside.end()}, {}, 0, {}, {}};
    for (std::size_t k = 0; k < n_classes(); ++k) {
      std::vector<std::size_t> columns;
      for (std::size_t t = 0; t < keys.size(); ++t)
        if (keys[t].is_linear() || keys[t].class_code == static_cast<std::int32_t>(k)) columns.push_back(t);
      FloatRows& own = result.single.own.emplace_back(sample_.n_rows(), columns.size());
      for (std::size_t i = 0; i < sample_.n_rows(); ++i)
        for (std::size_t t = 0; t < columns.size(); ++t) own.row(i)[t] = values.row(i)[columns[t]];
      for (const std::size_t t : columns)
        result.single_norm += variances[t] / static_cast<double>(n_classes());
    }
    result.single.y = sample_.y;
    result.single.loss_weights = loss_weights_;
    return result;
  }

  /// Regression of the rows `train`; `squared_norm` is the mean of a row's.
  [[nodiscard]] SoftmaxSolution solve(const SoftmaxRows& rows, std::span<const std::uint32_t> train,
                                      double squared_norm, double C, const SoftmaxSolution& warm) const {
    double n = 0;
    for (const std::uint32_t row : train) n += WeightsView(sample_.weights)[row];
    const double unit = options_.term_scale == TermScale::none ? 1 : std::max(squared_norm, 1e-12);
    std::vector<std::size_t> n_cols;
    for (const FloatRows& own : rows.own) n_cols.push_back(own.n_cols());
    return solve_softmax(rows, train, n_cols, {.C = C / unit * n, .tolerance = 1e-3, .max_steps = 40}, warm,
                         {.threads = 1, .stop = execution_.stop});
  }

  /// Probabilities of some rows.
  static Matrix chances_of(const SoftmaxRows& rows, std::span<const std::uint32_t> some,
                           const SoftmaxSolution& solution) {
    Matrix chances = softmax_scores(rows, some, solution, {.threads = 1});
    to_chances(chances);
    return chances;
  }

  /// Fits the first pairs of a ranking without each fold, at the cost of `before` and at larger ones while
  /// the loss falls.
  PathFit fit_set(std::size_t n_pairs, std::size_t ranking, const PathFit& before) {
    std::vector<SoftmaxRows> with_pairs(n_pairs == 0 ? 0 : splits_.size());
    std::vector<double> norms;
    for (const FoldValues& fold : of_fold_) norms.push_back(fold.single_norm);
    for (std::size_t f = 0; f < with_pairs.size(); ++f) {
      const std::span pairs(rankings_[ranking].of_view[f].data(), n_pairs);
      with_pairs[f] = rows_with(of_fold_[f], pairs);
      for (const FeaturePair& pair : pairs)
        for (std::size_t k = 0; k < n_classes(); ++k)
          norms[f] += of_fold_[f].column(k, pair).variance / static_cast<double>(n_classes());
    }
    PathFit best;
    for (std::size_t cost = before.cost; cost < path_costs.size(); ++cost) {
      PathFit fit{n_pairs, ranking, cost, std::vector<SoftmaxSolution>(splits_.size()),
                  std::vector<double>(sample_.n_rows())};
      const auto& starts = best.solutions.empty() ? before.solutions : best.solutions;
      parallel_for(splits_.size(), execution_, {}, [&](std::size_t f) {
        const SoftmaxRows& rows = n_pairs == 0 ? of_fold_[f].single : with_pairs[f];
        fit.solutions[f] = solve(rows, of_fold_[f].train, norms[f], path_costs[cost],
                                 starts.empty() ? SoftmaxSolution{} : starts[f]);
        const auto test = rows_of_fold(f);
        const Matrix chances = chances_of(rows, test, fit.solutions[f]);
        for (std::size_t i = 0; i < test.size(); ++i)
          fit.losses[test[i]] =
              -std::log(std::max(chances(i, static_cast<std::size_t>(sample_.y[test[i]])), 1e-12));
      });
      fit.loss = difference(fit.losses, std::vector<double>(fit.losses.size())).mean;
      if (!best.solutions.empty() && !(fit.loss < best.loss)) break;
      best = std::move(fit);
    }
    return best;
  }

  [[nodiscard]] std::vector<std::uint32_t> rows_of_fold(std::size_t f) const {
    std::vector<std::uint32_t> rows;
    for (std::size_t i = 0; i < folds_.size(); ++i)
      if (folds_[i] == f) rows.push_back(static_cast<std::uint32_t>(i));
    return rows;
  }

  /// Mean and standard error of the losses a less b of rows held out. A row of weight 2 is two rows.
  [[nodiscard]] MeanDifference difference(std::span<const double> a, std::span<const double> b) const {
    double total = 0;
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (!is_held_out(i)) continue;
      total += loss_weights_[i];
      sum += loss_weights_[i] * (a[i] - b[i]);
    }
    if (!(total > 0)) return {};
    const double mean = sum / total;
    double squares = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      if (is_held_out(i) && loss_weights_[i] > 0)
        squares += std::pow(loss_weights_[i] * (a[i] - b[i] - mean), 2) / WeightsView(sample_.weights)[i];
    return {mean, std::sqrt(squares) / total};
  }

  /// Probabilities by the terms of one feature, of models without the row's fold, and without another one,
  /// too, where these leave rows of every class. `single` are the models without one fold.
  [[nodiscard]] HeldOutChances held_out_chances(const PathFit& single) const {
    const std::size_t n_folds = splits_.size();
    HeldOutChances chances{folds_, n_folds, {}};
    chances.of_view.assign(n_folds + 1, Matrix(sample_.n_rows(), n_classes()));
    const auto set = [&](std::size_t fold, std::size_t view, const SoftmaxRows& rows,
                         const SoftmaxSolution& solution) {
      const auto some = rows_of_fold(fold);
      const Matrix found = chances_of(rows, some, solution);
      for (std::size_t k = 0; k < n_classes(); ++k)
        for (std::size_t i = 0; i < some.size(); ++i) chances.of_view[view](some[i], k) = found(i, k);
    };
    struct Folds {
      std::size_t f, g;
    };
    std::vector<Folds> pairs;
    for (std::size_t f = 0; f < n_folds; ++f) {
      set(f, n_folds, of_fold_[f].single, single.solutions[f]);
      for (std::size_t g = f + 1; g < n_folds; ++g) pairs.push_back({f, g});
    }
    const Execution alone{.threads = 1, .stop = execution_.stop};
    parallel_for(pairs.size(), execution_, {}, [&](std::size_t m) {
      const auto [f, g] = pairs[m];
      Split split;
      std::ranges::set_union(splits_[f].inside, splits_[g].inside, std::back_inserter(split.inside));
      std::ranges::set_intersection(splits_[f].outside, splits_[g].outside,
                                    std::back_inserter(split.outside));
      if (!has_every_class(split.outside)) {
        set(f, g, of_fold_[f].single, single.solutions[f]);
        set(g, f, of_fold_[g].single, single.solutions[g]);
        return;
      }
      const FoldValues both = fold_values(split, alone);
      const SoftmaxSolution solution =
          solve(both.single, both.train, both.single_norm, path_costs[single.cost], single.solutions[f]);
      set(f, g, both.single, solution);
      set(g, f, both.single, solution);
    });
    return chances;
  }

  [[nodiscard]] bool has_every_class(std::span<const std::size_t> rows) const {
    std::vector<bool> has(n_classes());
    for (const std::size_t row : rows) has[static_cast<std::size_t>(sample_.y[row])] = true;
    return std::ranges::find(has, false) == has.end();
  }

  void rank(const PairRanking& by_hsic, const PathFit& single) {
    const Stopwatch watch(report_.screen);
    const auto gains = residual_gains(sample_, held_out_chances(single), by_hsic, execution_);
    rankings_ = {{"gain", {}}, {"HSIC", {}}, {"both", {}}};
    const auto in_place = all_rows(by_hsic.size());
    for (const auto& of_view : gains) {
      const auto by_gain = descending(of_view);
      rankings_[0].of_view.push_back(gather(by_hsic, by_gain));
      rankings_[1].of_view.push_back(by_hsic);
      rankings_[2].of_view.push_back(gather(by_hsic, by_better_rank(by_gain, in_place)));
    }
  }

  /// Adds fits of growing sets by one ranking.
  void follow(std::size_t ranking, std::size_t most, std::vector<PathFit>& fits) {
    const std::size_t n_all = rankings_[ranking].of_view[0].size();
    const std::size_t affordable = most_path_values / (sample_.n_rows() * n_classes() * splits_.size());
    most = std::min(most, std::max(affordable, few_pairs));
    std::size_t last = 0;
    double least = fits[0].loss;
    std::size_t n_idle = 0;
    for (std::size_t wanted = first_pairs; n_idle < path_patience || n_all <= few_pairs; wanted *= 2) {
      const std::size_t n_pairs = std::min({wanted, n_all, most});
      // All pairs are the same by any ranking.
      if (n_pairs == fits[last].n_pairs || (ranking > 0 && n_pairs == n_all)) return;
      add_values(ranking, n_pairs);
      fits.push_back(fit_set(n_pairs, ranking, fits[last]));
      last = fits.size() - 1;
      n_idle = fits[last].loss < least ? 0 : n_idle + 1;
      least = std::min(least, fits[last].loss);
    }
  }

  /// Makes the values of each fold's first pairs, as far as they are not there yet.
  void add_values(std::size_t ranking, std::size_t n_pairs) {
    const Stopwatch watch(report_.density);
    for (std::size_t f = 0; f < splits_.size(); ++f) {
      FoldValues& fold = of_fold_[f];
      std::vector<TermKey> keys;
      for (const FeaturePair& pair : std::span(rankings_[ranking].of_view[f].data(), n_pairs))
        for (std::size_t k = 0; k < n_classes(); ++k) {
          const TermKey key{static_cast<std::int32_t>(k), pair.i, pair.j};
          const FoldValues::Column column{fold.batches.size(), keys.size()};
          if (fold.columns.try_emplace({key.class_code, key.i, key.j}, column).second) keys.push_back(key);
        }
      if (keys.empty()) continue;
      std::vector<double> variances;
      fold.batches.push_back(values_of(keys, splits_[f], execution_, variances));
      for (std::size_t t = 0; t < keys.size(); ++t)
        fold.columns[{keys[t].class_code, keys[t].i, keys[t].j}].variance = variances[t];
    }
  }

  /// The rows of a fold with terms of one feature, then of pairs.
  [[nodiscard]] SoftmaxRows rows_with(const FoldValues& fold, std::span<const FeaturePair> pairs) const {
    SoftmaxRows rows{{}, {}, fold.single.y, fold.single.loss_weights};
    for (std::size_t k = 0; k < n_classes(); ++k) {
      const FloatRows& single = fold.single.own[k];
      FloatRows& own = rows.own.emplace_back(sample_.n_rows(), single.n_cols() + pairs.size());
      std::vector<FoldValues::Column> columns;
      for (const FeaturePair& pair : pairs) columns.push_back(fold.column(k, pair));
      for (std::size_t i = 0; i < sample_.n_rows(); ++i) {
        const auto to = std::ranges::copy(single.row(i), own.row(i).begin()).out;
        for (std::size_t t = 0; t < columns.size(); ++t)
          to[static_cast<std::ptrdiff_t>(t)] = fold.batches[columns[t].batch].row(i)[columns[t].column];
      }
    }
    return rows;
  }

  /// The smallest set near the best.
  [[nodiscard]] PairPath choose(std::span<const PathFit> fits) const {
    const PathFit& best = *std::ranges::min_element(fits, {}, &PathFit::loss);
    const PathFit* kept = &best;
    PairPath path;
    for (const PathFit& fit : fits) {
      const auto [behind, error] = difference(fit.losses, best.losses);
      std::string name = pairs_name(fit.n_pairs);
      if (fit.n_pairs > 0) name += " by " + rankings_[fit.ranking].name;
      path.steps.push_back({std::move(name), fit.n_pairs, path_costs[fit.cost], fit.loss, behind, error});
      const double tolerated = (fit.n_pairs == 0 ? errors_of_none : 1) * error;
      if (behind <= tolerated && std::pair(fit.n_pairs, fit.loss) < std::pair(kept->n_pairs, kept->loss))
        kept = &fit;
    }
    if (kept->n_pairs == 0) return path;
    const PairRanking& by_all = rankings_[kept->ranking].of_view.back();
    path.pairs.assign(by_all.begin(), by_all.begin() + static_cast<std::ptrdiff_t>(kept->n_pairs));
    return path;
  }

  TermOptions terms_;
  const WeightOptions& options_;
  const Execution& execution_;
  FitReport& report_;
  LabelledSample sample_;  ///< the rows that are tried
  std::vector<Split> splits_;
  std::vector<std::size_t> folds_;  ///< the first that holds a row out; the number of folds if none does
  std::vector<double> loss_weights_;
  std::vector<FoldValues> of_fold_;
  std::vector<PathRanking> rankings_;
};

}  // namespace

PairPath find_pairs(const LabelledSample& sample, std::span<const RankedPair> ranked, std::size_t most,
                    const TermOptions& terms, const WeightOptions& options, const Execution& execution,
                    FitReport& report) {
  return PathSearch(sample, terms, options, execution, report).find(ranked, most);
}

}  // namespace dyad
