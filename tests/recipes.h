// Steps of a fit called with the options of a whole fit, as tests give them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "dyad/fit/choose_terms.h"
#include "dyad/fit/recipe.h"
#include "dyad/pairs/nested_terms.h"
#include "dyad/pairs/ranking.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/terms/exact_terms.h"
#include "dyad/terms/term_context.h"

namespace dyad {

namespace test {

/// The options without those that have no effect: they get the values of the preset.
inline FitOptions applicable(FitOptions options) {
  for (;;) {
    std::string refused;
    try {
      require_valid(options);
      return options;
    } catch (const std::invalid_argument& error) {
      refused = error.what();
    }
    refused.resize(std::min(refused.size(), refused.find(" requires ")));
    if (refused == "optimise=auc") options.optimise = Objective::logloss;
    refused.resize(std::min(refused.size(), refused.find('=')));
    const Provenance preset =
        provenance(preset_options(options.preset, options.method, options.optimise, options.settings));
    const auto value = std::ranges::find(preset, refused, &Provenance::value_type::first);
    if (value == preset.end()) throw std::invalid_argument(refused);
    FitOptions::describe(options, [&](std::string_view name, auto& field, const auto& allowed, auto) {
      if (name == refused) set_option(field, allowed, name, value->second);
    });
  }
}

}  // namespace test

inline RowSplit row_split(const LabelledSample& sample, const FitOptions& options) {
  return row_split(sample, make_recipe(options).terms);
}

inline std::vector<Term> fit_terms(const LabelledSample& sample, std::span<const TermKey> keys,
                                   const FitOptions& options, const Execution& execution) {
  return fit_terms(sample, keys, make_recipe(options).terms, execution);
}

inline std::vector<Term> counts_terms(const LabelledSample& sample, std::span<const TermKey> keys,
                                      const FitOptions& options, const Execution& execution) {
  const TermOptions terms = make_recipe(options).terms;
  return terms_of(sample, keys, stats_of(sample, terms), terms, execution);
}

inline TrainingFeatures training_features(const LabelledSample& sample, std::span<const TermKey> keys,
                                          const FitOptions& options, const Execution& execution,
                                          FitReport& report) {
  return training_features(sample, keys, make_recipe(options).terms, execution, report);
}

inline CountsFeatures counts_training_features(const LabelledSample& sample, std::span<const TermKey> keys,
                                               const FitOptions& options, const Execution& execution,
                                               FitReport& report) {
  return counts_training_features(sample, keys, make_recipe(options).terms, execution, report,
                                  options.settings == SettingsRule::best);
}

inline CountsFeatures counts_features_of_rows(const LabelledSample& sample, std::span<const TermKey> keys,
                                              std::span<const std::size_t> rows, const FitOptions& options,
                                              const Execution& execution, FitReport& report) {
  const TermOptions terms = make_recipe(options).terms;
  return counts_features_of_rows(sample, keys, rows, stats_of(sample, terms), terms, execution, report);
}

inline std::vector<FloatRows> counts_split_values(const LabelledSample& sample, std::span<const TermKey> keys,
                                                  std::span<const Split> splits,
                                                  std::span<const std::vector<std::size_t>> columns,
                                                  const FitOptions& options, const Execution& execution) {
  return SplitValues(sample, splits, make_recipe(options).terms, execution).of(keys, columns, execution);
}

inline TermContext make_context(const LabelledSample& sample, const FitOptions& options,
                                const Execution& execution) {
  const TermOptions terms = make_recipe(options).terms;
  return make_context(sample, stats_of(sample, terms), terms, execution);
}

inline std::vector<RankedPair> rank_pairs(const LabelledSample& sample, const FitOptions& options,
                                          const Execution& execution) {
  return rank_pairs(sample, make_recipe(options).terms, execution);
}

inline std::vector<RankedPair> pairs_to_keep(const LabelledSample& sample, const FitOptions& options,
                                             const Execution& execution, FitReport& report) {
  const Recipe recipe = make_recipe(options);
  return pairs_to_keep(sample, recipe.term_rule, recipe.terms, execution, report);
}

inline NestedTerms nested_terms(const LabelledSample& sample, std::span<const RankedPair> ranked,
                                const FitOptions& options) {
  const Recipe recipe = make_recipe(options);
  return nested_terms(sample, ranked, recipe.term_rule, recipe.terms,
                      static_cast<std::size_t>(options.max_pairs));
}

inline Selection select(const LabelledSample& sample, const FitOptions& options, const Execution& execution,
                        FitReport& report) {
  return select_pairs(sample, make_recipe(options), execution, report);
}

}  // namespace dyad
