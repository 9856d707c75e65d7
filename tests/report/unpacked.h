// What a page makes of packed numbers.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace dyad::test {

inline std::vector<double> unpacked(double low, double high, const std::string& data) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<std::uint8_t> bytes;
  for (std::size_t k = 0; k + 3 < data.size(); k += 4) {
    std::uint32_t group = 0;
    std::size_t count = 3;
    for (std::size_t d = 0; d < 4; ++d) {
      const std::size_t digit = digits.find(data[k + d]);
      if (digit == std::string::npos) --count;
      group = group << 6U | static_cast<std::uint32_t>(digit == std::string::npos ? 0 : digit);
    }
    for (std::size_t b = 0; b < count; ++b) bytes.push_back(static_cast<std::uint8_t>(group >> (16 - 8 * b)));
  }
  std::vector<double> values;
  for (std::size_t k = 0; k + 1 < bytes.size(); k += 2) {
    const unsigned code = bytes[k] + 256U * bytes[k + 1];
    values.push_back(code == 65535 ? std::numeric_limits<double>::quiet_NaN()
                                   : low + (high - low) * code / 65534);
  }
  return values;
}

}  // namespace dyad::test
