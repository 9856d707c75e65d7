// JSON as the program prints it: keys in the order they are set, text that is not UTF-8 made valid.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace dyad::cli {

using Json = nlohmann::ordered_json;

inline std::string dumped(const Json& document) {
  return document.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace dyad::cli
