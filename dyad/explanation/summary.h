// A model in words: what it is made of, the effects that matter, and what was tried.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/explanation/purified_effects.h"

namespace dyad {

/// Features, classes and terms of a model, its largest effects, and its settings; and its options, if asked.
[[nodiscard]] std::string summary(const Model& model, const PurifiedEffects& purified, bool with_options);

}  // namespace dyad
