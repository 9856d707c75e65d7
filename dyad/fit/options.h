// The options of a fit, as front ends ask for them: one flat list. `make_recipe` gives them their structure.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "dyad/base/matrix_view.h"
#include "dyad/base/options.h"
#include "dyad/data/folds.h"
#include "dyad/model/model.h"
#include "dyad/model/monotone.h"
#include "dyad/pairs/term_rule.h"
#include "dyad/terms/options.h"
#include "dyad/terms/structure.h"
#include "dyad/weights/weight_rule.h"

namespace dyad {

enum class Method { slb, slb_minus, lu, nb, tan, tan_forest };
inline constexpr Names<6> method_names{"slb", "slb-", "lu", "nb", "tan", "tan-forest"};

enum class Preset {
  automatic,  ///< what predicts best without a choice of the user
  paper       ///< as in the paper's experiments
};
inline constexpr Names<2> preset_names{"auto", "paper"};

/// Use of the settings that the inner cross-validation tries.
enum class SettingsRule {
  best,    ///< the setting with the smallest balanced error, all steps being repeated in each fold
  average  ///< the mean of the `n_average` settings with the smallest loss, of SVMs on the same densities
};
inline constexpr Names<2> settings_rule_names{"best", "average"};

/// Members start as in the preset `paper`; `preset_options` gives those of another.
struct FitOptions {
  Method method = Method::slb;
  Preset preset = Preset::paper;
  Objective optimise = Objective::logloss;
  Engine engine = Engine::counts;
  int grid = 128;
  Transform transform = Transform::none;
  BandwidthRule bandwidth = BandwidthRule::plug_in;
  double prior_rows = 0;
  double level_rows = 10;
  std::int64_t max_levels = 50;
  FeatureMode feature_mode = FeatureMode::resubstitution;
  int cross_fit_folds = 5;
  PairRule pairs = PairRule::cv;
  double fdr = 0.05;
  std::int64_t n_pairs = 10;
  double min_hsic = 0.01;
  std::int64_t max_pairs = 1'000'000'000;
  bool linear_terms = false;
  TermScale term_scale = TermScale::unit;
  SettingsRule settings = SettingsRule::best;
  std::int64_t n_average = 10;
  Blend blend = Blend::never;
  bool free_tables = false;
  std::int64_t max_effects = 0;
  int inner_folds = 3;
  double floor = 1e-16;
  CostRule cost = CostRule::given;
  SvmOptions svm;
  double norm_bound = 0;
  Multiclass multiclass = Multiclass::automatic;
  Priors priors = Priors::estimated;
  CalibrationRule calibration = CalibrationRule::platt;
  double forest_beta = 0.5;
  std::uint64_t seed = 1;

  // Given by callers of the library only: no option of the program, not part of a model but `structure`.
  std::vector<Split>
      inner_splits;  ///< of the inner cross-validation; empty for `inner_folds` drawn by `seed`
  std::vector<double> class_weight_values;  ///< factors of the classes' frequencies; empty for none
  std::size_t weight_bytes = 0;  ///< for the values that weights are fitted to, and for copies of them: fewer
                                 ///< rows and threads are used where they would take more; 0 for no limit
  double max_seconds = 0;        ///< after most of these, searches for better settings end; 0 for no limit
  std::vector<MonotoneFeature> monotone;  ///< of two classes; none by default
  Matrix costs;  ///< costs(a, b) of predicting class b for a row of class a; empty for the winner of scores
  Structure structure;  ///< by the features of the table; `set_structure` sets it

  static void describe(auto& o, auto&& field) {
    field("method", o.method, method_names,
          "classifier: slb keeps the useful pairs of features, slb- all, lu none; nb is naive Bayes, tan and "
          "tan-forest are tree-augmented naive Bayes");
    field("preset", o.preset, preset_names,
          "defaults of the other options: auto predicts best without tuning, paper repeats the paper's "
          "experiments");
    field("optimise", o.optimise, objective_names,
          "metric to minimise; probabilities are P(class | row), but those of equally frequent classes for "
          "balanced; auc ranks the settings of --settings average");
    field("engine", o.engine, engine_names, engine_help);
    field("grid", o.grid, grid_range, grid_help);
    field("transform", o.transform, transform_names,
          "transformation of each feature before its densities are estimated");
    field("bandwidth", o.bandwidth, bandwidth_rule_names, "rule for the bandwidths of the densities");
    field("prior_rows", o.prior_rows, Interval{0, 1e6},
          "pseudo-rows of a broad normal density added to each class; not with --transform none");
    field("level_rows", o.level_rows, Interval{0, 1e6},
          "pseudo-count that shrinks each level's estimate towards the pooled one");
    field("max_levels", o.max_levels, Interval{2, 256},
          "largest number of levels of a categorical feature; rarer levels are pooled");
    field("feature_mode", o.feature_mode, feature_mode_names,
          "rows used to estimate the densities of a training row");
    field("cross_fit_folds", o.cross_fit_folds, Interval{2, 1000}, "folds of --feature-mode cross_fit");
    field("pairs", o.pairs, pair_rule_names,
          "rule that selects the pairs of SLB: path keeps the few that add something; --fdr, --n-pairs or "
          "--min-hsic alone implies its rule");
    field("fdr", o.fdr, fraction, fdr_help);
    field("n_pairs", o.n_pairs, non_negative, "number of pairs to keep over all classes");
    field("min_hsic", o.min_hsic, non_negative, min_hsic_help);
    field("max_pairs", o.max_pairs, non_negative,
          "largest number of pairs over all classes with --settings average");
    field(
        "free_tables", o.free_tables, truth,
        "try tables with a value for each level, interval of a number and cell of a pair, besides densities");
    field(
        "max_effects", o.max_effects, non_negative,
        "largest number of effects, of features and pairs together: the largest are kept and fitted anew, a "
        "pair with its features; 0 for no limit");
    field("linear_terms", o.linear_terms, truth,
          "use the features themselves as terms, besides their log densities");
    field("term_scale", o.term_scale, term_scale_names,
          "divisor of the terms before weights are fitted; --C and --norm-bound are in these units");
    field("settings", o.settings, settings_rule_names,
          "use the best setting of pairs and cost, or the mean of several");
    field("n_average", o.n_average, at_least_one, "number of settings in the mean of --settings average");
    field("blend", o.blend, blend_names, "add the weights of NB and TAN to the settings to average");
    field("inner_folds", o.inner_folds, Interval{0, 1000},
          "folds of the inner cross-validation; 0 for 5, or 3 of more than 2000 rows with --pairs path");
    field("floor", o.floor, positive,
          "lower bound of densities, in units of the features' standard deviations");
    field("cost", o.cost, cost_rule_names, "C is the value of --C, or chosen by inner cross-validation");
    SvmOptions::describe(o.svm, field);
    field("norm_bound", o.norm_bound, non_negative,
          "bound of the norm |w| of a single SVM in place of --C, in units of --term-scale; 0 for none");
    field("multiclass", o.multiclass, multiclass_names, "how weights of more than two classes are fitted");
    field("priors", o.priors, priors_names, "class priors of NB and TAN");
    field("calibration", o.calibration, calibration_rule_names,
          "function that turns scores into probabilities");
    field("forest_beta", o.forest_beta, fraction,
          "beta of tan-forest, which drops edges with mutual information of at most n^-beta");
    field("seed", o.seed, Interval{0, 0x1p53}, "seed of the random folds");
  }
};

/// Throws std::invalid_argument naming an option that is out of range, or that needs another one.
///
/// An option that does not apply to the others is refused if it was given: if `is_given` holds for its name
/// or, without `is_given`, if it differs from the preset's.
void require_valid(const FitOptions& options,
                   const std::function<bool(std::string_view name)>& is_given = nullptr);

/// Sets `options.pairs`, which nobody gave, to the rule that another option was given for.
///
/// `fdr`, `n_pairs` and `min_hsic` belong to a rule each, the first of them decides; options of the settings
/// to average belong to cross-validation. An option was given as `require_valid` has it.
void infer_pair_rule(FitOptions& options,
                     const std::function<bool(std::string_view name)>& is_given = nullptr);

/// Sets the structure of a fit to a table with these features; `options.pairs` is settled.
///
/// Throws std::invalid_argument as `structure_of`, and if pairs are given to a method without them, or beside
/// a rule that chooses pairs.
void set_structure(FitOptions& options, const NamedStructure& named, std::span<const std::string> features);

/// Throws std::invalid_argument unless there is a cost, finite and not negative, for each class and each
/// prediction.
void require_costs(const Matrix& costs, std::size_t n_classes);

inline constexpr double largest_class_weight = 1e9;

/// Throws std::invalid_argument unless each class has a weight from 0 to `largest_class_weight`, two classes
/// a positive one.
void require_class_weights(std::span<const double> weights, std::size_t n_classes);

/// The options of a preset.
///
/// The objective sets the priors. With the preset `auto` a single setting (`settings` = best) scales terms by
/// their standard deviations.
[[nodiscard]] FitOptions preset_options(Preset preset, Method method = Method::slb,
                                        Objective objective = Objective::logloss,
                                        std::optional<SettingsRule> settings = std::nullopt);

/// The name that a value of an option has now: values that were renamed keep their former names as aliases.
[[nodiscard]] std::string_view current_value(std::string_view option, std::string_view value);

/// The options as name and text, in the order of their description, then the structure.
[[nodiscard]] Provenance provenance(const FitOptions& options);

/// Options read back from names and texts.
///
/// Unknown names are left out, options not named keep their defaults. Former values are translated: versions
/// with the option `class_weights` used `optimise` with averages alone, so other fits get the objective of
/// their class weights or priors. Throws std::invalid_argument if a value is not one of its option.
[[nodiscard]] FitOptions options_from(const Provenance& provenance);

/// True if the options are of a version with the option `class_weights`, and classes counted alike.
[[nodiscard]] bool counted_classes_alike(const Provenance& provenance);

}  // namespace dyad
