// Model files as older versions wrote them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace dyad::test {

/// The bytes without the section freq, which older versions did not write.
inline std::string without_frequencies(std::string bytes) {
  constexpr std::string_view start("freq\x08\0\0\0\0\0\0\0", 12);
  constexpr std::size_t section_size = 24;
  if (const std::size_t at = bytes.find(start); at != std::string::npos) bytes.erase(at, section_size);
  return bytes;
}

}  // namespace dyad::test
