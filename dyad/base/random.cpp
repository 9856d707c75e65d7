// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/random.h"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace dyad {
namespace {

std::uint64_t splitmix64(std::uint64_t& x) {
  const std::uint64_t bits = hashed(x);
  x += 0x9e3779b97f4a7c15;
  return bits;
}

}  // namespace

Random::Random(std::uint64_t seed) : state_{} {
  for (auto& word : state_) word = splitmix64(seed);
}

Random Random::split(std::uint64_t stream) const {
  std::uint64_t mixed = state_[0] ^ std::rotl(state_[2], 32);
  mixed = splitmix64(mixed) ^ stream;
  return Random(splitmix64(mixed));
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
  const std::uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

double Random::normal() {
  const double radius = std::sqrt(-2 * std::log(1 - uniform()));
  return radius * std::cos(2 * std::numbers::pi * uniform());
}

std::uint64_t Random::below(std::uint64_t bound) {
  // Values at or above the largest multiple of bound would favour small results.
  const std::uint64_t limit =
      std::numeric_limits<std::uint64_t>::max() - std::numeric_limits<std::uint64_t>::max() % bound;
  std::uint64_t value = next();
  while (value >= limit) value = next();
  return value % bound;
}

}  // namespace dyad
