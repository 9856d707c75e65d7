// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/exact_terms.h"

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/data/folds.h"
#include "dyad/data/summary.h"
#include "dyad/density/pseudo_rows.h"

namespace dyad {
namespace {

Density fit_density(const Matrix& X, const TermKey& key, BandwidthRule rule) {
  if (key.i == key.j) return fit_kde1d(X.column(key.i), rule);
  return fit_kde2d(X.column(key.i), X.column(key.j), rule);
}

/// Replaces the values of the class's own rows by those without their own kernel.
void leave_own_out(const LabelledSample& sample, const Term& term, std::span<double> values) {
  const auto own = rows_where(sample.n_rows(), [&](std::size_t i) { return sample.y[i] == term.class_code; });
  const auto x = gather(sample.X.column(term.i), own);
  const auto y = gather(sample.X.column(term.j), own);
  std::vector<double> without(own.size());
  if (const auto* kde = std::get_if<Kde1d>(&term.density))
    log_density_without_own(*kde, x, without);
  else
    log_density_without_own(std::get<Kde2d>(term.density), x, y, without);
  if (term.prior_rows > 0)
    mix_in_pseudo_rows(term.prior_rows, std::max(term.n_rows - 1, 1e-9), x,
                       term.is_pair() ? y : std::vector<double>(), without);
  for (std::size_t k = 0; k < own.size(); ++k) values[own[k]] = std::max(without[k], term.floor);
}

/// `values`, which are those of densities of all rows, with those of each row in a fold from densities of the
/// other folds.
Matrix cross_fitted_values(const LabelledSample& sample, std::span<const TermKey> keys, Matrix values,
                           const TermOptions& options, const Execution& execution, FitReport& report) {
  const std::size_t n_folds = fold_count(sample, options.cross_fit_folds);
  const auto folds = stratified_folds(sample.y, n_folds, options.seed);
  for (std::size_t fold = 0; fold < n_folds; ++fold) {
    const Split split = split_at(folds, fold);
    std::vector<Term> terms;
    {
      const Stopwatch watch(report.density);
      terms = fit_terms(rows_of(sample, split.outside), keys, options, execution);
    }
    const Stopwatch watch(report.features);
    const Matrix part = term_values(terms, rows_of(sample, split.inside).X, execution);
    for (std::size_t t = 0; t < keys.size(); ++t)
      for (std::size_t k = 0; k < split.inside.size(); ++k) values(split.inside[k], t) = part(k, t);
  }
  return values;
}

}  // namespace

std::vector<Term> fit_terms(const LabelledSample& sample, std::span<const TermKey> keys,
                            const TermOptions& options, const Execution& execution) {
  std::vector<Matrix> classes;
  for (std::size_t c = 0; c < sample.n_classes; ++c)
    classes.push_back(rows_of_class(sample, static_cast<std::int32_t>(c)));
  std::vector<double> log_spread;
  for (std::size_t j = 0; j < sample.n_features(); ++j)
    log_spread.push_back(std::log(positive_spread(sample.X.column(j))));

  std::vector<Term> terms(keys.size());
  parallel_for(keys.size(), execution, "densities", [&](std::size_t t) {
    const TermKey& key = keys[t];
    Term& term = terms[t];
    if (key.is_linear()) {
      term = linear_term(key.i);
      return;
    }
    term = {key};
    term.density = fit_density(classes[static_cast<std::size_t>(key.class_code)], key, options.bandwidth);
    term.n_rows = static_cast<double>(classes[static_cast<std::size_t>(key.class_code)].n_rows);
    term.prior_rows = options.prior_rows;
    term.floor = floor_of(key, options, log_spread);
  });
  return terms;
}

Matrix leave_one_out_values(const LabelledSample& sample, std::span<const Term> terms, Matrix values,
                            const Execution& execution) {
  parallel_for(terms.size(), execution, {}, [&](std::size_t t) {
    const Term& term = terms[t];
    if (!term.is_linear() && can_leave_own_out(sample, term)) leave_own_out(sample, term, values.column(t));
  });
  return values;
}

Matrix left_out_values(const LabelledSample& sample, std::span<const Term> terms,
                       std::span<const std::size_t> rows, const Execution& execution) {
  const LabelledSample some = rows_of(sample, rows);
  Matrix values = term_values(terms, some.X, execution);
  parallel_for(terms.size(), execution, {}, [&](std::size_t t) {
    if (terms[t].is_density() && can_leave_own_out(sample, terms[t]))
      leave_own_out(some, terms[t], values.column(t));
  });
  return values;
}

TrainingFeatures training_features(const LabelledSample& sample, std::span<const TermKey> keys,
                                   const TermOptions& options, const Execution& execution,
                                   FitReport& report) {
  const RowSplit halves = row_split(sample, options);
  TrainingFeatures result;
  result.rows = halves.weight_rows;
  {
    const Stopwatch watch(report.density);
    result.terms = fit_terms(rows_of(sample, halves.density_rows), keys, options, execution);
  }
  {
    const Stopwatch watch(report.features);
    result.values = term_values(result.terms, rows_of(sample, halves.weight_rows).X, execution);
  }
  if (options.feature_mode == FeatureMode::cross_fit)
    result.values = cross_fitted_values(sample, keys, std::move(result.values), options, execution, report);
  const Stopwatch watch(report.features);
  if (options.feature_mode == FeatureMode::leave_one_out)
    result.values = leave_one_out_values(sample, result.terms, std::move(result.values), execution);
  return result;
}

}  // namespace dyad
