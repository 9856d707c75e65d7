// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/internal/field_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <system_error>

namespace dyad::internal {
namespace {

std::string_view without_sign(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  return text;
}

bool equal_ignoring_case(std::string_view text, std::string_view lower) {
  return std::ranges::equal(text, lower, [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

bool is_missing(std::string_view text) {
  return text.empty() || text == "NA" || text == "?" || equal_ignoring_case(without_sign(text), "nan");
}

bool is_infinite(std::string_view text) {
  return equal_ignoring_case(without_sign(text), "inf") ||
         equal_ignoring_case(without_sign(text), "infinity");
}

bool overflows(std::string_view text) {
  text = without_sign(text);
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc::result_out_of_range && stop == text.data() + text.size();
}

bool has_decimal_comma(std::string_view text) {
  text = without_sign(text);
  const auto comma = text.find(',');
  if (comma == std::string_view::npos || comma == 0 || comma + 1 == text.size()) return false;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return std::ranges::all_of(text.substr(0, comma), is_digit) &&
         std::ranges::all_of(text.substr(comma + 1), is_digit);
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const std::size_t length = byte < 0x80                   ? 1
                               : byte >= 0xC2 && byte < 0xE0 ? 2
                               : byte >= 0xE0 && byte < 0xF0 ? 3
                               : byte >= 0xF0 && byte < 0xF5 ? 4
                                                             : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if ((static_cast<unsigned char>(text[i + k]) & 0xC0U) != 0x80U) return false;
    // Characters longer than need be, surrogates, and what lies behind the last character.
    const auto second = length > 2 ? static_cast<unsigned char>(text[i + 1]) : 0U;
    if ((byte == 0xE0 && second < 0xA0) || (byte == 0xED && second > 0x9F) ||
        (byte == 0xF0 && second < 0x90) || (byte == 0xF4 && second > 0x8F))
      return false;
    i += length;
  }
  return true;
}

bool is_blank(std::string_view record) { return record.find_first_not_of(" \x1a") == std::string_view::npos; }

const char* parse_leading_number(const char* begin, const char* end, double& value) {
  // Up to 15 digits without an exponent, the commonest numbers: digits and power of ten are exact doubles, so
  // their quotient is rounded correctly (Clinger 1990) and no general parser is needed.
  static constexpr std::array<double, 16> powers{1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  const bool negative = begin != end && *begin == '-';
  const char* at = begin + (negative ? 1 : 0);
  std::int64_t digits = 0;
  std::size_t n_digits = 0;
  std::size_t n_decimals = 0;
  bool decimal = false;
  for (; at != end && n_digits < powers.size(); ++at) {
    if (*at == '.' && !decimal) {
      decimal = true;
    } else if (*at >= '0' && *at <= '9') {
      digits = 10 * digits + (*at - '0');
      ++n_digits;
      n_decimals += decimal ? 1 : 0;
    } else {
      break;
    }
  }
  const bool goes_on = at != end && (*at == '.' || *at == 'e' || *at == 'E' || (*at >= '0' && *at <= '9'));
  if (n_digits > 0 && n_digits < powers.size() && !goes_on) {
    const double magnitude = static_cast<double>(digits) / powers[n_decimals];
    value = negative ? -magnitude : magnitude;
    return at;
  }
  const auto [stop, error] = std::from_chars(begin, end, value);
  return error == std::errc() && std::isfinite(value) ? stop : nullptr;
}

}  // namespace dyad::internal
