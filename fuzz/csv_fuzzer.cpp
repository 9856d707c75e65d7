// Reads text as a table. The first two bytes choose the options, whose columns have names of one letter.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <stdexcept>
#include <string_view>

#include "dyad/io/csv.h"

namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

dyad::CsvOptions options_of(unsigned choice, unsigned detail) {
  const auto chosen = [&](unsigned bit) { return (choice >> bit & 1U) != 0; };
  dyad::CsvOptions options;
  if (chosen(0)) options.label = "y";
  if (chosen(1)) options.weight = "w";
  if (chosen(2)) options.categorical = {"c", "d"};
  if (chosen(3)) options.exclude = {"e", "column3"};
  if (chosen(4)) options.columns = {"b", "a"};
  options.only_other = chosen(5);
  if (chosen(6))
    options.limits = {
        .max_rows = 4, .max_columns = 4, .max_field_bytes = 8, .max_line_bytes = 32, .max_classes = 2};
  if (chosen(7)) options.delimiter = std::array{',', ';', '\t', '\t'}[detail % 4];
  return options;
}

/// Pieces of 1, 2, .. `most` bytes and again, so that records and quotes are cut everywhere.
dyad::ByteSource in_pieces(std::string_view text, std::size_t most) {
  return {"t.csv", [text, most, size = std::size_t{0}](std::span<char> buffer) mutable {
            size = size % most + 1;
            const std::size_t count = std::min({size, buffer.size(), text.size()});
            std::memcpy(buffer.data(), text.data(), count);
            text.remove_prefix(count);
            return count;
          }};
}

void check(const dyad::CategoricalColumn& column, std::size_t n_rows) {
  require(column.codes.size() == n_rows, "a column has not one code for each row");
  for (const std::int32_t code : column.codes)
    require(code == dyad::CategoricalColumn::missing ||
                (code >= 0 && static_cast<std::size_t>(code) < column.levels.size()),
            "a code has no level");
}

void check(const dyad::NumericColumn& column, std::size_t n_rows) {
  require(column.values.size() == n_rows, "a column has not one number for each row");
  require(std::ranges::none_of(column.values, [](double value) { return std::isinf(value); }),
          "a number is infinite");
}

void check(const dyad::Table& table, const dyad::CsvOptions& options) {
  require(table.n_rows > 0 && table.n_rows <= options.limits.max_rows, "the number of rows is impossible");
  for (const dyad::Column& column : table.features)
    std::visit([&](const auto& data) { check(data, table.n_rows); }, column.data);
  if (!options.label.empty()) {
    require(table.labels.codes.size() == table.n_rows, "there is not one label for each row");
    for (const std::int32_t code : table.labels.codes)
      require(code >= 0 && static_cast<std::size_t>(code) < table.labels.classes.size(),
              "a label has no class");
  }
  if (!options.weight.empty()) {
    require(table.weights.size() == table.n_rows, "there is not one weight for each row");
    for (const double weight : table.weights)
      require(weight >= 0 && std::isfinite(weight), "a weight is impossible");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const dyad::CsvOptions options = options_of(data[0], data[1]);
  const std::string_view text(reinterpret_cast<const char*>(data + 2), size - 2);
  try {
    check(dyad::read_csv(in_pieces(text, 1 + data[1] / 4U), options), options);
  } catch (const std::runtime_error&) {
    return 0;  // not a table, as has been said
  }
  return 0;
}
