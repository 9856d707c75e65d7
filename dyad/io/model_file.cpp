// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/model_file.h"

#include <set>

#include "dyad/base/gather.h"
#include "dyad/base/text.h"
#include "dyad/fit/recipe.h"
#include "dyad/io/byte_source.h"
#include "dyad/io/internal/sections.h"
#include "dyad/io/internal/shared_bytes.h"
#include "dyad/io/output_file.h"

namespace dyad {
namespace {

using namespace internal;

constexpr std::string_view model_magic = "DYAD\r\n\x1a\n";

bool is_number(std::span<const Levels> levels, std::size_t feature) {
  return feature >= levels.size() || levels[feature].is_number();
}

/// The levels of a feature.
LevelAxis axis_of(std::span<const Levels> levels, std::size_t feature, bool has_missing) {
  const bool numbers = is_number(levels, feature);
  return {numbers, has_missing, (numbers ? 1 : levels[feature].size()) + (has_missing ? 1 : 0)};
}

/// The alternative T of a variant, which it has where it is written, and gets where it is read.
template <class T, class... Of>
const T& as(const std::variant<Of...>& density) {
  return std::get<T>(density);
}
template <class T, class... Of>
T& as(std::variant<Of...>& density) {
  return density.template emplace<T>();
}

// --- densities of numbers ---

constexpr auto damaged = "the model file is damaged";

/// Marks of the data that follow a term of the counts engine, or a part of one.
constexpr std::uint64_t table_follows = 0;
constexpr std::uint64_t points_follow = 1;
constexpr std::uint64_t levels_follow = 2;

template <class... Of>
std::uint64_t follows(const std::variant<Of...>& density) {
  const auto of_type = []<class T>(const T& /*density*/) {
    if constexpr (std::same_as<T, LevelDensity>) return levels_follow;
    assert((!std::same_as<T, FreeTable>));  // tables have a section of their own
    return std::same_as<T, Kde1d> || std::same_as<T, Kde2d> ? points_follow : table_follows;
  };
  return std::visit(of_type, density);
}

bool is_pair(const NumberDensity& part) {
  return std::holds_alternative<Grid2d>(part.density) || std::holds_alternative<Kde2d>(part.density);
}

void exchange(auto& ar, Is<LogTable> auto& table, std::size_t n_nodes) {
  ar.number(table.top);
  ar.positive(table.unit);
  require_moderate(ar, table.top);
  require_moderate(ar, table.unit);
  ar.values(table.depths, n_nodes);
}

void exchange(auto& ar, Is<Grid1d> auto& grid) {
  exchange(ar, grid.scaling);
  exchange(ar, grid.axis, grid.bandwidth);
  exchange(ar, grid.table, grid.axis.size);
}

void exchange(auto& ar, Is<Grid2d> auto& grid) {
  exchange(ar, grid.frame);
  exchange(ar, grid.table, grid.frame.u.size * grid.frame.v.size);
}

void exchange(auto& ar, Is<Kde1d> auto& kde) {
  ar.positive(kde.bandwidth);
  const std::size_t n = ar.size(sizeof(double), kde.points);
  ar.numbers(kde.points, n);
  ar.require(n > 0 && std::ranges::is_sorted(kde.points), "has points in no order");
}

void exchange_bandwidth(auto& ar, Is<Symmetric2> auto& H, auto& unit_x, auto& unit_y) {
  ar.number(H.xx, H.xy, H.yy, unit_x, unit_y);
  ar.require(unit_x > 0 && unit_y > 0, "has a unit that is not positive");
}

void complete(const Writer& /*out*/, const Kde2d& /*kde*/) {}

/// Sets up the coordinates of points that are kept in them.
void complete(const Reader& in, Kde2d& kde) {
  constexpr std::array any_point{0.0};
  const Kde2d other =
      in.checked(damaged, [&] { return make_kde2d(any_point, any_point, kde.H, kde.unit_x, kde.unit_y); });
  kde.L_xx = other.L_xx;
  kde.L_yx = other.L_yx;
  kde.L_yy = other.L_yy;
}

void exchange(auto& ar, Is<Kde2d> auto& kde) {
  exchange_bandwidth(ar, kde.H, kde.unit_x, kde.unit_y);
  complete(ar, kde);
  ar.number(kde.centre_x, kde.centre_y);
  const std::size_t n = ar.size(2 * sizeof(double), kde.u);
  ar.numbers(kde.u, n);
  ar.numbers(kde.v, n);
  ar.require(n > 0 && std::ranges::is_sorted(kde.u), "has points in no order");
}

/// A density of one number, or of two, that `what` follows for.
void exchange_numbers(auto& ar, auto& density, std::uint64_t what, bool is_pair) {
  if (what == points_follow)
    is_pair ? exchange(ar, as<Kde2d>(density)) : exchange(ar, as<Kde1d>(density));
  else
    is_pair ? exchange(ar, as<Grid2d>(density)) : exchange(ar, as<Grid1d>(density));
}

// --- shares of levels ---

void exchange(auto& ar, Is<NumberDensity> auto& part) {
  bool pair = is_pair(part);
  std::uint64_t what = follows(part.density);
  ar.index(pair, 2);
  ar.positive(part.n_rows);
  ar.index(what, levels_follow);
  exchange_numbers(ar, part.density, what, pair);
}

void exchange(auto& ar, Is<LevelDensity> auto& density, const Term& term, std::span<const Levels> levels) {
  bool x_has_missing = density.x.has_missing;
  bool y_has_missing = density.y.has_missing;
  ar.index(x_has_missing, 2);
  ar.index(y_has_missing, 2);
  ar.require(term.is_pair() || !y_has_missing, "has missing values of no feature");
  ar.restore(density.x, axis_of(levels, term.i, x_has_missing));
  ar.restore(density.y, term.is_pair() ? axis_of(levels, term.j, y_has_missing) : LevelAxis{});
  exchange_row_count(ar, density.level_rows);
  exchange_row_count(ar, density.prior_rows);
  ar.numbers(density.log_shares, density.x.n_levels, density.y.n_levels);
  for (const double share : density.log_shares) require_moderate(ar, share);
  const std::size_t n_parts = ar.size(4 * sizeof(double), density.parts);
  for (auto& part : density.parts) exchange(ar, part);
  exchange_cells(
      ar, density, n_parts, [&](std::size_t& index) { ar.index(index, n_parts + 1); },
      [&](std::size_t index) { return is_pair(density.parts[index]); });
}

/// The density of a term of the counts engine: axes and a table, points, or shares of levels with such
/// densities within them.
void exchange_density(auto& ar, Is<Term> auto& term, std::span<const Levels> levels) {
  std::uint64_t what = follows(term.density);
  ar.index(what, levels_follow + 1);
  if (what == levels_follow) {
    ar.require(term.prior_rows == 0, "has pseudo-rows outside of levels");
    exchange(ar, as<LevelDensity>(term.density), term, levels);
  } else {
    ar.require(is_number(levels, term.i) && is_number(levels, term.j),
               "has a density of numbers for categories");
    exchange_numbers(ar, term.density, what, term.is_pair());
  }
}

// --- densities of the exact engine ---

/// The bandwidth of a density, which the rows of the class belong to.
void exchange_bandwidth(Writer& out, const Term& term, const Matrix& /*sample*/) {
  if (const auto* kde = std::get_if<Kde1d>(&term.density))
    return out.number(kde->bandwidth, 0.0, 0.0, 1.0, 1.0);
  const auto& kde = std::get<Kde2d>(term.density);
  exchange_bandwidth(out, kde.H, kde.unit_x, kde.unit_y);
}

void exchange_bandwidth(Reader& in, Term& term, const Matrix& sample) {
  Kde2d kde;
  exchange_bandwidth(in, kde.H, kde.unit_x, kde.unit_y);
  const auto x = sample.column(term.i);
  const auto y = sample.column(term.j);
  term.density = in.checked(damaged, [&]() -> Density {
    if (!term.is_pair()) return make_kde1d(x, kde.H.xx);
    return make_kde2d(x, y, kde.H, kde.unit_x, kde.unit_y);
  });
}

// --- sections ---

void options(Writer& out, const Model& model) { exchange(out, model.fitted_with); }

/// Predictions use `engine` and `method`; the other options are kept as they are.
void options(Reader& in, Model& model) {
  exchange(in, model.fitted_with);
  const auto index_of = [&](std::string_view option, const auto& names, auto otherwise) {
    const std::string_view value = option_of(model, option);
    const auto found = std::ranges::find(names, value.empty() ? name_of(names, otherwise) : value);
    if (found == names.end())
      in.fail("an option in the " + in.what() + ": " + std::string(option) + ": no such value " +
              quoted(value));
    return static_cast<decltype(otherwise)>(found - names.begin());
  };
  model.engine = index_of("engine", engine_names, Engine::counts);
  model.has_likelihoods = !has_svm(index_of("method", method_names, Method::slb));
}

void names(auto& ar, auto& model) {
  for (auto* list : {&model.features, &model.classes}) {
    ar.size(8, *list);
    for (auto& name : *list) ar.text(name);
  }
  ar.require(!model.features.empty() && model.classes.size() >= 2, "has no features or classes");
  ar.require(are_distinct(model.features) && are_distinct(model.classes), "has a name twice");
}

void levels(auto& ar, auto& model) {
  const std::size_t n = ar.size(2 * sizeof(std::uint64_t), model.levels);
  ar.require(n == 0 || (n == model.features.size() && model.engine != Engine::exact),
             "has the wrong number of features with levels");
  for (auto& feature : model.levels) {
    ar.index(feature.has_others, 2);
    ar.size(8, feature.names);
    for (auto& name : feature.names) ar.text(name);
    ar.require(std::ranges::adjacent_find(feature.names, std::greater_equal<>()) == feature.names.end(),
               "has levels in no order");
    ar.require(!feature.names.empty() || !feature.has_others, "has other levels than none");
  }
}

void coordinates(auto& ar, auto& model) { exchange(ar, model.coordinates, model.features.size()); }

void samples(auto& ar, auto& model) {
  const std::size_t n_classes = model.classes.size();
  ar.restore(model.n_features, model.features.size());
  ar.values(model.class_rows, n_classes);
  ar.require(std::ranges::find(model.class_rows, 0U) == model.class_rows.end(), "has a class without rows");
  if (model.engine != Engine::exact) return;
  ar.resize(n_classes, 1, model.samples);
  for (std::size_t c = 0; c < n_classes; ++c)
    exchange(ar, model.samples[c], model.class_rows[c], model.n_features);
}

/// Number of terms before the free tables, which come last and have a section of their own.
std::size_t count_before_tables(const Model& model) {
  return static_cast<std::size_t>(std::ranges::find_if(model.terms, &Term::is_table) - model.terms.begin());
}

/// Number of terms before the tables with nodes, which come last of all.
std::size_t count_before_curves(const Model& model) {
  const auto is_curve = [](const Term& term) {
    return term.is_table && has_nodes(std::get<FreeTable>(term.density));
  };
  return static_cast<std::size_t>(std::ranges::find_if(model.terms, is_curve) - model.terms.begin());
}

void exchange_terms(auto& ar, auto& model, auto terms) {
  const std::size_t n_classes = model.classes.size();
  // Each once: few bytes could have the rows of a class copied without end.
  std::set<std::array<std::size_t, 3>> keys;
  for (auto& term : terms) {
    // A linear term has the place behind the last class.
    std::size_t class_code = term.is_linear() ? n_classes : static_cast<std::size_t>(term.class_code);
    ar.index(class_code, n_classes + 1);
    ar.index(term.i, model.features.size());
    ar.index(term.j, model.features.size());
    ar.require(term.i <= term.j, "has a pair in the wrong order");
    ar.require(keys.insert({class_code, term.i, term.j}).second, "has a term twice");
    if (class_code == n_classes) {
      ar.require(!term.is_pair(), "has a linear term of two features");
      ar.require(model.levels.empty() || model.levels[term.i].is_number(), "has a linear term of categories");
      ar.restore(term, linear_term(term.i));
      ar.number(term.centre);
      continue;
    }
    ar.restore(term.class_code, static_cast<std::int32_t>(class_code));
    ar.number(term.centre, term.floor);
    ar.positive(term.n_rows);
    exchange_row_count(ar, term.prior_rows);
    ar.number(term.typical, term.spread);
    for (const double logarithm : {term.centre, term.floor, term.typical}) require_moderate(ar, logarithm);
    ar.require(term.spread >= 0, "has a negative standard deviation");
    if (model.engine == Engine::exact)
      exchange_bandwidth(ar, term, model.samples[class_code]);
    else
      exchange_density(ar, term, model.levels);
  }
}

void terms(Writer& out, const Model& model) {
  const std::span<const Term> densities(model.terms.data(), count_before_tables(model));
  out.value(densities.size());
  exchange_terms(out, model, densities);
}

void terms(Reader& in, Model& model) {
  in.size(4 * sizeof(double), model.terms);
  exchange_terms(in, model, std::span(model.terms));
}

/// The weights of all terms but tables, whose weights are 1 and 0.
Matrix written_weights(const Model& model) {
  Matrix weights = model.weights;
  keep_columns(weights, all_rows(count_before_tables(model)));
  return weights;
}

void exchange_weights(Writer& out, const Model& model, std::size_t n_scores) {
  const Matrix weights = written_weights(model);
  exchange(out, weights, n_scores, weights.n_cols);
}

void exchange_weights(Reader& in, Model& model, std::size_t n_scores) {
  exchange(in, model.weights, n_scores, model.terms.size());
}

void weights(auto& ar, auto& model) {
  std::size_t n_scores = model.weights.n_rows;
  ar.value(n_scores);
  ar.resize(n_scores, 1, model.intercepts);
  ar.require(n_scores == score_count(model.classes.size()), "has the wrong number of scores");
  exchange_weights(ar, model, n_scores);
  ar.numbers(model.intercepts, n_scores);
  const std::size_t n_calibrations = ar.size(2 * sizeof(double), model.calibrations);
  ar.require(n_calibrations == 0 || n_calibrations == n_scores, "has the wrong number of calibrations");
  for (auto& calibration : model.calibrations) ar.number(calibration.slope, calibration.offset);
}

/// Cuts or, in the section of tables with nodes, either.
void exchange(auto& ar, Is<BinAxis> auto& axis, std::span<const Levels> levels, std::size_t feature,
              bool may_have_nodes) {
  ar.restore(axis.n_levels, is_number(levels, feature) ? 0 : levels[feature].size());
  const std::size_t n = ar.size(sizeof(double), axis.cuts);
  ar.numbers(axis.cuts, n);
  ar.require(axis.n_levels == 0 || n == 0, "has cuts of a category");
  if (may_have_nodes) ar.index(axis.has_nodes, 2);
  ar.require(axis.n_levels == 0 || !axis.has_nodes, "has nodes of a category");
  ar.require(axis.has_nodes
                 ? std::ranges::is_sorted(axis.cuts)
                 : std::ranges::adjacent_find(axis.cuts, std::greater_equal<>()) == axis.cuts.end(),
             "has cuts in no order");
}

void exchange_tables(auto& ar, auto& model, auto tables, bool may_have_nodes) {
  std::set<std::array<std::size_t, 3>> keys;
  for (auto& term : tables) {
    auto class_code = static_cast<std::size_t>(term.class_code);
    ar.index(class_code, model.classes.size());
    ar.index(term.i, model.features.size());
    ar.index(term.j, model.features.size());
    ar.require(term.i <= term.j, "has a pair in the wrong order");
    ar.require(model.classes.size() > 2 || class_code == 1, "has a table of a class without a score");
    ar.require(keys.insert({class_code, term.i, term.j}).second, "has a table twice");
    ar.restore(term, table_term({static_cast<std::int32_t>(class_code), term.i, term.j}, {}));
    auto& table = as<FreeTable>(term.density);
    exchange(ar, table.x, model.levels, term.i, may_have_nodes);
    if (term.is_pair()) exchange(ar, table.y, model.levels, term.j, may_have_nodes);
    ar.require(!may_have_nodes || has_nodes(table), "has a table without nodes among those with nodes");
    ar.numbers(table.values, table.x.size(), term.is_pair() ? table.y.size() : 1);
    for (const double value : table.values) require_moderate(ar, value);
  }
}

void write_tables(Writer& out, const Model& model, std::span<const Term> tables, bool may_have_nodes) {
  out.value(tables.size());
  exchange_tables(out, model, tables, may_have_nodes);
}

void read_tables(Reader& in, Model& model, bool may_have_nodes) {
  std::vector<Term> tables;
  in.size(4 * sizeof(double), tables);
  in.require(!tables.empty(), "has no tables");
  in.require(may_have_nodes || count_before_curves(model) == model.terms.size(),
             "has its tables in no order");
  in.require(!model.intercepts.empty(), "has tables before weights");
  exchange_tables(in, model, std::span(tables), may_have_nodes);
  append_tables(model, std::move(tables));
}

void tables(Writer& out, const Model& model) {
  const std::size_t first = count_before_tables(model);
  write_tables(out, model, std::span(model.terms).subspan(first, count_before_curves(model) - first), false);
}

void tables(Reader& in, Model& model) { read_tables(in, model, false); }

void curves(Writer& out, const Model& model) {
  write_tables(out, model, std::span(model.terms).subspan(count_before_curves(model)), true);
}

void curves(Reader& in, Model& model) { read_tables(in, model, true); }

void settings(auto& ar, auto& model) { exchange(ar, model.settings); }

/// The steps of isotonic calibrations; slopes and offsets are with the weights.
void steps(auto& ar, auto& model) {
  for (auto& calibration : model.calibrations) {
    const CalibrationStep* before = nullptr;
    ar.size(2 * sizeof(double), calibration.steps);
    for (auto& step : calibration.steps) {
      ar.number(step.score, step.probability);
      ar.require(step.probability >= 0 && step.probability <= 1,
                 "has a probability that is not between 0 and 1");
      ar.require(before == nullptr || (step.score > before->score && step.probability >= before->probability),
                 "has steps of a calibration in no order");
      before = &step;
    }
  }
}

void costs(auto& ar, auto& model) { exchange_costs(ar, model.costs, model.classes.size()); }

void class_frequencies(auto& ar, auto& model) {
  ar.index(model.class_frequencies, class_frequencies_names.size());
}

bool has_unusual_labels(const Model& model) {
  return model.label_type != ValueType::unknown && model.label_type != usual_type(model.classes);
}

void label_type(auto& ar, auto& model) {
  ar.index(model.label_type, value_type_names.size());
  ar.require(has_unusual_labels(model) && are_of_type(model.classes, model.label_type),
             "has classes of another type than its labels");
}

/// The axis of a feature in the counts of rows, and the rows at its places.
void exchange(auto& ar, Is<FeatureCounts> auto& feature, const Levels* levels) {
  const bool is_category = levels != nullptr && !levels->is_number();
  ar.index(feature.range.has_numbers, 2);
  ar.index(feature.range.is_whole, 2);
  ar.number(feature.range.low, feature.range.high);
  ar.require(feature.range.low <= feature.range.high && !(is_category && feature.range.has_numbers),
             "has a range that no feature has");
  ar.index(feature.has_missing, 2);
  const std::size_t n_nodes = ar.size(sizeof(double), feature.nodes);
  ar.require(n_nodes <= most_count_nodes && !(is_category && n_nodes > 0), "has too many nodes");
  ar.numbers(feature.nodes, n_nodes);
  ar.require(std::ranges::adjacent_find(feature.nodes, std::greater_equal<>()) == feature.nodes.end(),
             "has nodes in no order");
  const std::size_t n_places = (is_category ? levels->size() : n_nodes) + (feature.has_missing ? 1 : 0);
  const std::size_t n_rows = ar.size(1, feature.rows);
  ar.require(n_rows == n_places || n_rows == 0, "has rows at places that a feature does not have");
  for (auto& rows : feature.rows) ar.count(rows);
}

void row_counts(auto& ar, auto& model) {
  auto& counts = model.row_counts;
  ar.require(!model.intercepts.empty(), "has counts of rows before weights");
  ar.positive(counts.unit);
  ar.resize(model.features.size(), 1, counts.features);
  for (std::size_t j = 0; j < counts.features.size(); ++j)
    exchange(ar, counts.features[j], j < model.levels.size() ? &model.levels[j] : nullptr);
  const std::size_t n_pairs = ar.size(2 * sizeof(std::uint64_t), counts.pairs);
  for (std::size_t k = 0; k < n_pairs; ++k) {
    auto& pair = counts.pairs[k];
    ar.index(pair.i, model.features.size());
    ar.index(pair.j, model.features.size());
    ar.require(pair.i < pair.j, "has a pair in the wrong order");
    const auto key = [&](std::size_t p) { return std::pair(counts.pairs[p].i, counts.pairs[p].j); };
    ar.require(k == 0 || key(k - 1) < key(k), "has counts of pairs in no order");
    ar.resize(counts.features[pair.i].rows.size() * counts.features[pair.j].rows.size(), 1, pair.rows);
    ar.require(!pair.rows.empty(), "counts a pair of features without rows");
    for (auto& rows : pair.rows) ar.count(rows);
  }
}

void level_orders(auto& ar, auto& model) {
  ar.resize(model.features.size(), 1, model.level_orders);
  for (std::size_t j = 0; j < model.level_orders.size(); ++j) {
    auto& order = model.level_orders[j];
    const std::size_t n = ar.size(1, order);
    ar.require(
        n == 0 || (j < model.levels.size() && !model.levels[j].is_number() && n == model.levels[j].size()),
        "orders levels that a feature does not have");
    for (auto& code : order) ar.count_below(code, n, "orders levels that a feature does not have");
    ar.require(std::set<std::size_t>(order.begin(), order.end()).size() == n, "orders a level twice");
  }
}

void row_sketch(auto& ar, auto& model) {
  auto& [n_rows, hashes] = model.row_sketch;
  ar.positive(n_rows);
  const std::size_t n_hashes = ar.size(sizeof(std::uint64_t), hashes);
  ar.require(n_hashes > 0 && n_hashes <= most_row_hashes, "has no or too many hashes of rows");
  ar.values(hashes, n_hashes);
  ar.require(std::ranges::adjacent_find(hashes, std::greater_equal<>()) == hashes.end(),
             "has hashes of rows in no order");
}

/// Features along which the score has a direction.
void monotone(auto& ar, auto& model) {
  const std::size_t n = ar.size(2 * sizeof(std::uint64_t), model.monotone);
  ar.require(n > 0 && model.classes.size() == 2, "has monotone features of no score");
  for (std::size_t k = 0; k < n; ++k) {
    auto& of = model.monotone[k];
    ar.index(of.feature, model.features.size());
    ar.index(of.direction, direction_names.size());
    ar.require(k == 0 || model.monotone[k - 1].feature < of.feature, "has monotone features in no order");
  }
}

/// Novelty scores of training rows.
void novelty_scores(auto& ar, auto& model) {
  const std::size_t n = ar.size(sizeof(double), model.novelty_scores);
  ar.numbers(model.novelty_scores, n);
  ar.require(n > 0 && std::ranges::is_sorted(model.novelty_scores), "has novelty scores in no order");
}

struct Section {
  std::string_view tag;
  void (*write)(Writer&, const Model&);
  void (*read)(Reader&, Model&);
};

/// In the order of the file: each needs those before it.
constexpr std::array<Section, 10> sections{{{"OPTS", options, options},
                                            {"NAME", names, names},
                                            {"LEVL", levels, levels},
                                            {"COOR", coordinates, coordinates},
                                            {"ROWS", samples, samples},
                                            {"TERM", terms, terms},
                                            {"WGHT", weights, weights},
                                            {"SETT", settings, settings},
                                            {"STEP", steps, steps},
                                            {"COST", costs, costs}}};

struct OptionalSection {
  Section section;
  bool (*is_needed)(const Model&);
};

/// Before the last section. Older files lack them. Versions that do not know a section skip it if its tag
/// is in small letters, and refuse the file otherwise: tables change predictions.
constexpr std::array<OptionalSection, 9> optional_sections{{
    {{"freq", class_frequencies, class_frequencies}, [](const Model&) { return true; }},
    {{"labl", label_type, label_type}, has_unusual_labels},
    {{"TABL", tables, tables},
     [](const Model& model) { return count_before_tables(model) < count_before_curves(model); }},
    {{"CURV", curves, curves},
     [](const Model& model) { return count_before_curves(model) < model.terms.size(); }},
    {{"cell", row_counts, row_counts}, [](const Model& model) { return !model.row_counts.empty(); }},
    {{"novl", novelty_scores, novelty_scores},
     [](const Model& model) { return !model.novelty_scores.empty(); }},
    {{"hash", row_sketch, row_sketch}, [](const Model& model) { return !model.row_sketch.empty(); }},
    {{"ordr", level_orders, level_orders}, [](const Model& model) { return !model.level_orders.empty(); }},
    {{"mono", monotone, monotone}, [](const Model& model) { return !model.monotone.empty(); }},
}};
constexpr std::string_view frequencies_tag = optional_sections[0].section.tag;

}  // namespace

std::string model_bytes(const Model& model) {
  std::string bytes = file_start(model_magic, model_file_version);
  const auto append = [&](const Section& section) {
    Writer out;
    section.write(out, model);
    append_section(bytes, section.tag, out.bytes());
  };
  for (const Section& section : sections) {
    if (section.tag == sections.back().tag)
      for (const auto& [optional, is_needed] : optional_sections)
        if (is_needed(model)) append(optional);
    append(section);
  }
  return bytes;
}

Model model_from_bytes(std::string_view bytes, const std::string& name) {
  Reader in(bytes, name);
  take_file_start(in, model_magic, model_file_version);
  Model model;
  const auto read = [&](const Section& section, std::string_view payload) {
    read_whole(in, payload, section.tag, [&](Reader& part) { section.read(part, model); });
  };
  std::set<std::string_view> met;
  const auto read_other = [&](std::string_view tag, std::string_view payload) {
    for (const auto& [section, is_needed] : optional_sections) {
      if (tag != section.tag) continue;
      in.require(met.insert(section.tag).second, "has section " + std::string(tag) + " twice");
      read(section, payload);
      return true;
    }
    return false;
  };
  for (const Section& section : sections) read(section, take_section(in, section.tag, read_other));
  in.require(in.empty(), "goes on behind its end");
  // Older files tell it by their options.
  if (!met.contains(frequencies_tag) && model.costs.data.empty() && counted_classes_alike(model.fitted_with))
    model.class_frequencies = ClassFrequencies::equal;
  return model;
}

std::string readable_model_bytes(const Model& model, const std::string& name) {
  std::string bytes = model_bytes(model);
  std::string reason = name + ": the model file changes when it is read back";
  try {
    if (model_bytes(model_from_bytes(bytes, name)) == bytes) return bytes;
  } catch (const std::runtime_error& error) {
    reason = error.what();
  }
  throw std::runtime_error(reason + "; it is not written");
}

void save_model(const Model& model, const std::string& path) {
  write_file(path, readable_model_bytes(model, path));
}

std::string read_model_file(const std::string& path) { return read_all(path, model_magic); }

Model load_model(const std::string& path) {
  return model_from_bytes(read_model_file(path), source_name(path));
}

}  // namespace dyad
