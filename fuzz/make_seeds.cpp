// Writes small model and state files of every kind, and damaged ones, into a folder: seeds of fuzzers, made
// anew when a format changes.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dyad/base/random.h"
#include "dyad/fit/fit.h"
#include "dyad/io/model_file.h"
#include "dyad/io/output_file.h"
#include "dyad/io/state_file.h"

namespace {

using namespace dyad;

/// Two numbers that depend on each other and on the class.
Table numbers(std::size_t n, std::size_t n_classes) {
  Table table{.n_rows = n};
  Random random(1);
  NumericColumn x;
  NumericColumn y;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = i % n_classes;
    table.labels.codes.push_back(static_cast<std::int32_t>(c));
    x.values.push_back(random.normal() + static_cast<double>(c));
    y.values.push_back((c == 0 ? 0.8 : -0.8) * x.values.back() + 0.5 * random.normal());
  }
  table.features = {{"x", std::move(x)}, {"y", std::move(y)}};
  for (std::size_t c = 0; c < n_classes; ++c) table.labels.classes.push_back("class " + std::to_string(c));
  return table;
}

std::vector<double>& values(Table& table, std::size_t j) {
  return std::get<NumericColumn>(table.features[j].data).values;
}

/// The same with gaps in x, and colours with gaps, of which some are rare.
Table mixed(std::size_t n, std::size_t n_classes) {
  Table table = numbers(n, n_classes);
  CategoricalColumn colours{{}, {"red", "green", "blue", "rare", "rarer"}};
  for (std::size_t i = 0; i < n; ++i) {
    const auto common = static_cast<std::int32_t>(i / 2 % 3);
    colours.codes.push_back(i % 11 == 5 ? CategoricalColumn::missing : i < 4 ? 3 + common % 2 : common);
    if (i % 5 == 2) values(table, 0)[i] = std::numeric_limits<double>::quiet_NaN();
  }
  table.features.push_back({"colour", std::move(colours)});
  return table;
}

FitOptions paper(Method method, Engine engine = Engine::counts) {
  FitOptions options{.method = method, .engine = engine, .bandwidth = BandwidthRule::normal_scale};
  if (engine == Engine::counts) {
    options.grid = 16;
    options.max_levels = 4;
  }
  if (method == Method::slb) {
    options.pairs = PairRule::count;
    options.n_pairs = 2;
  }
  return options;
}

FitOptions automatic(Engine engine, Objective objective = Objective::logloss) {
  FitOptions options = preset_options(Preset::automatic, Method::slb, objective);
  options.engine = engine;
  options.pairs = PairRule::cv;
  options.inner_folds = 5;
  options.n_average = 2;
  if (engine == Engine::exact) return options;
  options.grid = 16;
  options.max_levels = 4;
  return options;
}

FitOptions costly(Method method, std::size_t n_classes) {
  FitOptions options = paper(method);
  options.calibration = CalibrationRule::isotonic;
  options.costs = Matrix(n_classes, n_classes);
  for (std::size_t k = 0; k < options.costs.data.size(); ++k) options.costs.data[k] = static_cast<double>(k);
  return options;
}

/// Points in place of tables, as where values are far apart.
void keep_points(Model& model) {
  const std::array x{-1.0, 0.0, 1e6};
  const std::array y{0.5, -2.0, 3.0};
  const auto replace = [&](auto& density) {
    if (std::holds_alternative<Grid1d>(density)) density = make_kde1d(x, 0.5);
    if (std::holds_alternative<Grid2d>(density)) density = make_kde2d(x, y, {1, 0.5, 2}, 1, 2);
  };
  for (Term& term : model.terms) {
    replace(term.density);
    if (auto* const levels = std::get_if<LevelDensity>(&term.density))
      for (NumberDensity& part : levels->parts) replace(part.density);
  }
}

/// Files that the reader refuses, each for another reason.
void write_damaged(const std::string& folder) {
  const Model plain = fit(numbers(16, 2), paper(Method::nb), {.threads = 1});
  const Model levels = fit(mixed(20, 2), paper(Method::nb), {.threads = 1});
  const Model steps = fit(numbers(16, 2), costly(Method::nb, 2), {.threads = 1});
  const Model exact = fit(numbers(8, 2), paper(Method::slb, Engine::exact), {.threads = 1});
  const auto write = [&](const std::string& name, Model model, const auto& damage) {
    damage(model);
    write_file(folder + "/" + name + ".damaged", model_bytes(model));
  };
  const auto number_of_colour = [](Model& model, const Density& density) {
    std::ranges::find(model.terms, std::size_t{2}, &Term::i)->density = density;
  };
  write("option", plain, [](Model& model) { model.fitted_with[3].second = "neither"; });
  write("no-features", plain, [](Model& model) { model.features.clear(); });
  write("name-twice", plain, [](Model& model) { model.features[1] = model.features[0]; });
  write("levels-count", plain, [](Model& model) { model.levels.resize(1); });
  write("levels-order", levels, [](Model& model) { model.levels[2].names[0] = "z"; });
  write("coordinates-count", plain, [](Model& model) { model.coordinates.resize(1); });
  write("coordinate-log", plain, [](Model& model) { model.coordinates.resize(2, {.curve = Curve::log}); });
  write("linear-of-colours", levels, [](Model& model) { model.terms[0] = linear_term(2); });
  write("numbers-of-colours", levels, [&](Model& model) { number_of_colour(model, plain.terms[0].density); });
  write("another-part", levels, [](Model& model) {
    auto& of_colour =
        std::get<LevelDensity>(std::ranges::find(model.terms, std::size_t{2}, &Term::i)->density);
    of_colour.parts = {{make_kde1d(std::array{0.0}, 1), 1}};
    of_colour.cells[0] = 0;
  });
  write("term-twice", plain, [](Model& model) { model.terms[1] = model.terms[0]; });
  write("calibrations-count", plain, [](Model& model) { model.calibrations.resize(2); });
  write("step-probability", steps, [](Model& model) { model.calibrations[0].steps[0].probability = -1; });
  write("steps-order", steps, [](Model& model) { model.calibrations[0].steps[0].score = 1e9; });
  write("cost", steps, [](Model& model) { model.costs.data[0] = -1; });
  write("axis", plain, [](Model& model) { std::get<Grid1d>(model.terms[0].density).bandwidth = 1e9; });
  write("bandwidth", exact, [](Model& model) { std::get<Kde1d>(model.terms[0].density).bandwidth = -1; });
  write("top", plain, [](Model& model) { std::get<Grid1d>(model.terms[0].density).table.top = 1e101; });
  write("points-order", plain, [](Model& model) { model.terms[0].density = Kde1d{{1, 0}, 1}; });
  write("points-of-pair", exact, [](Model& model) {
    model.engine = Engine::counts;
    model.fitted_with[3].second = "counts";
    model.samples.clear();
    std::get<Kde2d>(model.terms.back().density).u[0] = 1e9;
  });
  write("bandwidth-of-pair", exact, [](Model& model) {
    model.engine = Engine::counts;
    model.fitted_with[3].second = "counts";
    model.samples.clear();
    std::get<Kde2d>(model.terms.back().density).H.xx = -1;
  });
  const std::string bytes = model_bytes(plain);
  const auto write_bytes = [&](const std::string& name, const std::string& content) {
    write_file(folder + "/" + name + ".damaged", content);
  };
  const std::size_t version = bytes.find('\n', 7) + 1;
  for (const char step : {'\1', '\xff'}) {
    std::string other = bytes;
    other[version] = static_cast<char>(other[version] + step);
    write_bytes(step == '\1' ? "newer" : "older", other);
  }
  std::string altered = bytes;
  altered[version + 40] ^= 1;
  write_bytes("checksum", altered);
  const std::size_t costs = bytes.find("COST");
  write_bytes("section-missing", bytes.substr(0, costs));
  write_bytes("section-twice", bytes + bytes.substr(costs));
  std::string more = bytes;
  more.replace(costs, 4, "STEP").replace(bytes.find("STEP"), 4, "COST");
  write_bytes("more-in-section", more);
}

void write_models(const std::string& folder) {
  const auto write = [&](const std::string& name, const Table& table, const FitOptions& options) {
    save_model(fit(table, options, {.threads = 1}), folder + "/" + name + ".dyad");
  };
  for (const std::size_t n_classes : {2U, 3U}) {
    const std::string k = "-" + std::to_string(n_classes);
    const Table table = numbers(12 * n_classes, n_classes);
    write("exact" + k, table, paper(Method::slb, Engine::exact));
    write("exact-auto" + k, table, automatic(Engine::exact));
    write("counts" + k, table, paper(Method::slb));
    write("counts-nb" + k, table, paper(Method::nb));
    write("levels" + k, mixed(20 * n_classes, n_classes), paper(Method::slb_minus));
    write("levels-auto" + k, mixed(20 * n_classes, n_classes), automatic(Engine::counts));
    write("costs" + k, table, costly(Method::slb, n_classes));
    write("costs-nb" + k, table, costly(Method::nb, n_classes));
  }

  Table decades = numbers(24, 2);
  for (double& value : values(decades, 0)) value = std::exp(3 * value);
  write("balanced", numbers(24, 2), automatic(Engine::counts, Objective::balanced));
  write("logarithm", decades, automatic(Engine::counts));

  for (const char* const name : {"counts", "levels"}) {
    const bool levels = name[0] == 'l';
    Model model = fit(levels ? mixed(40, 2) : numbers(24, 2), paper(Method::slb_minus), {.threads = 1});
    keep_points(model);
    save_model(model, folder + "/points-of-" + name + ".dyad");
  }

  Table empty = numbers(24, 2);
  empty.features.push_back({"text", CategoricalColumn{std::vector(24, CategoricalColumn::missing), {}}});
  write("no-values", empty, paper(Method::tan));
  write_damaged(folder);
}

void write_states(const std::string& folder) {
  const auto write = [&](const std::string& name, const Chunk& rows, const FitOptions& options,
                         std::size_t sample_rows = 20) {
    State survey(sample_rows);
    survey.update(rows, {.threads = 1});
    save_state(survey, folder + "/survey-" + name + ".state");
    State counts = survey.plan(options, {.threads = 1});
    counts.update(rows, {.threads = 1});
    save_state(counts, folder + "/counts-" + name + ".state");
  };
  save_state(State(), folder + "/empty.state");
  FitOptions costly_average = automatic(Engine::counts);
  costly_average.costs = costly(Method::slb, 2).costs;
  costly_average.class_weight_values = {1, 3};
  write("numbers", chunk_of(numbers(40, 2)), paper(Method::slb));
  write("auto", chunk_of(numbers(40, 2)), costly_average);
  write("nb", chunk_of(numbers(60, 3)), paper(Method::nb));
  FitOptions path = preset_options(Preset::automatic);
  path.pairs = PairRule::path;
  path.grid = 16;
  write("path", chunk_of(numbers(40, 2)), path);
  write("levels", chunk_of(mixed(60, 3)), automatic(Engine::counts));
  Chunk weighted = chunk_of(mixed(60, 2));
  for (std::size_t i = 0; i < weighted.n_rows(); ++i)
    weighted.weights.push_back(0.5 * static_cast<double>(i % 4));
  write("weighted", weighted, paper(Method::tan));
  // So far apart, or so few on so large a grid, that densities are kept as points.
  Table far = numbers(60, 2);
  for (std::size_t i = 0; i < 60; i += 7) values(far, i % 2)[i] *= 1e6;
  FitOptions large_grid = paper(Method::slb);
  large_grid.grid = 128;
  large_grid.bandwidth = BandwidthRule::plug_in;
  write("points", chunk_of(far), large_grid, far.n_rows);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::runtime_error("make_seeds FOLDER");
    const std::string folder = argv[1];
    write_models(folder + "/model");
    write_states(folder + "/state");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
