// Which features of a model depend on each other in rows of a class: why pairs are kept, and what TAN would
// keep.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/pairs.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/model/model.h"

namespace dyad {

/// Pairs of some features within one class, in the order of `pair_index`.
struct ClassDependence {
  std::size_t n_rows = 0;
  std::vector<double> hsic;  ///< NaN with fewer than four rows
  std::vector<double> q;     ///< q-values among these pairs
};

/// Dependence within each class, from at most `most_rows` evenly spaced rows of it among those of X (as for
/// `scores`, in the model's coordinates), whose classes are y. Always by counts.
[[nodiscard]] std::vector<ClassDependence> dependence_of(const Model& model, const MatrixView& X,
                                                         std::span<const std::int32_t> y,
                                                         std::span<const std::size_t> features,
                                                         std::size_t most_rows,
                                                         const Execution& execution = {});

/// HSIC of each term of two features, in the order of the terms, over the rows of its class, as a fit by the
/// model's engine computes it.
///
/// The rows have the model's features, levels and classes; their values are not in coordinates.
[[nodiscard]] std::vector<double> hsic_of_terms(const Model& model, LabelledSample rows,
                                                const Execution& execution = {});

/// TAN's tree over these features in each class, found from at most `most_rows` rows of it, as for
/// `dependence_of`. None in a class with fewer than four rows.
[[nodiscard]] std::vector<std::vector<FeaturePair>> trees_of(const Model& model, const MatrixView& X,
                                                             std::span<const std::int32_t> y,
                                                             std::span<const std::size_t> features,
                                                             std::size_t most_rows,
                                                             const Execution& execution = {});

}  // namespace dyad
