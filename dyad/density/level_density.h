// Densities of features that are categories or have missing values: shares of levels, and within them
// densities of what is a number.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <variant>

#include "dyad/density/grid1d.h"
#include "dyad/density/grid2d.h"
#include "dyad/density/kde1d.h"
#include "dyad/density/kde2d.h"

namespace dyad {

/// The levels of a feature. Those of a category are its codes; all numbers are one level. A missing value is
/// one more, if any was met.
struct LevelAxis {
  bool is_number = false;
  bool has_missing = false;
  std::size_t n_levels = 1;  ///< that of missing values, the last, included

  /// Whether there is nothing but numbers.
  [[nodiscard]] bool is_plain() const { return is_number && !has_missing; }
  /// Whether values of this level are numbers.
  [[nodiscard]] bool has_numbers(std::size_t level) const { return is_number && level == 0; }
  /// The level of a number, a code, or NaN; n_levels if it was never met.
  [[nodiscard]] std::size_t level(double value) const {
    if (std::isnan(value)) return has_missing ? n_levels - 1 : n_levels;
    if (is_number) return 0;
    const std::size_t n_codes = n_levels - (has_missing ? 1 : 0);
    return value >= 0 && value < static_cast<double>(n_codes) ? static_cast<std::size_t>(value) : n_levels;
  }
  bool operator==(const LevelAxis&) const = default;
};

/// A density of numbers, and how many rows it is made of.
struct NumberDensity {
  std::variant<Kde1d, Kde2d, Grid1d, Grid2d> density;
  double n_rows = 0;

  bool operator==(const NumberDensity&) const = default;
};

/// p(x, y) = share of the levels of x and y, times the density of those of x and y that are numbers:
///   one number   (n f(x) + level_rows m(x)) / (n + level_rows), f of the n rows with these levels, m of all
///   rows of the class two numbers  f(x, y) of the rows that have both.
/// Into m and f(x, y), prior_rows pseudo-observations are mixed. One feature has an axis y of one level
/// without numbers.
struct LevelDensity {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  LevelAxis x;
  LevelAxis y;
  double level_rows = 0;
  double prior_rows = 0;
  std::vector<double> log_shares;    ///< x.n_levels by y.n_levels
  std::vector<NumberDensity> parts;  ///< densities of numbers
  std::vector<std::size_t>
      cells;                    ///< x.n_levels by y.n_levels: which part is that of its rows alone, or none
  std::size_t margin_x = none;  ///< which part is m(x)
  std::size_t margin_y = none;

  [[nodiscard]] std::size_t n_cells() const { return x.n_levels * y.n_levels; }
  bool operator==(const LevelDensity&) const = default;
};

/// Shares of the levels of one class by their counts (n_x by n_y): those of one feature are drawn to `prior`,
/// the shares in all classes, as by level_rows rows; those of a pair to the product of the features', as by
/// so many rows in each level of either.
[[nodiscard]] std::vector<double> level_shares(std::span<const double> counts,
                                               std::span<const double> prior_x,
                                               std::span<const double> prior_y, double level_rows);

/// How many rows of a class have the levels of a cell.
struct CellCounts {
  double both = 0;  ///< those of x and y
  double x = 0;     ///< that of x
  double y = 0;
  double all = 0;  ///< any
};

/// The share of one cell alone. `is_pair` says whether both axes have more levels than one.
[[nodiscard]] double level_share(const CellCounts& counts, double prior_x, double prior_y, bool is_pair,
                                 double level_rows);

/// out[i] = log p(x[i], y[i]); y is x for one feature. NaN if a value's level was never met, below any floor
/// if its share is 0.
void log_density(const LevelDensity& density, std::span<const double> x, std::span<const double> y,
                 std::span<double> out);

/// Log densities of one part at some of the rows, given by their positions and their values of the features
/// that the part is of.
using PartValues =
    std::function<void(std::size_t part, std::span<const std::size_t> rows, std::span<const double> x,
                       std::span<const double> y, std::span<double> out)>;

/// The same with log shares of each row's cell and log densities of the parts from elsewhere.
void combine_parts(const LevelDensity& density, std::span<const double> x, std::span<const double> y,
                   const std::function<double(std::size_t row, std::size_t cell)>& log_share,
                   const PartValues& values_of_part, std::span<double> out);

}  // namespace dyad
