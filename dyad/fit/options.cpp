// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/options.h"

#include <map>

#include "dyad/base/text.h"
#include "dyad/fit/recipe.h"

namespace dyad {

namespace {

using Options = const FitOptions&;

/// What some options need of the others to have an effect.
struct Need {
  std::vector<std::string_view> options;
  bool (*holds)(Options);
  std::string_view what;  ///< "settings=average"
  std::string_view from;  ///< the option whose value is to blame otherwise
};

bool averages(Options o) { return has_svm(o.method) && o.settings == SettingsRule::average; }

bool tries_settings(Options o) {
  return averages(o) || o.cost == CostRule::cv || (o.method == Method::slb && o.pairs == PairRule::cv);
}

/// The first need that does not hold is the one that is reported: methods before settings before details.
const std::vector<Need>& needs() {
  static const std::vector<Need> list{
      {{"feature_mode", "cross_fit_folds", "linear_terms", "term_scale", "settings", "inner_folds", "cost",
        "C", "tolerance", "max_iterations", "loss", "penalty", "l1_ratio", "norm_bound", "multiclass",
        "class_weights", "n_average", "blend", "max_pairs"},
       [](Options o) { return has_svm(o.method); },
       "method=slb, slb- or lu",
       "method"},
      {{"priors"}, [](Options o) { return !has_svm(o.method); }, "method=nb, tan or tan-forest", "method"},
      {{"forest_beta"},
       [](Options o) { return o.method == Method::tan_forest; },
       "method=tan-forest",
       "method"},
      {{"pairs", "fdr", "n_pairs", "min_hsic"},
       [](Options o) { return o.method == Method::slb; },
       "method=slb",
       "method"},
      {{"max_pairs"}, [](Options o) { return o.method != Method::lu; }, "method=slb or slb-", "method"},
      {{"n_average", "blend", "max_pairs"}, averages, "settings=average", "settings"},
      {{"optimise"},
       [](Options o) { return averages(o) || !has_svm(o.method); },
       "settings=average",
       "settings"},
      {{"max_pairs"},
       [](Options o) { return o.method != Method::slb || o.pairs == PairRule::cv; },
       "pairs=cv",
       "pairs"},
      {{"fdr"}, [](Options o) { return o.pairs == PairRule::fdr; }, "pairs=fdr", "pairs"},
      {{"n_pairs"}, [](Options o) { return o.pairs == PairRule::count; }, "pairs=count", "pairs"},
      {{"min_hsic"}, [](Options o) { return o.pairs == PairRule::threshold; }, "pairs=threshold", "pairs"},
      {{"cross_fit_folds"},
       [](Options o) {
         return o.feature_mode == FeatureMode::cross_fit || o.feature_mode == FeatureMode::automatic;
       },
       "feature_mode=cross_fit or auto",
       "feature_mode"},
      {{"grid", "level_rows", "max_levels"},
       [](Options o) { return o.engine == Engine::counts; },
       "engine=counts",
       "engine"},
      {{"inner_folds"}, tries_settings, "settings=average, pairs=cv or cost=cv", "settings"},
      {{"C"}, [](Options o) { return !averages(o) || o.cost == CostRule::given; }, "cost=given", "cost"},
      {{"l1_ratio"},
       [](Options o) { return o.svm.penalty == Penalty::elastic_net; },
       "penalty=elastic_net",
       "penalty"}};
  return list;
}

[[noreturn]] void refuse(const std::string& what, std::string_view needed, std::string_view got) {
  throw std::invalid_argument(what + " requires " + std::string(needed) + ", got " + std::string(got));
}

/// Throws std::invalid_argument if the SVMs asked for cannot be solved.
void require_solvable(Options options) {
  require_valid(options.svm);
  const bool single = options.settings == SettingsRule::best;
  const auto settings = name_of(settings_rule_names, options.settings);
  const auto loss = name_of(loss_names, options.svm.loss);
  if (options.norm_bound > 0 && !single) refuse("norm_bound", "settings=best", settings);
  if (options.norm_bound > 0 && options.svm.penalty != Penalty::l2)
    refuse("norm_bound", "penalty=l2", name_of(penalty_names, options.svm.penalty));
  if (single && options.engine == Engine::exact && options.svm.loss != Loss::hinge)
    refuse("loss=" + std::string(loss), "engine=counts or settings=average", "engine=exact");
  if (options.multiclass != Multiclass::direct) return;
  if (single) refuse("multiclass=direct", "settings=average", settings);
  if (options.svm.loss != Loss::hinge) refuse("multiclass=direct", "loss=hinge", loss);
}

std::map<std::string, std::string, std::less<>> texts_of(Options options) {
  const Provenance list = provenance(options);
  return {list.begin(), list.end()};
}

}  // namespace

void require_valid(const FitOptions& options, const std::function<bool(std::string_view)>& is_given) {
  validate(options);
  const auto texts = texts_of(options);
  const auto preset =
      texts_of(preset_options(options.preset, options.method, options.optimise, options.settings));
  for (const Need& need : needs()) {
    if (need.holds(options)) continue;
    for (const std::string_view name : need.options)
      if (is_given ? is_given(name) : texts.find(name)->second != preset.find(name)->second)
        refuse(std::string(name), need.what, texts.find(need.from)->second);
  }
  if (options.transform == Transform::none && options.prior_rows > 0)
    refuse("prior_rows", "transform=standard or robust", "none");
  if (has_svm(options.method)) require_solvable(options);
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

FitOptions preset_options(Preset preset, Method method, Objective objective,
                          std::optional<SettingsRule> settings) {
  FitOptions options;
  options.method = method;
  options.preset = preset;
  options.optimise = objective;
  options.settings = settings.value_or(preset == Preset::paper ? SettingsRule::best : SettingsRule::average);
  if (preset == Preset::paper) return options;
  options.transform = Transform::robust;
  options.bandwidth = BandwidthRule::normal_scale;
  options.prior_rows = 3;
  options.feature_mode = FeatureMode::automatic;
  options.max_pairs = 4000;
  options.linear_terms = true;
  options.term_scale = options.settings == SettingsRule::average ? TermScale::common : TermScale::unit;
  options.blend = Blend::if_better;
  options.inner_folds = 5;
  options.cost = CostRule::cv;
  // For any objective: an unweighted SVM of a rare class predicts the frequent class everywhere.
  options.class_weights = ClassWeights::balanced;
  options.priors = balances(objective) ? Priors::equal : Priors::estimated;
  return options;
}

std::string_view current_value(std::string_view option, std::string_view value) {
  return option == "optimise" && value == "error" ? "logloss" : value;
}

Provenance provenance(const FitOptions& options) {
  Provenance list;
  FitOptions::describe(options, [&](std::string_view name, const auto& value, const auto& allowed, auto) {
    list.emplace_back(name, option_text(value, allowed));
  });
  return list;
}

FitOptions options_from(const Provenance& provenance) {
  FitOptions options;
  FitOptions::describe(options, [&](std::string_view name, auto& value, const auto& allowed, auto) {
    const auto found = std::ranges::find(provenance, name, &Provenance::value_type::first);
    if (found != provenance.end()) set_option(value, allowed, name, current_value(name, found->second));
  });
  return options;
}

}  // namespace dyad
