// Tables as the commands read them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "cli/flags.h"
#include "dyad/data/table.h"
#include "dyad/fit/state.h"
#include "dyad/model/model.h"
#include "dyad/terms/fit_report.h"

namespace dyad::cli {

/// Reads the table that the flags name; ends with Interrupted when the user asks to stop.
[[nodiscard]] Table read_table(const TableFlags& flags, const RunFlags& run);

/// The same table some rows at a time, as often as asked for.
[[nodiscard]] ChunkSource chunks_of_table(const TableFlags& flags, const RunFlags& run);

/// The rows of a table with the model's features as columns, found by name; text is coded by the model's
/// levels.
[[nodiscard]] Matrix read_rows_for(const Model& model, TableFlags flags, const RunFlags& run);

/// Columns of a table as they are, and the rows as the model codes them.
using TakeRows = std::function<void(const Matrix& rows, const std::vector<Column>& kept)>;

/// Reads the rows some at a time: calls take(rows, kept) for those of one chunk after the other. `keep` names
/// columns of the table, features or not, that are handed on.
void read_rows_in_chunks(const Model& model, TableFlags flags, const RunFlags& run,
                         const std::vector<std::string>& keep, const TakeRows& take);

/// Such rows, and the class of each as the model numbers them.
struct RowsWithClasses {
  Matrix X;
  std::vector<std::int32_t> y;  ///< empty if the table does not tell
};

/// Reads the rows of a table with their classes, from the label column that the flags name.
///
/// Its labels have to be classes of the model. Without a flag, the only column beside the features is the
/// label if all its values are classes.
[[nodiscard]] RowsWithClasses read_rows_with_classes(const Model& model, TableFlags flags,
                                                     const RunFlags& run);

/// The result of `work` on the table at `path`, which is named if the table turns out not to be fit for it.
template <class Work>
auto on_table(const std::string& path, const Work& work) {
  try {
    return work();
  } catch (const std::invalid_argument& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

/// Throws std::invalid_argument naming a column that the engine does not take.
void require_engine(const Table& table, Engine engine);

/// Says on standard error if an SVM was stopped before it was solved.
void warn_unless_converged(const FitReport& report, const RunFlags& run);

/// Says on standard error that --max-seconds ended a search for better settings.
void note_early_end(const RunFlags& run);

}  // namespace dyad::cli
