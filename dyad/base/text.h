// Values in messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <charconv>
#include <cstdio>
#include <string>
#include <string_view>

namespace dyad {

/// The shortest text that reads back as the same number: 0.1, 1e+300, nan.
template <class Number>
std::string number_text(Number value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

/// A number to so many significant digits: 0.333, 1e+20.
inline std::string rounded_text(double value, int digits) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);
  return text.data();
}

/// 'text' in quotes, cut after 40 bytes, control characters as \xNN: safe to print.
inline std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 40;
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result = "'";
  for (const char c : text.substr(0, longest)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f) {
      result += "\\x";
      result += digits[byte >> 4U];
      result += digits[byte & 15U];
    } else {
      result += c;
    }
  }
  return result + (text.size() > longest ? "...'" : "'");
}

}  // namespace dyad
