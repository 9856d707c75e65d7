// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/exports/internal/onnx_graph.h"

#include <bit>

#include "dyad/version.h"

namespace dyad::internal {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors of ONNX are little-endian");

constexpr std::uint64_t ir_version = 9;
constexpr std::uint64_t opset_version = 20;
constexpr std::uint64_t ml_opset_version = 3;

/// Numbers of fields in onnx.proto.
namespace model_field {
constexpr std::uint32_t ir_version = 1, producer = 2, producer_version = 3, graph = 7, opset = 8, notes = 14;
}
namespace graph_field {
constexpr std::uint32_t node = 1, name = 2, constant = 5, input = 11, output = 12;
}
namespace node_field {
constexpr std::uint32_t input = 1, output = 2, op = 4, attribute = 5, domain = 7;
}
namespace tensor_field {
constexpr std::uint32_t size = 1, type = 2, text = 6, name = 8, raw = 9;
}
namespace attribute_field {
constexpr std::uint32_t name = 1, integer = 3, integers = 8, texts = 9, type = 20;
}

enum class AttributeType : std::uint8_t { integer = 2, integers = 7, texts = 8 };

template <class Number>
std::string_view bytes_of(std::span<const Number> values) {
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

Attribute attribute_of(std::string_view name, AttributeType type) {
  Attribute result;
  result.text(attribute_field::name, name);
  result.integer(attribute_field::type, static_cast<std::uint64_t>(type));
  return result;
}

Message opset(std::string_view domain, std::uint64_t version) {
  Message result;
  if (!domain.empty()) result.text(1, domain);
  result.integer(2, version);
  return result;
}

/// Name, type and shape of an input or output.
Message value_info(std::string_view name, TensorType type, const OnnxGraph::Shape& shape) {
  Message sizes;
  for (const std::int64_t size : shape) {
    Message dimension;
    if (size < 0)
      dimension.text(2, "rows");
    else
      dimension.integer(1, static_cast<std::uint64_t>(size));
    sizes.message(1, dimension);
  }
  Message tensor;
  tensor.integer(1, static_cast<std::uint64_t>(type));
  tensor.message(2, sizes);
  Message of_type;
  of_type.message(1, tensor);
  Message result;
  result.text(1, name);
  result.message(2, of_type);
  return result;
}

}  // namespace

void Message::varint(std::uint64_t value) {
  for (; value >= 0x80; value >>= 7U) bytes_ += static_cast<char>((value & 0x7fU) | 0x80U);
  bytes_ += static_cast<char>(value);
}

void Message::integer(std::uint32_t field, std::uint64_t value) {
  varint(std::uint64_t{field} << 3U);
  varint(value);
}

void Message::text(std::uint32_t field, std::string_view value) {
  varint(std::uint64_t{field} << 3U | 2U);
  varint(value.size());
  bytes_ += value;
}

Attribute attribute(std::string_view name, std::int64_t value) {
  Attribute result = attribute_of(name, AttributeType::integer);
  result.integer(attribute_field::integer, static_cast<std::uint64_t>(value));
  return result;
}

Attribute attribute(std::string_view name, std::span<const std::int64_t> values) {
  Attribute result = attribute_of(name, AttributeType::integers);
  for (const std::int64_t value : values)
    result.integer(attribute_field::integers, static_cast<std::uint64_t>(value));
  return result;
}

Attribute attribute(std::string_view name, std::span<const std::string> values) {
  Attribute result = attribute_of(name, AttributeType::texts);
  for (const std::string& value : values) result.text(attribute_field::texts, value);
  return result;
}

OnnxGraph::Value OnnxGraph::node(std::string_view op, std::initializer_list<Value> inputs,
                                 std::initializer_list<Attribute> attributes, std::string_view domain) {
  Value name = "v" + std::to_string(n_values_++);
  Message node;
  for (const Value& input : inputs) node.text(node_field::input, input);
  node.text(node_field::output, name);
  node.text(node_field::op, op);
  for (const Attribute& of : attributes) node.message(node_field::attribute, of);
  if (!domain.empty()) node.text(node_field::domain, domain);
  graph_.message(graph_field::node, node);
  return name;
}

OnnxGraph::Value OnnxGraph::constant(TensorType type, const Shape& shape, std::size_t size,
                                     std::string_view raw, std::span<const std::string> texts) {
  Value name = "c" + std::to_string(n_values_++);
  Message tensor;
  for (const std::int64_t length : shape)
    tensor.integer(tensor_field::size, static_cast<std::uint64_t>(length));
  if (shape.empty()) tensor.integer(tensor_field::size, size);
  tensor.integer(tensor_field::type, static_cast<std::uint64_t>(type));
  for (const std::string& text : texts) tensor.text(tensor_field::text, text);
  tensor.text(tensor_field::name, name);
  if (texts.empty()) tensor.text(tensor_field::raw, raw);
  graph_.message(graph_field::constant, tensor);
  return name;
}

OnnxGraph::Value OnnxGraph::reals(std::span<const double> values, const Shape& shape) {
  return constant(TensorType::real, shape, values.size(), bytes_of(values));
}

OnnxGraph::Value OnnxGraph::integers(std::span<const std::int64_t> values, const Shape& shape) {
  return constant(TensorType::int64, shape, values.size(), bytes_of(values));
}

OnnxGraph::Value OnnxGraph::places(std::span<const std::size_t> values, const Shape& shape) {
  const std::vector<std::int64_t> numbers(values.begin(), values.end());
  return integers(numbers, shape);
}

OnnxGraph::Value OnnxGraph::depths(std::span<const std::uint16_t> values) {
  return constant(TensorType::uint16, {}, values.size(), bytes_of(values));
}

OnnxGraph::Value OnnxGraph::truths(const std::vector<bool>& values) {
  const std::vector<std::uint8_t> bytes(values.begin(), values.end());
  return constant(TensorType::boolean, {}, bytes.size(), bytes_of(std::span<const std::uint8_t>(bytes)));
}

OnnxGraph::Value OnnxGraph::texts(std::span<const std::string> values) {
  return constant(TensorType::text, {}, values.size(), {}, values);
}

OnnxGraph::Value OnnxGraph::input(std::string_view name, TensorType type, const Shape& shape) {
  graph_.message(graph_field::input, value_info(name, type, shape));
  return Value(name);
}

void OnnxGraph::output(std::string_view name, const Value& value, TensorType type, const Shape& shape) {
  Message node;
  node.text(node_field::input, value);
  node.text(node_field::output, name);
  node.text(node_field::op, "Identity");
  graph_.message(graph_field::node, node);
  graph_.message(graph_field::output, value_info(name, type, shape));
}

std::string OnnxGraph::model(std::initializer_list<std::pair<std::string_view, std::string>> notes) const {
  Message graph = graph_;
  graph.text(graph_field::name, "dyad");
  Message result;
  result.integer(model_field::ir_version, ir_version);
  result.text(model_field::producer, "dyad");
  result.text(model_field::producer_version, version);
  result.message(model_field::graph, graph);
  result.message(model_field::opset, opset({}, opset_version));
  result.message(model_field::opset, opset("ai.onnx.ml", ml_opset_version));
  for (const auto& [key, text] : notes) {
    Message note;
    note.text(1, key);
    note.text(2, text);
    result.message(model_field::notes, note);
  }
  return result.bytes();
}

}  // namespace dyad::internal
