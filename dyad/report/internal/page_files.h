// The files that the page is made of, as the build took them in.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace dyad::internal {

[[nodiscard]] std::string_view page_frame();
[[nodiscard]] std::string_view page_style();
[[nodiscard]] std::string_view page_script();
/// plotly.js; empty if the build did not find it.
[[nodiscard]] std::string_view plotting_script();

}  // namespace dyad::internal
