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

/// A number to so many significant digits: 0.333, 1e+20.
inline std::string rounded_text(double value, int digits) {
  std::array<char, 40> text{};
  return {
      text.data(),
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, digits).ptr};
}

/// A number with so many digits after the point: 0.3330.
inline std::string fixed_text(double value, int digits) {
  std::array<char, 400> text{};  // the largest double has 309 digits before the point
  return {text.data(),
          std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, digits).ptr};
}

/// The text without blanks and tabs at both ends.
[[nodiscard]] std::string_view trimmed(std::string_view text);

/// The text with what could steer a terminal or turn the order of letters as \xNN: control characters but for
/// `kept`, marks of the direction of writing, and bytes that are no UTF-8.
[[nodiscard]] std::string printable(std::string_view text, std::string_view kept = "\n\t");

/// quoted(text): 'text' in quotes, cut after 40 bytes, as above without line ends and tabs. An object and no
/// function, for a call with a std::string never to mean std::quoted, which some standard headers bring.
struct Quoted {
  [[nodiscard]] std::string operator()(std::string_view text) const;
};
inline constexpr Quoted quoted;

}  // namespace dyad
