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

/// The recipe of options, which are not checked. The feature mode stays as asked: `prepare` settles `auto`.
[[nodiscard]] Recipe make_recipe(const FitOptions& options);

/// The class frequencies that probabilities of a fit refer to.
[[nodiscard]] ClassFrequencies class_frequencies(const FitOptions& options);

}  // namespace dyad
