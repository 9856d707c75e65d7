// A model as tables and a view for DuckDB and SQLite: the data, between the two halves of query.sql.
// SPDX-License-Identifier: BSD-3-Clause
#include <set>

#include "dyad/base/text.h"
#include "dyad/exports/internal/formats.h"
#include "dyad/exports/internal/templates.h"

namespace dyad::internal {
namespace {

std::string in_quotes(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) result += c == quote ? std::string(2, c) : std::string(1, c);
  return result + quote;
}

std::string sql_text(std::string_view text) { return in_quotes(text, '\''); }

std::string sql_value(double value) { return number_text(value); }
std::string sql_value(bool value) { return value ? "1" : "0"; }

/// The rows of one table as INSERT statements of some hundred rows each.
class Inserts {
 public:
  explicit Inserts(std::string_view table) : head_("INSERT INTO " + std::string(table) + " VALUES\n") {}

  /// Adds a row of values that are written as SQL.
  void add(std::initializer_list<std::string> values) {
    constexpr std::size_t most = 200;
    text_ += n_rows_++ % most == 0 ? (n_rows_ == 1 ? head_ : ";\n" + head_) : ",\n";
    std::string row;
    for (const std::string& value : values) row += (row.empty() ? "(" : ",") + value;
    text_ += row + ")";
  }

  [[nodiscard]] std::string text() const { return n_rows_ == 0 ? "" : text_ + ";\n"; }

 private:
  std::string head_;
  std::string text_;
  std::size_t n_rows_ = 0;
};

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

/// The columns of dyad_rows: the names of the features, with a number where SQL would take two for one.
std::vector<std::string> column_names(const Model& model) {
  std::set<std::string> taken{"row_id", ""};
  std::vector<std::string> names;
  for (const std::string& feature : model.features) {
    std::string name = feature;
    for (std::size_t k = 2; !taken.insert(lower_case(name)).second; ++k)
      name = feature + "_" + std::to_string(k);
    names.push_back(in_quotes(name, '"'));
  }
  return names;
}

/// A column of numbers; what is none (NaN, which DuckDB takes as larger than any number) or infinite is
/// missing.
std::string sql_number(const std::string& column) {
  const std::string largest = sql_value(std::numeric_limits<double>::max());
  return "CASE WHEN " + column + " BETWEEN -" + largest + " AND " + largest + " THEN " + column + " END";
}

/// All the queries in one, in groups: SQLite takes at most 500 queries in a UNION ALL.
std::string sql_union(std::span<const std::string> queries) {
  constexpr std::size_t most = 400;
  std::string text;
  for (std::size_t first = 0; first < queries.size(); first += most) {
    std::string group;
    for (const std::string& query : queries.subspan(first, std::min(most, queries.size() - first)))
      group += (group.empty() ? "" : "UNION ALL ") + query;
    if (queries.size() > most)
      group = (first == 0 ? "" : "UNION ALL ") + ("SELECT * FROM (\n" + group + ")\n");
    text += group;
  }
  return text;
}

/// The table dyad_rows, and the view dyad_values that has a row for each of its values.
std::string sql_rows(const Model& model) {
  const auto columns = column_names(model);
  std::string table = "CREATE TABLE dyad_rows (row_id BIGINT PRIMARY KEY";
  std::vector<std::string> values;
  for (std::size_t j = 0; j < columns.size(); ++j) {
    const bool is_numeric = is_number(model, j);
    table += ",\n  " + columns[j] + (is_numeric ? " DOUBLE" : " TEXT");
    values.push_back("SELECT row_id, " + std::to_string(j) + " AS feature, " +
                     (is_numeric ? sql_number(columns[j]) : "CAST(NULL AS DOUBLE)") + " AS number, " +
                     (is_numeric ? "CAST(NULL AS TEXT)" : columns[j]) + " AS level FROM dyad_rows\n");
  }
  return table + ");\nCREATE VIEW dyad_values AS\n" + sql_union(values) + ";\n";
}

std::string sql_features(const Model& model) {
  Inserts features("dyad_feature");
  Inserts levels("dyad_level");
  Inserts classes("dyad_class");
  for (std::size_t j = 0; j < model.n_features; ++j) {
    const bool is_numeric = is_number(model, j);
    const Coordinate* const of = is_numeric ? coordinate_of(model, j) : nullptr;
    const Coordinate c = of == nullptr ? Coordinate{} : *of;
    const bool has_others = !is_numeric && model.levels[j].has_others;
    constexpr double rounding = 1e-12;
    features.add({std::to_string(j), sql_text(model.features[j]), sql_value(is_numeric),
                  has_others ? std::to_string(model.levels[j].names.size()) : "NULL",
                  sql_text(of == nullptr ? "none" : name_of(curve_names, c.curve)), sql_value(c.lowest),
                  sql_value(c.centre), sql_value(c.spread), sql_value(c.mean), sql_value(c.deviation),
                  sql_value(rounding * std::max(std::abs(c.mean), c.deviation))});
    for (std::size_t code = 0; !is_numeric && code < model.levels[j].names.size(); ++code)
      levels.add({std::to_string(j), sql_text(model.levels[j].names[code]), std::to_string(code)});
  }
  for (std::size_t k = 0; k < model.classes.size(); ++k)
    classes.add({std::to_string(k), sql_text(model.classes[k])});
  return features.text() + levels.text() + classes.text();
}

/// The depths of the nodes at each place along u, five digits each.
void add_nodes(const Lookups& lookups, std::size_t d, Inserts& nodes) {
  constexpr std::size_t digits = 5;
  const DensityLookup& density = lookups.densities[d];
  for (std::size_t a = 0; a < density.axis_u.size; ++a) {
    std::string text;
    for (std::size_t b = 0; b < density.axis_v.size; ++b) {
      const std::string depth = std::to_string(lookups.depths[density.first + a * density.axis_v.size + b]);
      text += std::string(digits - depth.size(), '0') + depth;
    }
    nodes.add({std::to_string(d), std::to_string(a), sql_text(text)});
  }
}

std::string sql_densities(const Lookups& lookups) {
  Inserts densities("dyad_density");
  Inserts nodes("dyad_node");
  Inserts points("dyad_point");
  for (std::size_t d = 0; d < lookups.densities.size(); ++d) {
    const DensityLookup& of = lookups.densities[d];
    const char* kind = "table";
    if (!of.has_points()) {
      add_nodes(lookups, d, nodes);
    } else if (is_at_origin(lookups, of)) {
      kind = "origin";
    } else {
      kind = "points";
      for (std::size_t k = of.first; k < of.first + of.n_nodes; ++k)
        points.add({std::to_string(d), sql_value(lookups.points_u[k]), sql_value(lookups.points_v[k])});
    }
    densities.add({std::to_string(d),
                   sql_text(kind),
                   std::to_string(of.x),
                   std::to_string(of.y),
                   sql_value(of.limit),
                   sql_value(of.centre_x),
                   sql_value(of.scale_x),
                   sql_value(of.centre_y),
                   sql_value(of.scale_y),
                   sql_value(of.shear),
                   sql_value(of.axis_u.origin),
                   sql_value(of.axis_u.step),
                   sql_value(of.bandwidth_u / of.axis_u.step),
                   std::to_string(of.axis_u.size - 1),
                   sql_value(of.axis_v.origin),
                   sql_value(of.axis_v.step),
                   sql_value(of.bandwidth_v / of.axis_v.step),
                   std::to_string(of.axis_v.size - 1),
                   sql_value(of.height),
                   sql_value(of.unit)});
  }
  return densities.text() + nodes.text() + points.text();
}

std::string sql_terms(const Lookups& lookups) {
  Inserts terms("dyad_term");
  Inserts owns("dyad_own");
  Inserts cuts("dyad_cut");
  Inserts cells("dyad_cell");
  Inserts parts("dyad_part");
  for (std::size_t t = 0; t < lookups.terms.size(); ++t) {
    const TermLookup& of = lookups.terms[t];
    const std::string number = std::to_string(t);
    terms.add({number, sql_value(of.key.is_linear()), std::to_string(of.key.i), std::to_string(of.key.j),
               sql_value(of.levels_x.is_number), sql_value(of.levels_x.has_missing),
               std::to_string(of.levels_x.n_levels), sql_value(of.levels_y.is_number),
               sql_value(of.levels_y.has_missing), std::to_string(of.levels_y.n_levels), sql_value(of.floor),
               sql_value(of.centre)});
    for (const auto& [axis, of_axis] : {std::pair("0", of.cuts_x), {"1", of.cuts_y}})
      for (std::size_t c = 0; c < of_axis.count; ++c)
        cuts.add({number, axis, sql_value(lookups.cuts[of_axis.first + c])});
    for (const std::size_t own : {of.own_x, of.own_y})
      if (own != TermLookup::none) owns.add({number, std::to_string(own)});
    for (std::size_t c = 0; !of.key.is_linear() && c < of.levels_x.n_levels * of.levels_y.n_levels; ++c) {
      const CellLookup& cell = lookups.cells[of.first_cell + c];
      cells.add({number, std::to_string(c), sql_value(cell.log_share)});
      for (std::size_t m = 0; m < cell.mixtures.size(); ++m)
        for (std::size_t p = 0; p < cell.mixtures[m].count; ++p) {
          const MixturePart& part = lookups.parts[cell.mixtures[m].first + p];
          parts.add({number, std::to_string(c), std::to_string(m), std::to_string(p),
                     sql_value(part.log_weight), std::to_string(part.density)});
        }
    }
  }
  return terms.text() + owns.text() + cuts.text() + cells.text() + parts.text();
}

/// Straight lines from each step to the next, and level ones before the first and after the last.
void add_steps(std::size_t score, const std::vector<CalibrationStep>& steps, Inserts& lines) {
  constexpr double farthest = std::numeric_limits<double>::max();
  for (std::size_t s = 0; !steps.empty() && s <= steps.size(); ++s) {
    const CalibrationStep low = s == 0 ? CalibrationStep{-farthest, steps[0].probability} : steps[s - 1];
    const CalibrationStep high = s == steps.size() ? CalibrationStep{farthest, low.probability} : steps[s];
    lines.add({std::to_string(score), sql_value(low.score), sql_value(high.score), sql_value(low.probability),
               sql_value(high.probability)});
  }
}

std::string sql_scores(const Model& model) {
  Inserts kind("dyad_model");
  Inserts scores("dyad_score");
  Inserts weights("dyad_weight");
  Inserts steps("dyad_step");
  Inserts costs("dyad_cost");
  kind.add({sql_text(model.n_scores() == 1        ? "two"
                     : is_one_against_rest(model) ? "rest"
                                                  : "softmax"),
            sql_value(model.has_likelihoods), sql_value(!model.costs.data.empty())});
  const auto calibrations = calibrations_of(model);
  for (std::size_t k = 0; k < model.n_scores(); ++k) {
    scores.add({std::to_string(k), sql_value(model.intercepts[k]), sql_value(calibrations[k].slope),
                sql_value(calibrations[k].offset)});
    add_steps(k, calibrations[k].steps, steps);
    for (std::size_t t = 0; t < model.terms.size(); ++t)
      weights.add({std::to_string(t), std::to_string(k), sql_value(model.weights(k, t))});
  }
  const bool has_costs = !model.costs.data.empty();
  for (std::size_t a = 0; a < model.n_classes(); ++a)
    for (std::size_t b = 0; b < model.n_classes(); ++b)
      costs.add({std::to_string(a), std::to_string(b), sql_value(has_costs ? model.costs(a, b) : 0)});
  return kind.text() + scores.text() + weights.text() + steps.text() + costs.text();
}

}  // namespace

std::string sql_export(const Lookups& lookups) {
  const Model& model = *lookups.model;
  return filled_template(sql_template(), "-- MODEL\n",
                         sql_features(model) + sql_densities(lookups) + sql_terms(lookups) +
                             sql_scores(model) + sql_rows(model));
}

}  // namespace dyad::internal
