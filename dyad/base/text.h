// Values in messages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <charconv>
#include <string>
#include <string_view>

namespace dyad {

/// The shortest text that reads back as the same number: 0.1, 1e+300, nan.
template <class Number>
std::string number_text(Number value) {
  std::array<char, 32> text{};
  return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
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
