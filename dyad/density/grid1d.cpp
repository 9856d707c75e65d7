// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/grid1d.h"

#include <cassert>
#include <numbers>

#include "dyad/base/engine.h"
#include "dyad/base/vector_math.h"
#include "dyad/data/summary.h"
#include "dyad/density/counts_bandwidth.h"
#include "dyad/density/internal/own_kernel.h"

namespace dyad {
namespace {

constexpr double finest = 0.25;
constexpr double coarsest = 0.5;
constexpr std::size_t nodes_per_grid = 16;

}  // namespace

BinnedColumn bin_column(const ScaledColumn& x, double bandwidth, std::size_t grid) {
  const Axis axis = axis_over(x.values,
                              {.finest = finest * bandwidth,
                               .coarsest = coarsest * bandwidth,
                               .margin = axis_margin * bandwidth,
                               .most = nodes_per_grid * grid},
                              x.weights);
  AxisCounts counts = counts_on(axis, x.values, x.weights);
  return {x.scaling, axis, bandwidth, std::move(counts.counts), x.weights.unit, counts.rows};
}

FittedGrid1d smooth(const BinnedColumn& column, double factor) {
  const double bandwidth = factor * column.bandwidth;
  const double step = column.axis.step;
  FittedGrid1d fitted{.kernel = node_kernel(narrowed(bandwidth, step), step), .n_rows = column.rows.n_rows};
  const std::size_t reach = fitted.kernel.size() - 1;
  std::vector<double> padded(column.counts.size() + 2 * reach);
  const double one = place_steps / column.unit;
  std::ranges::transform(column.counts, padded.begin() + static_cast<std::ptrdiff_t>(reach),
                         [one](std::int64_t count) { return static_cast<double>(count) / one; });
  fitted.densities.resize(column.counts.size());
  convolve(padded.data() + reach, 1, fitted.kernel, fitted.densities);
  const double shift = std::log(column.rows.n_rows) + std::log(column.scaling.scale);
  fitted.grid = {column.scaling, column.axis, bandwidth,
                 make_log_table(fitted.densities, column.axis.size, 1, shift)};
  return fitted;
}

Grid1d fit_grid1d(std::span<const double> x, BandwidthRule rule, std::size_t grid) {
  require_finite_sample(x, "density");
  require_grid(grid, "density");
  const ScaledColumn column = scaled_column(x);
  return smooth(bin_column(column, counts_bandwidth_1d(column, rule), grid)).grid;
}

Grid1d make_grid1d(std::span<const double> x, double bandwidth, std::size_t grid) {
  require_finite_sample(x, "density");
  require_grid(grid, "density");
  if (!(bandwidth > 0) || !std::isfinite(bandwidth))
    throw std::invalid_argument("density: the bandwidth must be positive and finite, got " +
                                number_text(bandwidth));
  const ScaledColumn column = scaled_column(x);
  return smooth(bin_column(column, bandwidth / column.scaling.scale, grid)).grid;
}

void log_density(const Grid1d& grid, std::span<const double> x, std::span<double> out) {
  assert(x.size() == out.size());
  if (!all_finite(x)) require_finite_sample(x, "log_density");
  std::array<double, Located::most> t{};
  Located located;
  for (std::size_t first = 0; first < x.size(); first += Located::most) {
    const std::size_t count = std::min(Located::most, x.size() - first);
    for (std::size_t i = 0; i < count; ++i) t[i] = grid.scaling(x[first + i]);
    locate({t.data(), count}, grid.axis, grid.bandwidth, located);
    look_up(grid.table, located, out.subspan(first, count));
  }
}

void leave_out_own(const FittedGrid1d& fitted, std::span<const float> x, std::span<double> out,
                   const WeightsView& weights) {
  const auto places = places_on(fitted.grid.axis, x);
  std::vector<double> rests(2 * x.size(), 1.0);
  std::vector<double> corner_weights(2 * x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (places[i] < 0) continue;
    const auto share = internal::own_share(fitted.kernel, places[i]);
    const double own_weight = std::min(1.0, weights[i]);
    for (std::size_t a = 0; a < 2; ++a) {
      rests[2 * i + a] = internal::rest_share(fitted.densities[share.cell + a], share.own[a] * own_weight);
      corner_weights[2 * i + a] = share.weights[a];
    }
  }
  take_logarithms(rests);
  const internal::OneLess one_less(fitted.n_rows);
  for (std::size_t i = 0; i < x.size(); ++i)
    out[i] += one_less(weights[i]) + corner_weights[2 * i] * rests[2 * i] +
              corner_weights[2 * i + 1] * rests[2 * i + 1];
}

void add_own_beyond_axis(const FittedGrid1d& fitted, std::span<const float> x, std::span<double> out,
                         const WeightsView& weights) {
  const auto places = places_on(fitted.grid.axis, x);
  const double own = -std::log(fitted.n_rows * fitted.grid.bandwidth * std::sqrt(2 * std::numbers::pi)) -
                     std::log(fitted.grid.scaling.scale);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (places[i] < 0) out[i] = std::max(out[i], own + std::log(weights[i]));
}

}  // namespace dyad
