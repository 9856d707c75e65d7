// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/survey.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "dyad/base/random.h"
#include "tests/chunks.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

Chunk some_rows(std::size_t n, std::size_t n_classes = 2) {
  return chunk_of(test::mixed_table({.n_rows = n, .n_classes = n_classes, .missing = 0.05}));
}

Survey survey_of(const Chunk& chunk, std::size_t most) {
  Survey survey{.most_rows = most};
  add(survey, chunk, 0);
  return in_order(survey);
}

TEST(Survey, KeepsFewRowsAsTheyAre) {
  const Table table = test::mixed_table({.n_rows = 300, .missing = 0.1});
  const Survey survey = survey_of(chunk_of(table), 1000);
  const LabelledSample sample = sample_of(survey);
  const LabelledSample expected = labelled_sample(table);
  EXPECT_TRUE(survey.is_whole());
  EXPECT_EQ(sample.y, expected.y);
  EXPECT_EQ(sample.levels, expected.levels);
  for (std::size_t k = 0; k < sample.X.data.size(); ++k)
    EXPECT_TRUE(sample.X.data[k] == expected.X.data[k] ||
                (std::isnan(sample.X.data[k]) && std::isnan(expected.X.data[k])));
}

TEST(Survey, CountsRowsLevelsAndGaps) {
  const Chunk chunk = some_rows(500, 3);
  const Survey survey = survey_of(chunk, 60);
  EXPECT_EQ(survey.n_rows(), 500U);
  EXPECT_EQ(survey.class_rows, (std::vector<std::uint64_t>{167, 167, 166}));
  for (std::size_t j = 0; j < chunk.features.size(); ++j) {
    std::map<double, std::uint64_t> counts;
    std::uint64_t n_missing = 0;
    for (const double value : chunk.X.column(j)) std::isnan(value) ? ++n_missing : ++counts[value];
    EXPECT_EQ(survey.features[j].n_missing, n_missing);
    if (!survey.features[j].is_categorical()) continue;
    for (std::size_t k = 0; k < survey.features[j].levels.size(); ++k)
      EXPECT_EQ(survey.features[j].level_rows[k], counts[static_cast<double>(k)]);
  }
}

TEST(Survey, SamplesAsManyOfEachClassWhileItHasThem) {
  Chunk chunk = some_rows(4000, 3);
  for (std::size_t i = 0; i < chunk.n_rows(); ++i) chunk.y[i] = i % 100 == 0 ? 2 : i % 4 == 0 ? 1 : 0;
  const Survey survey = survey_of(chunk, 640);
  std::map<std::int32_t, std::size_t> counts;
  for (const std::int32_t c : survey.sample.y) ++counts[c];
  EXPECT_EQ(counts[2], 40U);  // all that there are
  EXPECT_EQ(counts[0], 300U);
  EXPECT_EQ(counts[1], 300U);
}

/// The sample of a class by its definition: the rows of least hashes.
TEST(Survey, SamplesTheRowsOfLeastHashes) {
  const Chunk chunk = some_rows(3000);
  const Survey survey = survey_of(chunk, 200);
  for (std::int32_t c = 0; c < 2; ++c) {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> ranked;
    for (std::size_t i = 0; i < chunk.n_rows(); ++i)
      if (chunk.y[i] == c) ranked.emplace_back(hashed(i), i);
    std::ranges::sort(ranked);
    std::vector<std::uint64_t> expected;
    for (std::size_t k = 0; k < 100; ++k) expected.push_back(ranked[k].second);
    std::ranges::sort(expected);
    std::vector<std::uint64_t> sampled;
    for (std::size_t i = 0; i < survey.sample.size(); ++i)
      if (survey.sample.y[i] == c) sampled.push_back(survey.sample.numbers[i]);
    EXPECT_EQ(sampled, expected);
  }
}

/// The stated error of quantiles: Dvoretzky, Kiefer, Wolfowitz, Massart.
TEST(Survey, SharesBelowAnyValueAreThoseOfTheSample) {
  const Chunk chunk = chunk_of(test::class_table(100000, 2, 2, 5));
  const Survey survey = survey_of(chunk, 8000);
  std::vector<double> all;
  std::vector<double> sampled;
  for (std::size_t i = 0; i < chunk.n_rows(); ++i)
    if (chunk.y[i] == 0) all.push_back(chunk.X(i, 1));
  for (std::size_t i = 0; i < survey.sample.size(); ++i)
    if (survey.sample.y[i] == 0) sampled.push_back(survey.sample.values[2 * i + 1]);
  std::ranges::sort(all);
  std::ranges::sort(sampled);
  const double bound = std::sqrt(std::log(2 / 1e-6) / (2.0 * static_cast<double>(sampled.size())));
  for (std::size_t k = 0; k < sampled.size(); ++k) {
    const auto below = std::ranges::lower_bound(all, sampled[k]) - all.begin();
    EXPECT_NEAR(static_cast<double>(below) / static_cast<double>(all.size()),
                static_cast<double>(k) / static_cast<double>(sampled.size()), bound);
  }
}

TEST(Survey, HasFeaturesThatAreEmptyConstantOrVary) {
  Chunk chunk = some_rows(400);
  chunk.X.column(0)[7] = NAN;
  for (std::size_t i = 0; i < 400; ++i) {
    if (i != 7) chunk.X(i, 0) = 1;
    chunk.X(i, 1) = NAN;
    chunk.X(i, 2) = 3;
    chunk.X(i, 3) = i == 9 ? 1 : 0;
  }
  chunk.levels[3].names = {"u", "v"};
  Survey survey{.most_rows = 4};
  add(survey, chunk, 0);
  using enum FeatureValues;
  const std::vector<FeatureValues> expected{vary, none, constant,
                                            vary};  // rows 7 and 9 are not in the sample
  for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(values_of(survey, j), expected[j]) << j;
}

TEST(Survey, RefusesRowsThatDoNotGoTogetherAndStaysAsItWas) {
  const Chunk chunk = some_rows(50);
  Survey survey{.most_rows = 100};
  add(survey, chunk, 0);
  const auto expect_refused = [&](const Chunk& other, const std::string& part) {
    try {
      add(survey, other, 50);
      FAIL() << part;
    } catch (const std::invalid_argument& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
    EXPECT_EQ(survey.n_rows(), 50U);
    EXPECT_EQ(survey.sample.size(), 50U);
  };
  Chunk other = chunk;
  other.features[1] = "z";
  expect_refused(other, "feature 2 is 'z', where other rows have 'x1'");
  other = chunk;
  other.levels[0].names = {"a", "b"};
  for (double& value : other.X.column(0)) value = 1;
  expect_refused(other, "column 'x0' has text in some rows and numbers in others");
  other = chunk;
  other.X(3, 2) = INFINITY;
  expect_refused(other, "column 'x2' has a value that is not finite in row 54");
  other = chunk;
  other.weights.assign(50, 1);
  other.weights[7] = -1;
  expect_refused(other, "the weight of row 58 must be between 0 and");
}

TEST(Survey, OrdersClassesAsAFitDoes) {
  Chunk chunk = some_rows(20);
  chunk.classes = {"10", "9"};
  Survey survey{.most_rows = 100};
  add(survey, chunk, 0);
  chunk.classes = {"9", "unused"};
  std::ranges::fill(chunk.y, 0);
  add(survey, chunk, 20);
  EXPECT_EQ(in_order(survey).classes, (std::vector<std::string>{"9", "10"}));
  EXPECT_EQ(in_order(survey).class_rows, (std::vector<std::uint64_t>{30, 10}));
  survey.label_type = ValueType::text;
  EXPECT_EQ(in_order(survey).classes, (std::vector<std::string>{"10", "9"}));
}

TEST(Survey, HasOneClassForTruthsAndNumbersOfOneValue) {
  Chunk chunk = some_rows(20);
  chunk.classes = {"False", "True"};
  chunk.label_type = ValueType::boolean;
  Chunk numbers = chunk;
  numbers.classes = {"0", "1"};
  numbers.label_type = ValueType::integer;
  Survey one{.most_rows = 100};
  add(one, chunk, 0);
  add(one, numbers, 20);
  Survey other{.most_rows = 100};
  add(other, numbers, 20);
  Survey truths{.most_rows = 100};
  add(truths, chunk, 0);
  add(other, truths);
  for (const Survey& survey : {in_order(one), in_order(other)}) {
    EXPECT_EQ(survey.classes, (std::vector<std::string>{"0", "1"}));
    EXPECT_EQ(survey.label_type, ValueType::integer);
    EXPECT_EQ(survey.class_rows, (std::vector<std::uint64_t>{20, 20}));
  }
}

TEST(Survey, RefusesTextWhereOtherRowsHaveNumbersAndStaysAsItWas) {
  Chunk numbers = some_rows(20);
  numbers.label_type = ValueType::text;
  numbers.level_types.assign(numbers.features.size(), ValueType::integer);
  Survey survey{.most_rows = 100};
  add(survey, numbers, 0);
  const auto refuses = [&](const Chunk& chunk) {
    Survey other{.most_rows = 100};
    add(other, chunk, 20);
    EXPECT_THROW(add(survey, other), std::invalid_argument);
    EXPECT_THROW(add(survey, chunk, 20), std::invalid_argument);
    EXPECT_EQ(survey.n_rows(), 20U);
  };
  Chunk chunk = numbers;
  chunk.level_types.assign(chunk.features.size(), ValueType::text);
  refuses(chunk);
  chunk = numbers;
  chunk.classes = {"0", "1"};
  chunk.label_type = ValueType::integer;
  refuses(chunk);
}

TEST(Survey, TakesLevelsOfAnUnknownTypeThatLookLikeTheOthers) {
  using Names = std::vector<std::string>;
  const auto rows = [](const Names& names, ValueType type) {
    Chunk chunk = some_rows(20);
    for (double& code : chunk.X.column(3)) code = std::isnan(code) ? code : 0;
    chunk.levels[3].names = names;
    chunk.level_types.assign(chunk.features.size(), ValueType::unknown);
    chunk.level_types[3] = type;
    return chunk;
  };
  struct Case {
    Names of_file;
    Names others;
    ValueType type;
    bool fits;
  };
  for (const auto& [of_file, others, type, fits] : std::vector<Case>{
           {{"0", "1"}, {"1", "2"}, ValueType::integer, true},
           {{"0", "1.5"}, {"1", "2"}, ValueType::integer, true},
           {{"01", "02"}, {"1", "2"}, ValueType::integer, false},
           {{"x", "1"}, {"1", "2"}, ValueType::real, false},
           {{"x", "1"}, {"1", "2"}, ValueType::text, true},
           {{"False", "True"}, {"False", "True"}, ValueType::boolean, true},
           {{"false", "true"}, {"False", "True"}, ValueType::boolean, false},
           {{"0", "1"}, {"False", "True"}, ValueType::boolean, false},
           {{"False", "True"}, {"0", "1"}, ValueType::integer, false},
       }) {
    const Chunk a = rows(of_file, ValueType::unknown);
    const Chunk b = rows(others, type);
    for (const auto& [first, second] : {std::pair{&a, &b}, std::pair{&b, &a}}) {
      Survey survey{.most_rows = 100};
      Survey other{.most_rows = 100};
      add(survey, *first, 0);
      add(other, *second, 20);
      if (fits) {
        add(survey, other);
        EXPECT_EQ(survey.n_rows(), 40U) << of_file[0] << others[0];
      } else {
        EXPECT_THROW(add(survey, other), std::invalid_argument) << of_file[0] << others[0];
        EXPECT_THROW(add(survey, *second, 20), std::invalid_argument) << of_file[0] << others[0];
      }
    }
  }
}

TEST(Survey, RefusesLevelsWithoutEndAndStaysAsItWas) {
  Chunk chunk = some_rows(10);
  chunk.levels[3].names.clear();
  for (int k = 0; k < 1'000'001; ++k) chunk.levels[3].names.push_back(std::to_string(10'000'000 + k));
  Survey survey{.most_rows = 100};
  add(survey, some_rows(10), 0);
  for (int k = 0; k < 2; ++k) {
    EXPECT_THROW(add(survey, chunk, 10), std::invalid_argument);
    EXPECT_EQ(survey.n_rows(), 10U);
    EXPECT_EQ(survey.features[3].levels.size(), survey.features[3].level_rows.size());
  }
}

TEST(Survey, PoolsLevelsAsAFitDoes) {
  LabelledSample sample = test::mixed_sample({.n_rows = 400, .n_levels = 9});
  const Survey survey = survey_of(chunk_of(test::mixed_table({.n_rows = 400, .n_levels = 9})), 1000);
  pool_rare_levels(sample, 5);
  for (std::size_t j = 0; j < survey.features.size(); ++j)
    if (survey.features[j].is_categorical()) {
      EXPECT_EQ(frequent_levels(survey.features[j].levels, survey.features[j].level_weights, false, 5),
                sample.levels[j]);
    }
}

}  // namespace
}  // namespace dyad
