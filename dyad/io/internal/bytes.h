// Numbers and text as bytes of a model file (docs/model_file.md) or a state file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dyad/base/text.h"
#include "dyad/io/internal/field_text.h"

namespace dyad::internal {

static_assert(std::endian::native == std::endian::little, "byte swapping is not written yet");
static_assert(std::numeric_limits<double>::is_iec559);

/// Appends values to a string of bytes.
class Writer {
 public:
  template <class T>
  void put(T value) {
    const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
    bytes_.append(bytes.data(), bytes.size());
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  void put_numbers(std::span<const double> values) {
    for (const double value : values) put(value);
  }
  /// A whole number in as few bytes as it needs, seven bits in each.
  void put_count(std::uint64_t count) {
    for (; count >= 128; count >>= 7U) bytes_ += static_cast<char>(128U | (count & 127U));
    bytes_ += static_cast<char>(count);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes values from bytes; every read is checked against what is left.
class Reader {
 public:
  /// `name` is that of the file, `what` says of which kind it is.
  Reader(std::string_view bytes, std::string name, std::string what = "model file")
      : bytes_(bytes), name_(std::move(name)), what_(std::move(what)) {}

  [[noreturn]] void fail(const std::string& reason) const { throw std::runtime_error(name_ + ": " + reason); }
  /// Fails with "the model file" before the reason.
  [[noreturn]] void refuse(const std::string& reason) const { fail("the " + what_ + " " + reason); }

  std::string_view take_bytes(std::size_t size) {
    if (size > bytes_.size()) refuse("is cut short or damaged");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  template <class T>
  T take() {
    std::array<char, sizeof(T)> raw{};
    std::memcpy(raw.data(), take_bytes(sizeof(T)).data(), sizeof(T));
    return std::bit_cast<T>(raw);
  }
  double take_number() {
    const auto value = take<double>();
    if (!std::isfinite(value)) refuse("holds a number that is not finite");
    return value;
  }
  double take_positive() {
    const double value = take_number();
    if (!(value > 0)) refuse("has a length that is not positive");
    return value;
  }
  /// The value, if it is so small that what predictions make of it is finite, too, as all logarithms of a fit are.
  [[nodiscard]] double moderate(double value) const {
    if (!(std::abs(value) <= 1e100)) refuse("has a logarithm that no fit makes");
    return value;
  }
  /// UTF-8 without NUL, as the names of a table are.
  std::string take_text() {
    const std::string_view text = take_bytes(take_size(1));
    if (!is_utf8(text) || text.find('\0') != std::string_view::npos)
      refuse("has a name that is no text: " + quoted(text));
    return std::string(text);
  }
  /// A count of things of which each takes at least `bytes_each` of what is left.
  std::size_t take_size(std::size_t bytes_each) {
    const auto size = take<std::uint64_t>();
    if (size > bytes_.size() / bytes_each) refuse("is cut short or damaged");
    return static_cast<std::size_t>(size);
  }
  /// An index below `bound`.
  std::size_t take_index(std::size_t bound) {
    const auto index = take<std::uint64_t>();
    if (index >= bound) refuse("refers to something it does not hold");
    return static_cast<std::size_t>(index);
  }
  /// As put by `put_count`, no larger than any sum of rows.
  std::int64_t take_count() {
    std::uint64_t count = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      const auto byte = static_cast<std::uint64_t>(take<unsigned char>());
      count |= (byte & 127U) << shift;
      if (byte < 128) return static_cast<std::int64_t>(count);
    }
    refuse("has a number of rows that no table has");
  }
  /// n_rows n_cols numbers, however large the two are.
  std::vector<double> take_numbers(std::size_t n_rows, std::size_t n_cols = 1) {
    if (n_cols > 0 && n_rows > bytes_.size() / sizeof(double) / n_cols) refuse("is cut short or damaged");
    std::vector<double> values(n_rows * n_cols);
    for (double& value : values) value = take_number();
    return values;
  }
  /// The same, where some may be missing: NaN.
  std::vector<double> take_numbers_or_gaps(std::size_t n_rows, std::size_t n_cols) {
    if (n_cols > 0 && n_rows > bytes_.size() / sizeof(double) / n_cols) refuse("is cut short or damaged");
    std::vector<double> values(n_rows * n_cols);
    for (double& value : values) {
      value = take<double>();
      if (std::isinf(value)) refuse("holds a number that is not finite");
    }
    return values;
  }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] bool starts_with(std::string_view start) const { return bytes_.starts_with(start); }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const std::string& what() const { return what_; }

 private:
  std::string_view bytes_;
  std::string name_;
  std::string what_;
};

}  // namespace dyad::internal
