// How libFuzzer changes files of sections: for targets that read such files.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "fuzz/section_mutation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Copies as much as there is room for.
std::size_t put(const std::string& bytes, std::uint8_t* out, std::size_t max_size) {
  const std::size_t size = std::min(bytes.size(), max_size);
  std::copy_n(bytes.data(), size, out);
  return size;
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  dyad::Random random(seed);
  const auto by_libfuzzer = [](std::string& bytes) {
    constexpr std::size_t room = 64;
    const std::size_t before = bytes.size();
    bytes.resize(before + room);
    bytes.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(bytes.data()), before, before + room));
  };
  return put(dyad::fuzz::mutated(text_of(data, size), random, by_libfuzzer), data, max_size);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* one, std::size_t one_size,
                                                 const std::uint8_t* other, std::size_t other_size,
                                                 std::uint8_t* out, std::size_t max_size, unsigned seed) {
  dyad::Random random(seed);
  return put(dyad::fuzz::crossed(text_of(one, one_size), text_of(other, other_size), random), out, max_size);
}
