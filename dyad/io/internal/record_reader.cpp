// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/internal/record_reader.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace dyad::internal {

namespace {

/// Bytes of the buffer: small tables need few, large ones are read faster with more.
constexpr std::size_t first_size = std::size_t{1} << 14;
constexpr std::size_t usual_size = std::size_t{1} << 20;

}  // namespace

RecordReader::RecordReader(ByteSource source, std::size_t max_bytes)
    : source_(std::move(source)), max_bytes_(max_bytes), buffer_(first_size) {}

void RecordReader::fail(const std::string& reason) const {
  throw std::runtime_error(source_.name + ": line " + std::to_string(line_) + " " + reason);
}

bool RecordReader::next() {
  line_ = next_line_;
  if (!find_end()) return false;
  record_ = {buffer_.data() + begin_, end_ - begin_};
  begin_ = std::min(end_ + 1, filled_);
  if (record_.ends_with('\r')) record_.remove_suffix(1);
  return true;
}

/// Sets end_ to the line end that closes the record at begin_, and counts its lines.
bool RecordReader::find_end() {
  std::size_t scanned = begin_;
  bool open_quote = false;
  while (true) {
    const char* const from = buffer_.data() + scanned;
    const std::size_t available = filled_ - scanned;
    const auto* newline =
        available == 0 ? nullptr : static_cast<const char*>(std::memchr(from, '\n', available));
    const std::size_t stop =
        newline == nullptr ? filled_ : static_cast<std::size_t>(newline - buffer_.data());
    open_quote = open_quote != (std::count(from, from + (stop - scanned), '"') % 2 == 1);
    if (stop - begin_ > max_bytes_)
      fail("is longer than " + std::to_string(max_bytes_) + " bytes" +
           (open_quote ? "; is a quote not closed?" : ""));
    if (newline != nullptr) {
      ++next_line_;
      if (!open_quote) {
        end_ = stop;
        return true;
      }
      scanned = stop + 1;
      continue;
    }
    const std::size_t done = stop - begin_;
    const bool more = fill();
    scanned = begin_ + done;
    if (more) continue;
    if (open_quote) fail("has a quoted field that is not closed before the end of the file");
    end_ = filled_;
    return begin_ < filled_;
  }
}

/// Moves the unfinished record to the front and reads on behind it; false at the end of the source.
bool RecordReader::fill() {
  const bool was_full = filled_ == buffer_.size();
  std::memmove(buffer_.data(), buffer_.data() + begin_, filled_ - begin_);
  filled_ -= begin_;
  begin_ = 0;
  if (filled_ == buffer_.size() || (was_full && buffer_.size() < usual_size))
    buffer_.resize(buffer_.size() * 2);
  const std::size_t got = source_.read(std::span(buffer_).subspan(filled_));
  filled_ += got;
  return got > 0;
}

}  // namespace dyad::internal
