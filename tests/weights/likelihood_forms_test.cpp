// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/likelihood_forms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <tuple>

#include "dyad/fit/fit.h"
#include "tests/averages.h"
#include "tests/model_samples.h"
#include "tests/recipes.h"

namespace dyad {
namespace {

using Key = std::tuple<std::int32_t, std::size_t, std::size_t>;

/// A star in the even classes, a chain in the odd ones, edges of quite different strength.
LabelledSample trees(std::size_t n, std::size_t n_classes) {
  LabelledSample sample{Matrix(n, 4), {}, n_classes};
  Random random(11);
  const std::array<double, 3> r{0.95, -0.9, 0.85};
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t c = i % n_classes;
    sample.y.push_back(static_cast<std::int32_t>(c));
    sample.X(i, 0) = random.normal();
    for (std::size_t j = 0; j < 3; ++j) {
      const double parent = sample.X(i, c % 2 == 0 ? 0 : j);
      sample.X(i, j + 1) = r[j] * parent + std::sqrt(1 - r[j] * r[j]) * random.normal();
    }
  }
  return sample;
}

NestedTerms all_terms(std::size_t d, std::size_t n_classes, bool linear) {
  std::vector<RankedPair> ranked;
  for (std::size_t c = 0; c < n_classes; ++c)
    for (std::size_t i = 0; i < d; ++i)
      for (std::size_t j = i + 1; j < d; ++j) ranked.push_back({{static_cast<std::int32_t>(c), i, j}, 0, 1});
  FitOptions options = test::averaging_options();
  options.linear_terms = linear;
  LabelledSample sample{Matrix(2, d), {0, 1}, n_classes};
  for (std::size_t j = 0; j < d; ++j) sample.X(1, j) = 1;  // a constant feature has no pairs
  return nested_terms(sample, ranked, options);
}

/// Forms from the leave-one-out values of all rows.
std::vector<GenerativeForms> forms_of(const LabelledSample& sample, const NestedTerms& terms) {
  FitReport report;
  const auto features = training_features(
      sample, terms.keys, TermOptions{.engine = Engine::exact, .feature_mode = FeatureMode::leave_one_out},
      {}, report);
  std::vector<std::uint32_t> rows(sample.n_rows());
  std::iota(rows.begin(), rows.end(), 0U);
  const Matrix means = class_means(float_rows(features.values), rows, sample.y, {}, sample.n_classes);
  return generative_forms(terms, means, sample.n_classes);
}

std::map<Key, double> weights_of(const LinearForm& form, const NestedTerms& terms) {
  std::map<Key, double> weights;
  for (std::size_t m = 0; m < form.columns.size(); ++m) {
    const TermKey& place = terms.keys[form.columns[m]];
    weights[{place.class_code, place.i, place.j}] += form.weights[m];
  }
  return weights;
}

/// Score k of a model of likelihoods: its own weights less the mean of the others'.
std::map<Key, double> contrast_of(const Model& model, std::size_t k) {
  std::map<Key, double> weights;
  for (std::size_t t = 0; t < model.terms.size(); ++t) {
    const Term& term = model.terms[t];
    double weight = 0;
    for (std::size_t other = 0; other < model.n_scores(); ++other)
      weight += model.weights(other, t) * (other == k ? 1 : -1 / static_cast<double>(model.n_scores() - 1));
    weights[{term.class_code, term.i, term.j}] = weight;
  }
  return weights;
}

TEST(GenerativeForms, AreTheWeightsOfNaiveBayesAndTan) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const LabelledSample sample = trees(100 * n_classes, n_classes);
    const NestedTerms terms = all_terms(4, n_classes, true);
    const auto forms = forms_of(sample, terms);
    ASSERT_EQ(forms.size(), n_classes == 2 ? 1U : 3U);
    FitReport report;
    const Model nb = fit(sample, {.method = Method::nb}, {}, report);
    const Model tan = fit(sample, {.method = Method::tan}, {}, report);
    for (std::size_t k = 0; k < forms.size(); ++k)
      for (std::size_t g = 0; g < 2; ++g) {
        const auto expected = contrast_of(g == 0 ? nb : tan, k);
        const auto weights = weights_of(forms[k][g], terms);
        ASSERT_EQ(weights.size(), expected.size()) << (g == 0 ? "nb" : "tan");
        for (const auto& [key, weight] : expected) {
          ASSERT_TRUE(weights.contains(key));
          EXPECT_DOUBLE_EQ(weights.at(key), weight);
        }
      }
  }
}

TEST(GenerativeForms, LeaveOutEdgesThatAreNoTermsOrHaveNoInformation) {
  const LabelledSample sample = trees(200, 2);
  NestedTerms terms = all_terms(4, 2, false);
  std::erase_if(terms.keys, [](const TermKey& place) {
    return place.is_pair() && (place.class_code == 1 || place.j == 3);
  });
  const auto tan = weights_of(forms_of(sample, terms)[0][1], terms);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(tan.at({1, j, j}), 1) << j;
  EXPECT_EQ(tan.at({0, 0, 0}), 1);  // two edges: -(1 - 2)
  EXPECT_EQ(tan.at({0, 0, 1}), -1);
  EXPECT_EQ(tan.at({0, 3, 3}), -1);
  EXPECT_FALSE(tan.contains({0, 1, 2}));

  // Means by hand: the only pair of class 0 has less than the sum of its features.
  NestedTerms two;
  two.keys = {{0, 0, 0}, {0, 1, 1}, {1, 0, 0}, {1, 1, 1}, {0, 0, 1}, {1, 0, 1}};
  two.sets = {{"all", 6}};
  Matrix means(6, 2);
  means(0, 0) = means(1, 0) = -1;
  means(4, 0) = -2.1;
  means(2, 1) = means(3, 1) = -1;
  means(5, 1) = -1.9;
  const auto by_hand = weights_of(generative_forms(two, means, 2)[0][1], two);
  EXPECT_EQ(by_hand, (std::map<Key, double>{
                         {{0, 0, 0}, -1}, {{0, 1, 1}, -1}, {{1, 0, 0}, 0}, {{1, 1, 1}, 0}, {{1, 0, 1}, 1}}));
}

TEST(GenerativeForms, LikelihoodWeightsAreOneLessTheEdgesOfAFeature) {
  const std::vector<TermKey> places{{0, 0, 0}, {0, 1, 1}, {0, 2, 2}, {1, 0, 0}, {1, 1, 1},
                                    {1, 2, 2}, {0, 0, 1}, {0, 0, 2}, {1, 1, 2}};
  EXPECT_EQ(likelihood_weights(places), (std::vector<double>{-1, 0, 0, 1, 0, 0, 1, 1, 1}));
}

TEST(GenerativeForms, MeansOfClassesCountRowsByWeight) {
  FloatRows values(5, 2);
  for (std::size_t i = 0; i < 5; ++i) {
    values.row(i)[0] = static_cast<float>(i);
    values.row(i)[1] = static_cast<float>(10 * i * i);
  }
  const std::vector<std::int32_t> y{0, 1, 0, 1, 0};
  const std::vector<std::uint32_t> rows{0, 1, 2, 3};  // without the last
  const RowWeights weights{{1, 2, 3, 4, 100}, 1};
  const Matrix means = class_means(values, rows, y, weights, 3);
  EXPECT_DOUBLE_EQ(means(0, 0), (0 + 3 * 2) / 4.0);
  EXPECT_DOUBLE_EQ(means(1, 0), (0 + 3 * 40) / 4.0);
  EXPECT_DOUBLE_EQ(means(0, 1), (2 * 1 + 4 * 3) / 6.0);
  EXPECT_DOUBLE_EQ(means(1, 1), (2 * 10 + 4 * 90) / 6.0);
  EXPECT_EQ(means(0, 2), 0);  // no row
}

}  // namespace
}  // namespace dyad
