// Models in other languages: a file that computes the scores and probabilities of a model without dyad.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "dyad/base/options.h"
#include "dyad/model/model.h"

namespace dyad {

enum class ExportFormat {
  json,  ///< the tables and weights; docs/export.schema.json describes it
  c,     ///< one file of C99
  js,    ///< one ECMAScript module
  sql,   ///< tables and a view, for DuckDB and SQLite
  onnx   ///< a graph of standard operators
};
inline constexpr Names<5> export_format_names{"json", "c", "js", "sql", "onnx"};

struct ExportOptions {
  bool contributions = false;  ///< add the terms' contributions as an output (ONNX only)
};

/// The content of a file in a format. The same model gives the same bytes. O(bytes of the model).
/// Throws std::invalid_argument if an option does not apply to the format, and for SQL and ONNX if the model
/// has tables with nodes, as edited models do.
[[nodiscard]] std::string export_model(const Model& model, ExportFormat format,
                                       const ExportOptions& options = {});

}  // namespace dyad
