// Labelled samples for the tests of models.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <limits>
#include <string>

#include "dyad/data/labelled_sample.h"
#include "tests/samples.h"

namespace dyad::test {

/// n rows of d features in `n_classes` classes in turn. Features 0 and 1 depend on each other, with a sign
/// that changes from class to class; the last feature is shifted by the class; the others say nothing.
inline LabelledSample class_sample(std::size_t n, std::size_t d, std::size_t n_classes, std::uint64_t seed) {
  LabelledSample sample{Matrix(n, d), {}, n_classes};
  for (std::size_t i = 0; i < n; ++i) sample.y.push_back(static_cast<std::int32_t>(i % n_classes));
  for (std::size_t j = 0; j < d; ++j)
    std::ranges::copy(normal_sample(n, seed + j), sample.X.column(j).begin());
  for (std::size_t i = 0; i < n; ++i) {
    const auto c = static_cast<double>(i % n_classes);
    sample.X(i, 1) = (i % n_classes % 2 == 0 ? 0.9 : -0.9) * sample.X(i, 0) + 0.4 * sample.X(i, 1);
    sample.X(i, d - 1) += 0.8 * c;
  }
  return sample;
}

/// A sample with weights 0 .. 3, and one with copies of its rows instead, in another order.
struct WeightedAndRepeated {
  LabelledSample weighted;
  LabelledSample repeated;
  std::vector<std::size_t> rows;  ///< of `weighted` that those of `repeated` are
};
inline WeightedAndRepeated weighted_and_repeated(LabelledSample sample, std::uint64_t seed) {
  sample.weights = whole_weights(sample.n_rows(), seed, 0);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < sample.n_rows(); ++i) rows.insert(rows.end(), sample.weights.counts[i], i);
  Random(seed).shuffle(rows);
  LabelledSample repeated = rows_of(sample, rows);
  repeated.weights = {};
  return {std::move(sample), std::move(repeated), std::move(rows)};
}

/// The same as a table with columns x0, x1, .. and classes a, b, ..
inline Table class_table(std::size_t n, std::size_t d, std::size_t n_classes, std::uint64_t seed) {
  const LabelledSample sample = class_sample(n, d, n_classes, seed);
  Table table;
  table.n_rows = n;
  for (std::size_t j = 0; j < d; ++j) {
    const auto column = sample.X.column(j);
    table.features.push_back({"x" + std::to_string(j), NumericColumn{{column.begin(), column.end()}}});
  }
  table.labels.codes = sample.y;
  for (std::size_t c = 0; c < n_classes; ++c)
    table.labels.classes.emplace_back(1, static_cast<char>('a' + c));
  return table;
}

/// What a table of numbers and categories has.
struct MixedShape {
  std::size_t n_rows = 150;
  std::size_t n_numbers = 3;
  std::size_t n_categories = 3;
  std::size_t n_classes = 2;
  std::size_t n_levels = 4;   ///< of each category
  double signal = 0.35;       ///< 0 for features that say nothing of the class
  double missing = 0;         ///< share of values
  double missing_in_one = 0;  ///< the same in the first class if it is not 0
  std::uint64_t seed = 1;
};

/// Rows of the classes in turn. Numbers are shifted by the class; with probability `signal` a category has
/// the level of the class.
inline Table mixed_table(const MixedShape& shape) {
  Table table{.n_rows = shape.n_rows};
  for (std::size_t i = 0; i < shape.n_rows; ++i)
    table.labels.codes.push_back(static_cast<std::int32_t>(i % shape.n_classes));
  for (std::size_t c = 0; c < shape.n_classes; ++c)
    table.labels.classes.emplace_back(1, static_cast<char>('a' + c));
  const Random all(shape.seed);
  const auto is_missing = [&](std::size_t i, Random& random) {
    const bool in_one = i % shape.n_classes == 0 && shape.missing_in_one > 0;
    return random.uniform() < (in_one ? shape.missing_in_one : shape.missing);
  };
  for (std::size_t j = 0; j < shape.n_numbers; ++j) {
    // Values and gaps of their own: a table with gaps is the complete one but for those.
    Random random = all.split(2 * j);
    Random gaps = all.split(2 * j + 1);
    NumericColumn column;
    for (std::size_t i = 0; i < shape.n_rows; ++i) {
      const auto c = static_cast<double>((i + j) % shape.n_classes);
      const double value = random.normal() + 2 * shape.signal * c;
      column.values.push_back(is_missing(i, gaps) ? std::numeric_limits<double>::quiet_NaN() : value);
    }
    table.features.push_back({"x" + std::to_string(j), std::move(column)});
  }
  for (std::size_t j = 0; j < shape.n_categories; ++j) {
    Random random = all.split(1000 + 2 * j);
    Random gaps = all.split(1001 + 2 * j);
    CategoricalColumn column;
    for (std::size_t k = 0; k < shape.n_levels; ++k) column.levels.push_back("level " + std::to_string(k));
    for (std::size_t i = 0; i < shape.n_rows; ++i) {
      const bool tells = random.uniform() < shape.signal;
      const auto any = random.below(shape.n_levels);
      const auto level = tells ? (i % shape.n_classes + j) % shape.n_levels : any;
      column.codes.push_back(is_missing(i, gaps) ? CategoricalColumn::missing
                                                 : static_cast<std::int32_t>(level));
    }
    table.features.push_back({"c" + std::to_string(j), std::move(column)});
  }
  return table;
}

inline LabelledSample mixed_sample(const MixedShape& shape) { return labelled_sample(mixed_table(shape)); }

/// CSV text of that table, the label last.
inline std::string class_csv(std::size_t n, std::size_t d, std::size_t n_classes, std::uint64_t seed) {
  const Table table = class_table(n, d, n_classes, seed);
  std::string text;
  for (const Column& column : table.features) text += column.name + ",";
  text += "y\n";
  for (std::size_t i = 0; i < n; ++i) {
    for (const Column& column : table.features)
      text += std::to_string(std::get<NumericColumn>(column.data).values[i]) + ",";
    text += table.labels.classes[static_cast<std::size_t>(table.labels.codes[i])] + "\n";
  }
  return text;
}

}  // namespace dyad::test
