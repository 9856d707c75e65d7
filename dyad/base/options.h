// Options structs declare name, allowed values and help of each field once; everybody else walks that list.
//
//   struct KdeOptions {
//     double floor = 1e-16;
//     static void describe(auto& o, auto&& field) {
//       field("floor", o.floor, positive, "densities below this count as this");
//     }
//   };
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <stdexcept>
#include <type_traits>

#include "dyad/base/text.h"

namespace dyad {

/// The numbers a field may take: from `low` to `high`, both included.
struct Interval {
  double low = 0;
  double high = 0;
};

inline constexpr double unlimited = std::numeric_limits<double>::max();
inline constexpr Interval positive{std::numeric_limits<double>::min(), unlimited};
inline constexpr Interval non_negative{0, unlimited};
inline constexpr Interval fraction{0, 1};
inline constexpr Interval at_least_one{1, unlimited};

/// Stands for what a field of type bool may take.
struct Truth {};
inline constexpr Truth truth{};

/// "greater than 0 and finite", "at least 1" or "between 0 and 1".
inline std::string range_text(const Interval& allowed) {
  const bool limited = allowed.high < unlimited;
  if (allowed.low == positive.low)
    return "greater than 0" + (limited ? " and at most " + number_text(allowed.high) : " and finite");
  if (!limited) return "at least " + number_text(allowed.low);
  return "between " + number_text(allowed.low) + " and " + number_text(allowed.high);
}

/// Throws std::invalid_argument naming `what` and the value if it is not within `allowed`.
template <class Number>
void require_within(const Interval& allowed, const std::string& what, Number value) {
  const auto number = static_cast<double>(value);
  if (!(number >= allowed.low && number <= allowed.high))
    throw std::invalid_argument(what + " must be " + range_text(allowed) + ", got " + number_text(value));
}

/// The names of an enumeration's values, in their order.
template <std::size_t N>
using Names = std::array<std::string_view, N>;

/// The name of an enumeration's value.
template <std::size_t N, class Value>
[[nodiscard]] constexpr std::string_view name_of(const Names<N>& names, Value value) {
  return names[static_cast<std::size_t>(value)];
}

/// Position of `name` in `names`. Throws std::invalid_argument that lists the names if it is not there.
inline std::size_t index_of_name(std::span<const std::string_view> names, std::string_view name,
                                 std::string_view what) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (names[k] == name) return k;
  std::string message = std::string(what) + ": no such value '" + std::string(name) + "'; choose from";
  for (std::size_t k = 0; k < names.size(); ++k) message += (k == 0 ? " " : ", ") + std::string(names[k]);
  throw std::invalid_argument(message);
}

/// The value of a field as text that `set_option` reads back without loss.
template <class Value, class Allowed>
std::string option_text(const Value& value, const Allowed& allowed) {
  if constexpr (std::is_enum_v<Value>) {
    return std::string(name_of(allowed, value));
  } else if constexpr (std::is_same_v<Value, bool>) {
    return value ? "true" : "false";
  } else {
    return number_text(value);
  }
}

/// Sets a field from text. Throws std::invalid_argument if the text is not a value of its type.
template <class Value, class Allowed>
void set_option(Value& value, const Allowed& allowed, std::string_view name, std::string_view text) {
  if constexpr (std::is_enum_v<Value>) {
    value = static_cast<Value>(index_of_name(allowed, text, name));
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = index_of_name(Names<2>{"false", "true"}, text, name) == 1;
  } else {
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || stop != text.data() + text.size())
      throw std::invalid_argument(std::string(name) + " is not a number: '" + std::string(text) + "'");
  }
}

/// Checks every field of `options` against what it describes.
/// Throws std::invalid_argument naming the first field out of range and its value.
template <class Options>
void validate(const Options& options) {
  Options::describe(options, [](std::string_view name, const auto& value, const auto& allowed, auto) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(allowed)>, Interval>)
      require_within(allowed, std::string(name), value);
  });
}

}  // namespace dyad
