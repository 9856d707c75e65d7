// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/path_weights.h"

#include <optional>

#include "dyad/base/gather.h"
#include "dyad/terms/term_keys.h"
#include "dyad/weights/class_calibration.h"
#include "dyad/weights/table_cells.h"
#include "dyad/weights/term_rows.h"

namespace dyad {
namespace {

constexpr double final_tolerance = 1e-4;
constexpr double final_table_tolerance = 1e-3;

double log_sum_of_exponentials(std::span<const double> values) {
  const double highest = std::ranges::max(values);
  double sum = 0;
  for (const double value : values) sum += std::exp(value - highest);
  return highest + std::log(sum);
}

/// The second row or column of two less the first: the single score of two classes.
Matrix second_row_less_first(const Matrix& weights) {
  Matrix result(1, weights.n_cols);
  for (std::size_t t = 0; t < weights.n_cols; ++t) result(0, t) = weights(1, t) - weights(0, t);
  return result;
}

Matrix second_column_less_first(const Matrix& scores) {
  Matrix result(scores.n_rows, 1);
  for (std::size_t i = 0; i < scores.n_rows; ++i) result(i, 0) = scores(i, 1) - scores(i, 0);
  return result;
}

std::vector<double> loss_weights_of(std::span<const std::int32_t> y, std::vector<double> weights,
                                    std::size_t n_classes, const WeightOptions& options) {
  return class_weighted(std::move(weights), y, n_classes, options.class_weight_values,
                        options.class_weights == ClassWeights::balanced);
}

/// Logarithms of the classes' shares, by weight; -infinity for a class without rows.
std::vector<double> prior_scores(std::span<const std::int32_t> y, std::span<const double> loss_weights,
                                 std::size_t n_classes) {
  std::vector<double> sums(n_classes);
  for (std::size_t i = 0; i < y.size(); ++i) sums[static_cast<std::size_t>(y[i])] += loss_weights[i];
  const double total = std::accumulate(sums.begin(), sums.end(), 0.0);
  for (double& sum : sums) sum = std::log(sum / total);
  return sums;
}

/// Scores that are shrunk towards those of the classes' shares: slope s + offsets.
struct Shrinkage {
  double slope = 1;
  std::vector<double> offsets;  ///< by class
};

/// Finds the slope at which the rows are likeliest, and shrinks by the evidence that the scores say more than
/// the classes' shares.
///
/// With g the mean loss of the shares less that of the scores and e its standard error over rows, scores keep
/// the part 1 - (e / g)^2, a hundredth at least. A class without held-out rows, or scores beyond any
/// evidence, leave them as they are.
Shrinkage shrinkage_of(const HeldOutRows& held_out, std::span<const double> loss_weights) {
  const auto& [scores, y, weights] = held_out;
  const auto prior = prior_scores(y, loss_weights, scores.n_cols);
  const double slope = fit_softmax_slope(scores, std::vector<double>(scores.n_cols), y, loss_weights);
  double total = 0;
  double sum = 0;
  std::vector<double> gains(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    std::vector<double> row(scores.n_cols);
    for (std::size_t k = 0; k < row.size(); ++k) row[k] = slope * scores(i, k);
    const auto own = static_cast<std::size_t>(y[i]);
    gains[i] = row[own] - log_sum_of_exponentials(row) - prior[own];
    total += loss_weights[i];
    sum += loss_weights[i] * gains[i];
  }
  const double mean = sum / total;
  if (!std::isfinite(mean) || std::ranges::any_of(prior, [](double p) { return !std::isfinite(p); }))
    return {slope, std::vector<double>(scores.n_cols)};
  double squares = 0;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (loss_weights[i] > 0) squares += std::pow(loss_weights[i] * (gains[i] - mean), 2) / weights[i];
  constexpr double least = 0.01;  // a model keeps its terms, and the novelty of rows by their densities
  const double doubt = std::sqrt(squares) / (total * mean);
  const double kept = mean > 0 && doubt < 1 ? std::max(1 - doubt * doubt, least) : least;
  Shrinkage result{kept * slope, prior};
  for (double& offset : result.offsets) offset *= 1 - kept;
  return result;
}

/// Fits the members of densities and adds their weights of scaled terms.
void add_densities(const TrainingRows& rows, std::span<const TermKey> keys, const PairPath& path,
                   std::span<const double> variances, const RegressionLabels& labels,
                   const WeightOptions& options, const Execution& execution, FittedWeights& result) {
  std::vector<TermValues> values;
  for (std::size_t t = 0; t < keys.size(); ++t) values.push_back({&rows.values, t, variances[t]});
  const auto all = all_rows<std::uint32_t>(rows.y.size());
  // Consecutive members with the same terms share their rows.
  std::vector<std::size_t> terms;
  std::optional<TermRows> term_rows;
  SoftmaxCurvature curvature;
  SoftmaxSolution solution;
  for (const PathMember& member : path.members) {
    if (auto own = member.terms_among(keys); !term_rows || own != terms) {
      terms = std::move(own);
      term_rows.reset();
      term_rows.emplace(gather(keys, terms), gather(values, terms), labels, options, execution);
      curvature = {};
      solution = {};
    }
    term_rows->share_weights(member.shares_weights);
    solution = term_rows->solve(all, member.cost, rows.weights, {.tolerance = final_tolerance}, solution,
                                execution, &curvature);
    const Matrix weights = term_rows->weights(solution);
    for (std::size_t k = 0; k < labels.n_classes; ++k) {
      result.intercepts[k] += member.share * solution.intercepts[k];
      for (std::size_t m = 0; m < terms.size(); ++m)
        result.weights(k, terms[m]) += member.share * weights(k, m);
    }
    result.iterations = std::max(result.iterations, solution.steps);
  }
}

/// Adds the values of a table to those of the same features and class, or as a further term.
void add_table(Term term, std::vector<Term>& tables) {
  const TermKey& key = term;
  const auto same = std::ranges::find(tables, key);
  if (same == tables.end()) {
    tables.push_back(std::move(term));
    return;
  }
  auto& sums = std::get<FreeTable>(same->density).values;
  const auto& values = std::get<FreeTable>(term.density).values;
  std::ranges::transform(sums, values, sums.begin(), std::plus<>());
}

/// Fits the members of free tables; adds their intercepts, and their tables times a slope as terms.
void add_tables(const TrainingRows& rows, const PairPath& path, const LabelledSample& sample,
                std::span<const double> loss_weights, double slope, const Execution& execution,
                FittedWeights& result) {
  if (path.tables.empty()) return;
  constexpr std::size_t most_of_tables = 100'000;
  std::vector<double> of_sample(sample.n_rows());
  std::vector<std::uint32_t> some;
  for (const std::size_t k : evenly_spaced(rows.rows.size(), most_of_tables)) {
    some.push_back(static_cast<std::uint32_t>(rows.rows[k]));
    of_sample[rows.rows[k]] = loss_weights[k];
  }
  const FeatureBins bins = feature_bins(sample, sorted_rows(sample, execution), of_sample, execution);
  for (const TableMember& member : path.tables) {
    const TableSolution solution =
        solve_tables(table_rows(bins, member.pairs, some, sample, of_sample),
                     {.variance = member.variance, .tolerance = final_table_tolerance}, {}, execution);
    for (std::size_t k = 0; k < sample.n_classes; ++k)
      result.intercepts[k] += slope * member.share * solution.intercepts[k];
    for (Term& term : table_terms(bins, member.pairs, solution, slope * member.share))
      add_table(std::move(term), result.tables);
  }
}

}  // namespace

FittedWeights fit_path_weights(TrainingRows& rows, std::span<const TermKey> keys, const PairPath& path,
                               const LabelledSample& sample, const WeightOptions& options,
                               const Execution& execution) {
  const std::size_t n_classes = sample.n_classes;
  const ScaledTerms scaled = scale_terms(keys, rows.values, rows.weights, options, execution);
  const RegressionLabels labels{
      rows.y, loss_weights_of(rows.y, weights_of(rows.weights, all_rows(rows.y.size())), n_classes, options),
      n_classes};
  FittedWeights result{.weights = Matrix(n_classes, keys.size()),
                       .centres = scaled.standardisation.centre,
                       .intercepts = std::vector<double>(n_classes)};
  add_densities(rows, keys, path, scaled.variances, labels, options, execution, result);

  const auto& [held_out_scores, y, weights] = path.held_out;
  const auto [slope, offsets] = shrinkage_of(path.held_out, loss_weights_of(y, weights, n_classes, options));
  Matrix scores = held_out_scores;
  for (std::size_t k = 0; k < n_classes; ++k) {
    for (double& score : scores.column(k)) score = slope * score + offsets[k];
    result.intercepts[k] = slope * result.intercepts[k] + offsets[k];
  }
  for (std::size_t t = 0; t < keys.size(); ++t) {
    const double scale = scaled.standardisation.scale[t];
    for (std::size_t k = 0; k < n_classes; ++k)
      result.weights(k, t) = scale > 0 ? slope * result.weights(k, t) / scale : 0;
  }
  add_tables(rows, path, sample, labels.loss_weights, slope, execution, result);
  if (n_classes == 2) {
    result.weights = second_row_less_first(result.weights);
    result.intercepts = {result.intercepts[1] - result.intercepts[0]};
    scores = second_column_less_first(scores);
  }
  // The score of two classes is the log odds of probabilities already, unless costs count classes otherwise.
  const ProbabilityRule& probability = options.probability;
  if (probability.calibration != CalibrationRule::platt || n_classes > 2 || probability.has_costs)
    result.calibrations = fit_calibrations(scores, y, weights, n_classes, probability);
  return result;
}

}  // namespace dyad
