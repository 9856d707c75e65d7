// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/prediction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "dyad/fit/fit.h"
#include "tests/model_samples.h"
#include "tests/oracles.h"

namespace dyad {
namespace {

TEST(Model, InCoordinatesAppliesEachToItsColumn) {
  const LabelledSample sample = test::class_sample(40, 3, 2, 1);
  const auto coordinates = fit_coordinates(sample.X, Transform::robust, {});
  const Matrix z = in_coordinates(coordinates, sample.X);
  for (std::size_t j = 0; j < 3; ++j) {
    const auto expected = oracle::robust_coordinate(sample.X.column(j), sample.X.column(j));
    for (std::size_t i = 0; i < 40; ++i) EXPECT_NEAR(z(i, j), expected[i], 1e-12);
  }
  EXPECT_EQ(in_coordinates({}, sample.X).data, sample.X.data);
}

Symmetric2 bandwidth_of(const Kde2d& kde) {
  return {kde.H.xx * kde.unit_x * kde.unit_x, kde.H.xy * kde.unit_x * kde.unit_y,
          kde.H.yy * kde.unit_y * kde.unit_y};
}

/// The score, written out: coordinates, log densities with pseudo-rows or features, weights.
TEST(Model, ScoresAreSumsOfTermsInCoordinates) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const LabelledSample sample = test::class_sample(60, 3, n_classes, 1);
    FitOptions options = preset_options(Preset::automatic);
    options.engine = Engine::exact;
    FitReport report;
    const Model model = fit(sample, options, {}, report);
    ASSERT_TRUE(std::ranges::any_of(model.terms, &Term::is_linear));
    ASSERT_TRUE(std::ranges::any_of(model.terms, &Term::is_pair));
    const LabelledSample fresh = test::class_sample(10, 3, n_classes, 33);
    Matrix z(10, 3);
    LabelledSample train = sample;
    for (std::size_t j = 0; j < 3; ++j) {
      std::ranges::copy(oracle::robust_coordinate(sample.X.column(j), fresh.X.column(j)),
                        z.column(j).begin());
      std::ranges::copy(oracle::robust_coordinate(sample.X.column(j), sample.X.column(j)),
                        train.X.column(j).begin());
    }
    const Matrix result = scores(model, fresh.X);
    for (std::size_t i = 0; i < 10; ++i)
      for (std::size_t k = 0; k < model.n_scores(); ++k) {
        double expected = model.intercepts[k];
        double size = 0;
        for (std::size_t t = 0; t < model.terms.size(); ++t) {
          const Term& term = model.terms[t];
          double value = z(i, term.i);
          if (!term.is_linear()) {
            const Matrix X = rows_of_class(train, term.class_code);
            const auto n = static_cast<double>(X.n_rows);
            if (const auto* one = std::get_if<Kde1d>(&term.density))
              value = oracle::with_pseudo_rows(
                  n, 3, std::array{value},
                  std::log(oracle::density_1d(X.column(term.i), one->bandwidth, value)));
            else
              value = oracle::with_pseudo_rows(
                  n, 3, std::array{z(i, term.i), z(i, term.j)},
                  std::log(oracle::density_2d(X.column(term.i), X.column(term.j),
                                              bandwidth_of(std::get<Kde2d>(term.density)), z(i, term.i),
                                              z(i, term.j))));
          }
          expected += model.weights(k, t) * (value - term.centre);
          size += std::abs(model.weights(k, t) * (value - term.centre));
        }
        EXPECT_NEAR(result(i, k), expected, 1e-9 * (1 + size));
      }
  }
}

TEST(Model, ExplanationsWithLinearTermsAddUp) {
  for (const std::size_t n_classes : {2U, 3U})
    for (const Engine engine : {Engine::counts, Engine::exact}) {
      const LabelledSample sample = test::class_sample(60, 3, n_classes, 1);
      FitOptions options = preset_options(Preset::automatic);
      options.engine = engine;
      FitReport report;
      const Model model = fit(sample, options, {}, report);
      const Matrix all = scores(model, sample.X);
      const Matrix z = in_coordinates(model.coordinates, sample.X);
      for (const std::size_t i : {0U, 17U}) {
        const Explanation explanation =
            explain(model, std::vector<double>{sample.X(i, 0), sample.X(i, 1), sample.X(i, 2)});
        for (std::size_t k = 0; k < model.n_scores(); ++k) {
          double sum = model.intercepts[k];
          double size = std::abs(sum);
          for (std::size_t t = 0; t < model.terms.size(); ++t) {
            const Term& term = model.terms[t];
            const double contribution = explanation.contributions(k, t);
            if (term.is_linear()) {
              EXPECT_EQ(explanation.values[t], z(i, term.i));
              EXPECT_DOUBLE_EQ(contribution, model.weights(k, t) * (z(i, term.i) - term.centre));
            }
            sum += contribution;
            size += std::abs(contribution);
          }
          EXPECT_NEAR(sum, all(i, k), 1e-9 * size);
          EXPECT_NEAR(explanation.scores[k], all(i, k), 1e-9 * size);
        }
      }
    }
}

TEST(Model, LinearTermIsTheFeature) {
  const Term term = linear_term(1);
  EXPECT_TRUE(term.is_linear());
  EXPECT_FALSE(term.is_pair());
  const LabelledSample sample = test::class_sample(20, 3, 2, 1);
  const auto column = sample.X.column(1);
  EXPECT_EQ(term_values(std::array{term}, sample.X).data, std::vector<double>(column.begin(), column.end()));
}

TEST(Model, ScoresOfManyRowsAreThoseOfEach) {
  // Rows are handled in blocks.
  FitReport report;
  const Model model = fit(test::class_sample(60, 3, 2, 1), preset_options(Preset::automatic), {}, report);
  const LabelledSample fresh = test::class_sample(1300, 3, 2, 9);
  const Matrix all = scores(model, fresh.X);
  for (const std::size_t i : {0U, 511U, 512U, 1023U, 1024U, 1299U}) {
    const std::vector<std::size_t> row{i};
    EXPECT_EQ(scores(model, rows_of(fresh, row).X)(0, 0), all(i, 0)) << i;
  }
}

TEST(Model, ProbabilitiesOfARowAddUpToOneWhereTheWinnerIsRaised) {
  for (const std::size_t n_classes : {2U, 3U}) {
    FitReport report;
    Model model = fit(test::class_sample(60, 2, n_classes, 1), {.method = Method::nb}, {}, report);
    // The calibration contradicts the scores next to the boundary.
    model.calibrations.assign(model.n_scores(), {1, 0});
    model.calibrations.back().offset = -0.1;
    Matrix scores(100, model.n_scores());
    for (std::size_t i = 0; i < 100; ++i)
      scores(i, model.n_scores() - 1) = 0.001 * static_cast<double>(i + 1);
    const Matrix p = probabilities(model, scores);
    for (std::size_t i = 0; i < 100; ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < n_classes; ++k) sum += p(i, k);
      EXPECT_NEAR(sum, 1, 4e-16) << i;
      for (std::size_t k = 0; k + 1 < n_classes; ++k) EXPECT_GT(p(i, n_classes - 1), p(i, k)) << i;
    }
  }
}

TEST(Model, ContributionsOfLargeWeightsAreFiniteAndAddUpToTheScores) {
  const LabelledSample sample = test::class_sample(60, 3, 3, 1);
  FitReport report;
  Model model = fit(sample, preset_options(Preset::automatic), {}, report);
  for (const double weight : {model.weights(0, 0), 1e308}) {
    model.weights(0, 0) = weight;
    const Matrix X = sample.X;
    const Matrix all = scores(model, X);
    const Matrix values = term_values(model.terms, in_coordinates(model.coordinates, X));
    for (std::size_t k = 0; k < model.n_scores(); ++k) {
      const Matrix parts = contributions(model, values, k);
      for (std::size_t i = 0; i < X.n_rows; ++i) {
        double sum = model.intercepts[k];
        for (std::size_t t = 0; t < model.terms.size(); ++t) sum += parts(i, t);
        EXPECT_TRUE(std::isfinite(sum));
        EXPECT_NEAR(sum, all(i, k), 1e-12 * (1 + std::abs(all(i, k))));
      }
    }
  }
}

}  // namespace
}  // namespace dyad
