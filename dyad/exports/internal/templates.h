// The fixed parts of exports, taken in from the files predictor.c, predictor.js and query.sql.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace dyad::internal {

[[nodiscard]] std::string_view c_template();
[[nodiscard]] std::string_view js_template();
[[nodiscard]] std::string_view sql_template();

}  // namespace dyad::internal
