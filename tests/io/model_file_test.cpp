// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/model_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <filesystem>
#include <limits>

#include "dyad/fit/fit.h"
#include "dyad/io/internal/sections.h"
#include "dyad/model/prediction.h"
#include "tests/folder.h"
#include "tests/io/older_file.h"
#include "tests/model_samples.h"
#include "tests/recipes.h"

namespace dyad {
namespace {

std::string error_of(std::string_view bytes) {
  try {
    static_cast<void>(model_from_bytes(bytes, "m.dyad"));
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

constexpr std::array engines{Engine::exact, Engine::counts};

Model small_model(Engine engine = Engine::counts, std::size_t n_classes = 2, Method method = Method::slb) {
  return fit(test::class_table(24, 3, n_classes, 1),
             test::applicable({.method = method,
                               .engine = engine,
                               .bandwidth = BandwidthRule::normal_scale,
                               .pairs = PairRule::count,
                               .n_pairs = 2}));
}

/// Of the preset auto, with few settings, so that the file is short.
Model auto_model(Engine engine = Engine::counts, std::size_t n_classes = 2) {
  FitOptions options = preset_options(Preset::automatic);
  options.engine = engine;
  options.cost = CostRule::given;
  options.blend = Blend::never;
  options.pairs = PairRule::cv;
  options.n_average = 2;
  return fit(test::class_table(24, 2, n_classes, 1), options);
}

/// Two numbers, one with gaps, and colours with gaps, some of them rare.
Table mixed_table(std::size_t n, std::size_t n_classes) {
  Table table = test::class_table(n, 2, n_classes, 1);
  CategoricalColumn colours{{}, {"red", "green", "blue", "a rare one", "another"}};
  auto& x0 = std::get<NumericColumn>(table.features[0].data).values;
  for (std::size_t i = 0; i < n; ++i) {
    colours.codes.push_back(i % 11 == 5 ? CategoricalColumn::missing
                            : i < 4     ? 3 + static_cast<std::int32_t>(i % 2)
                                        : static_cast<std::int32_t>(i / 2 % 3));
    if (i % 5 == 2) x0[i] = std::numeric_limits<double>::quiet_NaN();
  }
  table.features.push_back({"colour", std::move(colours)});
  return table;
}

/// Rows of that table with missing values and levels that it has not.
Matrix mixed_rows(std::size_t n) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Matrix X(n, 3);
  for (std::size_t j = 0; j < 2; ++j) std::ranges::copy(test::normal_sample(n, 70 + j), X.column(j).begin());
  for (std::size_t i = 0; i < n; ++i) {
    X(i, 2) = i % 6 == 5 ? nan : static_cast<double>(i % 6);
    if (i % 4 == 1) X(i, 0) = nan;
    if (i % 7 == 1) X(i, 1) = nan;
  }
  return X;
}

Model mixed_model(std::size_t n = 60, std::size_t n_classes = 2, Method method = Method::slb_minus) {
  return fit(mixed_table(n, n_classes),
             {.method = method, .bandwidth = BandwidthRule::normal_scale, .max_levels = 4});
}

/// Where the payload of a section begins, and its size.
struct Payload {
  std::size_t begin, size;
};

Payload section(const std::string& bytes, const std::string& tag) {
  std::size_t at = 12;
  while (true) {
    std::uint64_t size = 0;
    std::memcpy(&size, bytes.data() + at + 4, sizeof size);
    if (bytes.compare(at, 4, tag) == 0) return {at + 12, static_cast<std::size_t>(size)};
    at += 12 + static_cast<std::size_t>(size) + 4;
  }
}

/// The file with 8 bytes at `offset` of a section replaced, and its checksum made right again.
template <class T>
std::string forged(std::string bytes, const std::string& tag, std::size_t offset, T value) {
  static_assert(sizeof value == 8);
  const Payload place = section(bytes, tag);
  std::memcpy(bytes.data() + place.begin + offset, &value, sizeof value);
  const std::uint32_t crc = internal::checksum(tag, std::string_view(bytes).substr(place.begin, place.size));
  std::memcpy(bytes.data() + place.begin + place.size, &crc, sizeof crc);
  return bytes;
}

TEST(ModelFile, KeepsEverything) {
  for (const Engine engine : engines)
    for (const std::size_t n_classes : {2U, 3U})
      for (const Method method : {Method::slb, Method::nb, Method::tan}) {
        const Model model = small_model(engine, n_classes, method);
        const std::string bytes = model_bytes(model);
        const Model loaded = model_from_bytes(bytes, "m.dyad");
        EXPECT_EQ(loaded.features, model.features);
        EXPECT_EQ(loaded.classes, model.classes);
        EXPECT_EQ(loaded.class_rows, model.class_rows);
        EXPECT_EQ(loaded.n_features, 3U);
        EXPECT_EQ(loaded.fitted_with, model.fitted_with);
        EXPECT_EQ(loaded.engine, engine);
        EXPECT_EQ(loaded.has_likelihoods, model.has_likelihoods);
        EXPECT_EQ(loaded.calibrations, model.calibrations);
        const LabelledSample fresh = test::class_sample(30, 3, n_classes, 77);
        EXPECT_EQ(scores(loaded, fresh.X).data, scores(model, fresh.X).data);
        EXPECT_EQ(model_bytes(loaded), bytes);
      }
}

TEST(ModelFile, KeepsClassFrequenciesInASectionOfTheirOwn) {
  Model model = small_model(Engine::counts, 2, Method::lu);
  EXPECT_EQ(model.class_frequencies, ClassFrequencies::table);
  // Options from which an older file's reader would take others: the section decides.
  model.fitted_with = {{"method", "nb"}, {"class_weights", "none"}, {"priors", "equal"}};
  for (const ClassFrequencies frequencies :
       {ClassFrequencies::table, ClassFrequencies::equal, ClassFrequencies::weighted}) {
    model.class_frequencies = frequencies;
    const std::string bytes = model_bytes(model);
    constexpr std::size_t section_size = 4 + 8 + 8 + 4;
    EXPECT_EQ(model_from_bytes(bytes, "m.dyad").class_frequencies, frequencies);
    EXPECT_EQ(model_bytes(model_from_bytes(bytes, "m.dyad")), bytes);
    EXPECT_THROW(static_cast<void>(model_from_bytes(forged(bytes, "freq", 0, std::uint64_t{3}), "m.dyad")),
                 std::runtime_error);
    std::string twice = bytes;
    const std::size_t at = section(bytes, "freq").begin - 12;
    twice.insert(at, bytes, at, section_size);
    EXPECT_THROW(static_cast<void>(model_from_bytes(twice, "m.dyad")), std::runtime_error);
  }
}

TEST(ModelFile, KeepsTheTypeOfLabels) {
  Model model = small_model(Engine::counts, 2, Method::lu);
  const std::string untyped = model_bytes(model);
  EXPECT_EQ(untyped.find("labl"), std::string::npos);
  model.classes = {"0", "1"};
  model.label_type = ValueType::integer;  // which is what a reader takes them for
  EXPECT_EQ(model_bytes(model).find("labl"), std::string::npos);
  for (const ValueType type : {ValueType::text, ValueType::real}) {
    model.label_type = type;
    const std::string bytes = model_bytes(model);
    EXPECT_EQ(model_from_bytes(bytes, "m.dyad").label_type, type);
    EXPECT_EQ(model_bytes(model_from_bytes(bytes, "m.dyad")), bytes);
    for (const auto wrong :
         {ValueType::unknown, ValueType::boolean, ValueType::integer, static_cast<ValueType>(5)})
      EXPECT_THROW(static_cast<void>(model_from_bytes(
                       forged(bytes, "labl", 0, static_cast<std::uint64_t>(wrong)), "m.dyad")),
                   std::runtime_error);
  }
}

TEST(ModelFile, OfOlderVersionsHasTheClassFrequenciesOfItsOptions) {
  Model model = small_model(Engine::counts, 2, Method::nb);
  model.fitted_with = {{"method", "nb"}, {"class_weights", "none"}, {"priors", "equal"}};
  const auto found = [&] {
    return model_from_bytes(test::without_frequencies(model_bytes(model)), "m.dyad").class_frequencies;
  };
  EXPECT_EQ(found(), ClassFrequencies::equal);
  model.fitted_with[2].second = "estimated";
  EXPECT_EQ(found(), ClassFrequencies::table);
  model.fitted_with[2].second = "equal";
  model.costs = Matrix(2, 2);
  EXPECT_EQ(found(), ClassFrequencies::table);
}

TEST(ModelFile, KeepsCoordinatesSettingsAndLinearTerms) {
  for (const Engine engine : engines)
    for (const std::size_t n_classes : {2U, 3U}) {
      Table table = test::class_table(60, 3, n_classes, 1);
      for (double& value : std::get<NumericColumn>(table.features[0].data).values)
        value = std::exp(3 * value);  // a logarithm
      FitOptions options = preset_options(Preset::automatic, Method::slb, Objective::logloss);
      options.engine = engine;
      const Model model = fit(table, options);
      ASSERT_EQ(model.coordinates[0].curve, Curve::log);
      ASSERT_TRUE(std::ranges::any_of(model.terms, &Term::is_linear));
      const std::string bytes = model_bytes(model);
      const Model loaded = model_from_bytes(bytes, "m.dyad");
      EXPECT_EQ(loaded.coordinates, model.coordinates);
      EXPECT_EQ(loaded.settings, model.settings);
      EXPECT_EQ(loaded.calibrations, model.calibrations);
      EXPECT_EQ(option_of(loaded, "optimise"), "logloss");
      EXPECT_EQ(option_of(loaded, "linear_terms"), "true");
      ASSERT_EQ(loaded.terms.size(), model.terms.size());
      for (std::size_t t = 0; t < model.terms.size(); ++t) {
        EXPECT_EQ(loaded.terms[t].class_code, model.terms[t].class_code);
        EXPECT_EQ(loaded.terms[t].n_rows, model.terms[t].n_rows);
        EXPECT_EQ(loaded.terms[t].prior_rows, model.terms[t].prior_rows);
      }
      const LabelledSample fresh = test::class_sample(30, 3, n_classes, 77);
      EXPECT_EQ(scores(loaded, fresh.X).data, scores(model, fresh.X).data);
      EXPECT_EQ(probabilities(loaded, scores(loaded, fresh.X)).data,
                probabilities(model, scores(model, fresh.X)).data);
      EXPECT_EQ(model_bytes(loaded), bytes);
    }
}

TEST(ModelFile, KeepsLevelsAndTheirDensities) {
  for (const Preset preset : {Preset::paper, Preset::automatic})
    for (const std::size_t n_classes : {2U, 3U})
      for (const Method method : {Method::slb_minus, Method::nb, Method::tan}) {
        FitOptions options = preset_options(preset, method);
        options.max_levels = 4;
        const Model model = fit(mixed_table(90, n_classes), options);
        ASSERT_EQ(model.levels.size(), 3U);
        ASSERT_TRUE(model.levels[2].has_others);
        const std::string bytes = model_bytes(model);
        const Model loaded = model_from_bytes(bytes, "m.dyad");
        EXPECT_EQ(loaded.levels, model.levels);
        ASSERT_EQ(loaded.terms.size(), model.terms.size());
        for (std::size_t t = 0; t < model.terms.size(); ++t)
          EXPECT_EQ(loaded.terms[t].density, model.terms[t].density) << t;
        const Matrix X = mixed_rows(60);
        EXPECT_EQ(scores(loaded, X).data, scores(model, X).data);
        EXPECT_EQ(model_bytes(loaded), bytes);
      }
}

TEST(ModelFile, KeepsAFeatureOfTextWithoutValues) {
  Table table = test::class_table(24, 3, 2, 1);
  table.features[0].data = CategoricalColumn{std::vector(24, CategoricalColumn::missing), {}};
  const Model model = fit(table, {.method = Method::nb});
  const Model loaded = model_from_bytes(model_bytes(model), "m.dyad");
  EXPECT_EQ(loaded.levels, model.levels);
  const Matrix X = test::class_sample(30, 3, 2, 77).X;
  EXPECT_EQ(scores(loaded, X).data, scores(model, X).data);
}

TEST(ModelFile, WithImpossibleLevelsIsAnError) {
  const std::string bytes = model_bytes(mixed_model());
  EXPECT_EQ(error_of(forged(bytes, "LEVL", 0, std::uint64_t{2})),
            "m.dyad: the model file has the wrong number of features with levels");
  EXPECT_NE(error_of(forged(bytes, "LEVL", 0, std::uint64_t{0})), "no error");
  EXPECT_EQ(error_of(forged(bytes, "LEVL", 8, std::uint64_t{1})),
            "m.dyad: the model file has other levels than none");
  EXPECT_EQ(error_of(forged(bytes, "LEVL", 8, std::uint64_t{2})),
            "m.dyad: the model file refers to something it does not hold");
  for (const std::uint64_t count : {std::uint64_t{1} << 60U, ~std::uint64_t{0}})
    EXPECT_EQ(error_of(forged(bytes, "LEVL", 48, count)), "m.dyad: the model file is cut short or damaged");
  Model unordered = mixed_model();
  std::swap(unordered.levels[2].names[0], unordered.levels[2].names[1]);
  EXPECT_EQ(error_of(model_bytes(unordered)), "m.dyad: the model file has levels in no order");
  unordered.levels[2].names[1] = unordered.levels[2].names[0];
  EXPECT_EQ(error_of(model_bytes(unordered)), "m.dyad: the model file has levels in no order");
  Model exact = small_model(Engine::exact);
  exact.levels.resize(3);
  EXPECT_EQ(error_of(model_bytes(exact)),
            "m.dyad: the model file has the wrong number of features with levels");
}

/// The message of a file with the density of a term changed.
template <class Change>
std::string error_with(Model model, std::size_t term, const Change& change) {
  change(model.terms[term], std::get<LevelDensity>(model.terms[term].density));
  return error_of(model_bytes(model));
}

TEST(ModelFile, WithImpossibleDensitiesOfLevelsIsAnError) {
  const Model model = mixed_model();
  const auto place = [&](std::size_t i, std::size_t j) {
    const auto found = std::ranges::find_if(model.terms, [&](const Term& t) { return t.i == i && t.j == j; });
    return static_cast<std::size_t>(found - model.terms.begin());
  };
  const std::size_t number = place(0, 0);
  const std::size_t colour = place(2, 2);
  const std::size_t numbers = place(0, 1);
  const std::size_t mixed = place(0, 2);
  for (const std::size_t t : {number, colour, numbers, mixed}) {
    EXPECT_EQ(error_with(model, t, [](Term&, LevelDensity&) {}), "no error");
    EXPECT_EQ(error_with(model, t, [](Term& term, LevelDensity&) { term.prior_rows = 1; }),
              "m.dyad: the model file has pseudo-rows outside of levels");
    EXPECT_EQ(error_with(model, t, [](Term&, LevelDensity& of) { of.prior_rows = -1; }),
              "m.dyad: the model file has a negative number of rows");
    EXPECT_EQ(error_with(model, t, [](Term&, LevelDensity& of) { of.level_rows = -1; }),
              "m.dyad: the model file has a negative number of rows");
    EXPECT_EQ(error_with(model, t,
                         [](Term&, LevelDensity& of) {
                           of.log_shares.back() = std::numeric_limits<double>::quiet_NaN();
                         }),
              "m.dyad: the model file holds a number that is not finite");
    // Shares and cells of one level fewer or more than there are.
    EXPECT_NE(error_with(model, t, [](Term&, LevelDensity& of) { of.x.has_missing = !of.x.has_missing; }),
              "no error");
    EXPECT_NE(error_with(model, t, [](Term&, LevelDensity& of) { of.log_shares.pop_back(); }), "no error");
    EXPECT_NE(error_with(model, t, [](Term&, LevelDensity& of) { of.cells.pop_back(); }), "no error");
  }
  for (const std::size_t t : {number, numbers, mixed}) {
    EXPECT_EQ(error_with(model, t, [](Term&, LevelDensity& of) { of.parts[0].n_rows = 0; }),
              "m.dyad: the model file has a length that is not positive");
    EXPECT_EQ(error_with(model, t, [](Term&, LevelDensity& of) { of.margin_x = of.parts.size() + 1; }),
              "m.dyad: the model file refers to something it does not hold");
    EXPECT_EQ(error_with(model, t, [](Term&, LevelDensity& of) { of.cells[0] = of.parts.size() + 1; }),
              "m.dyad: the model file refers to something it does not hold");
  }
  const std::string elsewhere = "m.dyad: the model file has the density of something else for a level";
  // A density of one number where there are two, of two where there is one, and of numbers where there is
  // none.
  EXPECT_EQ(error_with(model, numbers, [](Term&, LevelDensity& of) { of.cells[0] = of.margin_x; }),
            elsewhere);
  EXPECT_EQ(error_with(model, numbers, [](Term&, LevelDensity& of) { of.margin_x = of.cells[0]; }),
            elsewhere);
  EXPECT_EQ(error_with(model, mixed, [](Term&, LevelDensity& of) { of.cells.back() = of.margin_x; }),
            elsewhere);
  EXPECT_EQ(error_with(model, mixed, [](Term&, LevelDensity& of) { of.margin_y = of.margin_x; }), elsewhere);
  EXPECT_EQ(error_with(model, number, [](Term&, LevelDensity& of) { of.y.has_missing = true; }),
            "m.dyad: the model file has missing values of no feature");
  Model of_numbers = model;
  of_numbers.terms[colour].density = std::get<Grid1d>(model.terms[place(1, 1)].density);
  EXPECT_EQ(error_of(model_bytes(of_numbers)),
            "m.dyad: the model file has a density of numbers for categories");
  Model linear = model;
  linear.terms[colour] = linear_term(2);
  EXPECT_EQ(error_of(model_bytes(linear)), "m.dyad: the model file has a linear term of categories");
}

TEST(ModelFile, WithImpossibleCoordinatesIsAnError) {
  for (const Engine engine : engines) {
    const std::string bytes = model_bytes(auto_model(engine));
    // After their number come, of each, the curve and lowest value, centre, spread, mean and deviation.
    for (const std::uint64_t count : {1U, 3U})
      EXPECT_NE(error_of(forged(bytes, "COOR", 0, count)), "no error") << count;
    EXPECT_EQ(error_of(forged(bytes, "COOR", 0, std::uint64_t{1})),
              "m.dyad: the model file has the wrong number of coordinates");
    EXPECT_NE(error_of(forged(bytes, "COOR", 0, std::uint64_t{0})), "no error");  // more than belongs there
    EXPECT_EQ(error_of(forged(bytes, "COOR", 8, std::uint64_t{3})),
              "m.dyad: the model file refers to something it does not hold");
    for (const double value : {0.0, -1.0})
      for (const std::size_t offset : {32U, 48U})
        EXPECT_EQ(error_of(forged(bytes, "COOR", offset, value)),
                  "m.dyad: the model file has a length that is not positive")
            << offset;
    for (const std::size_t offset : {16U, 24U, 32U, 40U, 48U})
      for (const double value :
           {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        EXPECT_EQ(error_of(forged(bytes, "COOR", offset, value)),
                  "m.dyad: the model file holds a number that is not finite")
            << offset;
    Model log = auto_model(engine);
    log.coordinates[0] = {.curve = Curve::log, .lowest = 0.1};
    EXPECT_EQ(error_of(model_bytes(log)), "no error");
    for (const double lowest : {0.0, -1.0}) {
      log.coordinates[0].lowest = lowest;
      EXPECT_EQ(error_of(model_bytes(log)),
                "m.dyad: the model file has a logarithm of values that are not positive");
    }
  }
}

TEST(ModelFile, WithImpossibleSettingsIsAnError) {
  const Model model = auto_model();
  const std::string bytes = model_bytes(model);
  const std::size_t n_settings = model.settings.size();
  ASSERT_GE(n_settings, 2U);
  EXPECT_EQ(error_of(forged(bytes, "SETT", 0, std::uint64_t{n_settings - 1})),
            "m.dyad: the model file has more in section SETT than belongs there");
  for (const std::uint64_t count :
       {std::uint64_t{n_settings + 1}, std::uint64_t{1} << 60U, ~std::uint64_t{0}})
    EXPECT_NE(error_of(forged(bytes, "SETT", 0, count)), "no error") << count;
  EXPECT_NE(error_of(forged(bytes, "SETT", 8, std::uint64_t{1} << 40U)), "no error");  // length of a name
  // The last 32 bytes are C, blend, loss and whether it is averaged.
  const std::size_t end = section(bytes, "SETT").size;
  EXPECT_EQ(error_of(forged(bytes, "SETT", end - 8, std::uint64_t{2})),
            "m.dyad: the model file refers to something it does not hold");
  for (const std::size_t back : {32U, 24U, 16U})
    EXPECT_EQ(error_of(forged(bytes, "SETT", end - back, std::numeric_limits<double>::quiet_NaN())),
              "m.dyad: the model file holds a number that is not finite");
}

TEST(ModelFile, WithImpossibleTermsOfThePresetAutoIsAnError) {
  for (const Engine engine : engines) {
    const Model model = auto_model(engine);
    ASSERT_TRUE(model.terms[0].is_linear());
    const std::string bytes = model_bytes(model);
    // The first term is x_0, of the place behind the last class.
    EXPECT_EQ(error_of(forged(bytes, "TERM", 24, std::uint64_t{1})),
              "m.dyad: the model file has a linear term of two features");
    EXPECT_EQ(error_of(forged(bytes, "TERM", 8, std::uint64_t{3})),
              "m.dyad: the model file refers to something it does not hold");
    // One feature further, after the two linear ones, come centre, floor, rows and pseudo-rows of a density.
    ASSERT_TRUE(model.terms[1].is_linear() && !model.terms[2].is_linear());
    const std::size_t density = 8 + 2 * 32;
    EXPECT_EQ(error_of(forged(bytes, "TERM", density + 48, -1.0)),
              "m.dyad: the model file has a negative number of rows");
    EXPECT_EQ(error_of(forged(bytes, "TERM", density + 40, 0.0)),
              "m.dyad: the model file has a length that is not positive");
    for (const std::size_t offset : {24U, 32U, 40U, 48U})
      EXPECT_EQ(error_of(forged(bytes, "TERM", density + offset, std::numeric_limits<double>::quiet_NaN())),
                "m.dyad: the model file holds a number that is not finite");
  }
}

TEST(ModelFile, OfAnUnknownEngineOrMethodIsAnError) {
  for (const std::string name : {"engine", "method"}) {
    Model model = small_model();
    std::ranges::find(model.fitted_with, name, &Provenance::value_type::first)->second = "other";
    EXPECT_EQ(error_of(model_bytes(model)),
              "m.dyad: an option in the model file: " + name + ": no such value 'other'");
  }
}

TEST(ModelFile, KeepsOptionsThatThisVersionDoesNotKnow) {
  Model model = small_model();
  const Matrix before = scores(model, Matrix(3, model.n_features));
  model.fitted_with.emplace_back("intercept", "penalised");
  model.fitted_with.emplace_back("of_the_future", "42");
  const Model read = model_from_bytes(model_bytes(model), "m.dyad");
  EXPECT_EQ(read.fitted_with, model.fitted_with);
  EXPECT_EQ(scores(read, Matrix(3, model.n_features)).data, before.data);
  EXPECT_EQ(model_bytes(read), model_bytes(model));
}

TEST(ModelFile, OfTheSameFitHasTheSameBytes) {
  EXPECT_EQ(model_bytes(small_model()), model_bytes(small_model()));
}

TEST(ModelFile, CutAnywhereIsAnError) {
  for (const Engine engine : engines) {
    for (const Model& model : {small_model(engine), auto_model(engine), mixed_model(30)}) {
      const std::string bytes = model_bytes(model);
      for (std::size_t size = 0; size < bytes.size(); ++size)
        ASSERT_NE(error_of(std::string_view(bytes).substr(0, size)), "no error") << size;
      EXPECT_EQ(error_of(std::string_view(bytes).substr(0, bytes.size() - 1)),
                "m.dyad: the model file is cut short or damaged");
    }
  }
}

TEST(ModelFile, AlteredAnywhereIsAnError) {
  for (const Engine engine : engines) {
    for (const Model& model : {small_model(engine), auto_model(engine), mixed_model(30)}) {
      const std::string bytes = model_bytes(model);
      for (std::size_t place = 0; place < bytes.size(); ++place) {
        std::string altered = bytes;
        altered[place] = static_cast<char>(altered[place] ^ 0x41);
        ASSERT_NE(error_of(altered), "no error") << place;
      }
      EXPECT_NE(error_of(bytes + "x"), "no error");
    }
  }
}

TEST(ModelFile, ForgedAnywhereIsAnErrorOrAModelThatScores) {
  const std::string bytes = model_bytes(mixed_model(30));
  const Matrix X = mixed_rows(24);
  std::size_t n_models = 0;
  for (const std::string tag : {"LEVL", "TERM"})
    for (std::size_t offset = 0; offset + 8 <= section(bytes, tag).size; offset += 4)
      for (const std::uint64_t value :
           {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{3}, ~std::uint64_t{0}, std::uint64_t{1} << 40U,
            std::bit_cast<std::uint64_t>(-1e300), std::bit_cast<std::uint64_t>(1e300)})
        try {
          const Model model = model_from_bytes(forged(bytes, tag, offset, value), "m.dyad");
          ASSERT_EQ(scores(model, X).n_rows, 24U) << tag << " " << offset;
          ++n_models;
        } catch (const std::runtime_error&) {
          continue;
        }
  EXPECT_GT(n_models, 0U);
}

TEST(ModelFile, SaysWhatIsWrong) {
  EXPECT_EQ(error_of(""), "m.dyad: this is not a dyad model file");
  EXPECT_EQ(error_of("x,y\n1,2\n"), "m.dyad: this is not a dyad model file");
  std::string newer = model_bytes(small_model());
  newer[8] = 2;
  EXPECT_EQ(error_of(newer),
            "m.dyad: the model file has version 2, this dyad reads versions up to 1; use a newer dyad");
  std::string never = model_bytes(small_model());
  never[8] = 0;
  EXPECT_EQ(error_of(never), "m.dyad: the model file has version 0, which there never was");
}

TEST(ModelFile, ShowsTheTagOfASectionWithoutControlCharacters) {
  std::string bytes = model_bytes(small_model());
  bytes.replace(bytes.find("WGHT"), 4, "\x1b[3m");
  EXPECT_NE(error_of(bytes).find("has section '\\x1b[3m' where WGHT belongs"), std::string::npos)
      << error_of(bytes);
}

TEST(ModelFile, WithRightChecksumsButWrongContentIsAnError) {
  const std::string bytes = model_bytes(small_model());
  const std::uint64_t huge = ~std::uint64_t{0};
  const std::uint64_t large = std::uint64_t{1} << 60U;
  const std::uint64_t three = 3;
  for (const std::uint64_t size : {huge, large})
    for (const std::string tag : {"OPTS", "NAME", "LEVL", "COOR", "TERM", "WGHT", "SETT"})
      EXPECT_NE(error_of(forged(bytes, tag, 0, size)), "no error") << tag << " " << size;
  EXPECT_EQ(error_of(forged(bytes, "TERM", 8, three)),
            "m.dyad: the model file refers to something it does not hold");
  EXPECT_EQ(error_of(forged(bytes, "TERM", 16, three)),
            "m.dyad: the model file refers to something it does not hold");
  // After the places of the first term come its centre, floor, numbers of rows, typical value and spread,
  // then the bandwidth (exact), or what follows, centre and scale, the axis and the table of one feature.
  const std::string exact = model_bytes(small_model(Engine::exact));
  for (const double value : {-1.0, 0.0}) {
    EXPECT_NE(error_of(forged(exact, "TERM", 80, value)), "no error") << "bandwidth " << value;
    for (const std::size_t offset : {48U, 96U, 112U, 120U, 144U})
      EXPECT_EQ(error_of(forged(bytes, "TERM", offset, value)),
                "m.dyad: the model file has a length that is not positive")
          << offset << " " << value;
  }
  EXPECT_EQ(error_of(forged(bytes, "TERM", 72, -1.0)),
            "m.dyad: the model file has a negative standard deviation");
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}})
    EXPECT_EQ(error_of(forged(bytes, "TERM", 128, size)), "m.dyad: the model file has an axis without cells");
  EXPECT_EQ(error_of(forged(bytes, "WGHT", 8, std::numeric_limits<double>::quiet_NaN())),
            "m.dyad: the model file holds a number that is not finite");
  EXPECT_EQ(error_of(forged(bytes, "WGHT", 0, three)),
            "m.dyad: the model file has the wrong number of scores");
}

TEST(ModelFile, WithATermTwiceIsAnError) {
  for (const Engine engine : engines) {
    Model model = auto_model(engine);
    for (const std::size_t t : {std::size_t{0}, model.terms.size() - 1}) {
      Model twice = model;
      twice.terms.push_back(twice.terms[t]);
      twice.weights = Matrix(1, twice.terms.size());
      EXPECT_EQ(error_of(model_bytes(twice)), "m.dyad: the model file has a term twice");
    }
  }
}

TEST(ModelFile, WithLogarithmsThatNoFitMakesIsAnError) {
  const std::string bytes = model_bytes(small_model());
  // Of the first term: centre, floor, typical value, and top and unit of its table.
  for (const std::size_t offset : {32U, 40U, 64U, 136U, 144U})
    EXPECT_EQ(error_of(forged(bytes, "TERM", offset, 1e101)),
              "m.dyad: the model file has a logarithm that no fit makes")
        << offset;
  for (const double share : {1e101, -1e101})
    EXPECT_EQ(error_with(mixed_model(), 0, [&](Term&, LevelDensity& of) { of.log_shares[0] = share; }),
              "m.dyad: the model file has a logarithm that no fit makes");
}

TEST(ModelFile, OfHugeWeightsPredictsFiniteNumbers) {
  const double largest = std::numeric_limits<double>::max();
  for (const std::size_t n_classes : {2U, 3U})
    for (const bool linear : {false, true}) {
      Model model = small_model(Engine::counts, n_classes);
      if (linear) {
        for (std::size_t j = 0; j < 3; ++j) model.terms[j] = linear_term(j);
        model.terms[0].centre = -largest;
      }
      for (std::size_t k = 0; k < model.weights.data.size(); ++k)
        model.weights.data[k] = k % 3 == 2 ? 0 : k % 2 == 0 ? largest : -largest;
      for (Calibration& calibration : model.calibrations) calibration.slope = 1e200;
      for (double& intercept : model.intercepts) intercept = largest;
      const Model loaded = model_from_bytes(model_bytes(model), "m.dyad");
      Matrix X(3, 3);
      std::ranges::fill(X.column(0), largest);
      std::ranges::fill(X.column(1), -largest);
      const Matrix all = scores(loaded, X);
      for (const double score : all.data) EXPECT_TRUE(std::isfinite(score));
      const Matrix p = probabilities(loaded, all);
      for (std::size_t i = 0; i < 3; ++i) {
        double sum = 0;
        for (std::size_t k = 0; k < n_classes; ++k) sum += p(i, k);
        EXPECT_NEAR(sum, 1, 1e-12);
      }
      for (const double of_term : explain(loaded, std::array{largest, -largest, 0.0}).contributions.data)
        EXPECT_TRUE(std::isfinite(of_term));
    }
}

TEST(ModelFile, WithMoreThanBelongsThereIsAnError) {
  const std::string bytes = model_bytes(small_model());
  const Payload weights = section(bytes, "WGHT");
  const std::string whole_section = bytes.substr(weights.begin - 12, 12 + weights.size + 4);
  EXPECT_EQ(error_of(bytes + whole_section), "m.dyad: the model file goes on behind its end");
  const auto with = [&](const std::string& tag) {  // a section more before the weights
    std::string other_section;
    internal::append_section(other_section, tag, std::string_view(bytes).substr(weights.begin, weights.size));
    return std::string(bytes).insert(weights.begin - 12, other_section);
  };
  EXPECT_EQ(error_of(with("note")), "no error");  // of a later version, which says that it may be skipped
  EXPECT_EQ(
      error_of(with("Note")),
      "m.dyad: the model file has section 'Note' where WGHT belongs; if a newer dyad wrote it, use that");
  EXPECT_EQ(
      error_of(with("\x1b[2J")),
      "m.dyad: the model file has section '\\x1b[2J' where WGHT belongs; if a newer dyad wrote it, use that");
  EXPECT_EQ(
      error_of(with("WGHT")),
      "m.dyad: the model file has section 'WGHT' where SETT belongs; if a newer dyad wrote it, use that");
  Model twice = small_model();
  twice.features[1] = twice.features[0];
  EXPECT_EQ(error_of(model_bytes(twice)), "m.dyad: the model file has a name twice");
  // One calibration fewer than the section holds.
  const std::uint64_t none = 0;
  const std::string shorter = forged(bytes, "WGHT", weights.size - 24, none);
  EXPECT_EQ(error_of(shorter), "m.dyad: the model file has more in section WGHT than belongs there");
}

TEST(ModelFile, WithNamesThatAreNoTextIsAnError) {
  for (const std::string& name : {std::string("\xff"), std::string("a\0b", 3), std::string("\xed\xa0\x80"),
                                  std::string("\xc0\xaf"), std::string("\xf4\x90\x80\x80")}) {
    Model model = small_model();
    model.features[1] = name;
    EXPECT_NE(error_of(model_bytes(model)).find("the model file has a name that is no text"),
              std::string::npos)
        << name;
  }
  Model model = small_model();
  model.features[1] = "\xf4\x8f\xbf\xbf \xe0\xa0\x80 \x1b";
  EXPECT_EQ(error_of(model_bytes(model)), "no error");
}

TEST(ModelFile, WithAnOptionTwiceIsAnError) {
  const std::string bytes = model_bytes(small_model());
  const Payload options = section(bytes, "OPTS");
  const std::string payload = bytes.substr(options.begin, options.size);
  const std::string length("\4\0\0\0\0\0\0\0", 8);
  ASSERT_NE(payload.find(length + "cost"), std::string::npos);
  const auto loss = payload.find(length + "loss");
  ASSERT_NE(loss, std::string::npos);
  std::uint64_t word = 0;  // the name and what follows it
  std::memcpy(&word, payload.data() + loss + length.size(), sizeof word);
  std::memcpy(&word, "cost", 4);
  EXPECT_EQ(error_of(forged(bytes, "OPTS", loss + length.size(), word)),
            "m.dyad: the model file has the option 'cost' twice");
}

/// With isotonic calibration and costs.
Model costly_model(std::size_t n_classes, Method method) {
  FitOptions options{.method = method,
                     .bandwidth = BandwidthRule::normal_scale,
                     .pairs = PairRule::count,
                     .n_pairs = 2,
                     .calibration = CalibrationRule::isotonic};
  options.costs = Matrix(n_classes, n_classes);
  for (std::size_t k = 0; k < options.costs.data.size(); ++k) options.costs.data[k] = static_cast<double>(k);
  return fit(test::class_table(24, 3, n_classes, 1), test::applicable(options));
}

TEST(ModelFile, KeepsStepsAndCosts) {
  for (const std::size_t n_classes : {2U, 3U})
    for (const Method method : {Method::slb, Method::nb}) {
      const Model model = costly_model(n_classes, method);
      ASSERT_FALSE(model.calibrations[0].steps.empty());
      const std::string bytes = model_bytes(model);
      const Model loaded = model_from_bytes(bytes, "m.dyad");
      EXPECT_EQ(loaded.calibrations, model.calibrations);
      EXPECT_EQ(loaded.costs.data, model.costs.data);
      EXPECT_EQ(option_of(loaded, "calibration"), "isotonic");
      EXPECT_EQ(model_bytes(loaded), bytes);
      const LabelledSample fresh = test::class_sample(30, 3, n_classes, 77);
      const Matrix all = scores(model, fresh.X);
      EXPECT_EQ(probabilities(loaded, all).data, probabilities(model, all).data);
      EXPECT_EQ(classify(loaded, all), classify(model, all));
    }
}

TEST(ModelFile, StepsAndCostsAreChecked) {
  const std::string bytes = model_bytes(costly_model(2, Method::nb));
  EXPECT_EQ(error_of(forged(bytes, "STEP", 0, std::uint64_t{1} << 60U)),
            "m.dyad: the model file is cut short or damaged");
  EXPECT_EQ(error_of(forged(bytes, "STEP", 8, std::numeric_limits<double>::infinity())),
            "m.dyad: the model file holds a number that is not finite");
  EXPECT_EQ(error_of(forged(bytes, "STEP", 8, 1e9)),
            "m.dyad: the model file has steps of a calibration in no order");
  EXPECT_EQ(error_of(forged(bytes, "STEP", 16, 1.0)),
            "m.dyad: the model file has steps of a calibration in no order");
  for (const double p : {-0.5, 1.5})
    EXPECT_EQ(error_of(forged(bytes, "STEP", 16, p)),
              "m.dyad: the model file has a probability that is not between 0 and 1");
  EXPECT_EQ(error_of(forged(bytes, "COST", 0, std::uint64_t{1})),
            "m.dyad: the model file has the wrong number of costs");
  EXPECT_EQ(error_of(forged(bytes, "COST", 0, std::uint64_t{0})),
            "m.dyad: the model file has more in section COST than belongs there");
  EXPECT_EQ(error_of(forged(bytes, "COST", 8, -1.0)), "m.dyad: the model file has a negative cost");
  EXPECT_EQ(error_of(forged(bytes, "COST", 8, std::numeric_limits<double>::quiet_NaN())),
            "m.dyad: the model file holds a number that is not finite");
}

TEST(ModelFile, IsSavedWholeOrNotAtAll) {
  const test::Folder folder;
  const std::string path = folder.path("m.dyad");
  save_model(small_model(), path);
  EXPECT_EQ(load_model(path).features.size(), 3U);
  EXPECT_THROW(save_model(small_model(), folder.path("no/such/m.dyad")), std::runtime_error);
  EXPECT_EQ(folder.count_files(), 1);
  EXPECT_THROW(load_model(folder.path("absent.dyad")), std::runtime_error);
}

TEST(ModelFile, ThatCouldNotBeReadAgainIsNotWritten) {
  const test::Folder folder;
  const std::string path = folder.path("m.dyad");
  Model model = mixed_model();
  save_model(model, path);
  const std::string old = folder.read("m.dyad");
  EXPECT_EQ(old, readable_model_bytes(model, path));
  model.intercepts[0] = std::numeric_limits<double>::infinity();
  try {
    save_model(model, path);
    FAIL() << "it was written";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), path + ": the model file holds a number that is not finite; it is not written");
  }
  EXPECT_EQ(folder.read("m.dyad"), old);
  EXPECT_EQ(folder.count_files(), 1);
}

}  // namespace
}  // namespace dyad
