// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/labelled_sample.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

#include "dyad/base/picked.h"

namespace dyad {
namespace {

Matrix rows_of(const Matrix& X, std::span<const std::size_t> rows) {
  Matrix result(rows.size(), X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    const auto from = X.column(j);
    const auto to = result.column(j);
    for (std::size_t i = 0; i < rows.size(); ++i) to[i] = from[rows[i]];
  }
  return result;
}

std::vector<std::size_t> row_numbers_of_class(const LabelledSample& sample, std::int32_t code) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < sample.y.size(); ++i)
    if (sample.y[i] == code) rows.push_back(i);
  return rows;
}

void require_sample(const Table& table, std::string_view method) {
  require_classes(table);
  require_complete_numeric(table, method);
  if (table.features.empty()) throw std::invalid_argument("the table has no column besides the label");
}

/// `take` returns a column's values, by reference or moved.
template <class Take>
LabelledSample sample_of(const Table& table, const Take& take) {
  LabelledSample sample{{}, table.labels.codes, table.labels.classes.size()};
  if (!table.weights.empty()) sample.weights = make_row_weights(table.weights);
  sample.X.n_rows = table.n_rows;
  sample.X.n_cols = table.features.size();
  sample.X.data.reserve(table.n_rows * table.features.size());
  for (std::size_t j = 0; j < table.features.size(); ++j) {
    const auto& values = take(j);
    sample.X.data.insert(sample.X.data.end(), values.begin(), values.end());
  }
  return sample;
}

}  // namespace

LabelledSample labelled_sample(const Table& table, std::string_view method) {
  require_sample(table, method);
  return sample_of(table, [&](std::size_t j) -> const std::vector<double>& {
    return std::get<NumericColumn>(table.features[j].data).values;
  });
}

LabelledSample take_labelled_sample(Table& table, std::string_view method) {
  require_sample(table, method);
  return sample_of(table, [&](std::size_t j) {
    return std::exchange(std::get<NumericColumn>(table.features[j].data).values, {});
  });
}

LabelledSample rows_of(const LabelledSample& sample, std::span<const std::size_t> rows) {
  LabelledSample result{rows_of(sample.X, rows), {}, sample.n_classes, picked(sample.weights, rows)};
  for (const std::size_t row : rows) result.y.push_back(sample.y[row]);
  return result;
}

Matrix rows_of_class(const LabelledSample& sample, std::int32_t code) {
  return rows_of(sample.X, row_numbers_of_class(sample, code));
}

RowWeights weights_of_class(const LabelledSample& sample, std::int32_t code) {
  if (sample.weights.empty()) return {};
  return picked(sample.weights, row_numbers_of_class(sample, code));
}

std::vector<double> class_counts(const LabelledSample& sample) {
  const WeightsView weights = sample.weights;
  std::vector<double> counts(sample.n_classes, 0);
  for (std::size_t i = 0; i < sample.y.size(); ++i)
    counts[static_cast<std::size_t>(sample.y[i])] += weights[i];
  return counts;
}

std::vector<std::vector<std::size_t>> rows_by_class(const LabelledSample& sample) {
  std::vector<std::vector<std::size_t>> classes(sample.n_classes);
  for (std::size_t i = 0; i < sample.y.size(); ++i)
    classes[static_cast<std::size_t>(sample.y[i])].push_back(i);
  return classes;
}

SampledRows sampled_rows(const LabelledSample& sample, std::size_t most) {
  SampledRows result;
  if (sample.n_rows() <= most) {
    result.rows.resize(sample.n_rows());
    std::iota(result.rows.begin(), result.rows.end(), std::size_t{0});
    result.weights = sample.weights;
    return result;
  }
  auto classes = rows_by_class(sample);
  std::ranges::sort(classes, {}, [](const auto& rows) { return rows.size(); });
  const WeightsView weights = sample.weights;
  std::vector<double> factors(sample.n_classes);
  std::size_t left = most;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const auto kept = picked(
        classes[k], evenly_spaced(classes[k].size(), std::max<std::size_t>(left / (classes.size() - k), 1)));
    left -= std::min(left, kept.size());
    if (kept.empty()) continue;
    double& factor = factors[static_cast<std::size_t>(sample.y[kept.front()])];
    factor = static_cast<double>(most) / weights.total(sample.n_rows()) *
             WeightsView(picked(weights, classes[k])).total(classes[k].size()) /
             WeightsView(picked(weights, kept)).total(kept.size());
    result.rows.insert(result.rows.end(), kept.begin(), kept.end());
  }
  std::ranges::sort(result.rows);
  std::vector<double> scaled;
  for (const std::size_t row : result.rows)
    scaled.push_back(weights[row] * factors[static_cast<std::size_t>(sample.y[row])]);
  result.weights = make_row_weights(scaled);
  return result;
}

}  // namespace dyad
