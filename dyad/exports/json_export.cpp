// A model as a JSON document (docs/export.schema.json), and as an ECMAScript module that computes from it.
// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "dyad/exports/internal/formats.h"
#include "dyad/exports/internal/templates.h"

namespace dyad::internal {
namespace {

using Json = nlohmann::json;

constexpr int json_export_version = 1;

Json coordinate_json(const Coordinate& c) {
  return {{"curve", name_of(curve_names, c.curve)},
          {"lowest", c.lowest},
          {"centre", c.centre},
          {"spread", c.spread},
          {"mean", c.mean},
          {"deviation", c.deviation}};
}

Json features_json(const Model& model) {
  Json features = Json::array();
  for (std::size_t j = 0; j < model.n_features; ++j) {
    Json feature{
        {"name", model.features[j]}, {"levels", nullptr}, {"others", false}, {"coordinate", nullptr}};
    if (!is_number(model, j)) {
      feature["levels"] = model.levels[j].names;
      feature["others"] = model.levels[j].has_others;
    } else if (const Coordinate* const c = coordinate_of(model, j)) {
      feature["coordinate"] = coordinate_json(*c);
    }
    features.push_back(std::move(feature));
  }
  return features;
}

Json axis_json(const Axis& axis, double bandwidth) {
  return {{"origin", axis.origin}, {"step", axis.step}, {"size", axis.size}, {"bandwidth", bandwidth}};
}

/// Values of x, and of y for two features.
template <class Value>
Json by_feature(const DensityLookup& density, const Value& x, const Value& y) {
  Json values = Json::array({x});
  if (density.is_pair()) values.push_back(y);
  return values;
}

Json density_json(const Lookups& lookups, const DensityLookup& density) {
  Json document{{"features", by_feature(density, density.x, density.y)},
                {"centre", by_feature(density, density.centre_x, density.centre_y)},
                {"scale", by_feature(density, density.scale_x, density.scale_y)},
                {"limit", density.limit},
                {"shear", density.shear},
                {"height", density.height}};
  const auto of_density = [&](const auto& values) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(density.first);
    return std::vector(first, first + static_cast<std::ptrdiff_t>(density.n_nodes));
  };
  if (density.has_points()) {
    document["points"] = by_feature(density, of_density(lookups.points_u), of_density(lookups.points_v));
  } else {
    document["axes"] = by_feature(density, axis_json(density.axis_u, density.bandwidth_u),
                                  axis_json(density.axis_v, density.bandwidth_v));
    document["unit"] = density.unit;
    document["depths"] = of_density(lookups.depths);
  }
  return document;
}

Json levels_json(const Lookups& lookups, const LevelAxis& levels, const CutLookup& cuts) {
  Json document{{"numbers", levels.is_number}, {"missing", levels.has_missing}, {"count", levels.n_levels}};
  if (cuts.count > 0)
    document["cuts"] =
        std::vector(lookups.cuts.begin() + static_cast<std::ptrdiff_t>(cuts.first),
                    lookups.cuts.begin() + static_cast<std::ptrdiff_t>(cuts.first + cuts.count));
  if (cuts.are_nodes) document["nodes"] = true;
  return document;
}

Json cell_json(const Lookups& lookups, const CellLookup& cell) {
  Json mixtures = Json::array();
  for (const auto& [first, count] : cell.mixtures) {
    Json parts = Json::array();
    for (std::size_t p = first; p < first + count; ++p)
      parts.push_back({{"log_weight", lookups.parts[p].log_weight}, {"density", lookups.parts[p].density}});
    mixtures.push_back(std::move(parts));
  }
  return {{"log_share", cell.log_share}, {"mixtures", std::move(mixtures)}};
}

Json term_json(const Lookups& lookups, std::size_t t) {
  const Model& model = *lookups.model;
  const TermLookup& term = lookups.terms[t];
  Json document{{"features", term.key.is_pair() ? Json{term.key.i, term.key.j} : Json::array({term.key.i})},
                {"class", nullptr},
                {"kind", kind_of(term.key)},
                {"centre", term.centre},
                {"weights", Json::array()}};
  for (std::size_t k = 0; k < model.n_scores(); ++k) document["weights"].push_back(model.weights(k, t));
  if (term.key.is_linear()) return document;
  const auto own = [](std::size_t of) { return of == TermLookup::none ? Json() : Json(of); };
  if (term.key.is_density()) document["class"] = term.key.class_code;
  document["floor"] = term.floor;
  document["levels"] = Json::array({levels_json(lookups, term.levels_x, term.cuts_x)});
  if (term.key.is_pair()) {
    document["levels"].push_back(levels_json(lookups, term.levels_y, term.cuts_y));
    document["own"] = {own(term.own_x), own(term.own_y)};
  }
  document["cells"] = Json::array();
  for (std::size_t c = 0; c < term.levels_x.n_levels * term.levels_y.n_levels; ++c)
    document["cells"].push_back(cell_json(lookups, lookups.cells[term.first_cell + c]));
  return document;
}

Json calibrations_json(const Model& model) {
  Json calibrations = Json::array();
  for (const Calibration& of : calibrations_of(model)) {
    Json steps = Json::array();
    for (const auto& [score, probability] : of.steps) steps.push_back({score, probability});
    calibrations.push_back({{"slope", of.slope}, {"offset", of.offset}, {"steps", std::move(steps)}});
  }
  return calibrations;
}

Json costs_json(const Model& model) {
  Json costs;
  for (std::size_t a = 0; a < model.costs.n_rows; ++a) {
    Json row = Json::array();
    for (std::size_t b = 0; b < model.costs.n_cols; ++b) row.push_back(model.costs(a, b));
    costs.push_back(std::move(row));
  }
  return costs;
}

/// In ASCII and without "<", so that it can stand in a script of a page.
std::string text_of(const Json& document) {
  const std::string text = document.dump(-1, ' ', true, Json::error_handler_t::replace);
  std::string result;
  result.reserve(text.size());
  for (const char c : text) c == '<' ? result += "\\u003c" : result += c;
  return result;
}

std::string document_of(const Lookups& lookups) {
  const Model& model = *lookups.model;
  Json document{{"format", "dyad"},
                {"version", json_export_version},
                {"features", features_json(model)},
                {"classes", model.classes},
                {"densities", Json::array()},
                {"terms", Json::array()},
                {"intercepts", model.intercepts},
                {"calibrations", calibrations_json(model)},
                {"likelihoods", model.has_likelihoods},
                {"costs", costs_json(model)}};
  for (const DensityLookup& density : lookups.densities)
    document["densities"].push_back(density_json(lookups, density));
  for (std::size_t t = 0; t < lookups.terms.size(); ++t) document["terms"].push_back(term_json(lookups, t));
  return text_of(document);
}

}  // namespace

std::string json_export(const Lookups& lookups) { return document_of(lookups) + "\n"; }

std::string js_export(const Lookups& lookups) {
  return std::string(js_template()) +
         "\nexport const { features, classes, scoresOfRows, scores, contributions, probabilities, "
         "predictedClass, "
         "predict } =\n  predictorOf(" +
         document_of(lookups) + ");\n";
}

}  // namespace dyad::internal
