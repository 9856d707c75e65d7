// A model fitted in one call, and its error.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/fit/fit.h"
#include "dyad/model/prediction.h"

namespace dyad::test {

/// The fitted model, without its report.
inline Model fitted(const LabelledSample& sample, const FitOptions& options,
                    const Execution& execution = {}) {
  FitReport report;
  return fit(sample, options, execution, report);
}

/// Share of rows whose class is not the predicted one, of a LabelledSample or a Chunk.
double error_of(const Model& model, const auto& rows) {
  const auto predicted = classify(scores(model, rows.X));
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < predicted.size(); ++i) wrong += predicted[i] != rows.y[i] ? 1U : 0U;
  return static_cast<double>(wrong) / static_cast<double>(predicted.size());
}

}  // namespace dyad::test
