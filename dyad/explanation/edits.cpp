// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/edits.h"

#include <map>
#include <set>
#include <tuple>

#include "dyad/base/gather.h"
#include "dyad/base/text.h"
#include "dyad/explanation/internal/isotonic.h"

namespace dyad {
namespace {

/// The model with a trace of an edit; a model that is being fitted has no names yet, and gets none.
Model traced(Model model, const std::string& what) {
  return model.features.empty() ? model : with_trace(std::move(model), what);
}

/// Class code, i and j of a table.
using TablePlace = std::tuple<std::int32_t, std::size_t, std::size_t>;

/// A model taken apart: terms with their weights, and tables apart from them.
class EditedModel {
 public:
  EditedModel(const Model& model, const Execution& execution) : model_(model) {
    if (model.row_counts.empty())
      throw std::invalid_argument(
          "edit: the model holds no counts of training rows, which edits need; fit it again");
    purified_ = purified_effects(model, execution);
    if (!purified_.is_by_rows)
      throw std::invalid_argument("edit: the model does not count the training rows of all its effects");
    for (const Term& term : model.terms)
      if (term.is_table) tables_[place_of(term)] = std::get<FreeTable>(term.density);
  }

  [[nodiscard]] const PurifiedEffects& purified() const { return purified_; }

  /// The number of an effect. Throws std::invalid_argument if the model has none of these features.
  [[nodiscard]] std::size_t place(const FeaturePair& effect) const {
    const std::size_t e = effect_place(purified_, effect.i, effect.j);
    if (e == purified_.effects.size())
      throw std::invalid_argument("edit: the model has no effect of " + effect_name(model_, effect));
    return e;
  }

  /// Multiplies an effect by a factor.
  void scale(std::size_t e, double factor) {
    const Effect& effect = purified_.effects[e];
    std::erase_if(model_.monotone, [&](const MonotoneFeature& of) {
      return of.feature == effect.i || of.feature == effect.j;
    });
    for (const std::size_t t : effect.terms) {
      const Term& term = model_.terms[t];
      if (term.is_table)
        for (double& value : tables_[place_of(term)].values) value *= factor;
      else
        for (double& weight : model_.weights.column(t)) weight *= factor;
    }
    add_shift(effect.i, purified_.shifts[e], factor - 1);
    if (effect.is_pair()) add_shift(effect.j, purified_.second_shifts[e], factor - 1);
  }

  /// Adds a table of one feature or of a pair without one to a score.
  void add(const FeaturePair& effect, std::size_t score, FreeTable table) {
    const TablePlace place{class_of(score), effect.i, effect.j};
    const auto found = tables_.find(place);
    if (found == tables_.end() || effect.i != effect.j)
      tables_[place] = std::move(table);
    else
      found->second = sum_of(found->second, table);
  }

  /// The model without terms that say nothing.
  [[nodiscard]] Model finished() && {
    move_constants();
    keep_terms();
    append(false);
    append(true);
    std::set<std::pair<std::size_t, std::size_t>> pairs;
    for (const Term& term : model_.terms) pairs.insert({term.i, term.j});
    std::erase_if(model_.row_counts.pairs, [&](const PairRows& pair) {
      return !pairs.contains({pair.i, pair.j});
    });
    return std::move(model_);
  }

 private:
  [[nodiscard]] static TablePlace place_of(const TermKey& key) { return {key.class_code, key.i, key.j}; }

  /// The class of the tables in a score.
  [[nodiscard]] std::int32_t class_of(std::size_t score) const {
    return model_.n_scores() == 1 ? 1 : static_cast<std::int32_t>(score);
  }

  void add_shift(std::size_t feature, const Matrix& shift, double factor) {
    const FeatureCounts& axis = model_.row_counts.features[feature];
    const std::size_t n_nodes = axis.rows.size() - (axis.has_missing ? 1 : 0);
    for (std::size_t k = 0; k < shift.n_cols; ++k) {
      FreeTable table{.x = is_number(model_, feature) ? BinAxis{.cuts = axis.nodes, .has_nodes = true}
                                                      : BinAxis{.n_levels = n_nodes}};
      for (std::size_t place = 0; place <= n_nodes; ++place)  // missing values, or those never met, come last
        table.values.push_back(factor * shift(place, k));
      add({feature, feature}, k, std::move(table));
    }
  }

  /// Moves tables that are constant to the intercepts, and drops those of pairs that are 0.
  void move_constants() {
    std::erase_if(tables_, [&](const auto& entry) {
      const auto& [class_code, i, j] = entry.first;
      const auto [low, high] = std::ranges::minmax(entry.second.values);
      if (i != j) return low == 0 && high == 0;
      constexpr double rounding = 1e-12;
      if (high - low > rounding * std::max({1.0, std::abs(low), std::abs(high)})) return false;
      model_.intercepts[model_.n_scores() == 1 ? 0 : static_cast<std::size_t>(class_code)] += low;
      return true;
    });
  }

  /// Keeps the terms that have a weight, and the densities of one feature that stand in for a pair where a
  /// value was never met; all of these if there are no others, for novelty.
  void keep_terms() {
    const auto is_used = [&](std::size_t t) {
      return !model_.terms[t].is_table &&
             std::ranges::any_of(model_.weights.column(t), [](double weight) { return weight != 0; });
    };
    const auto used = rows_where(model_.terms.size(), is_used);
    std::set<std::pair<std::int32_t, std::size_t>> margins;
    for (const std::size_t t : used)
      if (const Term& term = model_.terms[t]; term.is_pair())
        margins.insert({{term.class_code, term.i}, {term.class_code, term.j}});
    const bool has_density =
        std::ranges::any_of(used, [&](std::size_t t) { return model_.terms[t].is_density(); });
    const auto kept = rows_where(model_.terms.size(), [&](std::size_t t) {
      const Term& term = model_.terms[t];
      return is_used(t) || (term.is_density() && !term.is_pair() &&
                            (!has_density || margins.contains({term.class_code, term.i})));
    });
    const auto n_densities = std::ranges::count_if(model_.terms, &Term::is_density);
    keep_columns(model_.weights, kept);
    std::vector<Term> terms;
    for (const std::size_t t : kept) terms.push_back(std::move(model_.terms[t]));
    // Quantiles of novelty are those of all densities.
    if (std::ranges::count_if(terms, &Term::is_density) != n_densities) model_.novelty_scores.clear();
    model_.terms = std::move(terms);
  }

  /// Appends the tables with nodes, or those without, which come before them.
  void append(bool with_nodes) {
    std::vector<Term> terms;
    for (const auto& [place, table] : tables_) {
      if (has_nodes(table) != with_nodes) continue;
      const auto& [class_code, i, j] = place;
      terms.push_back(table_term({class_code, i, j}, table));
    }
    append_tables(model_, std::move(terms));
  }

  Model model_;
  PurifiedEffects purified_;
  std::map<TablePlace, FreeTable> tables_;
};

/// The model whose features are in coordinates already.
Model in_its_coordinates(Model model) {
  model.coordinates.clear();
  return model;
}

/// The axis of a table with a bin for each of some points, numbers in coordinates, before that of NaN.
BinAxis axis_at(const Model& model, std::size_t feature, std::span<const double> points) {
  if (!is_number(model, feature)) return {.n_levels = points.size()};
  return {.cuts = {points.begin(), points.end()}, .has_nodes = true};
}

std::vector<double> with_missing(std::vector<double> points) {
  points.push_back(std::numeric_limits<double>::quiet_NaN());
  return points;
}

/// Nodes of a feature's counts and the ends of its range, in coordinates, or all codes of its levels.
std::vector<double> grid_of(const Model& model, std::size_t feature) {
  const FeatureCounts& axis = model.row_counts.features[feature];
  const std::size_t n_nodes = axis.rows.size() - (axis.has_missing ? 1 : 0);
  std::vector<double> grid = axis.nodes;
  if (!is_number(model, feature)) {
    for (std::size_t level = 0; level < n_nodes; ++level) grid.push_back(static_cast<double>(level));
    return grid;
  }
  if (axis.range.has_numbers)
    for (double end : {axis.range.low, axis.range.high}) {
      if (!model.coordinates.empty()) apply(model.coordinates[feature], {&end, 1}, {&end, 1});
      grid.push_back(end);
    }
  std::ranges::sort(grid);
  grid.erase(std::unique(grid.begin(), grid.end()), grid.end());
  return grid;
}

/// The places in a feature's counts of points of its grid, NaN last; the number of places for none.
std::vector<std::size_t> count_places(const Model& model, std::size_t feature,
                                      std::span<const double> points) {
  const FeatureCounts& axis = model.row_counts.features[feature];
  const std::size_t none = axis.rows.size();
  std::vector<std::size_t> places;
  for (const double point : points) {
    if (std::isnan(point)) {
      places.push_back(axis.has_missing ? none - 1 : none);
    } else if (!is_number(model, feature)) {
      places.push_back(static_cast<std::size_t>(point));
    } else {
      const std::size_t place = place_in(axis.nodes, point);
      places.push_back(place < axis.nodes.size() && axis.nodes[place] == point ? place : none);
    }
  }
  return places;
}

/// A pair with a monotone feature, at the points of its grids, NaN last: x by y.
struct PairSurface {
  FeaturePair pair;
  std::array<std::vector<double>, 2> points;
  Matrix values;
  Matrix rows;  ///< training rows there

  /// 0 if the feature is the first of the pair, else 1.
  [[nodiscard]] std::size_t axis_of(std::size_t feature) const { return feature == pair.i ? 0 : 1; }
  [[nodiscard]] bool has(std::size_t feature) const { return feature == pair.i || feature == pair.j; }
};

/// The entry of a matrix at a place along an axis and one across it.
template <class Values>
decltype(auto) entry(Values& values, std::size_t axis, std::size_t along, std::size_t across) {
  return axis == 0 ? values(along, across) : values(across, along);
}

PairSurface surface_of(const Model& model, const Model& plain, const PurifiedEffects& purified,
                       const Effect& effect) {
  PairSurface surface{
      .pair = {effect.i, effect.j},
      .points = {with_missing(grid_of(model, effect.i)), with_missing(grid_of(model, effect.j))}};
  const auto& [x, y] = surface.points;
  const Matrix found = effect_surface(plain, purified, effect.i, effect.j, x, y);
  const auto x_places = count_places(model, effect.i, x);
  const auto y_places = count_places(model, effect.j, y);
  const auto& counts = find_pair(model.row_counts, effect.i, effect.j)->rows;
  const std::size_t n_x = model.row_counts.features[effect.i].rows.size();
  const std::size_t n_y = model.row_counts.features[effect.j].rows.size();
  surface.values = Matrix(x.size(), y.size());
  surface.rows = Matrix(x.size(), y.size());
  for (std::size_t a = 0; a < x.size(); ++a)
    for (std::size_t b = 0; b < y.size(); ++b) {
      surface.values(a, b) = found(a * y.size() + b, 0);
      if (x_places[a] < n_x && y_places[b] < n_y)
        surface.rows(a, b) = static_cast<double>(counts[x_places[a] * n_y + y_places[b]]);
    }
  return surface;
}

/// A feature along which the score is to rise.
struct RisingFeature {
  std::size_t feature = 0;
  std::vector<double> numbers;     ///< of its grid
  std::vector<std::size_t> order;  ///< places of the numbers, reversed if the score falls along them
  std::vector<double> own;         ///< its own effect there, and at NaN
};

/// Makes values at some places rise in their order; cells that no row was in follow their neighbours.
void make_rise(std::span<double> values, std::span<const double> rows) {
  constexpr double hardly_any = 1e-3;  // of a row
  std::vector<double> weights;
  for (const double count : rows) weights.push_back(count + hardly_any);
  internal::make_isotonic(values, weights);
}

/// The own effect of a feature, made to rise over its training rows.
RisingFeature rising_feature(const Model& model, const Model& plain, const PurifiedEffects& purified,
                             const MonotoneFeature& wanted) {
  RisingFeature rising{.feature = wanted.feature, .numbers = grid_of(model, wanted.feature)};
  rising.order = all_rows(rising.numbers.size());
  if (wanted.direction == Direction::decreasing) std::ranges::reverse(rising.order);
  const auto grid = with_missing(rising.numbers);
  rising.own = effect_curve(plain, purified, wanted.feature, grid).data;
  const auto places = count_places(model, wanted.feature, grid);
  const auto& counts = model.row_counts.features[wanted.feature].rows;
  std::vector<double> values = gather(rising.own, rising.order);
  std::vector<double> rows;
  for (const std::size_t k : rising.order)
    rows.push_back(places[k] < counts.size() ? static_cast<double>(counts[places[k]]) : 0);
  make_rise(values, rows);
  for (std::size_t k = 0; k < values.size(); ++k) rising.own[rising.order[k]] = values[k];
  return rising;
}

/// The largest fall of a surface from one place of a feature to the next, where rows are; at least 0.
double largest_fall(const PairSurface& surface, std::size_t axis, std::size_t from, std::size_t to) {
  double fall = 0;
  for (std::size_t across = 0; across < surface.points[1 - axis].size(); ++across)
    if (entry(surface.rows, axis, from, across) + entry(surface.rows, axis, to, across) > 0)
      fall =
          std::max(fall, entry(surface.values, axis, from, across) - entry(surface.values, axis, to, across));
  return fall;
}

/// Shares of the own effect of a feature for its surfaces, by place: each step is divided in proportion to
/// how far each surface falls there.
std::vector<std::vector<double>> shares_of(const RisingFeature& rising,
                                           std::span<PairSurface* const> surfaces) {
  const auto n = static_cast<double>(surfaces.size());
  std::vector<std::vector<double>> shares(surfaces.size(), rising.own);
  for (auto& share : shares)
    for (double& value : share) value /= n;
  for (std::size_t k = 1; k < rising.order.size(); ++k) {
    const std::size_t from = rising.order[k - 1];
    const std::size_t to = rising.order[k];
    std::vector<double> falls;
    for (const PairSurface* surface : surfaces)
      falls.push_back(largest_fall(*surface, surface->axis_of(rising.feature), from, to));
    const double total = std::accumulate(falls.begin(), falls.end(), 0.0);
    for (std::size_t s = 0; s < surfaces.size(); ++s)
      shares[s][to] =
          shares[s][from] + (rising.own[to] - rising.own[from]) * (total > 0 ? falls[s] / total : 1 / n);
  }
  return shares;
}

/// Makes the values of a surface rise along a feature, for each place of the other.
void make_rise(PairSurface& surface, Matrix& values, const RisingFeature& rising) {
  const std::size_t axis = surface.axis_of(rising.feature);
  for (std::size_t across = 0; across < surface.points[1 - axis].size(); ++across) {
    std::vector<double> line;
    std::vector<double> rows;
    for (const std::size_t along : rising.order) {
      line.push_back(entry(values, axis, along, across));
      rows.push_back(entry(surface.rows, axis, along, across));
    }
    make_rise(line, rows);
    for (std::size_t k = 0; k < line.size(); ++k) entry(values, axis, rising.order[k], across) = line[k];
  }
}

/// Makes values rise along both features: Dykstra's alternating projections, which come close to the isotonic
/// regression in two dimensions; then largest values so far along the first, which rise along both.
void make_rise_along_both(PairSurface& surface, const RisingFeature& first, const RisingFeature& second) {
  constexpr int n_rounds = 50;
  Matrix& values = surface.values;
  Matrix first_rest(values.n_rows, values.n_cols);
  Matrix second_rest = first_rest;
  const auto project = [&](const RisingFeature& along, Matrix& rest) {
    for (std::size_t k = 0; k < rest.data.size(); ++k) rest.data[k] += values.data[k];
    values = rest;
    make_rise(surface, values, along);
    for (std::size_t k = 0; k < rest.data.size(); ++k) rest.data[k] -= values.data[k];
  };
  for (int round = 0; round < n_rounds; ++round) {
    project(first, first_rest);
    project(second, second_rest);
  }
  const std::size_t axis = surface.axis_of(first.feature);
  for (std::size_t across = 0; across < surface.points[1 - axis].size(); ++across)
    for (std::size_t k = 1; k < first.order.size(); ++k) {
      double& value = entry(values, axis, first.order[k], across);
      value = std::max(value, entry(values, axis, first.order[k - 1], across));
    }
}

/// The table of a surface.
FreeTable table_of(const Model& model, const PairSurface& surface) {
  const auto axis = [&](std::size_t feature, const std::vector<double>& points) {
    return axis_at(model, feature, std::span(points).first(points.size() - 1));
  };
  FreeTable table{.x = axis(surface.pair.i, surface.points[0]), .y = axis(surface.pair.j, surface.points[1])};
  for (std::size_t x = 0; x < surface.values.n_rows; ++x)
    for (std::size_t y = 0; y < surface.values.n_cols; ++y) table.values.push_back(surface.values(x, y));
  return table;
}

/// Adds to the surfaces of each feature its share of the feature's own effect.
void add_shares(std::span<const RisingFeature> all, std::vector<PairSurface>& surfaces) {
  std::vector<std::pair<PairSurface*, std::vector<double>>> added;
  std::vector<std::size_t> axes;
  for (const RisingFeature& rising : all) {
    std::vector<PairSurface*> own;
    for (PairSurface& surface : surfaces)
      if (surface.has(rising.feature)) own.push_back(&surface);
    auto shares = shares_of(rising, own);
    for (std::size_t s = 0; s < own.size(); ++s) {
      axes.push_back(own[s]->axis_of(rising.feature));
      added.emplace_back(own[s], std::move(shares[s]));
    }
  }
  for (std::size_t k = 0; k < added.size(); ++k) {
    auto& [surface, share] = added[k];
    for (std::size_t along = 0; along < share.size(); ++along)
      for (std::size_t across = 0; across < surface->points[1 - axes[k]].size(); ++across)
        entry(surface->values, axes[k], along, across) += share[along];
  }
}

void require_monotone(const Model& model, std::size_t feature) {
  if (feature >= model.n_features)
    throw std::invalid_argument("monotone: expected a feature of " + std::to_string(model.n_features) +
                                ", got number " + std::to_string(feature));
  const std::string name = effect_name(model, {feature, feature});
  if (model.n_scores() != 1)
    throw std::invalid_argument("monotone: expected two classes, got " + std::to_string(model.n_classes()));
  if (!is_number(model, feature))
    throw std::invalid_argument("monotone: expected a feature of numbers, got " + name + " of levels");
}

/// The points of a shape in coordinates.
std::vector<double> points_in_coordinates(const Model& model, std::size_t feature,
                                          std::vector<double> points) {
  const std::string name = effect_name(model, {feature, feature});
  if (!is_number(model, feature)) {
    for (std::size_t k = 0; k < points.size(); ++k)
      if (points[k] != static_cast<double>(k) || points.size() != model.levels[feature].size())
        throw std::invalid_argument("shape: expected all " + std::to_string(model.levels[feature].size()) +
                                    " levels of " + name);
    return points;
  }
  if (!model.coordinates.empty()) apply(model.coordinates[feature], points, points);
  const bool ascends =
      std::ranges::adjacent_find(points, [](double a, double b) { return !(a < b); }) == points.end();
  if (points.empty() || !ascends || !std::ranges::all_of(points, [](double x) { return std::isfinite(x); }))
    throw std::invalid_argument("shape: expected ascending numbers at which " + name + " has values");
  return points;
}

/// Column k of the values at points, with those of the model at missing values between and behind them.
std::vector<double> with_values_at_gaps(const Matrix& given, const Matrix& now, std::size_t n_y,
                                        std::size_t score) {
  if (n_y == 0) {
    std::vector<double> values(given.column(score).begin(), given.column(score).end());
    values.push_back(now(now.n_rows - 1, score));
    return values;
  }
  std::vector<double> values(now.column(score).begin(), now.column(score).end());
  for (std::size_t row = 0; row < given.n_rows; ++row)
    values[row / n_y * (n_y + 1) + row % n_y] = given(row, score);
  return values;
}

}  // namespace

std::string effect_name(const Model& model, const FeaturePair& effect) {
  const auto name = [&](std::size_t j) {
    return j < model.features.size() ? model.features[j] : "feature " + std::to_string(j + 1);
  };
  return effect.i == effect.j ? name(effect.i) : name(effect.i) + ", " + name(effect.j);
}

Model with_scaled_effects(const Model& model, std::span<const FeaturePair> effects, double factor,
                          const Execution& execution) {
  if (!std::isfinite(factor))
    throw std::invalid_argument("edit: expected a finite factor, got " + number_text(factor));
  EditedModel edited(model, execution);
  std::set<std::size_t> places;
  for (const FeaturePair& effect : effects) places.insert(edited.place(effect));
  std::string names;
  for (const std::size_t e : places) {
    edited.scale(e, factor);
    const Effect& effect = edited.purified().effects[e];
    names += (names.empty() ? "" : "; ") + effect_name(model, {effect.i, effect.j});
  }
  return traced(std::move(edited).finished(),
                factor == 0 ? names + " removed" : names + " times " + number_text(factor));
}

Model with_largest_effects(const Model& model, std::size_t most, const Execution& execution) {
  EditedModel edited(model, execution);
  const auto order = largest_columns(edited.purified().sizes);
  for (std::size_t k = most; k < order.size(); ++k) edited.scale(order[k], 0);
  return traced(std::move(edited).finished(), "the " + std::to_string(std::min(most, order.size())) +
                                                  " largest of " + std::to_string(order.size()) +
                                                  " effects kept");
}

Model with_shape(const Model& model, FeaturePair effect, const EffectShape& shape,
                 const Execution& execution) {
  const bool is_pair = effect.i != effect.j;
  const auto x = points_in_coordinates(model, effect.i, shape.x);
  const auto y = is_pair ? points_in_coordinates(model, effect.j, shape.y) : std::vector<double>();
  if (shape.values.n_rows != x.size() * (is_pair ? y.size() : 1) || shape.values.n_cols != model.n_scores())
    throw std::invalid_argument("shape: expected a value for each point and score");
  if (!std::ranges::all_of(shape.values.data, [](double value) { return std::abs(value) < 1e100; }))
    throw std::invalid_argument("shape: expected finite values");
  EditedModel edited(model, execution);
  const std::size_t e = edited.place(effect);
  const Model plain = in_its_coordinates(model);
  const Matrix now =
      is_pair ? effect_surface(plain, edited.purified(), effect.i, effect.j, with_missing(x), with_missing(y))
              : effect_curve(plain, edited.purified(), effect.i, with_missing(x));
  edited.scale(e, 0);
  for (std::size_t k = 0; k < model.n_scores(); ++k)
    edited.add(effect, k,
               {.x = axis_at(model, effect.i, x),
                .y = is_pair ? axis_at(model, effect.j, y) : BinAxis{},
                .values = with_values_at_gaps(shape.values, now, y.size(), k)});
  return traced(std::move(edited).finished(), "shape of " + effect_name(model, effect) + " set");
}

Model with_monotone_features(const Model& model, std::span<const MonotoneFeature> features,
                             const Execution& execution) {
  std::map<std::size_t, Direction> wanted;
  for (const MonotoneFeature& of : features) {
    require_monotone(model, of.feature);
    if (!wanted.insert({of.feature, of.direction}).second)
      throw std::invalid_argument("monotone: got " + effect_name(model, {of.feature, of.feature}) + " twice");
  }
  for (const MonotoneFeature& before : model.monotone) wanted.insert({before.feature, before.direction});
  EditedModel edited(model, execution);
  const PurifiedEffects& purified = edited.purified();
  const Model plain = in_its_coordinates(model);
  std::vector<RisingFeature> rising;
  for (const auto& [feature, direction] : wanted)
    if (effect_place(purified, feature, feature) < purified.effects.size())
      rising.push_back(rising_feature(model, plain, purified, {feature, direction}));
  std::vector<PairSurface> surfaces;
  for (std::size_t e = 0; e < purified.effects.size(); ++e) {
    const Effect& effect = purified.effects[e];
    if (!wanted.contains(effect.i) && !wanted.contains(effect.j)) continue;
    if (effect.is_pair()) surfaces.push_back(surface_of(model, plain, purified, effect));
    if (effect.is_pair() || wanted.contains(effect.i)) edited.scale(e, 0);
  }
  add_shares(rising, surfaces);
  for (PairSurface& surface : surfaces) {
    std::vector<const RisingFeature*> along;
    for (const RisingFeature& of : rising)
      if (surface.has(of.feature)) along.push_back(&of);
    if (along.size() == 1)
      make_rise(surface, surface.values, *along[0]);
    else
      make_rise_along_both(surface, *along[0], *along[1]);
    edited.add(surface.pair, 0, table_of(model, surface));
  }
  for (const RisingFeature& of : rising)
    if (std::ranges::none_of(surfaces, [&](const PairSurface& surface) { return surface.has(of.feature); }))
      edited.add({of.feature, of.feature}, 0,
                 {.x = axis_at(model, of.feature, of.numbers), .values = of.own});
  Model result = std::move(edited).finished();
  result.monotone.clear();
  for (const auto& [feature, direction] : wanted) result.monotone.push_back({feature, direction});
  std::string names;
  for (const MonotoneFeature& of : features)
    names += (names.empty() ? "" : "; ") + effect_name(model, {of.feature, of.feature}) + " " +
             std::string(name_of(direction_names, of.direction));
  return traced(std::move(result), names + " throughout");
}

}  // namespace dyad
