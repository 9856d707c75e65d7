// Values that changes of a row may lead to, and predictions along one of its features.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/explanation/internal/partial_model.h"
#include "dyad/model/model.h"

namespace dyad::internal {

inline constexpr std::size_t n_values_tried = 65;
inline constexpr int n_halvings = 30;

/// Values of a feature that a change may lead to.
struct FlipCandidates {
  std::vector<double> values;     ///< as tables have them, ascending, or codes of levels
  std::vector<double> positions;  ///< shares of the range in the model's coordinate; empty for levels
  double low = 0;                 ///< least and largest number
  double high = 0;
  bool is_whole = false;
};

/// Levels by name, or numbers between the least and the largest of the training rows.
///
/// Numbers are evenly spaced in the model's coordinate, and the nodes of counts. Where the rows are not known
/// they are those of `points_of`.
[[nodiscard]] FlipCandidates flip_candidates(const Model& model, std::size_t feature);

/// The place of a value in the range of the candidates; NaN if it is missing.
[[nodiscard]] double position_of(const Model& model, std::size_t feature, const FlipCandidates& candidates,
                                 double value);

/// Scores and predictions of one row as functions of one feature.
class Along {
 public:
  /// `part` holds the terms with the feature, `row_scores` are the row's.
  Along(const Model& model, const PartialModel& part, std::size_t feature, const MatrixView& X,
        std::size_t row, const Matrix& row_scores);

  [[nodiscard]] double own_value() const { return row_(0, own_); }
  [[nodiscard]] Matrix scores_at(std::span<const double> values) const;
  [[nodiscard]] std::vector<std::int32_t> predictions(std::span<const double> values) const;

 private:
  const Model& model_;
  const PartialModel& part_;
  std::size_t own_;
  Matrix row_;
  Matrix other_scores_;
};

}  // namespace dyad::internal
