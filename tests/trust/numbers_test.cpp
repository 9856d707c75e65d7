// Tables that nobody would draw, by the thousand: outputs are finite, and are what they are however the table
// is written down.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dyad/base/gather.h"
#include "dyad/data/summary.h"
#include "dyad/density/counts_bandwidth.h"
#include "dyad/density/grid2d.h"
#include "dyad/dependence/counts_hsic.h"
#include "dyad/dependence/mutual_information.h"
#include "dyad/dependence/screening.h"
#include "dyad/evaluation/cross_validation.h"
#include "dyad/explanation/effects.h"
#include "dyad/explanation/flips.h"
#include "dyad/explanation/shapes.h"
#include "dyad/fit/fit.h"
#include "dyad/io/model_file.h"
#include "dyad/model/novelty.h"
#include "dyad/model/prediction.h"
#include "tests/trust/awkward.h"
#include "tests/trust/scale.h"

namespace dyad {
namespace {

using test::chance;

const Execution one_thread{.threads = 1};

bool is_finite(double value) { return std::isfinite(value); }
bool all_are_finite(const std::vector<double>& values) { return std::ranges::all_of(values, is_finite); }

// --- any table ---

/// Rows of values that no table should have, in the model's codes.
Matrix extreme_rows(const Model& model, Random& random) {
  constexpr std::array values{
      1e308, -1e308, test::largest, -test::largest, test::denormal, -test::denormal, 1e-310,
      0.0,   -0.0,   1.0,           1e15,           -1e20};
  Matrix X(2 * values.size(), model.n_features);
  const bool gaps = model.engine == Engine::counts;
  for (std::size_t j = 0; j < X.n_cols; ++j)
    for (std::size_t i = 0; i < X.n_rows; ++i) {
      X(i, j) = i < values.size() ? values[i] : test::one_of(random, values);
      if (!is_number(model, j))
        X(i, j) = static_cast<double>(random.below(std::max<std::size_t>(1, model.levels[j].size())));
      if (gaps && chance(random, 0.2)) X(i, j) = std::numeric_limits<double>::quiet_NaN();
    }
  return X;
}

void expect_sound_predictions(const Model& model, const Matrix& X) {
  const Matrix values = scores(model, X, one_thread);
  EXPECT_TRUE(all_are_finite(values.data));
  EXPECT_TRUE(
      all_are_finite(term_values(model.terms, in_coordinates(model.coordinates, X), one_thread).data));
  for (const Novelty& row : novelty(model, X, one_thread)) EXPECT_TRUE(is_finite(row.score));
  const Matrix p = probabilities(model, values);
  for (std::size_t i = 0; i < p.n_rows; ++i) {
    double sum = 0;
    for (std::size_t c = 0; c < p.n_cols; ++c) {
      EXPECT_TRUE(p(i, c) >= 0 && p(i, c) <= 1) << p(i, c);
      sum += p(i, c);
    }
    EXPECT_NEAR(sum, 1, 1e-12);
  }
}

void expect_sound_model(const Model& model, const Table& table, Random& random) {
  const LabelledSample sample = labelled_sample(table);
  Matrix X = sample.X;
  recode(X, sample.levels, model.levels);
  const Matrix extreme = extreme_rows(model, random);
  expect_sound_predictions(model, X);
  expect_sound_predictions(model, extreme);
  const std::string bytes = model_bytes(model);
  const Model loaded = model_from_bytes(bytes, "it");
  EXPECT_EQ(model_bytes(loaded), bytes);
  EXPECT_EQ(scores(loaded, extreme, one_thread).data, scores(model, extreme, one_thread).data);
}

/// Of `n_tables`, each with options of its own.
void expect_sound_models(std::size_t n_tables, Engine engine, bool complete) {
  for (std::size_t seed = 0; seed < n_tables && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Table table = test::awkward_table(random, complete);
    const FitOptions options = test::awkward_options(random, engine);
    try {
      expect_sound_model(fit(table, options, one_thread), table, random);
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(AnyTableOfNumbers, IsFittedByCountsWithFiniteOutputs) { expect_sound_models(100, Engine::counts, true); }
TEST(SlowAnyTableOfNumbers, IsFittedByCountsWithFiniteOutputs) {
  expect_sound_models(1500, Engine::counts, true);
}

TEST(AnyTableOfNumbers, IsFittedExactlyWithFiniteOutputs) { expect_sound_models(100, Engine::exact, true); }
TEST(SlowAnyTableOfNumbers, IsFittedExactlyWithFiniteOutputs) {
  expect_sound_models(1500, Engine::exact, true);
}

TEST(AnyTableWithCategoriesAndGaps, IsFittedWithFiniteOutputs) {
  expect_sound_models(100, Engine::counts, false);
}
TEST(SlowAnyTableWithCategoriesAndGaps, IsFittedWithFiniteOutputs) {
  expect_sound_models(1500, Engine::counts, false);
}

TEST(AnyTableWithCategoriesOrGaps, IsRefusedByTheExactEngineByFeature) {
  for (std::size_t seed = 0; seed < test::rounds(200); ++seed) {
    Random random(seed);
    const Table table = test::awkward_table(random, false);
    const LabelledSample sample = labelled_sample(table);
    const bool complete = sample.levels.empty() && all_are_finite(sample.X.data);
    if (complete) continue;
    FitOptions options = test::awkward_options(random, Engine::exact);
    try {
      fit(table, options, one_thread);
      ADD_FAILURE() << "seed " << seed;
    } catch (const std::invalid_argument& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("fit: feature ")) << error.what();
    }
  }
}

TEST(AnyTable, IsCrossValidatedIfItHasTwoRowsOfEachClassAndARowForEachFold) {
  for (std::size_t seed = 0; seed < test::rounds(200); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    LabelledSample sample = labelled_sample(test::awkward_table(random, false));
    sample.weights = {};
    const CrossValidationOptions options{.folds = 2 + static_cast<int>(random.below(4)),
                                         .fit = test::awkward_options(random, Engine::counts)};
    if (sample.n_rows() < static_cast<std::size_t>(options.folds) ||
        std::ranges::min(class_counts(sample)) < 2) {
      EXPECT_THROW(cross_validate(sample, options, one_thread), std::invalid_argument);
      continue;
    }
    try {
      for (const FoldResult& fold : cross_validate(sample, options, one_thread).folds) {
        EXPECT_TRUE(fold.error >= 0 && fold.error <= 1) << fold.error;
        EXPECT_TRUE(fold.ber >= 0 && fold.ber <= 1) << fold.ber;
        EXPECT_TRUE(is_finite(fold.log_loss));
        EXPECT_TRUE(std::isnan(fold.auc) || (fold.auc >= 0 && fold.auc <= 1)) << fold.auc;
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << error.what();
    }
  }
}

TEST(AnyModel, IsExplainedByFiniteNumbers) {
  for (std::size_t seed = 0; seed < test::rounds(600); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const bool complete = chance(random, 0.5);
    const Table table = test::awkward_table(random, complete);
    const Engine engine = complete && chance(random, 0.5) ? Engine::exact : Engine::counts;
    const Model model = fit(table, test::awkward_options(random, engine), one_thread);
    const LabelledSample sample = labelled_sample(table);
    Matrix X = sample.X;
    recode(X, sample.levels, model.levels);
    const Importances of = importances(model, X, 50, 1, one_thread);
    for (const auto* const by_score : {&of.terms, &of.effects, &of.features})
      for (const auto& each : *by_score)
        for (const Importance& importance : each)
          EXPECT_TRUE(is_finite(importance.mean) && is_finite(importance.low) && is_finite(importance.high));
    for (std::size_t j = 0; j < model.n_features; ++j) {
      const auto points = points_of(model, j, 9);
      for (const double x : points) EXPECT_FALSE(std::isinf(x));
      EXPECT_TRUE(all_are_finite(effect_curve(model, j, points).data));
      for (const double value : log_densities(model, j, points).data) EXPECT_FALSE(std::isinf(value));
    }
    for (const auto& flips : nearest_flips(model, X, one_thread))
      for (const Flip& flip : flips) EXPECT_TRUE(is_finite(flip.value) && is_finite(flip.distance));
  }
}

// --- any column ---

void expect_positive_definite(const Symmetric2& H) {
  EXPECT_TRUE(is_finite(H.xx) && is_finite(H.xy) && is_finite(H.yy)) << H.xx << " " << H.xy << " " << H.yy;
  EXPECT_GT(H.xx, 0);
  EXPECT_GT(H.yy, 0);
  EXPECT_LT(std::abs(H.xy) / std::sqrt(H.xx) / std::sqrt(H.yy), 1);
}

/// Two columns of 1 to 60 rows of any kind.
struct Columns {
  std::vector<double> x, y;
};

Columns any_columns(Random& random) {
  const std::vector<std::int32_t> classes(1 + random.below(60));
  Columns columns{test::any_column(classes, random), test::any_column(classes, random)};
  if (chance(random, 0.1)) columns.y = columns.x;
  return columns;
}

TEST(AnyTwoColumns, HavePositiveBandwidthsByEveryRule) {
  for (std::size_t seed = 0; seed < test::rounds(2000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto [x, y] = any_columns(random);
    for (const BandwidthRule rule :
         {BandwidthRule::plug_in, BandwidthRule::plug_in_diagonal, BandwidthRule::normal_scale}) {
      for (const double h : {bandwidth_1d(x, rule), counts_bandwidth_1d(x, rule)})
        EXPECT_TRUE(h > 0 && is_finite(h)) << h;
      expect_positive_definite(bandwidth_2d(x, y, rule));
      expect_positive_definite(counts_bandwidth_2d(x, y, rule));
    }
    for (const double h : {epanechnikov_bandwidth(x), median_bandwidth(x), positive_spread(x)})
      EXPECT_TRUE(h > 0 && is_finite(h)) << h;
  }
}

TEST(AnyTwoColumns, HaveFiniteLogDensities) {
  constexpr std::array far{0.0, -0.0, 1.0, 1e308, -test::largest, test::denormal, 1e15};
  for (std::size_t seed = 0; seed < test::rounds(1000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto columns = any_columns(random);
    const auto rule = static_cast<BandwidthRule>(random.below(3));
    std::vector<double> x = columns.x;
    std::vector<double> y = columns.y;
    for (std::size_t i = 0; i < far.size(); ++i) {
      x.push_back(far[i]);
      y.push_back(test::one_of(random, far));
    }
    std::vector<double> out(x.size());
    log_density(fit_kde1d(columns.x, rule), x, out);
    EXPECT_TRUE(all_are_finite(out));
    log_density(fit_grid1d(columns.x, rule, 64), x, out);
    EXPECT_TRUE(all_are_finite(out));
    log_density(fit_kde2d(columns.x, columns.y, rule), x, y, out);
    EXPECT_TRUE(all_are_finite(out));
    log_density(fit_grid2d(columns.x, columns.y, rule, 64), x, y, out);
    EXPECT_TRUE(all_are_finite(out));
  }
}

TEST(AnyTwoColumns, HaveAFiniteDependence) {
  for (std::size_t seed = 0; seed < test::rounds(2000); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const auto [x, y] = any_columns(random);
    for (const Hsic& value : {hsic(x, y), counts_hsic(x, y, 64)}) {
      EXPECT_TRUE(value.value >= -1e-12 && value.value <= 1) << value.value;
      EXPECT_TRUE(value.p_value >= 0 && value.p_value <= 1) << value.p_value;
    }
    const MutualInformation information = mutual_information(x, y);
    EXPECT_TRUE(is_finite(information.raw) && is_finite(information.corrected));
  }
}

TEST(AnyTable, IsScreened) {
  for (std::size_t seed = 0; seed < test::rounds(500); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const Engine engine = chance(random, 0.5) ? Engine::exact : Engine::counts;
    Table table = test::awkward_table(random, engine == Engine::exact);
    table.weights.clear();
    const ScreenOptions options{.engine = engine,
                                .p_value = engine == Engine::exact && chance(random, 0.3)
                                               ? PValueMethod::permutation
                                               : PValueMethod::gamma,
                                .permutations = 20};
    if (table.features.size() < 2) {
      EXPECT_THROW(screen_pairs(table, options, one_thread), std::invalid_argument);
      continue;
    }
    for (const ScreenedClass& screened : screen_pairs(table, options, one_thread))
      for (std::size_t k = 0; k < screened.scores.size(); ++k) {
        EXPECT_TRUE(is_finite(screened.scores[k].value));
        EXPECT_TRUE(screened.scores[k].p_value >= 0 && screened.q_values[k] <= 1);
      }
  }
}

// --- the same table, written down otherwise ---

/// 12 to 60 rows of 1 to 4 columns, a class of three rows at least. The first column is normal: no two rows
/// are equal.
LabelledSample ordinary_sample(Random& random) {
  constexpr std::array kinds{test::Awkward::normal, test::Awkward::tied, test::Awkward::integers,
                             test::Awkward::classes};
  const std::size_t n_classes = 2 + random.below(2);
  LabelledSample sample{Matrix(12 + random.below(49), 1 + random.below(4)), {}, n_classes};
  for (std::size_t i = 0; i < sample.n_rows(); ++i)
    sample.y.push_back(
        static_cast<std::int32_t>(i < 3 * n_classes ? i % n_classes : random.below(n_classes)));
  for (std::size_t j = 0; j < sample.n_features(); ++j)
    std::ranges::copy(test::awkward_column(kinds[j == 0 ? 0 : random.below(kinds.size())], sample.y, random),
                      sample.X.column(j).begin());
  return sample;
}

Matrix scores_of(const LabelledSample& sample, const FitOptions& options, const Matrix& X) {
  FitReport report;
  return scores(fit(sample, options, one_thread, report), X, one_thread);
}

/// Scores less the first of their row: what is common to log likelihoods of all classes, such as the unit of
/// a feature, tells none apart.
Matrix less_the_first(Matrix scores) {
  for (std::size_t k = scores.n_cols; scores.n_cols > 1 && k-- > 0;)
    for (std::size_t i = 0; i < scores.n_rows; ++i) scores(i, k) -= scores(i, 0);
  return scores;
}

void expect_near(const Matrix& actual, const Matrix& expected, double tolerance) {
  ASSERT_EQ(actual.data.size(), expected.data.size());
  for (std::size_t k = 0; k < actual.data.size(); ++k)
    EXPECT_NEAR(actual.data[k], expected.data[k], tolerance * (1 + std::abs(expected.data[k])));
}

TEST(PowersOfTwoTimesAColumn, ChangeNoBitOfTheScoresOfThePresetAuto) {
  for (std::size_t seed = 0; seed < test::rounds(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const LabelledSample sample = ordinary_sample(random);
    LabelledSample scaled = sample;
    for (std::size_t j = 0; j < sample.n_features(); ++j) {
      const double factor = std::ldexp(1.0, static_cast<int>(random.below(400)) - 200);
      for (double& x : scaled.X.column(j)) x *= factor;
    }
    FitOptions options =
        preset_options(Preset::automatic, static_cast<Method>(random.below(method_names.size())));
    options.engine = chance(random, 0.5) ? Engine::exact : Engine::counts;
    EXPECT_EQ(scores_of(scaled, options, scaled.X).data, scores_of(sample, options, sample.X).data);
  }
}

TEST(ScaleAndShiftOfAColumn, HardlyChangeTheLikelihoodsOfThePaper) {
  // The preset auto takes logarithms where all values are positive; an SVM may stop elsewhere.
  for (std::size_t seed = 0; seed < test::rounds(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const LabelledSample sample = ordinary_sample(random);
    LabelledSample changed = sample;
    const double factor = (chance(random, 0.5) ? 1 : -1) * std::pow(10, 4 * random.uniform() - 2);
    const double shift = 10 * factor * random.normal();
    for (double& x : changed.X.column(0)) x = factor * x + shift;
    const FitOptions options{.method = Method::nb, .engine = Engine::exact};
    expect_near(less_the_first(scores_of(changed, options, changed.X)),
                less_the_first(scores_of(sample, options, sample.X)), 1e-6);
  }
}

std::vector<std::size_t> shuffled(std::size_t n, Random& random) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);
  return order;
}

/// Scores of naive Bayes fitted to `other` at the rows X, and fitted to the sample at its own, which X are.
void expect_same_likelihoods(const LabelledSample& sample, const LabelledSample& other, const Matrix& X,
                             double tolerance, Random& random) {
  for (const Engine engine : {Engine::counts, Engine::exact}) {
    FitOptions options = preset_options(chance(random, 0.5) ? Preset::automatic : Preset::paper, Method::nb);
    options.engine = engine;
    expect_near(scores_of(other, options, X), scores_of(sample, options, sample.X), tolerance);
  }
}

TEST(RowsInAnotherOrder, HaveTheSameLikelihoods) {
  // Folds are drawn by row: what an inner cross-validation chooses may differ.
  for (std::size_t seed = 0; seed < test::rounds(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const LabelledSample sample = ordinary_sample(random);
    const LabelledSample other = rows_of(sample, shuffled(sample.n_rows(), random));
    expect_same_likelihoods(sample, other, sample.X, 1e-6, random);
  }
}

TEST(ColumnsInAnotherOrder, HaveTheSameLikelihoods) {
  for (std::size_t seed = 0; seed < test::rounds(300); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const LabelledSample sample = ordinary_sample(random);
    LabelledSample other = sample;
    const auto order = shuffled(sample.n_features(), random);
    for (std::size_t j = 0; j < order.size(); ++j)
      std::ranges::copy(sample.X.column(order[j]), other.X.column(j).begin());
    expect_same_likelihoods(sample, other, other.X, 1e-9, random);
  }
}

TEST(RowsTwice, AreTheSameAsWeightsOfTwoToTheLastBit) {
  for (std::size_t seed = 0; seed < test::rounds(500); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    const bool exact = chance(random, 0.3);
    Table table = test::awkward_table(random, exact);
    table.weights.clear();
    const LabelledSample once = labelled_sample(table);
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < once.n_rows(); ++i) rows.insert(rows.end(), 2, i);
    if (!exact) random.shuffle(rows);  // the exact engine, the reference, copies rows where they are
    const LabelledSample twice = rows_of(once, rows);
    LabelledSample weighted = once;
    weighted.weights = {std::vector<std::uint32_t>(once.n_rows(), 2), 1};
    const FitOptions options = test::awkward_options(random, exact ? Engine::exact : Engine::counts);
    FitReport report;
    Model a = fit(twice, options, one_thread, report);
    Model b = fit(weighted, options, one_thread, report);
    for (Model* const model : {&a, &b}) {
      for (const Column& column : table.features) model->features.push_back(column.name);
      model->classes = table.labels.classes;
    }
    EXPECT_EQ(model_bytes(a), model_bytes(b));
  }
}

}  // namespace
}  // namespace dyad
