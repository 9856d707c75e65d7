// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/screening.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iostream>
#include <limits>
#include <numeric>

#include "dyad/base/pairs.h"
#include "dyad/dependence/counts_hsic.h"
#include "dyad/dependence/false_discovery.h"
#include "dyad/dependence/hsic.h"
#include "tests/places.h"
#include "tests/samples.h"

namespace dyad {
namespace {

/// Two classes of 60 rows each in turn; features 0 and 1 depend on each other in class "a" only.
Table example() {
  const auto first = test::normal_sample(120, 1);
  const auto dependent = test::correlated_with(first, 0.9, 2);
  auto second = test::normal_sample(120, 5);
  Table table;
  table.n_rows = 120;
  table.labels.classes = {"a", "b"};
  for (std::size_t i = 0; i < 120; ++i) {
    table.labels.codes.push_back(static_cast<std::int32_t>(i % 2));
    if (i % 2 == 0) second[i] = dependent[i];
  }
  table.features = {{"x", NumericColumn{first}},
                    {"y", NumericColumn{second}},
                    {"z", NumericColumn{test::normal_sample(120, 6)}}};
  return table;
}

std::vector<ScreenedPair> pairs_of(const ScreenedClass& screened) {
  std::vector<ScreenedPair> pairs;
  for (std::size_t k = 0; k < screened.scores.size(); ++k) pairs.push_back(screened.pair(k));
  return pairs;
}

TEST(Screening, ScoresEachPairWithinEachClass) {
  const Table table = example();
  const auto classes = screen_pairs(table, {.engine = Engine::exact});
  ASSERT_EQ(classes.size(), 2U);
  for (std::int32_t c = 0; c < 2; ++c) {
    const ScreenedClass& screened = classes[static_cast<std::size_t>(c)];
    EXPECT_EQ(screened.label, table.labels.classes[static_cast<std::size_t>(c)]);
    EXPECT_EQ(screened.n_rows, 60U);
    const Matrix X = numeric_rows(table, rows_of_class(table.labels, c));
    std::vector<double> p_values;
    for (const ScreenedPair& pair : pairs_of(screened)) {
      const Hsic expected = hsic(X.column(pair.i), X.column(pair.j));
      test::expect_close(pair.hsic, expected.value, 1e-11);
      test::expect_close(pair.p_value, expected.p_value, 1e-9);
      p_values.push_back(pair.p_value);
    }
    const auto q_values = benjamini_hochberg(p_values);
    for (std::size_t k = 0; k < q_values.size(); ++k) EXPECT_EQ(screened.q_values[k], q_values[k]);
  }
}

TEST(Screening, KeepsADependentPairInItsClassAlone) {
  const auto classes = screen_pairs(example(), {});
  EXPECT_TRUE(classes[0].kept[pair_index(0, 1, 3)]);
  EXPECT_FALSE(classes[0].kept[pair_index(0, 2, 3)]);
  EXPECT_FALSE(classes[1].kept[pair_index(0, 1, 3)]);
}

TEST(Screening, OfOneClassIsThatOfAll) {
  const Table table = example();
  const auto classes = screen_pairs(table, {});
  for (std::size_t c = 0; c < 2; ++c) {
    const ScreenedClass alone = screen_class(table, c, {}, Execution{.threads = 3});
    EXPECT_EQ(alone.label, classes[c].label);
    EXPECT_EQ(alone.n_features, 3U);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(alone.scores[k].value, classes[c].scores[k].value);
      EXPECT_EQ(alone.q_values[k], classes[c].q_values[k]);
    }
  }
}

TEST(Screening, IsTheSameToAPercentWithBothEngines) {
  const Table table = example();
  const auto exact = screen_pairs(table, {.engine = Engine::exact});
  for (const int nodes : {64, 128}) {
    const auto counts = screen_pairs(table, {.engine = Engine::counts, .grid = nodes});
    for (std::size_t c = 0; c < 2; ++c) {
      EXPECT_EQ(counts[c].kept, exact[c].kept);
      for (std::size_t k = 0; k < 3; ++k) {
        const double expected = exact[c].scores[k].value;
        EXPECT_NEAR(counts[c].scores[k].value, expected, std::max(0.01 * expected, 1e-5));
      }
    }
  }
}

TEST(Screening, UsesTheGridItIsGiven) {
  const Table table = example();
  const Matrix X = numeric_rows(table, rows_of_class(table.labels, 0));
  const auto expected = counts_hsic_all_pairs(X, 20);
  const ScreenedClass screened = screen_class(table, 0, {.grid = 20});
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(screened.scores[k].value, expected[k].value);
}

TEST(Screening, PutsTheStrongestPairsFirst) {
  ScreenedClass screened{.n_features = 300};
  Random random(1);
  screened.scores.resize(pair_count(300));
  for (Hsic& score : screened.scores) score.value = std::floor(1000 * random.uniform());  // with ties
  std::vector<std::uint32_t> expected(screened.scores.size());
  std::iota(expected.begin(), expected.end(), std::uint32_t{0});
  std::ranges::stable_sort(expected, std::greater<>(),
                           [&](std::uint32_t k) { return screened.scores[k].value; });
  for (const std::size_t count : {0UL, 1UL, 100UL, 30000UL, expected.size(), 2 * expected.size()}) {
    auto first = expected;
    first.resize(std::min(first.size(), count));
    EXPECT_EQ(strongest_pairs(screened, count), first);
  }
}

TEST(Screening, KeepsByQValueAndByHsic) {
  const Table table = example();
  for (const ScreenedClass& screened : screen_pairs(table, {.fdr = 1}))
    for (const ScreenedPair& pair : pairs_of(screened)) EXPECT_TRUE(pair.kept);
  const auto strongest = screen_pairs(table, {})[0].scores[0].value;
  for (const ScreenedClass& screened : screen_pairs(table, {.fdr = 1, .min_hsic = strongest}))
    for (const ScreenedPair& pair : pairs_of(screened)) EXPECT_EQ(pair.kept, pair.hsic >= strongest);
}

TEST(Screening, ByPermutationIsTheSameOnAnyNumberOfThreads) {
  const Table table = example();
  const ScreenOptions options{.p_value = PValueMethod::permutation, .permutations = 99, .seed = 5};
  const auto one = screen_pairs(table, options, Execution{.threads = 1});
  const auto three = screen_pairs(table, options, Execution{.threads = 3});
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(one[c].scores[k].p_value, three[c].scores[k].p_value);
  EXPECT_EQ(one[0].scores[0].p_value, 0.01);
}

/// Tr(K H L H) / n^2 of kernels given as functions of two rows.
double hsic_by_kernels(std::size_t n, const std::function<double(std::size_t, std::size_t)>& k,
                       const std::function<double(std::size_t, std::size_t)>& l) {
  std::vector<double> k_row(n);
  std::vector<double> l_row(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      k_row[i] += k(i, j) / static_cast<double>(n);
      l_row[i] += l(i, j) / static_cast<double>(n);
    }
  const double k_mean = std::accumulate(k_row.begin(), k_row.end(), 0.0) / static_cast<double>(n);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) sum += (k(i, j) - k_row[i] - k_row[j] + k_mean) * l(i, j);
  return sum / static_cast<double>(n * n);
}

TEST(Screening, TakesCategoriesAndMissingValuesByTheDefinition) {
  Table table = example();
  const double missing = std::numeric_limits<double>::quiet_NaN();
  CategoricalColumn colour{{}, {"red", "green", "blue"}};
  CategoricalColumn shape{{}, {"round", "square"}};
  auto& z = std::get<NumericColumn>(table.features[2].data).values;
  for (std::size_t i = 0; i < 120; ++i) {
    colour.codes.push_back(i % 17 == 3 ? CategoricalColumn::missing : static_cast<std::int32_t>(i / 2 % 3));
    shape.codes.push_back(i / 4 % 3 == 0 ? 1 : 0);
    if (i % 7 == 2) z[i] = missing;
  }
  table.features[0].data = colour;
  table.features[1].data = shape;
  const auto rows = rows_of_class(table.labels, 0);
  const auto same = [&](const CategoricalColumn& of) {
    return [&](std::size_t i, std::size_t j) { return of.codes[rows[i]] == of.codes[rows[j]] ? 1.0 : 0.0; };
  };
  std::vector<double> present;
  for (const std::size_t row : rows)
    if (!std::isnan(z[row])) present.push_back(z[row]);
  const double width = median_bandwidth(present);
  const auto of_numbers = [&](std::size_t i, std::size_t j) {
    const double a = z[rows[i]];
    const double b = z[rows[j]];
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 1.0 : 0.0;
    return std::exp(-(a - b) * (a - b) / (2 * width * width));
  };
  const ScreenedClass screened = screen_class(table, 0, {});
  const std::size_t n = rows.size();
  test::expect_close(screened.pair(0).hsic, hsic_by_kernels(n, same(colour), same(shape)), 1e-6);
  test::expect_close(screened.pair(1).hsic, hsic_by_kernels(n, same(colour), of_numbers), 0.01);
  test::expect_close(screened.pair(2).hsic, hsic_by_kernels(n, same(shape), of_numbers), 0.01);
}

TEST(Screening, TakesRareLevelsAsOne) {
  Table table = example();
  CategoricalColumn city;
  for (std::int32_t k = 0; k < 80; ++k) city.levels.push_back("city " + std::to_string(100 + k));
  for (std::size_t i = 0; i < 120; ++i)
    city.codes.push_back(static_cast<std::int32_t>(i < 40 ? i / 2 % 10 : i - 40));
  table.features[0].data = city;
  EXPECT_EQ(most_screened_levels({.grid = 16}), 15U);
  const auto scores = screen_class(table, 0, {.grid = 16}).scores;
  for (auto& code : city.codes)
    if (code >= 14) code = 79;
  // Those that are equally frequent are kept by name.
  table.features[0].data = city;
  const auto pooled = screen_class(table, 0, {.grid = 16}).scores;
  for (std::size_t k = 0; k < scores.size(); ++k) EXPECT_EQ(scores[k].value, pooled[k].value);
}

TEST(Screening, NamesTheColumnItCannotTake) {
  const auto message = [](const Table& table, const ScreenOptions& options = {}) {
    try {
      screen_pairs(table, options);
    } catch (const std::invalid_argument& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  Table categorical = example();
  categorical.features[1].data = CategoricalColumn{std::vector<std::int32_t>(120, 0), {"red"}};
  EXPECT_EQ(message(categorical), "no error");
  EXPECT_EQ(message(categorical, {.engine = Engine::exact}),
            "column 'y' is categorical (for example 'red'); the exact engine takes numbers only");
  EXPECT_EQ(message(categorical, {.p_value = PValueMethod::permutation}),
            "column 'y' is categorical (for example 'red'); p_value permutation takes numbers only");
  Table with_gap = example();
  std::get<NumericColumn>(with_gap.features[2].data).values[6] = NAN;
  EXPECT_EQ(message(with_gap), "no error");
  EXPECT_EQ(message(with_gap, {.engine = Engine::exact}),
            "column 'z' has a missing value in row 7; the exact engine takes complete columns only");
  EXPECT_EQ(message(with_gap, {.p_value = PValueMethod::permutation}),
            "column 'z' has a missing value in row 7; p_value permutation takes complete columns only");
  Table one_class = example();
  one_class.labels.classes.pop_back();
  EXPECT_EQ(message(one_class), "the label has only one class, 'a'; at least two are needed");
  Table one_feature = example();
  one_feature.features.resize(1);
  EXPECT_EQ(message(one_feature), "screen needs at least two features, got 1");
  Table weighted = example();
  weighted.weights.assign(120, 1.0);
  EXPECT_EQ(message(weighted), "screen does not take row weights");
  EXPECT_EQ(message(example(), {.fdr = 1.5}), "fdr must be between 0 and 1, got 1.5");
  EXPECT_EQ(message(example(), {.grid = 8}), "grid must be between 16 and 128, got 8");
}

TEST(Screening, PermutesNoMoreRowsThanItCanHold) {
  Table large;
  large.n_rows = 20010;
  large.labels.classes = {"small", "large"};
  large.labels.codes.assign(large.n_rows, 1);
  std::fill_n(large.labels.codes.begin(), 9, 0);
  large.features = {{"x", NumericColumn{test::normal_sample(large.n_rows, 1)}},
                    {"y", NumericColumn{test::normal_sample(large.n_rows, 2)}}};
  // Whichever class is asked for: nothing may come to light after the first was printed.
  for (const std::size_t code : {0U, 1U}) {
    EXPECT_THROW(screen_class(large, code, {.p_value = PValueMethod::permutation}), std::invalid_argument);
    EXPECT_NO_THROW(screen_class(large, code, {}));
  }
}

TEST(SlowScreening, TakesTheSmallerDataSetsOfThePaper) {
  int n_tables = 0;
  for (const std::string name :
       {"blood", "climate", "hill_valley", "hill_valley_noise", "ionosphere", "liver", "ozone", "parkinson",
        "pima", "sonar", "spectf", "vertebral", "wdbc", "wpbc"}) {
    const std::string file = test::table_file(name);
    if (file.empty()) {
      std::cout << "left out, as there is no such table: " << name << '\n';
      continue;
    }
    ++n_tables;
    const Table table = read_csv(file, {.label = "label"});
    for (const ScreenedClass& screened : screen_pairs(table, {}))
      for (const ScreenedPair& pair : pairs_of(screened)) {
        ASSERT_TRUE(pair.hsic > 0 && pair.hsic < 0.25) << name;
        ASSERT_TRUE(pair.p_value >= 0 && pair.p_value <= 1) << name;
      }
  }
  if (n_tables == 0) GTEST_SKIP() << "no tables in data or DYAD_DATA";
}

}  // namespace
}  // namespace dyad
