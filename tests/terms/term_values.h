// What the averaging of weights gets: the values of all terms of a sample.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <utility>

#include "dyad/pairs/nested_terms.h"
#include "dyad/pairs/ranking.h"
#include "dyad/terms/exact_terms.h"
#include "tests/recipes.h"

namespace dyad::test {

/// By the exact engine, without the row's own kernel, rounded as the solvers read them.
struct TermValues {
  LabelledSample sample;
  FitOptions options;
  NestedTerms terms;
  Matrix values;

  TermValues(LabelledSample rows, const FitOptions& given) : sample(std::move(rows)), options(given) {
    options.engine = Engine::exact;
    options.feature_mode = FeatureMode::leave_one_out;
    FitReport report;
    terms = nested_terms(sample, pairs_to_keep(sample, options, {}, report), options);
    values = training_features(sample, terms.keys, options, {}, report).values;
    for (double& value : values.data) value = static_cast<double>(static_cast<float>(value));
  }
};

}  // namespace dyad::test
