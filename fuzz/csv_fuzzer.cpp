// Reads text as a table, at once and in chunks, and fits to it. The first two bytes choose the options, whose
// columns have names of one letter.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "dyad/fit/fit.h"
#include "dyad/fit/state.h"
#include "dyad/io/csv.h"
#include "dyad/io/model_file.h"
#include "fuzz/require.h"
#include "fuzz/table_mutation.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using dyad::fuzz::require;

dyad::CsvOptions options_of(unsigned choice, unsigned detail) {
  const auto chosen = [&](unsigned bit) { return (choice >> bit & 1U) != 0; };
  dyad::CsvOptions options;
  if (chosen(0)) options.label = "y";
  if (chosen(1)) options.weight = "w";
  if (chosen(2)) options.categorical = {"c", "d"};
  if (chosen(2) && detail >= 128) options.known_levels["c"] = {"?", " a", "NA", "a ", "b"};
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

/// The chunks of a text; those of an even number of rows have levels of their own.
std::vector<dyad::Table> chunks_of(std::string_view text, const dyad::CsvOptions& options,
                                   std::size_t most_rows) {
  std::vector<dyad::Table> chunks;
  dyad::CsvChunks reader(in_pieces(text, text.size() + 1), options);
  do {
    chunks.push_back(reader.next(most_rows));
    if (most_rows % 2 == 0) reader.forget_levels();
  } while (chunks.back().n_rows > 0);
  chunks.pop_back();
  return chunks;
}

/// The value of a field as a name; gaps have none.
std::optional<std::string> value_of(const dyad::Column& column, std::size_t row) {
  if (const auto* const text = std::get_if<dyad::CategoricalColumn>(&column.data)) {
    const std::int32_t code = text->codes[row];
    if (code == dyad::CategoricalColumn::missing) return {};
    return text->levels[static_cast<std::size_t>(code)];
  }
  const double value = std::get<dyad::NumericColumn>(column.data).values[row];
  if (std::isnan(value)) return {};
  return std::string(reinterpret_cast<const char*>(&value), sizeof value);
}

std::string_view label_of(const dyad::Table& table, std::size_t row) {
  return table.labels.classes[static_cast<std::size_t>(table.labels.codes[row])];
}

void require_same(const dyad::Table& whole, const std::vector<dyad::Table>& chunks) {
  std::size_t row = 0;
  for (const dyad::Table& chunk : chunks) {
    require(chunk.features.size() == whole.features.size(), "a chunk has other columns");
    require(row + chunk.n_rows <= whole.n_rows, "chunks have more rows than the table");
    for (std::size_t i = 0; i < chunk.n_rows; ++i, ++row) {
      for (std::size_t j = 0; j < whole.features.size(); ++j)
        require(value_of(chunk.features[j], i) == value_of(whole.features[j], row), "a value differs");
      if (!whole.labels.codes.empty()) require(label_of(chunk, i) == label_of(whole, row), "a label differs");
      if (!whole.weights.empty()) require(chunk.weights[i] == whole.weights[row], "a weight differs");
    }
  }
  require(row == whole.n_rows, "chunks have fewer rows than the table");
}

/// The bytes of a model, or none if there is none of such rows.
template <class Fit>
std::optional<std::string> fitted(const Fit& fit) {
  try {
    return dyad::model_bytes(fit());
  } catch (const std::invalid_argument&) {
    return {};
  }
}

void require_same_models(const dyad::Table& whole, const std::vector<dyad::Table>& chunks) {
  constexpr std::size_t most_values = 400;
  if (whole.labels.codes.empty() || whole.n_rows * whole.features.size() > most_values) return;
  dyad::FitOptions options = dyad::preset_options(dyad::Preset::automatic);
  options.method = dyad::Method::nb;
  options.grid = 16;
  const dyad::Execution execution{.threads = 1};
  const auto at_once = fitted([&] {
    dyad::Table table = whole;
    drop_weightless_rows(table);
    return dyad::fit(table, options, execution);
  });
  const auto in_parts = fitted([&] {
    dyad::State state;
    for (const dyad::Table& chunk : chunks) state.update(dyad::chunk_of(chunk), execution);
    dyad::FitReport report;
    return state.fit_sample(options, execution, report);
  });
  require(at_once.has_value() == in_parts.has_value(), "a table is refused at once or in chunks only");
  require(at_once == in_parts, "models of a table at once and in chunks differ");
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  dyad::Random random(seed);
  if (size < 2 || random.below(3) == 0) return LLVMFuzzerMutate(data, size, max_size);
  const std::string_view text(reinterpret_cast<const char*>(data + 2), size - 2);
  const std::string changed = dyad::fuzz::mutated_table(text, random);
  const std::size_t kept = std::min(changed.size(), max_size - 2);
  std::copy_n(changed.begin(), kept, data + 2);
  return kept + 2;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const dyad::CsvOptions options = options_of(data[0], data[1]);
  const std::string_view text(reinterpret_cast<const char*>(data + 2), size - 2);
  std::optional<dyad::Table> whole;
  std::optional<std::vector<dyad::Table>> chunks;
  try {
    whole = dyad::read_csv(in_pieces(text, 1 + data[1] / 4U), options);
    check(*whole, options);
  } catch (const std::runtime_error&) {  // not a table, as has been said
  }
  try {
    chunks = chunks_of(text, options, 1 + data[1] % 16U);
  } catch (const std::runtime_error&) {
  }
  require(whole.has_value() == chunks.has_value(), "text is read at once or in chunks only");
  if (!whole) return 0;
  require_same(*whole, *chunks);
  require_same_models(*whole, *chunks);
  return 0;
}
