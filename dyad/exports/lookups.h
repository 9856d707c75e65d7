// A model as a sum of look-ups: the one description that every export is written from.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/model/model.h"

namespace dyad {

/// log density of one feature x, or of two, in their coordinates (z for a number, the code of a level):
///
///   u = (z_x - centre_x) / scale_x,  v = (z_y - centre_y) / scale_y - shear u,  quotients within +-limit.
///
/// With nodes it is height - unit (depth interpolated linearly between the nodes around u, v), and beyond an
/// axis it falls by d (s - d / 2), as `look_up` says. With points it is height + log sum_i exp(-r_i^2 / 2),
/// r_i the distance of (u, v) from point i.
struct DensityLookup {
  std::size_t x = 0;
  std::size_t y = 0;  ///< x for one feature
  double limit = 0;
  double centre_x = 0;
  double scale_x = 1;
  double centre_y = 0;
  double scale_y = 1;
  double shear = 0;
  Axis axis_u;
  Axis axis_v;  ///< of one node for one feature
  double bandwidth_u = 1;
  double bandwidth_v = 1;
  double height = 0;
  double unit = 0;          ///< 0: points
  std::size_t first = 0;    ///< among `Lookups::depths`, or among the points
  std::size_t n_nodes = 0;  ///< or points

  [[nodiscard]] bool is_pair() const { return x != y; }
  [[nodiscard]] bool has_points() const { return unit == 0; }
};

/// A part exp(log_weight) of the density with this number.
struct MixturePart {
  double log_weight = 0;
  std::size_t density = 0;
};

/// The parts first, .., first + count - 1 of `Lookups::parts`, 1 to 3 of them:
/// log sum exp(log_weight + log density).
struct Mixture {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// The value of a term where its features have certain levels: log_share + its mixtures, of which it has
/// 0, 1 or 2.
struct CellLookup {
  double log_share = 0;
  std::vector<Mixture> mixtures;
};

/// The cuts first, .., first + count - 1 of `Lookups::cuts`: a number has the level of as many as are not
/// above it.
///
/// Cuts may be nodes instead: the value of the term is linear between those around the number, and that of
/// the first or last beyond them.
struct CutLookup {
  std::size_t first = 0;
  std::size_t count = 0;
  bool are_nodes = false;
};

/// The deviation of a term from its centre. A linear term: z_x - centre. Others: max(value, floor) - centre
/// in the cell level(x) * levels_y.n_levels + level(y); 0 where a level was never met, and for two features
/// the sum of the deviations of `own_x` and `own_y` there. A contribution is weight * deviation. A free table
/// has cells without mixtures, and levels of numbers by cuts.
struct TermLookup {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  TermKey key;
  LevelAxis levels_x;
  LevelAxis levels_y;  ///< one level without numbers for one feature
  CutLookup cuts_x;
  CutLookup cuts_y;
  std::size_t first_cell = 0;  ///< among `Lookups::cells`
  double floor = 0;
  double centre = 0;
  std::size_t own_x = none;  ///< the term of x alone in the same class
  std::size_t own_y = none;

  [[nodiscard]] bool has_nodes() const { return cuts_x.are_nodes || cuts_y.are_nodes; }
};

/// Scores, calibration and costs are those of the model.
struct Lookups {
  const Model* model = nullptr;  ///< must outlive this
  std::vector<DensityLookup> densities;
  std::vector<std::uint16_t> depths;
  std::vector<double> points_u;
  std::vector<double> points_v;
  std::vector<MixturePart> parts;
  std::vector<CellLookup> cells;
  std::vector<double> cuts;
  std::vector<TermLookup> terms;  ///< in the order of the model's
};

/// The look-ups of a model. O(bytes of the model).
[[nodiscard]] Lookups lookups_of(const Model& model);

/// A coordinate of a feature: the model's, or none at all (z = x).
[[nodiscard]] const Coordinate* coordinate_of(const Model& model, std::size_t feature);

}  // namespace dyad
