// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/internal/sections.h"

#include <zlib.h>

#include <algorithm>

#include "dyad/base/text.h"

namespace dyad::internal {
namespace {

uLong continued(uLong crc, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto part = static_cast<uInt>(std::min<std::size_t>(bytes.size(), 1U << 30));
    crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), part);
    bytes.remove_prefix(part);
  }
  return crc;
}

bool is_optional(std::string_view tag) { return tag.front() >= 'a' && tag.front() <= 'z'; }

}  // namespace

std::uint32_t checksum(std::string_view tag, std::string_view payload) {
  const uLong start = crc32(0, nullptr, 0);
  return static_cast<std::uint32_t>(continued(is_optional(tag) ? continued(start, tag) : start, payload));
}

std::string file_start(std::string_view magic, std::uint32_t version) {
  Writer out;
  out.value(version);
  return std::string(magic) + out.bytes();
}

void take_file_start(Reader& in, std::string_view magic, std::uint32_t newest) {
  if (!in.starts_with(magic)) in.fail("this is not a dyad " + in.what());
  in.take_bytes(magic.size());
  const auto version = in.take<std::uint32_t>();
  if (version == 0) in.refuse("has version 0, which there never was");
  if (version > newest)
    in.refuse("has version " + std::to_string(version) + ", this dyad reads versions up to " +
              std::to_string(newest) + "; use a newer dyad");
}

void append_section(std::string& bytes, std::string_view tag, std::string_view payload) {
  Writer size;
  size.value(static_cast<std::uint64_t>(payload.size()));
  Writer check;
  check.value(checksum(tag, payload));
  bytes += tag;
  bytes += size.bytes();
  bytes += payload;
  bytes += check.bytes();
}

std::string_view take_section(
    Reader& in, std::string_view tag,
    const std::function<bool(std::string_view tag, std::string_view payload)>& visit_other) {
  while (true) {
    if (in.empty()) in.refuse("is cut short (no section " + std::string(tag) + ")");
    const std::string_view found = in.take_bytes(tag.size());
    const std::string_view payload = in.take_bytes(in.size(1));
    if (in.take<std::uint32_t>() != checksum(found, payload))
      in.refuse("is damaged (checksum of " + quoted(found) + ")");
    if (found == tag) return payload;
    const bool is_known = visit_other && visit_other(found, payload);
    if (!is_known && !is_optional(found))
      in.refuse("has section " + quoted(found) + " where " + std::string(tag) +
                " belongs; if a newer dyad wrote it, use that");
  }
}

void read_whole(const Reader& in, std::string_view payload, std::string_view tag,
                const std::function<void(Reader&)>& read) {
  Reader section(payload, in.name(), in.what());
  read(section);
  in.require(section.empty(), "has more in section " + std::string(tag) + " than belongs there");
}

}  // namespace dyad::internal
