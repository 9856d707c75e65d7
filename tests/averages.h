// The options of fits that average settings.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/fit/options.h"

namespace dyad::test {

/// Those of the preset auto, of five folds; SLB chooses the share of its pairs by cross-validation, not by a
/// path.
inline FitOptions averaging_options(Method method = Method::slb, Objective objective = Objective::logloss) {
  FitOptions options = preset_options(Preset::automatic, method, objective);
  options.pairs = PairRule::cv;
  options.inner_folds = 5;
  return options;
}

}  // namespace dyad::test
