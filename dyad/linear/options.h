// Options of the linear solvers: loss, penalty, C and stopping rule.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dyad/base/options.h"
#include "dyad/linear/losses.h"

namespace dyad {

/// Penalty of the weights.
enum class Penalty {
  l2,          ///< |w|^2 / 2 (the paper)
  l1,          ///< sum_j |w_j|, which makes weights 0
  elastic_net  ///< l1_ratio sum_j |w_j| + (1 - l1_ratio) |w|^2 / 2
};
inline constexpr Names<3> penalty_names{"l2", "l1", "elastic_net"};

/// Allowed values of C.
inline constexpr Interval cost_range{positive.low, 1e6};

struct SvmOptions {
  double C = 1;
  double tolerance = 1e-4;
  std::int64_t max_iterations = 10'000'000;
  Loss loss = Loss::hinge;
  Penalty penalty = Penalty::l2;
  double l1_ratio = 0.5;

  static void describe(auto& o, auto&& field) {
    field("C", o.C, cost_range, "cost of margin violations; smaller values shrink the weights more");
    field("tolerance", o.tolerance, positive,
          "stop when the duality gap is below this share of the objective");
    field("max_iterations", o.max_iterations, at_least_one, "largest number of solver steps");
    field("loss", o.loss, loss_names, "loss of a row as a function of its margin");
    field("penalty", o.penalty, penalty_names,
          "penalty of the weights; l1 and elastic_net set some of them to 0");
    field("l1_ratio", o.l1_ratio, fraction, "share of the l1 part in --penalty elastic_net");
  }
};

/// Throws std::invalid_argument if a field is out of range, or if the penalty needs a smooth loss.
inline void require_valid(const SvmOptions& options) {
  validate(options);
  if (options.penalty == Penalty::l2 || options.loss != Loss::hinge) return;
  std::string smooth;
  for (std::size_t k = 1; k < loss_names.size(); ++k)
    smooth += (k == 1 ? "" : " or ") + std::string(loss_names[k]);
  throw std::invalid_argument("penalty=" + std::string(name_of(penalty_names, options.penalty)) +
                              " requires loss=" + smooth + ", got hinge");
}

}  // namespace dyad
