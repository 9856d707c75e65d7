// What happens to a sample before anything is estimated from it.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/data/coordinate.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/data/levels.h"
#include "dyad/model/fit_options.h"

namespace dyad::internal {

/// What the values of a prepared sample mean.
struct Encoding {
  std::size_t n_features = 0;
  std::vector<Levels> levels;
  std::vector<Coordinate> coordinates;
};

/// Checks what is to be fitted. Throws std::invalid_argument if something cannot be.
void check(const LabelledSample& sample, const FitOptions& options);

/// Checks what is to be fitted, brings it into the form that the engine takes and into the coordinates of the densities; settles options
/// that depend on the sample. Throws std::invalid_argument if something cannot be fitted.
Encoding prepare(LabelledSample& sample, FitOptions& options, const Execution& execution);

/// Drops the features that are the same in all rows, unless all are; returns the numbers of the others.
[[nodiscard]] std::vector<std::size_t> drop_constant_features(LabelledSample& sample);

}  // namespace dyad::internal
