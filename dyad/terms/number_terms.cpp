// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/number_terms.h"

#include <iterator>
#include <numbers>

#include "dyad/base/gather.h"
#include "dyad/data/folds.h"
#include "dyad/data/summary.h"
#include "dyad/density/pseudo_rows.h"
#include "dyad/terms/term_context.h"

namespace dyad {
namespace {

/// The values ascending, each as often as its weight says, or `most_column_points` evenly spaced ones of
/// them.
constexpr std::size_t most_column_points = 2000;
std::vector<double> few_sorted(std::span<const double> x, const WeightsView& weights) {
  auto order = all_rows(x.size());
  std::ranges::sort(order, {}, [&](std::size_t row) { return x[row]; });
  const auto sorted = gather(x, order);
  return gather(sorted, repeated_rows(gather(weights, order), x.size(), most_column_points));
}

constexpr std::size_t most_points = 1000;
constexpr std::size_t nodes_worth_points = std::size_t{128} * 128;

/// log(n f - own) / (n - own's weight) from log f: the row's own kernel has the same height at any place.
template <class Kde>
void leave_out_own(const FittedPoints<Kde>& fitted, std::span<double> values, const WeightsView& weights) {
  const double n = fitted.n_rows;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double own = std::min(1.0, weights[i]);
    const double rest = std::expm1(values[i] - fitted.log_own) + (1 - own);
    values[i] = n - own > 1e-9 * n && rest > 1e-10 ? fitted.log_own + std::log(rest * n / (n - own)) : -1e30;
  }
}

/// A kernel of a pair for more rows than those at hand: narrower by a factor, but where its axes would not
/// hold all rows then. What is lost by rows in no count is more than what is gained by a narrower kernel.
ShearedKernel narrowed_by(double factor, const ShearedKernel& kernel, const ScaledColumn& x,
                          const ScaledColumn& y, std::size_t grid) {
  const auto factor_of = [&](std::span<const float> values, double bandwidth) {
    const auto [least, greatest] = std::ranges::minmax(values);
    const double span = static_cast<double>(greatest) - static_cast<double>(least);
    return std::clamp(span / (longest_axis(grid) * bandwidth), factor, 1.0);
  };
  return {kernel.shear, kernel.h_u * factor_of(x.values, kernel.h_u),
          kernel.h_v * factor_of(sheared_values(x.values, y.values, kernel.shear), kernel.h_v)};
}

/// The counts without the rows at `left_out`, n_rest rows by weight.
BinnedColumn without(BinnedColumn column, const DensityRows& rows, std::span<const std::size_t> left_out,
                     double n_rest) {
  column.rows = {.inside = n_rest, .n_rows = n_rest};
  const auto part =
      counts_on(column.axis, gather(rows.x.values, left_out), gather(rows.weights, left_out)).counts;
  std::ranges::transform(column.counts, part, column.counts.begin(), std::minus<>());
  return column;
}

BinnedPair without(BinnedPair pair, const DensityRows& rows, std::span<const std::size_t> left_out,
                   double n_rest) {
  pair.n_rows = n_rest;
  const RowWeights weights = gather(rows.weights, left_out);
  const PlacedRows placed =
      place_rows(pair.frame, gather(rows.x.values, left_out), gather(rows.y.values, left_out), weights);
  PairCounts part(pair.counts.n_x(), pair.counts.n_y());
  part.fill_quadratic(placed.u, placed.v, placed.weights);
  pair.counts -= part;
  return pair;
}

template <class Points>
Points without(Points points, const DensityRows&, std::span<const std::size_t> left_out, double) {
  std::vector<std::size_t> kept;
  std::ranges::set_difference(all_rows(points.x.size()), left_out, std::back_inserter(kept));
  points.x = gather(points.x, kept);
  points.weights = gather(points.weights, kept);
  if constexpr (requires { points.y; }) points.y = gather(points.y, kept);
  return points;
}

/// Adds the counts of rows on the column's axis.
void add_to(BinnedColumn& column, const auto& added) {
  std::ranges::transform(column.counts, added.counts, column.counts.begin(), std::plus<>());
  column.rows += added.rows;
}

void add_to(BinnedPair& pair, const BinnedPair& added) {
  if (added.counts.values().empty()) return;
  if (pair.counts.values().empty())
    pair.counts = added.counts;
  else
    pair.counts += added.counts;
  pair.n_rows += added.n_rows;
}

}  // namespace

FittedPoints<Kde1d> smooth(const ColumnOfPoints& column, double factor) {
  const double bandwidth = within_doubles(factor * column.bandwidth);
  const double n = column.rows_each * WeightsView(column.weights).total(column.x.size());
  return {make_kde1d(few_sorted(column.x, column.weights), bandwidth),
          -std::log(n * std::sqrt(2 * std::numbers::pi)) - std::log(bandwidth), n};
}

FittedPoints<Kde2d> smooth(const PairOfPoints& pair, double factor) {
  const double sx = pair.scaling_x.scale;
  const double sy = pair.scaling_y.scale;
  const ShearedKernel kernel{pair.kernel.shear, factor * pair.kernel.h_u, factor * pair.kernel.h_v};
  const double n = WeightsView(pair.weights).total(pair.x.size());
  const auto rows = repeated_rows(pair.weights, pair.x.size(), most_points);
  return {make_kde2d(gather(pair.x, rows), gather(pair.y, rows), matrix_of(kernel), sx, sy),
          -std::log(n * 2 * std::numbers::pi * kernel.h_u * kernel.h_v) - std::log(sx) - std::log(sy), n};
}

double row_count(const FittedNumbers& fitted) {
  return std::visit([](const auto& kind) { return kind.n_rows; }, fitted);
}

Binned bin_rows(const TermContext& context, const TermKey& key, const DensityRows& rows) {
  const auto grid = static_cast<std::size_t>(context.options.grid);
  const BandwidthRule rule = context.options.bandwidth;
  const auto& [numbers, weights, x, y] = rows;
  // The weights of a sample may be rounded to more than those of all rows.
  const double growth = std::max(1.0, context.n_of(key) / context.class_of(key).n());
  if (!key.is_pair()) {
    BinnedColumn binned = bin_column(x, counts_bandwidth_1d(x, rule) * std::pow(growth, -0.2), grid);
    if (binned.rows.inside == binned.rows.n_rows) return binned;
    ColumnOfPoints points{gather(context.sample.X.column(key.i), numbers), weights};
    const auto few = few_sorted(points.x, weights);
    points.rows_each = growth;
    points.bandwidth =
        bandwidth_1d(few, rule) * std::pow(static_cast<double>(few.size()) / (growth * rows.n()), 0.2);
    return points;
  }
  ShearedKernel kernel = counts_bandwidth_2d(x, y, rule);
  if (growth > 1) kernel = narrowed_by(std::pow(growth, -1.0 / 6), kernel, x, y, grid);
  const Frame2d frame = make_frame(x, y, kernel, grid);
  const bool are_few = weights.unit == 1 && growth == 1 && rows.n() <= most_points;
  if (are_few && frame.u.size * frame.v.size > nodes_worth_points)
    return PairOfPoints{gather(context.sample.X.column(key.i), numbers),
                        gather(context.sample.X.column(key.j), numbers),
                        weights,
                        x.scaling,
                        y.scaling,
                        kernel};
  return bin_pair(frame, x.values, y.values, weights);
}

void add_rows(Binned& binned, std::span<const float> x, std::span<const float> y,
              const WeightsView& weights) {
  if (auto* const column = std::get_if<BinnedColumn>(&binned)) {
    add_to(*column, counts_on(column->axis, x, weights));
  } else if (auto* const pair = std::get_if<BinnedPair>(&binned)) {
    const PlacedRows placed = place_rows(pair->frame, x, y, weights);
    if (pair->counts.values().empty()) pair->counts = PairCounts(pair->frame.u.size, pair->frame.v.size);
    pair->counts.fill_quadratic(placed.u, placed.v, placed.weights);
    pair->n_rows += placed.rows.n_rows;
  }
}

void clear(Binned& binned) {
  if (auto* const column = std::get_if<BinnedColumn>(&binned)) {
    std::ranges::fill(column->counts, 0);
    column->rows = {};
  } else if (auto* const pair = std::get_if<BinnedPair>(&binned)) {
    pair->counts = PairCounts(0, 0);
    pair->n_rows = 0;
  }
}

bool has_rows(const Binned& binned) {
  if (const auto* const column = std::get_if<BinnedColumn>(&binned)) return column->rows.n_rows > 0;
  const auto* const pair = std::get_if<BinnedPair>(&binned);
  return pair == nullptr || (pair->n_rows > 0 && !pair->counts.values().empty());
}

void add(Binned& binned, const Binned& other) {
  std::visit(
      [&](auto& kind) {
        const auto& added = std::get<std::remove_reference_t<decltype(kind)>>(other);
        if constexpr (requires { add_to(kind, added); }) add_to(kind, added);
      },
      binned);
}

FittedNumbers smooth_without(const Binned& binned, const DensityRows& rows,
                             std::span<const std::size_t> left_out) {
  const double n_rest = rows.n() - WeightsView(gather(rows.weights, left_out)).total(left_out.size());
  return std::visit(
      [&]<class Kind>(const Kind& kind) {
        constexpr bool is_pair = std::is_same_v<Kind, BinnedPair> || std::is_same_v<Kind, PairOfPoints>;
        const double factor = std::pow(rows.n() / n_rest, is_pair ? 1.0 / 6 : 1.0 / 5);
        return FittedNumbers(smooth(without(kind, rows, left_out, n_rest), factor));
      },
      binned);
}

void evaluate(const FittedNumbers& fitted, std::span<const double> x, std::span<const double> y,
              std::span<double> out) {
  std::visit(
      [&](const auto& kind) {
        if constexpr (requires { log_density(kind.grid, x, y, out); })
          log_density(kind.grid, x, y, out);
        else
          log_density(kind.grid, x, out);
      },
      fitted);
}

void mix_in_prior(const TermContext& context, const TermKey& key, const FittedNumbers& fitted,
                  std::span<const double> x, std::span<const double> y, std::span<double> values,
                  const RowWeights* left_out) {
  const double n = row_count(fitted);
  const auto mix = [&](std::size_t first, std::size_t count, double n_rows) {
    mix_in_pseudo_rows(context.options.prior_rows, n_rows, x.subspan(first, count),
                       key.is_pair() ? y.subspan(first, count) : std::span<const double>(),
                       values.subspan(first, count));
  };
  // The density of a single row would be empty without it.
  const auto n_without = [&](double weight) { return std::max(n - std::min(1.0, weight), 1e-9 * n); };
  if (left_out == nullptr) return mix(0, values.size(), n);
  if (left_out->unit == 1) return mix(0, values.size(), n_without(1));
  for (std::size_t i = 0; i < values.size(); ++i) mix(i, 1, n_without(WeightsView(*left_out)[i]));
}

void correct_own(const FittedNumbers& fitted, const OwnRows& rows, bool leave_out, std::span<double> values) {
  if (const auto* one = std::get_if<FittedGrid1d>(&fitted))
    leave_out ? leave_out_own(*one, rows.x, values, rows.weights)
              : add_own_beyond_axis(*one, rows.x, values, rows.weights);
  else if (const auto* two = std::get_if<FittedGrid2d>(&fitted))
    leave_out ? leave_out_own(*two, rows.x, rows.y, values, rows.weights)
              : add_own_beyond_axes(*two, rows.x, rows.y, values, rows.weights);
  else if (const auto* column = std::get_if<FittedPoints<Kde1d>>(&fitted); column != nullptr && leave_out)
    leave_out_own(*column, values, rows.weights);
  else if (const auto* pair = std::get_if<FittedPoints<Kde2d>>(&fitted); pair != nullptr && leave_out)
    leave_out_own(*pair, values, rows.weights);
}

}  // namespace dyad
