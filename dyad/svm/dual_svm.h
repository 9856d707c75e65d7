// Support vector machines with the hinge loss, solved in the dual from a Gram matrix (paper, algorithm 1,
// step 4).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/base/options.h"

namespace dyad {

enum class Intercept {
  free,      ///< not penalised (LIBSVM, the paper)
  penalised  ///< the weight of a constant feature 1, penalised as the others
};
inline constexpr Names<2> intercept_names{"free", "penalised"};

/// What a margin m = y_i (w.x_i + b) costs.
enum class Loss {
  hinge,          ///< max(0, 1 - m) (the paper)
  squared_hinge,  ///< max(0, 1 - m)^2
  logistic        ///< log(1 + exp(-m)), as FANS has it (Fan, Feng, Jiang and Tong 2016)
};
inline constexpr Names<3> loss_names{"hinge", "squared_hinge", "logistic"};

/// What weights cost.
enum class Penalty {
  l2,          ///< |w|^2 / 2 (the paper)
  l1,          ///< sum_j |w_j|, which makes weights 0
  elastic_net  ///< l1_ratio sum_j |w_j| + (1 - l1_ratio) |w|^2 / 2
};
inline constexpr Names<3> penalty_names{"l2", "l1", "elastic_net"};

/// What C may be.
inline constexpr Interval cost_range{positive.low, 1e6};

struct SvmOptions {
  double C = 1;
  Intercept intercept = Intercept::free;
  double tolerance = 1e-4;
  std::int64_t max_iterations = 10'000'000;
  Loss loss = Loss::hinge;
  Penalty penalty = Penalty::l2;
  double l1_ratio = 0.5;

  static void describe(auto& o, auto&& field) {
    field("C", o.C, cost_range, "cost of a margin violation");
    field("intercept", o.intercept, intercept_names, "whether the intercept is penalised");
    field("tolerance", o.tolerance, positive,
          "stop when the duality gap is below this share of the objective");
    field("max_iterations", o.max_iterations, at_least_one, "steps before giving up");
    field("loss", o.loss, loss_names, "what rows on the wrong side of their margin cost");
    field("penalty", o.penalty, penalty_names, "what weights cost; l1 and elastic_net make some of them 0");
    field("l1_ratio", o.l1_ratio, fraction, "share of the absolute values in --penalty elastic_net");
  }
};

/// Throws std::invalid_argument if a field is out of range, or the penalty does not go with the loss.
void require_valid(const SvmOptions& options);

/// Solution of   min over f, b:  |f|^2 / 2 + sum_i C w_i max(0, 1 - y_i (f(x_i) + b)),
/// f(x) = sum_i alpha_i y_i k(x_i, x); with a penalised intercept b^2 / 2 is added.
struct SvmSolution {
  std::vector<double> alpha;  ///< dual variables, 0 <= alpha_i <= C w_i
  double intercept = 0;       ///< b
  double C = 0;               ///< what it was solved with
  double norm = 0;            ///< |f|, with a penalised intercept included
  double objective = 0;       ///< primal
  double gap = 0;             ///< (primal - dual) / primal
  bool converged = false;     ///< gap <= tolerance
  std::int64_t iterations = 0;
};

/// Solves the dual by sequential minimal optimisation with second-order working sets (Fan, Chen and Lin
/// 2005); greedy single steps where the intercept is penalised. `gram` is the n x n matrix k(x_i, x_k), y_i
/// is +1 or -1, `weights` has a w_i >= 0 for each row (empty: all 1). `warm` is the alpha of a related
/// problem: it is clipped into the box, and used if it then still satisfies the dual's equation. O(n) per
/// step, O(n^2) at the start. Throws std::invalid_argument if sizes differ, a label is not +1 or -1, or the options ask for another loss
/// or penalty.
[[nodiscard]] SvmSolution solve_svm(const MatrixView& gram, std::span<const double> y,
                                    std::span<const double> weights, const SvmOptions& options,
                                    std::span<const double> warm = {}, const Execution& execution = {});

/// The Ivanov form of the paper's theory (section 4): minimises the loss subject to |f| <= norm_bound (> 0), by solving for the
/// C whose solution has that norm (options.C is not used): |f| is then between 0.9999 norm_bound and norm_bound. Where |f|
/// stops growing before the bound, or C reaches 10 000, that solution is returned.
[[nodiscard]] SvmSolution solve_svm_within(const MatrixView& gram, std::span<const double> y,
                                           std::span<const double> weights, const SvmOptions& options,
                                           double norm_bound, const Execution& execution = {});

}  // namespace dyad
