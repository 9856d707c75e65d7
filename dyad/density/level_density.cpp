// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/level_density.h"

#include "dyad/base/gather.h"
#include "dyad/base/vector_math.h"
#include "dyad/density/pseudo_rows.h"

namespace dyad {
namespace {

constexpr double impossible = -1e30;  ///< logarithm of 0: below any floor

/// The positions of rows by their cells; those of rows whose levels were never met are left out, and their
/// values set to NaN.
std::vector<std::vector<std::size_t>> rows_by_cell(const LevelDensity& density, std::span<const double> x,
                                                   std::span<const double> y, std::span<double> out) {
  std::vector<std::vector<std::size_t>> cells(density.n_cells());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t a = density.x.level(x[i]);
    const std::size_t b = density.y.n_levels == 1 && !density.y.is_number ? 0 : density.y.level(y[i]);
    if (a < density.x.n_levels && b < density.y.n_levels)
      cells[a * density.y.n_levels + b].push_back(i);
    else
      out[i] = std::numeric_limits<double>::quiet_NaN();
  }
  return cells;
}

/// The parts of a density at the rows of one cell.
struct CellValues {
  const LevelDensity& density;
  const PartValues& values_of_part;
  std::span<const std::size_t> rows;
  std::vector<double> x;  ///< of the rows
  std::vector<double> y;

  /// Log density of the numbers of x and y among the rows of the cell; of neither it is 0.
  [[nodiscard]] std::vector<double> of_numbers(std::size_t part, bool has_x, bool has_y) const {
    if (has_x && has_y) return of_both(part);
    if (!has_x && !has_y) return std::vector<double>(rows.size(), 0.0);
    const auto& t = has_x ? x : y;
    auto values = of_margin(has_x ? density.margin_x : density.margin_y, t);
    if (part == LevelDensity::none) return values;
    const auto own = of_part(part, t, t);
    const double n = density.parts[part].n_rows;
    const double kept = std::log(n / (n + density.level_rows));
    const double drawn =
        density.level_rows > 0 ? std::log(density.level_rows / (n + density.level_rows)) : impossible;
    std::vector<double> result(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      result[i] = own[i] + kept;
      values[i] += drawn;
    }
    add_in_logarithms(values, result);
    return result;
  }

  [[nodiscard]] std::vector<double> of_part(std::size_t part, const std::vector<double>& s,
                                            const std::vector<double>& t) const {
    std::vector<double> values(rows.size());
    values_of_part(part, rows, s, t, values);
    return values;
  }

  [[nodiscard]] std::vector<double> of_margin(std::size_t part, const std::vector<double>& t) const {
    auto values =
        part == LevelDensity::none ? std::vector<double>(t.size(), impossible) : of_part(part, t, t);
    mix_in(part, t, {}, values);
    return values;
  }

  [[nodiscard]] std::vector<double> of_both(std::size_t part) const {
    if (part != LevelDensity::none) {
      auto values = of_part(part, x, y);
      mix_in(part, x, y, values);
      return values;
    }
    auto values = of_margin(density.margin_x, x);
    const auto others = of_margin(density.margin_y, y);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] += others[i];
    return values;
  }

  void mix_in(std::size_t part, std::span<const double> s, std::span<const double> t,
              std::span<double> values) const {
    constexpr double next_to_none = 1e-9;
    if (density.prior_rows == 0) return;
    mix_in_pseudo_rows(density.prior_rows,
                       part == LevelDensity::none ? next_to_none : density.parts[part].n_rows, s, t, values);
  }
};

}  // namespace

double level_share(const CellCounts& counts, double prior_x, double prior_y, bool is_pair,
                   double level_rows) {
  const auto drawn = [&](double count, double total, double prior) {
    return total + level_rows > 0 ? (count + level_rows * prior) / (total + level_rows) : prior;
  };
  const double share_x = drawn(counts.x, counts.all, prior_x);
  const double share_y = drawn(counts.y, counts.all, prior_y);
  if (!is_pair) return share_x * share_y;
  return (share_x * drawn(counts.both, counts.x, share_y) + share_y * drawn(counts.both, counts.y, share_x)) /
         2;
}

std::vector<double> level_shares(std::span<const double> counts, std::span<const double> prior_x,
                                 std::span<const double> prior_y, double level_rows) {
  const std::size_t n_x = prior_x.size();
  const std::size_t n_y = prior_y.size();
  std::vector<double> counts_x(n_x);
  std::vector<double> counts_y(n_y);
  for (std::size_t a = 0; a < n_x; ++a)
    for (std::size_t b = 0; b < n_y; ++b) {
      counts_x[a] += counts[a * n_y + b];
      counts_y[b] += counts[a * n_y + b];
    }
  const double n = std::accumulate(counts_x.begin(), counts_x.end(), 0.0);
  std::vector<double> shares(n_x * n_y);
  for (std::size_t a = 0; a < n_x; ++a)
    for (std::size_t b = 0; b < n_y; ++b)
      shares[a * n_y + b] = level_share({counts[a * n_y + b], counts_x[a], counts_y[b], n}, prior_x[a],
                                        prior_y[b], n_x > 1 && n_y > 1, level_rows);
  return shares;
}

void combine_parts(const LevelDensity& density, std::span<const double> x, std::span<const double> y,
                   const std::function<double(std::size_t row, std::size_t cell)>& log_share,
                   const PartValues& values_of_part, std::span<double> out) {
  const auto cells = rows_by_cell(density, x, y, out);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    if (cells[cell].empty()) continue;
    const bool has_x = density.x.has_numbers(cell / density.y.n_levels);
    const bool has_y = density.y.has_numbers(cell % density.y.n_levels);
    const auto& rows = cells[cell];
    const CellValues parts{density, values_of_part, rows, gather(x, rows), gather(y, rows)};
    const auto values = parts.of_numbers(density.cells[cell], has_x, has_y);
    for (std::size_t k = 0; k < rows.size(); ++k) out[rows[k]] = log_share(rows[k], cell) + values[k];
  }
}

void log_density(const LevelDensity& density, std::span<const double> x, std::span<const double> y,
                 std::span<double> out) {
  const auto values_of_part = [&](std::size_t part, std::span<const std::size_t>, std::span<const double> xs,
                                  std::span<const double> ys, std::span<double> values) {
    std::visit(
        [&](const auto& grid) {
          if constexpr (requires { log_density(grid, xs, ys, values); })
            log_density(grid, xs, ys, values);
          else
            log_density(grid, xs, values);
        },
        density.parts[part].density);
  };
  combine_parts(
      density, x, y, [&](std::size_t, std::size_t cell) { return density.log_shares[cell]; }, values_of_part,
      out);
}

}  // namespace dyad
