// JSON as the program prints it: keys in the order they are set, text that is not UTF-8 made valid.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "dyad/terms/fit_report.h"

namespace dyad::cli {

using Json = nlohmann::ordered_json;

inline std::string dumped(const Json& document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// The seconds of the steps of a fit, or of many.
inline Json seconds_json(const FitReport& report, double total) {
  return {{"total", total},
          {"screen", report.screen},
          {"density", report.density},
          {"features", report.features},
          {"svm", report.svm}};
}

/// The text in quotes, as `dumped` has it.
inline std::string json_text(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// Appends a number, as `dumped` has it: for documents too large to be held.
inline void append_json_number(std::string& out, double value) {
  if (!std::isfinite(value)) {
    out += "null";
    return;
  }
  fmt::format_to(std::back_inserter(out), "{}", value);
  if (std::trunc(value) == value && std::abs(value) < 1e15) out += ".0";
}

}  // namespace dyad::cli
