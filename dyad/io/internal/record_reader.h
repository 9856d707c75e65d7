// The records of CSV text one by one.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "dyad/io/byte_source.h"

namespace dyad::internal {

/// A record is one line, or more where quoted fields hold line ends.
class RecordReader {
 public:
  /// Records longer than max_bytes are refused.
  RecordReader(ByteSource source, std::size_t max_bytes);

  /// Moves on to the next record; false at the end of the source.
  /// Throws std::runtime_error with file and line if a quote stays open or the record is too long.
  bool next();

  /// The record without its line end; valid until the next call of next().
  [[nodiscard]] std::string_view record() const { return record_; }
  /// The line it begins on, counted from 1.
  [[nodiscard]] std::size_t line() const { return line_; }
  [[nodiscard]] const std::string& name() const { return source_.name; }
  void skip(std::size_t bytes) { record_.remove_prefix(bytes); }

 private:
  bool find_end();
  bool fill();
  [[noreturn]] void fail(const std::string& reason) const;

  ByteSource source_;
  std::size_t max_bytes_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;   ///< of the next record
  std::size_t end_ = 0;     ///< of the record found
  std::size_t filled_ = 0;  ///< bytes in the buffer
  std::string_view record_;
  std::size_t line_ = 1;
  std::size_t next_line_ = 1;
};

}  // namespace dyad::internal
