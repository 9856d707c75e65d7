// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/structure.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "dyad/fit/fit.h"
#include "dyad/fit/state.h"
#include "dyad/io/model_file.h"
#include "dyad/io/state_file.h"
#include "dyad/model/prediction.h"
#include "tests/chunks.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

using Pairs = std::set<std::pair<std::size_t, std::size_t>>;

/// The message of the std::invalid_argument that `work` throws; empty if it throws none.
std::string message_of(const auto& work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

const std::vector<std::string> letters{"a", "b", "c", "d", "e", "f"};

/// Options with a structure for features named by letters.
FitOptions with(FitOptions options, const NamedStructure& named) {
  set_structure(options, named, letters);
  return options;
}

/// The pairs of the densities of a class.
Pairs pairs_of(const Model& model, std::int32_t code) {
  Pairs pairs;
  for (const Term& term : model.terms)
    if (term.is_pair() && term.is_density() && term.class_code == code) pairs.emplace(term.i, term.j);
  return pairs;
}

bool uses(const Model& model, std::size_t feature) {
  return std::ranges::any_of(model.terms,
                             [&](const Term& term) { return term.i == feature || term.j == feature; });
}

/// Three numbers, then three categories.
Table mixed_table() {
  Table table = test::mixed_table({.n_rows = 400, .missing = 0.05, .seed = 3});
  for (std::size_t j = 0; j < letters.size(); ++j) table.features[j].name = letters[j];
  return table;
}

/// Options of every way from pairs to weights.
std::vector<FitOptions> ways() {
  FitOptions cv = preset_options(Preset::automatic, Method::slb);
  cv.pairs = PairRule::cv;
  FitOptions split = preset_options(Preset::paper, Method::slb);
  split.feature_mode = FeatureMode::split;
  return {preset_options(Preset::automatic, Method::slb), cv, preset_options(Preset::paper, Method::slb),
          split};
}

TEST(Structure, RowsAreKnownAgainWhateverAnExcludedFeatureHas) {
  const Table table = mixed_table();
  const Model model =
      fit(table, with(preset_options(Preset::automatic, Method::nb), {.exclude = {{"b"}, {"a", "c"}}}));
  EXPECT_EQ(excluded_features(model), (std::vector<std::size_t>{1}));
  Matrix X = coded_rows(table, model.levels);
  EXPECT_EQ(training_share(model.row_sketch, X, excluded_features(model)), 1);
  std::ranges::fill(X.column(0), 1e6);
  EXPECT_EQ(training_share(model.row_sketch, X, excluded_features(model)), 0);
}

TEST(Structure, GivenPairsAreThoseOfEveryClass) {
  const Table table = mixed_table();
  const NamedStructure named{.pairs = {{{"e", "b"}, {"a", "f"}, {"b", "e"}}}};
  for (const FitOptions& way : ways()) {
    const Model model = fit(table, with(way, named));
    for (const std::int32_t code : {0, 1}) EXPECT_EQ(pairs_of(model, code), (Pairs{{0, 5}, {1, 4}}));
    for (const Term& term : model.terms)
      EXPECT_TRUE(!term.is_pair() || Pairs({{0, 5}, {1, 4}}).contains({term.i, term.j}));
  }
}

TEST(Structure, GivenPairsOfSeveralClassesAndTheExactEngine) {
  const Table table = test::class_table(200, 4, 3, 5);
  FitOptions exact = preset_options(Preset::paper, Method::slb);
  exact.engine = Engine::exact;
  for (FitOptions options : {exact, preset_options(Preset::automatic, Method::slb)}) {
    set_structure(options, {.pairs = {{{"x1", "x3"}}}}, {{"x0", "x1", "x2", "x3"}});
    const Model model = fit(table, options);
    for (const std::int32_t code : {0, 1, 2}) EXPECT_EQ(pairs_of(model, code), (Pairs{{1, 3}}));
  }
}

TEST(Structure, AnEmptyListHasNoPairs) {
  for (const FitOptions& way : ways()) {
    const Model model = fit(mixed_table(), with(way, {.pairs = NamedStructure{.pairs = {{}}}.pairs}));
    EXPECT_EQ(count_pairs(model), 0U);
  }
}

TEST(Structure, ExcludedFeaturesAndPairsAreInNoTerm) {
  const Table table = mixed_table();
  const NamedStructure named{.exclude = {{"b"}, {"e"}, {"a", "c"}, {"d", "a"}}};
  auto all = ways();
  for (const Method method : {Method::slb_minus, Method::lu, Method::nb, Method::tan, Method::tan_forest})
    for (const Preset preset : {Preset::automatic, Preset::paper})
      all.push_back(preset_options(preset, method));
  for (const PairRule rule : {PairRule::fdr, PairRule::count, PairRule::threshold}) {
    all.push_back(preset_options(Preset::automatic, Method::slb));
    all.back().pairs = rule;
  }
  for (const FitOptions& way : all) {
    const Model model = fit(table, with(way, named));
    EXPECT_FALSE(uses(model, 1));
    EXPECT_FALSE(uses(model, 4));
    EXPECT_TRUE(uses(model, 0));
    for (const Term& term : model.terms) EXPECT_FALSE((Pairs{{0, 2}, {0, 3}}.contains({term.i, term.j})));
    EXPECT_TRUE(model.levels.empty() || model.levels[4].is_number());
  }
}

TEST(Structure, AModelIsThatOfATableWithoutExcludedFeatures) {
  const Table table = mixed_table();
  Table without = table;
  without.features.erase(without.features.begin() + 4);
  without.features.erase(without.features.begin() + 1);
  for (const Method method : {Method::slb, Method::slb_minus, Method::lu, Method::nb, Method::tan}) {
    const FitOptions options = preset_options(Preset::automatic, method);
    const Model expected = fit(without, options);
    const Model model = fit(table, with(options, {.exclude = {{"b"}, {"e"}}}));
    // Excluded values are ignored.
    LabelledSample rows = labelled_sample(table);
    for (double& value : rows.X.column(1)) value = 1e6;
    for (double& value : rows.X.column(4)) value = std::numeric_limits<double>::quiet_NaN();
    const LabelledSample fewer = labelled_sample(without);
    recode(rows.X, rows.levels, [&] {
      auto levels = rows.levels;
      for (std::size_t j = 0; j < levels.size(); ++j)
        levels[j] = model.levels.empty() ? Levels{} : model.levels[j];
      return levels;
    }());
    Matrix fewer_rows = fewer.X;
    if (!expected.levels.empty()) recode(fewer_rows, fewer.levels, expected.levels);
    EXPECT_EQ(scores(model, rows.X, {}).data, scores(expected, fewer_rows, {}).data);
  }
}

TEST(Structure, OfTheExactEngineLeavesNoValuesOfExcludedFeatures) {
  Table table = test::class_table(120, 4, 2, 5);
  std::get<NumericColumn>(table.features[2].data).values[7] = 123456789;
  FitOptions options = preset_options(Preset::paper, Method::slb);
  options.engine = Engine::exact;
  Table without = table;
  without.features.erase(without.features.begin() + 2);
  const Model expected = fit(without, options);
  set_structure(options, {.exclude = {{"x2"}}}, {{"x0", "x1", "x2", "x3"}});
  const Model model = fit(table, options);
  EXPECT_FALSE(uses(model, 2));
  for (const Matrix& rows : model.samples)
    for (const double value : rows.column(2)) EXPECT_EQ(value, 0);
  const Model read = model_from_bytes(model_bytes(model), "model");
  EXPECT_EQ(scores(read, labelled_sample(table).X, {}).data,
            scores(expected, labelled_sample(without).X, {}).data);
}

TEST(Structure, IsThatOfStates) {
  const Table table = mixed_table();
  const Chunk chunk = chunk_of(table);
  const NamedStructure named{.pairs = {{{"a", "c"}, {"c", "f"}}}, .exclude = {{"e"}, {"b"}}};
  const FitOptions options = with(preset_options(Preset::automatic, Method::slb), named);
  State survey(150);
  survey.update(chunk);
  State counts = state_from_bytes(state_bytes(survey.plan(options)), "state");
  EXPECT_EQ(counts.planned_options().structure.texts, options.structure.texts);
  counts.update(chunk);
  const Model model = counts.finalize();
  EXPECT_FALSE(uses(model, 1));
  EXPECT_FALSE(uses(model, 4));
  EXPECT_TRUE(model.levels.empty() || model.levels[4].is_number());
  for (const std::int32_t code : {0, 1}) EXPECT_EQ(pairs_of(model, code), (Pairs{{0, 2}, {2, 5}}));

  State whole;
  whole.update(chunk);
  FitReport report;
  EXPECT_EQ(model_bytes(whole.fit_sample(options, {}, report)), model_bytes(fit(table, options)));
}

TEST(Structure, IsAmongTheOptionsOfTheModelByName) {
  const NamedStructure named{.pairs = {{{"a", "c"}}}, .exclude = {{"e"}, {"b", "d"}}};
  const Model model = fit(mixed_table(), with(preset_options(Preset::automatic, Method::slb), named));
  EXPECT_EQ(option_of(model, "given_pairs"), "a,c");
  EXPECT_EQ(option_of(model, "exclude"), "e;b,d");
  const NamedStructure read = named_structure(model.fitted_with);
  EXPECT_EQ(read.pairs, named.pairs);
  EXPECT_EQ(read.exclude, named.exclude);
}

TEST(Structure, IsNotAmongTheOptionsOfAnotherModel) {
  const FitOptions options = preset_options(Preset::automatic, Method::slb);
  EXPECT_EQ(provenance(options), provenance(with(options, {})));
  EXPECT_FALSE(named_structure(provenance(options)).pairs);
}

TEST(Structure, ReadsTheNamesThatItWrites) {
  const std::vector<std::string> odd{"a,b", "c;d", "e\"f", " g", "\"", "plain"};
  const NamedStructure named{.pairs = {{{odd[0], odd[1]}, {odd[2], odd[3]}}}, .exclude = {{odd[4]}}};
  const NamedStructure read = named_structure(structure_of(named, odd).texts);
  EXPECT_EQ(read.pairs, named.pairs);
  EXPECT_EQ(read.exclude, named.exclude);
  EXPECT_EQ(names_in("a,b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(names_in("\"a,\"\"b\",c"), (std::vector<std::string>{"a,\"b", "c"}));
  EXPECT_EQ(message_of([] { static_cast<void>(names_in("\"a,b")); }), "a quote is not closed");
}

TEST(Structure, ErrorsNameTheParameterAndTheFeature) {
  const auto error = [](const NamedStructure& named, Method method = Method::slb) {
    return message_of([&] { static_cast<void>(with(preset_options(Preset::automatic, method), named)); });
  };
  const std::vector<std::string> names{"income", "age"};
  EXPECT_EQ(message_of([&] { static_cast<void>(structure_of({.exclude = {{"incme"}}}, names)); }),
            "exclude: no feature 'incme'; did you mean 'income'? the features are 'income', 'age'");
  EXPECT_EQ(message_of([&] {
              static_cast<void>(structure_of({.pairs = {{{"age", "sex"}}}}, names));
            }),
            "pairs: no feature 'sex'; the features are 'income', 'age'");
  EXPECT_EQ(error({.pairs = {{{"a", "a"}}}}), "pairs: expected two different features, got 'a' twice");
  EXPECT_EQ(error({.pairs = {{{"a", "b", "c"}}}}), "pairs: expected two features, got a,b,c");
  EXPECT_EQ(error({.pairs = {{{"a", "b"}}}, .exclude = {{"b", "a"}}}),
            "exclude: the pair 'a', 'b' is among pairs; leave it out of one of them");
  EXPECT_EQ(error({.pairs = {{{"a", "b"}}}, .exclude = {{"b"}}}),
            "exclude: the pair 'a', 'b' is among pairs; leave it out of one of them");
  EXPECT_EQ(error({.exclude = {{"a"}, {"b"}, {"c"}, {"d"}, {"e"}, {"f"}}}),
            "exclude: every feature is excluded; leave one at least");
  EXPECT_EQ(error({.pairs = {{{"a", "b"}}}}, Method::tan), "a list of pairs requires method=slb, got tan");
}

}  // namespace
}  // namespace dyad
