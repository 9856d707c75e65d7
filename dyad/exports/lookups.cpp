// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/exports/lookups.h"

#include <map>
#include <numbers>

namespace dyad {
namespace {

constexpr double table_limit = 1e30;    // of Scaling
constexpr double points_limit = 1e150;  // squares of distances stay finite
constexpr double prior_deviation = 1.5;
constexpr double log_of_nothing = -1e30;  // logarithm of 0: below any floor

double log_root_of_two_pi() { return 0.5 * std::log(2 * std::numbers::pi); }

/// The features that a density is of.
struct DensityFeatures {
  std::size_t x = 0;
  std::size_t y = 0;  ///< x for one feature
};

/// Collects the look-ups of a model.
class Collector {
 public:
  explicit Collector(const Model& model) { lookups_.model = &model; }

  void add_term(const Term& term) {
    TermLookup to{.key = static_cast<const TermKey&>(term),
                  .first_cell = lookups_.cells.size(),
                  .floor = term.floor,
                  .centre = term.centre};
    if (const auto* const density = std::get_if<LevelDensity>(&term.density)) {
      to.levels_x = density->x;
      to.levels_y = density->y;
      add_cells(term, *density);
    } else if (const auto* const table = std::get_if<FreeTable>(&term.density)) {
      to.levels_x = levels_of(table->x, to.cuts_x);
      if (term.is_pair()) to.levels_y = levels_of(table->y, to.cuts_y);
      to.floor = std::ranges::min(table->values);
      for (const double value : table->values) lookups_.cells.push_back({value, {}});
    } else {
      to.levels_x = {.is_number = true};
      to.levels_y = {.is_number = term.is_pair()};
      if (!term.is_linear()) add_plain_cell(term);
    }
    lookups_.terms.push_back(to);
  }

  [[nodiscard]] Lookups finished() && {
    std::map<std::pair<std::int32_t, std::size_t>, std::size_t> alone;
    for (std::size_t t = 0; t < lookups_.terms.size(); ++t)
      if (const TermKey& key = lookups_.terms[t].key; !key.is_pair() && key.is_density())
        alone[{key.class_code, key.i}] = t;
    const auto own = [&](const TermKey& key, std::size_t feature) {
      const auto found = alone.find({key.class_code, feature});
      return found == alone.end() ? TermLookup::none : found->second;
    };
    for (TermLookup& term : lookups_.terms) {
      if (!term.key.is_pair() || term.key.is_table) continue;
      term.own_x = own(term.key, term.key.i);
      term.own_y = own(term.key, term.key.j);
    }
    return std::move(lookups_);
  }

 private:
  // --- densities ---

  std::size_t add(const Grid1d& grid, const DensityFeatures& at) {
    return add_table({.x = at.x,
                      .y = at.x,
                      .centre_x = grid.scaling.centre,
                      .scale_x = grid.scaling.scale,
                      .axis_u = grid.axis,
                      .bandwidth_u = grid.bandwidth},
                     grid.table);
  }

  std::size_t add(const Grid2d& grid, const DensityFeatures& at) {
    const Frame2d& frame = grid.frame;
    return add_table({.x = at.x,
                      .y = at.y,
                      .centre_x = frame.x.centre,
                      .scale_x = frame.x.scale,
                      .centre_y = frame.y.centre,
                      .scale_y = frame.y.scale,
                      .shear = frame.kernel.shear,
                      .axis_u = frame.u,
                      .axis_v = frame.v,
                      .bandwidth_u = frame.kernel.h_u,
                      .bandwidth_v = frame.kernel.h_v},
                     grid.table);
  }

  std::size_t add_table(DensityLookup density, const LogTable& table) {
    density.limit = table_limit;
    density.height = table.top;
    density.unit = table.unit;
    density.first = lookups_.depths.size();
    density.n_nodes = table.depths.size();
    lookups_.depths.insert(lookups_.depths.end(), table.depths.begin(), table.depths.end());
    lookups_.densities.push_back(density);
    return lookups_.densities.size() - 1;
  }

  std::size_t add(const Kde1d& kde, const DensityFeatures& at) {
    const double h = kde.bandwidth;
    const double centre = kde.points[kde.points.size() / 2];
    std::vector<double> u;
    for (const double point : kde.points) u.push_back((point - centre) / h);
    const double height = -std::log(static_cast<double>(u.size())) - std::log(h) - log_root_of_two_pi();
    return add_points({.x = at.x, .y = at.x, .centre_x = centre, .scale_x = h, .height = height}, u,
                      std::vector<double>(u.size()));
  }

  std::size_t add(const Kde2d& kde, const DensityFeatures& at) {
    const double height = -std::log(static_cast<double>(kde.u.size())) - std::log(kde.L_xx) -
                          std::log(kde.L_yy) - std::log(kde.unit_x) - std::log(kde.unit_y) -
                          2 * log_root_of_two_pi();
    return add_points({.x = at.x,
                       .y = at.y,
                       .centre_x = kde.centre_x,
                       .scale_x = kde.unit_x * kde.L_xx,
                       .centre_y = kde.centre_y,
                       .scale_y = kde.unit_y * kde.L_yy,
                       .shear = kde.L_yx / kde.L_yy,
                       .height = height},
                      kde.u, kde.v);
  }

  std::size_t add(const Linear& /*linear*/, const DensityFeatures& /*at*/) { return 0; }
  std::size_t add(const LevelDensity& /*density*/, const DensityFeatures& /*at*/) { return 0; }
  std::size_t add(const FreeTable& /*table*/, const DensityFeatures& /*at*/) { return 0; }

  std::size_t add_points(DensityLookup density, const std::vector<double>& u, const std::vector<double>& v) {
    density.limit = points_limit;
    density.first = lookups_.points_u.size();
    density.n_nodes = u.size();
    lookups_.points_u.insert(lookups_.points_u.end(), u.begin(), u.end());
    lookups_.points_v.insert(lookups_.points_v.end(), v.begin(), v.end());
    lookups_.densities.push_back(density);
    return lookups_.densities.size() - 1;
  }

  /// The density of pseudo-observations: one point at 0 with the deviation 1.5 in each coordinate.
  std::size_t prior(const DensityFeatures& at) {
    const auto [found, is_new] = priors_.try_emplace({at.x, at.y}, lookups_.densities.size());
    if (is_new) {
      const double dimensions = at.x == at.y ? 1 : 2;
      add_points({.x = at.x,
                  .y = at.y,
                  .scale_x = prior_deviation,
                  .scale_y = prior_deviation,
                  .height = -dimensions * (std::log(prior_deviation) + log_root_of_two_pi())},
                 {0.0}, {0.0});
    }
    return found->second;
  }

  // --- mixtures ---

  /// A density of n rows with m pseudo-observations: log((n p + m g) / (n + m)), times exp(log_factor).
  /// Without a density, n is 1e-9.
  void mix_in_prior(std::vector<MixturePart>& parts, std::size_t density, double n, double m,
                    const DensityFeatures& at, double log_factor = 0) {
    constexpr double next_to_none = 1e-9;
    const bool is_there = density != LevelDensity::none;
    const double total = std::log((is_there ? n : next_to_none) + m);
    if (is_there) parts.push_back({log_factor + (m > 0 ? std::log(n) - total : 0), density});
    if (m > 0) parts.push_back({log_factor + std::log(m) - total, prior(at)});
  }

  Mixture mixture_of(const std::vector<MixturePart>& parts) {
    const Mixture mixture{lookups_.parts.size(), parts.size()};
    lookups_.parts.insert(lookups_.parts.end(), parts.begin(), parts.end());
    return mixture;
  }

  // --- cells ---

  /// The bins of a free table as levels: the intervals of a number, or the codes of a category, then gaps.
  LevelAxis levels_of(const BinAxis& axis, CutLookup& cuts) {
    cuts = {lookups_.cuts.size(), axis.cuts.size(), axis.has_nodes};
    lookups_.cuts.insert(lookups_.cuts.end(), axis.cuts.begin(), axis.cuts.end());
    return {.is_number = axis.n_levels == 0, .has_missing = true, .n_levels = axis.size()};
  }

  void add_plain_cell(const Term& term) {
    const DensityFeatures at{term.i, term.j};
    const std::size_t density = std::visit([&](const auto& of) { return add(of, at); }, term.density);
    std::vector<MixturePart> parts;
    mix_in_prior(parts, density, term.n_rows, term.prior_rows, at);
    lookups_.cells.push_back({0, {mixture_of(parts)}});
  }

  using Parts = std::vector<MixturePart>;

  /// The densities of the parts of a term that were added, by part and features.
  using Added = std::map<std::array<std::size_t, 3>, std::size_t>;

  /// Mixtures of the densities of the numbers in a cell.
  std::vector<Parts> mixtures_of(const Term& term, const LevelDensity& density, std::size_t cell,
                                 Added& added) {
    constexpr std::size_t none = LevelDensity::none;
    const auto density_of = [&](std::size_t part, const DensityFeatures& at) {
      if (part == none) return none;
      const auto [found, is_new] = added.try_emplace({part, at.x, at.y}, lookups_.densities.size());
      if (is_new) std::visit([&](const auto& of) { add(of, at); }, density.parts[part].density);
      return found->second;
    };
    const auto mix = [&](Parts& to, std::size_t part, const DensityFeatures& at, double log_factor = 0) {
      mix_in_prior(to, density_of(part, at), part == none ? 0 : density.parts[part].n_rows,
                   density.prior_rows, at, log_factor);
    };
    const bool has_x = density.x.has_numbers(cell / density.y.n_levels);
    const bool has_y = density.y.has_numbers(cell % density.y.n_levels);
    const std::size_t own = density.cells[cell];
    std::vector<Parts> mixtures;
    if (has_x && has_y && own != none) {
      mix(mixtures.emplace_back(), own, {term.i, term.j});
    } else if (has_x && has_y) {
      mix(mixtures.emplace_back(), density.margin_x, {term.i, term.i});
      mix(mixtures.emplace_back(), density.margin_y, {term.j, term.j});
    } else if (has_x || has_y) {
      const std::size_t margin = has_x ? density.margin_x : density.margin_y;
      const DensityFeatures at = has_x ? DensityFeatures{term.i, term.i} : DensityFeatures{term.j, term.j};
      Parts& parts = mixtures.emplace_back();
      const double r = density.level_rows;
      if (own == none) {
        mix(parts, margin, at);
      } else {
        const double n = density.parts[own].n_rows;
        parts.push_back({std::log(n / (n + r)), density_of(own, at)});
        if (r > 0) mix(parts, margin, at, std::log(r / (n + r)));
      }
    }
    return mixtures;
  }

  void add_cells(const Term& term, const LevelDensity& density) {
    Added added;
    for (std::size_t cell = 0; cell < density.n_cells(); ++cell) {
      CellLookup to{density.log_shares[cell], {}};
      for (const Parts& parts : mixtures_of(term, density, cell, added))
        if (parts.empty())
          to.log_share += log_of_nothing;
        else
          to.mixtures.push_back(mixture_of(parts));
      lookups_.cells.push_back(std::move(to));
    }
  }

  Lookups lookups_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> priors_;
};

}  // namespace

Lookups lookups_of(const Model& model) {
  Collector collector(model);
  for (const Term& term : model.terms) collector.add_term(term);
  return std::move(collector).finished();
}

const Coordinate* coordinate_of(const Model& model, std::size_t feature) {
  return model.coordinates.empty() ? nullptr : &model.coordinates[feature];
}

}  // namespace dyad
