// The identity of labels and levels: one name for a value, from whatever source it comes.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "dyad/base/options.h"

namespace dyad {

/// Type of labels or levels in their source. A CSV file does not tell it: `unknown`.
enum class ValueType { unknown, text, boolean, integer, real };
inline constexpr Names<5> value_type_names{"unknown", "text", "boolean", "integer", "real"};

[[nodiscard]] constexpr bool is_number(ValueType type) {
  return type == ValueType::integer || type == ValueType::real;
}

/// True if the whole of `text` is a finite decimal number; then `value` is it.
[[nodiscard]] bool parse_number(std::string_view text, double& value);

/// The name of a value that a file writes as `text`: 1.0 is 1, -0.50 is -0.5.
///
/// Only plain decimals change; 01, +1, 1e3 and .5 are text and stay as they are.
[[nodiscard]] std::string normal_form(std::string_view text);

/// The name of a number: digits alone if it is whole, else the shortest decimal that reads back as it.
[[nodiscard]] std::string normal_form(double value);

/// Finds values among distinct names: by spelling, else by normal form, else by truth.
///
/// Truths are compared if every name is one: 0, 1, or true and false in any case. Names must outlive it.
class ValueNames {
 public:
  explicit ValueNames(std::span<const std::string> names);

  /// The place of the name that `text` means, or none.
  [[nodiscard]] std::optional<std::size_t> find(std::string_view text) const;
  /// The place of the first name that is `text` but for blanks at the ends of both.
  [[nodiscard]] std::optional<std::size_t> find_without_blanks(std::string_view text) const;

 private:
  std::unordered_map<std::string_view, std::size_t> by_spelling_;
  std::unordered_map<std::string, std::size_t> by_normal_form_;
  std::unordered_map<std::string_view, std::size_t> by_trimmed_;  ///< names with blanks at their ends
  std::unordered_map<bool, std::size_t> by_truth_;                ///< empty unless every name is a truth
};

/// The place of the class that a label of a table means: as `ValueNames`, else without blanks at the ends,
/// else by value (+1 is 1). None if there is no such class.
[[nodiscard]] std::optional<std::size_t> find_class(std::span<const std::string> classes,
                                                    std::string_view label);

/// The order of classes: by value if all names are numbers and `type` is not text, else by text.
[[nodiscard]] std::vector<std::size_t> class_order(std::span<const std::string> classes, ValueType type);

/// True if names can be those of labels of a type: whole numbers of integers, True and False of truths.
[[nodiscard]] bool are_of_type(std::span<const std::string> names, ValueType type);

/// The type of levels by their names: boolean of True and False, real of the normal forms of numbers, else
/// text.
[[nodiscard]] ValueType apparent_level_type(std::span<const std::string> names);

/// The type that labels of an unknown type are taken for: integer if all classes are ascending whole numbers,
/// else text.
[[nodiscard]] ValueType usual_type(std::span<const std::string> classes);

/// Throws std::invalid_argument naming two classes that are one number in different spellings (+1 and 1),
/// unless their source says that they are text, or some class is no number.
void require_distinct_numbers(std::span<const std::string> classes, ValueType type);

/// Names of classes and the type of the labels that they come from.
struct ClassNames {
  std::span<const std::string> names;
  ValueType type = ValueType::unknown;
};

/// The type of the labels of two parts of a table together: integers and reals are reals, truths and numbers
/// are numbers; labels of an unknown type take that of the others if they look like them.
///
/// Throws std::invalid_argument naming a label of each part if one has text where the other has numbers or
/// truths.
[[nodiscard]] ValueType common_type(const ClassNames& one, const ClassNames& other);

/// The name of a class of type `from` in a table of type `to`: a truth among numbers is 0 or 1.
[[nodiscard]] std::string class_name(const std::string& name, ValueType from, ValueType to);

}  // namespace dyad
