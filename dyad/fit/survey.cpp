// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/survey.h"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "dyad/base/gather.h"
#include "dyad/base/random.h"
#include "dyad/base/text.h"

namespace dyad {
namespace {

constexpr std::size_t most_levels = 1'000'000;
constexpr std::uint64_t no_threshold = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void refuse(const std::string& feature, const std::string& what) {
  throw std::invalid_argument("column " + quoted(feature) + what);
}

/// Codes of the survey for classes of labels of type `from`; new ones are added. The survey's own names
/// become those of type `to`.
std::vector<std::size_t> class_codes(Survey& survey, const std::vector<std::string>& names, ValueType from,
                                     ValueType to) {
  for (std::string& name : survey.classes) name = class_name(name, survey.label_type, to);
  survey.label_type = to;
  std::vector<std::size_t> codes;
  for (const std::string& given : names) {
    const std::string name = class_name(given, from, to);
    const auto at = std::ranges::find(survey.classes, name);
    codes.push_back(static_cast<std::size_t>(at - survey.classes.begin()));
    if (at == survey.classes.end()) survey.classes.push_back(name);
  }
  survey.class_rows.resize(survey.classes.size());
  survey.class_weights.resize(survey.classes.size());
  survey.thresholds.resize(survey.classes.size(), no_threshold);
  return codes;
}

ValueType level_type_of(const Chunk& chunk, std::size_t j) {
  return chunk.level_types.empty() ? ValueType::unknown : chunk.level_types[j];
}

/// The type of the labels of a survey and some more rows.
ValueType common_label_type(const Survey& survey, const std::vector<std::string>& classes, ValueType type) {
  return common_type({survey.classes, survey.label_type}, {classes, type});
}

/// Kinds of values in a column.
struct Kinds {
  bool has_numbers = false;
  bool has_text = false;
};

/// Throws std::invalid_argument if a value is not finite.
Kinds kinds_of(const Chunk& chunk, std::size_t j, std::uint64_t first_number) {
  bool has_values = false;
  const auto column = chunk.X.column(j);
  for (std::size_t i = 0; i < column.size(); ++i) {
    if (std::isinf(column[i]))
      refuse(chunk.features[j],
             " has a value that is not finite in row " + std::to_string(first_number + i + 1));
    has_values = has_values || !std::isnan(column[i]);
  }
  const bool is_categorical = chunk.is_categorical(j);
  return {has_values && !is_categorical, has_values && is_categorical};
}

/// Throws std::invalid_argument if a feature would have both numbers and text, levels of two types, or too
/// many levels.
void require_addable(const SurveyedFeature& feature, const Kinds& kinds,
                     const std::vector<std::string>& levels, ValueType level_type) {
  if ((feature.has_numbers && kinds.has_text) || (feature.is_categorical() && kinds.has_numbers))
    refuse(feature.name,
           " has text in some rows and numbers in others; for categories use --categorical or "
           "categorical_features");
  if (kinds.has_text && feature.is_categorical()) require_same_type(feature, levels, level_type);
  const auto is_new = [&](const std::string& name) { return !feature.code_of_level.contains(name); };
  const auto n_new = static_cast<std::size_t>(std::ranges::count_if(levels, is_new));
  if (feature.levels.size() + n_new > most_levels)
    refuse(feature.name, " has more than " + std::to_string(most_levels) + " levels; leave it out");
}

/// Throws std::invalid_argument unless the rows of a chunk can be added; else returns the kinds of its
/// columns.
std::vector<Kinds> require_addable(const Survey& survey, const Chunk& chunk, std::uint64_t first_number) {
  if (chunk.features.empty()) throw std::invalid_argument("there is no column besides the label");
  if (!survey.features.empty()) require_same_features(survey, chunk.features);
  std::vector<Kinds> kinds;
  for (std::size_t j = 0; j < chunk.features.size(); ++j) {
    kinds.push_back(kinds_of(chunk, j, first_number));
    const SurveyedFeature unknown{.name = chunk.features[j]};
    const Levels no_levels;
    require_addable(survey.features.empty() ? unknown : survey.features[j], kinds[j],
                    (chunk.levels.empty() ? no_levels : chunk.levels[j]).names, level_type_of(chunk, j));
  }
  for (std::size_t i = 0; i < chunk.weights.size(); ++i)
    if (!(chunk.weights[i] >= 0 && chunk.weights[i] <= largest_weight))
      throw std::invalid_argument("the weight of row " + std::to_string(first_number + i + 1) +
                                  " must be between 0 and " + number_text(largest_weight) +
                                  ", a number of rows, got " + number_text(chunk.weights[i]));
  return kinds;
}

/// Codes of the survey for levels by their names; new ones are added.
std::vector<double> level_codes(SurveyedFeature& feature, const std::vector<std::string>& names) {
  std::vector<double> codes;
  for (const std::string& name : names) {
    const auto [at, is_new] = feature.code_of_level.emplace(name, feature.levels.size());
    codes.push_back(static_cast<double>(at->second));
    if (!is_new) continue;
    feature.levels.push_back(name);
    feature.level_rows.push_back(0);
    feature.level_weights.push_back(0);
  }
  return codes;
}

void add_level_rows(SurveyedFeature& feature, double code, std::uint64_t rows, double weight) {
  feature.level_rows[static_cast<std::size_t>(code)] += rows;
  feature.level_weights[static_cast<std::size_t>(code)] += weight;
}

/// Adds the levels and gaps of a column of a chunk; returns the survey's codes of the chunk's levels, none
/// for numbers.
std::vector<double> add_column(SurveyedFeature& feature, const Chunk& chunk, std::size_t j) {
  std::vector<double> codes;
  if (!chunk.levels.empty()) codes = level_codes(feature, chunk.levels[j].names);
  for (std::size_t i = 0; i < chunk.n_rows(); ++i) {
    const double weight = chunk.weight(i);
    const double value = chunk.X(i, j);
    if (weight == 0) continue;
    if (std::isnan(value)) {
      ++feature.n_missing;
      feature.missing_weight += weight;
    } else if (!codes.empty()) {
      add_level_rows(feature, recoded(value, codes), 1, weight);
    }
  }
  return codes;
}

/// The smaller of two limits, of which 0 is none.
std::size_t smaller_limit(std::size_t a, std::size_t b) {
  return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

/// True if row a of the sample comes before row b: by number, then by content, so that any order of adding
/// rows gives the same sample.
bool is_before(const Survey& survey, std::size_t a, std::size_t b) {
  const SurveyedRows& rows = survey.sample;
  const std::size_t d = survey.features.size();
  const auto key = [&](std::size_t i) {
    return std::tuple(rows.numbers[i], std::string_view(survey.classes[static_cast<std::size_t>(rows.y[i])]),
                      rows.weights[i]);
  };
  if (key(a) != key(b)) return key(a) < key(b);
  for (std::size_t j = 0; j < d; ++j) {
    const double x = rows.values[a * d + j];
    const double y = rows.values[b * d + j];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    if (std::isnan(x) || std::isnan(y)) return std::isnan(y);
    const auto& levels = survey.features[j].levels;
    return levels.empty() ? x < y : levels[static_cast<std::size_t>(x)] < levels[static_cast<std::size_t>(y)];
  }
  return false;
}

/// Drops the rows that are not among those of least hashes.
void trim(Survey& survey) {
  const std::size_t d = survey.features.size();
  SurveyedRows& rows = survey.sample;
  survey.thresholds.resize(survey.classes.size(), no_threshold);
  const std::uint64_t each = rows_of_each_class(survey.class_rows, survey.most_rows);
  if (each == SurveyedRows::all) return;
  std::vector<std::vector<std::size_t>> classes(survey.classes.size());
  for (std::size_t i = 0; i < rows.size(); ++i) classes[static_cast<std::size_t>(rows.y[i])].push_back(i);
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    auto& own = classes[c];
    if (own.size() > each) {
      const auto end = own.begin() + static_cast<std::ptrdiff_t>(each);
      std::ranges::nth_element(own, end - 1, [&](std::size_t a, std::size_t b) {
        const std::uint64_t hash_a = hashed(rows.numbers[a]);
        const std::uint64_t hash_b = hashed(rows.numbers[b]);
        return hash_a != hash_b ? hash_a < hash_b : is_before(survey, a, b);
      });
      own.erase(end, own.end());
      survey.thresholds[c] = hashed(rows.numbers[own.back()]);
    }
    kept.insert(kept.end(), own.begin(), own.end());
  }
  if (kept.size() == rows.size()) return;
  std::ranges::sort(kept);
  rows.keep_ascending(d, kept);
}

}  // namespace

void require_same_features(const Survey& survey, const std::vector<std::string>& names) {
  if (survey.features.size() != names.size())
    throw std::invalid_argument("there are " + std::to_string(names.size()) +
                                " features, where other rows have " + std::to_string(survey.features.size()));
  for (std::size_t j = 0; j < names.size(); ++j)
    if (survey.features[j].name != names[j])
      throw std::invalid_argument("feature " + std::to_string(j + 1) + " is " + quoted(names[j]) +
                                  ", where other rows have " + quoted(survey.features[j].name));
}

void require_same_type(const SurveyedFeature& feature, std::span<const std::string> levels, ValueType type) {
  ValueType known = feature.level_type;
  if (known == type || (is_number(known) && is_number(type))) return;
  if (known == ValueType::unknown || type == ValueType::unknown) {
    if (known == ValueType::text || type == ValueType::text) return;
    if (known == ValueType::unknown) known = apparent_level_type(feature.levels);
    if (type == ValueType::unknown) type = apparent_level_type(levels);
    if (known == type || (is_number(known) && is_number(type))) return;
  }
  refuse(feature.name, " has categories of type " + std::string(name_of(value_type_names, known)) +
                           " in some rows and of type " + std::string(name_of(value_type_names, type)) +
                           " in others; convert them to one type");
}

std::uint64_t Survey::n_rows() const {
  return std::accumulate(class_rows.begin(), class_rows.end(), std::uint64_t{0});
}

double Survey::weight_unit() const { return unit_of_weights(has_whole_weights, largest_weight, n_rows()); }

std::size_t default_sample_rows(std::size_t n_features) {
  constexpr std::size_t values = 2'000'000;
  return std::clamp<std::size_t>(values / std::max<std::size_t>(n_features, 1), 20'000, 200'000);
}

void add(Survey& survey, const Chunk& chunk, std::uint64_t first_number) {
  const auto kinds = require_addable(survey, chunk, first_number);
  const ValueType label_type = common_label_type(survey, chunk.classes, chunk.label_type);
  const std::size_t d = chunk.features.size();
  if (survey.features.empty())
    for (const std::string& name : chunk.features) survey.features.emplace_back().name = name;
  if (survey.most_rows == 0) survey.most_rows = default_sample_rows(d);
  const auto classes = class_codes(survey, chunk.classes, chunk.label_type, label_type);
  survey.is_weighted = survey.is_weighted || !chunk.weights.empty();
  std::vector<std::vector<double>> codes(d);
  for (std::size_t j = 0; j < d; ++j) {
    survey.features[j].has_numbers = survey.features[j].has_numbers || kinds[j].has_numbers;
    if (kinds[j].has_text && survey.features[j].level_type == ValueType::unknown)
      survey.features[j].level_type = level_type_of(chunk, j);
    codes[j] = add_column(survey.features[j], chunk, j);
  }
  SurveyedRows& rows = survey.sample;
  const std::size_t most_held = survey.most_rows + survey.most_rows / 4 + 1;  // before a trim
  for (std::size_t i = 0; i < chunk.n_rows(); ++i) {
    const double weight = chunk.weight(i);
    if (weight == 0) continue;
    const std::size_t c = classes[static_cast<std::size_t>(chunk.y[i])];
    ++survey.class_rows[c];
    survey.class_weights[c] += weight;
    survey.has_whole_weights = survey.has_whole_weights && weight == std::floor(weight);
    survey.largest_weight = std::max(survey.largest_weight, weight);
    const std::uint64_t number = first_number + i;
    if (hashed(number) > survey.thresholds[c]) continue;
    rows.grow(d, most_held);
    rows.numbers.push_back(number);
    rows.y.push_back(static_cast<std::int32_t>(c));
    rows.weights.push_back(weight);
    for (std::size_t j = 0; j < d; ++j) {
      const double value = chunk.X(i, j) + 0.0;  // -0 becomes 0, as elsewhere
      rows.values.push_back(codes[j].empty() ? value : recoded(value, codes[j]));
    }
    if (rows.size() >= most_held) trim(survey);
  }
}

void add(Survey& survey, const Survey& other) {
  const std::size_t most = smaller_limit(survey.most_rows, other.most_rows);
  if (survey.features.empty() || other.features.empty()) {
    if (survey.features.empty()) survey = other;
    survey.most_rows = most;
    return trim(survey);
  }
  std::vector<std::string> names;
  for (const SurveyedFeature& feature : other.features) names.push_back(feature.name);
  require_same_features(survey, names);
  const std::size_t d = names.size();
  for (std::size_t j = 0; j < d; ++j)
    require_addable(survey.features[j], {other.features[j].has_numbers, other.features[j].is_categorical()},
                    other.features[j].levels, other.features[j].level_type);
  const ValueType label_type = common_label_type(survey, other.classes, other.label_type);

  survey.most_rows = most;
  const auto classes = class_codes(survey, other.classes, other.label_type, label_type);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    survey.class_rows[classes[c]] += other.class_rows[c];
    survey.class_weights[classes[c]] += other.class_weights[c];
  }
  survey.is_weighted = survey.is_weighted || other.is_weighted;
  survey.has_whole_weights = survey.has_whole_weights && other.has_whole_weights;
  survey.largest_weight = std::max(survey.largest_weight, other.largest_weight);
  std::vector<std::vector<double>> codes(d);
  for (std::size_t j = 0; j < d; ++j) {
    SurveyedFeature& feature = survey.features[j];
    const SurveyedFeature& added = other.features[j];
    feature.has_numbers = feature.has_numbers || added.has_numbers;
    if (feature.level_type == ValueType::unknown) feature.level_type = added.level_type;
    feature.n_missing += added.n_missing;
    feature.missing_weight += added.missing_weight;
    codes[j] = level_codes(feature, added.levels);
    for (std::size_t k = 0; k < added.levels.size(); ++k)
      add_level_rows(feature, codes[j][k], added.level_rows[k], added.level_weights[k]);
  }
  SurveyedRows& rows = survey.sample;
  rows.numbers.insert(rows.numbers.end(), other.sample.numbers.begin(), other.sample.numbers.end());
  rows.weights.insert(rows.weights.end(), other.sample.weights.begin(), other.sample.weights.end());
  for (const std::int32_t c : other.sample.y)
    rows.y.push_back(static_cast<std::int32_t>(classes[static_cast<std::size_t>(c)]));
  for (std::size_t k = 0; k < other.sample.values.size(); ++k) {
    const double value = other.sample.values[k];
    rows.values.push_back(codes[k % d].empty() ? value : recoded(value, codes[k % d]));
  }
  trim(survey);
}

namespace {
/// The numbers of the classes that have rows, in order.
std::vector<std::size_t> order_of_classes(const Survey& survey) {
  const auto with_rows =
      rows_where(survey.classes.size(), [&](std::size_t c) { return survey.class_rows[c] > 0; });
  return gather(with_rows, class_order(gather(survey.classes, with_rows), survey.label_type));
}
}  // namespace

std::vector<std::string> classes_in_order(const Survey& survey) {
  return gather(survey.classes, order_of_classes(survey));
}

void require_classes(const Survey& survey) {
  if (survey.is_weighted && survey.n_rows() == 0) throw std::invalid_argument("no row has a positive weight");
  const auto classes = classes_in_order(survey);
  if (classes.size() < 2)
    throw std::invalid_argument("the label has " +
                                (classes.empty() ? "no class" : "only one class, " + quoted(classes[0])) +
                                "; at least two are needed");
  require_distinct_numbers(classes, survey.label_type);
}

Survey in_order(Survey result) {
  const std::size_t d = result.features.size();
  const auto classes = order_of_classes(result);
  std::vector<std::int32_t> new_codes(result.classes.size());
  for (std::size_t k = 0; k < classes.size(); ++k) new_codes[classes[k]] = static_cast<std::int32_t>(k);
  result.classes = gather(result.classes, classes);
  result.class_rows = gather(result.class_rows, classes);
  result.class_weights = gather(result.class_weights, classes);
  result.thresholds.assign(result.classes.size(), no_threshold);
  for (std::int32_t& c : result.sample.y) c = new_codes[static_cast<std::size_t>(c)];
  for (std::size_t j = 0; j < d; ++j) {
    SurveyedFeature& feature = result.features[j];
    if (!feature.is_categorical()) continue;
    const SurveyedFeature from = feature;
    std::ranges::sort(feature.levels);
    std::vector<double> codes(feature.levels.size());
    for (std::size_t k = 0; k < feature.levels.size(); ++k) {
      const std::size_t old = from.code_of_level.at(feature.levels[k]);
      feature.level_rows[k] = from.level_rows[old];
      feature.level_weights[k] = from.level_weights[old];
      feature.code_of_level[feature.levels[k]] = k;
      codes[old] = static_cast<double>(k);
    }
    for (std::size_t i = 0; i < result.sample.size(); ++i)
      result.sample.values[i * d + j] = recoded(result.sample.values[i * d + j], codes);
  }
  trim(result);
  auto order = all_rows(result.sample.size());
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) { return is_before(result, a, b); });
  result.sample.keep(d, order);
  return result;
}

FeatureValues values_of(const Survey& survey, std::size_t j) {
  const SurveyedFeature& feature = survey.features[j];
  if (feature.n_missing == survey.n_rows()) return FeatureValues::none;
  const auto n_levels = std::ranges::count_if(feature.level_rows, [](std::uint64_t n) { return n > 0; });
  bool varies = feature.n_missing > 0 || n_levels > 1;
  const std::vector<double>& values = survey.sample.values;
  for (std::size_t k = j; k < values.size() && !varies; k += survey.features.size())
    varies = values[k] != values[j];
  return varies ? FeatureValues::vary : FeatureValues::constant;
}

LabelledSample sample_of(const Survey& survey) {
  const std::size_t d = survey.features.size();
  const SurveyedRows& rows = survey.sample;
  LabelledSample sample{.X = Matrix(rows.size(), d), .y = rows.y, .n_classes = survey.classes.size()};
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t j = 0; j < d; ++j) sample.X(i, j) = rows.values[i * d + j];
  for (std::size_t j = 0; j < d; ++j) {
    if (!survey.features[j].is_categorical()) continue;
    sample.levels.resize(d);
    sample.levels[j].names = survey.features[j].levels;
  }
  if (survey.is_weighted) sample.weights = row_weights_in(survey.weight_unit(), rows.weights);
  return sample;
}

RowWeights weights_for_all_rows(const Survey& survey, const LabelledSample& sample) {
  if (survey.is_whole()) return sample.weights;
  return sampled_rows(sample, sample.n_rows(), survey.sample.numbers, survey.class_weights,
                      static_cast<double>(sample.n_rows()))
      .weights;
}

}  // namespace dyad
