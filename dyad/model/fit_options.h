// How a model is fitted.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "dyad/base/engine.h"
#include "dyad/base/options.h"
#include "dyad/data/folds.h"
#include "dyad/density/bandwidth.h"
#include "dyad/svm/dual_svm.h"

namespace dyad {

enum class Method { slb, slb_minus, lu, nb, tan, tan_forest };
inline constexpr Names<6> method_names{"slb", "slb-", "lu", "nb", "tan", "tan-forest"};

enum class Preset { paper };
inline constexpr Names<1> preset_names{"paper"};

/// Which rows the densities behind a training row's features are estimated from.
enum class FeatureMode {
  resubstitution,  ///< all rows of the class, the row itself included
  leave_one_out,   ///< all but the row itself
  cross_fit,       ///< those of the other folds
  split            ///< one half of the rows; the SVM is fitted to the other half
};
inline constexpr Names<4> feature_mode_names{"resubstitution", "leave_one_out", "cross_fit", "split"};

/// Which pairs SLB keeps.
enum class PairRule {
  cv,        ///< the share with the smallest balanced error in an inner cross-validation
  fdr,       ///< those with a q-value of at most `fdr`
  count,     ///< the `n_pairs` of largest HSIC
  threshold  ///< those whose HSIC is at least `min_hsic`
};
inline constexpr Names<4> pair_rule_names{"cv", "fdr", "count", "threshold"};

/// Where the cost C of the SVM comes from.
enum class CostRule {
  given,  ///< `C`
  cv      ///< of 0.01, 0.1, 1 and 10, the one with the smallest balanced error in the inner cross-validation
};
inline constexpr Names<2> cost_rule_names{"given", "cv"};

enum class ClassWeights { none, balanced };
inline constexpr Names<2> class_weights_names{"none", "balanced"};

enum class Priors { estimated, equal };
inline constexpr Names<2> priors_names{"estimated", "equal"};

/// The defaults are the preset `paper`.
struct FitOptions {
  Method method = Method::slb;
  Preset preset = Preset::paper;
  Engine engine = Engine::counts;
  int grid = 128;
  BandwidthRule bandwidth = BandwidthRule::plug_in;
  FeatureMode feature_mode = FeatureMode::resubstitution;
  int cross_fit_folds = 5;
  PairRule pairs = PairRule::cv;
  double fdr = 0.05;
  std::int64_t n_pairs = 10;
  double min_hsic = 0.01;
  int inner_folds = 3;
  double floor = 1e-16;
  CostRule cost = CostRule::given;
  SvmOptions svm;
  double norm_bound = 0;
  ClassWeights class_weights = ClassWeights::none;
  Priors priors = Priors::estimated;
  double forest_beta = 0.5;
  std::uint64_t seed = 1;

  // Given by callers of the library only: no option of the program, not part of a model.
  std::vector<Split>
      inner_splits;  ///< of the inner cross-validation; empty for `inner_folds` drawn by `seed`
  std::vector<double> class_weight_values;  ///< of each class in the SVM; empty for `class_weights`

  static void describe(auto& o, auto&& field) {
    field("method", o.method, method_names, "which classifier");
    field("preset", o.preset, preset_names, "where the defaults come from");
    field("engine", o.engine, engine_names, "how sums over rows are computed");
    field("grid", o.grid, grid_range, "nodes of an axis of the counts engine; more where tails are long");
    field("bandwidth", o.bandwidth, bandwidth_rule_names, "rule for the bandwidths of the densities");
    field("feature_mode", o.feature_mode, feature_mode_names,
          "rows that a training row's own densities rest on");
    field("cross_fit_folds", o.cross_fit_folds, Interval{2, 1000}, "folds of --feature-mode cross_fit");
    field("pairs", o.pairs, pair_rule_names, "how SLB chooses the pairs to keep");
    field("fdr", o.fdr, fraction, "false discovery rate; chooses --pairs fdr");
    field("n_pairs", o.n_pairs, non_negative, "number of pairs over all classes; chooses --pairs count");
    field("min_hsic", o.min_hsic, non_negative, "smallest HSIC; chooses --pairs threshold");
    field("inner_folds", o.inner_folds, Interval{2, 1000}, "folds of --pairs cv and --cost cv");
    field("floor", o.floor, positive, "smallest density, in units of the features' standard deviations");
    field("cost", o.cost, cost_rule_names, "whether C is as given or chosen with the pairs");
    SvmOptions::describe(o.svm, field);
    field("norm_bound", o.norm_bound, non_negative,
          "fit the SVM subject to |w| <= this instead of C; 0 for C");
    field("class_weights", o.class_weights, class_weights_names, "weights of the classes in the SVM");
    field("priors", o.priors, priors_names, "class priors of NB and TAN");
    field("forest_beta", o.forest_beta, fraction, "TAN forest drops edges of information below n^-beta");
    field("seed", o.seed, Interval{0, 0x1p53}, "of all folds that are drawn");
  }
};

}  // namespace dyad
