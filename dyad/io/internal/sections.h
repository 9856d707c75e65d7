// The outer form of model files and state files: a magic number, a version, and sections with checksums.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>

#include "dyad/io/internal/bytes.h"

namespace dyad::internal {

/// The first bytes of a file.
[[nodiscard]] std::string file_start(std::string_view magic, std::uint32_t version);

/// Takes them off; fails if there are others, or a version later than `newest`.
void take_file_start(Reader& in, std::string_view magic, std::uint32_t newest);

/// The checksum of a section: of its payload and, if the section is optional, of its tag. A reader would skip
/// an optional section whose tag is damaged.
[[nodiscard]] std::uint32_t checksum(std::string_view tag, std::string_view payload);

/// Appends a section: four letters, the size, the payload, its checksum.
void append_section(std::string& bytes, std::string_view tag, std::string_view payload);

/// The payload of the section `tag`, which is next but for sections that not every file has.
///
/// These are handed to `visit_other`, if any, which returns whether it knows them. Unknown ones are skipped
/// if they are optional, with tags that begin with a small letter; else this fails.
[[nodiscard]] std::string_view take_section(
    Reader& in, std::string_view tag,
    const std::function<bool(std::string_view tag, std::string_view payload)>& visit_other = nullptr);

/// Lets `read` read the payload of a section; fails unless it reads all of it.
void read_whole(const Reader& in, std::string_view payload, std::string_view tag,
                const std::function<void(Reader&)>& read);

}  // namespace dyad::internal
