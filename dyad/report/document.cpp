// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/document.h"

#include <set>
#include <tuple>

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/data/values.h"
#include "dyad/evaluation/dependence.h"
#include "dyad/explanation/effects.h"
#include "dyad/explanation/flips.h"
#include "dyad/explanation/purified_effects.h"
#include "dyad/explanation/shapes.h"
#include "dyad/explanation/summary.h"
#include "dyad/explanation/value_text.h"
#include "dyad/exports/export.h"
#include "dyad/model/description.h"
#include "dyad/model/prediction.h"
#include "dyad/report/internal/json_parts.h"
#include "dyad/report/internal/quality.h"
#include "dyad/report/shown_rows.h"
#include "dyad/terms/structure.h"
#include "dyad/version.h"

namespace dyad {
namespace {

using namespace internal;

constexpr std::size_t curve_points = 97;
constexpr std::size_t surface_step = 3;              ///< surfaces have every third point of curves
constexpr std::size_t most_dependence_rows = 10000;  ///< of a class
constexpr std::size_t most_tree_rows = 1000;         ///< of a class
constexpr std::size_t most_mapped_features = 60;
constexpr std::size_t most_screened_features = 300;
constexpr double least_surface_share = 0.2;  ///< of the size of a document, whatever else it holds
constexpr std::size_t most_row_effects = 30;
constexpr std::size_t most_row_terms = 40;
constexpr std::size_t most_row_flips = 20;

Json importance_json(const Importance& importance) {
  return short_numbers(std::array{importance.mean, importance.low, importance.high});
}

/// One entry a score.
Json by_score(const Importances::ByScore& importances, std::size_t k) {
  return list_of(importances, [&](const auto& of_score) { return importance_json(of_score[k]); });
}

/// Where a feature is drawn.
struct DrawnFeature {
  ValueText text;
  std::vector<double> points;
  std::vector<std::size_t> surface_places;  ///< among the points
  std::vector<double> surface_points;
};

/// What a document is made of; each part of it is a function of this.
class Document {
 public:
  Document(const Model& model, const ReportRows& rows, const ReportOptions& options,
           const Execution& execution)
      : model_(model),
        rows_(rows),
        options_(options),
        execution_(execution),
        purified_(purified_effects(model, execution)),
        effects_(purified_.effects),
        timings_(options.timings) {}

  std::string text() {
    timed("predictions", [&] { predict(); });
    timed("importances", [&] {
      importances_ = importances(model_, purified_, rows_.X, most_importance_rows, options_.seed, execution_);
    });
    timed("dependence", [&] { find_dependence(); });
    Json document = {{"format", 1},
                     {"version", version},
                     {"title", options_.title},
                     {"model", model_part()},
                     {"data", data_part()}};
    timed("rows", [&] { explain_rows(); });
    timed("curves", [&] { document["features"] = features_part(); });
    const double bytes = static_cast<double>(dumped(document).size() + dumped(row_parts_).size());
    timed("surfaces", [&] { document["pairs"] = pairs_part(bytes); });
    document["terms"] = terms_part();
    document["dependence"] = dependence_part();
    document["rows"] = std::move(row_parts_);
    document["intercepts"] = model_.intercepts;
    document["baselines"] = purified_.baselines;
    timed("evaluation", [&] {
      document["evaluation"] = has_labels() ? evaluation_part(model_, predicted_, rows_.y) : Json();
    });
    std::tie(document["predictor"], document["purified"]) = what_if_parts();
    document["settings"] = settings_part(model_);
    document["timings"] = timings_part();
    return dumped(document);
  }

 private:
  [[nodiscard]] std::size_t n_classes() const { return model_.n_classes(); }
  [[nodiscard]] std::size_t n_scores() const { return model_.n_scores(); }
  [[nodiscard]] bool has_labels() const { return !rows_.y.empty(); }
  [[nodiscard]] bool is_number(std::size_t feature) const { return dyad::is_number(model_, feature); }

  template <class Work>
  void timed(const std::string& step, const Work& work) {
    throw_if_stopped(execution_);
    timings_.push_back({"report", step});
    const Stopwatch watch(timings_.back().seconds);
    work();
  }

  // --- what the parts need ---

  void predict() {
    predicted_.scores = scores(model_, rows_.X, execution_);
    predicted_.probabilities = probabilities(model_, predicted_.scores);
    predicted_.classes = classify(model_, predicted_.scores);
    for (std::size_t j = 0; j < model_.n_features; ++j) {
      drawn_.push_back({ValueText(model_, j), points_of(model_, j, curve_points), {}, {}});
      DrawnFeature& drawn = drawn_.back();
      for (std::size_t k = 0; k < drawn.points.size(); ++k)
        if (!is_number(j) || k % surface_step == 0 || std::isnan(drawn.points[k]))
          drawn.surface_places.push_back(k);
      drawn.surface_points = gather(drawn.points, drawn.surface_places);
    }
  }

  void find_dependence() {
    if (!has_labels()) return;
    mapped_ = by_importance(importances_.features);
    mapped_.resize(std::min(mapped_.size(), most_mapped_features));
    std::set<std::size_t> wanted(mapped_.begin(), mapped_.end());
    for (const Term& term : model_.terms)
      if (term.is_pair()) wanted.insert({term.i, term.j});
    for (std::size_t j = 0; model_.n_features <= most_screened_features && j < model_.n_features; ++j)
      wanted.insert(j);
    screened_.assign(wanted.begin(), wanted.end());
    dependence_ = dependence_of(model_, rows_.X, rows_.y, screened_, most_dependence_rows, execution_);
    trees_ = trees_of(model_, rows_.X, rows_.y, mapped_, most_tree_rows, execution_);
  }

  /// The HSIC or q-value of a pair of features in a class; null if it is not known.
  [[nodiscard]] Json pair_json(std::vector<double> ClassDependence::*values, std::size_t c, std::size_t i,
                               std::size_t j) const {
    if (dependence_.empty()) return nullptr;
    const std::size_t first = place_in(screened_, std::min(i, j));
    const std::size_t second = place_in(screened_, std::max(i, j));
    return short_number((dependence_[c].*values)[pair_index(first, second, screened_.size())]);
  }

  // --- the parts ---

  [[nodiscard]] Json model_part() const {
    return {{"method", option_of(model_, "method")},
            {"preset", option_of(model_, "preset")},
            {"engine", option_of(model_, "engine")},
            {"classes", model_.classes},
            {"class_rows", model_.class_rows},
            {"n_features", model_.n_features},
            {"n_terms", model_.terms.size()},
            {"n_pairs", count_pairs(model_)},
            {"description", summary(model_, purified_, false)},
            {"options", options_text(model_)},
            {"held_out", held_out_text(model_)},
            {"probabilities_note", note_on_probabilities(model_.class_frequencies)}};
  }

  [[nodiscard]] Json data_part() const {
    Json counts;
    if (has_labels()) {
      std::vector<std::size_t> of_classes(n_classes());
      for (const std::int32_t code : rows_.y) ++of_classes[static_cast<std::size_t>(code)];
      counts = of_classes;
    }
    const auto share = training_share(model_.row_sketch, rows_.X, excluded_features(model_));
    return {{"n_rows", rows_.X.n_rows},
            {"class_counts", counts},
            {"importance_rows", importances_.n_rows},
            {"training_share", share ? short_number(*share) : Json()}};
  }

  /// A value as tables have it; a number to what is told apart on the axis.
  [[nodiscard]] Json value_json(std::size_t feature, double value) const {
    if (std::isnan(value)) return nullptr;
    const std::string text = drawn_[feature].text(value);
    if (!is_number(feature)) return text;
    return parse_number(text, value) ? Json(value) : Json();
  }

  /// The position of a value, at the ends for numbers beyond: behind the last is the place of missing values.
  [[nodiscard]] double within_range(std::size_t feature, double value, double position) const {
    const auto& points = drawn_[feature].points;
    const auto last = static_cast<double>(points.size() - (std::isnan(points.back()) ? 2 : 1));
    return std::isnan(value) ? position : std::clamp(position, 0.0, last);
  }

  /// Share of the rows next to each point: one list a class, or one of all rows.
  [[nodiscard]] Json histograms(std::size_t feature) const {
    const auto& points = drawn_[feature].points;
    std::vector<std::vector<double>> counts(has_labels() ? n_classes() : 1,
                                            std::vector<double>(points.size()));
    std::vector<double> n_rows(counts.size());
    const auto positions = positions_among(model_, feature, points, rows_.X.column(feature));
    for (std::size_t row = 0; row < rows_.X.n_rows; ++row) {
      const std::size_t list = has_labels() ? static_cast<std::size_t>(rows_.y[row]) : 0;
      ++n_rows[list];
      if (std::isnan(positions[row])) continue;
      const double position = within_range(feature, rows_.X(row, feature), positions[row]);
      ++counts[list][static_cast<std::size_t>(std::lround(position))];
    }
    return list_of(counts.size(), [&](std::size_t list) {
      for (double& count : counts[list]) count /= std::max(n_rows[list], 1.0);
      return short_numbers(counts[list]);
    });
  }

  [[nodiscard]] static Json packed_columns(const Matrix& values) {
    return list_of(values.n_cols, [&](std::size_t k) {
      const auto column = values.column(k);
      const bool any = std::ranges::any_of(column, [](double value) { return !std::isnan(value); });
      return any ? packed_json(column) : Json();
    });
  }

  /// Digits for four cells each, the first of them the least bit.
  [[nodiscard]] static std::string hexadecimal(const std::vector<bool>& cells) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::vector<std::size_t> fours((cells.size() + 3) / 4);
    for (std::size_t k = 0; k < cells.size(); ++k)
      if (cells[k]) fours[k / 4] |= std::size_t{1} << (k % 4);
    std::string text;
    for (const std::size_t four : fours) text += digits[four];
    return text;
  }

  [[nodiscard]] Json features_part() const {
    const std::size_t none = effects_.size();
    std::vector<std::size_t> places(model_.n_features, none);
    for (std::size_t e = 0; e < effects_.size(); ++e)
      if (!effects_[e].is_pair()) places[effects_[e].i] = e;
    const Json no_importance = list_of(n_scores(), [](std::size_t) { return importance_json({}); });
    std::vector<Json> parts(model_.n_features);
    parallel_for(model_.n_features, execution_, "curves", [&](std::size_t j) {
      const auto& points = drawn_[j].points;
      const bool has_own = places[j] != none;
      parts[j] = {{"name", model_.features[j]},
                  {"kind", is_number(j) ? "number" : "category"},
                  {"whole", !model_.row_counts.empty() && model_.row_counts.features[j].range.is_whole},
                  {"points", list_of(points, [&](double value) { return value_json(j, value); })},
                  {"surface_points", drawn_[j].surface_places},
                  {"rows", histograms(j)},
                  {"curves", has_own ? packed_columns(effect_curve(model_, purified_, j, points)) : Json()},
                  {"log_densities", has_own ? packed_columns(log_densities(model_, j, points)) : Json()},
                  {"importance", has_own ? by_score(importances_.effects, places[j]) : no_importance},
                  {"total", by_score(importances_.features, j)}};
    });
    return parts;
  }

  [[nodiscard]] Json surface_part(const Effect& effect) const {
    const auto& x = drawn_[effect.i].surface_points;
    const auto& y = drawn_[effect.j].surface_points;
    return {{"scores", packed_columns(effect_surface(model_, purified_, effect.i, effect.j, x, y))},
            {"log_densities", packed_columns(log_densities(model_, effect.i, effect.j, x, y))},
            {"with_rows", hexadecimal(cells_with_rows(model_, purified_, effect.i, effect.j, x, y))}};
  }

  /// Pairs with a surface: the most important ones, then those that say most about rows shown, then others,
  /// until the size is reached.
  [[nodiscard]] std::set<std::size_t> pairs_drawn(std::span<const std::size_t> order,
                                                  double most_bytes) const {
    constexpr std::size_t first_of_all = 100;
    const auto first = order.first(std::min(first_of_all, order.size()));
    std::vector<std::size_t> wanted(first.begin(), first.end());
    wanted.insert(wanted.end(), pairs_of_rows_.begin(), pairs_of_rows_.end());
    wanted.insert(wanted.end(), order.begin(), order.end());
    double bytes = 0;
    std::set<std::size_t> result;
    for (const std::size_t e : wanted) {
      if (result.contains(e)) continue;
      bytes += surface_bytes(effects_[e]);
      if (bytes > most_bytes) break;
      result.insert(e);
    }
    return result;
  }

  /// About how long the surfaces of a pair are as text.
  [[nodiscard]] double surface_bytes(const Effect& effect) const {
    constexpr double bytes_of_number = 8.0 / 3;
    constexpr double bytes_of_frame = 80;
    const auto cells =
        static_cast<double>(drawn_[effect.i].surface_points.size() * drawn_[effect.j].surface_points.size());
    return static_cast<double>(n_scores() + n_classes()) * (cells * bytes_of_number + bytes_of_frame) +
           cells / 4;
  }

  [[nodiscard]] Json pair_part(std::size_t e) const {
    const Effect& effect = effects_[e];
    const auto term_of = [&](std::size_t c) {
      return std::ranges::find_if(effect.terms, [&](std::size_t t) {
        return model_.terms[t].is_density() && model_.terms[t].class_code == static_cast<std::int32_t>(c);
      });
    };
    const auto weights_of = [&](std::size_t c) {
      const auto term = term_of(c);
      return term != effect.terms.end() ? short_numbers(model_.weights.column(*term)) : Json();
    };
    const auto by_class = [&](std::vector<double> ClassDependence::*values) {
      return list_of(n_classes(), [&](std::size_t c) { return pair_json(values, c, effect.i, effect.j); });
    };
    return {{"i", effect.i},
            {"j", effect.j},
            {"importance", by_score(importances_.effects, e)},
            {"kept", list_of(n_classes(), [&](std::size_t c) { return term_of(c) != effect.terms.end(); })},
            {"weights", list_of(n_classes(), weights_of)},
            {"hsic", by_class(&ClassDependence::hsic)},
            {"q", by_class(&ClassDependence::q)},
            {"surface", nullptr}};
  }

  /// `other_bytes` is the size of what else a page holds.
  [[nodiscard]] Json pairs_part(double other_bytes) const {
    auto order = by_importance(importances_.effects);
    std::erase_if(order, [&](std::size_t e) { return !effects_[e].is_pair(); });
    std::vector<Json> parts(order.size());
    parallel_for(order.size(), execution_, {}, [&](std::size_t k) { parts[k] = pair_part(order[k]); });
    for (const Json& part : parts) other_bytes += static_cast<double>(dumped(part).size());
    const double all_bytes = options_.max_megabytes * 1e6;
    const auto drawn = pairs_drawn(order, std::max(least_surface_share * all_bytes, all_bytes - other_bytes));
    parallel_for(order.size(), execution_, "surfaces", [&](std::size_t k) {
      if (drawn.contains(order[k])) parts[k]["surface"] = surface_part(effects_[order[k]]);
    });
    return parts;
  }

  [[nodiscard]] Json terms_part() const {
    const auto& terms = model_.terms;
    const auto hsic = [&](const Term& term) {
      return term.is_pair() && term.is_density()
                 ? pair_json(&ClassDependence::hsic, static_cast<std::size_t>(term.class_code), term.i,
                             term.j)
                 : Json();
    };
    const auto weights = [&](std::size_t k) {
      return list_of(terms.size(), [&](std::size_t t) { return short_number(model_.weights(k, t)); });
    };
    const auto importance = [](const auto& of_score) { return list_of(of_score, importance_json); };
    const auto kind = [](const Term& term) { return Json(kind_of(term)); };
    return {{"kind", list_of(terms, kind)},
            {"class", list_of(terms, &Term::class_code)},
            {"i", list_of(terms, &Term::i)},
            {"j", list_of(terms, &Term::j)},
            {"weights", list_of(n_scores(), weights)},
            {"importance", list_of(importances_.terms, importance)},
            {"hsic", list_of(terms, hsic)}};
  }

  [[nodiscard]] Json dependence_part() const {
    if (dependence_.empty()) return nullptr;
    const auto of_class = [&](std::size_t c) -> Json {
      const auto of_pairs = [&](std::vector<double> ClassDependence::*values) {
        return list_of(pair_count(mapped_.size()), [&](std::size_t k) {
          const auto [a, b] = pair_at(k, mapped_.size());
          return pair_json(values, c, mapped_[a], mapped_[b]);
        });
      };
      return {{"n_rows", dependence_[c].n_rows},
              {"hsic", of_pairs(&ClassDependence::hsic)},
              {"q", of_pairs(&ClassDependence::q)}};
    };
    const auto edge = [](const FeaturePair& pair) { return Json::array({pair.i, pair.j}); };
    return {{"features", mapped_},
            {"classes", list_of(n_classes(), of_class)},
            {"trees", list_of(trees_, [&](const auto& tree) { return list_of(tree, edge); })}};
  }

  // --- rows ---

  void explain_rows() {
    const auto shown = shown_rows(predicted_.probabilities, predicted_.classes, rows_.y, options_.rows,
                                  static_cast<std::size_t>(options_.n_rows));
    Matrix X(shown.size(), model_.n_features);
    for (std::size_t j = 0; j < X.n_cols; ++j)
      for (std::size_t k = 0; k < shown.size(); ++k) X(k, j) = rows_.X(shown[k].row, j);
    const auto flips = nearest_flips(model_, X, execution_);
    for (std::size_t k = 0; k < shown.size(); ++k) row_parts_.push_back(row_part(shown[k], X, k, flips[k]));
  }

  [[nodiscard]] Json flips_part(std::span<const Flip> flips) const {
    return list_of(flips.first(std::min(flips.size(), most_row_flips)), [&](const Flip& flip) -> Json {
      const double position = position_among(model_, flip.feature, drawn_[flip.feature].points, flip.value);
      Json second;
      if (flip.second)
        second = {{"feature", flip.second->feature},
                  {"value", value_json(flip.second->feature, flip.second->value)}};
      return {{"feature", flip.feature},
              {"value", value_json(flip.feature, flip.value)},
              {"position", short_number(position)},
              {"class", flip.class_code},
              {"distance", short_number(flip.distance)},
              {"second", second}};
    });
  }

  /// The largest columns, each behind what `front` gives, and the number and the sums by score of the others.
  template <class Front>
  static std::pair<Json, Json> largest_and_others(const Matrix& values, std::size_t most,
                                                  const Front& front) {
    const auto order = largest_columns(values);
    const std::size_t count = std::min(order.size(), most);
    Json largest = list_of(std::span(order).first(count), [&](std::size_t t) {
      Json entry = front(t);
      for (const double value : values.column(t)) entry.push_back(long_number(value));
      return entry;
    });
    const auto others = std::span(order).subspan(count);
    std::vector<double> sums(values.n_rows);
    for (const std::size_t t : others)
      for (std::size_t k = 0; k < values.n_rows; ++k) sums[k] += values(k, t);
    Json rest = {{"count", others.size()}, {"sum", sums}};
    return {std::move(largest), std::move(rest)};
  }

  /// The row that is shown is row k of X.
  Json row_part(const ShownRow& shown, const Matrix& X, std::size_t k, std::span<const Flip> flips) {
    std::vector<double> row(X.n_cols);
    Json values = Json::array();
    Json positions = Json::array();
    Json beyond = Json::array();
    for (std::size_t j = 0; j < X.n_cols; ++j) {
      row[j] = X(k, j);
      values.push_back(is_number(j) ? Json(row[j]) : value_json(j, row[j]));  // NaN is written as null
      const double position = position_among(model_, j, drawn_[j].points, row[j]);
      positions.push_back(short_number(within_range(j, row[j], position)));
      if (within_range(j, row[j], position) != position && !std::isnan(position)) beyond.push_back(j);
    }
    const Explanation explanation = explain(model_, row);
    Matrix of_effects(n_scores(), effects_.size());
    const auto values_of_effects = effect_values(model_, purified_, MatrixView{row.data(), 1, row.size()});
    for (std::size_t e = 0; e < effects_.size(); ++e)
      for (std::size_t s = 0; s < n_scores(); ++s) of_effects(s, e) = values_of_effects[s](0, e);
    note_pairs(of_effects);
    auto [effects, other_effects] = largest_and_others(of_effects, most_row_effects, [&](std::size_t e) {
      return Json::array({effects_[e].i, effects_[e].j});
    });
    auto [terms, other_terms] =
        largest_and_others(explanation.contributions, most_row_terms, [&](std::size_t t) {
          return Json::array({t, long_number(explanation.values[t])});
        });
    const auto probability = [&](std::size_t c) {
      return short_number(predicted_.probabilities(shown.row, c));
    };
    return {{"row", shown.row + 1},
            {"why", shown.why},
            {"label", has_labels() ? Json(rows_.y[shown.row]) : Json()},
            {"predicted", predicted_.classes[shown.row]},
            {"probabilities", list_of(n_classes(), probability)},
            {"scores", explanation.scores},
            {"effect_scores", sums_with_baselines(of_effects)},
            {"values", std::move(values)},
            {"positions", std::move(positions)},
            {"beyond", std::move(beyond)},
            {"effects", std::move(effects)},
            {"other_effects", std::move(other_effects)},
            {"terms", std::move(terms)},
            {"other_terms", std::move(other_terms)},
            {"flips", flips_part(flips)}};
  }

  /// The scores that baselines and effects add up to.
  [[nodiscard]] std::vector<double> sums_with_baselines(const Matrix& of_effects) const {
    auto sums = purified_.baselines;
    for (std::size_t e = 0; e < of_effects.n_cols; ++e)
      for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += of_effects(k, e);
    return sums;
  }

  /// Remembers the pairs that say most about a row.
  void note_pairs(const Matrix& of_effects) {
    constexpr std::size_t most = 3;
    auto order = largest_columns(of_effects);
    std::erase_if(order, [&](std::size_t e) { return !effects_[e].is_pair(); });
    order.resize(std::min(order.size(), most));
    pairs_of_rows_.insert(order.begin(), order.end());
  }

  /// What is added to the terms of effects at the places of their features.
  [[nodiscard]] Json purified_part() const {
    const auto axis = [&](std::size_t j) -> Json {
      const FeatureCounts& counts = purified_.counts.features[j];
      if (counts.rows.empty()) return nullptr;
      return {{"nodes", counts.nodes.empty() ? Json() : Json(counts.nodes)},
              {"n_levels", counts.rows.size() - (counts.has_missing ? 1 : 0)},
              {"missing", counts.has_missing}};
    };
    const auto by_score = [](const Matrix& shifts) {
      return list_of(shifts.n_cols, [&](std::size_t k) { return list_of(shifts.column(k), long_number); });
    };
    const auto effect = [&](std::size_t e) -> Json {
      return {{"i", effects_[e].i},
              {"j", effects_[e].j},
              {"shifts", by_score(purified_.shifts[e])},
              {"second_shifts", by_score(purified_.second_shifts[e])}};
    };
    return {{"centred", purified_.is_centred},
            {"axes", list_of(model_.n_features, axis)},
            {"effects", list_of(effects_.size(), effect)}};
  }

  /// The model for the page's predictor, and what purifies its effects; null if they are too large.
  [[nodiscard]] std::pair<Json, Json> what_if_parts() const {
    const std::string text = export_model(model_, ExportFormat::json);
    const double most = options_.what_if_megabytes * 1e6;
    if (static_cast<double>(text.size()) > most) return {};
    Json purified = purified_part();
    if (static_cast<double>(text.size() + dumped(purified).size()) > most) return {};
    return {Json::parse(text), std::move(purified)};
  }

  [[nodiscard]] Json timings_part() const {
    return list_of(timings_, [](const Timing& timing) -> Json {
      return {{"group", timing.group}, {"step", timing.step}, {"seconds", short_number(timing.seconds)}};
    });
  }

  const Model& model_;
  const ReportRows& rows_;
  const ReportOptions& options_;
  const Execution& execution_;
  PurifiedEffects purified_;
  std::vector<Effect> effects_;
  std::vector<DrawnFeature> drawn_;
  Predicted predicted_;
  Importances importances_{};
  std::vector<std::size_t> mapped_;    ///< features of the map of dependence
  std::vector<std::size_t> screened_;  ///< features that dependence is known of, ascending
  std::vector<ClassDependence> dependence_;
  std::vector<std::vector<FeaturePair>> trees_;
  Json row_parts_ = Json::array();
  std::set<std::size_t> pairs_of_rows_;
  std::vector<Timing> timings_;
};

void require_rows(const Model& model, const ReportRows& rows, const ReportOptions& options) {
  if (rows.X.n_rows == 0) throw std::invalid_argument("report: there is no row");
  if (rows.X.n_cols != model.n_features)
    throw std::invalid_argument("report: the model has " + std::to_string(model.n_features) +
                                " features, got rows of " + std::to_string(rows.X.n_cols));
  if (!rows.y.empty() && rows.y.size() != rows.X.n_rows)
    throw std::invalid_argument("report: got " + std::to_string(rows.y.size()) + " labels for " +
                                std::to_string(rows.X.n_rows) + " rows");
  for (const std::size_t row : options.rows)
    if (row >= rows.X.n_rows)
      throw std::invalid_argument("there is no row " + std::to_string(row + 1) + "; the table has " +
                                  std::to_string(rows.X.n_rows) + " rows");
}

}  // namespace

std::string report_document(const Model& model, const ReportRows& rows, const ReportOptions& options,
                            const Execution& execution) {
  validate(options);
  require_rows(model, rows, options);
  return Document(model, rows, options, execution).text();
}

}  // namespace dyad
