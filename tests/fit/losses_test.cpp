// Losses, penalties, several classes at once and linear terms, through whole fits.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dyad/data/summary.h"
#include "dyad/fit/fit.h"
#include "dyad/io/model_file.h"
#include "dyad/linear/standardisation.h"
#include "dyad/model/prediction.h"
#include "dyad/terms/counts_terms.h"
#include "dyad/weights/single_weights.h"
#include "tests/averages.h"
#include "tests/fitted.h"
#include "tests/folder.h"
#include "tests/model/explanations.h"
#include "tests/model_samples.h"
#include "tests/oracles.h"
#include "tests/recipes.h"

namespace dyad {
namespace {

using test::error_of;
using test::expect_close;
using test::fitted;

struct Fitted {
  Model model;
  FitReport report;
};

Fitted fitted_with_report(const LabelledSample& sample, const FitOptions& options) {
  Fitted result;
  result.model = fit(sample, options, {}, result.report);
  return result;
}

/// Names as a file needs them.
Model with_names(Model model) {
  for (std::size_t j = 0; j < model.n_features; ++j) model.features.push_back("x" + std::to_string(j));
  for (std::size_t c = 0; c < model.n_classes(); ++c) model.classes.push_back("c" + std::to_string(c));
  return model;
}

/// The values that weights are fitted to, standardised by the plain definition.
oracle::Rows standardised_rows(const LabelledSample& sample, std::span<const TermKey> places,
                               const FitOptions& options) {
  FitReport report;
  const CountsFeatures features = counts_training_features(sample, places, options, {}, report);
  oracle::Rows rows(sample.n_rows(), std::vector<double>(places.size()));
  for (std::size_t t = 0; t < places.size(); ++t) {
    std::vector<double> column;
    for (std::size_t i = 0; i < rows.size(); ++i)
      column.push_back(static_cast<double>(features.values.row(i)[t]));
    for (std::size_t i = 0; i < rows.size(); ++i)
      rows[i][t] = (column[i] - oracle::mean(column)) / oracle::deviation(column);
  }
  return rows;
}

TEST(Losses, WeightsAreThoseOfThePlainMinimum) {
  const LabelledSample sample = test::class_sample(80, 3, 2, 1);
  for (const Loss loss : {Loss::squared_hinge, Loss::logistic})
    for (const Penalty penalty : {Penalty::l2, Penalty::l1, Penalty::elastic_net}) {
      const FitOptions options{.method = Method::lu,
                               .feature_mode = FeatureMode::leave_one_out,
                               .svm = {.C = 0.2,
                                       .tolerance = 1e-9,
                                       .loss = loss,
                                       .penalty = penalty,
                                       .l1_ratio = penalty == Penalty::elastic_net ? 0.7 : 0.5}};
      const auto rows = standardised_rows(sample, univariate_keys(2, 3), options);
      const auto signs = signs_of_score(sample.y, 2, 0);
      oracle::PenalisedLoss objective{rows, signs, std::vector<double>(80, 0.2), loss};
      objective.l1 = penalty == Penalty::l1 ? 1 : penalty == Penalty::l2 ? 0 : 0.7;
      objective.l2 = 1 - objective.l1;
      const auto w = oracle::minimise_penalised_loss(objective, 20000);
      const Model model = fitted(sample, options);
      // Terms are those of new rows: what a weight does to a training value is the same.
      std::size_t used = 0;
      for (std::size_t t = 0; t < 6; ++t) {
        if (w[t] == 0 && penalty != Penalty::l2) continue;
        ASSERT_LT(used, model.terms.size());
        EXPECT_EQ(model.terms[used].i, t % 3);
        EXPECT_EQ(model.terms[used].class_code, static_cast<std::int32_t>(t / 3));
        EXPECT_EQ(model.weights(0, used) > 0, w[t] > 0);
        ++used;
      }
      EXPECT_EQ(used, model.terms.size());
      EXPECT_NEAR(model.intercepts[0], w.back(), 1e-3);
    }
}

TEST(Losses, LeaveOutTermsWithoutWeight) {
  const LabelledSample sample = test::class_sample(120, 4, 2, 3);
  for (const Loss loss : {Loss::squared_hinge, Loss::logistic}) {
    std::vector<std::size_t> n_terms;
    for (const double C : {0.01, 0.1, 10.0}) {
      const Fitted fit = fitted_with_report(
          sample, {.method = Method::slb_minus, .svm = {.C = C, .loss = loss, .penalty = Penalty::l1}});
      n_terms.push_back(fit.model.terms.size());
      EXPECT_TRUE(fit.report.converged);
      EXPECT_EQ(fit.report.hsic.size(), count_pairs(fit.model));
      for (std::size_t t = 0; t < fit.model.terms.size(); ++t) EXPECT_NE(fit.model.weights(0, t), 0);
      test::expect_contributions_that_add_up(fit.model, sample.X);
    }
    EXPECT_TRUE(std::ranges::is_sorted(n_terms));
    EXPECT_LT(n_terms.front(), n_terms.back());
    EXPECT_LT(n_terms.back(), 20U);
  }
}

TEST(Losses, ReportTheHsicOfThePairsThatAreLeft) {
  const LabelledSample sample = test::class_sample(120, 4, 2, 3);
  FitOptions options{.pairs = PairRule::count, .n_pairs = 12};
  const Fitted all = fitted_with_report(sample, options);
  options.svm = {.C = 0.05, .loss = Loss::logistic, .penalty = Penalty::l1};
  const Fitted few = fitted_with_report(sample, options);
  ASSERT_LT(few.report.hsic.size(), 12U);
  ASSERT_GT(few.report.hsic.size(), 0U);
  const auto hsic_of = [](const Fitted& fit, const Term& wanted) {
    std::size_t pair = 0;
    for (const Term& term : fit.model.terms) {
      if (!term.is_pair()) continue;
      if (term.class_code == wanted.class_code && term.i == wanted.i && term.j == wanted.j)
        return fit.report.hsic[pair];
      ++pair;
    }
    return -1.0;
  };
  for (const Term& term : few.model.terms)
    if (term.is_pair()) {
      EXPECT_EQ(hsic_of(few, term), hsic_of(all, term));
    }
}

TEST(Losses, MayLeaveNoTermAtAll) {
  const LabelledSample sample = test::class_sample(50, 3, 3, 1);
  const Fitted fit =
      fitted_with_report(sample, {.svm = {.C = 1e-6, .loss = Loss::logistic, .penalty = Penalty::l1}});
  EXPECT_EQ(fit.model.terms.size(), 0U);
  const test::Folder folder;
  save_model(with_names(fit.model), folder.path("m.dyad"));
  const Model loaded = load_model(folder.path("m.dyad"));
  EXPECT_EQ(scores(loaded, sample.X).data, scores(fit.model, sample.X).data);
  for (const double p : probabilities(loaded, scores(loaded, sample.X)).data) EXPECT_TRUE(p > 0 && p < 1);
}

TEST(Losses, WorkInEveryKindOfFit) {
  const LabelledSample sample = test::class_sample(150, 3, 2, 1);
  const LabelledSample fresh = test::class_sample(150, 3, 2, 100);
  const test::Folder folder;
  for (const Preset preset : {Preset::automatic, Preset::paper})
    for (const Loss loss : {Loss::squared_hinge, Loss::logistic})
      for (const Penalty penalty : {Penalty::l2, Penalty::l1, Penalty::elastic_net}) {
        FitOptions options = preset_options(preset);
        options.pairs = PairRule::cv;
        options.cost = CostRule::cv;
        options.svm.loss = loss;
        options.svm.penalty = penalty;
        const Model model = with_names(fitted(sample, options));
        EXPECT_LT(error_of(model, fresh), 0.25);
        test::expect_contributions_that_add_up(model, sample.X);
        save_model(model, folder.path("m.dyad"));
        const Model loaded = load_model(folder.path("m.dyad"));
        EXPECT_EQ(option_of(loaded, "loss"), name_of(loss_names, loss));
        EXPECT_EQ(option_of(loaded, "penalty"), name_of(penalty_names, penalty));
        EXPECT_EQ(scores(loaded, sample.X).data, scores(model, sample.X).data);
      }
}

TEST(Losses, OfAveragesLeaveOutTermsToo) {
  const LabelledSample sample = test::class_sample(200, 4, 2, 1);
  FitOptions options = test::averaging_options();
  options.blend = Blend::never;
  options.cost = CostRule::given;
  options.svm.C = 0.05;
  const std::size_t all = fitted(sample, options).terms.size();
  options.svm.loss = Loss::logistic;
  EXPECT_EQ(fitted(sample, options).terms.size(), all);
  options.svm.penalty = Penalty::l1;
  EXPECT_LT(fitted(sample, options).terms.size(), all);
}

TEST(Losses, AreTheSameByteForByteOnAnyNumberOfThreadsAndForCopies) {
  auto [weighted, repeated, rows] = test::weighted_and_repeated(test::class_sample(90, 3, 3, 1), 4);
  std::vector<FitOptions> all{{.svm = {.C = 0.3, .loss = Loss::logistic, .penalty = Penalty::l1}},
                              {.svm = {.loss = Loss::squared_hinge}},
                              {.linear_terms = true}};
  for (const FitOptions& options : all) {
    const std::string one = model_bytes(with_names(fitted(weighted, options, {.threads = 1})));
    EXPECT_EQ(model_bytes(with_names(fitted(weighted, options, {.threads = 2}))), one);
    EXPECT_EQ(model_bytes(with_names(fitted(repeated, options))), one);
  }
}

TEST(Losses, TakeTheNormBound) {
  const LabelledSample sample = test::class_sample(60, 3, 2, 1);
  const FitOptions options{.method = Method::lu,
                           .feature_mode = FeatureMode::leave_one_out,
                           .svm = {.loss = Loss::logistic},
                           .norm_bound = 0.5};
  const Model model = fitted(sample, options);
  FitReport report;
  const auto features = counts_training_features(sample, univariate_keys(2, 3), options, {}, report);
  const Standardisation standardisation = standardisation_of(features.values);
  double squared = 0;
  for (std::size_t t = 0; t < 6; ++t) squared += std::pow(model.weights(0, t) * standardisation.scale[t], 2);
  EXPECT_NEAR(std::sqrt(squared), 0.5, 1e-3);
}

TEST(TermScale, SetsTheUnitsOfTheNormBoundOfASingleSvm) {
  const LabelledSample sample = test::class_sample(60, 3, 2, 1);
  for (const Engine engine : {Engine::counts, Engine::exact})
    for (const TermScale scale : {TermScale::unit, TermScale::common, TermScale::none}) {
      const FitOptions options{.method = Method::lu,
                               .engine = engine,
                               .feature_mode = FeatureMode::leave_one_out,
                               .term_scale = scale,
                               .norm_bound = 0.1};
      const Model model = fitted(sample, options);
      FitReport report;
      const Matrix values = training_features(sample, univariate_keys(2, 3), options, {}, report).values;
      double squares = 0;
      for (std::size_t t = 0; t < 6; ++t) squares += std::pow(standard_deviation(values.column(t)), 2) / 6;
      double norm = 0;
      for (std::size_t t = 0; t < 6; ++t) {
        const double unit = scale == TermScale::unit     ? standard_deviation(values.column(t))
                            : scale == TermScale::common ? std::sqrt(squares)
                                                         : 1;
        norm += std::pow(model.weights(0, t) * unit, 2);
      }
      EXPECT_NEAR(std::sqrt(norm), 0.1, engine == Engine::exact ? 1e-4 : 5e-3);
    }
}

TEST(LinearTerms, OfOneSettingAreStandardisedFeatures) {
  const LabelledSample sample = test::class_sample(100, 3, 2, 1);
  for (const Transform transform : {Transform::none, Transform::standard})
    for (const FeatureMode mode : {FeatureMode::resubstitution, FeatureMode::leave_one_out,
                                   FeatureMode::cross_fit, FeatureMode::split}) {
      const FitOptions options{
          .transform = transform, .feature_mode = mode, .linear_terms = true, .cost = CostRule::cv};
      const Model model = fitted(sample, options);
      ASSERT_EQ(model.terms.size(), 9 + count_pairs(model));
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_TRUE(model.terms[j].is_linear());
        EXPECT_EQ(model.terms[j].i, j);
        if (mode != FeatureMode::split && transform == Transform::none) {
          EXPECT_NEAR(model.terms[j].centre, mean(sample.X.column(j)), 1e-6);
        }
      }
      test::expect_contributions_that_add_up(model, sample.X);
    }
}

TEST(LinearTerms, AreOfUseWhereMeansDiffer) {
  LabelledSample sample = test::class_sample(40, 3, 2, 1);
  LabelledSample fresh = test::class_sample(400, 3, 2, 50);
  for (LabelledSample* some : {&sample, &fresh})
    for (std::size_t i = 0; i < some->n_rows(); ++i) some->X(i, 0) += some->y[i] == 1 ? 3 : 0;
  const Model model = fitted(sample, {.method = Method::lu, .linear_terms = true});
  EXPECT_GT(model.weights(0, 0), 0);
  EXPECT_LT(error_of(model, fresh), 0.1);
}

TEST(LinearTerms, OfBothEnginesAgree) {
  const LabelledSample sample = test::class_sample(90, 3, 2, 1);
  FitOptions options{.method = Method::slb_minus, .linear_terms = true};
  const Matrix counts = scores(fitted(sample, options), sample.X);
  options.engine = Engine::exact;
  const Matrix exact = scores(fitted(sample, options), sample.X);
  for (std::size_t i = 0; i < 90; ++i)
    EXPECT_NEAR(counts(i, 0), exact(i, 0), 0.05 * (1 + std::abs(exact(i, 0))));
}

TEST(LinearTerms, DoNotDependOnUnitsWithoutATransform) {
  const LabelledSample sample = test::class_sample(80, 3, 2, 1);
  LabelledSample changed = sample;
  for (std::size_t i = 0; i < 80; ++i) {
    changed.X(i, 0) = 1e9 + sample.X(i, 0);  // single precision has steps of 64 there
    changed.X(i, 2) = 1e-6 * sample.X(i, 2);
  }
  for (const SettingsRule settings : {SettingsRule::best, SettingsRule::average})
    for (const Engine engine : {Engine::counts, Engine::exact})
      for (const TermScale scale : {TermScale::unit, TermScale::common}) {
        const FitOptions options{.method = Method::lu,
                                 .engine = engine,
                                 .linear_terms = true,
                                 .term_scale = scale,
                                 .settings = settings,
                                 .svm = {.tolerance = 1e-7}};
        const Matrix a = scores(fitted(sample, options), sample.X);
        const Matrix b = scores(fitted(changed, options), changed.X);
        for (std::size_t i = 0; i < 80; ++i) EXPECT_NEAR(a(i, 0), b(i, 0), 0.05 * (1 + std::abs(a(i, 0))));
      }
}

TEST(LinearTerms, OfTheLargestNumbersNeedATransform) {
  LabelledSample sample = test::class_sample(40, 3, 2, 1);
  sample.X(3, 1) = 1e300;
  FitReport report;
  EXPECT_THROW(fit(sample, {.linear_terms = true}, {}, report), std::invalid_argument);
  EXPECT_NO_THROW(fit(sample, {.transform = Transform::robust, .linear_terms = true}, {}, report));
  EXPECT_NO_THROW(fit(sample, {.method = Method::nb}, {}, report));
}

}  // namespace
}  // namespace dyad
