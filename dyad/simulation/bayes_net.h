// Bayesian networks of real values, each node a mixture around sums of its parents: rows drawn from them, and
// the log density of any row.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/base/options.h"

namespace dyad {

enum class Noise { normal, student };  ///< N(0, 1), or Student's t with 5 degrees of freedom
inline constexpr Names<2> noise_names{"normal", "student"};

/// One case of a node's distribution given its parents, s being the sum of their values: shift + s + scale *
/// noise, or shift + s * scale * noise.
struct Component {
  double probability = 1;
  Noise noise = Noise::normal;
  double shift = 0;
  double scale = 1;
  bool multiplies = false;  ///< the second: parents multiply the noise
  std::vector<std::size_t> parents;
};

/// Its components; their probabilities add up to 1.
using Node = std::vector<Component>;

/// The nodes that its components name, ascending.
[[nodiscard]] std::vector<std::size_t> parents_of(const Node& node);

class BayesNet {
 public:
  /// Throws std::invalid_argument if parents form a circle or do not exist, probabilities do not add up to 1,
  /// or a scale is not positive.
  explicit BayesNet(std::vector<Node> nodes);

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }

  /// Rows drawn independently, one column a node. Row i is the same for any number of rows.
  [[nodiscard]] Matrix sample(std::size_t n_rows, std::uint64_t seed, const Execution& execution = {}) const;

  /// Log density of each row of X. Throws std::invalid_argument if X has another number of columns than
  /// nodes.
  [[nodiscard]] std::vector<double> log_density(const MatrixView& X, const Execution& execution = {}) const;

 private:
  std::vector<Node> nodes_;
  std::vector<std::size_t> order_;  ///< parents before their children
};

}  // namespace dyad
