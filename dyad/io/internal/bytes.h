// Numbers and text as bytes of a model file (docs/model_file.md).
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
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
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes values from bytes; every read is checked against what is left.
class Reader {
 public:
  Reader(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  [[noreturn]] void fail(const std::string& reason) const { throw std::runtime_error(name_ + ": " + reason); }

  std::string_view take_bytes(std::size_t size) {
    if (size > bytes_.size()) fail("the model file is cut short or damaged");
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
    if (!std::isfinite(value)) fail("the model file holds a number that is not finite");
    return value;
  }
  double take_positive() {
    const double value = take_number();
    if (!(value > 0)) fail("the model file has a length that is not positive");
    return value;
  }
  /// The value, if it is so small that what predictions make of it is finite, too, as all logarithms of a fit are.
  [[nodiscard]] double moderate(double value) const {
    if (!(std::abs(value) <= 1e100)) fail("the model file has a logarithm that no fit makes");
    return value;
  }
  /// UTF-8 without NUL, as the names of a table are.
  std::string take_text() {
    const std::string_view text = take_bytes(take_size(1));
    if (!is_utf8(text) || text.find('\0') != std::string_view::npos)
      fail("the model file has a name that is no text: " + quoted(text));
    return std::string(text);
  }
  /// A count of things of which each takes at least `bytes_each` of what is left.
  std::size_t take_size(std::size_t bytes_each) {
    const auto size = take<std::uint64_t>();
    if (size > bytes_.size() / bytes_each) fail("the model file is cut short or damaged");
    return static_cast<std::size_t>(size);
  }
  /// An index below `bound`.
  std::size_t take_index(std::size_t bound) {
    const auto index = take<std::uint64_t>();
    if (index >= bound) fail("the model file refers to something it does not hold");
    return static_cast<std::size_t>(index);
  }
  /// n_rows n_cols numbers, however large the two are.
  std::vector<double> take_numbers(std::size_t n_rows, std::size_t n_cols = 1) {
    if (n_cols > 0 && n_rows > bytes_.size() / sizeof(double) / n_cols)
      fail("the model file is cut short or damaged");
    std::vector<double> values(n_rows * n_cols);
    for (double& value : values) value = take_number();
    return values;
  }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string_view bytes_;
  std::string name_;
};

}  // namespace dyad::internal
