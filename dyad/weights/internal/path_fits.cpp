// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/internal/path_fits.h"

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/linear/chances.h"
#include "dyad/model/model.h"
#include "dyad/weights/inner_splits.h"
#include "dyad/weights/single_weights.h"

namespace dyad::internal {
namespace {

constexpr std::array<double, 15> path_costs{0.01, 0.03, 0.1, 0.3, 1,   3,   10, 30,
                                            100,  300,  1e3, 3e3, 1e4, 3e4, 1e5};
constexpr std::size_t first_path_cost = 4;
constexpr std::size_t most_path_rows = 3000;
constexpr std::size_t fewest_path_rows = 500;
constexpr std::size_t most_path_values = 50'000'000;

std::size_t most_values(std::size_t bytes) {
  constexpr std::size_t bytes_of_value = 2 * sizeof(float);  // regressions have copies
  return bytes == 0 ? most_path_values : std::min(most_path_values, bytes / bytes_of_value);
}

/// Losses of sets differ by more than what tighter solutions would change; linear terms alone are few.
RegressionEnd end_of(const PathSet& set) {
  return {.tolerance = set.kind == PathSet::linear ? 2e-4 : 1e-3, .small_steps = 1};
}

constexpr double table_tolerance = 3e-2;

/// Costs are tried further while the loss falls by this share.
constexpr double least_fall = 3e-3;

/// The options, with a number of folds.
///
/// Densities without a fold have fewer rows than those of the model. That matters to small tables, which can
/// afford more folds.
WeightOptions with_folds(WeightOptions options, const LabelledSample& all) {
  constexpr std::size_t few_rows = 2000;
  if (options.inner_folds == 0) options.inner_folds = all.n_rows() <= few_rows ? 5 : 3;
  return options;
}

FoldValues::Key place_of(const TermKey& key) { return {key.class_code, key.i, key.j}; }

}  // namespace

SoftmaxCurvature& FoldValues::curvature_of(const PathSet& set) {
  if (set.n_pairs == 0) return of_singles_;
  const std::pair wanted(set.ranking, set.kind == PathSet::trees);
  if (pairs_ != wanted) of_pairs_ = of_singles_;
  pairs_ = wanted;
  return of_pairs_;
}

PathFits::PathFits(const LabelledSample& all, const TermOptions& terms, const WeightOptions& options,
                   const Execution& execution, FitReport& report)
    : terms_(terms), options_(with_folds(options, all)), execution_(execution), report_(report) {
  const std::size_t n_rows = most_rows(all, options_.bytes);
  if (n_rows < std::min(most_rows(all, 0), all.n_rows())) reduced_rows_ = n_rows;
  SampledRows few = sampled_rows(all, n_rows);
  sample_ = rows_of(all, few.rows);
  sample_.weights = std::move(few.weights);
  singles_ = single_keys(sample_, terms_);
  splits_ = inner_splits_among(few.rows, sample_, options_);
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
  TermOptions left_out = terms;
  left_out.engine = Engine::counts;
  left_out.feature_mode = FeatureMode::leave_one_out;
  values_.emplace(sample_, splits_, left_out, execution_);
  add_values(std::vector(splits_.size(), singles_));
}

bool PathFits::has_linear_terms() const { return linear_count(singles_) > 0; }

/// Rows that are tried: half of the values are for terms of one feature.
std::size_t PathFits::most_rows(const LabelledSample& all, std::size_t bytes) const {
  const std::size_t n_values =
      inner_fold_count(all, options_) * std::max<std::size_t>(single_keys(all, terms_).size(), 1);
  return std::max(fewest_path_rows, std::min(most_path_rows, most_values(bytes) / 2 / n_values));
}

std::size_t PathFits::affordable_pairs(std::size_t bytes) const {
  return most_values(bytes) / 2 / (sample_.n_rows() * n_classes() * splits_.size());
}

std::vector<TermKey> PathFits::keys_of(const PathSet& set, std::size_t view) const {
  std::vector<TermKey> keys = singles_;
  if (set.kind == PathSet::linear) keys.resize(linear_count(singles_));
  if (set.kind == PathSet::trees) return with_more(std::move(keys), trees_[view]);
  for (const FeaturePair& pair : pairs_of_set(set, view))
    for (std::size_t k = 0; k < n_classes(); ++k)
      keys.push_back({static_cast<std::int32_t>(k), pair.i, pair.j});
  return keys;
}

std::span<const FeaturePair> PathFits::pairs_of_set(const PathSet& set, std::size_t view) const {
  if (set.n_pairs == 0) return {};
  return std::span(rankings_[set.ranking].of_view[view]).first(set.n_pairs);
}

bool PathFits::can_have_tables() const {
  constexpr std::size_t most_bins = 10'000'000;
  return sample_.n_features() * sample_.n_rows() * splits_.size() <= most_bins;
}

/// Makes the bins of each fold, if they are not there yet.
void PathFits::add_bins() {
  if (of_fold_.front().bins) return;
  const SortedRows sorted = sorted_rows(sample_, execution_);
  for (FoldValues& fold : of_fold_) {
    std::vector<double> loss_weights(sample_.n_rows());
    for (const std::uint32_t row : fold.train) loss_weights[row] = labels_.loss_weights[row];
    fold.bins = feature_bins(sample_, sorted, loss_weights, execution_);
  }
}

double PathFits::cost_of(const PathFit& fit) { return path_costs[fit.cost]; }

/// Makes the values of each fold's terms, as far as they are not there yet.
void PathFits::add_values(std::span<const std::vector<TermKey>> wanted) {
  const Stopwatch watch(report_.density);
  std::vector<TermKey> keys;
  std::map<FoldValues::Key, std::size_t> numbers;
  std::vector<std::vector<std::size_t>> columns(splits_.size());
  std::vector<std::vector<TermKey>> made(splits_.size());
  for (std::size_t f = 0; f < splits_.size(); ++f) {
    std::ranges::copy_if(wanted[f], std::back_inserter(made[f]),
                         [&](const TermKey& key) { return !of_fold_[f].of_term.contains(place_of(key)); });
    // Regressions have the terms of a class side by side.
    std::ranges::stable_sort(made[f], {}, &TermKey::class_code);
    for (std::size_t t = 0; t < made[f].size(); ++t) {
      const auto [number, is_new] = numbers.try_emplace(place_of(made[f][t]), keys.size());
      if (is_new) keys.push_back(made[f][t]);
      columns[f].resize(keys.size(), SplitValues::unused);
      columns[f][number->second] = t;
    }
  }
  for (auto& of_fold : columns) of_fold.resize(keys.size(), SplitValues::unused);
  if (keys.empty()) return;
  auto values = values_->of(keys, columns, execution_);
  for (std::size_t f = 0; f < splits_.size(); ++f) {
    if (made[f].empty()) continue;
    FoldValues& fold = of_fold_[f];
    FloatRows& matrix = fold.matrices.emplace_back(std::move(values[f]));
    const auto variances = scale_terms(made[f], matrix, sample_.weights, options_, execution_).variances;
    for (std::size_t t = 0; t < made[f].size(); ++t)
      fold.of_term[place_of(made[f][t])] = {&matrix, t, variances[t]};
  }
}

TermRows PathFits::rows_of_set(const PathSet& set, std::size_t f) const {
  const auto keys = keys_of(set, f);
  std::vector<TermValues> values;
  for (const TermKey& key : keys) values.push_back(of_fold_[f].of_term.at(place_of(key)));
  return {keys, values, labels_, options_};
}

const PathFits::RowsByFold& PathFits::rows_by_fold(const PathSet& set) {
  if (!set_of_rows_ || !set.has_same_terms(*set_of_rows_)) {
    rows_.clear();
    rows_.resize(splits_.size());
    parallel_for(rows_.size(), execution_, {}, [&](std::size_t f) {
      if (set.kind != PathSet::tables) {
        rows_[f].terms = rows_of_set(set, f);
        return;
      }
      const FoldValues& fold = of_fold_[f];
      const auto pairs = pairs_of_set(set, f);
      rows_[f].train = table_rows(*fold.bins, pairs, fold.train, sample_, labels_.loss_weights);
      rows_[f].test = table_rows(*fold.bins, pairs, fold.test, sample_, labels_.loss_weights);
    });
  }
  set_of_rows_ = set;
  if (set.kind != PathSet::tables)
    parallel_for(rows_.size(), execution_, {},
                 [&](std::size_t f) { rows_[f].terms->share_weights(set.shares_weights()); });
  return rows_;
}

PathFit PathFits::fit(const PathSet& set, Costs costs, const PathFit* before) {
  if (set.kind == PathSet::tables) {
    add_bins();
  } else if (set.n_pairs > 0) {
    std::vector<std::vector<TermKey>> wanted;
    for (std::size_t f = 0; f < splits_.size(); ++f) wanted.push_back(keys_of(set, f));
    add_values(wanted);
  }
  const Stopwatch watch(report_.svm);
  const RowsByFold& rows = rows_by_fold(set);
  PathFit start{.set = set, .cost = first_path_cost};
  if (before != nullptr) {
    // Terms of one feature without information have a best cost that is too small for pairs.
    const bool adds_pairs = set.n_pairs > 0 && before->set.n_pairs == 0;
    start.cost = adds_pairs ? std::max(before->cost, first_path_cost) : before->cost;
    if (set.kind != PathSet::tables) start.solutions = before->solutions;
    if (set.kind == before->set.kind) start.tables = before->tables;
  }
  PathFit best = at_cost(start, start.cost, rows);
  improve(best, costs, rows);
  return best;
}

void PathFits::improve(PathFit& fit, Costs costs) {
  const Stopwatch watch(report_.svm);
  improve(fit, costs, rows_by_fold(fit.set));
}

void PathFits::improve(PathFit& best, Costs costs, const RowsByFold& rows) {
  const std::size_t first = best.cost;
  best.costs_tried.insert(first);
  // Losses of linear terms may fall again.
  const int patience = best.set.kind == PathSet::linear ? 2 : 1;
  for (const bool up : {true, false}) {
    if (costs == Costs::same || (!up && best.cost != first)) return;
    int n_worse = 0;
    for (std::size_t cost = first; n_worse < patience && (up ? cost + 1 < path_costs.size() : cost > 0);) {
      cost = up ? cost + 1 : cost - 1;
      if (has_to_end(execution_, report_) || !best.costs_tried.insert(cost).second) break;
      PathFit fit = at_cost(best, cost, rows);
      n_worse = fit.loss < (1 - least_fall) * best.loss ? 0 : n_worse + 1;
      if (fit.loss < best.loss) {
        fit.costs_tried = std::move(best.costs_tried);
        best = std::move(fit);
      }
    }
  }
}

Matrix PathFits::fit_fold(std::size_t f, const PathFit& warm, const FoldRows& rows, PathFit& fit) {
  const Execution alone{.threads = 1, .stop = execution_.stop};
  FoldValues& fold = of_fold_[f];
  if (fit.set.kind == PathSet::tables) {
    fit.tables[f] = solve_tables(rows.train, {.variance = cost_of(fit), .tolerance = table_tolerance},
                                 warm.tables.empty() ? TableSolution{} : warm.tables[f], alone);
    return table_scores(rows.test, fit.tables[f]);
  }
  fit.solutions[f] = rows.terms->solve(fold.train, cost_of(fit), sample_.weights, end_of(fit.set),
                                       warm.solutions.empty() ? SoftmaxSolution{} : warm.solutions[f], alone,
                                       &fold.curvature_of(fit.set));
  return rows.terms->scores(fold.test, fit.solutions[f], alone);
}

/// Fits the set of `warm` at a cost without each fold, starting from its solutions.
PathFit PathFits::at_cost(const PathFit& warm, std::size_t cost, const RowsByFold& rows) {
  PathFit fit{.set = warm.set,
              .cost = cost,
              .solutions = std::vector<SoftmaxSolution>(splits_.size()),
              .tables = std::vector<TableSolution>(splits_.size()),
              .scores = Matrix(sample_.n_rows(), n_classes()),
              .losses = std::vector<double>(sample_.n_rows())};
  parallel_for(splits_.size(), execution_, {}, [&](std::size_t f) {
    const Matrix scores = fit_fold(f, warm, rows[f], fit);
    const auto& test = of_fold_[f].test;
    Matrix chances(test.size(), n_classes());
    std::vector<double> log_sums(test.size());
    to_chances(scores, chances, log_sums);
    for (std::size_t i = 0; i < test.size(); ++i) {
      const std::size_t row = test[i];
      for (std::size_t k = 0; k < n_classes(); ++k) fit.scores(row, k) = scores(i, k);
      fit.losses[row] = log_sums[i] - scores(i, static_cast<std::size_t>(sample_.y[row]));
    }
  });
  fit.loss = difference(fit.losses, std::vector<double>(fit.losses.size())).mean;
  return fit;
}

MeanDifference PathFits::difference(std::span<const double> a, std::span<const double> b) const {
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

ScoreMean PathFits::mean_of(std::span<const PathFit* const> fits) const {
  std::vector<const Matrix*> scores;
  for (const PathFit* const fit : fits) scores.push_back(&fit->scores);
  std::vector<double> loss_weights = labels_.loss_weights;
  for (std::size_t i = 0; i < loss_weights.size(); ++i)
    if (!is_held_out(i)) loss_weights[i] = 0;
  return fit_score_mean(scores, sample_.y, loss_weights);
}

HeldOutRows PathFits::held_out(const Matrix& scores) const {
  const auto rows = rows_where(sample_.n_rows(), [this](std::size_t i) { return is_held_out(i); });
  return {gather(scores, rows), gather(sample_.y, rows), weights_of(sample_.weights, rows)};
}

HeldOutChances PathFits::held_out_chances(const PathFit& single) {
  const std::size_t n_folds = splits_.size();
  const RowsByFold& rows = rows_by_fold(single.set);
  HeldOutChances chances{folds_, n_folds, {}};
  chances.of_view.assign(n_folds + 1, Matrix(sample_.n_rows(), n_classes()));
  std::vector<double> log_sums(sample_.n_rows());
  to_chances(single.scores, chances.of_view.back(), log_sums);
  parallel_for(n_folds, execution_, {}, [&](std::size_t f) {
    const auto& train = of_fold_[f].train;
    Matrix found =
        rows[f].terms->left_out_scores(train, path_costs[single.cost], sample_.weights, single.solutions[f],
                                       {.threads = 1, .stop = execution_.stop});
    std::vector<double> log_sums_of_fold(train.size());
    to_chances(found, found, log_sums_of_fold);
    for (std::size_t k = 0; k < n_classes(); ++k)
      for (std::size_t i = 0; i < train.size(); ++i) chances.of_view[f](train[i], k) = found(i, k);
  });
  return chances;
}

}  // namespace dyad::internal
