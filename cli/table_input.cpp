// SPDX-License-Identifier: BSD-3-Clause
#include "cli/table_input.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "cli/memory_limit.h"
#include "cli/table_estimate.h"
#include "cli/terminal.h"
#include "dyad/base/gather.h"
#include "dyad/base/text.h"
#include "dyad/data/levels.h"
#include "dyad/data/values.h"
#include "dyad/io/csv.h"

namespace dyad::cli {

namespace {

/// Text in columns that no term looks at, such as those that were empty in training, is as good as no value.
void forget_unused_text(Table& table, const Model& model) {
  std::vector<bool> used(table.features.size());
  for (const Term& term : model.terms) used[term.i] = used[term.j] = true;
  for (std::size_t j = 0; j < used.size(); ++j)
    if (!used[j] && is_number(model, j) && std::holds_alternative<CategoricalColumn>(table.features[j].data))
      table.features[j].data =
          NumericColumn{std::vector<double>(table.n_rows, std::numeric_limits<double>::quiet_NaN())};
}

/// Says on standard error which columns have no level that the model knows.
void tell_unknown_levels(const Model& model, const std::vector<LevelUse>& use, const RunFlags& run) {
  if (run.quiet) return;
  for (std::size_t j = 0; j < use.size(); ++j) {
    const std::string note = note_on_unknown(model.features[j], model.levels[j], use[j]);
    if (!note.empty()) tell("dyad: " + note + "\n");
  }
}

/// The rows of a table as the model codes them.
Matrix rows_for(const Model& model, const std::string& path, Table& table, const RunFlags& run) {
  forget_unused_text(table, model);
  Matrix rows = on_table(path, [&] { return coded_rows(table, model.levels); });
  std::vector<LevelUse> use;
  count_known(table, model.levels, use);
  tell_unknown_levels(model, use, run);
  return rows;
}

/// The bytes of a table; reading them ends with Interrupted when the user asks to stop.
ByteSource open_table(const TableFlags& flags, const RunFlags& run) {
  ByteSource source = open_source(flags.path);
  source.read = [read = std::move(source.read), &run](std::span<char> buffer) {
    throw_if_stopped(run.execution);
    return read(buffer);
  };
  return source;
}

/// Rows of the next chunk, some of whose copies take no more than a fraction of the limit, if there is one.
class ChunkRows {
 public:
  ChunkRows(std::size_t n_columns, std::size_t limit)
      : bytes_of_row_(static_cast<double>(sizeof(double) * std::max<std::size_t>(n_columns, 1))),
        limit_(limit),
        most_(default_chunk_rows(n_columns)),
        rows_(limit == 0 ? most_ : std::min(rows_of(bytes_of_row_), first)) {}

  [[nodiscard]] std::size_t get() const { return rows_; }

  /// Takes the levels of a chunk for those of the next.
  void adapt(const Table& chunk) {
    if (limit_ == 0 || chunk.n_rows == 0) return;
    constexpr double bytes_of_level = 64;  // of one of as many copies as a number has
    double text = 0;
    for (const Column& column : chunk.features)
      if (const auto* const data = std::get_if<CategoricalColumn>(&column.data))
        for (const std::string& level : data->levels)
          text += bytes_of_level + static_cast<double>(level.size());
    const std::size_t next = rows_of(bytes_of_row_ + text / static_cast<double>(chunk.n_rows));
    rows_ = text > 0 ? std::min(next, 2 * rows_) : next;
  }

 private:
  static constexpr std::size_t first = 1000;

  [[nodiscard]] std::size_t rows_of(double bytes_of_row) const {
    constexpr double share = 1.0 / 16;
    constexpr std::size_t fewest = 256;
    return std::clamp(static_cast<std::size_t>(share * memory_for_rows(limit_) / bytes_of_row),
                      std::min(fewest, most_), most_);
  }

  double bytes_of_row_;  ///< of numbers
  std::size_t limit_;
  std::size_t most_;
  std::size_t rows_;
};

/// The features of the model, text as categories where it has levels.
void ask_for_features(const Model& model, CsvOptions& csv) {
  csv.columns = model.features;
  for (std::size_t j = 0; j < model.levels.size(); ++j) {
    if (model.levels[j].is_number()) continue;
    csv.categorical.push_back(model.features[j]);
    csv.known_levels[model.features[j]] = model.levels[j].names;
  }
}

/// The class of the model that a label means; -1 for none.
std::int32_t class_of(const Model& model, const std::string& label) {
  const auto found = find_class(model.classes, label);
  return found ? static_cast<std::int32_t>(*found) : -1;
}

/// Classes of the rows of a column of text; none if a value is missing or no class.
std::vector<std::int32_t> classes_of(const Model& model, const CategoricalColumn& column) {
  std::vector<std::int32_t> classes;
  for (const std::string& level : column.levels) classes.push_back(class_of(model, level));
  std::vector<std::int32_t> result;
  for (const std::int32_t code : column.codes) {
    if (code == CategoricalColumn::missing || classes[static_cast<std::size_t>(code)] < 0) return {};
    result.push_back(classes[static_cast<std::size_t>(code)]);
  }
  return result;
}

std::vector<std::int32_t> classes_of(const Model& model, const Labels& labels, const TableFlags& flags) {
  std::vector<std::int32_t> classes;
  for (const std::string& label : labels.classes) {
    classes.push_back(class_of(model, label));
    if (classes.back() >= 0) continue;
    std::string known;
    for (const std::string& name : model.classes) known += (known.empty() ? "" : ", ") + dyad::quoted(name);
    throw std::invalid_argument("column " + dyad::quoted(flags.csv.label) + " has the label " +
                                dyad::quoted(label) + "; the classes of the model are " + known);
  }
  return gather(classes, std::vector<std::size_t>(labels.codes.begin(), labels.codes.end()));
}

}  // namespace

Table read_table(const TableFlags& flags, const RunFlags& run) {
  return read_csv(open_table(flags, run), flags.csv);
}

ChunkSource chunks_of_table(const TableFlags& flags, const RunFlags& run) {
  return [&flags, &run, pass = 0]() mutable {
    const std::string step = ++pass == 1 ? "reading" : "counting";
    const std::size_t size = size_of_file(flags.path);
    auto n_read = std::make_shared<std::size_t>(0);
    ByteSource source = open_table(flags, run);
    source.read = [read = std::move(source.read), n_read](std::span<char> buffer) {
      const std::size_t count = read(buffer);
      *n_read += count;
      return count;
    };
    auto chunks = std::make_shared<CsvChunks>(std::move(source), flags.csv);
    return
        [&run, step, size, n_read, chunks, rows = ChunkRows(chunks->n_columns(), run.max_memory)]() mutable {
          const Table table = chunks->next(rows.get());
          chunks->forget_levels();
          rows.adapt(table);
          if (run.execution.progress && size > 0)
            run.execution.progress(step, std::min(*n_read, size) >> 10U, size >> 10U);
          return chunk_of(table);
        };
  };
}

Matrix read_rows_for(const Model& model, TableFlags flags, const RunFlags& run) {
  ask_for_features(model, flags.csv);
  Table table = read_table(flags, run);
  return rows_for(model, flags.path, table, run);
}

void read_rows_in_chunks(const Model& model, TableFlags flags, const RunFlags& run,
                         const std::vector<std::string>& keep, const TakeRows& take) {
  ask_for_features(model, flags.csv);
  for (const std::string& name : keep) {
    if (std::ranges::find(flags.csv.columns, name) != flags.csv.columns.end()) continue;
    flags.csv.columns.push_back(name);
    flags.csv.categorical.push_back(name);
  }
  CsvChunks chunks(open_table(flags, run), flags.csv);
  const std::size_t most = default_chunk_rows(chunks.n_columns());
  std::size_t n_before = 0;
  std::vector<LevelUse> use;
  for (Table table = chunks.next(most); table.n_rows > 0; table = chunks.next(most)) {
    std::vector<Column> kept;
    for (const std::string& name : keep)
      kept.push_back(*std::ranges::find(table.features, name, &Column::name));
    table.features.resize(model.features.size());
    forget_unused_text(table, model);
    chunks.forget_levels();
    take(on_table(flags.path, [&] { return coded_rows(table, model.levels, n_before); }), kept);
    count_known(table, model.levels, use);
    n_before += table.n_rows;
  }
  tell_unknown_levels(model, use, run);
}

RowsWithClasses read_rows_with_classes(const Model& model, TableFlags flags, const RunFlags& run) {
  ask_for_features(model, flags.csv);
  if (std::ranges::find(model.features, flags.csv.label) != model.features.end())
    throw std::invalid_argument("--label: column " + dyad::quoted(flags.csv.label) +
                                " is a feature of the model");
  flags.csv.only_other = flags.csv.label.empty();
  Table table = read_table(flags, run);
  RowsWithClasses result;
  if (!flags.csv.label.empty())
    result.y = on_table(flags.path, [&] { return classes_of(model, table.labels, flags); });
  if (table.features.size() > model.features.size()) {
    result.y = classes_of(model, std::get<CategoricalColumn>(table.features.back().data));
    table.features.pop_back();
  }
  result.X = rows_for(model, flags.path, table, run);
  return result;
}

void require_engine(const Table& table, Engine engine) {
  if (engine == Engine::exact) require_complete_numeric(table, "the exact engine");
}

void warn_unless_converged(const FitReport& report, const RunFlags& run) {
  if (report.converged || run.quiet) return;
  const std::string where = report.gap > 0 ? fmt::format("a duality gap of {:.2g}", report.gap)
                                           : fmt::format("step {}", report.iterations);
  tell(fmt::format(
      "dyad: the solver of the weights was stopped at {}; raise --max-iterations or --tolerance\n", where));
}

void note_early_end(const RunFlags& run) {
  if (run.quiet) return;
  tell("dyad: --max-seconds ended the search for better settings; the best found until then is used\n");
}

}  // namespace dyad::cli
