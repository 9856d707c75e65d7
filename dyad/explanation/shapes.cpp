// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/shapes.h"

#include <optional>

#include "dyad/base/gather.h"
#include "dyad/data/summary.h"
#include "dyad/explanation/internal/partial_model.h"
#include "dyad/model/prediction.h"

namespace dyad {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();
constexpr double tail_share = 0.005;
constexpr double largest_number = std::numeric_limits<double>::max();
/// From the points, in steps between them.
constexpr double farthest_end = 1e100;

struct Range {
  double low = 0;
  double high = 0;
};

/// Where a density of numbers has all but its tails.
Range central_range(const Grid1d& grid) {
  std::vector<double> nodes;
  for (std::size_t k = 0; k < grid.axis.size; ++k)
    nodes.push_back(std::clamp(grid.scaling.centre + grid.scaling.scale * grid.axis.node(k), -largest_number,
                               largest_number));
  std::vector<double> below(nodes.size());
  log_density(grid, nodes, below);
  const double top = std::ranges::max(below);
  std::ranges::transform(below, below.begin(), [&](double value) { return std::exp(value - top); });
  std::partial_sum(below.begin(), below.end(), below.begin());
  const auto node_at = [&](double share) {
    const auto at = std::ranges::lower_bound(below, share * below.back()) - below.begin();
    return std::min(static_cast<std::size_t>(at), nodes.size() - 1);
  };
  return {nodes[node_at(tail_share)], nodes[node_at(1 - tail_share)]};
}

Range central_range(const Kde1d& kde) {
  return {quantile(kde.points, tail_share), quantile(kde.points, 1 - tail_share)};
}

/// The range of one of several densities without its tails; none if it is not one of numbers alone.
template <class... Of>
std::optional<Range> central_range(const std::variant<Of...>& one_of) {
  const auto range_of = []<class T>(const T& density) -> std::optional<Range> {
    if constexpr (std::same_as<T, LevelDensity>) {
      if (density.margin_x != LevelDensity::none)
        return central_range(density.parts[density.margin_x].density);
    } else if constexpr (requires { central_range(density); }) {
      return central_range(density);
    }
    return std::nullopt;
  };
  return std::visit(range_of, one_of);
}

std::vector<double> evenly_between(const Range& range, std::size_t count) {
  std::vector<double> result(count);
  for (std::size_t k = 0; k < count; ++k) {
    const double share = count == 1 ? 0.5 : static_cast<double>(k) / static_cast<double>(count - 1);
    result[k] = std::lerp(range.low, range.high, share);
  }
  return result;
}

double coordinate_of(const Model& model, std::size_t feature, double value) {
  if (model.coordinates.empty()) return value;
  double z = 0;
  apply(model.coordinates[feature], {&value, 1}, {&z, 1});
  return z;
}

/// Cuts a range at the least and the largest value of the training rows, if they are known.
Range within_training(const Model& model, std::size_t feature, Range range) {
  if (model.row_counts.empty() || !model.row_counts.features[feature].range.has_numbers) return range;
  const ValueRange& known = model.row_counts.features[feature].range;
  const Range training{coordinate_of(model, feature, known.low), coordinate_of(model, feature, known.high)};
  const Range both{std::max(range.low, training.low), std::min(range.high, training.high)};
  return both.low < both.high ? both : training;
}

/// Where the rows of all classes are but for their tails, in coordinates.
Range drawn_range(const Model& model, std::size_t feature) {
  std::optional<Range> range;
  for (const Term& term : model.terms) {
    if (term.i != feature || term.is_pair()) continue;
    if (const auto own = central_range(term.density))
      range = range ? Range{std::min(range->low, own->low), std::max(range->high, own->high)} : *own;
  }
  return within_training(model, feature, range.value_or(Range{-3, 3}));
}

/// The sum of the contributions of the terms that have feature i alone, or the pair i < j, for rows of X.
Matrix effect_at(const Model& model, std::size_t i, std::size_t j, const Matrix& X) {
  const auto is_wanted = [&](const Term& term) { return term.i == i && term.j == j; };
  return scores(internal::partial_model(model, is_wanted).model, X, {.threads = 1});
}

/// Rows with all values of x and y in the columns of two features; in the order of the result of
/// `effect_surface`.
Matrix crossed(std::span<const double> x, std::span<const double> y) {
  Matrix result(x.size() * y.size(), 2);
  for (std::size_t a = 0; a < x.size(); ++a)
    for (std::size_t b = 0; b < y.size(); ++b) {
      result(a * y.size() + b, 0) = x[a];
      result(a * y.size() + b, 1) = y[b];
    }
  return result;
}

Matrix one_column(std::span<const double> points) {
  return Matrix(MatrixView{points.data(), points.size(), 1});
}

/// Sets the columns of classes that have a density of i, or of i < j, to its logarithm at the rows of X.
void set_log_densities(const Model& model, std::size_t i, std::size_t j, const Matrix& X, Matrix& by_class) {
  const auto part = internal::partial_model(
      model, [&](const Term& term) { return term.i == i && term.j == j && term.is_density(); });
  const Execution alone{.threads = 1};
  const auto& terms = part.model.terms;
  const Matrix values = term_values(terms, in_coordinates(part.model.coordinates, X, alone), alone);
  for (std::size_t t = 0; t < part.n_chosen; ++t)
    std::ranges::copy(values.column(t),
                      by_class.column(static_cast<std::size_t>(terms[t].class_code)).begin());
}

}  // namespace

std::vector<double> points_of(const Model& model, std::size_t feature, std::size_t n_numbers) {
  std::vector<double> points;
  if (is_number(model, feature)) {
    const bool is_known = !model.row_counts.empty() && model.row_counts.features[feature].range.has_numbers;
    const ValueRange known = is_known ? model.row_counts.features[feature].range : ValueRange{};
    for (const double z : evenly_between(drawn_range(model, feature), n_numbers)) {
      const double value = model.coordinates.empty() ? z : inverse(model.coordinates[feature], z);
      points.push_back(is_known ? std::clamp(value, known.low, known.high) : value);  // but for rounding
    }
  } else {
    const auto codes = drawn_levels(model, feature);
    points.assign(codes.begin(), codes.end());
  }
  const auto with_missing = features_with_missing(model);
  if (std::ranges::binary_search(with_missing, feature)) points.push_back(nothing);
  return points;
}

std::vector<double> positions_among(const Model& model, std::size_t feature, std::span<const double> points,
                                    std::span<const double> values) {
  const bool with_missing = !points.empty() && std::isnan(points.back());
  const double of_missing = with_missing ? static_cast<double>(points.size() - 1) : nothing;
  std::vector<double> result(values.begin(), values.end());
  if (is_number(model, feature)) {
    const std::size_t n_numbers = points.size() - (with_missing ? 1 : 0);
    const double first = coordinate_of(model, feature, points[0]);
    const double last = coordinate_of(model, feature, points[n_numbers - 1]);
    const double unit = representable_unit(std::array{first, last});
    const double steps = last > first ? static_cast<double>(n_numbers - 1) / (last / unit - first / unit) : 0;
    if (!model.coordinates.empty()) apply(model.coordinates[feature], values, result);
    const auto limited = [](double value) { return std::clamp(value, -farthest_end, farthest_end); };
    for (double& position : result) position = limited((limited(position / unit) - first / unit) * steps);
  }
  for (double& position : result) {
    if (std::isnan(position))
      position = of_missing;
    else if (!is_number(model, feature))
      position = static_cast<double>(std::ranges::find(points, position) - points.begin());
  }
  return result;
}

double position_among(const Model& model, std::size_t feature, std::span<const double> points, double value) {
  return positions_among(model, feature, points, {&value, 1})[0];
}

Matrix effect_curve(const Model& model, std::size_t i, std::span<const double> points) {
  return effect_at(model, i, i, one_column(points));
}

Matrix effect_surface(const Model& model, std::size_t i, std::size_t j, std::span<const double> x,
                      std::span<const double> y) {
  return effect_at(model, i, j, crossed(x, y));
}

Matrix log_densities(const Model& model, std::size_t i, std::span<const double> points) {
  Matrix result(points.size(), model.n_classes());
  std::ranges::fill(result.data, nothing);
  set_log_densities(model, i, i, one_column(points), result);
  return result;
}

Matrix log_densities(const Model& model, std::size_t i, std::size_t j, std::span<const double> x,
                     std::span<const double> y) {
  const Matrix of_x = log_densities(model, i, x);
  const Matrix of_y = log_densities(model, j, y);
  Matrix result(x.size() * y.size(), model.n_classes());
  for (std::size_t c = 0; c < result.n_cols; ++c)
    for (std::size_t a = 0; a < x.size(); ++a)
      for (std::size_t b = 0; b < y.size(); ++b) result(a * y.size() + b, c) = of_x(a, c) + of_y(b, c);
  set_log_densities(model, i, j, crossed(x, y), result);
  return result;
}

}  // namespace dyad
