// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/page.h"

#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "dyad/report/internal/page_files.h"

namespace dyad {
namespace {

/// Text that HTML shows as it is.
std::string escaped(std::string_view text) {
  std::string result;
  for (const char c : text) switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result += c;
    }
  return result;
}

/// What the page reads of a document: numbers of terms are there for other programs.
std::string document_of_page(std::string_view document) {
  auto json = nlohmann::ordered_json::parse(document);
  if (json.contains("terms"))
    for (const char* const column : {"weights", "importance", "hsic"}) json["terms"].erase(column);
  return json.dump();
}

/// JSON that cannot end the element it stands in: `<` occurs in its texts alone.
std::string embeddable(std::string_view json) {
  std::string result;
  result.reserve(json.size() + json.size() / 64);
  for (const char c : json)
    if (c == '<')
      result += "\\u003c";
    else
      result += c;
  return result;
}

}  // namespace

std::string report_page(std::string_view document, std::string_view title) {
  if (internal::plotting_script().empty())
    throw std::runtime_error(
        "this build of dyad cannot write pages: plotly.js was not there when it was configured");
  const std::string title_text = escaped(title);
  const std::string json = embeddable(document_of_page(document));
  const std::array<std::pair<std::string_view, std::string_view>, 5> parts{{
      {"{{title}}", title_text},
      {"{{style}}", internal::page_style()},
      {"{{plotly}}", internal::plotting_script()},
      {"{{document}}", json},
      {"{{script}}", internal::page_script()},
  }};
  std::string page;
  std::string_view rest = internal::page_frame();
  while (!rest.empty()) {
    // The next of the marks; what replaces one is not searched.
    std::size_t at = std::string_view::npos;
    const std::pair<std::string_view, std::string_view>* next = nullptr;
    for (const auto& part : parts)
      if (const std::size_t found = rest.find(part.first); found < at) {
        at = found;
        next = &part;
      }
    page += rest.substr(0, at);
    if (next == nullptr) break;
    page += next->second;
    rest.remove_prefix(at + next->first.size());
  }
  return page;
}

}  // namespace dyad
