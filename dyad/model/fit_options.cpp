// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/fit_options.h"

#include <cmath>
#include <stdexcept>
#include <string>

#include "dyad/base/text.h"

namespace dyad {

namespace {

/// Throws std::invalid_argument if the SVMs asked for are none that can be solved.
void require_valid_svms(const FitOptions& options) {
  require_valid(options.svm);
  const bool one = options.settings == SettingsRule::best;
  const std::string loss(loss_names[static_cast<std::size_t>(options.svm.loss)]);
  const std::string penalty(penalty_names[static_cast<std::size_t>(options.svm.penalty)]);
  if (options.norm_bound > 0 && !one)
    throw std::invalid_argument("norm_bound is of a single SVM: settings must be best, not average");
  if (options.norm_bound > 0 && options.svm.penalty != Penalty::l2)
    throw std::invalid_argument("norm_bound bounds |w|: penalty must be l2, not " + penalty);
  if (one && options.engine == Engine::exact && options.svm.loss != Loss::hinge)
    throw std::invalid_argument("loss " + loss + " needs engine counts, or settings average");
  if (options.multiclass != Multiclass::direct) return;
  if (one) throw std::invalid_argument("multiclass=direct requires settings=average, got best");
  if (options.svm.loss != Loss::hinge)
    throw std::invalid_argument("multiclass direct needs loss hinge, not " + loss);
}

}  // namespace

void require_valid(const FitOptions& options) {
  validate(options);
  if (options.transform == Transform::none && options.prior_rows > 0)
    throw std::invalid_argument(
        "prior_rows needs features on one scale: transform must be standard or robust, not none");
  if (!is_generative(options.method)) require_valid_svms(options);
}

void require_costs(const Matrix& costs, std::size_t n_classes) {
  if (costs.n_rows != n_classes || costs.n_cols != n_classes)
    throw std::invalid_argument("costs must be a table of " + std::to_string(n_classes) + " x " +
                                std::to_string(n_classes) + ", one for each class and prediction, got " +
                                std::to_string(costs.n_rows) + " x " + std::to_string(costs.n_cols));
  for (const double cost : costs.data)
    if (!(cost >= 0) || !std::isfinite(cost))
      throw std::invalid_argument("a cost must be finite and not negative, got " + number_text(cost));
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
  options.feature_mode = FeatureMode::automatic;
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
