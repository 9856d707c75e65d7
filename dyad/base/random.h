// Random numbers that are the same on every machine: a seeded generator that splits into independent streams.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dyad {

/// 64 bits that look random, other ones for every number (the finaliser of splitmix64).
[[nodiscard]] constexpr std::uint64_t hashed(std::uint64_t number) {
  std::uint64_t z = number + 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111eb;
  return z ^ (z >> 31U);
}

/// xoshiro256++ (Blackman and Vigna 2021), seeded through splitmix64.
class Random {
 public:
  explicit Random(std::uint64_t seed);

  /// A generator of its own for part `stream` of the work; does not change this one.
  [[nodiscard]] Random split(std::uint64_t stream) const;

  std::uint64_t next();                      ///< 64 random bits
  double uniform();                          ///< in [0, 1)
  double normal();                           ///< mean 0, variance 1
  std::uint64_t below(std::uint64_t bound);  ///< in 0 .. bound - 1, without bias; bound > 0

  /// Puts `items` into random order.
  template <class T>
  void shuffle(std::vector<T>& items) {
    for (std::size_t k = items.size(); k > 1; --k) std::swap(items[k - 1], items[below(k)]);
  }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace dyad
