// Numbers as a report's document has them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <utility>

#include "dyad/report/packed.h"

namespace dyad::internal {

using Json = nlohmann::ordered_json;

/// As text; bytes that are no UTF-8 become the sign for that.
inline std::string dumped(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A number to so many digits; what is not finite becomes null.
inline Json rounded(double value, int digits) {
  if (!std::isfinite(value)) return nullptr;
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return std::strtod(text.data(), nullptr);
}

/// More digits than a picture shows.
inline Json short_number(double value) { return rounded(value, 5); }

/// Enough for sums of contributions to agree.
inline Json long_number(double value) { return rounded(value, 10); }

inline Json short_numbers(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(short_number(value));
  return list;
}

inline Json packed_json(std::span<const double> values) {
  Packed numbers = packed(values);
  return {{"low", numbers.low}, {"high", numbers.high}, {"data", std::move(numbers.data)}};
}

}  // namespace dyad::internal
