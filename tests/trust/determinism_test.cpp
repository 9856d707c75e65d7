// A table, options and a seed always give the same bits: on any number of threads, again and again, in
// batches of any size.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "dyad/dependence/screening.h"
#include "dyad/evaluation/cross_validation.h"
#include "dyad/explanation/effects.h"
#include "dyad/explanation/flips.h"
#include "dyad/fit/fit.h"
#include "dyad/io/model_file.h"
#include "dyad/model/novelty.h"
#include "dyad/model/prediction.h"
#include "tests/model_samples.h"
#include "tests/trust/scale.h"

namespace dyad {
namespace {

constexpr std::array threads_tried{1, 2, 3, 8};

struct Case {
  std::string name;
  Table table;
  FitOptions options;
};

/// Numbers, categories and gaps; numbers alone for the exact engine.
Table table_for(Engine engine, std::size_t n_classes) {
  if (engine == Engine::exact) return test::class_table(60, 4, n_classes, 3);
  return test::mixed_table({.n_rows = 90, .n_categories = 2, .n_classes = n_classes, .missing = 0.1});
}

Table weighted(Table table) {
  for (std::size_t i = 0; i < table.n_rows; ++i) table.weights.push_back(static_cast<double>(i % 4));
  return table;
}

/// Every method of every preset, engine and number of classes.
std::vector<Case> plain_cases() {
  std::vector<Case> cases;
  for (const Engine engine : {Engine::counts, Engine::exact})
    for (const std::size_t n_classes : {2U, 3U})
      for (const Preset preset : {Preset::automatic, Preset::paper})
        for (std::size_t m = 0; m < method_names.size(); ++m) {
          FitOptions options = preset_options(preset, static_cast<Method>(m));
          options.engine = engine;
          cases.push_back({std::string(method_names[m]) + " " +
                               std::string(preset_names[static_cast<std::size_t>(preset)]) + " " +
                               std::string(engine_names[static_cast<std::size_t>(engine)]) + " " +
                               std::to_string(n_classes),
                           table_for(engine, n_classes), options});
        }
  return cases;
}

/// Options apart from the defaults, each with two and three classes.
std::vector<Case> special_cases() {
  std::vector<Case> cases;
  const auto add = [&](const std::string& name, Preset preset, const auto& change) {
    for (const std::size_t n_classes : {2U, 3U}) {
      Case special{name, {}, preset_options(preset)};
      special.options.pairs = PairRule::cv;
      special.options.svm.max_iterations = 30;
      change(special.options);
      special.table = table_for(special.options.engine, n_classes);
      cases.push_back(std::move(special));
    }
  };
  for (std::size_t k = 0; k < objective_names.size(); ++k)
    add("objective " + std::string(objective_names[k]), Preset::automatic, [&](FitOptions& o) {
      o = preset_options(Preset::automatic, Method::slb, static_cast<Objective>(k));
    });
  for (const Loss loss : {Loss::squared_hinge, Loss::logistic})
    for (std::size_t p = 0; p < penalty_names.size(); ++p)
      for (const Preset preset : {Preset::automatic, Preset::paper})
        add("loss and penalty", preset, [&](FitOptions& o) {
          o.method = Method::lu;
          o.svm.loss = loss;
          o.svm.penalty = static_cast<Penalty>(p);
        });
  for (const Preset preset : {Preset::automatic, Preset::paper}) {
    add("isotonic", preset, [](FitOptions& o) { o.calibration = CalibrationRule::isotonic; });
    add("one against the rest", preset, [](FitOptions& o) { o.multiclass = Multiclass::one_vs_rest; });
    add("cost by cross-validation", preset, [](FitOptions& o) { o.cost = CostRule::cv; });
    for (const PairRule rule : {PairRule::fdr, PairRule::count, PairRule::threshold})
      add("pair rule", preset, [&](FitOptions& o) { o.pairs = rule; });
    for (const FeatureMode mode : {FeatureMode::leave_one_out, FeatureMode::cross_fit, FeatureMode::split})
      for (const Engine engine : {Engine::counts, Engine::exact})
        add("feature mode", preset, [&](FitOptions& o) {
          o.feature_mode = mode;
          o.engine = engine;
        });
  }
  add("direct", Preset::automatic, [](FitOptions& o) { o.multiclass = Multiclass::direct; });
  add("norm bound", Preset::paper, [](FitOptions& o) { o.norm_bound = 2; });
  const auto n_plain = cases.size();
  for (std::size_t k = 0; k < n_plain; k += 7)
    cases.push_back({cases[k].name + " with weights", weighted(cases[k].table), cases[k].options});
  for (std::size_t k = 0; k < n_plain; k += 5) {
    Case costly = cases[k];
    costly.name += " with costs";
    const std::size_t n_classes = costly.table.labels.classes.size();
    costly.options.costs = Matrix(n_classes, n_classes);
    for (std::size_t c = 1; c < n_classes; ++c) costly.options.costs(c, 0) = 5;
    cases.push_back(std::move(costly));
  }
  return cases;
}

void expect_one_model(const Case& given) {
  SCOPED_TRACE(given.name);
  const std::string expected = model_bytes(fit(given.table, given.options, Execution{.threads = 1}));
  for (const int threads : threads_tried)
    EXPECT_TRUE(model_bytes(fit(given.table, given.options, Execution{.threads = threads})) == expected)
        << threads << " threads";
}

TEST(Determinism, OfEveryMethodPresetAndEngine) {
  const auto cases = plain_cases();
  for (std::size_t k = 0; k < cases.size(); k += test::sanitized ? 5 : 1) expect_one_model(cases[k]);
}

TEST(Determinism, OfSomeOptions) {
  const auto cases = special_cases();
  for (std::size_t k = 0; k < cases.size(); k += 9) expect_one_model(cases[k]);
}
TEST(SlowDeterminism, OfEveryOption) {
  for (const Case& special : special_cases()) expect_one_model(special);
}

void expect_one_model_of_rows(std::size_t n) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const Table table = test::class_table(n, 3, n_classes, 5);
    expect_one_model(
        {"long, auto", table, preset_options(Preset::automatic, n_classes == 2 ? Method::slb : Method::lu)});
    expect_one_model({"long, paper", table, preset_options(Preset::paper)});
    expect_one_model({"long with weights", weighted(table), FitOptions{.method = Method::lu}});
  }
}
// Blocks have 512 and 1024 rows; settings are tried on 6000 of these.
TEST(Determinism, OfTablesWhoseRowsAreSplit) { expect_one_model_of_rows(1500); }
TEST(SlowDeterminism, OfTablesWhoseRowsAreSplit) { expect_one_model_of_rows(6500); }

void expect_one_model_of_columns(std::size_t d) {
  for (const Engine engine : {Engine::counts, Engine::exact})
    for (const Preset preset : {Preset::automatic, Preset::paper}) {
      FitOptions options = preset_options(preset);
      options.engine = engine;
      expect_one_model({"wide", test::class_table(80, d, 2, 5), options});
    }
  expect_one_model({"wide, forest", test::class_table(80, d, 3, 5),
                    preset_options(Preset::automatic, Method::tan_forest)});
}
TEST(Determinism, OfTablesWhoseColumnsAreSplit) { expect_one_model_of_columns(12); }
TEST(SlowDeterminism, OfTablesWhoseColumnsAreSplit) { expect_one_model_of_columns(40); }

TEST(Determinism, OfCrossValidation) {
  const LabelledSample sample = test::class_sample(test::sanitized ? 36 : 80, 3, 3, 2);
  const auto results = [&](Preset preset, int threads) {
    const auto cv = cross_validate(sample, {.folds = 3, .repeats = 2, .fit = preset_options(preset)},
                                   Execution{.threads = threads});
    std::vector<double> values;
    for (const FoldResult& fold : cv.folds)
      values.insert(values.end(),
                    {fold.error, fold.ber, fold.auc, fold.log_loss, static_cast<double>(fold.pairs_kept)});
    return values;
  };
  for (const Preset preset : {Preset::automatic, Preset::paper})
    for (const int threads : threads_tried) EXPECT_EQ(results(preset, threads), results(preset, 1));
}

TEST(Determinism, OfScreening) {
  const auto results = [](const Table& table, const ScreenOptions& options, int threads) {
    std::vector<double> values;
    for (const ScreenedClass& screened : screen_pairs(table, options, Execution{.threads = threads}))
      for (std::size_t k = 0; k < screened.scores.size(); ++k)
        values.insert(values.end(),
                      {screened.scores[k].value, screened.scores[k].p_value, screened.q_values[k]});
    return values;
  };
  // Kernel matrices are cut into blocks of four million entries of all features.
  const Table table = test::class_table(test::sanitized ? 300 : 900, 40, 2, 4);
  const Table small = test::class_table(60, 6, 2, 4);
  for (const int threads : threads_tried) {
    for (const Engine engine : {Engine::counts, Engine::exact})
      EXPECT_EQ(results(table, {.engine = engine}, threads), results(table, {.engine = engine}, 1));
    const ScreenOptions permuted{
        .engine = Engine::exact, .p_value = PValueMethod::permutation, .permutations = 50};
    EXPECT_EQ(results(small, permuted, threads), results(small, permuted, 1));
  }
}

Matrix rows_of_matrix(const Matrix& X, std::size_t first, std::size_t count) {
  Matrix part(count, X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j)
    std::ranges::copy(X.column(j).subspan(first, count), part.column(j).begin());
  return part;
}

/// Whatever a model says of rows, as one list by row.
std::vector<double> said_by_row(const Model& model, const Matrix& X, int threads) {
  const Execution execution{.threads = threads};
  const Matrix values = scores(model, X, execution);
  const Matrix p = probabilities(model, values);
  const auto classes = classify(model, values);
  const auto news = novelty(model, X, execution);
  std::vector<double> result;
  for (std::size_t i = 0; i < X.n_rows; ++i) {
    for (std::size_t k = 0; k < values.n_cols; ++k) result.push_back(values(i, k));
    for (std::size_t c = 0; c < p.n_cols; ++c) result.push_back(p(i, c));
    result.insert(result.end(), {static_cast<double>(classes[i]), news[i].score});
  }
  return result;
}

std::vector<double> said_in_batches(const Model& model, const Matrix& X, std::size_t size) {
  std::vector<double> result;
  for (std::size_t first = 0; first < X.n_rows; first += size) {
    const auto said = said_by_row(model, rows_of_matrix(X, first, std::min(size, X.n_rows - first)), 2);
    result.insert(result.end(), said.begin(), said.end());
  }
  return result;
}

/// Predictions of each `step`-th case.
void expect_one_prediction(std::size_t step) {
  std::vector<Case> cases = plain_cases();
  for (const Case& special : special_cases())
    if (special.name.find("isotonic") == 0 || special.name.find("costs") != std::string::npos)
      cases.push_back(special);
  for (std::size_t k = 0; k < cases.size(); k += step) {
    SCOPED_TRACE(cases[k].name);
    const Model model = fit(cases[k].table, cases[k].options, Execution{.threads = 1});
    const auto n_classes = cases[k].table.labels.classes.size();
    const bool exact = cases[k].options.engine == Engine::exact;
    const std::size_t n = exact ? 600 : 1300;
    Matrix X = exact
                   ? test::class_sample(n, 4, n_classes, 77).X
                   : test::mixed_sample(
                         {.n_rows = n, .n_categories = 2, .n_classes = n_classes, .missing = 0.1, .seed = 77})
                         .X;
    const auto all = said_by_row(model, X, 1);
    for (const int threads : threads_tried) EXPECT_TRUE(said_by_row(model, X, threads) == all) << threads;
    for (const std::size_t size : {1U, 7U, 512U})
      EXPECT_TRUE(said_in_batches(model, X, size) == all) << "batches of " << size;
  }
}
TEST(Determinism, OfSomePredictionsInBatchesOfAnySize) { expect_one_prediction(7); }
TEST(SlowDeterminism, OfPredictionsInBatchesOfAnySize) { expect_one_prediction(1); }

TEST(Determinism, OfExplanations) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const Model model = fit(table_for(Engine::counts, n_classes), preset_options(Preset::automatic));
    const Matrix X =
        test::mixed_sample(
            {.n_rows = test::sanitized ? 10U : 60U, .n_categories = 2, .n_classes = n_classes, .seed = 77})
            .X;
    const Importances expected = importances(model, X, 50, 1, Execution{.threads = 1});
    const auto flips = nearest_flips(model, X, Execution{.threads = 1});
    for (const int threads : threads_tried) {
      const Execution execution{.threads = threads};
      const Importances again = importances(model, X, 50, 1, execution);
      EXPECT_EQ(again.terms, expected.terms);
      EXPECT_EQ(again.effects, expected.effects);
      EXPECT_EQ(again.features, expected.features);
      const auto flips_again = nearest_flips(model, X, execution);
      for (std::size_t i = 0; i < X.n_rows; ++i)
        EXPECT_TRUE(std::ranges::equal(flips_again[i], flips[i], [](const Flip& a, const Flip& b) {
          return a.feature == b.feature && a.value == b.value && a.distance == b.distance &&
                 a.class_code == b.class_code;
        }));
    }
  }
}

}  // namespace
}  // namespace dyad
