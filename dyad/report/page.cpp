// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/page.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "dyad/report/internal/page_files.h"

namespace dyad {
namespace {

using Replacement = std::pair<std::string_view, std::string_view>;

/// The text with each mark, the first of a pair, replaced by the second, which is not searched for marks.
std::string replaced(std::string_view text, std::initializer_list<Replacement> replacements) {
  std::string result;
  while (true) {
    const auto place_of = [&](const Replacement& replacement) { return text.find(replacement.first); };
    const auto& [mark, replacement] = *std::ranges::min_element(replacements, {}, place_of);
    const std::size_t at = text.find(mark);
    result += text.substr(0, at);
    if (at == std::string_view::npos) return result;
    result += replacement;
    text.remove_prefix(at + mark.size());
  }
}

/// Text that HTML shows as it is.
std::string escaped(std::string_view text) {
  return replaced(text, {{"&", "&amp;"}, {"<", "&lt;"}, {">", "&gt;"}, {"\"", "&quot;"}});
}

/// What the page reads of a document: numbers of terms are there for other programs.
std::string document_of_page(std::string_view document) {
  auto json = nlohmann::ordered_json::parse(document);
  if (json.contains("terms"))
    for (const char* const column : {"weights", "importance", "hsic"}) json["terms"].erase(column);
  return json.dump();
}

/// JSON that cannot end the element it stands in: `<` occurs in its texts alone.
std::string embeddable(std::string_view json) { return replaced(json, {{"<", "\\u003c"}}); }

}  // namespace

std::string report_page(std::string_view document, std::string_view title) {
  if (internal::plotting_script().empty())
    throw std::runtime_error(
        "this build of dyad cannot write pages: plotly.js was not there when it was configured");
  return replaced(internal::page_frame(), {{"{{title}}", escaped(title)},
                                           {"{{style}}", internal::page_style()},
                                           {"{{plotly}}", internal::plotting_script()},
                                           {"{{document}}", embeddable(document_of_page(document))},
                                           {"{{script}}", internal::page_script()}});
}

}  // namespace dyad
