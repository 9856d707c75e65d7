// SPDX-License-Identifier: BSD-3-Clause
#include "cli/text_memory.h"

#include <algorithm>

namespace dyad::cli {
namespace {

/// Bytes of a level.
struct LevelBytes {
  double each = 0;            ///< beside its text
  double copies_of_text = 0;  ///< where a string has no room for it
};

// Measured with some hundred thousand levels, strings, hash tables and the spare room of vectors included.
constexpr LevelBytes in_survey{210, 3};  // and in its sample
constexpr LevelBytes in_copy_of_survey{150, 2};
constexpr LevelBytes in_reader{170, 3};  // and in the table that is read
constexpr LevelBytes in_table{32, 1};
constexpr LevelBytes in_sample{50, 1};
constexpr LevelBytes in_look_up{200, 1};  // while a column is given codes

/// Bytes of the term of a pair with a column of text.
struct PairBytes {
  double of_cell = 0;  ///< for a level of one and a level of the other, or a number
  double of_axis = 0;  ///< for the axis of a number within a level
};
constexpr PairBytes in_counts{12 * sizeof(double), 1000};  // of all rows and of ten folds
constexpr PairBytes in_density{2 * sizeof(double), 500};
constexpr PairBytes in_smoothing{14 * sizeof(double), 0};

/// Copies of counts: in the plan, and beside it.
constexpr double copies_of_counts = 2;
/// Terms of a table as a whole that are smoothed at once.
constexpr double terms_at_once = 16;
/// Copies of densities while a model is written and read back.
constexpr double copies_written = 8;

double bytes_of(const TextEstimate& column, const LevelBytes& bytes) {
  return column.n_levels * (bytes.each + bytes.copies_of_text * column.bytes_of_level);
}

/// Memory for the levels of all columns.
double all_levels(const TableEstimate& table, const LevelBytes& bytes) {
  double sum = 0;
  for (const TextEstimate& column : table.text) sum += bytes_of(column, bytes);
  return sum;
}

/// Memory for the levels of one column at a time.
double most_levels(const TableEstimate& table, const LevelBytes& bytes) {
  double most = 0;
  for (const TextEstimate& column : table.text) most = std::max(most, bytes_of(column, bytes));
  return most;
}

/// Levels of the columns that terms distinguish.
struct TermLevels {
  double sum = 0;
  double sum_of_squares = 0;
  double most = 0;
};

TermLevels term_levels(const TableEstimate& table, std::size_t max_levels) {
  TermLevels levels;
  for (const TextEstimate& column : table.text) {
    const double n = std::min(column.n_levels, static_cast<double>(max_levels));
    levels.sum += n;
    levels.sum_of_squares += n * n;
    levels.most = std::max(levels.most, n);
  }
  return levels;
}

/// Memory for the mean term of a pair of columns.
double mean_pair(const TableEstimate& table, const TermLevels& levels, const PairBytes& bytes) {
  const auto d = static_cast<double>(table.n_features);
  const double axes = (d - static_cast<double>(table.text.size())) * levels.sum;
  const double cells = (levels.sum * levels.sum - levels.sum_of_squares) / 2 + axes;
  return (bytes.of_cell * cells + bytes.of_axis * axes) / std::max(d * (d - 1) / 2, 1.0);
}

/// Memory to read a table as a whole, then to give its levels codes.
double reading(const TableEstimate& table) {
  constexpr double bytes_of_read_value = 12;
  constexpr double bytes_of_coded_value = 16;
  const double n_values = table.n_rows * static_cast<double>(table.n_features + 1);
  return std::max(bytes_of_read_value * n_values + all_levels(table, in_reader),
                  bytes_of_coded_value * n_values + all_levels(table, in_table) +
                      all_levels(table, in_sample) + most_levels(table, in_look_up));
}

}  // namespace

TextMemory text_memory(const TableEstimate& table, double n_pairs, std::size_t max_levels,
                       bool copies_survey) {
  if (table.text.empty()) return {};
  const TermLevels levels = term_levels(table, max_levels);
  const double counts = n_pairs * mean_pair(table, levels, in_counts);
  const double densities = n_pairs * mean_pair(table, levels, in_density);
  const double smoothing = n_pairs > 0 ? in_smoothing.of_cell * levels.most * levels.most : 0;
  const double survey = all_levels(table, in_survey);
  const double copy =
      copies_survey ? all_levels(table, in_copy_of_survey) : most_levels(table, in_copy_of_survey);
  return {.while_read = reading(table),
          .while_fitted = all_levels(table, in_table) + densities + terms_at_once * smoothing,
          .while_written = copies_written * densities,
          .in_chunks = survey + copy + copies_of_counts * counts + densities + smoothing,
          .while_written_of_chunks = survey + copies_written * densities};
}

}  // namespace dyad::cli
