// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/term_counts.h"

#include "dyad/base/gather.h"
#include "dyad/base/text.h"
#include "dyad/base/vector_math.h"

namespace dyad {
namespace {

[[noreturn]] void refuse_unknown(const std::string& what) {
  throw std::invalid_argument(
      what + ", which no row of the survey has; the rows to count have to be those surveyed");
}

/// The number in the plan of each class of a chunk, or the number of classes if it has no such class. Throws
/// std::invalid_argument if one has text where the other has numbers.
std::vector<std::size_t> class_codes(const Plan& plan, const Chunk& chunk) {
  std::vector<std::size_t> codes;
  const Survey& survey = plan.survey;
  static_cast<void>(common_type({survey.classes, survey.label_type}, {chunk.classes, chunk.label_type}));
  for (const std::string& given : chunk.classes) {
    const std::string name = class_name(given, chunk.label_type, survey.label_type);
    codes.push_back(
        static_cast<std::size_t>(std::ranges::find(survey.classes, name) - survey.classes.begin()));
  }
  return codes;
}

/// Throws std::invalid_argument if a column of a chunk has something, in the rows that count, that the survey
/// has not met.
void require_known(const SurveyedFeature& feature, const Chunk& chunk, std::size_t j,
                   std::span<const std::size_t> rows) {
  const bool is_categorical = chunk.is_categorical(j);
  const auto column = chunk.X.column(j);
  if (!is_categorical && all_finite(column) && feature.has_numbers) return;
  // Names of levels suffice where a type is unknown: each has to be in the survey.
  if (is_categorical && !chunk.level_types.empty() && feature.level_type != ValueType::unknown)
    require_same_type(feature, chunk.levels[j].names, chunk.level_types[j]);
  std::vector<bool> known;
  for (std::size_t k = 0; is_categorical && k < chunk.levels[j].names.size(); ++k) {
    const auto at = feature.code_of_level.find(chunk.levels[j].names[k]);
    known.push_back(at != feature.code_of_level.end() && feature.level_rows[at->second] > 0);
  }
  for (const std::size_t i : rows) {
    const std::string name = "column " + quoted(feature.name);
    if (std::isnan(column[i])) {
      if (feature.n_missing == 0) refuse_unknown(name + " has a missing value");
    } else if (is_categorical) {
      const auto code = static_cast<std::size_t>(column[i]);
      if (!known[code]) refuse_unknown(name + " has the level " + quoted(chunk.levels[j].names[code]));
    } else if (std::isinf(column[i])) {
      throw std::invalid_argument(name + " has a value that is not finite in row " + std::to_string(i + 1) +
                                  " of a chunk");
    } else if (!feature.has_numbers) {
      refuse_unknown(name + " has the number " + number_text(column[i]));
    }
  }
}

/// The rows of a chunk that have a weight.
std::vector<std::size_t> rows_that_count(const Chunk& chunk) {
  std::vector<std::size_t> rows;
  rows.reserve(chunk.n_rows());
  for (std::size_t i = 0; i < chunk.n_rows(); ++i)
    if (chunk.weight(i) > 0) rows.push_back(i);
  return rows;
}

/// Throws std::invalid_argument if a chunk is not of the table that was surveyed; `rows` are those that
/// count.
void require_known(const Plan& plan, const Chunk& chunk, std::span<const std::size_t> rows,
                   const std::vector<std::size_t>& class_codes, const Execution& execution) {
  require_same_features(plan.survey, chunk.features);
  for (const std::size_t row : rows) {
    const auto c = static_cast<std::size_t>(chunk.y[row]);
    if (class_codes[c] == plan.survey.classes.size()) refuse_unknown("class " + quoted(chunk.classes[c]));
  }
  for (std::size_t i = 0; i < chunk.n_rows(); ++i) {
    const double weight = chunk.weight(i);
    if (!(weight >= 0 && weight <= plan.survey.largest_weight) ||
        (plan.survey.has_whole_weights && weight != std::floor(weight)))
      refuse_unknown("row " + std::to_string(i + 1) + " of a chunk has the weight " + number_text(weight));
  }
  parallel_for(chunk.features.size(), execution, {},
               [&](std::size_t j) { require_known(plan.survey.features[j], chunk, j, rows); });
}

/// The rows of one class in a chunk.
struct ClassRows {
  std::vector<std::size_t> rows;
  RowWeights weights;
  std::vector<std::size_t> folds;
  std::vector<std::vector<double>> values;  ///< by kept feature, in coordinates
  std::vector<std::vector<float>> scaled;   ///< the same scaled, of features of numbers without gaps
};

std::vector<ClassRows> rows_of_classes(const Plan& plan, const LabelledSample& rows,
                                       std::span<const std::uint64_t> numbers, const Execution& execution) {
  std::vector<ClassRows> classes(rows.n_classes);
  auto numbers_of_rows = rows_by_class(rows);
  for (std::size_t c = 0; c < classes.size(); ++c) {
    ClassRows& own = classes[c];
    own.rows = std::move(numbers_of_rows[c]);
    own.weights = gather(rows.weights, own.rows);
    for (const std::size_t row : own.rows) own.folds.push_back(level_fold(numbers[row], level_fold_count));
    own.values.resize(plan.kept.size());
    own.scaled.resize(plan.kept.size());
  }
  parallel_for(plan.kept.size(), execution, {}, [&](std::size_t k) {
    const SurveyedFeature& feature = plan.survey.features[plan.kept[k]];
    const bool is_plain = !feature.is_categorical() && feature.n_missing == 0;
    for (std::size_t c = 0; c < classes.size(); ++c) {
      classes[c].values[k] = gather(rows.X.column(k), classes[c].rows);
      if (is_plain) classes[c].scaled[k] = scaled_column(classes[c].values[k], plan.scalings[c][k]).values;
    }
  });
  return classes;
}

/// A column of a chunk with the levels of the plan, in its coordinate.
std::vector<double> prepared_column(const Plan& plan, const Chunk& chunk, std::size_t j,
                                    std::span<const std::size_t> rows) {
  auto column = gather(chunk.X.column(j), rows);
  if (chunk.is_categorical(j)) {
    const auto codes =
        codes_of(plan.encoding.levels.empty() ? Levels{} : plan.encoding.levels[j], chunk.levels[j].names);
    for (double& value : column) value = recoded(value, codes);
  } else {
    for (double& value : column) value += 0.0;  // of the two zeros the positive one
    if (!plan.encoding.coordinates.empty()) apply(plan.encoding.coordinates[j], column, column);
  }
  return column;
}

}  // namespace

LabelledSample prepared_rows(const Plan& plan, const Chunk& chunk, const Execution& execution) {
  const auto rows = rows_that_count(chunk);
  const auto codes = class_codes(plan, chunk);
  require_known(plan, chunk, rows, codes, execution);
  LabelledSample result{.X = Matrix(rows.size(), plan.kept.size()), .n_classes = plan.survey.classes.size()};
  for (const std::size_t row : rows)
    result.y.push_back(static_cast<std::int32_t>(codes[static_cast<std::size_t>(chunk.y[row])]));
  if (plan.survey.is_weighted)
    result.weights =
        row_weights_in(plan.survey.weight_unit(), chunk.weights.empty() ? std::vector<double>(rows.size(), 1)
                                                                        : gather(chunk.weights, rows));
  parallel_for(plan.kept.size(), execution, {}, [&](std::size_t k) {
    std::ranges::copy(prepared_column(plan, chunk, plan.kept[k], rows), result.X.column(k).begin());
  });
  return result;
}

TermCounts::TermCounts(const Plan& plan) : terms_(plan.frames), class_rows_(plan.survey.classes.size()) {}

void TermCounts::add(const Plan& plan, const Chunk& chunk, std::uint64_t first_row,
                     const Execution& execution) {
  const LabelledSample rows = prepared_rows(plan, chunk, execution);
  std::vector<std::uint64_t> numbers;
  for (const std::size_t row : rows_that_count(chunk)) numbers.push_back(first_row + row);
  const auto classes = rows_of_classes(plan, rows, numbers, execution);
  is_whole_ = false;
  parallel_for(terms_.size(), execution, {}, [&](std::size_t t) {
    const TermKey& key = plan.keys[t];
    const ClassRows& own = classes[static_cast<std::size_t>(key.class_code)];
    if (own.rows.empty()) return;
    if (auto* const levels = std::get_if<BinnedLevels>(&terms_[t]))
      add_rows(*levels, {own.values[key.i], own.values[key.j], own.weights, own.folds});
    else
      add_rows(std::get<Binned>(terms_[t]), own.scaled[key.i], own.scaled[key.j], own.weights);
  });
  for (std::size_t c = 0; c < classes.size(); ++c) class_rows_[c] += classes[c].rows.size();
  is_whole_ = true;
}

void TermCounts::require_whole() const {
  if (!is_whole_)
    throw std::invalid_argument(
        "counting was interrupted, and some terms may have rows that others lack; begin again from the plan");
}

void TermCounts::add(const TermCounts& other) {
  is_whole_ = false;
  for (std::size_t t = 0; t < terms_.size(); ++t)
    std::visit([&]<class Kind>(Kind& term) { dyad::add(term, std::get<Kind>(other.terms_[t])); }, terms_[t]);
  for (std::size_t c = 0; c < class_rows_.size(); ++c) class_rows_[c] += other.class_rows_[c];
  is_whole_ = true;
}

}  // namespace dyad
