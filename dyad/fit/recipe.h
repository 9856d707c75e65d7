// A method as a rule for terms and a rule for weights.
//
//   method       terms                                    weights
//   SLB          one feature, screened pairs              SVM, single or averaged
//   SLB-         one feature, all pairs                   SVM, single or averaged
//   LU           one feature                              SVM, single or averaged
//   NB           one feature                              likelihood
//   TAN          one feature, a tree of pairs a class     likelihood
//   TAN forest   the same without weak edges              likelihood
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/fit/options.h"
#include "dyad/pairs/term_rule.h"
#include "dyad/terms/options.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

struct Recipe {
  TermRule term_rule;
  WeightRule weight_rule;
  TermOptions terms;      ///< how densities are estimated
  WeightOptions weights;  ///< what the ways of weighing share

  [[nodiscard]] bool averages() const { return std::holds_alternative<Average>(weight_rule); }
  [[nodiscard]] bool has_likelihoods() const { return std::holds_alternative<Likelihood>(weight_rule); }
};

/// True if a method fits SVMs, false if it weighs terms by likelihoods.
[[nodiscard]] constexpr bool has_svm(Method method) {
  return method == Method::slb || method == Method::slb_minus || method == Method::lu;
}

/// The recipe of options, which are not checked.
///
/// The feature mode stays as asked: `prepare` settles `auto`. The structure is left open until features are
/// dropped: see `among`.
[[nodiscard]] Recipe make_recipe(const FitOptions& options);

/// The execution with a deadline for searches within options.max_seconds.
///
/// It leaves a tenth of them for the weights, of many rows a half.
[[nodiscard]] Execution within_max_seconds(const Execution& execution, const FitOptions& options,
                                           std::size_t n_rows);

/// Name among the options of a model whose search for better settings ended early.
inline constexpr std::string_view search_end_name = "search_ended_by";

/// That name, with the limit that ended the search.
[[nodiscard]] Provenance::value_type search_end(const FitOptions& options, const Execution& execution);

/// The class frequencies that probabilities of a fit refer to.
[[nodiscard]] ClassFrequencies class_frequencies(const FitOptions& options);

}  // namespace dyad
