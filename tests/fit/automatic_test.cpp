// The preset auto, from rows to predictions.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dyad/data/summary.h"
#include "dyad/fit/fit.h"
#include "dyad/io/model_file.h"
#include "dyad/model/prediction.h"
#include "tests/averages.h"
#include "tests/fitted.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

constexpr std::array engines{Engine::counts, Engine::exact};
constexpr std::array modes{FeatureMode::resubstitution, FeatureMode::leave_one_out, FeatureMode::cross_fit,
                           FeatureMode::split};

FitOptions automatic(Method method = Method::slb, Objective objective = Objective::logloss) {
  return preset_options(Preset::automatic, method, objective);
}

using test::error_of;
using test::fitted;

double share_of_equal(const std::vector<std::int32_t>& a, const std::vector<std::int32_t>& b) {
  std::size_t equal = 0;
  for (std::size_t i = 0; i < a.size(); ++i) equal += a[i] == b[i] ? 1U : 0U;
  return static_cast<double>(equal) / static_cast<double>(a.size());
}

/// Mean of -log P(class).
double log_loss_of(const Model& model, const LabelledSample& sample) {
  const Matrix p = probabilities(model, scores(model, sample.X));
  double sum = 0;
  for (std::size_t i = 0; i < sample.n_rows(); ++i)
    sum -= std::log(std::max(p(i, static_cast<std::size_t>(sample.y[i])), 1e-15));
  return sum / static_cast<double>(sample.n_rows());
}

/// Two classes of `n_rare` and n - n_rare rows.
LabelledSample imbalanced(std::size_t n, std::size_t n_rare, std::uint64_t seed) {
  const LabelledSample all = test::class_sample(2 * n, 3, 2, seed);
  std::vector<std::size_t> rows;
  std::array<std::size_t, 2> left{n - n_rare, n_rare};
  for (std::size_t i = 0; i < all.n_rows(); ++i)
    if (auto& count = left[static_cast<std::size_t>(all.y[i])]; count > 0) {
      --count;
      rows.push_back(i);
    }
  return rows_of(all, rows);
}

/// Chains of normal variables with other correlations in each class.
LabelledSample chains(std::size_t n, std::size_t d, std::uint64_t seed) {
  LabelledSample sample{Matrix(n, d), {}, 2};
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    sample.y.push_back(static_cast<std::int32_t>(i % 2));
    sample.X(i, 0) = random.normal();
    for (std::size_t j = 1; j < d; ++j) {
      const double r = (i % 2 == 0 ? 0.6 : -0.4) * (j % 3 == 0 ? -1 : 1);
      sample.X(i, j) = r * sample.X(i, j - 1) + std::sqrt(1 - r * r) * random.normal();
    }
  }
  return sample;
}

void expect_finite(const Model& model, const MatrixView& X, const std::string& what) {
  const Matrix result = scores(model, X);
  for (const double score : result.data) EXPECT_TRUE(std::isfinite(score)) << what;
  const Matrix p = probabilities(model, result);
  for (std::size_t i = 0; i < p.n_rows; ++i) {
    double sum = 0;
    for (std::size_t k = 0; k < p.n_cols; ++k) sum += p(i, k);
    EXPECT_NEAR(sum, 1, 1e-9) << what;
  }
}

TEST(Automatic, IsTheSameByteForByteOnAnyNumberOfThreads) {
  for (const std::size_t n_classes : {2U, 3U})
    for (const Engine engine : engines) {
      FitOptions options = automatic();
      options.engine = engine;
      const Table table = test::class_table(80, 4, n_classes, 1);
      const std::string one = model_bytes(fit(table, options, Execution{.threads = 1}));
      for (const int threads : {1, 2, 5})
        EXPECT_EQ(model_bytes(fit(table, options, Execution{.threads = threads})), one) << threads;
    }
}

TEST(Automatic, FindsWhatOnlyPairsTell) {
  LabelledSample train = test::class_sample(200, 3, 2, 1);
  LabelledSample fresh = test::class_sample(400, 3, 2, 100);
  for (LabelledSample* sample : {&train, &fresh})
    for (std::size_t i = 0; i < sample->n_rows(); ++i) sample->X(i, 2) -= 0.8 * sample->y[i];
  EXPECT_GT(error_of(fitted(train, automatic(Method::lu)), fresh), 0.35);
  for (const Method method : {Method::slb, Method::slb_minus, Method::tan})
    EXPECT_LT(error_of(fitted(train, automatic(method)), fresh), 0.25);
}

TEST(Automatic, HardlyDependsOnTheOrderOfRows) {
  // Folds and with them the settings change.
  const LabelledSample sample = test::class_sample(150, 4, 2, 3);
  std::vector<std::size_t> order(150);
  for (std::size_t i = 0; i < 150; ++i) order[i] = i;
  Random(5).shuffle(order);
  const Matrix X = test::class_sample(300, 4, 2, 40).X;
  const auto a = classify(scores(fitted(sample, automatic()), X));
  const auto b = classify(scores(fitted(rows_of(sample, order), automatic()), X));
  EXPECT_GE(share_of_equal(a, b), 0.93);
}

TEST(Automatic, DoesNotDependOnTheUnitsOfFeatures) {
  const LabelledSample sample = test::class_sample(80, 3, 2, 1);
  const LabelledSample fresh = test::class_sample(100, 3, 2, 50);
  const auto changed = [](LabelledSample rows, double factor, double shift) {
    for (std::size_t j = 0; j < 3; ++j)
      for (double& value : rows.X.column(j))
        value = std::pow(factor, static_cast<double>(j + 1)) * value + shift;
    return rows;
  };
  for (const Engine engine : engines) {
    FitOptions options = automatic();
    options.engine = engine;
    const Matrix expected = scores(fitted(sample, options), fresh.X);
    for (const double factor : {0x1p-7, 0x1p10})
      EXPECT_EQ(scores(fitted(changed(sample, factor, 0), options), changed(fresh, factor, 0).X).data,
                expected.data)
          << factor;
    // Other factors and shifts round differently.
    const Matrix near = scores(fitted(changed(sample, 3, 100), options), changed(fresh, 3, 100).X);
    for (std::size_t i = 0; i < 100; ++i)
      EXPECT_NEAR(near(i, 0), expected(i, 0), 0.02 * (1 + std::abs(expected(i, 0))));
  }
}

TEST(Automatic, HasTermsThatItUsesOnly) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const Model model = fitted(test::class_sample(90, 4, n_classes, 1), test::averaging_options());
    ASSERT_EQ(model.weights.n_cols, model.terms.size());
    for (std::size_t t = 0; t < model.terms.size(); ++t)
      EXPECT_TRUE(std::ranges::any_of(model.weights.column(t), [](double w) { return w != 0; }));
    EXPECT_EQ(model.coordinates.size(), 4U);
    EXPECT_EQ(std::ranges::count(model.settings, true, &Setting::averaged), 10);
    EXPECT_TRUE(std::ranges::is_sorted(model.settings, {}, &Setting::loss));
  }
  FitOptions options = automatic();
  options.linear_terms = false;
  EXPECT_TRUE(std::ranges::none_of(fitted(test::class_sample(60, 3, 2, 1), options).terms, &Term::is_linear));
  for (const Method method : {Method::nb, Method::tan})
    EXPECT_TRUE(fitted(test::class_sample(60, 3, 2, 1), automatic(method)).settings.empty());
}

TEST(Automatic, ReportsTheHsicOfEachPair) {
  FitReport report;
  const Model model = fit(test::class_sample(60, 4, 2, 1), automatic(Method::slb_minus), {}, report);
  EXPECT_EQ(report.hsic.size(), count_pairs(model));
  for (const double value : report.hsic) EXPECT_GT(value, 0);
}

TEST(Automatic, BlendBringsTheLossDownOnTrees) {
  const LabelledSample train = chains(200, 8, 1);
  const LabelledSample fresh = chains(2000, 8, 2);
  const auto with = [&](Blend blend) {
    FitOptions options = test::averaging_options();
    options.blend = blend;
    return fitted(train, options);
  };
  const auto mean_loss = [](const Model& model) {
    double sum = 0;
    for (const Setting& setting : model.settings)
      if (setting.averaged) sum += setting.loss / 10;
    return sum;
  };
  const Model never = with(Blend::never);
  const Model always = with(Blend::always);
  const Model if_better = with(Blend::if_better);
  EXPECT_LT(mean_loss(always), 0.9 * mean_loss(never));
  EXPECT_LT(log_loss_of(always, fresh), 0.9 * log_loss_of(never, fresh));
  const bool fell = mean_loss(always) <= 0.8 * mean_loss(never);
  EXPECT_EQ(scores(if_better, fresh.X).data, scores(fell ? always : never, fresh.X).data);
}

TEST(Automatic, MovesTheBoundaryByTheObjective) {
  const LabelledSample sample = imbalanced(300, 40, 1);
  const LabelledSample fresh = imbalanced(3000, 400, 900);
  const auto rates = [&](Objective objective) {  // of errors of the larger and the rarer class
    const auto predicted = classify(scores(fitted(sample, automatic(Method::slb, objective)), fresh.X));
    std::array<double, 2> wrong{};
    for (std::size_t i = 0; i < predicted.size(); ++i)
      if (predicted[i] != fresh.y[i])
        wrong[static_cast<std::size_t>(fresh.y[i])] += fresh.y[i] == 0 ? 1 / 2600.0 : 1 / 400.0;
    return wrong;
  };
  const auto balanced = rates(Objective::balanced);
  const auto error = rates(Objective::logloss);
  EXPECT_LT(balanced[1], error[1] - 0.1);
  EXPECT_GT(balanced[0], error[0]);
  EXPECT_LT(balanced[0] + balanced[1], error[0] + error[1]);
  EXPECT_LT(2600 * error[0] + 400 * error[1], 2600 * balanced[0] + 400 * balanced[1]);
}

TEST(Automatic, RatesSettingsByTheObjective) {
  const LabelledSample sample = imbalanced(120, 30, 1);
  for (const Objective objective : {Objective::auc, Objective::balanced}) {
    const Model model = fitted(sample, automatic(Method::slb, objective));
    for (const Setting& setting : model.settings) {
      EXPECT_GE(setting.loss, 0);
      EXPECT_LE(setting.loss, 1);
    }
    // 1 - AUC is a whole number of half pairs of rows.
    const double pairs = 2.0 * 90 * 30 * model.settings.front().loss;
    EXPECT_EQ(std::abs(pairs - std::round(pairs)) < 1e-6, objective == Objective::auc);
  }
}

TEST(Automatic, RatesSettingsOfManyClassesByTheObjective) {
  LabelledSample sample = test::class_sample(150, 2, 3, 7);
  for (std::size_t j = 0; j < 2; ++j)
    std::ranges::copy(test::normal_sample(150, 8 + j), sample.X.column(j).begin());
  // Of noise the log loss is at best that of equal chances.
  for (const Setting& setting : fitted(sample, automatic(Method::lu, Objective::balanced)).settings)
    EXPECT_NEAR(setting.loss, std::log(3.0), 0.1);
  for (const Setting& setting : fitted(sample, automatic(Method::lu, Objective::auc)).settings)
    EXPECT_NEAR(setting.loss, 0.5, 0.15);
}

TEST(Automatic, ScoresAreLogOdds) {
  const LabelledSample sample = test::class_sample(300, 3, 2, 1);
  const Model model = fitted(sample, automatic(Method::slb, Objective::logloss));
  const LabelledSample fresh = test::class_sample(4000, 3, 2, 60);
  const Matrix score = scores(model, fresh.X);
  const Matrix p = probabilities(model, score);
  constexpr std::size_t n_bins = 5;
  std::array<double, n_bins> expected{};
  std::array<double, n_bins> observed{};
  std::array<double, n_bins> count{};
  for (std::size_t i = 0; i < 4000; ++i) {
    EXPECT_NEAR(p(i, 1), 1 / (1 + std::exp(-score(i, 0))), 1e-9);
    const auto bin = std::min(static_cast<std::size_t>(p(i, 1) * n_bins), n_bins - 1);
    expected[bin] += p(i, 1);
    observed[bin] += fresh.y[i];
    count[bin] += 1;
  }
  for (std::size_t bin = 0; bin < n_bins; ++bin) {
    EXPECT_GT(count[bin], 100);
    EXPECT_NEAR(observed[bin] / count[bin], expected[bin] / count[bin], 0.1) << bin;
  }
}

TEST(Automatic, ProbabilitiesAreThoseOfThePopulationThatTheObjectiveIsAbout) {
  const LabelledSample sample = imbalanced(300, 40, 1);
  const LabelledSample fresh = imbalanced(3000, 400, 900);
  for (const Objective objective : {Objective::balanced, Objective::logloss, Objective::auc}) {
    const Model model = fitted(sample, automatic(Method::slb, objective));
    const Matrix p = probabilities(model, scores(model, fresh.X));
    const bool balanced = objective == Objective::balanced;
    double sum = 0;  // with the classes weighted as in that population
    for (std::size_t i = 0; i < fresh.n_rows(); ++i)
      sum += p(i, 1) * (balanced ? (fresh.y[i] == 0 ? 0.5 / 2600 : 0.5 / 400) : 1 / 3000.0);
    EXPECT_NEAR(sum, balanced ? 0.5 : 400.0 / 3000, balanced ? 0.06 : 0.03)
        << objective_names[static_cast<std::size_t>(objective)];
  }
}

TEST(Automatic, TriesSettingsOnAPartOfManyRows) {
  // 6000 of 9000 rows are tried, all 600 of the rarer class among them: shares must not change for that.
  const LabelledSample fresh = imbalanced(3000, 200, 900);
  const auto with = [](const LabelledSample& sample) {
    FitOptions options = automatic(Method::slb_minus, Objective::logloss);
    options.blend = Blend::never;
    return fitted(sample, options);
  };
  const Model model = with(imbalanced(9000, 600, 1));
  const Matrix p = probabilities(model, scores(model, fresh.X));
  EXPECT_NEAR(mean(p.column(1)), 1.0 / 15, 0.015);
  EXPECT_LT(log_loss_of(model, fresh), 1.1 * log_loss_of(with(imbalanced(2000, 133, 30)), fresh));
}

TEST(SlowAutomatic, ProbabilitiesOfWeakFeaturesAndARareClassAreItsShare) {
  // The SVM of classes without weights is all but constant here: what is left must not be blown up.
  const LabelledSample fresh = imbalanced(3000, 200, 900);
  for (const std::size_t n : {600U, 3000U, 5900U, 9000U})
    for (const std::uint64_t seed : {1U, 30U}) {
      const Model model = fitted(imbalanced(n, n / 15, seed), automatic(Method::lu, Objective::logloss));
      const Matrix p = probabilities(model, scores(model, fresh.X));
      EXPECT_NEAR(mean(p.column(1)), 1.0 / 15, 0.03) << n << ", " << seed;
      EXPECT_LT(log_loss_of(model, fresh), 0.265) << n << ", " << seed;  // 0.245 tells nothing but the share
    }
}

TEST(Automatic, LeavesOutFoldsOfManyClassesAndRowsOfTwo) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const Table table = test::class_table(90, 3, n_classes, 1);
    const auto weights_of = [&](FeatureMode mode) {
      FitOptions options = automatic(Method::lu);
      options.feature_mode = mode;
      return fit(table, options).weights.data;
    };
    EXPECT_EQ(weights_of(FeatureMode::automatic),
              weights_of(n_classes == 2 ? FeatureMode::leave_one_out : FeatureMode::cross_fit));
  }
  EXPECT_EQ(option_of(fit(test::class_table(90, 3, 3, 1), automatic()), "feature_mode"), "auto");
}

TEST(Automatic, ManyWeakClassesAreNotLearntByHeart) {
  // Single rows left out tell their classes here: the log loss was above that of saying nothing, 1.61.
  LabelledSample sample = test::class_sample(400, 6, 5, 1);
  LabelledSample fresh = test::class_sample(4000, 6, 5, 50);
  for (LabelledSample* rows : {&sample, &fresh})
    for (std::size_t i = 0; i < rows->n_rows(); ++i) rows->X(i, 5) -= 0.6 * rows->y[i];
  EXPECT_LT(log_loss_of(fitted(sample, automatic(Method::lu)), fresh), 1.61);
}

TEST(Automatic, ProbabilitiesOfNoiseAreNotSure) {
  LabelledSample sample = test::class_sample(120, 4, 2, 1);
  LabelledSample fresh = sample;
  for (std::size_t j = 0; j < 4; ++j) {
    std::ranges::copy(test::normal_sample(120, 900 + j), sample.X.column(j).begin());
    std::ranges::copy(test::normal_sample(120, 950 + j), fresh.X.column(j).begin());
  }
  EXPECT_LT(log_loss_of(fitted(sample, automatic()), fresh), 0.9);  // 0.69 says nothing, which is right
}

TEST(Automatic, TellsThreeClassesApart) {
  const LabelledSample sample = test::class_sample(210, 3, 3, 1);
  const LabelledSample fresh = test::class_sample(900, 3, 3, 70);
  for (const Engine engine : engines) {
    FitOptions options = automatic();
    options.engine = engine;
    const Model model = fitted(sample, options);
    EXPECT_EQ(model.n_scores(), 3U);
    expect_finite(model, fresh.X, "three classes");
    EXPECT_LT(error_of(model, fresh), error_of(fitted(sample, automatic(Method::lu)), fresh) - 0.05);
    EXPECT_LT(log_loss_of(model, fresh), 0.9);  // log 3 says nothing
  }
}

TEST(Automatic, TakesWhateverSample) {
  std::vector<std::pair<std::string, LabelledSample>> samples;
  samples.emplace_back("ordinary", test::class_sample(40, 3, 2, 1));
  samples.emplace_back("three classes", test::class_sample(40, 3, 3, 1));
  samples.emplace_back("one feature", LabelledSample{Matrix(30, 1), {}, 2});
  for (std::size_t i = 0; i < 30; ++i) {
    samples.back().second.X(i, 0) = static_cast<double>(i % 7 + i % 2);
    samples.back().second.y.push_back(static_cast<std::int32_t>(i % 2));
  }
  auto& constant = samples.emplace_back("constant and tied columns", test::class_sample(40, 5, 2, 1)).second;
  for (std::size_t i = 0; i < 40; ++i) {
    constant.X(i, 1) = 3;
    constant.X(i, 2) = i % 5 == 0 ? 1 : 0;
    constant.X(i, 3) = constant.X(i, 0);
  }
  auto& all_constant = samples.emplace_back("only constants", test::class_sample(20, 2, 2, 1)).second;
  std::ranges::fill(all_constant.X.data, 2.5);
  auto& within = samples.emplace_back("constant within classes", test::class_sample(20, 2, 2, 1)).second;
  for (std::size_t i = 0; i < 20; ++i) within.X(i, 0) = within.X(i, 1) = within.y[i];
  samples.emplace_back("two rows a class", test::class_sample(4, 3, 2, 1));
  samples.emplace_back("two rows a class of three", test::class_sample(6, 3, 3, 1));
  auto& single = samples.emplace_back("a class of one row", test::class_sample(31, 3, 2, 7)).second;
  for (std::size_t i = 0; i < 31; ++i) single.y[i] = i == 30 ? 1 : 0;
  auto& few = samples.emplace_back("a class of three rows", test::class_sample(60, 3, 2, 7)).second;
  for (std::size_t i = 0; i < 60; ++i) few.y[i] = i % 20 == 3 ? 1 : 0;
  auto& duplicates = samples.emplace_back("repeated rows", test::class_sample(60, 3, 2, 7)).second;
  for (std::size_t i = 8; i < 60; ++i)
    for (std::size_t j = 0; j < 3; ++j) duplicates.X(i, j) = duplicates.X(i % 8, j);
  samples.emplace_back("more terms than rows", test::class_sample(24, 10, 2, 7));
  auto& huge = samples.emplace_back("huge and tiny values", test::class_sample(40, 3, 2, 7)).second;
  for (std::size_t i = 0; i < 40; ++i) {
    huge.X(i, 0) *= 1e300;
    huge.X(i, 1) *= 1e-300;
    huge.X(i, 2) = std::pow(10, 40 * huge.X(i, 2));
  }
  for (const auto& [name, sample] : samples) {
    Matrix far(2, sample.n_features());
    for (double& value : far.data) value = 1e308;
    far(1, 0) = -1e308;
    for (const Engine engine : engines)
      for (const FeatureMode mode : modes) {
        FitOptions options = automatic();
        options.engine = engine;
        options.feature_mode = mode;
        const std::string what = name + ", " + std::string(engine_names[static_cast<std::size_t>(engine)]) +
                                 ", " + std::string(feature_mode_names[static_cast<std::size_t>(mode)]);
        try {
          const Model model = fitted(sample, options);
          expect_finite(model, sample.X, what);
          expect_finite(model, far, what + ", far away");
        } catch (const std::exception& error) {
          ADD_FAILURE() << what << ": " << error.what();
        }
      }
  }
}

TEST(Automatic, GivesConstantFeaturesNoWeight) {
  LabelledSample sample = test::class_sample(60, 4, 2, 3);
  for (double& value : sample.X.column(2)) value = 7;
  for (const Engine engine : engines) {
    FitOptions options = automatic();
    options.engine = engine;
    const Model model = fitted(sample, options);
    EXPECT_TRUE(
        std::ranges::none_of(model.terms, [](const Term& term) { return term.i == 2 || term.j == 2; }));
    Matrix changed = sample.X;
    for (double& value : changed.column(2)) value = -1e9;
    EXPECT_EQ(scores(model, changed).data, scores(model, sample.X).data);
  }
}

TEST(Automatic, SeparatesWhatIsApart) {
  for (const std::size_t n : {6U, 12U, 40U}) {
    LabelledSample sample = test::class_sample(n, 3, 2, 2);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < 3; ++j) sample.X(i, j) += 12.0 * sample.y[i];
    for (const Engine engine : engines) {
      FitOptions options = automatic();
      options.engine = engine;
      EXPECT_EQ(error_of(fitted(sample, options), sample), 0) << n;
    }
  }
}

TEST(Automatic, RejectsSplitsItCannotTrainOn) {
  const LabelledSample sample = test::class_sample(20, 3, 2, 7);
  FitOptions options = automatic();
  options.inner_splits = {{{0, 1}, {2, 4, 6}}};
  EXPECT_THROW(fitted(sample, options), std::invalid_argument);
  options.inner_splits = {{{0, 1}, {2, 3, 20}}};
  EXPECT_THROW(fitted(sample, options), std::invalid_argument);
  options.inner_splits = {{{}, {2, 3, 4, 5}}};
  EXPECT_THROW(fitted(sample, options), std::invalid_argument);
  options.inner_splits = {{{0, 1, 8, 9}, {2, 3, 4, 5}}};
  EXPECT_NO_THROW(fitted(sample, options));
}

TEST(Automatic, TakesClassWeightsAsGiven) {
  const LabelledSample sample = test::class_sample(200, 3, 2, 7);
  const auto share_of_second = [&](const std::vector<double>& weights) {
    FitOptions options = automatic(Method::lu);
    options.class_weight_values = weights;
    return std::ranges::count(classify(scores(fitted(sample, options), sample.X)), 1);
  };
  EXPECT_GT(share_of_second({0.05, 2}), 170);
  EXPECT_LT(share_of_second({2, 0.05}), 30);
  EXPECT_EQ(share_of_second({1, 1}), share_of_second({}));
}

TEST(Automatic, PredictsTheSingleRowOfAClass) {
  LabelledSample sample = test::class_sample(61, 2, 2, 1);
  std::ranges::fill(sample.y, 0);
  sample.y.back() = 1;
  sample.X(60, 0) = sample.X(60, 1) = 90;
  EXPECT_EQ(classify(scores(fitted(sample, automatic()), sample.X)), sample.y);
}

TEST(Automatic, BlendsByTheMeanLossOfAsManySettings) {
  // One set of terms and one cost have one setting without a blend beside two with it.
  FitOptions options = automatic(Method::slb_minus);
  options.cost = CostRule::given;
  options.svm.C = 0.1;
  const Model model = fitted(chains(200, 8, 1), options);
  const auto plain = std::ranges::find(model.settings, 0.0, &Setting::blend);
  ASSERT_LT(model.settings.front().loss, 0.8 * plain->loss);
  EXPECT_TRUE(model.settings.front().averaged);
}

TEST(Automatic, OfTheLargestNumbersCanBeKept) {
  LabelledSample sample = test::class_sample(80, 2, 2, 1);
  for (double& x : sample.X.column(0)) x = x > 0 ? 1.6e308 : -1.6e308;
  Model model = fitted(sample, automatic());
  model.features = {"a", "b"};
  model.classes = {"0", "1"};
  EXPECT_EQ(scores(model_from_bytes(model_bytes(model), "memory"), sample.X).data,
            scores(model, sample.X).data);
}

TEST(Automatic, TakesTermsThatVaryByRoundingAlone) {
  // Leaving out folds of equal values changes their density by next to nothing, and the cost that goes with
  // it is next to infinite.
  for (const Engine engine : engines)
    for (const std::size_t n : {20U, 29U, 35U}) {
      LabelledSample sample = test::class_sample(n, 2, 2, 1);
      std::ranges::fill(sample.X.data, -3.5);
      for (const auto& [loss, penalty] :
           {std::pair(Loss::hinge, Penalty::l2), std::pair(Loss::squared_hinge, Penalty::l1)}) {
        FitOptions options = test::averaging_options();
        options.engine = engine;
        options.feature_mode = FeatureMode::cross_fit;
        options.svm.loss = loss;
        options.svm.penalty = penalty;
        expect_finite(fitted(sample, options), sample.X, std::to_string(n));
      }
    }
}

TEST(Automatic, TakesAllPairsThatWereAskedFor) {
  FitOptions options = automatic();
  options.pairs = PairRule::count;
  options.n_pairs = 9;
  EXPECT_EQ(count_pairs(fitted(test::class_sample(80, 4, 2, 1), options)), 9U);
}

}  // namespace
}  // namespace dyad
