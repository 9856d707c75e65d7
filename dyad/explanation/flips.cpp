// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/flips.h"

#include <optional>

#include "dyad/base/gather.h"
#include "dyad/data/summary.h"
#include "dyad/explanation/internal/partial_model.h"
#include "dyad/explanation/shapes.h"
#include "dyad/model/prediction.h"

namespace dyad {
namespace {

using internal::PartialModel;

constexpr std::size_t n_values_tried = 65;
constexpr int n_halvings = 30;

/// Predictions of one row as a function of one feature.
class Along {
 public:
  /// `part` holds the terms with the feature, `row_scores` are the row's.
  Along(const Model& model, const PartialModel& part, std::size_t feature, const MatrixView& X,
        std::size_t row, const Matrix& row_scores)
      : model_(model),
        part_(part),
        own_(place_in(part.features, feature)),
        row_(1, part.features.size()),
        other_scores_(1, model.n_scores()) {
    for (std::size_t k = 0; k < part.features.size(); ++k) row_(0, k) = X.column(part.features[k])[row];
    const Matrix of_part = scores(part.model, row_, {.threads = 1});
    for (std::size_t k = 0; k < model.n_scores(); ++k)
      other_scores_(0, k) = row_scores(row, k) - of_part(0, k);
  }

  [[nodiscard]] double own_value() const { return row_(0, own_); }

  [[nodiscard]] std::vector<std::int32_t> predictions(std::span<const double> values) const {
    Matrix rows(values.size(), row_.n_cols);
    for (std::size_t k = 0; k < rows.n_cols; ++k) std::ranges::fill(rows.column(k), row_(0, k));
    std::ranges::copy(values, rows.column(own_).begin());
    Matrix result = scores(part_.model, rows, {.threads = 1});
    for (std::size_t k = 0; k < result.n_cols; ++k)
      for (double& score : result.column(k)) score += other_scores_(0, k);
    return classify(model_, result);
  }

 private:
  const Model& model_;
  const PartialModel& part_;
  std::size_t own_;
  Matrix row_;
  Matrix other_scores_;
};

/// Values of a feature that a change may lead to.
struct FlipCandidates {
  std::vector<double> values;     ///< as tables have them, ascending, or codes of levels
  std::vector<double> positions;  ///< shares of the range in the model's coordinate; empty for levels
  double low = 0;                 ///< least and largest number
  double high = 0;
  bool is_whole = false;
};

double in_coordinate(const Model& model, std::size_t feature, double value) {
  if (model.coordinates.empty()) return value;
  double z = 0;
  apply(model.coordinates[feature], {&value, 1}, {&z, 1});
  return z;
}

/// The place of a value in the range of the candidates; NaN if it is missing.
double position_of(const Model& model, std::size_t feature, const FlipCandidates& candidates, double value) {
  const double first = in_coordinate(model, feature, candidates.low);
  const double last = in_coordinate(model, feature, candidates.high);
  const double unit = representable_unit(std::array{first, last});
  const double length = last / unit - first / unit;
  constexpr double farthest = 1e100;
  const double z = std::clamp(in_coordinate(model, feature, value) / unit, -farthest, farthest);
  return length > 0 ? (z - first / unit) / length : z - first / unit;
}

/// Levels that occur by name, but not those that share a code.
std::vector<double> named_levels(const Levels& levels) { return all_rows(levels.names.size(), 0.0); }

/// Numbers between the least and the largest of the training rows, or where they are not known those of
/// `points_of`: evenly spaced in the model's coordinate, and the nodes of counts.
FlipCandidates candidates_of(const Model& model, std::size_t feature) {
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
    const double first = in_coordinate(model, feature, result.low);
    const double last = in_coordinate(model, feature, result.high);
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

/// The value next to `before`, where the class `own` is predicted, that `after` and all values halving leads
/// to have another.
double first_flipped(const Along& along, double before, double after, std::int32_t own) {
  for (int k = 0; k < n_halvings; ++k) {
    const double middle = std::midpoint(before, after);
    (along.predictions({&middle, 1})[0] == own ? before : after) = middle;
  }
  return after;
}

/// The first whole number with another prediction, from `before` to `after`.
double first_whole_flipped(const Along& along, double before, double after, std::int32_t own) {
  before = after > before ? std::floor(before) : std::ceil(before);
  while (std::abs(after - before) > 1) {
    const double middle = std::trunc(std::midpoint(before, after));
    if (middle == before || middle == after) break;
    (along.predictions({&middle, 1})[0] == own ? before : after) = middle;
  }
  return after;
}

/// The flip of one row along one feature.
std::optional<Flip> nearest_flip(const Model& model, const Along& along, std::size_t feature,
                                 const FlipCandidates& candidates, std::int32_t own) {
  const double value = along.own_value();
  const auto& values = candidates.values;
  const bool is_ordered = !candidates.positions.empty() && !std::isnan(value);
  const double own_position = is_ordered ? position_of(model, feature, candidates, value) : 0;
  const auto distance_of = [&](double position) {
    return is_ordered ? std::abs(position - own_position) : 1.0;
  };
  auto order = all_rows(values.size());
  if (is_ordered)
    std::ranges::stable_sort(order, {}, [&](std::size_t k) { return distance_of(candidates.positions[k]); });
  const auto predicted = along.predictions(values);
  const auto found = std::ranges::find_if(order, [&](std::size_t k) { return predicted[k] != own; });
  if (found == order.end()) return std::nullopt;
  Flip flip{feature, values[*found], 1.0, predicted[*found]};
  if (!is_ordered) return flip;
  // Towards the row's value there is the candidate before, or that value itself.
  double before = std::clamp(value, candidates.low, candidates.high);
  if (flip.value > value && *found > 0) before = std::max(before, values[*found - 1]);
  if (flip.value < value && *found + 1 < values.size()) before = std::min(before, values[*found + 1]);
  flip.value = candidates.is_whole ? first_whole_flipped(along, before, flip.value, own)
                                   : first_flipped(along, before, flip.value, own);
  flip.class_code = along.predictions({&flip.value, 1})[0];
  flip.distance = distance_of(position_of(model, feature, candidates, flip.value));
  return flip;
}

}  // namespace

std::vector<std::vector<Flip>> nearest_flips(const Model& model, const MatrixView& X,
                                             const Execution& execution,
                                             std::span<const std::size_t> immutable) {
  const Matrix all_scores = scores(model, X, execution);
  const auto own = classify(model, all_scores);
  std::vector<std::vector<std::optional<Flip>>> found(model.n_features);  // by feature, then row
  parallel_for(model.n_features, execution, "flips", [&](std::size_t feature) {
    const PartialModel part = internal::partial_model(
        model, [&](const Term& term) { return term.i == feature || term.j == feature; });
    if (part.n_chosen == 0 || std::ranges::find(immutable, feature) != immutable.end()) return;
    const FlipCandidates candidates = candidates_of(model, feature);
    if (candidates.values.empty()) return;
    for (std::size_t row = 0; row < X.n_rows; ++row) {
      throw_if_stopped(execution);
      found[feature].push_back(nearest_flip(model, Along(model, part, feature, X, row, all_scores), feature,
                                            candidates, own[row]));
    }
  });
  std::vector<std::vector<Flip>> result(X.n_rows);
  for (const auto& of_rows : found)
    for (std::size_t row = 0; row < of_rows.size(); ++row)
      if (of_rows[row]) result[row].push_back(*of_rows[row]);
  for (auto& flips : result) std::ranges::stable_sort(flips, {}, &Flip::distance);
  return result;
}

}  // namespace dyad
