// Timings and convergence of a fit.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "dyad/base/execution.h"

namespace dyad {

/// Seconds spent on each step, whether the SVMs of the result converged, and the dependence of the kept
/// pairs.
struct FitReport {
  double screen = 0;
  double density = 0;  ///< with the counts engine also the values of training rows
  double features = 0;
  double svm = 0;
  bool converged = true;        ///< averages, rough on purpose: not stopped by max_iterations before that
  double gap = 0;               ///< the largest duality gap, as a share of the objective
  std::int64_t iterations = 0;  ///< the most that an SVM took
  std::vector<double> hsic;     ///< of each pair that SLB keeps, in the order of the terms
  bool ended_early = false;     ///< whether a limit of time ended the search for better settings
};

/// True if a search has to end with the best found so far; the report then says so.
[[nodiscard]] inline bool has_to_end(const Execution& execution, FitReport& report) {
  const bool ends = is_time_up(execution);
  report.ended_early = report.ended_early || ends;
  return ends;
}

}  // namespace dyad
