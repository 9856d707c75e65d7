// Labelled samples for the tests of models.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <string>

#include "dyad/data/labelled_sample.h"
#include "tests/samples.h"

namespace dyad::test {

/// n rows of d features in `n_classes` classes in turn. Features 0 and 1 depend on each other, with a sign that changes from
/// class to class; the last feature is shifted by the class; the others say nothing.
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
