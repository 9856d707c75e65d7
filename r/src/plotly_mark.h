// The place of plotly.js in pages.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string_view>

namespace dyad::r {

/// Stands in pages where plotly.js belongs, which is no part of the package.
///
/// Titles and documents cannot contain it: they have '<' in another form.
inline constexpr std::string_view plotly_mark = "<plotly.js>";

}  // namespace dyad::r
