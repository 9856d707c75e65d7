// dyad explain: the terms of a model, how much they matter, what they look like, or how one row's score comes
// about.
// SPDX-License-Identifier: BSD-3-Clause
#include <optional>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/table_input.h"
#include "cli/views.h"
#include "dyad/io/model_file.h"
#include "dyad/model/prediction.h"

namespace dyad::cli {
namespace {

struct ExplainFlags {
  std::string model_path;
  TableFlags table;
  std::optional<std::size_t> row;
  std::vector<std::string> shape;
  std::optional<std::size_t> top;
  std::vector<std::string> immutable;
  bool terms = false;
  bool csv = false;
};

constexpr std::size_t shown_in_text = 20;

/// Row k, counted from 1, as a table of its own.
Matrix one_row(const Matrix& X, std::size_t k, const std::string& path) {
  if (k > X.n_rows)
    throw std::invalid_argument(path + ": there is no row " + std::to_string(k) + "; the table has " +
                                std::to_string(X.n_rows) + " rows");
  Matrix row(1, X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) row(0, j) = X(k - 1, j);
  return row;
}

ExplainedRow explained_row(const Model& model, const Matrix& X, const ExplainFlags& flags,
                           const Execution& execution) {
  ExplainedRow row{.number = *flags.row, .values = one_row(X, *flags.row, flags.table.path)};
  row.explanation = explain(model, row.values.data);
  row.purified = purified_effects(model, execution);
  const auto effects = effect_values(model, row.purified, row.values, execution);
  row.effects = Matrix(model.n_scores(), row.purified.effects.size());
  for (std::size_t k = 0; k < effects.size(); ++k)
    for (std::size_t e = 0; e < row.effects.n_cols; ++e) row.effects(k, e) = effects[k](0, e);
  Matrix scores(1, model.n_scores());
  scores.data = row.explanation.scores;
  row.probabilities = probabilities(model, scores).data;
  row.predicted = classify(model, scores)[0];
  row.flips = nearest_flips(model, row.values, execution, features_named(model, flags.immutable))[0];
  return row;
}

std::string view_of(const ExplainFlags& flags, const RunFlags& run) {
  const Model model = load_model(flags.model_path);
  const Format format = run.json ? Format::json : flags.csv ? Format::csv : Format::text;
  const std::size_t top = flags.top.value_or(format == Format::text ? shown_in_text : 0);
  if (!flags.shape.empty()) return shape_view(model, flags.shape, format, flags.terms);
  if (flags.table.path.empty())
    return flags.terms ? terms_view(model, top, format) : effects_view(model, top, format);
  const Matrix X = read_rows_for(model, flags.table, run);
  if (flags.row) {
    const ExplainedRow row = explained_row(model, X, flags, run.execution);
    return flags.terms ? row_terms_view(model, row, top, format) : row_view(model, row, top, format);
  }
  const PurifiedEffects purified = purified_effects(model, run.execution);
  return importances_view(model, purified,
                          importances(model, purified, X, most_importance_rows, 1, run.execution), top,
                          format, flags.terms);
}

}  // namespace

Command add_explain(CLI::App& program) {
  auto flags = std::make_shared<ExplainFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command = program.add_subcommand(
      "explain", "Show effects, importances, a curve, or what adds up to one row's score");
  command->footer(
      "MODEL alone: the effects of its features and pairs. With DATA: their importance in rows.\n"
      "With --row: the effects of one row's values on its score (with the baseline they add up to\n"
      "it), and the nearest changes that flip the prediction. --terms shows the weighted log\n"
      "densities that effects are sums of.\n\n"
      "Example: dyad explain species.dyad data.csv --row 3");
  add_model_argument(*command, flags->model_path);
  add_table_flags(*command, flags->table, false);
  CLI::Option* const data = command->get_option("DATA")->required(false);
  command->add_option("--row", flags->row, "row of DATA to explain, counted from 1")
      ->type_name("K")
      ->check(in_range({1, 0x1p53}, true))
      ->needs(data);
  command
      ->add_option("--shape", flags->shape,
                   "feature whose curve to show, or two features whose surface to show")
      ->type_name("FEATURE")
      ->expected(1, 2)
      ->excludes(data);
  command->add_flag("--terms", flags->terms, "show weighted log densities instead of effects");
  command
      ->add_option("--immutable", flags->immutable,
                   "column that suggested changes leave as it is; may be repeated")
      ->type_name("COL")
      ->allow_extra_args(false)
      ->needs("--row");
  add_top_flag(*command, flags->top, "largest effects", shown_in_text);
  add_run_flags(*command, *run_flags);
  add_json_flag(*command, *run_flags);
  command->add_flag("--csv", flags->csv, "print a CSV table")->excludes(command->get_option("--json"));
  add_output_flag(*command, *run_flags);

  return {command, run_flags,
          [flags, run_flags](Output& output) { output.write(view_of(*flags, *run_flags)); }};
}

}  // namespace dyad::cli
