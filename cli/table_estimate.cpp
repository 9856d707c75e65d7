// SPDX-License-Identifier: BSD-3-Clause
#include "cli/table_estimate.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "cli/memory_limit.h"
#include "dyad/data/level_growth.h"
#include "dyad/io/csv.h"

namespace dyad::cli {
namespace {

/// True if a file begins as gzip files do.
bool is_packed(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return file.get() == 0x1f && file.get() == 0x8b;
}

/// The first rows of a table, of which levels alone are kept.
class FirstRows {
 public:
  void add(const Table& rows) {
    constexpr std::size_t most_levels = 32'768;  // of all columns
    const auto is_text = [](const Column& column) {
      return std::holds_alternative<CategoricalColumn>(column.data);
    };
    if (text_.empty()) {
      const auto n_text = static_cast<std::size_t>(std::ranges::count_if(rows.features, is_text));
      const std::size_t most =
          std::clamp<std::size_t>(most_levels / std::max<std::size_t>(n_text, 1), 16, 4096);
      text_.assign(rows.features.size(), LevelGrowth(most));
    }
    for (std::size_t j = 0; j < text_.size(); ++j)
      if (const auto* const column = std::get_if<CategoricalColumn>(&rows.features[j].data))
        text_[j].add(*column);
    n_rows_ += rows.n_rows;
    n_classes_ = rows.labels.classes.size();
  }

  [[nodiscard]] std::size_t n_rows() const { return n_rows_; }

  [[nodiscard]] double n_levels() const {
    double sum = 0;
    for (const LevelGrowth& column : text_) sum += column.n_levels();
    return sum;
  }

  /// The size of a table of so many rows.
  [[nodiscard]] TableEstimate estimate(double n_all) const {
    TableEstimate result{.n_rows = n_all, .n_features = text_.size(), .n_classes = n_classes_};
    for (const LevelGrowth& column : text_)
      if (column.n_levels() > 0) result.text.push_back({column.expected_levels(n_all), column.mean_bytes()});
    return result;
  }

 private:
  std::size_t n_rows_ = 0;
  std::size_t n_classes_ = 0;
  std::vector<LevelGrowth> text_;  ///< by feature, without rows of numbers
};

/// Rows of a chunk that takes little memory, by the bytes of those read so far.
std::size_t few_rows(std::size_t n_rows, std::size_t n_bytes) {
  constexpr std::size_t most_bytes = std::size_t{64} << 10U;
  constexpr std::size_t most_rows = 1000;
  constexpr std::size_t first_rows = 100;
  return n_rows == 0 ? first_rows : std::clamp<std::size_t>(most_bytes * n_rows / n_bytes, 1, most_rows);
}

/// True if more rows would hardly change an estimate.
bool is_settled(const TableEstimate& estimate, double n_known) {
  constexpr double few_levels = 1000;
  constexpr double accuracy = 0.1;
  double n_levels = 0;
  for (const TextEstimate& column : estimate.text) n_levels += column.n_levels;
  return n_levels <= std::max(n_known + few_levels, (1 + accuracy) * n_known);
}

}  // namespace

std::size_t size_of_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return 0;
  const auto size = std::filesystem::file_size(path, error);
  return error ? 0 : static_cast<std::size_t>(size);
}

TableEstimate estimate_table(const TableFlags& flags, std::size_t limit) {
  constexpr double packed_ratio = 5;  // of numbers as text, at most about
  constexpr std::size_t most_rows = 128'000;
  constexpr std::size_t most_bytes = std::size_t{16} << 20U;
  const std::size_t size = size_of_file(flags.path);
  if (size == 0) return {};
  std::size_t n_read = 0;
  ByteSource source = open_source(flags.path);
  source.read = [read = std::move(source.read), &n_read](std::span<char> buffer) {
    // Little by little: what is read tells how long a row is.
    const std::size_t count = read(buffer.first(std::min<std::size_t>(buffer.size(), 4096)));
    n_read += count;
    return count;
  };
  CsvChunks chunks(std::move(source), flags.csv);
  const double unpacked = static_cast<double>(size) * (is_packed(flags.path) ? packed_ratio : 1);
  FirstRows first;
  std::size_t rows = 1000;
  while (true) {
    const Table chunk = chunks.next(std::min(few_rows(first.n_rows(), n_read), rows - first.n_rows()));
    chunks.forget_levels();
    first.add(chunk);
    if (chunk.n_rows > 0 && first.n_rows() < rows) continue;
    TableEstimate estimate =
        first.estimate(unpacked / static_cast<double>(n_read) * static_cast<double>(first.n_rows()));
    const bool has_more = chunk.n_rows > 0 && rows < most_rows && n_read < most_bytes;
    if (limit == 0 || !has_more || is_settled(estimate, first.n_levels())) return estimate;
    rows *= 2;
  }
}

}  // namespace dyad::cli
