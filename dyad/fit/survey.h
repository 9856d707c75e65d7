// Sums over the rows of a table and a sample of them, which a fit needs before it counts rows. Rows
// come in chunks, and surveys of parts of a table are added up to that of the whole, in any order.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <unordered_map>

#include "dyad/data/chunk.h"
#include "dyad/data/labelled_sample.h"
#include "dyad/fit/surveyed_rows.h"

namespace dyad {

/// Values of a feature in all rows: none, the same one in every row, or others.
enum class FeatureValues { none, constant, vary };

/// Sums over the rows of a feature.
struct SurveyedFeature {
  std::string name;
  bool has_numbers = false;
  std::uint64_t n_missing = 0;            ///< rows without a value
  double missing_weight = 0;              ///< the sum of their weights
  std::vector<std::string> levels;        ///< of text, in order of appearance
  std::vector<std::uint64_t> level_rows;  ///< of each
  std::vector<double> level_weights;      ///< the sums of their weights
  ValueType level_type = ValueType::unknown;
  std::unordered_map<std::string, std::size_t> code_of_level;

  [[nodiscard]] bool is_categorical() const { return !levels.empty(); }
};

/// Rows have numbers, and the sample of each class are those whose numbers have the least `hashed` values: as
/// many of every class as of any other while it has them, most_rows in all. So what is in the sample does not
/// depend on how the table was cut and in which order the parts were added, as long as rows keep their
/// numbers; parts whose rows are numbered from 0 each are sampled alike. The share of the rows of a class
/// below any value differs from that of the sample's m rows by more than sqrt(log(2 / p) / (2 m)) with a
/// probability of at most p, for all values at once (Dvoretzky, Kiefer, Wolfowitz, Massart 1990): 1.1 % for m
/// = 33 000 and p = 0.1 %.
struct Survey {
  std::size_t most_rows = 0;  ///< of the sample; 0 until the number of features is known
  std::vector<SurveyedFeature> features;
  std::vector<std::string> classes;
  std::vector<std::uint64_t> class_rows;
  std::vector<double> class_weights;  ///< sum of the rows' weights
  bool is_weighted = false;
  bool has_whole_weights = true;
  ValueType label_type = ValueType::unknown;
  double largest_weight = 0;
  SurveyedRows sample;
  std::vector<std::uint64_t> thresholds;  ///< of each class: no row beyond is in the sample

  [[nodiscard]] std::uint64_t n_rows() const;
  /// True if all rows are in the sample.
  [[nodiscard]] bool is_whole() const { return n_rows() <= most_rows; }
  /// The unit in which weights of rows are counted as whole numbers.
  [[nodiscard]] double weight_unit() const;
};

/// Rows that a sample has at most unless said otherwise: some 2 million values.
[[nodiscard]] std::size_t default_sample_rows(std::size_t n_features);

/// Adds the rows of a chunk, numbered from first_number on. Those of weight 0 are left out. Throws
/// std::invalid_argument, and changes nothing, if the chunk has other features, if labels, levels or values
/// of a feature have text here and numbers there, a value is not finite or a weight not right.
void add(Survey& survey, const Chunk& chunk, std::uint64_t first_number);

/// Throws std::invalid_argument naming the first feature that differs from those of a survey.
void require_same_features(const Survey& survey, const std::vector<std::string>& names);

/// Throws std::invalid_argument unless a feature can have further levels of a type: types are equal or both
/// numbers. An unknown type is that of the other if that is text, else `apparent_level_type`.
void require_same_type(const SurveyedFeature& feature, std::span<const std::string> levels, ValueType type);

/// Adds the rows of another survey. Throws std::invalid_argument, and changes nothing, if its features or the
/// types of its labels differ.
void add(Survey& survey, const Survey& other);

/// A survey in a form that depends on its rows alone: levels and classes ascending, rows of the sample
/// in the order of their numbers, no more than there may be.
[[nodiscard]] Survey in_order(Survey survey);

/// The classes that have rows, as `in_order` orders them: numbers by value, else by text.
[[nodiscard]] std::vector<std::string> classes_in_order(const Survey& survey);

/// Throws std::invalid_argument unless rows of at least two classes have a positive weight.
void require_classes(const Survey& survey);

/// Values of feature j: levels and gaps of all rows, numbers of the sample.
[[nodiscard]] FeatureValues values_of(const Survey& survey, std::size_t j);

/// The sample of a survey that is `in_order`, with the weights that its rows had.
[[nodiscard]] LabelledSample sample_of(const Survey& survey);

/// Weights of the rows of that sample with which classes have their shares of all rows, 1 on average.
[[nodiscard]] RowWeights weights_for_all_rows(const Survey& survey, const LabelledSample& sample);

}  // namespace dyad
