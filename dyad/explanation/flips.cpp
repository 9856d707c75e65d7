// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/flips.h"

#include <optional>

#include "dyad/base/gather.h"
#include "dyad/explanation/internal/flip_candidates.h"
#include "dyad/explanation/internal/pair_flips.h"
#include "dyad/model/prediction.h"

namespace dyad {
namespace {

using internal::Along;
using internal::FlipCandidates;
using internal::PartialModel;
using internal::position_of;

/// The value next to `before`, where the class `own` is predicted, that `after` and all values halving leads
/// to have another.
double first_flipped(const Along& along, double before, double after, std::int32_t own) {
  for (int k = 0; k < internal::n_halvings; ++k) {
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
  Flip flip{feature, values[*found], 1.0, predicted[*found], {}};
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
    const FlipCandidates candidates = internal::flip_candidates(model, feature);
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
  std::vector<std::size_t> without;
  for (std::size_t row = 0; row < X.n_rows; ++row) {
    std::ranges::stable_sort(result[row], {}, &Flip::distance);
    if (result[row].empty()) without.push_back(row);
  }
  auto of_two = internal::pair_flips(model, X, all_scores, without, immutable, execution);
  for (std::size_t k = 0; k < without.size(); ++k) result[without[k]] = std::move(of_two[k]);
  return result;
}

}  // namespace dyad
