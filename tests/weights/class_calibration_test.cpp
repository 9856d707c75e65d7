// Probabilities are right for rows that no part of the model has seen, and costs decide by them.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/class_calibration.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "dyad/evaluation/metrics.h"
#include "dyad/fit/fit.h"
#include "dyad/model/prediction.h"
#include "tests/fitted.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

using test::fitted;

/// Features 0 .. d-1 are the same two variables seen many times, with little noise: naive Bayes counts each
/// of them.
LabelledSample redundant(std::size_t n, std::size_t n_classes, std::uint64_t seed) {
  constexpr std::size_t d = 6;
  LabelledSample sample{Matrix(n, d), {}, n_classes};
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = random.below(n_classes);
    sample.y.push_back(static_cast<std::int32_t>(c));
    const double angle = 6.2831853 * static_cast<double>(c) / static_cast<double>(n_classes);
    const std::array<double, 2> z{random.normal() + 0.8 * std::cos(angle),
                                  random.normal() + 0.8 * std::sin(angle)};
    for (std::size_t j = 0; j < d; ++j) sample.X(i, j) = z[j % 2] + 0.5 * random.normal();
  }
  return sample;
}

/// The rows of `sample` with one in `keep` of those of the classes but the first.
LabelledSample thinned(const LabelledSample& sample, std::size_t keep) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < sample.n_rows(); ++i)
    if (sample.y[i] == 0 || i % keep == 0) rows.push_back(i);
  return rows_of(sample, rows);
}

double calibration_error_of(const Model& model, const LabelledSample& fresh) {
  return calibration_error(reliability(probabilities(model, scores(model, fresh.X)), fresh.y));
}

Matrix costs_of(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix costs(rows.size(), rows.size());
  std::size_t a = 0;
  for (const auto& row : rows) {
    std::size_t b = 0;
    for (const double cost : row) costs(a, b++) = cost;
    ++a;
  }
  return costs;
}

constexpr std::array svm_and_likelihoods{Method::slb, Method::lu, Method::nb, Method::tan};

TEST(SlowClassCalibration, OfNewRowsIsRight) {
  for (const std::size_t n_classes : {2U, 5U}) {
    const LabelledSample sample = redundant(2000, n_classes, 1);
    const LabelledSample fresh = redundant(10000, n_classes, 2);
    for (const Method method : svm_and_likelihoods)
      for (const CalibrationRule rule : {CalibrationRule::platt, CalibrationRule::isotonic}) {
        FitOptions options = preset_options(Preset::automatic, method);
        options.calibration = rule;
        const Model model = fitted(sample, options);
        EXPECT_LT(calibration_error_of(model, fresh), 0.05)
            << method_names[static_cast<std::size_t>(method)] << " " << n_classes << " "
            << calibration_rule_names[static_cast<std::size_t>(rule)];
        const Matrix p = probabilities(model, scores(model, fresh.X));
        for (std::size_t i = 0; i < p.n_rows; ++i) {
          double sum = 0;
          for (std::size_t k = 0; k < n_classes; ++k) sum += p(i, k);
          EXPECT_NEAR(sum, 1, 1e-9);
        }
      }
    FitOptions options = preset_options(Preset::automatic, Method::nb);
    options.calibration = CalibrationRule::none;
    EXPECT_GT(calibration_error_of(fitted(sample, options), fresh), 0.08);  // the posterior is too sure
  }
}

TEST(ClassCalibration, OfThePaperAndTheExactEngineIsRight) {
  const LabelledSample sample = redundant(400, 3, 1);
  const LabelledSample fresh = redundant(4000, 3, 2);
  for (const Engine engine : {Engine::counts, Engine::exact})
    for (const Method method : {Method::lu, Method::nb, Method::tan})
      EXPECT_LT(calibration_error_of(fitted(sample, {.method = method, .engine = engine}), fresh), 0.08)
          << method_names[static_cast<std::size_t>(method)] << " "
          << engine_names[static_cast<std::size_t>(engine)];
}

TEST(ClassCalibration, ChangesNeitherScoresNorClasses) {
  for (const std::size_t n_classes : {2U, 4U}) {
    const LabelledSample sample = test::class_sample(200, 3, n_classes, 1);
    const LabelledSample fresh = test::class_sample(500, 3, n_classes, 9);
    for (const Preset preset : {Preset::automatic, Preset::paper})
      for (const Method method : svm_and_likelihoods) {
        FitOptions options = preset_options(preset, method);
        options.calibration = CalibrationRule::none;
        const Matrix plain = scores(fitted(sample, options), fresh.X);
        for (const CalibrationRule rule : {CalibrationRule::platt, CalibrationRule::isotonic}) {
          options.calibration = rule;
          const Model model = fitted(sample, options);
          EXPECT_EQ(scores(model, fresh.X).data, plain.data);
          EXPECT_EQ(classify(model, plain), classify(plain));
          const Matrix p = probabilities(model, plain);
          for (std::size_t i = 0; i < p.n_rows; ++i) {
            std::size_t best = 0;
            for (std::size_t k = 1; k < n_classes; ++k)
              if (p(i, k) > p(i, best)) best = k;
            EXPECT_EQ(static_cast<std::int32_t>(best), winning_class(plain, i));
          }
        }
      }
  }
}

TEST(SlowClassCalibration, WithCostsIsThatOfClassesAsFrequentAsTheyAre) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const LabelledSample sample = thinned(redundant(4000, n_classes, 1), 6);
    const LabelledSample fresh = thinned(redundant(20000, n_classes, 2), 6);
    for (const Method method : svm_and_likelihoods) {
      FitOptions options = preset_options(Preset::automatic, method, Objective::balanced);
      if (n_classes == 2) {  // of equally frequent classes
        EXPECT_GT(calibration_error_of(fitted(sample, options), fresh), 0.1);
      }
      options.costs = Matrix(n_classes, n_classes);
      std::ranges::fill(options.costs.data, 1.0);
      EXPECT_LT(calibration_error_of(fitted(sample, options), fresh), 0.05)
          << method_names[static_cast<std::size_t>(method)] << " " << n_classes;
    }
  }
}

TEST(Costs, DecideByTheLeastExpectedCost) {
  const Matrix costs = costs_of({{0, 1, 5}, {2, 0.5, 1}, {7, 3, 0}});
  const LabelledSample sample = test::class_sample(300, 3, 3, 1);
  for (const Method method : {Method::lu, Method::tan}) {
    FitOptions options = preset_options(Preset::automatic, method);
    options.costs = costs;
    const Model model = fitted(sample, options);
    const Matrix all = scores(model, test::class_sample(300, 3, 3, 5).X);
    const Matrix p = probabilities(model, all);
    const auto predicted = classify(model, all);
    EXPECT_NE(predicted, classify(all));
    for (std::size_t i = 0; i < p.n_rows; ++i) {
      const auto cost = [&](std::size_t b) {
        return p(i, 0) * costs(0, b) + p(i, 1) * costs(1, b) + p(i, 2) * costs(2, b);
      };
      for (std::size_t b = 0; b < 3; ++b)
        EXPECT_LE(cost(static_cast<std::size_t>(predicted[i])), cost(b) + 1e-12);
    }
  }
}

TEST(SlowCosts, LowerTheMeanCostOfNewRows) {
  const Matrix costs = costs_of({{0, 1}, {12, 0}});
  const LabelledSample sample = redundant(1500, 2, 1);
  const LabelledSample fresh = redundant(10000, 2, 2);
  for (const Method method : svm_and_likelihoods) {
    FitOptions options = preset_options(Preset::automatic, method);
    const auto cost_of = [&](const Model& model) {
      return mean_cost(confusion(fresh.y, classify(model, scores(model, fresh.X)), 2), costs);
    };
    const double plain = cost_of(fitted(sample, options));
    options.costs = costs;
    EXPECT_LT(cost_of(fitted(sample, options)), 0.6 * plain);
  }
}

TEST(Costs, OfOneForEachWrongClassPredictTheMostProbable) {
  const LabelledSample sample = test::class_sample(200, 3, 3, 1);
  FitOptions options = preset_options(Preset::automatic, Method::nb);
  options.costs = costs_of({{0, 1, 1}, {1, 0, 1}, {1, 1, 0}});
  const Model model = fitted(sample, options);
  const Matrix all = scores(model, sample.X);
  const Matrix p = probabilities(model, all);
  const auto predicted = classify(model, all);
  for (std::size_t i = 0; i < p.n_rows; ++i)
    for (std::size_t k = 0; k < 3; ++k)
      EXPECT_GE(p(i, static_cast<std::size_t>(predicted[i])), p(i, k) - 1e-12);
}

TEST(Costs, ThatMakeNoSenseAreRefused) {
  const LabelledSample sample = test::class_sample(40, 3, 2, 1);
  const auto error_of = [&](Matrix costs) -> std::string {
    try {
      static_cast<void>(fitted(sample, {.method = Method::nb, .costs = std::move(costs)}));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(error_of(costs_of({{0, 1}, {-3, 0}})), "a cost must be finite and not negative, got -3");
  EXPECT_EQ(error_of(costs_of({{0, std::numeric_limits<double>::infinity()}, {1, 0}})),
            "a cost must be finite and not negative, got inf");
  EXPECT_EQ(error_of(costs_of({{0, std::numeric_limits<double>::quiet_NaN()}, {1, 0}})),
            "a cost must be finite and not negative, got nan");
  EXPECT_EQ(error_of(Matrix(2, 3)),
            "costs must be a table of 2 x 2, one for each class and prediction, got 2 x 3");
}

TEST(ClassCalibration, TakesAClassOfOneRow) {
  for (const std::size_t n_classes : {2U, 3U}) {
    LabelledSample sample = test::class_sample(60, 3, n_classes, 1);
    const auto last = static_cast<std::int32_t>(n_classes - 1);
    std::size_t rows_of_last = 0;
    for (std::int32_t& code : sample.y)
      if (code == last && ++rows_of_last > 1) code = 0;
    for (const Method method : svm_and_likelihoods)
      for (const CalibrationRule rule :
           {CalibrationRule::none, CalibrationRule::platt, CalibrationRule::isotonic})
        for (const Engine engine : {Engine::counts, Engine::exact})
          for (const bool with_costs : {false, true}) {
            FitOptions options = preset_options(Preset::automatic, method);
            options.calibration = rule;
            options.engine = engine;
            if (with_costs) {
              options.costs = Matrix(n_classes, n_classes);
              std::ranges::fill(options.costs.data, 1.0);
            }
            const Model model = fitted(sample, options);
            const Matrix p = probabilities(model, scores(model, sample.X));
            for (const double value : p.data) EXPECT_TRUE(value >= 0 && value <= 1);
          }
  }
}

}  // namespace
}  // namespace dyad
