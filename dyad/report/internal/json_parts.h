// Numbers as a report's document has them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <ranges>
#include <utility>

#include "dyad/base/gather.h"
#include "dyad/base/text.h"
#include "dyad/data/values.h"
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
  return parse_number(rounded_text(value, digits), value) ? Json(value) : Json();
}

/// More digits than a picture shows.
inline Json short_number(double value) { return rounded(value, 5); }

/// Enough for sums of contributions to agree.
inline Json long_number(double value) { return rounded(value, 10); }

/// A list of what `entry` makes of each value.
template <std::ranges::input_range Values, class Entry>
Json list_of(const Values& values, const Entry& entry) {
  Json list = Json::array();
  for (const auto& value : values) list.push_back(std::invoke(entry, value));
  return list;
}

/// A list of what `entry` makes of 0, 1, .. n - 1.
template <class Entry>
Json list_of(std::size_t n, const Entry& entry) {
  return list_of(all_rows(n), entry);
}

inline Json short_numbers(std::span<const double> values) { return list_of(values, short_number); }

inline Json packed_json(std::span<const double> values) {
  Packed numbers = packed(values);
  return {{"low", numbers.low}, {"high", numbers.high}, {"data", std::move(numbers.data)}};
}

}  // namespace dyad::internal
