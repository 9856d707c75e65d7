// Kernel densities of one feature or two by either engine, for callers who learn which at run time.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <variant>

#include "dyad/base/engine.h"
#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/density/grid1d.h"
#include "dyad/density/grid2d.h"
#include "dyad/density/kde1d.h"
#include "dyad/density/kde2d.h"

namespace dyad {

/// The estimate of one feature is Kde1d or Grid1d, of two Kde2d or Grid2d; exact engine or counts.
using AnyDensity = std::variant<Kde1d, Kde2d, Grid1d, Grid2d>;

/// The bandwidth that `rule` gives for the one or two columns of x: the standard deviation of the kernel,
/// 1 x 1, or its covariance matrix, 2 x 2. Throws std::invalid_argument for another number of columns.
[[nodiscard]] Matrix bandwidth_matrix(const MatrixView& x, BandwidthRule rule, Engine engine);

/// The estimate with that bandwidth.
[[nodiscard]] AnyDensity fit_density(const MatrixView& x, BandwidthRule rule, Engine engine,
                                     std::size_t grid);

/// The estimate with a given bandwidth. Throws std::invalid_argument too if that is not 1 x 1 and positive
/// or 2 x 2, symmetric and positive definite.
[[nodiscard]] AnyDensity make_density(const MatrixView& x, const MatrixView& bandwidth, Engine engine,
                                      std::size_t grid);

/// The bandwidth in the features' units.
[[nodiscard]] Matrix bandwidth_matrix(const AnyDensity& density);

/// 1 or 2.
[[nodiscard]] std::size_t dimension_of(const AnyDensity& density);

/// Logarithms of the density at the rows of x. Throws std::invalid_argument unless x has a column for each
/// feature.
[[nodiscard]] std::vector<double> log_densities(const AnyDensity& density, const MatrixView& x,
                                                const Execution& execution = {});

}  // namespace dyad
