// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/model_file.h"

#include <set>

#include "dyad/base/text.h"
#include "dyad/fit/recipe.h"
#include "dyad/io/byte_source.h"
#include "dyad/io/internal/bytes.h"
#include "dyad/io/internal/density_bytes.h"
#include "dyad/io/internal/fit_bytes.h"
#include "dyad/io/internal/sections.h"
#include "dyad/io/output_file.h"

namespace dyad {
namespace {

using internal::Reader;
using internal::Writer;

constexpr std::string_view magic = "DYAD\r\n\x1a\n";

// --- sections ---

void options(Writer& out, const Model& model) { exchange(out, model.fitted_with); }

/// Of the options only `engine` and `method` matter to predictions; the others are kept as they are.
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
  ar.require(internal::are_distinct(model.features) && internal::are_distinct(model.classes),
             "has a name twice");
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

void terms(auto& ar, auto& model) {
  const std::size_t n_classes = model.classes.size();
  // Each once: few bytes could have the rows of a class copied without end.
  std::set<std::array<std::size_t, 3>> keys;
  ar.size(4 * sizeof(double), model.terms);
  for (auto& term : model.terms) {
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
    internal::exchange_row_count(ar, term.prior_rows);
    ar.number(term.typical, term.spread);
    for (const double logarithm : {term.centre, term.floor, term.typical})
      internal::require_moderate(ar, logarithm);
    ar.require(term.spread >= 0, "has a negative standard deviation");
    if (model.engine == Engine::exact)
      exchange_bandwidth(ar, term, model.samples[class_code]);
    else
      exchange_counts(ar, term, model.levels);
  }
}

void weights(auto& ar, auto& model) {
  std::size_t n_scores = model.weights.n_rows;
  ar.value(n_scores);
  ar.resize(n_scores, 1, model.intercepts);
  ar.require(n_scores == score_count(model.classes.size()), "has the wrong number of scores");
  exchange(ar, model.weights, n_scores, model.terms.size());
  ar.numbers(model.intercepts, n_scores);
  const std::size_t n_calibrations = ar.size(2 * sizeof(double), model.calibrations);
  ar.require(n_calibrations == 0 || n_calibrations == n_scores, "has the wrong number of calibrations");
  for (auto& calibration : model.calibrations) ar.number(calibration.slope, calibration.offset);
}

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

}  // namespace

std::string model_bytes(const Model& model) {
  std::string bytes = internal::file_start(magic, model_file_version);
  for (const Section& section : sections) {
    Writer out;
    section.write(out, model);
    internal::append_section(bytes, section.tag, out.bytes());
  }
  return bytes;
}

Model model_from_bytes(std::string_view bytes, const std::string& name) {
  Reader in(bytes, name);
  internal::take_file_start(in, magic, model_file_version);
  Model model;
  for (const Section& section : sections)
    internal::read_whole(in, internal::take_section(in, section.tag), section.tag,
                         [&](Reader& payload) { section.read(payload, model); });
  in.require(in.empty(), "goes on behind its end");
  return model;
}

void save_model(const Model& model, const std::string& path) { write_file(path, model_bytes(model)); }

std::string read_model_file(const std::string& path) { return read_all(path, magic); }

Model load_model(const std::string& path) {
  return model_from_bytes(read_model_file(path), source_name(path));
}

}  // namespace dyad
