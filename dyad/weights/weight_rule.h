// The rule by which a method weighs its terms: the second half of a recipe.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <variant>

#include "dyad/base/options.h"
#include "dyad/data/folds.h"
#include "dyad/linear/calibration.h"
#include "dyad/linear/options.h"

namespace dyad {

/// The metric that a fit minimises.
enum class Objective {
  balanced,  ///< the same as `logloss` as if all classes had equally many rows
  auc,       ///< the share of wrongly ranked pairs of rows of two classes, in the choice of settings
  logloss    ///< the mean of -log P(class)
};
inline constexpr Names<3> objective_names{"balanced", "auc", "logloss"};

/// The source of the cost C.
enum class CostRule {
  given,  ///< `C`
  cv      ///< the inner cross-validation
};
inline constexpr Names<2> cost_rule_names{"given", "cv"};

/// The divisor of terms before weights are fitted; the penalty |w| is in these units.
enum class TermScale {
  unit,    ///< each by its own standard deviation
  common,  ///< all by one number, so that terms count as much as they vary
  none     ///< nothing
};
inline constexpr Names<3> term_scale_names{"unit", "common", "none"};

/// Use of the weights of NB and TAN among the settings to average.
enum class Blend {
  never,
  if_better,  ///< if the loss falls by a fifth
  always
};
inline constexpr Names<3> blend_names{"never", "if_better", "always"};

/// Fit of the weights of more than two classes.
enum class Multiclass {
  automatic,    ///< direct for averages with the hinge loss, else one_vs_rest
  one_vs_rest,  ///< an SVM for each class, against all others
  direct        ///< all together by multinomial logistic regression, for averages
};
inline constexpr Names<3> multiclass_names{"auto", "one_vs_rest", "direct"};

/// Weights of the classes in losses.
enum class ClassWeights {
  none,     ///< each row counts 1
  balanced  ///< each class counts the same
};

enum class Priors { estimated, equal };
inline constexpr Names<2> priors_names{"estimated", "equal"};

/// Weights by lemma 1 of the paper: +-1 for densities, log priors in the intercept (NB, TAN).
struct Likelihood {
  Priors priors = Priors::estimated;
  std::vector<double> class_weights{};  ///< factors of the priors; empty for none
};

/// One SVM a score, with one setting of pairs and cost.
struct SingleSvm {
  SvmOptions svm;
  CostRule cost = CostRule::given;
  double norm_bound = 0;  ///< |w| <= this in place of C; 0 for C
};

/// The mean over the settings of terms, cost and blend that have the least held-out loss.
struct Average {
  SvmOptions svm;
  CostRule cost = CostRule::given;
  std::int64_t n_average = 10;
  std::int64_t max_pairs = 1'000'000'000;
  Blend blend = Blend::never;
  Multiclass multiclass = Multiclass::automatic;
  Objective optimise = Objective::logloss;

  /// True if more than two classes are fitted together.
  [[nodiscard]] bool is_direct() const {
    return multiclass == Multiclass::direct ||
           (multiclass == Multiclass::automatic && svm.loss == Loss::hinge);
  }
};

using WeightRule = std::variant<Likelihood, SingleSvm, Average>;

/// Smallest class weight in logarithms.
inline constexpr double least_class_weight = 1e-9;

/// Calibration of scores, and the population that probabilities refer to.
struct ProbabilityRule {
  /// The kind of scores before they are calibrated.
  enum class Scores { margins, log_odds, likelihoods };

  CalibrationRule calibration = CalibrationRule::platt;
  Scores scores = Scores::margins;
  bool classes_alike = false;         ///< whether weights were fitted as if classes were equally frequent
  std::vector<double> class_weights;  ///< factors of the classes' frequencies; empty for none
  bool has_costs = false;             ///< costs need the frequencies of the classes as they are
};

/// Options that all rules share.
struct WeightOptions {
  ClassWeights class_weights = ClassWeights::none;
  std::vector<double> class_weight_values;  ///< further factors of the classes; empty for none
  TermScale term_scale = TermScale::unit;
  bool has_coordinates = false;  ///< whether features are on a common scale
  ProbabilityRule probability;
  int inner_folds = 3;              ///< 0 for a number that suits the rule
  std::vector<Split> inner_splits;  ///< of the inner cross-validation; empty for folds drawn by `seed`
  std::uint64_t seed = 1;
  bool uses_tables = false;  ///< whether a path tries free tables
  std::size_t bytes = 0;     ///< for the values that a path tries, and for copies of them; 0 for no limit
};

}  // namespace dyad
