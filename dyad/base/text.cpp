// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/text.h"

#include <cstdint>

namespace dyad {
namespace {

struct Character {
  std::size_t n_bytes = 1;
  std::uint32_t code = 0;
  bool is_valid = false;
};

/// The character of UTF-8 that the text, which is not empty, begins with; one byte if it begins with none.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t k) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[k]));
  };
  const std::uint32_t first = byte(0);
  if (first < 0x80) return {1, first, true};
  const std::size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < n) return {};
  std::uint32_t code = first & (0x7fU >> n);
  for (std::size_t k = 1; k < n; ++k) {
    if ((byte(k) & 0xc0U) != 0x80) return {};
    code = (code << 6U) | (byte(k) & 0x3fU);
  }
  constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};  // of so many bytes
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < least[n] || code > 0x10ffff || is_surrogate) return {};
  return {n, code, true};
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7f && code < 0xa0); }

bool is_direction(std::uint32_t code) {
  return code == 0x61c || code == 0x200e || code == 0x200f || (code >= 0x202a && code <= 0x202e) ||
         (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string printable(std::string_view text, std::string_view kept) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    const Character next = first_character(text);
    const bool is_kept = kept.find(text.front()) != std::string_view::npos;
    if (is_kept || (next.is_valid && !is_control(next.code) && !is_direction(next.code))) {
      result += text.substr(0, next.n_bytes);
    } else {
      for (const char c : text.substr(0, next.n_bytes)) {
        const auto byte = static_cast<unsigned char>(c);
        result += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
      }
    }
    text.remove_prefix(next.n_bytes);
  }
  return result;
}

std::string Quoted::operator()(std::string_view text) const {
  std::size_t longest = 40;
  if (text.size() <= longest) return "'" + printable(text, "") + "'";
  // Not within a character.
  while (longest > 36 && (static_cast<unsigned char>(text[longest]) & 0xc0U) == 0x80) --longest;
  return "'" + printable(text.substr(0, longest), "") + "...'";
}

}  // namespace dyad
