// Text as CSV files have it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace dyad::cli {

/// A field, quoted where it must be.
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char c : text) field += c == '"' ? std::string("\"\"") : std::string(1, c);
  return field + "\"";
}

}  // namespace dyad::cli
