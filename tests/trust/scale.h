// How much a test tries: less under a sanitizer, which makes everything many times slower.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstddef>

namespace dyad::test {

#if defined(__has_feature)
#define DYAD_HAS_FEATURE(feature) __has_feature(feature)
#else
#define DYAD_HAS_FEATURE(feature) 0
#endif

#if defined(__SANITIZE_THREAD__) || DYAD_HAS_FEATURE(thread_sanitizer)
inline constexpr bool thread_sanitizer = true;
#else
inline constexpr bool thread_sanitizer = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || DYAD_HAS_FEATURE(address_sanitizer)
inline constexpr bool address_sanitizer = true;
#else
inline constexpr bool address_sanitizer = false;
#endif

inline constexpr bool sanitized = thread_sanitizer || address_sanitizer;

/// `n`, or a twentieth of it under a sanitizer.
[[nodiscard]] constexpr std::size_t rounds(std::size_t n) {
  return sanitized ? std::max<std::size_t>(1, n / 20) : n;
}

}  // namespace dyad::test
