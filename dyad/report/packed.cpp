// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/packed.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace dyad {

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  text.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t k = 0; k < bytes.size(); k += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - k);
    std::uint32_t group = 0;
    for (std::size_t b = 0; b < 3; ++b) group = group << 8U | (b < count ? bytes[k + b] : 0U);
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += digit <= count ? digits[group >> (18 - 6 * digit) & 63U] : '=';
  }
  return text;
}

Packed packed(std::span<const double> values) {
  constexpr double largest_code = 65534;
  constexpr std::uint16_t no_value = 65535;
  Packed result;
  bool any = false;
  for (const double value : values) {
    if (std::isnan(value)) continue;
    result.low = any ? std::min(result.low, value) : value;
    result.high = any ? std::max(result.high, value) : value;
    any = true;
  }
  const double range = result.high - result.low;
  std::vector<std::uint8_t> bytes;
  bytes.reserve(2 * values.size());
  for (const double value : values) {
    std::uint16_t code = no_value;
    if (!std::isnan(value))
      code = range > 0 ? static_cast<std::uint16_t>(std::lround((value - result.low) / range * largest_code))
                       : 0;
    bytes.push_back(static_cast<std::uint8_t>(code & 255U));
    bytes.push_back(static_cast<std::uint8_t>(code >> 8U));
  }
  result.data = base64(bytes);
  return result;
}

}  // namespace dyad
