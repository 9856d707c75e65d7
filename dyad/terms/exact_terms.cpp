// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/exact_terms.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/data/folds.h"
#include "dyad/data/summary.h"
#include "dyad/density/pseudo_rows.h"

namespace dyad {
namespace {

Density fit_density(const Matrix& X, const TermKey& place, BandwidthRule rule) {
  if (place.i == place.j) return fit_kde1d(X.column(place.i), rule);
  return fit_kde2d(X.column(place.i), X.column(place.j), rule);
}

std::vector<std::size_t> all_rows(std::size_t n) {
  std::vector<std::size_t> rows(n);
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  return rows;
}

/// Replaces the values of the class's own rows by those without their own kernel.
void leave_own_out(const LabelledSample& sample, const Term& term, std::span<double> values) {
  std::vector<std::size_t> own;
  std::vector<double> x;
  std::vector<double> y;
  for (std::size_t i = 0; i < sample.y.size(); ++i) {
    if (sample.y[i] != term.class_code) continue;
    own.push_back(i);
    x.push_back(sample.X(i, term.i));
    y.push_back(sample.X(i, term.j));
  }
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

/// `values`, which are those of densities of all rows, with those of each row in a fold from densities of the other folds.
Matrix cross_fitted_values(const LabelledSample& sample, std::span<const TermKey> places, Matrix values,
                           const FitOptions& options, const Execution& execution, FitReport& report) {
  const std::size_t n_folds = fold_count(sample, options.cross_fit_folds);
  const auto folds = stratified_folds(sample.y, n_folds, options.seed);
  for (std::size_t fold = 0; fold < n_folds; ++fold) {
    const Split split = split_at(folds, fold);
    std::vector<Term> terms;
    {
      const Stopwatch watch(report.density);
      terms = fit_terms(rows_of(sample, split.outside), places, options, execution);
    }
    const Stopwatch watch(report.features);
    const Matrix part = term_values(terms, rows_of(sample, split.inside).X, execution);
    for (std::size_t t = 0; t < places.size(); ++t)
      for (std::size_t k = 0; k < split.inside.size(); ++k) values(split.inside[k], t) = part(k, t);
  }
  return values;
}

}  // namespace

bool can_leave_own_out(const LabelledSample& sample, const TermKey& place) {
  return !is_constant(sample, place.i) || !is_constant(sample, place.j);
}

std::size_t fold_count(const LabelledSample& sample, int wanted) {
  return std::min(static_cast<std::size_t>(wanted), sample.n_rows());
}

std::vector<TermKey> univariate_keys(std::size_t n_classes, std::size_t n_features) {
  std::vector<TermKey> places;
  for (std::size_t c = 0; c < n_classes; ++c)
    for (std::size_t j = 0; j < n_features; ++j) places.push_back({static_cast<std::int32_t>(c), j, j});
  return places;
}

std::vector<TermKey> single_keys(const LabelledSample& sample, const FitOptions& options) {
  std::vector<TermKey> places;
  for (std::size_t j = 0; options.linear_terms && j < sample.n_features(); ++j)
    if (!sample.is_categorical(j)) places.push_back({no_class, j, j});
  const auto univariate = univariate_keys(sample.n_classes, sample.n_features());
  places.insert(places.end(), univariate.begin(), univariate.end());
  return places;
}

double linear_offset(const LabelledSample& sample, std::size_t j, const FitOptions& options) {
  if (options.transform != Transform::none) return 0;
  const auto rows = rows_with_value(sample.X.column(j));
  return mean(gather(sample.X.column(j), rows), gather(sample.weights, rows));
}

RowSplit row_split(const LabelledSample& sample, const FitOptions& options) {
  if (options.feature_mode != FeatureMode::split)
    return {all_rows(sample.n_rows()), all_rows(sample.n_rows())};
  const auto folds = stratified_folds(sample.y, 2, options.seed);
  RowSplit halves;
  for (std::size_t i = 0; i < folds.size(); ++i) {
    if (folds[i] != 1) halves.density_rows.push_back(i);
    if (folds[i] != 0) halves.weight_rows.push_back(i);
  }
  return halves;
}

std::vector<Term> fit_terms(const LabelledSample& sample, std::span<const TermKey> places,
                            const FitOptions& options, const Execution& execution) {
  std::vector<Matrix> classes;
  for (std::size_t c = 0; c < sample.n_classes; ++c)
    classes.push_back(rows_of_class(sample, static_cast<std::int32_t>(c)));
  std::vector<double> log_spread;
  for (std::size_t j = 0; j < sample.n_features(); ++j)
    log_spread.push_back(std::log(positive_spread(sample.X.column(j))));

  std::vector<Term> terms(places.size());
  parallel_for(places.size(), execution, "densities", [&](std::size_t t) {
    const TermKey& place = places[t];
    Term& term = terms[t];
    if (place.is_linear()) {
      term = linear_term(place.i);
      return;
    }
    term.class_code = place.class_code;
    term.i = place.i;
    term.j = place.j;
    term.density = fit_density(classes[static_cast<std::size_t>(place.class_code)], place, options.bandwidth);
    term.n_rows = static_cast<double>(classes[static_cast<std::size_t>(place.class_code)].n_rows);
    term.prior_rows = options.prior_rows;
    term.floor = std::log(options.floor) - log_spread[place.i] - (term.is_pair() ? log_spread[place.j] : 0);
  });
  return terms;
}

Matrix leave_one_out_values(const LabelledSample& sample, std::span<const Term> terms, Matrix values,
                            const Execution& execution) {
  parallel_for(terms.size(), execution, {}, [&](std::size_t t) {
    const Term& term = terms[t];
    if (!term.is_linear() && can_leave_own_out(sample, {term.class_code, term.i, term.j}))
      leave_own_out(sample, term, values.column(t));
  });
  return values;
}

TrainingFeatures training_features(const LabelledSample& sample, std::span<const TermKey> places,
                                   const FitOptions& options, const Execution& execution, FitReport& report) {
  const RowSplit halves = row_split(sample, options);
  TrainingFeatures result;
  result.rows = halves.weight_rows;
  {
    const Stopwatch watch(report.density);
    result.terms = fit_terms(rows_of(sample, halves.density_rows), places, options, execution);
  }
  {
    const Stopwatch watch(report.features);
    result.values = term_values(result.terms, rows_of(sample, halves.weight_rows).X, execution);
  }
  if (options.feature_mode == FeatureMode::cross_fit)
    result.values = cross_fitted_values(sample, places, std::move(result.values), options, execution, report);
  const Stopwatch watch(report.features);
  if (options.feature_mode == FeatureMode::leave_one_out)
    result.values = leave_one_out_values(sample, result.terms, std::move(result.values), execution);
  return result;
}

}  // namespace dyad
