// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/novelty.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "dyad/base/random.h"
#include "dyad/data/summary.h"
#include "dyad/fit/fit.h"
#include "dyad/model/prediction.h"
#include "tests/fitted.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

using test::fitted;

FitOptions options_of(Method method, Engine engine = Engine::counts) {
  FitOptions options = preset_options(Preset::automatic, method);
  options.engine = engine;
  return options;
}

/// By the definition in the header, one row at a time.
Novelty by_definition(const Model& model, std::span<const double> row) {
  const auto values = explain(model, row).values;
  Novelty least{std::numeric_limits<double>::infinity(), 0};
  for (std::int32_t c = 0; c < static_cast<std::int32_t>(model.n_classes()); ++c) {
    Novelty most{-std::numeric_limits<double>::infinity(), 0};
    for (std::size_t t = 0; t < model.terms.size(); ++t) {
      const Term& term = model.terms[t];
      if (term.class_code != c || term.spread == 0) continue;
      const double surprise = (term.typical - values[t]) / term.spread;
      if (surprise > most.score) most = {surprise, t};
    }
    if (most.score < least.score) least = most;
  }
  return least;
}

TEST(Novelty, IsThatOfTheDefinition) {
  const LabelledSample sample = test::class_sample(120, 4, 3, 1);
  for (const Method method : {Method::slb, Method::nb, Method::tan}) {
    const Model model = fitted(sample, options_of(method));
    const auto all = novelty(model, sample.X);
    for (std::size_t i = 0; i < 20; ++i) {
      std::vector<double> row;
      for (std::size_t j = 0; j < sample.n_features(); ++j) row.push_back(sample.X(i, j));
      const Novelty expected = by_definition(model, row);
      EXPECT_NEAR(all[i].score, expected.score, 1e-9);
      EXPECT_EQ(all[i].term, expected.term);
    }
  }
}

TEST(Novelty, TypicalValuesAreThoseOfRowsLeftOut) {
  const LabelledSample sample = test::class_sample(90, 3, 2, 2);
  FitOptions options = preset_options(Preset::paper, Method::nb);
  options.engine = Engine::exact;
  const Model model = fitted(sample, options);
  const Matrix values = term_values(model.terms, in_coordinates(model.coordinates, sample.X));
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const Term& term = model.terms[t];
    const double own_kernel = 1 / (std::get<Kde1d>(term.density).bandwidth * std::sqrt(2 * std::numbers::pi));
    std::vector<double> own;
    for (std::size_t i = 0; i < sample.n_rows(); ++i)
      if (sample.y[i] == term.class_code)
        own.push_back(std::log((term.n_rows * std::exp(values(i, t)) - own_kernel) / (term.n_rows - 1)));
    EXPECT_NEAR(term.typical, mean(own), 1e-9);
    EXPECT_NEAR(term.spread, standard_deviation(own), 1e-9);
  }
}

TEST(Novelty, TypicalValuesOfCountsAreNearThoseOfTheExactEngine) {
  const LabelledSample sample = test::class_sample(300, 3, 2, 2);
  FitOptions options = preset_options(Preset::paper, Method::nb);
  const Model counts = fitted(sample, options);
  options.engine = Engine::exact;
  const Model exact = fitted(sample, options);
  for (std::size_t t = 0; t < counts.terms.size(); ++t) {
    EXPECT_NEAR(counts.terms[t].typical, exact.terms[t].typical, 0.02);
    EXPECT_NEAR(counts.terms[t].spread, exact.terms[t].spread, 0.05 * exact.terms[t].spread);
  }
}

TEST(Novelty, ScoresOfRowsHaveTheirProbabilities) {
  // One term of one class, typical 0 and spread 1: the score of a value v is -v.
  const std::vector<Term> terms{{{.class_code = 0}, Linear{}, 0, 0, 0, 0, 0, 1}};
  LeftOutRows rows{Matrix(99, 1), std::vector<std::int32_t>(99, 0), std::vector<double>(99, 2.0)};
  for (std::size_t i = 0; i < 99; ++i) rows.values(i, 0) = -static_cast<double>((37 * i) % 99 + 1);
  const auto scores = novelty_scores_of(terms, rows, 1);
  ASSERT_EQ(scores.size(), 33U);  // 10^(-32 / 16) = 1 / 100
  EXPECT_EQ(scores.front(), 1);
  EXPECT_NEAR(scores[16], 90, 1e-9);  // of 99 rows ten have 90 or more
  EXPECT_NEAR(scores.back(), 99, 1e-9);
  EXPECT_EQ(novelty_p_value(scores, -5), 1);
  EXPECT_NEAR(novelty_p_value(scores, 90), 0.1, 1e-9);
  EXPECT_NEAR(novelty_p_value(scores, 95), 0.05, 1e-3);
  EXPECT_NEAR(novelty_p_value(scores, 1e9), 0.01, 1e-9);
  EXPECT_TRUE(std::isnan(novelty_p_value({}, 3)));
}

TEST(Novelty, ScoresCountRowsByTheirWeights) {
  const std::vector<Term> terms{{{.class_code = 0}, Linear{}, 0, 0, 0, 0, 0, 1}};
  LeftOutRows rows{Matrix(20, 1), std::vector<std::int32_t>(20, 0), std::vector<double>(20, 1.0)};
  for (std::size_t i = 0; i < 20; ++i) rows.values(i, 0) = -static_cast<double>(i);
  const double before = novelty_p_value(novelty_scores_of(terms, rows, 1), 15);
  for (std::size_t i = 15; i < 20; ++i) rows.weights[i] = 10;
  EXPECT_NEAR(before, 5.0 / 21, 0.01);
  EXPECT_NEAR(novelty_p_value(novelty_scores_of(terms, rows, 1), 15), 50 / (65 * 21.0 / 20), 0.06);
}

TEST(Novelty, OfEqualScoresHasTheMiddleOfTheirProbabilities) {
  const std::vector<double> scores{1, 2, 3, 3, 3, 4};
  EXPECT_NEAR(novelty_p_value(scores, 3), (std::pow(10, -2.0 / 16) + std::pow(10, -4.0 / 16)) / 2, 1e-12);
  EXPECT_NEAR(novelty_p_value(scores, 2.5), std::pow(10, -1.5 / 16), 1e-12);
  EXPECT_NEAR(novelty_p_value(scores, 3.5), std::pow(10, -4.5 / 16), 1e-12);
  EXPECT_EQ(novelty_p_value(scores, 1), 1);
  EXPECT_EQ(novelty_p_value(scores, 3 + 1e-6), novelty_p_value(scores, 3));
}

/// Rows of a source of two classes.
using Source = LabelledSample (*)(std::size_t n, std::uint64_t seed);

LabelledSample rows_of_source(std::size_t n, std::size_t d, std::uint64_t seed, const auto& value) {
  LabelledSample sample{Matrix(n, d), {}, 2};
  Random random(seed);
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = static_cast<std::int32_t>(random.below(2));
    sample.y.push_back(c);
    for (std::size_t j = 0; j < d; ++j) sample.X(i, j) = value(random, c);
  }
  return sample;
}

LabelledSample normal_rows(std::size_t n, std::uint64_t seed) {
  return rows_of_source(n, 5, seed, [](Random& random, std::int32_t c) { return random.normal() + c; });
}

LabelledSample mixed_normal_rows(std::size_t n, std::uint64_t seed) {
  return rows_of_source(n, 4, seed, [](Random& random, std::int32_t c) {
    return random.uniform() < 0.7 ? random.normal() : 4 + 0.3 * random.normal() + c;
  });
}

LabelledSample heavy_rows(std::size_t n, std::uint64_t seed) {
  return rows_of_source(n, 4, seed, [](Random& random, std::int32_t c) {
    const double squares = std::pow(random.normal(), 2) + std::pow(random.normal(), 2);
    return random.normal() / std::sqrt(squares / 2) + c;  // Student's t with two degrees of freedom
  });
}

LabelledSample category_rows(std::size_t n, std::uint64_t seed) {
  LabelledSample sample = rows_of_source(n, 5, seed, [](Random& random, std::int32_t c) {
    const double u = random.uniform();
    return std::floor(6 * (c == 0 ? u * u : u * std::sqrt(u)));
  });
  sample.levels.assign(5, {.names = {"a", "b", "c", "d", "e", "f"}});
  return sample;
}

TEST(Novelty, OfNewRowsExceedsTheQuantileOfOneInTwenty) {
  for (const Source source : {normal_rows, mixed_normal_rows, heavy_rows, category_rows})
    for (const Method method : {Method::nb, Method::tan, Method::slb}) {
      double beyond = 0;
      double rows = 0;
      for (std::uint64_t seed = 0; seed < 6; ++seed) {
        const Model model = fitted(source(200, seed), options_of(method));
        for (const Novelty& row : novelty(model, source(500, 100 + seed).X)) {
          if (row.term == Novelty::no_term) continue;  // a model of linear terms alone
          ++rows;
          beyond += row.p_value < 0.05 ? 1 : 0;
        }
      }
      EXPECT_GT(beyond / rows, 0.03);
      EXPECT_LT(beyond / rows, 0.08);
    }
}

TEST(Novelty, FindsThePairThatDoesNotGoTogether) {
  LabelledSample sample = test::class_sample(300, 4, 2, 3);
  for (std::size_t i = 0; i < sample.n_rows(); ++i) sample.X(i, 2) = sample.X(i, 1) + 0.1 * sample.X(i, 2);
  const Model model = fitted(sample, options_of(Method::slb_minus));
  std::vector<double> usual = [](const auto& all) {
    std::vector<double> result;
    for (const Novelty& of_row : all) result.push_back(of_row.score);
    return result;
  }(novelty(model, sample.X));
  // Each value alone is an ordinary one.
  Matrix row(1, 4);
  for (std::size_t j = 0; j < 4; ++j) row(0, j) = mean(sample.X.column(j));
  row(0, 1) += standard_deviation(sample.X.column(1));
  row(0, 2) -= standard_deviation(sample.X.column(2));
  const Novelty found = novelty(model, row).front();
  EXPECT_GT(found.score, quantile(usual, 0.99));
  EXPECT_EQ(model.terms[found.term].i, 1U);
  EXPECT_EQ(model.terms[found.term].j, 2U);
}

TEST(Novelty, IsNotThatOfValuesThatNoRowHad) {
  // Classes far apart: of the rows of all, a term's mean is far below what is typical of its class.
  LabelledSample sample = test::class_sample(300, 3, 3, 5);
  for (std::size_t i = 0; i < sample.n_rows(); ++i)
    for (std::size_t j = 0; j < 3; ++j) sample.X(i, j) += 8.0 * sample.y[i];
  for (const Method method : {Method::slb, Method::lu, Method::nb, Method::tan}) {
    const Model model = fitted(sample, options_of(method));
    const std::vector<double> row{sample.X(4, 0), sample.X(4, 1), sample.X(4, 2)};
    for (std::size_t gap = 0; gap < 3; ++gap) {
      Matrix X(1, 3);
      for (std::size_t j = 0; j < 3; ++j)
        X(0, j) = j == gap ? std::numeric_limits<double>::quiet_NaN() : row[j];
      Model without = model;  // the terms of that feature
      for (Term& term : without.terms)
        if (term.i == gap || term.j == gap) term.spread = 0;
      EXPECT_NEAR(novelty(model, X).front().score, by_definition(without, row).score, 1e-9);
    }
    Matrix nothing(1, 3);
    std::ranges::fill(nothing.data, std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(novelty(model, nothing).front().score, 0);
  }
}

TEST(Novelty, IsNotThatOfALevelThatNoRowHad) {
  const LabelledSample sample = test::mixed_sample({.n_rows = 300, .n_classes = 3, .missing = 0.1});
  const Model model = fitted(sample, options_of(Method::slb));
  std::vector<double> row;
  for (std::size_t j = 0; j < sample.n_features(); ++j) row.push_back(sample.X(0, j));
  for (std::size_t j = 3; j < 6; ++j) {
    Matrix X(1, 6);
    for (std::size_t m = 0; m < 6; ++m) X(0, m) = m == j ? 1000 : row[m];
    Model without = model;
    for (Term& term : without.terms)
      if (term.i == j || term.j == j) term.spread = 0;
    EXPECT_NEAR(novelty(model, X).front().score, by_definition(without, row).score, 1e-9);
    // A missing value is one that rows had.
    X(0, j) = std::numeric_limits<double>::quiet_NaN();
    auto with_gap = row;
    with_gap[j] = X(0, j);
    EXPECT_NEAR(novelty(model, X).front().score, by_definition(model, with_gap).score, 1e-9);
  }
}

TEST(Novelty, GrowsFarFromAllRows) {
  const LabelledSample sample = test::class_sample(200, 3, 2, 4);
  const Model model = fitted(sample, options_of(Method::lu));
  double last = -1e9;
  for (const double far : {3.0, 6.0, 12.0, 24.0}) {
    Matrix row(1, 3);
    for (std::size_t j = 0; j < 3; ++j)
      row(0, j) = mean(sample.X.column(j)) + far * standard_deviation(sample.X.column(j));
    const double score = novelty(model, row).front().score;
    EXPECT_GT(score, last);
    last = score;
  }
}

TEST(Novelty, ClassOfOneRowDoesNotHideTheOthers) {
  LabelledSample sample = test::class_sample(121, 3, 2, 5);
  sample.y.back() = 2;
  sample.n_classes = 3;
  Matrix row(1, 3);
  for (std::size_t j = 0; j < 3; ++j) row(0, j) = 50;
  for (const Method method : {Method::nb, Method::lu}) {
    const Novelty found = novelty(fitted(sample, options_of(method)), row).front();
    EXPECT_GT(found.score, 5);
    EXPECT_NE(found.term, Novelty::no_term);
  }
}

TEST(Novelty, ValuesThatNoTrainingRowHadSurpriseNoTerm) {
  const LabelledSample sample = test::class_sample(120, 3, 2, 6);
  const Model model = fitted(sample, options_of(Method::slb));
  Matrix rows(2, 3);
  for (std::size_t j = 0; j < 3; ++j) rows(0, j) = std::numeric_limits<double>::quiet_NaN();
  rows(1, 1) = std::numeric_limits<double>::quiet_NaN();
  const auto found = novelty(model, rows);
  EXPECT_EQ(found[0].score, 0);
  EXPECT_EQ(found[0].term, Novelty::no_term);
  ASSERT_NE(found[1].term, Novelty::no_term);
  EXPECT_NE(model.terms[found[1].term].i, 1U);
  EXPECT_NE(model.terms[found[1].term].j, 1U);
}

}  // namespace
}  // namespace dyad
