// Graphs of ONNX operators, written as the protocol buffers of onnx.proto without a library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dyad::internal {

/// A message of protocol buffers: fields with their numbers.
class Message {
 public:
  void integer(std::uint32_t field, std::uint64_t value);
  void text(std::uint32_t field, std::string_view value);
  void message(std::uint32_t field, const Message& value) { text(field, value.bytes_); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value);
  std::string bytes_;
};

/// Types of tensors, by their numbers in onnx.proto.
enum class TensorType : std::uint8_t { uint16 = 4, int64 = 7, text = 8, boolean = 9, real = 11 };

/// An attribute of a node, made by one of the functions below.
using Attribute = Message;
[[nodiscard]] Attribute attribute(std::string_view name, std::int64_t value);
[[nodiscard]] Attribute attribute(std::string_view name, std::span<const std::int64_t> values);
[[nodiscard]] Attribute attribute(std::string_view name, std::span<const std::string> values);

/// A graph under construction. Values are known by their names.
class OnnxGraph {
 public:
  using Value = std::string;
  using Shape = std::vector<std::int64_t>;  ///< -1: the number of rows

  /// The output of an operator; `domain` is that of the operator if it is not the default one.
  Value node(std::string_view op, std::initializer_list<Value> inputs,
             std::initializer_list<Attribute> attributes = {}, std::string_view domain = {});
  /// Constants of a shape; without one, a vector.
  Value reals(std::span<const double> values, const Shape& shape = {});
  Value real(double value) { return reals({&value, 1}); }
  Value integers(std::span<const std::int64_t> values, const Shape& shape = {});
  Value integer(std::int64_t value) { return integers({&value, 1}); }
  Value places(std::span<const std::size_t> values, const Shape& shape = {});
  Value depths(std::span<const std::uint16_t> values);
  Value truths(const std::vector<bool>& values);
  Value texts(std::span<const std::string> values);

  Value input(std::string_view name, TensorType type, const Shape& shape);
  void output(std::string_view name, const Value& value, TensorType type, const Shape& shape);

  /// The bytes of a model file with this graph; `notes` are pairs of key and text.
  [[nodiscard]] std::string model(
      std::initializer_list<std::pair<std::string_view, std::string>> notes) const;

 private:
  Value constant(TensorType type, const Shape& shape, std::size_t size, std::string_view raw,
                 std::span<const std::string> texts = {});
  Message graph_;
  std::size_t n_values_ = 0;
};

}  // namespace dyad::internal
