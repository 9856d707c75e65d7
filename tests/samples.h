// Samples that tests draw or load.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "dyad/base/random.h"
#include "dyad/data/row_weights.h"
#include "dyad/io/csv.h"
#include "tests/places.h"

namespace dyad::test {

/// A missing number.
constexpr double gap = std::numeric_limits<double>::quiet_NaN();

inline std::vector<double> normal_sample(std::size_t n, std::uint64_t seed) {
  Random random(seed);
  std::vector<double> x(n);
  for (double& value : x) value = random.normal();
  return x;
}

/// share * x + noise of the other share, a sample correlated with x.
inline std::vector<double> correlated_with(const std::vector<double>& x, double share, std::uint64_t seed) {
  auto y = normal_sample(x.size(), seed);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] = share * x[i] + std::sqrt(1 - share * share) * y[i];
  return y;
}

inline std::vector<double> scaled(std::vector<double> x, double factor, double shift = 0) {
  for (double& value : x) value = factor * value + shift;
  return x;
}

/// Weights of n rows: `least` and the three whole numbers after it.
inline RowWeights whole_weights(std::size_t n, std::uint64_t seed, std::uint32_t least = 1) {
  Random random(seed);
  RowWeights weights{std::vector<std::uint32_t>(n), 1};
  for (auto& count : weights.counts) count = least + static_cast<std::uint32_t>(random.below(4));
  return weights;
}

/// Each element as often as its weight says.
template <class T>
std::vector<T> repeated(const std::vector<T>& x, const RowWeights& weights) {
  std::vector<T> result;
  for (std::size_t i = 0; i < x.size(); ++i) result.insert(result.end(), weights.counts[i], x[i]);
  return result;
}

/// |actual - expected| <= tolerance * |expected| + absolute.
inline void expect_close(double actual, double expected, double tolerance, const std::string& what = "",
                         double absolute = 0) {
  EXPECT_LE(std::abs(actual - expected), tolerance * std::abs(expected) + absolute)
      << what << ": got " << actual << ", expected " << expected;
}

// --- golden values ---

/// Reads tests/data/golden/<name>.csv.
inline Table golden_table(const std::string& name) {
  CsvOptions options;
  return read_csv(source_folder() + "/tests/data/golden/" + name + ".csv", options);
}

inline const Column& column_of(const Table& table, const std::string& name) {
  for (const Column& column : table.features)
    if (column.name == name) return column;
  throw std::out_of_range("no column " + name);
}

inline const std::vector<double>& numbers(const Table& table, const std::string& name) {
  return std::get<NumericColumn>(column_of(table, name).data).values;
}

inline std::string text(const Table& table, const std::string& name, std::size_t row) {
  const auto& column = std::get<CategoricalColumn>(column_of(table, name).data);
  return column.levels[static_cast<std::size_t>(column.codes[row])];
}

/// The values of column `value`, split by column "sample".
inline std::map<std::string, std::vector<double>> by_sample(const Table& table, const std::string& value) {
  std::map<std::string, std::vector<double>> result;
  const auto& values = numbers(table, value);
  for (std::size_t i = 0; i < table.n_rows; ++i) result[text(table, "sample", i)].push_back(values[i]);
  return result;
}

/// A bivariate sample, or a set of evaluation points.
struct Points {
  std::vector<double> x;
  std::vector<double> y;
};

inline std::map<std::string, Points> points_by_sample(const Table& table) {
  std::map<std::string, Points> result;
  const auto x = by_sample(table, "x");
  const auto y = by_sample(table, "y");
  for (const auto& [sample, values] : x) result[sample] = {values, y.at(sample)};
  return result;
}

/// Calls check(sample, points, golden) for each row of the golden table `name` of a bivariate sample, with
/// golden(column) a number of that row; returns the number of rows.
template <class Check>
std::size_t for_each_golden(const std::string& name, const Check& check) {
  const Table table = golden_table(name);
  const auto inputs = points_by_sample(golden_table("inputs_2d"));
  for (std::size_t k = 0; k < table.n_rows; ++k) {
    const std::string sample = text(table, "sample", k);
    check(sample, inputs.at(sample), [&](const std::string& column) { return numbers(table, column)[k]; });
  }
  return table.n_rows;
}

}  // namespace dyad::test
