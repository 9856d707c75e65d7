// The log likelihood ratios of NB and TAN as linear functions of the terms that they are made of.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/float_rows.h"
#include "dyad/data/row_weights.h"
#include "dyad/pairs/nested_terms.h"

namespace dyad {

/// sum_k weights[k] (value of term columns[k])
struct LinearForm {
  std::vector<std::size_t> columns;
  std::vector<double> weights;
};

/// The weight that lemma 1 of the paper gives each term in the log likelihood of its class, if the pairs
/// among them are the edges of a forest in each class: 1, less the number of edges at a feature.
[[nodiscard]] std::vector<double> likelihood_weights(std::span<const TermKey> keys);

/// The means over some rows of each class of the values of all terms: n_terms x n_classes.
[[nodiscard]] Matrix class_means(const FloatRows& values, std::span<const std::uint32_t> rows,
                                 std::span<const std::int32_t> y, const WeightsView& weights,
                                 std::size_t n_classes);

/// NB and TAN.
using GenerativeForms = std::array<LinearForm, 2>;

/// Forms of each score: the log likelihood of its class less the mean of those of the others.
///
/// The trees have the largest mutual information, which is estimated from `means` of log densities; edges
/// without mutual information are left out.
[[nodiscard]] std::vector<GenerativeForms> generative_forms(const NestedTerms& terms, const Matrix& means,
                                                            std::size_t n_classes);

}  // namespace dyad
