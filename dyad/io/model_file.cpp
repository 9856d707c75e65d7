// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/model_file.h"

#include <map>
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

/// A section of what one function puts and another takes.
template <auto member, auto put>
std::string section_of(const Model& model) {
  Writer out;
  put(out, model.*member);
  return out.bytes();
}

/// Of the options only `engine` and `method` matter to predictions; the others are kept as they are.
void read_options(Reader& in, Model& model) {
  model.fitted_with = internal::take_options(in);
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

void read_coordinates(Reader& in, Model& model) {
  model.coordinates = internal::take_coordinates(in, model.features.size());
}

void read_settings(Reader& in, Model& model) { model.settings = internal::take_settings(in); }

void read_costs(Reader& in, Model& model) { model.costs = internal::take_costs(in, model.classes.size()); }

std::string names_section(const Model& model) {
  Writer out;
  for (const auto* names : {&model.features, &model.classes}) {
    out.put(static_cast<std::uint64_t>(names->size()));
    for (const std::string& name : *names) out.put_text(name);
  }
  return out.bytes();
}

void read_names(Reader& in, Model& model) {
  for (auto* names : {&model.features, &model.classes})
    for (std::size_t count = in.take_size(8); count > 0; --count) names->push_back(in.take_text());
  if (model.features.empty() || model.classes.size() < 2) in.refuse("has no features or classes");
  for (const auto* names : {&model.features, &model.classes})
    if (std::set<std::string>(names->begin(), names->end()).size() != names->size())
      in.refuse("has a name twice");
}

std::string samples_section(const Model& model) {
  Writer out;
  for (const std::size_t count : model.class_rows) out.put(static_cast<std::uint64_t>(count));
  for (const Matrix& sample : model.samples) out.put_numbers(sample.data);
  return out.bytes();
}

void read_samples(Reader& in, Model& model) {
  const std::size_t d = model.features.size();
  model.n_features = d;
  const bool exact = model.engine == Engine::exact;
  for (std::size_t c = 0; c < model.classes.size(); ++c) {
    model.class_rows.push_back(exact ? in.take_size(d * sizeof(double)) : in.take<std::uint64_t>());
    if (model.class_rows.back() == 0) in.refuse("has a class without rows");
  }
  for (std::size_t c = 0; exact && c < model.classes.size(); ++c) {
    Matrix sample;
    sample.n_rows = model.class_rows[c];
    sample.n_cols = d;
    sample.data = in.take_numbers(sample.n_rows, d);
    model.samples.push_back(std::move(sample));
  }
}

std::string levels_section(const Model& model) {
  Writer out;
  out.put(static_cast<std::uint64_t>(model.levels.size()));
  for (const Levels& levels : model.levels) {
    out.put(static_cast<std::uint64_t>(levels.has_others ? 1 : 0));
    out.put(static_cast<std::uint64_t>(levels.names.size()));
    for (const std::string& name : levels.names) out.put_text(name);
  }
  return out.bytes();
}

void read_levels(Reader& in, Model& model) {
  const std::size_t count = in.take_size(2 * sizeof(std::uint64_t));
  if (count != 0 && (count != model.features.size() || model.engine == Engine::exact))
    in.refuse("has the wrong number of features with levels");
  for (std::size_t j = 0; j < count; ++j) {
    Levels levels;
    levels.has_others = in.take_index(2) == 1;
    for (std::size_t left = in.take_size(8); left > 0; --left) levels.names.push_back(in.take_text());
    if (std::ranges::adjacent_find(levels.names, std::greater_equal<>()) != levels.names.end())
      in.refuse("has levels in no order");
    if (levels.names.empty() && levels.has_others) in.refuse("has other levels than none");
    model.levels.push_back(std::move(levels));
  }
}

std::string terms_section(const Model& model) {
  Writer out;
  out.put(static_cast<std::uint64_t>(model.terms.size()));
  for (const Term& term : model.terms) {
    // A linear term has the place behind the last class.
    out.put(static_cast<std::uint64_t>(term.is_linear() ? model.n_classes()
                                                        : static_cast<std::size_t>(term.class_code)));
    out.put(static_cast<std::uint64_t>(term.i));
    out.put(static_cast<std::uint64_t>(term.j));
    out.put(term.centre);
    if (term.is_linear()) continue;
    out.put_numbers(std::array{term.floor, term.n_rows, term.prior_rows, term.typical, term.spread});
    if (model.engine == Engine::exact)
      internal::put_bandwidth(out, term.density);
    else
      internal::put_counts(out, term.density);
  }
  return out.bytes();
}

void read_terms(Reader& in, Model& model) {
  constexpr std::size_t least_bytes = 4 * sizeof(double);
  std::set<std::array<std::size_t, 3>>
      keys;  // each once: few bytes could have the rows of a class copied without end
  for (std::size_t count = in.take_size(least_bytes); count > 0; --count) {
    const std::size_t class_code = in.take_index(model.classes.size() + 1);
    Term term;
    term.i = in.take_index(model.features.size());
    term.j = in.take_index(model.features.size());
    if (term.j < term.i) in.refuse("has a pair in the wrong order");
    if (!keys.insert({class_code, term.i, term.j}).second) in.refuse("has a term twice");
    const double centre = in.take_number();
    if (class_code == model.classes.size()) {
      if (term.is_pair()) in.refuse("has a linear term of two features");
      if (!model.levels.empty() && !model.levels[term.i].is_number())
        in.refuse("has a linear term of categories");
      model.terms.push_back(linear_term(term.i));
      model.terms.back().centre = centre;
      continue;
    }
    term.class_code = static_cast<std::int32_t>(class_code);
    term.centre = in.moderate(centre);
    term.floor = in.moderate(in.take_number());
    term.n_rows = in.take_positive();
    term.prior_rows = in.take_number();
    if (term.prior_rows < 0) in.refuse("has a negative number of rows");
    term.typical = in.moderate(in.take_number());
    term.spread = in.take_number();
    if (term.spread < 0) in.refuse("has a negative standard deviation");
    term.density =
        model.engine == Engine::exact
            ? internal::take_by_bandwidth(in, term, model.samples[static_cast<std::size_t>(term.class_code)])
            : internal::take_counts(in, term, model.levels);
    model.terms.push_back(std::move(term));
  }
}

std::string weights_section(const Model& model) {
  Writer out;
  out.put(static_cast<std::uint64_t>(model.weights.n_rows));
  out.put_numbers(model.weights.data);
  out.put_numbers(model.intercepts);
  out.put(static_cast<std::uint64_t>(model.calibrations.size()));
  for (const Calibration& calibration : model.calibrations)
    out.put_numbers(std::array{calibration.slope, calibration.offset});
  return out.bytes();
}

void read_weights(Reader& in, Model& model) {
  const std::size_t n_scores = in.take_size(1);
  if (n_scores != score_count(model.classes.size())) in.refuse("has the wrong number of scores");
  model.weights.n_rows = n_scores;
  model.weights.n_cols = model.terms.size();
  model.weights.data = in.take_numbers(n_scores, model.terms.size());
  model.intercepts = in.take_numbers(n_scores);
  const std::size_t n_calibrations = in.take_size(2 * sizeof(double));
  if (n_calibrations != 0 && n_calibrations != n_scores) in.refuse("has the wrong number of calibrations");
  for (std::size_t k = 0; k < n_calibrations; ++k) {
    const double slope = in.take_number();
    model.calibrations.push_back({.slope = slope, .offset = in.take_number()});
  }
}

/// The steps of isotonic calibrations; slopes and offsets are with the weights.
std::string steps_section(const Model& model) {
  Writer out;
  for (const Calibration& calibration : model.calibrations) {
    out.put(static_cast<std::uint64_t>(calibration.steps.size()));
    for (const CalibrationStep& step : calibration.steps)
      out.put_numbers(std::array{step.score, step.probability});
  }
  return out.bytes();
}

void read_steps(Reader& in, Model& model) {
  for (Calibration& calibration : model.calibrations)
    for (std::size_t count = in.take_size(2 * sizeof(double)); count > 0; --count) {
      const double score = in.take_number();
      const double probability = in.take_number();
      if (!(probability >= 0 && probability <= 1)) in.refuse("has a probability that is not between 0 and 1");
      if (!calibration.steps.empty() &&
          !(score > calibration.steps.back().score && probability >= calibration.steps.back().probability))
        in.refuse("has steps of a calibration in no order");
      calibration.steps.push_back({score, probability});
    }
}

struct Section {
  std::string_view tag;
  std::string (*write)(const Model&);
  void (*read)(Reader&, Model&);
};

/// In the order of the file: each needs those before it.
constexpr std::array<Section, 10> sections{
    {{"OPTS", section_of<&Model::fitted_with, internal::put_options>, read_options},
     {"NAME", names_section, read_names},
     {"LEVL", levels_section, read_levels},
     {"COOR", section_of<&Model::coordinates, internal::put_coordinates>, read_coordinates},
     {"ROWS", samples_section, read_samples},
     {"TERM", terms_section, read_terms},
     {"WGHT", weights_section, read_weights},
     {"SETT", section_of<&Model::settings, internal::put_settings>, read_settings},
     {"STEP", steps_section, read_steps},
     {"COST", section_of<&Model::costs, internal::put_costs>, read_costs}}};

}  // namespace

std::string model_bytes(const Model& model) {
  std::string bytes = internal::file_start(magic, model_file_version);
  for (const Section& section : sections) internal::append_section(bytes, section.tag, section.write(model));
  return bytes;
}

Model model_from_bytes(std::string_view bytes, const std::string& name) {
  Reader in(bytes, name);
  internal::take_file_start(in, magic, model_file_version);
  Model model;
  for (const Section& section : sections) {
    Reader section_in(internal::take_section(in, section.tag), name);
    section.read(section_in, model);
    if (!section_in.empty())
      in.refuse("has more in section " + std::string(section.tag) + " than belongs there");
  }
  if (!in.empty()) in.refuse("goes on behind its end");
  return model;
}

void save_model(const Model& model, const std::string& path) { write_file(path, model_bytes(model)); }

std::string read_model_file(const std::string& path) { return read_all(path, magic); }

Model load_model(const std::string& path) {
  return model_from_bytes(read_model_file(path), source_name(path));
}

}  // namespace dyad
