// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/coordinate.h"

#include <algorithm>

#include "dyad/base/gather.h"
#include "dyad/data/summary.h"

namespace dyad {
namespace {

constexpr double decades = 100;
constexpr double normal_quartiles = 1.349;  ///< interquartile range of the standard normal distribution
constexpr double narrow = 0.001;
constexpr double limit = 1e100;
/// Largest rounding error of the mean: values closer to it become 0, so that a class which is constant there
/// has no spread.
constexpr double rounding = 1e-12;

double limited(double value) { return std::clamp(value, -limit, limit); }

/// t of x.
double bent(const Coordinate& coordinate, double x) {
  if (coordinate.curve == Curve::log) return std::log(std::max(x, coordinate.lowest));
  // Each is divided alone: a difference of the largest numbers would overflow.
  const double distance = limited(x / coordinate.spread) - limited(coordinate.centre / coordinate.spread);
  return coordinate.curve == Curve::asinh ? std::asinh(distance) : distance;
}

double positive_or_one(double length) {
  return length > 0 ? std::min(length, std::numeric_limits<double>::max()) : 1;
}

}  // namespace

Coordinate fit_coordinate(std::span<const double> x, Transform transform, const WeightsView& weights) {
  Coordinate coordinate;
  const double deviation = standard_deviation(x, weights);
  if (transform == Transform::robust) {
    const double least = *std::ranges::min_element(x);
    if (least > 0 && quantile(x, 0.95, weights) > decades * quantile(x, 0.05, weights)) {
      coordinate.curve = Curve::log;
      coordinate.lowest = std::max(least / 2, std::numeric_limits<double>::min());
    } else {
      coordinate.curve = Curve::asinh;
      coordinate.centre = quantile(x, 0.5, weights);
      coordinate.spread = interquartile_range(x, weights) / normal_quartiles;
      if (coordinate.spread < narrow * deviation) coordinate.spread = deviation;
      coordinate.spread = positive_or_one(coordinate.spread);
    }
  } else {
    coordinate.centre = mean(x, weights);
    coordinate.spread = positive_or_one(deviation);
  }
  std::vector<double> t(x.size());
  std::ranges::transform(x, t.begin(), [&](double value) { return bent(coordinate, value); });
  coordinate.mean = mean(t, weights);
  coordinate.deviation = positive_or_one(standard_deviation(t, weights));
  return coordinate;
}

void apply(const Coordinate& coordinate, std::span<const double> x, std::span<double> out) {
  const double nothing = rounding * std::max(std::abs(coordinate.mean), coordinate.deviation);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double distance = bent(coordinate, x[i]) - coordinate.mean;
    out[i] = std::abs(distance) <= nothing ? 0 : limited(distance / coordinate.deviation);
  }
}

void apply_coordinates(std::span<const Coordinate> coordinates, Matrix& X, const Execution& execution) {
  parallel_for(coordinates.size(), execution, {},
               [&](std::size_t j) { apply(coordinates[j], X.column(j), X.column(j)); });
}

Matrix in_coordinates(std::span<const Coordinate> coordinates, const MatrixView& X,
                      const Execution& execution) {
  Matrix result(X);
  apply_coordinates(coordinates, result, execution);
  return result;
}

double inverse(const Coordinate& coordinate, double z) {
  constexpr double largest = std::numeric_limits<double>::max();
  const double t = z * coordinate.deviation + coordinate.mean;
  if (coordinate.curve == Curve::log) return std::clamp(std::exp(t), coordinate.lowest, largest);
  const double distance = coordinate.curve == Curve::asinh ? std::sinh(t) : t;
  return std::clamp(distance * coordinate.spread + coordinate.centre, -largest, largest);
}

std::vector<Coordinate> fit_coordinates(const MatrixView& X, Transform transform, const WeightsView& weights,
                                        const Execution& execution, std::span<const Levels> levels) {
  std::vector<Coordinate> coordinates(transform == Transform::none ? 0 : X.n_cols);
  parallel_for(coordinates.size(), execution, {}, [&](std::size_t j) {
    if (!levels.empty() && !levels[j].is_number()) return;
    const auto rows = rows_with_value(X.column(j));
    if (rows.size() == X.n_rows)
      coordinates[j] = fit_coordinate(X.column(j), transform, weights);
    else if (!rows.empty())
      coordinates[j] = fit_coordinate(gather(X.column(j), rows), transform, gather(weights, rows));
  });
  return coordinates;
}

}  // namespace dyad
