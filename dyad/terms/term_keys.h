// Which terms there are, and which rows their densities and weights are fitted to.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/data/labelled_sample.h"
#include "dyad/model/term.h"
#include "dyad/terms/options.h"

namespace dyad {

/// All terms of one feature: classes in order, features in order within.
[[nodiscard]] std::vector<TermKey> univariate_keys(std::size_t n_classes, std::size_t n_features);

/// The numeric features themselves if options.linear_terms, then all terms of one feature.
[[nodiscard]] std::vector<TermKey> single_keys(const LabelledSample& sample, const TermOptions& options);

/// Number of leading keys that are features themselves.
[[nodiscard]] std::size_t linear_count(std::span<const TermKey> keys);

/// `keys`, then `more`.
[[nodiscard]] std::vector<TermKey> with_more(std::vector<TermKey> keys, std::span<const TermKey> more);

/// Offset subtracted from the values of the term x_j so that single precision holds them.
///
/// The mean, or 0 for features in coordinates, which have mean 0.
[[nodiscard]] double linear_offset(const LabelledSample& sample, std::size_t j, const TermOptions& options);

/// The smallest value of a term: the log of options.floor in units of the standard deviations of its
/// features.
///
/// `log_spread` holds the logs of those of all features.
[[nodiscard]] double floor_of(const TermKey& key, const TermOptions& options,
                              std::span<const double> log_spread);

/// True if rows can be left out of their own density for this term: its features are not constant.
///
/// The value of a constant feature would depend only on whether the row is left out, which reveals the class
/// of training rows but not of new ones.
[[nodiscard]] bool can_leave_own_out(const LabelledSample& sample, const TermKey& key);

/// Number of folds that a sample is dealt into: `wanted`, or as many as it has rows.
[[nodiscard]] std::size_t fold_count(const LabelledSample& sample, int wanted);

/// The rows that densities are estimated from and those that weights are fitted to.
///
/// All and all, or the two halves of FeatureMode::split; the single row of a class is in both halves.
struct RowSplit {
  std::vector<std::size_t> density_rows;
  std::vector<std::size_t> weight_rows;
};
[[nodiscard]] RowSplit row_split(const LabelledSample& sample, const TermOptions& options);

/// The feature mode that `auto` chooses.
///
/// cross_fit for three classes or more of at most 10 000 rows, all in memory; leave_one_out otherwise: among
/// more rows a single one does not matter.
[[nodiscard]] FeatureMode settled_feature_mode(FeatureMode mode, std::size_t n_classes, std::size_t n_rows,
                                               bool is_part);

}  // namespace dyad
