// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/section_mutation.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "dyad/io/internal/sections.h"

namespace dyad::fuzz {
namespace {

struct Section {
  std::string tag;
  std::string payload;
};

constexpr std::size_t frame_size = 4 + sizeof(std::uint64_t) + sizeof(std::uint32_t);

/// What comes before the sections of a file: its magic number, which ends as here, and the version.
std::string_view start_of(std::string_view bytes) {
  constexpr std::string_view end_of_magic = "\x1a\n";
  constexpr std::size_t longest_magic = 16;
  const std::size_t at = bytes.substr(0, longest_magic).find(end_of_magic);
  return at == std::string_view::npos ? bytes
                                      : bytes.substr(0, at + end_of_magic.size() + sizeof(std::uint32_t));
}

/// The sections of a file as far as it has any; checksums are not looked at.
std::vector<Section> sections_of(std::string_view bytes) {
  std::vector<Section> sections;
  bytes.remove_prefix(start_of(bytes).size());
  while (bytes.size() >= frame_size) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + 4, sizeof size);
    if (size > bytes.size() - frame_size) break;
    const auto payload = bytes.substr(12, static_cast<std::size_t>(size));
    sections.push_back({std::string(bytes.substr(0, 4)), std::string(payload)});
    bytes.remove_prefix(frame_size + payload.size());
  }
  return sections;
}

std::string file_of(std::string_view start, const std::vector<Section>& sections) {
  std::string bytes(start);
  for (const auto& [tag, payload] : sections) internal::append_section(bytes, tag, payload);
  return bytes;
}

/// A number that readers may stumble over, or one made of what was there.
std::uint64_t awkward(std::uint64_t before, Random& random) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  constexpr std::array whole{std::uint64_t{0},       std::uint64_t{1},       std::uint64_t{2},
                             std::uint64_t{3},       std::uint64_t{255},     std::uint64_t{65536},
                             std::uint64_t{1} << 31, std::uint64_t{1} << 32, std::uint64_t{1} << 60,
                             ~std::uint64_t{0}};
  constexpr std::array numbers{1.0,   -1.0,  1e-300, 1e300,    -1e300,    1e100,
                               -1e30, 1e-30, 5e-324, infinity, -infinity, std::numeric_limits<double>::max()};
  const auto number = std::bit_cast<double>(before);
  switch (random.below(8)) {
    case 0:
      return before + 1;
    case 1:
      return before - 1;
    case 2:
      return std::bit_cast<std::uint64_t>(-number);
    case 3:
      return std::bit_cast<std::uint64_t>(number * (random.below(2) == 0 ? 1e10 : 1e-10));
    case 4:
      return before ^ (std::uint64_t{1} << random.below(64));
    case 5:
      return std::bit_cast<std::uint64_t>(numbers[random.below(numbers.size())]);
    default:
      return whole[random.below(whole.size())];
  }
}

/// Sets 8 bytes, mostly where a number may begin.
void set_number(std::string& payload, Random& random) {
  if (payload.size() < 8) return;
  const std::size_t last = payload.size() - 8;
  std::size_t at = random.below(last + 1);
  if (random.below(4) != 0) at -= at % 8;
  std::uint64_t value = 0;
  std::memcpy(&value, payload.data() + at, sizeof value);
  if (random.below(4) == 0)
    std::memcpy(&value, payload.data() + random.below(last + 1) / 8 * 8, sizeof value);  // one from elsewhere
  else
    value = awkward(value, random);
  std::memcpy(payload.data() + at, &value, sizeof value);
}

/// Sets a byte to a small number, as those are that stand for types, kinds and truths.
void set_type(std::string& payload, Random& random) {
  constexpr std::uint64_t beyond_types = 8;
  if (!payload.empty()) payload[random.below(payload.size())] = static_cast<char>(random.below(beyond_types));
}

/// Repeats or takes out some bytes, mostly whole numbers of 8.
void resize(std::string& payload, Random& random) {
  if (payload.empty()) return;
  const std::size_t unit = random.below(4) == 0 ? 1 : 8;
  const std::size_t at = random.below(payload.size() / unit + 1) * unit;
  const std::size_t count = std::min(payload.size() - at, unit * (1 + random.below(16)));
  if (random.below(2) == 0)
    payload.erase(at, count);
  else
    payload.insert(at, payload.substr(at, count));
}

void rearrange(std::vector<Section>& sections, Random& random) {
  const std::size_t one = random.below(sections.size());
  const std::size_t other = random.below(sections.size());
  switch (random.below(4)) {
    case 0:
      sections.erase(sections.begin() + static_cast<std::ptrdiff_t>(one));
      break;
    case 1:
      sections.push_back(sections[one]);
      break;
    case 2:
      std::swap(sections[one], sections[other]);
      break;
    default:
      std::swap(sections[one].payload, sections[other].payload);
  }
}

void flip_bytes(std::string& bytes, Random& random) {
  for (std::uint64_t left = 1 + random.below(4); left > 0 && !bytes.empty(); --left) {
    const std::size_t at = random.below(bytes.size());
    switch (random.below(6)) {
      case 0:
        bytes.erase(at, 1);
        break;
      case 1:
        bytes.insert(at, 1, static_cast<char>(random.next()));
        break;
      default:
        bytes[at] = static_cast<char>(static_cast<unsigned char>(bytes[at]) ^ (1U << random.below(8)));
    }
  }
}

}  // namespace

std::string mutated(std::string_view bytes, Random& random, const MutateBytes& mutate_bytes) {
  auto sections = sections_of(bytes);
  if (sections.empty() || random.below(16) == 0) {
    std::string changed(bytes);
    mutate_bytes(changed);
    return changed;
  }
  for (std::uint64_t left = 1 + random.below(3); left > 0 && !sections.empty(); --left) {
    std::string& payload = sections[random.below(sections.size())].payload;
    const std::uint64_t kind = random.below(16);
    if (kind == 0)
      rearrange(sections, random);
    else if (kind < 3)
      resize(payload, random);
    else if (kind < 5)
      set_type(payload, random);
    else if (kind < 9)
      mutate_bytes(payload);
    else
      set_number(payload, random);
  }
  return file_of(start_of(bytes), sections);
}

std::string mutated(std::string_view bytes, Random& random) {
  return mutated(bytes, random, [&](std::string& payload) { flip_bytes(payload, random); });
}

std::string crossed(std::string_view one, std::string_view other, Random& random) {
  auto sections = sections_of(one);
  const auto others = sections_of(other);
  for (Section& section : sections) {
    const auto found = std::ranges::find(others, section.tag, &Section::tag);
    if (found != others.end() && random.below(2) == 0) section.payload = found->payload;
  }
  return file_of(start_of(one), sections);
}

}  // namespace dyad::fuzz
