// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/values.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <locale>
#include <sstream>
#include <stdexcept>
#include <system_error>

#include "dyad/base/gather.h"
#include "dyad/base/text.h"

namespace dyad {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// True of -12, 0.50 and the like, without needless zeros in front.
bool is_plain_decimal(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = text.substr(std::min(point + 1, text.size()));
  if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return false;
  if (point < text.size() && fraction.empty()) return false;
  return std::ranges::all_of(whole, is_digit) && std::ranges::all_of(fraction, is_digit);
}

/// Order of two numbers that share a double: plain decimals, which may do so beyond 2^53, by their digits.
bool is_below(std::string_view a, std::string_view b) {
  if (!is_plain_decimal(a) || !is_plain_decimal(b))
    return std::pair(is_plain_decimal(a), a) < std::pair(is_plain_decimal(b), b);
  const bool is_negative = a.starts_with('-');
  if (is_negative != b.starts_with('-')) return is_negative;
  if (is_negative) std::swap(a, b);
  const auto digits = [](std::string_view text) { return std::min(text.find('.'), text.size()); };
  return std::pair(digits(a), a) < std::pair(digits(b), b);
}

std::optional<bool> truth_of(std::string_view text) {
  const auto is = [&](std::string_view word) {
    return std::ranges::equal(text, word, {}, [](char c) { return c >= 'A' && c <= 'Z' ? c + 32 : c; });
  };
  if (text == "1" || is("true")) return true;
  if (text == "0" || is("false")) return false;
  return {};
}

/// The values of names, if all are numbers.
std::optional<std::vector<double>> numbers_of(std::span<const std::string> names) {
  std::vector<double> values(names.size());
  for (std::size_t k = 0; k < names.size(); ++k)
    if (!parse_number(names[k], values[k])) return {};
  return values;
}

/// The narrowest type that labels of an unknown type can have.
ValueType apparent_type(std::span<const std::string> names) {
  for (const ValueType type : {ValueType::boolean, ValueType::integer, ValueType::real})
    if (are_of_type(names, type)) return type;
  return ValueType::text;
}

std::string example_of(const ClassNames& labels, ValueType type) {
  const bool is_text = type == ValueType::text;
  return (is_text           ? "text ("
          : is_number(type) ? "numbers ("
                            : "truths (") +
         (is_text ? quoted(labels.names.front()) : labels.names.front()) + ")";
}

}  // namespace

bool parse_number(std::string_view text, double& value) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  double parsed = 0;
  const auto [stop, error] = std::from_chars(text.data(), end, parsed);
  if (error == std::errc::invalid_argument || stop != end) return false;
  // from_chars gives no value where a number is too large or too small for a double; a stream tells which.
  if (error == std::errc::result_out_of_range) {
    std::istringstream stream{std::string(text)};
    stream.imbue(std::locale::classic());
    if (!(stream >> parsed)) return false;
  }
  if (!std::isfinite(parsed)) return false;
  value = parsed;
  return true;
}

std::string normal_form(std::string_view text) {
  if (!is_plain_decimal(text)) return std::string(text);
  if (text.find('.') != std::string_view::npos) {
    text.remove_suffix(text.size() - 1 - text.find_last_not_of('0'));
    if (text.ends_with('.')) text.remove_suffix(1);
  }
  return text == "-0" ? "0" : std::string(text);
}

std::string normal_form(double value) {
  constexpr double least_plain = 1e-4;  // smaller fractions are written with an exponent
  const bool is_plain = std::abs(value) >= least_plain || value == 0;
  std::array<char, 400> text{};
  const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value + 0.0, format).ptr;
  return {text.data(), end};
}

ValueNames::ValueNames(std::span<const std::string> names) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    by_spelling_.emplace(names[k], k);
    by_normal_form_.emplace(normal_form(names[k]), k);
  }
  for (std::size_t k = 0; k < names.size(); ++k)
    if (const auto name = trimmed(names[k]); name != names[k]) by_trimmed_.emplace(name, k);
  if (!std::ranges::all_of(names, [](const std::string& name) { return truth_of(name).has_value(); })) return;
  for (std::size_t k = 0; k < names.size(); ++k) by_truth_.emplace(*truth_of(names[k]), k);
}

std::optional<std::size_t> ValueNames::find(std::string_view text) const {
  if (const auto at = by_spelling_.find(text); at != by_spelling_.end()) return at->second;
  const std::string form = normal_form(text);
  if (const auto at = by_normal_form_.find(form); at != by_normal_form_.end()) return at->second;
  const auto is_true = truth_of(form);
  if (!is_true) return {};
  const auto at = by_truth_.find(*is_true);
  return at == by_truth_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::size_t> ValueNames::find_without_blanks(std::string_view text) const {
  const std::string_view bare = trimmed(text);
  if (const auto found = find(bare)) return found;
  const auto at = by_trimmed_.find(bare);
  return at == by_trimmed_.end() ? std::nullopt : std::optional(at->second);
}

std::optional<std::size_t> find_class(std::span<const std::string> classes, std::string_view label) {
  const ValueNames names(classes);
  if (const auto found = names.find(label)) return found;
  if (const auto found = names.find_without_blanks(label)) return found;
  double wanted = 0;
  const auto values = numbers_of(classes);
  if (!values || !parse_number(label, wanted)) return {};
  const auto at = std::ranges::find(*values, wanted);
  if (at == values->end() || std::abs(wanted) >= 0x1p53) return {};  // beyond, integers share a double
  return static_cast<std::size_t>(at - values->begin());
}

std::vector<std::size_t> class_order(std::span<const std::string> classes, ValueType type) {
  const auto values = type == ValueType::text ? std::nullopt : numbers_of(classes);
  auto order = all_rows(classes.size());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    if (!values) return classes[a] < classes[b];
    return (*values)[a] != (*values)[b] ? (*values)[a] < (*values)[b] : is_below(classes[a], classes[b]);
  });
  return order;
}

bool are_of_type(std::span<const std::string> names, ValueType type) {
  const auto is_of_type = [&](const std::string& name) {
    double value = 0;
    if (type == ValueType::boolean) return name == "True" || name == "False";
    if (type == ValueType::integer) return is_plain_decimal(name) && name.find('.') == std::string::npos;
    return type != ValueType::real || parse_number(name, value);
  };
  return std::ranges::all_of(names, is_of_type);
}

ValueType apparent_level_type(std::span<const std::string> names) {
  if (are_of_type(names, ValueType::boolean)) return ValueType::boolean;
  const auto is_number_name = [](const std::string& name) {
    double value = 0;
    return is_plain_decimal(name) || (parse_number(name, value) && normal_form(value) == name);
  };
  return std::ranges::all_of(names, is_number_name) ? ValueType::real : ValueType::text;
}

ValueType usual_type(std::span<const std::string> classes) {
  std::vector<std::int64_t> values(classes.size());
  for (std::size_t k = 0; k < classes.size(); ++k) {
    std::string_view text = classes[k];
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), values[k]);
    if (error != std::errc() || stop != text.data() + text.size() || !is_plain_decimal(text))
      return ValueType::text;
  }
  const bool is_ascending = std::ranges::adjacent_find(values, std::greater_equal<>()) == values.end();
  return is_ascending ? ValueType::integer : ValueType::text;
}

void require_distinct_numbers(std::span<const std::string> classes, ValueType type) {
  const auto values = type == ValueType::text ? std::nullopt : numbers_of(classes);
  if (!values) return;
  const auto order = class_order(classes, type);
  for (std::size_t k = 1; k < order.size(); ++k) {
    const std::string& a = classes[order[k - 1]];
    const std::string& b = classes[order[k]];
    if ((*values)[order[k - 1]] != (*values)[order[k]] || (is_plain_decimal(a) && is_plain_decimal(b)))
      continue;
    throw std::invalid_argument("the labels " + quoted(a) + " and " + quoted(b) +
                                " are one number; write them alike");
  }
}

ValueType common_type(const ClassNames& one, const ClassNames& other) {
  if (one.names.empty() || one.type == other.type) return other.type;
  if (other.names.empty()) return one.type;
  const bool is_one_text = one.type == ValueType::text;
  if ((is_one_text || other.type == ValueType::text) &&
      (one.type == ValueType::unknown || other.type == ValueType::unknown))
    return ValueType::text;
  const auto settled = [](const ClassNames& labels) {
    return labels.type == ValueType::unknown ? apparent_type(labels.names) : labels.type;
  };
  const ValueType a = settled(one);
  const ValueType b = settled(other);
  if ((a == ValueType::text) != (b == ValueType::text))
    throw std::invalid_argument("the labels of one part are " + example_of(one, a) + ", those of another " +
                                example_of(other, b) + "; convert them to one type");
  return std::max(a, b);  // truths, integers, reals
}

std::string class_name(const std::string& name, ValueType from, ValueType to) {
  if (from == to || !is_number(to)) return name;
  const auto is_true = from == ValueType::boolean ? truth_of(name) : std::nullopt;
  return is_true ? (*is_true ? "1" : "0") : name;
}

}  // namespace dyad
