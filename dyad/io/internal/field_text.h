// What the text of a CSV field may be.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace dyad::internal {

/// Empty, NA, ? or nan.
[[nodiscard]] bool is_missing(std::string_view text);

/// inf or infinity.
[[nodiscard]] bool is_infinite(std::string_view text);

/// A number that only its size keeps out of a double, such as 1e400.
[[nodiscard]] bool overflows(std::string_view text);

/// A number such as 1,5.
[[nodiscard]] bool has_decimal_comma(std::string_view text);

/// Well-formed UTF-8.
[[nodiscard]] bool is_utf8(std::string_view text);

/// A blank line, or the end-of-file mark of old systems.
[[nodiscard]] bool is_blank(std::string_view record);

/// Parses the finite number that [begin, end) begins with, and returns where it ends; null if there is none.
[[nodiscard]] const char* parse_leading_number(const char* begin, const char* end, double& value);

}  // namespace dyad::internal
