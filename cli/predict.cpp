// dyad predict: the class of each row of a table.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <utility>

#include "cli/commands.h"
#include "cli/csv_field.h"
#include "cli/table_input.h"
#include "cli/terminal.h"
#include "dyad/io/model_file.h"
#include "dyad/model/description.h"
#include "dyad/model/novelty.h"
#include "dyad/model/prediction.h"

namespace dyad::cli {
namespace {

struct PredictFlags {
  std::string model_path;
  TableFlags table;
  std::vector<std::string> keep;
  bool with_scores = false;
  bool with_probabilities = false;
  bool with_novelty = false;
};

std::string header(const Model& model, const PredictFlags& flags) {
  std::string line;
  for (const std::string& name : flags.keep) line += csv_field(name) + ",";
  line += "label";
  if (flags.with_scores && model.n_scores() == 1) line += ",score";
  if (flags.with_scores && model.n_scores() > 1)
    for (const std::string& name : model.classes) line += "," + csv_field("score_" + name);
  if (flags.with_probabilities)
    for (const std::string& name : model.classes) line += "," + csv_field("proba_" + name);
  if (flags.with_novelty) line += ",novelty,novelty_feature_1,novelty_feature_2,novelty_p_value";
  return line + "\n";
}

void append_numbers(std::string& text, const Matrix& values, std::size_t row) {
  for (std::size_t k = 0; k < values.n_cols; ++k)
    fmt::format_to(std::back_inserter(text), ",{}", values(row, k));
}

/// The score, the features that it comes from (one or two, none if there is nothing to go by), and the
/// p-value.
void append_novelty(std::string& text, const Novelty& of_row, const Model& model) {
  fmt::format_to(std::back_inserter(text), ",{},", of_row.score);
  if (of_row.term != Novelty::no_term) {
    const Term& term = model.terms[of_row.term];
    text += csv_field(model.features[term.i]) + ",";
    if (term.is_pair()) text += csv_field(model.features[term.j]);
  } else {
    text += ",";
  }
  text += std::isnan(of_row.p_value) ? std::string(",") : fmt::format(",{:.3g}", of_row.p_value);
}

/// The value of a column in row i as a field of its own; empty if it is missing.
std::string kept_field(const Column& column, std::size_t i) {
  if (const auto* const numbers = std::get_if<NumericColumn>(&column.data))
    return std::isnan(numbers->values[i]) ? "" : fmt::format("{}", numbers->values[i]);
  const auto& levels = std::get<CategoricalColumn>(column.data);
  const std::int32_t code = levels.codes[i];
  return code == CategoricalColumn::missing ? "" : csv_field(levels.levels[static_cast<std::size_t>(code)]);
}

/// A line for each row.
std::string predictions(const Model& model, const Matrix& X, const std::vector<Column>& kept,
                        const PredictFlags& flags, const Execution& execution) {
  const Matrix all_scores = scores(model, X, execution);
  const auto predicted = classify(model, all_scores);
  const Matrix all_probabilities = probabilities(model, all_scores);
  std::vector<Novelty> novelties;
  if (flags.with_novelty) novelties = novelty(model, X, execution);
  std::string text;
  for (std::size_t i = 0; i < X.n_rows; ++i) {
    for (const Column& column : kept) text += kept_field(column, i) + ",";
    text += csv_field(model.classes[static_cast<std::size_t>(predicted[i])]);
    if (flags.with_scores) append_numbers(text, all_scores, i);
    if (flags.with_probabilities) append_numbers(text, all_probabilities, i);
    if (flags.with_novelty) append_novelty(text, novelties[i], model);
    text += '\n';
  }
  return text;
}

}  // namespace

Command add_predict(CLI::App& program) {
  auto flags = std::make_shared<PredictFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command = program.add_subcommand("predict", "Predict the class of each row of a table");
  command->footer(
      "Prints a header and one line per row. Columns are found by name; others are ignored.\n\n"
      "Example: dyad predict species.dyad new.csv --keep id --proba -o predicted.csv");
  add_model_argument(*command, flags->model_path);
  add_table_flags(*command, flags->table, false);
  command
      ->add_option("--keep", flags->keep,
                   "column of DATA to print before the predictions, such as an id; may be repeated")
      ->type_name("COL")
      ->allow_extra_args(false);
  command->add_flag("--scores", flags->with_scores,
                    "add the score, of each class if there are more than two");
  command->add_flag("--proba", flags->with_probabilities, "add the probability of each class");
  command->add_flag("--novelty", flags->with_novelty,
                    "add how unusual the row is compared with the training rows, which features make it so, "
                    "and the share of "
                    "rows from their source that are as unusual");
  add_result_flags(*command, *run_flags, false);

  return {command, run_flags, [flags, run_flags](Output& output) {
            const Model model = load_model(flags->model_path);
            const std::string_view note = note_on_probabilities(model.class_frequencies);
            if (flags->with_probabilities && !run_flags->quiet && !note.empty())
              tell(fmt::format("dyad: {}\n", note));
            // The header goes out with the first rows: a table that cannot be read has none.
            std::string before = header(model, *flags);
            read_rows_in_chunks(model, flags->table, *run_flags, flags->keep,
                                [&](const Matrix& X, const std::vector<Column>& kept) {
                                  output.write(std::exchange(before, {}) +
                                               predictions(model, X, kept, *flags, run_flags->execution));
                                });
          }};
}

}  // namespace dyad::cli
