// Tables from CSV text (RFC 4180).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "dyad/data/table.h"
#include "dyad/io/byte_source.h"

namespace dyad {

/// Larger files are refused with an error that names the limit.
struct CsvLimits {
  std::size_t max_rows = 2'000'000'000;
  std::size_t max_columns = 100'000;
  std::size_t max_field_bytes = std::size_t{1} << 20;
  std::size_t max_line_bytes = std::size_t{1} << 26;  ///< with the line ends of quoted fields
  std::size_t max_classes = 1'000;                    ///< distinct labels
};

struct CsvOptions {
  std::string label;                     ///< the column of class labels; empty: the table has none
  std::string weight;                    ///< the column of row weights; empty: all rows count 1
  std::vector<std::string> categorical;  ///< columns to take as categories whatever they hold
  std::vector<std::string> exclude;      ///< columns to leave out
  std::vector<std::string> columns;  ///< if any: the features to read, in this order; all others are left out
  std::map<std::string, std::vector<std::string>> known_levels;  ///< levels of columns in `categorical`: a
                                                                 ///< field that is one is no missing value
                                                                 ///< and keeps its blanks
  bool only_other = false;  ///< whether a column that is the only one beside `columns` is read, too: as a
                            ///< category behind them
  std::optional<char> delimiter;  ///< comma, semicolon or tab; by default the one most frequent in the header
  CsvLimits limits;
};

/// Reads a table: a header line, then one line per row. Fields may be quoted ("" inside stands for "), lines
/// may end in LF or CRLF, a UTF-8 byte-order mark is skipped, blank lines too, and blanks around unquoted
/// fields. Empty, NA, ? and nan are missing values. A column whose values are all numbers is numeric, one
/// with none is categorical; one without values is numeric unless named in `categorical`. Throws
/// std::runtime_error with file, line and column if the text is not such a table: ragged rows, a column that
/// mixes numbers and text (unless named in `categorical`), infinite values, names missing or repeated, no
/// rows, a limit passed; and if a column named in the options is absent.
[[nodiscard]] Table read_csv(ByteSource source, const CsvOptions& options);

/// The same from a file, gzip file or standard input ("-").
[[nodiscard]] Table read_csv(const std::string& path, const CsvOptions& options);

/// The same table some rows at a time: the text may be larger than memory. Throws as `read_csv` does.
class CsvChunks {
 public:
  /// Reads the header.
  CsvChunks(ByteSource source, const CsvOptions& options);
  CsvChunks(CsvChunks&&) noexcept;
  CsvChunks& operator=(CsvChunks&&) noexcept;
  ~CsvChunks();

  /// The next rows, at most so many; no row at the end. What a column holds, its levels and the classes are
  /// those met so far: one without a value yet is numeric, codes of levels stay what they are.
  [[nodiscard]] Table next(std::size_t most_rows);
  /// Forgets the levels of features met so far, but the first of each: later chunks number theirs anew.
  void forget_levels();
  /// Columns that are read.
  [[nodiscard]] std::size_t n_columns() const;

 private:
  class Reader;
  std::unique_ptr<Reader> reader_;
};

}  // namespace dyad
