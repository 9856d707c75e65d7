// Values of features as people read them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/model/model.h"

namespace dyad {

/// What stands for the levels of a category that have no name of their own.
inline constexpr const char* other_levels = "(all others)";

/// Writes values of one feature: the name of a level, or a number with six digits, or as many as tell a 10
/// 000th of the range of `points_of` apart. The model has to outlive it.
class ValueText {
 public:
  ValueText(const Model& model, std::size_t feature);

  /// The value is not missing.
  [[nodiscard]] std::string operator()(double value) const;

 private:
  const Levels* levels_ = nullptr;  ///< of a category
  double resolution_ = 0;
};

}  // namespace dyad
