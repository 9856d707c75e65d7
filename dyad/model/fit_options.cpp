// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/fit_options.h"

#include <stdexcept>

namespace dyad {

void require_valid(const FitOptions& options) {
  validate(options);
  if (options.transform == Transform::none && options.prior_rows > 0)
    throw std::invalid_argument(
        "prior_rows needs features on one scale: transform must be standard or robust, not none");
  if (is_generative(options.method)) return;  // the rest is of SVMs
  if (options.transform == Transform::none && options.linear_terms)
    throw std::invalid_argument(
        "linear_terms needs features on one scale: transform must be standard or robust, not none");
  if (options.linear_terms && options.settings == SettingsRule::best)
    throw std::invalid_argument("linear_terms are part of averages: settings must be average, not best");
  if (options.norm_bound > 0 && options.settings == SettingsRule::average)
    throw std::invalid_argument("norm_bound is of a single SVM: settings must be best, not average");
}

FitOptions preset_options(Preset preset, Method method, Objective objective) {
  FitOptions options;
  options.method = method;
  options.preset = preset;
  options.optimise = objective;
  if (preset == Preset::paper) return options;
  options.transform = Transform::robust;
  options.bandwidth = BandwidthRule::normal_scale;
  options.prior_rows = 3;
  options.feature_mode = FeatureMode::leave_one_out;
  options.max_pairs = 4000;
  options.linear_terms = true;
  options.term_scale = TermScale::common;
  options.settings = SettingsRule::average;
  options.blend = Blend::if_better;
  options.inner_folds = 5;
  options.cost = CostRule::cv;
  // Whatever the objective: an SVM of rare classes without weights calls everything by the frequent class.
  options.class_weights = ClassWeights::balanced;
  options.priors = balances(objective) ? Priors::equal : Priors::estimated;
  return options;
}

}  // namespace dyad
