// Many numbers in few characters, for documents that a page carries.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace dyad {

/// value = low + (high - low) u / 65534 for the 16-bit numbers u of `data`, little end first, in base64;
/// 65535 stands for NaN. Off by at most (high - low) / 131068.
struct Packed {
  double low = 0;  ///< the smallest value that is not NaN, 0 if there is none
  double high = 0;
  std::string data;
};

/// Values are finite or NaN.
[[nodiscard]] Packed packed(std::span<const double> values);

/// The bytes in base64 (RFC 4648), padded.
[[nodiscard]] std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace dyad
