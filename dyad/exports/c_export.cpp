// A model as one file of C99: static tables, then the functions of predictor.c.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/text.h"
#include "dyad/exports/internal/formats.h"
#include "dyad/exports/internal/templates.h"

namespace dyad::internal {
namespace {

/// A string literal. Bytes other than plain characters are octal, so that nothing ends it, whatever they are.
std::string c_literal(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = byte >= ' ' && byte < 0x7f && c != '"' && c != '\\' && c != '?';
    if (is_plain) {
      literal += c;
      continue;
    }
    literal += '\\';
    for (const unsigned shift : {6U, 3U, 0U}) literal += static_cast<char>('0' + ((byte >> shift) & 7U));
  }
  return literal + "\"";
}

/// A constant of type double: digits alone would be an integer, too large for any type from 2^64 on.
std::string c_number(double value) {
  const std::string text = number_text(value);
  return text.find_first_of(".en") == std::string::npos ? text + ".0" : text;
}

std::string c_index(std::size_t index) { return index == TermLookup::none ? "-1" : std::to_string(index); }

std::string c_values(std::initializer_list<std::string> values) {
  std::string text;
  for (const std::string& value : values) text += (text.empty() ? "{" : ", ") + value;
  return text + "}";
}

/// static const TYPE NAME[] = {...}; C has no array without elements, so that an empty one gets
/// `placeholder`.
template <class Values, class Text>
std::string c_array(std::string_view declaration, const Values& values, const Text& text_of,
                    std::string_view placeholder = "0") {
  std::string text = std::string(declaration) + "[] = {";
  constexpr std::size_t line = 100;
  std::size_t line_start = text.size();
  for (const auto& value : values) {
    if (text.size() - line_start > line) {
      text += '\n';
      line_start = text.size();
    }
    text += text_of(value) + ", ";
  }
  if (std::ranges::empty(values)) text += placeholder;
  return text + "};\n";
}

std::string c_axis(const Axis& axis, double bandwidth) {
  return c_values(
      {c_number(axis.origin), c_number(axis.step), c_number(bandwidth), std::to_string(axis.size)});
}

std::string c_levels(const LevelAxis& levels, const CutLookup& cuts) {
  return c_values({levels.is_number ? "1" : "0", levels.has_missing ? "1" : "0",
                   std::to_string(levels.n_levels), std::to_string(cuts.first), std::to_string(cuts.count),
                   cuts.are_nodes ? "1" : "0"});
}

std::string c_features(const Model& model) {
  constexpr std::array curves{"LINEAR", "ASINH", "LOGARITHM"};
  std::string names;
  std::string features;
  std::vector<std::string> levels;
  for (std::size_t j = 0; j < model.n_features; ++j) {
    const bool is_category = !is_number(model, j);
    const Coordinate* const of = is_category ? nullptr : coordinate_of(model, j);
    const Coordinate c = of == nullptr ? Coordinate{} : *of;
    features += "  " +
                c_values({of == nullptr ? "AS_IT_IS" : curves[static_cast<std::size_t>(c.curve)],
                          c_number(c.lowest), c_number(c.centre), c_number(c.spread), c_number(c.mean),
                          c_number(c.deviation), std::to_string(levels.size()),
                          std::to_string(is_category ? model.levels[j].names.size() : 0),
                          is_category && model.levels[j].has_others ? "1" : "0"}) +
                ",\n";
    if (is_category) levels.insert(levels.end(), model.levels[j].names.begin(), model.levels[j].names.end());
  }
  return c_array("DYAD_API const char *const dyad_features", model.features, c_literal) +
         c_array("DYAD_API const char *const dyad_classes", model.classes, c_literal) +
         c_array("static const char *const level_names", levels, c_literal, "\"\"") +
         "static const struct feature features[] = {\n" + features + "};\n";
}

std::string c_density(const DensityLookup& d) {
  return "\n" +
         c_values({std::to_string(d.x), std::to_string(d.y), d.is_pair() ? "1" : "0", c_number(d.limit),
                   c_number(d.centre_x), c_number(d.scale_x), c_number(d.centre_y), c_number(d.scale_y),
                   c_number(d.shear), c_axis(d.axis_u, d.bandwidth_u), c_axis(d.axis_v, d.bandwidth_v),
                   c_number(d.height), c_number(d.unit), std::to_string(d.first), std::to_string(d.n_nodes)});
}

std::string c_cell(const CellLookup& cell) {
  std::array<Mixture, 2> mixtures;
  std::ranges::copy(cell.mixtures, mixtures.begin());
  return c_values({c_number(cell.log_share), std::to_string(cell.mixtures.size()),
                   c_values({std::to_string(mixtures[0].first), std::to_string(mixtures[1].first)}),
                   c_values({std::to_string(mixtures[0].count), std::to_string(mixtures[1].count)})});
}

std::string c_term(const TermLookup& term) {
  return "\n" +
         c_values({std::to_string(term.key.i), std::to_string(term.key.j), term.key.is_linear() ? "1" : "0",
                   c_levels(term.levels_x, term.cuts_x), c_levels(term.levels_y, term.cuts_y),
                   std::to_string(term.first_cell), c_number(term.floor), c_number(term.centre),
                   c_index(term.own_x), c_index(term.own_y)});
}

std::string c_lookups(const Lookups& lookups) {
  const auto integer = [](std::uint16_t value) { return std::to_string(value); };
  const auto number = [](double value) { return c_number(value); };
  const auto part = [](const MixturePart& of) {
    return c_values({c_number(of.log_weight), std::to_string(of.density)});
  };
  return c_array("static const uint16_t depths", lookups.depths, integer, "0, 0") +
         c_array("static const double points_u", lookups.points_u, number) +
         c_array("static const double points_v", lookups.points_v, number) +
         c_array("static const struct density densities", lookups.densities, c_density, "{0}") +
         c_array("static const struct part parts", lookups.parts, part, "{0}") +
         c_array("static const double cuts", lookups.cuts, number) +
         c_array("static const struct cell cells", lookups.cells, c_cell, "{0}") +
         c_array("static const struct term terms", lookups.terms, c_term, "{0}");
}

std::string c_scores(const Model& model) {
  const auto number = [](double value) { return c_number(value); };
  const auto step = [](const CalibrationStep& of) {
    return c_values({c_number(of.score), c_number(of.probability)});
  };
  std::vector<CalibrationStep> steps;
  std::string calibrations = "static const struct calibration calibrations[] = {";
  for (const Calibration& of : calibrations_of(model)) {
    calibrations += c_values({c_number(of.slope), c_number(of.offset), std::to_string(steps.size()),
                              std::to_string(of.steps.size())}) +
                    ", ";
    steps.insert(steps.end(), of.steps.begin(), of.steps.end());
  }
  std::vector<double> costs;
  for (std::size_t a = 0; a < model.costs.n_rows; ++a)
    for (std::size_t b = 0; b < model.costs.n_cols; ++b) costs.push_back(model.costs(a, b));
  return c_array("static const double weights", model.weights.data, number) +
         c_array("static const double intercepts", model.intercepts, number) + calibrations + "};\n" +
         c_array("static const struct step steps", steps, step, "{0}") +
         c_array("static const double costs", costs, number);
}

std::string c_constants(const Model& model) {
  const auto constant = [](std::string_view name, std::size_t value) {
    return "  " + std::string(name) + " = " + std::to_string(value) + ",\n";
  };
  return "enum {\n" + constant("N_FEATURES", model.n_features) + constant("N_TERMS", model.terms.size()) +
         constant("DYAD_SCORES", model.n_scores()) + constant("DYAD_CLASSES", model.n_classes()) +
         constant("HAS_STEPS", is_one_against_rest(model) ? 1 : 0) +
         constant("LOG_ODDS", model.has_likelihoods ? 1 : 0) +
         constant("HAS_COSTS", model.costs.data.empty() ? 0 : 1) + "};\n";
}

}  // namespace

std::string c_export(const Lookups& lookups) {
  const Model& model = *lookups.model;
  return filled_template(c_template(), "/* MODEL */\n",
                         c_constants(model) + c_features(model) + c_lookups(lookups) + c_scores(model));
}

}  // namespace dyad::internal
