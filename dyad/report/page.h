// A page to look at a model: one HTML file that needs nothing else.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace dyad {

/// The page that shows a `report_document`. Throws std::runtime_error if the library was built without the
/// page's plotting library.
[[nodiscard]] std::string report_page(std::string_view document, std::string_view title);

}  // namespace dyad
