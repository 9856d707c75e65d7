// Losses of linear classifiers. A new loss is an enumerator, a name and a struct here, plus its line in
// `with_smooth_loss`.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>

#include "dyad/base/options.h"

namespace dyad {

/// Loss of a margin m = y_i (w.x_i + b).
enum class Loss {
  hinge,          ///< max(0, 1 - m) (the paper)
  squared_hinge,  ///< max(0, 1 - m)^2
  logistic        ///< log(1 + exp(-m)), as in FANS (Fan, Feng, Jiang and Tong 2016)
};
inline constexpr Names<3> loss_names{"hinge", "squared_hinge", "logistic"};

/// The hinge has no curvature: its solvers work on the dual, where alpha_i is bounded by C_i.
struct Hinge {
  static double value(double margin) { return std::max(0.0, 1 - margin); }
};

// A smooth loss has a value; a slope -loss'(m) >= 0; a curvature loss''(m); and a conjugate, min over m of
// loss(m) + a m for a in the range of the slopes, from which the duality gap follows.

struct SquaredHinge {
  static double value(double margin) { return std::pow(std::max(0.0, 1 - margin), 2); }
  static double slope(double margin) { return 2 * std::max(0.0, 1 - margin); }
  static double curvature(double margin) { return margin < 1 ? 2 : 0; }  // at 1 from the left
  static double conjugate(double a) { return a - a * a / 4; }
};

struct Logistic {
  static double value(double margin) {
    return std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
  }
  static double slope(double margin) {
    const double e = std::exp(-std::abs(margin));
    return (margin > 0 ? e : 1) / (1 + e);
  }
  static double curvature(double margin) {
    const double e = std::exp(-std::abs(margin));
    return e / ((1 + e) * (1 + e));
  }
  static double conjugate(double a) {
    const auto part = [](double p) { return p > 0 ? -p * std::log(p) : 0; };
    return part(a) + part(1 - a);
  }
};

/// Returns visit(SquaredHinge{}) or whichever struct belongs to `loss`. Throws std::invalid_argument for the
/// hinge.
template <class Visit>
auto with_smooth_loss(Loss loss, const Visit& visit) {
  switch (loss) {
    case Loss::squared_hinge:
      return visit(SquaredHinge{});
    case Loss::logistic:
      return visit(Logistic{});
    case Loss::hinge:
      break;
  }
  throw std::invalid_argument("loss: expected a smooth loss, got hinge");
}

}  // namespace dyad
