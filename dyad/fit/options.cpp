// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/options.h"

#include <map>

#include "dyad/base/text.h"
#include "dyad/fit/recipe.h"

namespace dyad {

namespace {

using Texts = std::map<std::string, std::string, std::less<>>;
using Words = std::vector<std::string_view>;

/// Options of the settings to average, which a path of pairs has not.
const Words of_settings{"n_average", "blend", "multiclass", "loss",      "penalty",
                        "l1_ratio",  "cost",  "C",          "tolerance", "max_iterations"};

/// `options` have an effect only if the option `from` has one of `values`.
///
/// `when` limits the need to some recipes: those with averages ("average"), with pairs by a rule
/// ("screened"), or with single SVMs whose pairs cross-validation does not choose ("given pairs").
struct Need {
  Words options;
  std::string_view from;
  Words values;
  std::string_view when{};
};

/// The first need that is not met is the one that is reported: methods before settings before details.
const std::vector<Need>& needs() {
  // clang-format off
  static const std::vector<Need> list{
      {{"feature_mode", "cross_fit_folds", "linear_terms", "term_scale", "settings", "inner_folds", "cost", "C",
        "tolerance", "max_iterations", "loss", "penalty", "l1_ratio", "norm_bound", "multiclass",
        "n_average", "blend", "max_pairs"}, "method", {"slb", "slb-", "lu"}},
      {{"priors"}, "method", {"nb", "tan", "tan-forest"}},
      {{"forest_beta"}, "method", {"tan-forest"}},
      {{"pairs", "fdr", "n_pairs", "min_hsic"}, "method", {"slb"}},
      {{"max_pairs"}, "method", {"slb", "slb-"}},
      {{"free_tables"}, "method", {"slb"}},
      {{"max_effects"}, "method", {"slb", "slb-", "lu"}},
      {{"n_average", "blend", "max_pairs"}, "settings", {"average"}},
      {{"max_pairs"}, "pairs", {"cv", "path"}},
      {{"free_tables"}, "pairs", {"path"}},
      {of_settings, "pairs", {"cv", "fdr", "count", "threshold"}, "screened"},
      {{"fdr"}, "pairs", {"fdr"}},
      {{"n_pairs"}, "pairs", {"count"}},
      {{"min_hsic"}, "pairs", {"threshold"}},
      {{"cross_fit_folds"}, "feature_mode", {"cross_fit", "auto"}},
      {{"grid", "level_rows", "max_levels", "max_effects"}, "engine", {"counts"}},
      {{"inner_folds"}, "cost", {"cv"}, "given pairs"},
      {{"C"}, "cost", {"given"}, "average"},
      {{"C", "cost"}, "norm_bound", {"0"}},
      {{"l1_ratio"}, "penalty", {"elastic_net"}}};
  // clang-format on
  return list;
}

/// True if the need holds for these options.
bool applies(const Need& need, const FitOptions& o) {
  const bool averages = has_svm(o.method) && o.settings == SettingsRule::average;
  if (need.when == "average") return averages;
  if (need.when == "screened") return o.method == Method::slb;
  if (need.when == "given pairs") return !averages && !(o.method == Method::slb && o.pairs == PairRule::cv);
  return true;
}

/// "a, b or c"
std::string listed(const Words& words) {
  std::string text(words[0]);
  for (std::size_t k = 1; k < words.size(); ++k)
    text += (k + 1 < words.size() ? ", " : " or ") + std::string(words[k]);
  return text;
}

[[noreturn]] void refuse(const std::string& what, std::string_view needed, std::string_view got) {
  throw std::invalid_argument(what + " requires " + std::string(needed) + ", got " + std::string(got));
}

/// Throws std::invalid_argument if the SVMs asked for cannot be solved.
void require_solvable(const FitOptions& options) {
  require_valid(options.svm);
  const bool single = options.settings == SettingsRule::best;
  const auto settings = name_of(settings_rule_names, options.settings);
  const auto loss = name_of(loss_names, options.svm.loss);
  if (options.norm_bound > 0 && !single) refuse("norm_bound", "settings=best", settings);
  if (single && options.method == Method::slb && options.pairs == PairRule::path)
    refuse("pairs=path", "settings=average", settings);
  if (options.norm_bound > 0 && options.svm.penalty != Penalty::l2)
    refuse("norm_bound", "penalty=l2", name_of(penalty_names, options.svm.penalty));
  if (single && options.engine == Engine::exact && options.svm.loss != Loss::hinge)
    refuse("loss=" + std::string(loss), "engine=counts or settings=average", "engine=exact");
  if (options.multiclass != Multiclass::direct) return;
  if (single) refuse("multiclass=direct", "settings=average", settings);
  if (options.svm.loss != Loss::hinge) refuse("multiclass=direct", "loss=hinge", loss);
}

/// Throws std::invalid_argument if the objective has no effect, or is contradicted by the priors.
void require_objective(const FitOptions& options) {
  const auto method = name_of(method_names, options.method);
  if (options.optimise == Objective::auc) {
    if (!has_svm(options.method)) refuse("optimise=auc", "method=slb, slb- or lu", method);
    if (options.settings != SettingsRule::average)
      refuse("optimise=auc", "settings=average", name_of(settings_rule_names, options.settings));
    if (options.method == Method::slb && options.pairs == PairRule::path)
      refuse("optimise=auc", "pairs=cv, fdr, count or threshold", "path");
  }
  if (!has_svm(options.method) && options.optimise == Objective::balanced &&
      options.priors == Priors::estimated)
    refuse("priors=estimated", "optimise=logloss", "balanced");
}

Texts texts_of(const FitOptions& options) {
  const Provenance list = provenance(options);
  return {list.begin(), list.end()};
}

using IsGiven = std::function<bool(std::string_view)>;

IsGiven differs_from_preset(const FitOptions& o) {
  return [texts = texts_of(o), preset = texts_of(preset_options(o.preset, o.method, o.optimise, o.settings))](
             std::string_view name) { return texts.find(name)->second != preset.find(name)->second; };
}

}  // namespace

void infer_pair_rule(FitOptions& options, const IsGiven& is_given) {
  const IsGiven given = is_given ? is_given : differs_from_preset(options);
  constexpr std::array<std::pair<std::string_view, PairRule>, 3> owners{
      {{"fdr", PairRule::fdr}, {"n_pairs", PairRule::count}, {"min_hsic", PairRule::threshold}}};
  for (const auto& [name, rule] : owners)
    if (given(name)) {
      options.pairs = rule;
      return;
    }
  if (options.pairs == PairRule::path && std::ranges::any_of(of_settings, given))
    options.pairs = PairRule::cv;
}

void require_valid(const FitOptions& options, const IsGiven& is_given) {
  validate(options);
  const IsGiven given = is_given ? is_given : differs_from_preset(options);
  const auto texts = texts_of(options);
  for (const Need& need : needs()) {
    const std::string& value = texts.find(need.from)->second;
    if (!applies(need, options) || std::ranges::find(need.values, value) != need.values.end()) continue;
    for (const std::string_view name : need.options)
      if (given(name)) refuse(std::string(name), std::string(need.from) + "=" + listed(need.values), value);
  }
  if (options.inner_folds == 1)
    throw std::invalid_argument("inner_folds: expected 0, for a number by the rows, or at least 2, got 1");
  if (options.transform == Transform::none && options.prior_rows > 0)
    refuse("prior_rows", "transform=standard or robust", "none");
  require_objective(options);
  if (!(options.max_seconds >= 0)) require_within(non_negative, "max_seconds", options.max_seconds);
  if (options.max_seconds > 0 && !has_svm(options.method))
    refuse("max_seconds", "method=slb, slb- or lu", name_of(method_names, options.method));
  if (has_svm(options.method)) require_solvable(options);
}

void set_structure(FitOptions& options, const NamedStructure& named, std::span<const std::string> features) {
  options.structure = structure_of(named, features);
  if (!named.pairs) return;
  if (options.method != Method::slb)
    refuse("a list of pairs", "method=slb", name_of(method_names, options.method));
  if (options.pairs != PairRule::path && options.pairs != PairRule::cv)
    throw std::invalid_argument("pairs: expected no rule beside a list of pairs, got " +
                                option_text(options.pairs, pair_rule_names) +
                                "; leave out fdr, n_pairs and min_hsic");
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

void require_class_weights(std::span<const double> weights, std::size_t n_classes) {
  if (weights.size() != n_classes)
    throw std::invalid_argument("class_weight: expected " + std::to_string(n_classes) +
                                " weights, one for each class, got " + std::to_string(weights.size()));
  for (const double weight : weights) require_within({0, largest_class_weight}, "class_weight", weight);
  if (const auto n_zero = std::ranges::count(weights, 0.0); n_classes - static_cast<std::size_t>(n_zero) < 2)
    throw std::invalid_argument("class_weight: expected positive weights of two classes or more, got 0 for " +
                                std::to_string(n_zero) + " of " + std::to_string(n_classes) + " classes");
}

FitOptions preset_options(Preset preset, Method method, Objective objective,
                          std::optional<SettingsRule> settings) {
  FitOptions options;
  options.method = method;
  options.preset = preset;
  options.optimise = objective;
  options.settings = settings.value_or(preset == Preset::paper ? SettingsRule::best : SettingsRule::average);
  if (!has_svm(method) && objective == Objective::balanced) options.priors = Priors::equal;
  if (preset == Preset::paper) return options;
  options.transform = Transform::robust;
  options.bandwidth = BandwidthRule::normal_scale;
  options.prior_rows = 3;
  options.feature_mode = FeatureMode::automatic;
  // A path neither ranks settings nor has a single one.
  if (method == Method::slb && options.settings == SettingsRule::average && objective != Objective::auc)
    options.pairs = PairRule::path;
  options.max_pairs = 4000;
  options.free_tables = true;
  options.linear_terms = true;
  options.term_scale = options.settings == SettingsRule::average ? TermScale::common : TermScale::unit;
  options.blend = Blend::if_better;
  options.inner_folds = 0;
  options.cost = CostRule::cv;
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
  list.insert(list.end(), options.structure.texts.begin(), options.structure.texts.end());
  return list;
}

bool counted_classes_alike(const Provenance& provenance) {
  const auto text = [&](std::string_view name) {
    const auto found = std::ranges::find(provenance, name, &Provenance::value_type::first);
    return found == provenance.end() ? std::string_view() : std::string_view(found->second);
  };
  const std::string_view class_weights = text("class_weights");
  if (class_weights.empty()) return false;
  const std::string_view method = text("method");
  if (method == "nb" || method == "tan" || method == "tan-forest") return text("priors") == "equal";
  if (text("settings") != "average") return class_weights == "balanced";
  return text("optimise") == "balanced" || text("optimise") == "auc";
}

FitOptions options_from(const Provenance& provenance) {
  FitOptions options;
  FitOptions::describe(options, [&](std::string_view name, auto& value, const auto& allowed, auto) {
    const auto found = std::ranges::find(provenance, name, &Provenance::value_type::first);
    if (found != provenance.end()) set_option(value, allowed, name, current_value(name, found->second));
  });
  const bool averages = has_svm(options.method) && options.settings == SettingsRule::average;
  const bool is_former =
      std::ranges::find(provenance, "class_weights", &Provenance::value_type::first) != provenance.end();
  if (is_former && !averages)
    options.optimise = counted_classes_alike(provenance) ? Objective::balanced : Objective::logloss;
  return options;
}

}  // namespace dyad
