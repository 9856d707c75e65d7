// The simulations of the paper's section 5.1: two classes, each a Bayesian network of its own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/execution.h"
#include "dyad/base/matrix_view.h"
#include "dyad/base/options.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/simulation/bayes_net.h"

namespace dyad {

/// One parent a node or three; given its parents a node is normal around their sum, or a mixture of Student's
/// t and two normals.
enum class Scenario { forest_normal, forest_complex, general_normal, general_complex };
inline constexpr Names<4> scenario_names{"forest-normal", "forest-complex", "general-normal",
                                         "general-complex"};

enum class NodeOrder { common, own };
inline constexpr Names<2> node_order_names{"common", "own"};
enum class RootPlaces { first, anywhere };
inline constexpr Names<2> root_places_names{"first", "anywhere"};
enum class MixtureDraw { row, node };
inline constexpr Names<2> mixture_draw_names{"row", "node"};
enum class ForestMixture { printed, product };
inline constexpr Names<2> forest_mixture_names{"printed", "product"};

struct SimulationOptions {
  int d = 20;
  double shared = 0;
  double roots = 0.25;
  RootPlaces root_places = RootPlaces::anywhere;
  NodeOrder node_order = NodeOrder::common;
  int window = 0;
  MixtureDraw mixture = MixtureDraw::row;
  ForestMixture forest_mixture = ForestMixture::printed;

  static void describe(auto& o, auto&& field) {
    field("d", o.d, Interval{1, 10000}, "number of features, the nodes of a network");
    field("shared", o.shared, fraction,
          "share of the nodes with the same parents and distribution in both classes");
    field("roots", o.roots, fraction, "share of the nodes without parents");
    field("root_places", o.root_places, root_places_names,
          "position of the nodes without parents in the order of the nodes");
    field("node_order", o.node_order, node_order_names,
          "order of the nodes, parents before children: common to both classes, or one per class");
    field("window", o.window, Interval{0, 10000},
          "number of preceding nodes that parents are drawn from; 0 for all");
    field("mixture", o.mixture, mixture_draw_names,
          "complex scenarios: Student's t or normals drawn for each row, or once for a node");
    field("forest_mixture", o.forest_mixture, forest_mixture_names,
          "forest-complex: Student's t plus the parent, as printed in the paper, or times the parent");
  }
};

/// What comes closest to the paper's errors of other classifiers, of what the paper leaves open.
[[nodiscard]] SimulationOptions calibrated_options(Scenario scenario);

/// A pair of networks drawn from a scenario. The same seed gives the same networks and rows.
class Simulation {
 public:
  /// Throws std::invalid_argument if an option is out of range, or nodes are to be shared without a common
  /// order.
  Simulation(Scenario scenario, const SimulationOptions& options, std::uint64_t seed);

  [[nodiscard]] const BayesNet& network(std::size_t class_code) const { return networks_.at(class_code); }

  /// Rows in random order, the share `imbalance` of them of class 0, the others of class 1. Another `draw`
  /// gives other rows of the same networks: such as test rows. Throws std::invalid_argument if a class would
  /// have none.
  [[nodiscard]] LabelledSample sample(std::size_t n_rows, double imbalance = 0.5, std::uint64_t draw = 0,
                                      const Execution& execution = {}) const;

  /// log p(row | class 1) - log p(row | class 0) of each row.
  [[nodiscard]] std::vector<double> log_likelihood_ratio(const MatrixView& X,
                                                         const Execution& execution = {}) const;

  /// Error of the best classifier where both classes are equally probable: mean over `n_rows` rows of the
  /// probability that the less probable class is the true one.
  [[nodiscard]] double bayes_error(std::size_t n_rows, const Execution& execution = {}) const;

 private:
  std::vector<BayesNet> networks_;
  std::uint64_t seed_;
};

}  // namespace dyad
