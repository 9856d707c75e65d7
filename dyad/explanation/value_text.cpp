// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/value_text.h"

#include "dyad/base/text.h"
#include "dyad/explanation/shapes.h"

namespace dyad {

ValueText::ValueText(const Model& model, std::size_t feature) {
  if (!is_number(model, feature)) {
    levels_ = &model.levels[feature];
    return;
  }
  const auto points = points_of(model, feature, 2);
  resolution_ = 1e-4 * (points[1] - points[0]);
}

std::string ValueText::operator()(double value) const {
  if (levels_ != nullptr) {
    const auto code = static_cast<std::size_t>(value);
    return code < levels_->names.size() ? levels_->names[code] : other_levels;
  }
  const auto digits_before = [](double size) { return static_cast<int>(std::floor(std::log10(size))) + 1; };
  constexpr double longest = 1e12;  // larger numbers have an exponent
  int digits = 6;
  const double size = std::abs(value);
  if (resolution_ > 0 && size > resolution_) digits = std::max(digits, digits_before(size / resolution_));
  if (size >= 1 && size < longest) digits = std::max(digits, digits_before(size));
  return rounded_text(value, std::min(digits, 17));
}

}  // namespace dyad
