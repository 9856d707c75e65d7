// Changes of model files and state files that get past the checksums.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "dyad/base/random.h"

namespace dyad::fuzz {

/// Changes some bytes; may change their number.
using MutateBytes = std::function<void(std::string&)>;

/// A file with a change at random: a number within a section set to one that is small, huge or not finite, a
/// byte set to another type or one beyond all,
/// sections repeated, left out, or put elsewhere, or `mutate_bytes` applied to the payload of one. Sizes and
/// checksums are made right again, but for one time in sixteen. Bytes that have no sections are changed as
/// they are.
[[nodiscard]] std::string mutated(std::string_view bytes, Random& random, const MutateBytes& mutate_bytes);

/// The same with some bytes flipped, put in or taken out.
[[nodiscard]] std::string mutated(std::string_view bytes, Random& random);

/// A file with each section from one of two others.
[[nodiscard]] std::string crossed(std::string_view one, std::string_view other, Random& random);

}  // namespace dyad::fuzz
