// Options structs as R lists: names and types are those that the structs describe.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <cpp11.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "dyad/base/nearest_name.h"
#include "dyad/base/options.h"
#include "dyad/fit/options.h"
#include "values.h"

namespace dyad::r {

/// True if a list has an element of that name.
[[nodiscard]] bool has_name(const cpp11::list& given, std::string_view name);

/// Throws std::invalid_argument: `name`: expected `wanted`, got a description of the value.
[[noreturn]] void refuse(std::string_view name, const std::string& wanted, SEXP given);

/// The single number, text or truth that a value is. Throws std::invalid_argument naming the option.
[[nodiscard]] double number_from(std::string_view name, const std::string& wanted, SEXP given);
[[nodiscard]] std::string text_from(std::string_view name, const std::string& wanted, SEXP given);
[[nodiscard]] bool truth_from(std::string_view name, SEXP given);

/// The kind of an option in words: a range, or a list of names.
template <class Value, class Allowed>
std::string wanted_text(const Allowed& allowed) {
  if constexpr (std::is_enum_v<Value>) {
    std::string names;
    for (const std::string_view name : allowed)
      names += (names.empty() ? "\"" : ", \"") + std::string(name) + "\"";
    return "one of " + names;
  } else if constexpr (std::is_same_v<Value, bool>) {
    return "TRUE or FALSE";
  } else {
    return (std::is_integral_v<Value> ? "a whole number " : "a number ") + range_text(allowed);
  }
}

template <class Value, class Allowed>
void set_from_r(Value& value, const Allowed& allowed, std::string_view name, SEXP given) {
  const std::string wanted = wanted_text<Value>(allowed);
  if constexpr (std::is_enum_v<Value>) {
    const std::string text = text_from(name, wanted, given);
    set_option(value, allowed, name, current_value(name, text));
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = truth_from(name, given);
  } else {
    const double number = number_from(name, wanted, given);
    // Compared before the conversion, which numbers out of the type's range do not survive.
    if (!(number >= allowed.low && number <= allowed.high)) refuse(name, wanted, given);
    if constexpr (std::is_integral_v<Value>) {
      constexpr auto most = static_cast<double>(std::numeric_limits<Value>::max());
      if (number != std::floor(number) || number >= most) refuse(name, wanted, given);
    }
    value = static_cast<Value>(number);
  }
}

/// Options with the values of a list in place of those of `base`. Throws std::invalid_argument for an unknown
/// name, or a value of another type or range.
template <class Options>
Options options_over(Options base, const cpp11::list& given) {
  std::vector<std::string> names;
  Options::describe(base, [&](std::string_view name, auto& value, const auto& allowed, auto) {
    names.emplace_back(name);
    if (has_name(given, name)) set_from_r(value, allowed, name, given[std::string(name).c_str()]);
  });
  if (given.size() == 0) return base;
  for (const std::string& name : texts_of(given.names()))
    if (std::ranges::find(names, name) == names.end())
      throw std::invalid_argument(name + ": no such option; " +
                                  advice_on_name(name, "the options are", names));
  return base;
}

/// The options of the preset, method and objective that a list names, with its values in place of theirs.
/// Throws as `options_over`, and std::invalid_argument for values that do not go together.
[[nodiscard]] FitOptions fit_options_from(const cpp11::list& given);

/// Name, kind, default, values or range, and help of each option, as a list of vectors.
template <class Options>
cpp11::writable::list described(const Options& defaults) {
  std::vector<std::string> names, kinds, values, texts, helps;
  Options::describe(
      defaults, [&](std::string_view name, const auto& value, const auto& allowed, std::string_view help) {
        using Value = std::remove_cvref_t<decltype(value)>;
        names.emplace_back(name);
        kinds.emplace_back(std::is_enum_v<Value>             ? "choice"
                           : std::is_same_v<Value, bool>     ? "logical"
                           : std::is_floating_point_v<Value> ? "number"
                                                             : "whole number");
        values.push_back(option_text(value, allowed));
        texts.push_back(wanted_text<Value>(allowed));
        helps.emplace_back(help);
      });
  using namespace cpp11::literals;
  return {"name"_nm = strings(names), "kind"_nm = strings(kinds), "default"_nm = strings(values),
          "values"_nm = strings(texts), "help"_nm = strings(helps)};
}

}  // namespace dyad::r
