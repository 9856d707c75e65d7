// How good predictions are.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>

#include "dyad/base/matrix_view.h"

namespace dyad {

/// counts[a][b]: rows of class a that were predicted to be of class b.
using Confusion = std::vector<std::vector<std::size_t>>;

[[nodiscard]] Confusion confusion(std::span<const std::int32_t> y, std::span<const std::int32_t> predicted,
                                  std::size_t n_classes);

/// Share of rows predicted wrongly.
[[nodiscard]] double error_rate(const Confusion& counts);

/// Mean over the classes present of the share of their rows predicted wrongly (BER; paper, section 5.2).
[[nodiscard]] double balanced_error_rate(const Confusion& counts);

/// The area under the curve of the columns of `scores` (one for two classes, else one a class, comparable
/// from row to row): the mean over the classes present of each class against the rest.
[[nodiscard]] double mean_area_under_curve(const Matrix& scores, std::span<const std::int32_t> y,
                                           std::size_t n_classes);

/// Mean of costs(y, predicted) over the rows counted.
[[nodiscard]] double mean_cost(const Confusion& counts, const Matrix& costs);

/// Rows whose predicted probability lies in one of ten bins of equal width.
struct ReliabilityBin {
  std::size_t rows = 0;
  double predicted = 0;  ///< sum of the probabilities
  double observed = 0;   ///< number of rows for which what was predicted came true

  bool operator==(const ReliabilityBin&) const = default;
};
using Reliability = std::array<ReliabilityBin, 10>;

/// The bins of the probability of the second of two classes, or of the most probable of more, the first of
/// equals. A probability between two bins belongs to the upper.
[[nodiscard]] Reliability reliability(const Matrix& probabilities, std::span<const std::int32_t> y);

/// Adds the rows of other bins.
void add(Reliability& sum, const Reliability& part);

/// Expected calibration error (ECE): the mean over rows of |mean predicted - share observed| of their bin.
[[nodiscard]] double calibration_error(const Reliability& bins);

/// Predicting the most frequent class, and the shares of the classes as probabilities, for every row.
struct Baseline {
  std::size_t class_code = 0;  ///< the first of equals
  double error = 0;
  double log_loss = 0;
};

/// The baseline of training rows, counted by class, on rows of classes y. Its AUC is 0.5.
[[nodiscard]] Baseline baseline_of(std::span<const double> class_rows, std::span<const std::int32_t> y);

/// Mean of -log p(true class), probabilities limited to at least 1e-15.
[[nodiscard]] double log_loss(const Matrix& probabilities, std::span<const std::int32_t> y);

}  // namespace dyad
