// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/grid2d.h"

#include <cassert>
#include <numbers>

#include "dyad/base/engine.h"
#include "dyad/base/text.h"
#include "dyad/base/vector_math.h"
#include "dyad/data/summary.h"
#include "dyad/density/internal/own_kernel.h"

namespace dyad {
namespace {

constexpr double step_in_bandwidths = 0.45;

AxisNeeds needs_of(double bandwidth, std::size_t grid) {
  return {.finest = step_in_bandwidths * bandwidth,
          .coarsest = step_in_bandwidths * bandwidth,
          .margin = axis_margin * bandwidth,
          .most = std::min(2 * grid, most_nodes)};
}

/// The counts of rows smoothed along v, then along u.
std::vector<double> smoothed(const PairCounts& counts, double unit, const std::vector<double>& kernel_u,
                             const std::vector<double>& kernel_v) {
  const std::size_t n_u = counts.n_x();
  const std::size_t n_v = counts.n_y();
  const std::size_t reach_u = kernel_u.size() - 1;
  const std::size_t reach_v = kernel_v.size() - 1;
  const double one = static_cast<double>(PairCounts::one) / unit;
  std::vector<double> row(n_v + 2 * reach_v);
  std::vector<double> half((n_u + 2 * reach_u) * n_v);
  for (std::size_t a = 0; a < n_u; ++a) {
    const auto from = counts.values().subspan(a * n_v, n_v);
    if (std::ranges::all_of(from, [](std::int64_t count) { return count == 0; })) continue;
    std::ranges::transform(from, row.begin() + static_cast<std::ptrdiff_t>(reach_v),
                           [one](std::int64_t count) { return static_cast<double>(count) / one; });
    convolve(row.data() + reach_v, 1, kernel_v, {half.data() + (a + reach_u) * n_v, n_v});
  }
  std::vector<double> result(n_u * n_v);
  for (std::size_t a = 0; a < n_u; ++a)
    convolve(half.data() + (a + reach_u) * n_v, static_cast<std::ptrdiff_t>(n_v), kernel_u,
             {result.data() + a * n_v, n_v});
  return result;
}

Grid2d fit_grid(const ScaledColumn& x, const ScaledColumn& y, const ShearedKernel& kernel, std::size_t grid) {
  return smooth(bin_pair(make_frame(x, y, kernel, grid), x.values, y.values, x.weights)).grid;
}

}  // namespace

double longest_axis(std::size_t grid) {
  const AxisNeeds needs = needs_of(1, grid);
  return static_cast<double>(needs.most - 1) * needs.coarsest - 2 * needs.margin;
}

Frame2d make_frame(const ScaledColumn& x, const ScaledColumn& y, const ShearedKernel& kernel,
                   std::size_t grid) {
  Frame2d frame{x.scaling, y.scaling, kernel, axis_over(x.values, needs_of(kernel.h_u, grid), x.weights), {}};
  frame.v = axis_beside(frame.u, x.values, sheared_values(x.values, y.values, kernel.shear),
                        needs_of(kernel.h_v, grid), x.weights);
  return frame;
}

PlacedRows place_rows(const Frame2d& frame, std::span<const float> x, std::span<const float> y,
                      const WeightsView& weights) {
  return place_rows(frame.u, x, frame.v, sheared_values(x, y, frame.kernel.shear), weights);
}

BinnedPair bin_pair(const Frame2d& frame, std::span<const float> x, std::span<const float> y,
                    const WeightsView& weights) {
  const PlacedRows placed = place_rows(frame, x, y, weights);
  BinnedPair pair{frame, PairCounts(frame.u.size, frame.v.size), weights.unit, placed.rows.n_rows};
  pair.counts.fill_quadratic(placed.u, placed.v, placed.weights);
  return pair;
}

FittedGrid2d smooth(const BinnedPair& pair, double factor) {
  const Frame2d& frame = pair.frame;
  FittedGrid2d fitted{.grid = {frame, {}}, .n_rows = pair.n_rows};
  ShearedKernel& kernel = fitted.grid.frame.kernel;
  kernel.h_u *= factor;
  kernel.h_v *= factor;
  fitted.kernel_u = node_kernel(narrowed(kernel.h_u, frame.u.step), frame.u.step);
  fitted.kernel_v = node_kernel(narrowed(kernel.h_v, frame.v.step), frame.v.step);
  fitted.densities = smoothed(pair.counts, pair.unit, fitted.kernel_u, fitted.kernel_v);
  const double shift = std::log(pair.n_rows) + std::log(frame.x.scale) + std::log(frame.y.scale);
  fitted.grid.table = make_log_table(fitted.densities, frame.u.size, frame.v.size, shift);
  return fitted;
}

Grid2d fit_grid2d(std::span<const double> x, std::span<const double> y, BandwidthRule rule,
                  std::size_t grid) {
  require_finite_pairs(x, y, "density");
  require_grid(grid, "density");
  const ScaledColumn column_x = scaled_column(x);
  const ScaledColumn column_y = scaled_column(y);
  return fit_grid(column_x, column_y, counts_bandwidth_2d(column_x, column_y, rule), grid);
}

Grid2d make_grid2d(std::span<const double> x, std::span<const double> y, const Symmetric2& H,
                   std::size_t grid) {
  require_finite_pairs(x, y, "density");
  require_grid(grid, "density");
  const ScaledColumn column_x = scaled_column(x);
  const ScaledColumn column_y = scaled_column(y);
  const double s_x = column_x.scaling.scale;
  const double s_y = column_y.scaling.scale;
  const Symmetric2 unit{H.xx / s_x / s_x, H.xy / s_x / s_y, H.yy / s_y / s_y};
  if (!(unit.xx > 0 && determinant(unit) > 0))
    throw std::invalid_argument("density: the bandwidth matrix is not positive definite, got (" +
                                number_text(H.xx) + ", " + number_text(H.xy) + ", " + number_text(H.yy) +
                                ")");
  return fit_grid(column_x, column_y, sheared(unit), grid);
}

void log_density(const Grid2d& grid, std::span<const double> x, std::span<const double> y,
                 std::span<double> out) {
  assert(x.size() == out.size() && y.size() == out.size());
  if (!all_finite(x) || !all_finite(y)) require_finite_pairs(x, y, "log_density");
  const Frame2d& frame = grid.frame;
  std::array<double, Located::most> u{};
  std::array<double, Located::most> v{};
  Located at_u;
  Located at_v;
  for (std::size_t first = 0; first < x.size(); first += Located::most) {
    const std::size_t count = std::min(Located::most, x.size() - first);
    for (std::size_t i = 0; i < count; ++i) {
      u[i] = frame.x(x[first + i]);
      v[i] = frame.y(y[first + i]) - frame.kernel.shear * u[i];
    }
    locate({u.data(), count}, frame.u, frame.kernel.h_u, at_u);
    locate({v.data(), count}, frame.v, frame.kernel.h_v, at_v);
    look_up(grid.table, at_u, at_v, frame.v.size, out.subspan(first, count));
  }
}

void leave_out_own(const FittedGrid2d& fitted, std::span<const float> x, std::span<const float> y,
                   std::span<double> out, const WeightsView& weights) {
  constexpr std::size_t corners = 4;
  const Frame2d& frame = fitted.grid.frame;
  const auto u_places = places_on(frame.u, x);
  const auto v_places = places_on(frame.v, sheared_values(x, y, frame.kernel.shear));
  std::vector<double> rests(corners * x.size(), 1.0);
  std::vector<double> corner_weights(corners * x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (u_places[i] < 0 || v_places[i] < 0) continue;
    const auto share_u = internal::own_share(fitted.kernel_u, u_places[i]);
    const auto share_v = internal::own_share(fitted.kernel_v, v_places[i]);
    const double own_weight = std::min(1.0, weights[i]);
    for (std::size_t k = 0; k < corners; ++k) {
      const std::size_t a = k / 2;
      const std::size_t b = k % 2;
      rests[corners * i + k] =
          internal::rest_share(fitted.densities[(share_u.cell + a) * frame.v.size + share_v.cell + b],
                               share_u.own[a] * share_v.own[b] * own_weight);
      corner_weights[corners * i + k] = share_u.weights[a] * share_v.weights[b];
    }
  }
  take_logarithms(rests);
  const internal::OneLess one_less(fitted.n_rows);
  for (std::size_t i = 0; i < x.size(); ++i) {
    out[i] += one_less(weights[i]);
    for (std::size_t k = corners * i; k < corners * (i + 1); ++k) out[i] += corner_weights[k] * rests[k];
  }
}

void add_own_beyond_axes(const FittedGrid2d& fitted, std::span<const float> x, std::span<const float> y,
                         std::span<double> out, const WeightsView& weights) {
  const Frame2d& frame = fitted.grid.frame;
  const auto u_places = places_on(frame.u, x);
  const auto v_places = places_on(frame.v, sheared_values(x, y, frame.kernel.shear));
  const double own = -std::log(fitted.n_rows * 2 * std::numbers::pi * frame.kernel.h_u * frame.kernel.h_v) -
                     std::log(frame.x.scale) - std::log(frame.y.scale);
  for (std::size_t i = 0; i < x.size(); ++i)
    if (u_places[i] < 0 || v_places[i] < 0) out[i] = std::max(out[i], own + std::log(weights[i]));
}

}  // namespace dyad
