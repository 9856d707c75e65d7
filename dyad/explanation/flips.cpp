// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/flips.h"

#include <optional>

#include "dyad/base/gather.h"
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

/// The value next to `before`, where the class `own` is predicted, that `after` and all values halving leads
/// to have another.
double first_flipped(const Along& along, double before, double after, std::int32_t own) {
  for (int k = 0; k < n_halvings; ++k) {
    const double middle = std::midpoint(before, after);
    (along.predictions({&middle, 1})[0] == own ? before : after) = middle;
  }
  return after;
}

/// The flip of one row along one feature, whose points are all its values but missing ones.
std::optional<Flip> nearest_flip(const Model& model, const Along& along, std::size_t feature,
                                 std::span<const double> points, std::int32_t own) {
  const double value = along.own_value();
  const bool is_ordered = is_number(model, feature) && !std::isnan(value);
  const double own_position = position_among(model, feature, points, value);
  const auto distance_of = [&](double position) {
    return is_ordered ? std::abs(position - own_position) / static_cast<double>(points.size() - 1) : 1.0;
  };
  auto order = all_rows(points.size());
  std::ranges::stable_sort(order, {}, [&](std::size_t k) { return distance_of(static_cast<double>(k)); });
  const auto predicted = along.predictions(points);
  const auto found = std::ranges::find_if(order, [&](std::size_t k) { return predicted[k] != own; });
  if (found == order.end()) return std::nullopt;
  Flip flip{feature, points[*found], distance_of(static_cast<double>(*found)), predicted[*found]};
  if (!is_ordered) return flip;
  // Towards the row's value there is the point before, or that value itself.
  double before = value;
  if (points[*found] > value && *found > 0) before = std::max(value, points[*found - 1]);
  if (points[*found] < value && *found + 1 < points.size()) before = std::min(value, points[*found + 1]);
  flip.value = first_flipped(along, before, flip.value, own);
  flip.class_code = along.predictions({&flip.value, 1})[0];
  flip.distance = distance_of(position_among(model, feature, points, flip.value));
  return flip;
}

}  // namespace

std::vector<std::vector<Flip>> nearest_flips(const Model& model, const MatrixView& X,
                                             const Execution& execution) {
  const Matrix all_scores = scores(model, X, execution);
  const auto own = classify(model, all_scores);
  std::vector<std::vector<std::optional<Flip>>> found(model.n_features);  // by feature, then row
  parallel_for(model.n_features, execution, "flips", [&](std::size_t feature) {
    const PartialModel part = internal::partial_model(
        model, [&](const Term& term) { return term.i == feature || term.j == feature; });
    if (part.n_chosen == 0) return;
    auto points = points_of(model, feature, n_values_tried);
    if (std::isnan(points.back())) points.pop_back();
    if (points.empty()) return;
    for (std::size_t row = 0; row < X.n_rows; ++row) {
      throw_if_stopped(execution);
      found[feature].push_back(
          nearest_flip(model, Along(model, part, feature, X, row, all_scores), feature, points, own[row]));
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
