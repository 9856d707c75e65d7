// Operators of an ONNX graph by short names, for the parts of a graph that are made in files of their own.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>

#include "dyad/exports/internal/onnx_graph.h"
#include "dyad/exports/lookups.h"

namespace dyad::internal {

using Value = OnnxGraph::Value;

/// Number of the table's rows in a shape.
inline constexpr std::int64_t n_table_rows = -1;

[[nodiscard]] std::int64_t signed_size(const auto& elements) {
  return static_cast<std::int64_t>(elements.size());
}

/// of(element) for each element.
template <class Element, class Of>
[[nodiscard]] std::vector<double> each(std::span<const Element> elements, const Of& of) {
  std::vector<double> result;
  for (const Element& element : elements) result.push_back(static_cast<double>(of(element)));
  return result;
}

struct Operators {
  OnnxGraph graph;

  Value op(std::string_view name, const Value& a) { return graph.node(name, {a}); }
  Value op(std::string_view name, const Value& a, const Value& b) { return graph.node(name, {a, b}); }
  Value add(const Value& a, const Value& b) { return op("Add", a, b); }
  Value subtract(const Value& a, const Value& b) { return op("Sub", a, b); }
  Value multiply(const Value& a, const Value& b) { return op("Mul", a, b); }
  Value where(const Value& condition, const Value& a, const Value& b) {
    return graph.node("Where", {condition, a, b});
  }
  Value clip(const Value& a, double limit) {
    return graph.node("Clip", {a, graph.real(-limit), graph.real(limit)});
  }
  Value rows(const Value& matrix, std::span<const std::size_t> which) {
    return op("Gather", matrix, graph.places(which));
  }
  Value joined(const std::vector<Value>& matrices, std::int64_t axis) {
    Value result = matrices.front();
    for (std::size_t k = 1; k < matrices.size(); ++k)
      result = graph.node("Concat", {result, matrices[k]}, {attribute("axis", axis)});
    return result;
  }
  Value below(const std::vector<Value>& matrices) { return joined(matrices, 0); }
  Value beside(const std::vector<Value>& matrices) { return joined(matrices, 1); }
  /// A number for each row of a matrix.
  Value of_rows(std::span<const double> values) { return graph.reals(values, {signed_size(values), 1}); }
  Value cast(const Value& a, TensorType type) {
    return graph.node("Cast", {a}, {attribute("to", static_cast<std::int64_t>(type))});
  }
  Value zero() { return graph.reals(std::array{0.0}); }
  Value sum_of_row(const Value& a) { return graph.node("ReduceSum", {a, graph.integer(1)}); }
};

/// The features of the table as a matrix with a row for each feature and a column for each row of the table:
/// picking features, densities or terms then copies whole rows.
struct OnnxFeatures {
  Value z;        ///< coordinates of numbers, codes of levels; 0 where a value is missing
  Value missing;  ///< truths
};
[[nodiscard]] OnnxFeatures add_features(Operators& o, const Model& model);

/// The values of all densities.
struct OnnxDensities {
  Value values;                    ///< without a name if there are none
  std::vector<std::size_t> place;  ///< row of each density
};
[[nodiscard]] OnnxDensities add_densities(Operators& o, const Lookups& lookups, const Value& z);

/// Deviations of the terms from their centres.
struct OnnxDeviations {
  Value values;
  std::vector<std::size_t> order;  ///< term of each row
};
[[nodiscard]] OnnxDeviations add_terms(Operators& o, const Lookups& lookups, const OnnxFeatures& features,
                                       const OnnxDensities& densities);

}  // namespace dyad::internal
