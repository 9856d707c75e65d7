// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/purified_effects.h"

#include "dyad/base/gather.h"
#include "dyad/explanation/internal/anova.h"
#include "dyad/explanation/internal/density_counts.h"
#include "dyad/explanation/internal/partial_model.h"
#include "dyad/model/prediction.h"

namespace dyad {
namespace {

using internal::PartialModel;

/// The position of a value on an axis, between a place and the next.
struct Between {
  std::size_t place = 0;  ///< that behind the last for a value that was never met
  double share = 0;       ///< of the next place
};

/// The values are in coordinates.
std::vector<Between> places_on(const FeatureCounts& axis, std::span<const double> values) {
  const std::size_t n_nodes = axis.rows.size() - (axis.has_missing ? 1 : 0);
  std::vector<Between> result(values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    Between& at = result[k];
    at.place = axis.rows.size();
    if (std::isnan(values[k])) {
      if (axis.has_missing) at.place = n_nodes;
    } else if (axis.nodes.empty()) {
      if (values[k] < static_cast<double>(n_nodes)) at.place = static_cast<std::size_t>(values[k]);
    } else {
      const std::size_t above = place_in(axis.nodes, values[k]);
      at.place = above == 0 ? 0 : above - 1;
      if (above == 0 || above == n_nodes) continue;
      const double half_step = axis.nodes[above] / 2 - axis.nodes[above - 1] / 2;  // a step may overflow
      at.share = (values[k] / 2 - axis.nodes[above - 1] / 2) / half_step;
    }
  }
  return result;
}

/// Adds the values of a function, known at the places of an axis.
void add_shift(const Matrix& shift, std::size_t score, std::span<const Between> places,
               std::span<double> out) {
  const auto values = shift.column(score);
  for (std::size_t k = 0; k < out.size(); ++k) {
    const auto [place, share] = places[k];
    out[k] += share > 0 ? std::lerp(values[place], values[place + 1], share) : values[place];
  }
}

/// Subtracts from each row its mean over columns.
void centre_rows(Matrix& values) {
  for (std::size_t i = 0; i < values.n_rows; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < values.n_cols; ++k) sum += values(i, k);
    for (std::size_t k = 0; k < values.n_cols; ++k) values(i, k) -= sum / static_cast<double>(values.n_cols);
  }
}

/// The values at the places of an axis: nodes in coordinates, or levels, then NaN if some were missing.
std::vector<double> values_at_places(const FeatureCounts& axis) {
  const std::size_t n_nodes = axis.rows.size() - (axis.has_missing ? 1 : 0);
  auto values = axis.nodes.empty() ? all_rows(n_nodes, 0.0) : axis.nodes;
  if (axis.has_missing) values.push_back(std::numeric_limits<double>::quiet_NaN());
  return values;
}

/// Rows with each value of x by each of y, the latter running fastest; of x alone for one feature.
Matrix rows_of_places(std::span<const double> x, std::span<const double> y, bool is_pair) {
  if (!is_pair) return Matrix(MatrixView{x.data(), x.size(), 1});
  Matrix rows(x.size() * y.size(), 2);
  for (std::size_t a = 0; a < x.size(); ++a)
    for (std::size_t b = 0; b < y.size(); ++b) {
      rows(a * y.size() + b, 0) = x[a];
      rows(a * y.size() + b, 1) = y[b];
    }
  return rows;
}

/// The sum of an effect's terms at rows of its one or two features, in coordinates; 0 without terms.
Matrix sums_of_terms(const Model& model, const Effect& effect, const Matrix& rows) {
  if (effect.terms.empty()) return {rows.n_rows, model.n_scores()};
  PartialModel part = internal::partial_model(
      model, [&](const Term& term) { return term.i == effect.i && term.j == effect.j; });
  part.model.coordinates.clear();
  return scores(part.model, rows, {.threads = 1});
}

/// The weighted mean of each column.
std::vector<double> means_of(const Matrix& values, std::span<const std::uint64_t> weights) {
  std::vector<double> means(values.n_cols);
  double total = 0;
  for (const std::uint64_t weight : weights) total += static_cast<double>(weight);
  for (std::size_t k = 0; total > 0 && k < values.n_cols; ++k)
    for (std::size_t i = 0; i < values.n_rows; ++i)
      means[k] += static_cast<double>(weights[i]) / total * values(i, k);
  return means;
}

/// Effects of the terms, and of features that have pairs alone.
std::vector<Effect> effects_with_features(const Model& model) {
  std::vector<Effect> found = effects_of(model);
  std::vector<bool> has_own(model.n_features);
  for (const Effect& effect : found)
    if (!effect.is_pair()) has_own[effect.i] = true;
  std::vector<bool> is_added(model.n_features);
  for (const Effect& effect : effects_of(model))
    for (const std::size_t j : {effect.i, effect.j})
      if (!has_own[j] && !is_added[j]) {
        is_added[j] = true;
        found.push_back({j, j, {}});
      }
  std::ranges::sort(found, {},
                    [](const Effect& effect) { return std::tuple(effect.is_pair(), effect.i, effect.j); });
  return found;
}

/// True if probabilities are the softmax of the scores, which a number added to all of them leaves as it is.
bool has_softmax(const Model& model) {
  return model.n_scores() > 1 && std::ranges::all_of(model.calibrations, [&](const Calibration& calibration) {
           return calibration.steps.empty() && calibration.slope == model.calibrations[0].slope;
         });
}

/// True if counts have an axis for each term, and the cells of each pair.
bool covers(const RowCounts& counts, std::span<const Effect> effects) {
  return std::ranges::all_of(effects, [&](const Effect& effect) {
    return !counts.empty() && !counts.features[effect.i].rows.empty() &&
           !counts.features[effect.j].rows.empty() &&
           (!effect.is_pair() || find_pair(counts, effect.i, effect.j) != nullptr);
  });
}

/// Subtracts values at places; a shift has one row more, for values that were never met.
void subtract(Matrix& shift, const Matrix& values) {
  for (std::size_t k = 0; k < values.n_cols; ++k)
    for (std::size_t place = 0; place < values.n_rows; ++place) shift(place, k) -= values(place, k);
}

/// Adds the shifts of an effect to the sums of its terms at rows in coordinates, and centres them.
void purify_rows(const PurifiedEffects& purified, std::size_t e, std::span<const Between> x,
                 std::span<const Between> y, Matrix& values) {
  for (std::size_t k = 0; k < values.n_cols; ++k) {
    add_shift(purified.shifts[e], k, x, values.column(k));
    if (purified.effects[e].is_pair()) add_shift(purified.second_shifts[e], k, y, values.column(k));
  }
  if (purified.is_centred) centre_rows(values);
}

/// The effect at rows of its one or two features, as tables have them.
Matrix effect_at(const Model& model, const PurifiedEffects& purified, std::size_t e, Matrix rows) {
  if (e == purified.effects.size()) return {rows.n_rows, model.n_scores()};
  const Effect& effect = purified.effects[e];
  const bool is_pair = effect.is_pair();
  const std::array columns{effect.i, effect.j};
  for (std::size_t k = 0; k < (is_pair ? 2U : 1U) && !model.coordinates.empty(); ++k)
    apply(model.coordinates[columns[k]], rows.column(k), rows.column(k));
  Matrix values = sums_of_terms(model, effect, rows);
  const auto x = places_on(purified.counts.features[effect.i], rows.column(0));
  const auto y = is_pair ? places_on(purified.counts.features[effect.j], rows.column(1)) : x;
  purify_rows(purified, e, x, y, values);
  return values;
}

/// Sets what a pair loses at the places of its features; `sums` are those of its terms.
void purify_pair(PurifiedEffects& purified, std::size_t e, const Matrix& sums) {
  const Effect& effect = purified.effects[e];
  const PairRows& cells = *find_pair(purified.counts, effect.i, effect.j);
  const internal::TwoWay two =
      internal::two_way(cells.rows, purified.counts.features[effect.i].rows.size(), sums);
  purified.second_shifts[e] = Matrix(two.b.n_rows + 1, two.b.n_cols);
  subtract(purified.shifts[e], two.a);
  subtract(purified.second_shifts[e], two.b);
}

/// Gives features what their pairs have lost.
void move_to_features(PurifiedEffects& purified) {
  for (std::size_t e = 0; e < purified.effects.size(); ++e) {
    const Effect& effect = purified.effects[e];
    if (!effect.is_pair()) continue;
    subtract(purified.shifts[effect_place(purified, effect.i, effect.i)], purified.shifts[e]);
    subtract(purified.shifts[effect_place(purified, effect.j, effect.j)], purified.second_shifts[e]);
  }
}

/// Moves the mean of a feature to the baselines; `sums` are those of its terms at its places.
void move_mean(PurifiedEffects& purified, std::size_t e, const Matrix& sums) {
  Matrix& shifts = purified.shifts[e];
  Matrix total = sums;
  for (std::size_t k = 0; k < total.n_cols; ++k)
    for (std::size_t place = 0; place < total.n_rows; ++place) total(place, k) += shifts(place, k);
  const auto means = means_of(total, purified.counts.features[purified.effects[e].i].rows);
  for (std::size_t k = 0; k < means.size(); ++k) {
    for (double& shift : shifts.column(k)) shift -= means[k];
    purified.baselines[k] += means[k];
  }
}

/// Sets the mean absolute effect over the counted rows; `values` are the sums of its terms at their places.
void set_size(PurifiedEffects& purified, std::size_t e, Matrix values) {
  const Effect& effect = purified.effects[e];
  const auto& x_axis = purified.counts.features[effect.i];
  const auto& y_axis = purified.counts.features[effect.j];
  const Matrix rows = rows_of_places(values_at_places(x_axis), values_at_places(y_axis), effect.is_pair());
  const auto x = places_on(x_axis, rows.column(0));
  const auto y = effect.is_pair() ? places_on(y_axis, rows.column(1)) : x;
  purify_rows(purified, e, x, y, values);
  for (double& value : values.data) value = std::abs(value);
  const auto sizes =
      means_of(values, effect.is_pair() ? find_pair(purified.counts, effect.i, effect.j)->rows : x_axis.rows);
  std::ranges::copy(sizes, purified.sizes.column(e).begin());
}

/// The places of an axis whose rows may lie in the cell around each point: a place has the rows nearest to
/// its node, a cell the values nearest to its point.
std::vector<std::vector<std::size_t>> places_around(const Model& model, const FeatureCounts& axis,
                                                    std::size_t feature, std::span<const double> points) {
  std::vector<double> z(points.begin(), points.end());
  if (!model.coordinates.empty()) apply(model.coordinates[feature], z, z);
  std::vector<std::vector<std::size_t>> result(points.size());
  const auto places = places_on(axis, z);
  const auto n = static_cast<std::size_t>(
      std::ranges::count_if(z, [](double value) { return !std::isnan(value); }));  // NaN is last
  for (std::size_t k = 0; k < points.size(); ++k) {
    if (k >= n || axis.nodes.empty()) {
      if (places[k].place < axis.rows.size()) result[k].push_back(places[k].place);
      continue;
    }
    constexpr double everything = std::numeric_limits<double>::infinity();
    const double low = k > 0 ? z[k - 1] / 2 + z[k] / 2 : -everything;
    const double high = k + 1 < n ? z[k] / 2 + z[k + 1] / 2 : everything;
    const std::size_t first = low == -everything ? 0 : nearest_node(axis.nodes, low);
    const std::size_t last = high == everything ? axis.nodes.size() - 1 : nearest_node(axis.nodes, high);
    for (std::size_t node = first; node <= last; ++node) result[k].push_back(node);
  }
  return result;
}

}  // namespace

PurifiedEffects purified_effects(const Model& model, const Execution& execution) {
  PurifiedEffects result{.effects = effects_with_features(model),
                         .baselines = model.intercepts,
                         .is_centred = has_softmax(model),
                         .is_by_rows = covers(model.row_counts, effects_of(model))};
  result.counts = result.is_by_rows ? model.row_counts : internal::counts_of_densities(model, execution);
  const std::size_t n_effects = result.effects.size();
  result.shifts.resize(n_effects);
  result.second_shifts.resize(n_effects);
  std::vector<Matrix> sums(n_effects);  // of the terms, at the places of features
  parallel_for(n_effects, execution, "effects", [&](std::size_t e) {
    const Effect& effect = result.effects[e];
    const auto x = values_at_places(result.counts.features[effect.i]);
    const auto y = values_at_places(result.counts.features[effect.j]);
    const Matrix rows = rows_of_places(x, y, effect.is_pair());
    sums[e] = sums_of_terms(model, effect, rows);
    result.shifts[e] = Matrix(x.size() + 1, model.n_scores());
    if (effect.is_pair()) purify_pair(result, e, sums[e]);
  });
  move_to_features(result);
  for (std::size_t e = 0; e < n_effects; ++e)
    if (!result.effects[e].is_pair()) move_mean(result, e, sums[e]);
  result.sizes = Matrix(model.n_scores(), n_effects);
  for (std::size_t e = 0; e < n_effects; ++e) set_size(result, e, std::move(sums[e]));
  if (result.is_centred) {
    const double mean = std::accumulate(result.baselines.begin(), result.baselines.end(), 0.0) /
                        static_cast<double>(result.baselines.size());
    for (double& baseline : result.baselines) baseline -= mean;
  }
  return result;
}

std::vector<Matrix> effect_values(const Model& model, const PurifiedEffects& purified, const MatrixView& X,
                                  const Execution& execution) {
  std::vector<Matrix> result(model.n_scores(), Matrix(X.n_rows, purified.effects.size()));
  for_blocks_in_coordinates(model, X, execution, "effects", [&](std::size_t first, const Matrix& rows) {
    std::vector<std::vector<Between>> places(model.n_features);
    for (const Effect& effect : purified.effects)
      if (!effect.is_pair())
        places[effect.i] = places_on(purified.counts.features[effect.i], rows.column(effect.i));
    std::vector<double> values(rows.n_rows);
    for (std::size_t e = 0; e < purified.effects.size(); ++e) {
      const Effect& effect = purified.effects[e];
      Matrix of_effect(rows.n_rows, model.n_scores());
      for (const std::size_t t : effect.terms) {
        evaluate(model.terms, model.terms[t], rows, values);
        for (std::size_t k = 0; k < model.n_scores(); ++k)
          for (std::size_t i = 0; i < rows.n_rows; ++i)
            of_effect(i, k) += contribution(model.weights(k, t), values[i], model.terms[t].centre);
      }
      purify_rows(purified, e, places[effect.i], places[effect.j], of_effect);
      for (std::size_t k = 0; k < model.n_scores(); ++k)
        std::ranges::copy(of_effect.column(k),
                          result[k].column(e).begin() + static_cast<std::ptrdiff_t>(first));
    }
  });
  return result;
}

std::size_t effect_place(const PurifiedEffects& purified, std::size_t i, std::size_t j) {
  const auto key = [](const Effect& effect) { return std::tuple(effect.is_pair(), effect.i, effect.j); };
  const auto wanted = std::tuple(i != j, i, j);
  const auto found = std::ranges::lower_bound(purified.effects, wanted, {}, key);
  const bool is_there = found != purified.effects.end() && key(*found) == wanted;
  return static_cast<std::size_t>((is_there ? found : purified.effects.end()) - purified.effects.begin());
}

std::size_t count_that_carry(const PurifiedEffects& purified, double share) {
  std::size_t most = 0;
  for (std::size_t k = 0; k < purified.sizes.n_rows; ++k) {
    std::vector<double> sizes;
    for (std::size_t e = 0; e < purified.sizes.n_cols; ++e) sizes.push_back(purified.sizes(k, e));
    std::ranges::sort(sizes, std::greater<>());
    const double total = std::accumulate(sizes.begin(), sizes.end(), 0.0);
    double sum = 0;
    std::size_t count = 0;
    while (count < sizes.size() && sum < share * total) sum += sizes[count++];
    most = std::max(most, count);
  }
  return most;
}

Matrix effect_curve(const Model& model, const PurifiedEffects& purified, std::size_t i,
                    std::span<const double> points) {
  return effect_at(model, purified, effect_place(purified, i, i), rows_of_places(points, {}, false));
}

Matrix effect_surface(const Model& model, const PurifiedEffects& purified, std::size_t i, std::size_t j,
                      std::span<const double> x, std::span<const double> y) {
  return effect_at(model, purified, effect_place(purified, i, j), rows_of_places(x, y, true));
}

std::vector<bool> cells_with_rows(const Model& model, const PurifiedEffects& purified, std::size_t i,
                                  std::size_t j, std::span<const double> x, std::span<const double> y) {
  const PairRows* const pair = purified.is_by_rows ? find_pair(purified.counts, i, j) : nullptr;
  if (pair == nullptr) return std::vector<bool>(x.size() * y.size(), true);
  const auto& second = purified.counts.features[j];
  const auto across = places_around(model, purified.counts.features[i], i, x);
  const auto up = places_around(model, second, j, y);
  std::vector<bool> result;
  for (const auto& of_x : across)
    for (const auto& of_y : up)
      result.push_back(std::ranges::any_of(of_x, [&](std::size_t a) {
        return std::ranges::any_of(of_y,
                                   [&](std::size_t b) { return pair->rows[a * second.rows.size() + b] > 0; });
      }));
  return result;
}

}  // namespace dyad
