// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/smoothing_axis.h"

#include <cassert>
#include <numbers>
#include <stdexcept>

#include "dyad/base/gather.h"
#include "dyad/base/simd.h"
#include "dyad/base/text.h"
#include "dyad/counts/pair_counts.h"

namespace dyad {
namespace {

/// Numbers of nodes are multiples of this, so that arithmetic on rows of a table fills whole vectors.
constexpr std::size_t whole = 8;

/// Start of the stretch of the given length that holds the most of the values, by weight.
double densest_stretch(std::span<const float> values, const WeightsView& weights, double length) {
  std::vector<std::pair<float, std::uint32_t>> sorted(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) sorted[i] = {values[i], weights.count(i)};
  std::ranges::sort(sorted);
  double best = static_cast<double>(sorted.front().first);
  std::uint64_t most = 0;
  std::uint64_t inside = 0;
  std::size_t end = 0;
  for (const auto& [first, weight] : sorted) {
    for (;
         end < sorted.size() && static_cast<double>(sorted[end].first) - static_cast<double>(first) <= length;
         ++end)
      inside += sorted[end].second;
    if (inside > most) {
      most = inside;
      best = static_cast<double>(first);
    }
    inside -= weight;
  }
  return best;
}

/// The map from values to places: (value - origin) factor cut to a whole number, if it is from `least` to
/// below `end`.
struct Placing {
  explicit Placing(const Axis& axis)
      : factor(place_steps / axis.step),
        origin(axis.origin - 0.5 / factor),  // so that cutting off the decimals rounds
        end(static_cast<double>((axis.size - 1) * place_steps) - least) {}

  static constexpr double least = place_steps / 2.0;
  double factor;
  double origin;
  double end;
};

/// Places of values; -1 of those that are not on the axis.
DYAD_SIMD void find_places(const float* values, std::size_t n, const Placing& by, std::int32_t* places) {
  const auto [factor, origin, end] = by;
  for (std::size_t i = 0; i < n; ++i) {
    const double place = (static_cast<double>(values[i]) - origin) * factor;
    // Beyond the axis it may be too large for a whole number.
    const auto whole_part = static_cast<std::int32_t>(std::min(std::max(Placing::least, place), end));
    places[i] = place >= Placing::least && place < end ? whole_part : -1;
  }
}

/// Puts the places of rows that are on both axes behind one another; returns their number.
std::size_t keep_inside(const std::int32_t* u, const std::int32_t* v, std::size_t n, Place* u_kept,
                        Place* v_kept) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    u_kept[count] = static_cast<Place>(u[i]);
    v_kept[count] = static_cast<Place>(v[i]);
    count += (u[i] | v[i]) >= 0 ? 1U : 0U;
  }
  return count;
}

}  // namespace

Axis axis_over(std::span<const float> values, const AxisNeeds& needs, const WeightsView& weights) {
  assert(!values.empty() && needs.most >= whole);
  assert(static_cast<double>(needs.most - 1) * needs.coarsest > 2 * needs.margin);
  const auto [least, greatest] = std::ranges::minmax(values);
  const double span = static_cast<double>(greatest) - static_cast<double>(least) + 2 * needs.margin;
  const auto last = static_cast<double>(needs.most - 1);
  Axis axis{.origin = static_cast<double>(least) - needs.margin, .step = needs.finest};
  if (span <= last * needs.finest) {
    const auto needed = static_cast<std::size_t>(std::ceil(span / needs.finest)) + 1;
    axis.size = std::min(needs.most, (needed + whole - 1) / whole * whole);
    return axis;
  }
  axis.size = needs.most;
  axis.step = std::min(needs.coarsest, span / last);
  if (span <= last * needs.coarsest) return axis;
  axis.origin = densest_stretch(values, weights, last * axis.step - 2 * needs.margin) - needs.margin;
  return axis;
}

std::vector<std::int32_t> places_on(const Axis& axis, std::span<const float> values) {
  std::vector<std::int32_t> places(values.size());
  find_places(values.data(), values.size(), Placing(axis), places.data());
  return places;
}

Axis axis_beside(const Axis& u_axis, std::span<const float> u, std::span<const float> v,
                 const AxisNeeds& needs, const WeightsView& weights) {
  const auto places = places_on(u_axis, u);
  const auto beside = rows_where(v.size(), [&](std::size_t i) { return places[i] >= 0; });
  if (beside.empty() || beside.size() == v.size()) return axis_over(v, needs, weights);
  return axis_over(gather(v, beside), needs, gather(weights, beside));
}

AxisCounts counts_on(const Axis& axis, std::span<const float> values, const WeightsView& weights) {
  constexpr auto steps = static_cast<std::int32_t>(place_steps);
  AxisCounts result{std::vector<std::int64_t>(axis.size), {.n_rows = weights.total(values.size())}};
  const auto places = places_on(axis, values);
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) {
      result.rows.squares_beyond += weights[i] * weights[i];
      continue;
    }
    result.rows.inside += weights[i];
    const std::int32_t nearest = (places[i] + steps / 2) / steps;
    const QuadraticShares shares = quadratic_shares(places[i] - nearest * steps);
    const std::int64_t weight = weights.count(i);
    std::int64_t* const node = result.counts.data() + nearest;
    node[-1] += weight * shares.before;
    node[0] += weight * shares.at;
    node[1] += weight * shares.after;
  }
  return result;
}

PlacedRows place_rows(const Axis& u_axis, std::span<const float> u, const Axis& v_axis,
                      std::span<const float> v, const WeightsView& weights) {
  assert(u.size() == v.size() && u_axis.size <= most_nodes && v_axis.size <= most_nodes);
  constexpr std::size_t block = 1024;
  std::array<std::int32_t, block> u_places;
  std::array<std::int32_t, block> v_places;
  const Placing by_u(u_axis);
  const Placing by_v(v_axis);
  // A place too many: rows are written before it is known whether they stay.
  PlacedRows placed{std::vector<Place>(u.size() + 1), std::vector<Place>(u.size() + 1)};
  placed.rows.n_rows = weights.total(u.size());
  std::size_t count = 0;
  for (std::size_t first = 0; first < u.size(); first += block) {
    const std::size_t n = std::min(block, u.size() - first);
    find_places(u.data() + first, n, by_u, u_places.data());
    find_places(v.data() + first, n, by_v, v_places.data());
    count +=
        keep_inside(u_places.data(), v_places.data(), n, placed.u.data() + count, placed.v.data() + count);
    for (std::size_t i = 0; !weights.empty() && i < n; ++i) {
      const double weight = weights[first + i];
      if ((u_places[i] | v_places[i]) < 0) {
        placed.rows.squares_beyond += weight * weight;
        continue;
      }
      placed.weights.push_back(weights.counts[first + i]);
      placed.rows.inside += weight;
    }
  }
  placed.u.resize(count);
  placed.v.resize(count);
  if (weights.empty()) {
    placed.rows.inside = static_cast<double>(count);
    placed.rows.squares_beyond = static_cast<double>(u.size() - count);
  }
  return placed;
}

double narrowed(double bandwidth, double step) {
  if (!std::isfinite(bandwidth) || !(bandwidth > step / 2))
    throw std::logic_error("density: a bandwidth of " + number_text(bandwidth) + " on nodes " +
                           number_text(step) + " apart");
  return std::sqrt(bandwidth * bandwidth - step * step / 4);
}

std::vector<double> node_kernel(double sd, double step) {
  constexpr double reach = 8.6;
  std::vector<double> kernel;
  for (double distance = 0; distance <= reach * sd; distance += step)
    kernel.push_back(std::exp(-0.5 * (distance / sd) * (distance / sd)) /
                     (sd * std::sqrt(2 * std::numbers::pi)));
  return kernel;
}

}  // namespace dyad
