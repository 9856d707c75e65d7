// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/data/labelled_sample.h"

#include <algorithm>
#include <stdexcept>

#include "dyad/base/gather.h"
#include "dyad/base/random.h"
#include "dyad/data/summary.h"

namespace dyad {
namespace {

std::vector<std::size_t> row_numbers_of_class(const LabelledSample& sample, std::int32_t code) {
  return rows_where(sample.y.size(), [&](std::size_t i) { return sample.y[i] == code; });
}

/// Frees the numbers of each column once they are copied, if the table may change.
template <class AnyTable>
LabelledSample sample_of(AnyTable& table) {
  require_classes(table);
  if (table.features.empty()) throw std::invalid_argument("the table has no column besides the label");
  LabelledSample sample{.y = table.labels.codes, .n_classes = table.labels.classes.size()};
  if (!table.weights.empty()) sample.weights = make_row_weights(table.weights);
  sample.X.n_rows = table.n_rows;
  sample.X.n_cols = table.features.size();
  sample.X.data.reserve(table.n_rows * table.features.size());
  const auto append = [&](const std::vector<double>& values) {
    sample.X.data.insert(sample.X.data.end(), values.begin(), values.end());
  };
  for (std::size_t j = 0; j < table.features.size(); ++j) {
    auto& data = table.features[j].data;
    if (const auto* const text = std::get_if<CategoricalColumn>(&data)) {
      Levels levels = levels_of(*text);
      append(codes_of(levels, *text));
      if (levels.is_number()) continue;  // it has no values
      sample.levels.resize(table.features.size());
      sample.levels[j] = std::move(levels);
    } else {
      auto& values = std::get<NumericColumn>(data).values;
      append(values);
      if constexpr (!std::is_const_v<AnyTable>) values = std::vector<double>();
    }
  }
  return sample;
}

/// `choose(rows, count)` returns so many rows of a class.
template <class Choose>
SampledRows sampled_by(const LabelledSample& sample, std::size_t most, std::span<const double> class_rows,
                       double total, const Choose& choose) {
  SampledRows result;
  auto classes = rows_by_class(sample);
  std::ranges::sort(classes, {}, [](const auto& rows) { return rows.size(); });
  const WeightsView weights = sample.weights;
  const double n = std::accumulate(class_rows.begin(), class_rows.end(), 0.0);
  std::vector<double> factors(sample.n_classes);
  std::size_t left = most;
  for (std::size_t k = 0; k < classes.size(); ++k) {
    const auto kept = choose(classes[k], std::max<std::size_t>(left / (classes.size() - k), 1));
    left -= std::min(left, kept.size());
    if (kept.empty()) continue;
    const auto c = static_cast<std::size_t>(sample.y[kept.front()]);
    factors[c] = total / n * class_rows[c] / WeightsView(gather(weights, kept)).total(kept.size());
    result.rows.insert(result.rows.end(), kept.begin(), kept.end());
  }
  std::ranges::sort(result.rows);
  std::vector<double> scaled;
  for (const std::size_t row : result.rows)
    scaled.push_back(weights[row] * factors[static_cast<std::size_t>(sample.y[row])]);
  result.weights = make_row_weights(scaled);
  return result;
}

}  // namespace

LabelledSample labelled_sample(const Table& table) { return sample_of(table); }

LabelledSample take_labelled_sample(Table& table) { return sample_of(table); }

void pool_rare_levels(LabelledSample& sample, std::size_t most) {
  const WeightsView weights = sample.weights;
  auto pooled = sample.levels;
  for (std::size_t j = 0; j < pooled.size(); ++j) {
    if (!sample.is_categorical(j)) continue;
    const auto& names = sample.levels[j].names;
    std::vector<double> counts(names.size() + 1);  // the last of the others
    const auto column = sample.X.column(j);
    for (std::size_t i = 0; i < column.size(); ++i)
      if (!std::isnan(column[i])) counts[static_cast<std::size_t>(column[i])] += weights[i];
    pooled[j] = frequent_levels(names, counts, counts.back() > 0, most);
  }
  recode(sample.X, sample.levels, pooled);
  sample.levels = std::move(pooled);
}

std::vector<bool> categorical_features(std::span<const Levels> levels) {
  std::vector<bool> result;
  for (const Levels& names : levels) result.push_back(!names.is_number());
  return result;
}

bool is_constant(const LabelledSample& sample, std::size_t j) {
  const auto column = sample.X.column(j);
  if (std::isnan(column.front())) return std::ranges::all_of(column, [](double x) { return std::isnan(x); });
  return is_constant(column);
}

LabelledSample rows_of(const LabelledSample& sample, std::span<const std::size_t> rows) {
  return {gather(sample.X, rows), gather(sample.y, rows), sample.n_classes, gather(sample.weights, rows),
          sample.levels};
}

Matrix rows_of_class(const LabelledSample& sample, std::int32_t code) {
  return gather(sample.X, row_numbers_of_class(sample, code));
}

RowWeights weights_of_class(const LabelledSample& sample, std::int32_t code) {
  if (sample.weights.empty()) return {};
  return gather(sample.weights, row_numbers_of_class(sample, code));
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
  if (sample.n_rows() <= most) return {all_rows(sample.n_rows()), sample.weights};
  const auto spaced = [](const std::vector<std::size_t>& rows, std::size_t count) {
    return gather(rows, evenly_spaced(rows.size(), count));
  };
  return sampled_by(sample, most, class_counts(sample), static_cast<double>(most), spaced);
}

SampledRows sampled_rows(const LabelledSample& sample, std::size_t most,
                         std::span<const std::uint64_t> numbers, std::span<const double> class_rows,
                         double total) {
  const auto least = [&](std::vector<std::size_t> rows, std::size_t count) {
    if (count >= rows.size()) return rows;
    const auto rank = [&](std::size_t row) { return std::pair(hashed(numbers[row]), row); };
    std::ranges::nth_element(rows, rows.begin() + static_cast<std::ptrdiff_t>(count), {}, rank);
    rows.resize(count);
    return rows;
  };
  return sampled_by(sample, std::min(most, sample.n_rows()), class_rows, total, least);
}

}  // namespace dyad
