// From rows to T(x): which log densities a model has, and their values for the rows it is trained on (paper, eq. 5).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/fit_options.h"
#include "dyad/model/model.h"

namespace dyad {

/// How a fit went: the seconds spent on each step, whether the SVMs of the result were solved to the tolerance, and what the pairs were
/// chosen by.
struct FitReport {
  double screen = 0;
  double density = 0;  ///< of the counts engine with the values of training rows
  double features = 0;
  double svm = 0;
  bool converged = true;        ///< always of averages, whose SVMs are rough on purpose
  double gap = 0;               ///< the largest duality gap, as a share of the objective
  std::int64_t iterations = 0;  ///< the most that an SVM took
  std::vector<double> hsic;     ///< of each pair that SLB keeps, in the order of the terms
};

/// The term log p_y(x_i, x_j), or log p_y(x_i) where i = j; x_i if the class is no_class.
struct TermKey {
  std::int32_t class_code = 0;
  std::size_t i = 0;
  std::size_t j = 0;

  bool operator==(const TermKey&) const = default;
  [[nodiscard]] bool is_pair() const { return i != j; }
  [[nodiscard]] bool is_linear() const { return class_code == no_class; }
};

/// All terms of one feature: classes in order, features in order within.
[[nodiscard]] std::vector<TermKey> univariate_keys(std::size_t n_classes, std::size_t n_features);

/// The same, after the features that are numbers themselves if options.linear_terms.
[[nodiscard]] std::vector<TermKey> single_keys(const LabelledSample& sample, const FitOptions& options);

/// What is taken off the values of the term x_j for single precision to hold them: the mean, or 0 for features in coordinates, which have
/// that mean.
[[nodiscard]] double linear_offset(const LabelledSample& sample, std::size_t j, const FitOptions& options);

/// Number of folds that a sample is dealt into: as many as wanted, or as it has rows.
[[nodiscard]] std::size_t fold_count(const LabelledSample& sample, int wanted);

/// The rows that densities are estimated from and the rows that weights are fitted to: all and all, or the two halves of
/// FeatureMode::split; the single row of a class has both.
struct RowSplit {
  std::vector<std::size_t> density_rows;
  std::vector<std::size_t> weight_rows;
};
[[nodiscard]] RowSplit row_split(const LabelledSample& sample, const FitOptions& options);

/// Densities of the given terms, estimated from all rows of `sample`; weights and centres are left open.
[[nodiscard]] std::vector<Term> fit_terms(const LabelledSample& sample, std::span<const TermKey> places,
                                          const FitOptions& options, const Execution& execution);

/// Whether rows can be left out of their own density for this term. Not where its features are constant: whether a row is left out would
/// be all that its value depends on, so that training rows tell their classes and new rows do not.
[[nodiscard]] bool can_leave_own_out(const LabelledSample& sample, const TermKey& place);

/// `values` (n x n_terms, of all rows of `sample`, which the terms were fitted to) with each row's own kernel left out.
[[nodiscard]] Matrix leave_one_out_values(const LabelledSample& sample, std::span<const Term> terms,
                                          Matrix values, const Execution& execution);

/// What a weight fit starts from.
struct TrainingFeatures {
  std::vector<Term> terms;        ///< for new rows
  Matrix values;                  ///< n x n_terms: T(x) of the training rows, by options.feature_mode
  std::vector<std::size_t> rows;  ///< row i of `values` is row rows[i] of the sample
};
[[nodiscard]] TrainingFeatures training_features(const LabelledSample& sample,
                                                 std::span<const TermKey> places, const FitOptions& options,
                                                 const Execution& execution, FitReport& report);

}  // namespace dyad
