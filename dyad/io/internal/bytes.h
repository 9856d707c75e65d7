// Numbers and text as bytes of a model file (docs/model_file.md) or a state file.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <concepts>
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

/// T, or const T where it is written.
template <class T, class Of>
concept Is = std::same_as<std::remove_const_t<T>, Of>;

/// Appends values to a string of bytes.
///
/// Reader has functions of the same names, so that one description of a layout, `exchange`, serves both:
/// Writer writes values, Reader replaces them by those of the file and checks them. Writer ignores bounds and
/// conditions.
class Writer {
 public:
  void value(auto value) {
    const auto bytes = std::bit_cast<std::array<char, sizeof(value)>>(value);
    bytes_.append(bytes.data(), bytes.size());
  }
  void number(std::same_as<double> auto... numbers) { (value(numbers), ...); }
  void positive(std::same_as<double> auto... numbers) { (value(numbers), ...); }
  void text(std::string_view text) {
    value(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  void index(auto index, std::size_t /*bound*/) { value(static_cast<std::uint64_t>(index)); }
  void count(auto count) {
    auto rest = static_cast<std::uint64_t>(count);
    for (; rest >= 128; rest >>= 7U) bytes_ += static_cast<char>(128U | (rest & 127U));
    bytes_ += static_cast<char>(rest);
  }
  void count_below(auto count, std::size_t /*bound*/, std::string_view /*reason*/ = {}) {
    this->count(count);
  }
  std::size_t size(std::size_t /*bytes_each*/, const auto& list, const auto&... /*others*/) {
    value(static_cast<std::uint64_t>(list.size()));
    return list.size();
  }
  void resize(std::size_t /*size*/, std::size_t /*bytes_each*/, const auto& /*list*/) const {}
  template <class T>
  void values(const std::vector<T>& values, std::size_t /*n_rows*/, std::size_t /*n_cols*/ = 1) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
  }
  void numbers(const std::vector<double>& numbers, std::size_t n_rows, std::size_t n_cols = 1) {
    values(numbers, n_rows, n_cols);
  }
  void restore(const auto& /*value*/, const auto& /*restored*/) const {}
  void require(bool /*condition*/, std::string_view /*reason*/) const {}

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes values from bytes; every read is checked against what is left.
class Reader {
 public:
  static constexpr std::string_view cut_short = "is cut short or damaged";
  static constexpr std::string_view unknown = "refers to something it does not hold";

  /// `name` is that of the file, `what` says of which kind it is.
  Reader(std::string_view bytes, std::string name, std::string what = "model file")
      : bytes_(bytes), name_(std::move(name)), what_(std::move(what)) {}

  [[noreturn]] void fail(const std::string& reason) const { throw std::runtime_error(name_ + ": " + reason); }
  /// Fails with "the model file" before the reason.
  [[noreturn]] void refuse(std::string_view reason) const {
    fail("the " + what_ + " " + std::string(reason));
  }
  void require(bool condition, std::string_view reason) const {
    if (!condition) refuse(reason);
  }
  /// Returns what `make` returns; fails, with a start of the message, if it throws std::invalid_argument.
  auto checked(const std::string& start, const auto& make) const {
    try {
      return make();
    } catch (const std::invalid_argument& error) {
      fail(start + ": " + error.what());
    }
  }

  std::string_view take_bytes(std::size_t size) {
    require(size <= bytes_.size(), cut_short);
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

  /// A value of any type of fixed size, unchecked.
  template <class T>
  void value(T& value) {
    value = take<T>();
  }
  /// Finite numbers.
  void number(std::same_as<double> auto&... numbers) {
    (value(numbers), ...);
    require((std::isfinite(numbers) && ...), "holds a number that is not finite");
  }
  void positive(std::same_as<double> auto&... numbers) {
    number(numbers...);
    require(((numbers > 0) && ...), "has a length that is not positive");
  }
  /// UTF-8 without NUL, as the names of a table are.
  void text(std::string& text) {
    const std::string_view taken = take_bytes(size(1));
    if (!is_utf8(taken) || taken.find('\0') != std::string_view::npos)
      refuse("has a name that is no text: " + quoted(taken));
    text = taken;
  }
  /// An index, an enumerator or a truth, below `bound`.
  template <class T>
  void index(T& index, std::size_t bound) {
    const auto taken = take<std::uint64_t>();
    require(taken < bound, unknown);
    index = static_cast<T>(taken);
  }
  /// A whole number in as few bytes as it needs, seven bits in each; no larger than any sum of rows.
  template <class T>
  void count(T& count) {
    static_assert(sizeof(T) == sizeof(std::uint64_t));
    std::uint64_t taken = 0;
    for (unsigned shift = 0; shift < 63; shift += 7) {
      const auto byte = static_cast<std::uint64_t>(take<unsigned char>());
      taken |= (byte & 127U) << shift;
      count = static_cast<T>(taken);
      if (byte < 128) return;
    }
    refuse("has a number of rows that no table has");
  }
  /// An index, an enumerator or a truth, below `bound`, in the bytes of a count.
  template <class T>
  void count_below(T& index, std::size_t bound, std::string_view reason = unknown) {
    std::uint64_t taken = 0;
    count(taken);
    require(taken < bound, reason);
    index = static_cast<T>(taken);
  }
  /// Resizes lists of which each element takes at least `bytes_each` of what is left.
  void resize(std::size_t size, std::size_t bytes_each, auto&... lists) const {
    require(size <= bytes_.size() / bytes_each, cut_short);
    (lists.resize(size), ...);
  }
  /// The size of such lists, as it is in the file.
  std::size_t size(std::size_t bytes_each, auto&... lists) {
    const auto size = take<std::uint64_t>();
    resize(size, bytes_each, lists...);
    return size;
  }
  /// n_rows n_cols values of fixed size, unchecked, however large the two are.
  template <class T>
  void values(std::vector<T>& values, std::size_t n_rows, std::size_t n_cols = 1) {
    require(n_cols == 0 || n_rows <= bytes_.size() / sizeof(T) / n_cols, cut_short);
    values.resize(n_rows * n_cols);
    const std::string_view raw = take_bytes(values.size() * sizeof(T));
    if (!raw.empty()) std::memcpy(values.data(), raw.data(), raw.size());
  }
  /// n_rows n_cols finite numbers.
  void numbers(std::vector<double>& numbers, std::size_t n_rows, std::size_t n_cols = 1) {
    values(numbers, n_rows, n_cols);
    const bool are_finite = std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
    require(are_finite, "holds a number that is not finite");
  }
  /// Sets a value that follows from others and is not in the file.
  template <class T>
  void restore(T& value, std::type_identity_t<T> restored) const {
    value = std::move(restored);
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
