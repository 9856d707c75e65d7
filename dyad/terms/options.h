// Options of the terms: how densities are estimated, and which rows the values of training rows rest on.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/engine.h"
#include "dyad/base/options.h"
#include "dyad/data/coordinate.h"
#include "dyad/density/bandwidth.h"
#include "dyad/terms/structure.h"

namespace dyad {

/// Rows used to estimate the densities in a training row's values.
enum class FeatureMode {
  resubstitution,  ///< all rows of the class, the row itself included
  leave_one_out,   ///< all but the row itself
  cross_fit,       ///< those of the other folds
  split,           ///< one half of the rows; weights are fitted to the other half
  automatic        ///< `settled_feature_mode` chooses
};
inline constexpr Names<5> feature_mode_names{"resubstitution", "leave_one_out", "cross_fit", "split", "auto"};

struct TermOptions {
  Engine engine = Engine::counts;
  int grid = 128;
  Transform transform = Transform::none;
  BandwidthRule bandwidth = BandwidthRule::plug_in;
  double prior_rows = 0;
  double level_rows = 10;
  double floor = 1e-16;
  FeatureMode feature_mode = FeatureMode::resubstitution;
  int cross_fit_folds = 5;
  bool linear_terms = false;
  std::uint64_t seed = 1;
  Structure structure;  ///< by the features of the sample that terms are chosen for
};

}  // namespace dyad
