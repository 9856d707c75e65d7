// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/smoothing_axis.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

#include "dyad/counts/pair_counts.h"

namespace dyad {
namespace {

/// Numbers of nodes are multiples of this, so that arithmetic on rows of a table fills whole vectors.
constexpr std::size_t whole = 8;

/// Start of the stretch of the given length that holds the most of the ascending values.
double densest_stretch(std::span<const float> sorted, double length) {
  std::size_t best = 0;
  std::size_t most = 0;
  std::size_t end = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    end = std::max(end, i + 1);
    while (end < sorted.size() && static_cast<double>(sorted[end]) - static_cast<double>(sorted[i]) <= length)
      ++end;
    if (end - i <= most) continue;
    most = end - i;
    best = i;
  }
  return sorted[best];
}

}  // namespace

Axis axis_over(std::span<const float> values, const AxisNeeds& needs) {
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
  std::vector<float> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  axis.origin = densest_stretch(sorted, last * axis.step - 2 * needs.margin) - needs.margin;
  return axis;
}

std::vector<std::int32_t> places_on(const Axis& axis, std::span<const float> values) {
  const double factor = place_steps / axis.step;
  const double origin = axis.origin - 0.5 / factor;  // so that cutting off the decimals rounds
  constexpr double half = place_steps / 2.0;
  const double end = static_cast<double>((axis.size - 1) * place_steps) - half;
  std::vector<std::int32_t> places(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double place = (static_cast<double>(values[i]) - origin) * factor;
    places[i] = place >= half && place < end ? static_cast<std::int32_t>(place) : -1;
  }
  return places;
}

std::vector<float> values_beside(const Axis& u_axis, std::span<const float> u, std::vector<float> v) {
  const auto places = places_on(u_axis, u);
  std::size_t count = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    if (places[i] >= 0) v[count++] = v[i];
  if (count > 0) v.resize(count);
  return v;
}

AxisCounts counts_on(const Axis& axis, std::span<const float> values) {
  constexpr auto steps = static_cast<std::int32_t>(place_steps);
  AxisCounts result{std::vector<std::int64_t>(axis.size)};
  for (const std::int32_t place : places_on(axis, values)) {
    if (place < 0) continue;
    ++result.n_inside;
    const std::int32_t nearest = (place + steps / 2) / steps;
    const QuadraticShares shares = quadratic_shares(place - nearest * steps);
    std::int64_t* const node = result.counts.data() + nearest;
    node[-1] += shares.before;
    node[0] += shares.at;
    node[1] += shares.after;
  }
  return result;
}

PlacedRows place_rows(const Axis& u_axis, std::span<const float> u, const Axis& v_axis,
                      std::span<const float> v) {
  assert(u.size() == v.size() && u_axis.size <= most_nodes && v_axis.size <= most_nodes);
  const auto u_places = places_on(u_axis, u);
  const auto v_places = places_on(v_axis, v);
  PlacedRows rows{std::vector<Place>(u.size()), std::vector<Place>(u.size())};
  std::size_t count = 0;
  for (std::size_t i = 0; i < u.size(); ++i) {
    rows.u[count] = static_cast<Place>(u_places[i]);
    rows.v[count] = static_cast<Place>(v_places[i]);
    if (u_places[i] >= 0 && v_places[i] >= 0) ++count;
  }
  rows.u.resize(count);
  rows.v.resize(count);
  return rows;
}

double narrowed(double bandwidth, double step) {
  assert(std::isfinite(bandwidth) && bandwidth > step / 2);
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
