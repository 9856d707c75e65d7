// The smallest changes of one feature, or of two, that change a prediction.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/model/model.h"

namespace dyad {

/// A value for a feature: a number, or the code of a level.
struct FeatureValue {
  std::size_t feature = 0;
  double value = 0;
};

/// With this value of the feature in place of its own, the model predicts another class for a row.
struct Flip {
  std::size_t feature = 0;
  double value = 0;     ///< a number, or the code of a level
  double distance = 0;  ///< from the row's value in the model's coordinate, as a share of the training
                        ///< range; 1 to another level, or from a missing value; of two features the sum
  std::int32_t class_code = 0;         ///< that is predicted then
  std::optional<FeatureValue> second;  ///< of a further feature that has to change as well
};

/// The nearest flip of each row of X (as for `scores`) by each feature that is not `immutable`, nearest
/// first. A row without any gets up to five flips by two features.
///
/// Numbers stay within the range of the training rows, are whole where all of those were, and categories
/// change to levels with a name. Numbers are tried at 65 points and at the nodes of `RowCounts`, and what
/// lies between the last that does not flip and the first that does is halved 30 times: a narrower island of
/// another class may be overlooked. Models without `RowCounts` have the range of `points_of`. O(100 terms of
/// the feature) a row and feature.
///
/// Two features are tried at all pairs of such values: the features of the 400 pairs of terms with the
/// largest weights, and any two of the 24 features that come closest alone. Where none flips, finer grids
/// about the four closest are tried. O(10 000) sums a row and pair of features.
[[nodiscard]] std::vector<std::vector<Flip>> nearest_flips(const Model& model, const MatrixView& X,
                                                           const Execution& execution = {},
                                                           std::span<const std::size_t> immutable = {});

}  // namespace dyad
