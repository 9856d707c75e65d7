// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/internal/flip_candidates.h"

#include "dyad/base/gather.h"
#include "dyad/data/summary.h"
#include "dyad/explanation/shapes.h"
#include "dyad/model/prediction.h"

namespace dyad::internal {
namespace {

double flip_coordinate(const Model& model, std::size_t feature, double value) {
  if (model.coordinates.empty()) return value;
  double z = 0;
  apply(model.coordinates[feature], {&value, 1}, {&z, 1});
  return z;
}

/// Levels that occur by name, but not those that share a code.
std::vector<double> named_levels(const Levels& levels) { return all_rows(levels.names.size(), 0.0); }

}  // namespace

double position_of(const Model& model, std::size_t feature, const FlipCandidates& candidates, double value) {
  const double first = flip_coordinate(model, feature, candidates.low);
  const double last = flip_coordinate(model, feature, candidates.high);
  const double unit = representable_unit(std::array{first, last});
  const double length = last / unit - first / unit;
  constexpr double farthest = 1e100;
  const double z = std::clamp(flip_coordinate(model, feature, value) / unit, -farthest, farthest);
  return length > 0 ? (z - first / unit) / length : z - first / unit;
}

FlipCandidates flip_candidates(const Model& model, std::size_t feature) {
  if (!is_number(model, feature)) return {.values = named_levels(model.levels[feature])};
  auto points = points_of(model, feature, n_values_tried);
  if (!points.empty() && std::isnan(points.back())) points.pop_back();
  if (points.empty()) return {};
  FlipCandidates result{.low = points.front(), .high = points.back()};
  if (!model.row_counts.empty() && model.row_counts.features[feature].range.has_numbers) {
    const FeatureCounts& counts = model.row_counts.features[feature];
    result.low = counts.range.low;
    result.high = counts.range.high;
    result.is_whole = counts.range.is_whole;
    const double first = flip_coordinate(model, feature, result.low);
    const double last = flip_coordinate(model, feature, result.high);
    auto nodes = counts.nodes;
    for (std::size_t k = 0; k < n_values_tried; ++k)
      nodes.push_back(std::lerp(first, last, static_cast<double>(k) / (n_values_tried - 1)));
    points = {result.low, result.high};
    for (const double z : nodes)
      points.push_back(model.coordinates.empty() ? z : inverse(model.coordinates[feature], z));
  }
  for (double& point : points)
    point = std::clamp(result.is_whole ? std::round(point) : point, result.low, result.high);
  std::ranges::sort(points);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  result.values = std::move(points);
  for (const double value : result.values)
    result.positions.push_back(position_of(model, feature, result, value));
  return result;
}

Along::Along(const Model& model, const PartialModel& part, std::size_t feature, const MatrixView& X,
             std::size_t row, const Matrix& row_scores)
    : model_(model),
      part_(part),
      own_(place_in(part.features, feature)),
      row_(1, part.features.size()),
      other_scores_(1, model.n_scores()) {
  for (std::size_t k = 0; k < part.features.size(); ++k) row_(0, k) = X.column(part.features[k])[row];
  const Matrix of_part = scores(part.model, row_, {.threads = 1});
  for (std::size_t k = 0; k < model.n_scores(); ++k) other_scores_(0, k) = row_scores(row, k) - of_part(0, k);
}

Matrix Along::scores_at(std::span<const double> values) const {
  Matrix rows(values.size(), row_.n_cols);
  for (std::size_t k = 0; k < rows.n_cols; ++k) std::ranges::fill(rows.column(k), row_(0, k));
  std::ranges::copy(values, rows.column(own_).begin());
  Matrix result = scores(part_.model, rows, {.threads = 1});
  for (std::size_t k = 0; k < result.n_cols; ++k)
    for (double& score : result.column(k)) score += other_scores_(0, k);
  return result;
}

std::vector<std::int32_t> Along::predictions(std::span<const double> values) const {
  return classify(model_, scores_at(values));
}

}  // namespace dyad::internal
