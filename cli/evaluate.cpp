// dyad evaluate: how well a model predicts rows whose classes are known.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/table_input.h"
#include "dyad/evaluation/metrics.h"
#include "dyad/io/model_file.h"
#include "dyad/model/description.h"
#include "dyad/model/prediction.h"

namespace dyad::cli {
namespace {

struct EvaluateFlags {
  std::string model_path;
  TableFlags table;
};

struct Evaluation {
  std::size_t n_rows = 0;
  double error = 0;
  double ber = 0;
  double auc = 0;
  double log_loss = 0;
  double ece = 0;
  Confusion counts;
  Baseline baseline;
};

Evaluation evaluation_of(const Model& model, const RowsWithClasses& rows, const Execution& execution) {
  const Matrix row_scores = scores(model, rows.X, execution);
  const Matrix row_probabilities = probabilities(model, row_scores);
  Evaluation result{.n_rows = rows.y.size()};
  result.counts = confusion(rows.y, classify(model, row_scores), model.n_classes());
  result.error = error_rate(result.counts);
  result.ber = balanced_error_rate(result.counts);
  // The scores of three classes or more compare classes within a row, not rows within a class.
  result.auc = mean_area_under_curve(model.n_classes() == 2 ? row_scores : row_probabilities, rows.y,
                                     model.n_classes());
  result.log_loss = log_loss(row_probabilities, rows.y);
  result.ece = calibration_error(reliability(row_probabilities, rows.y));
  const std::vector<double> class_rows(model.class_rows.begin(), model.class_rows.end());
  result.baseline = baseline_of(class_rows, rows.y);
  return result;
}

Json auc_json(double auc) { return std::isnan(auc) ? Json() : Json(auc); }

std::string as_json(const Model& model, const Evaluation& found) {
  return dumped({{"n", found.n_rows},
                 {"classes", model.classes},
                 {"error", found.error},
                 {"ber", found.ber},
                 {"auc", auc_json(found.auc)},
                 {"log_loss", found.log_loss},
                 {"ece", found.ece},
                 {"confusion", found.counts},
                 {"baseline",
                  {{"class", model.classes[found.baseline.class_code]},
                   {"error", found.baseline.error},
                   {"auc", 0.5},
                   {"log_loss", found.baseline.log_loss}}}});
}

std::string as_text(const Model& model, const Evaluation& found) {
  std::string text =
      fmt::format("{} rows\n\n               error      BER      AUC  log loss\n", found.n_rows);
  const auto line = [&](const char* name, double error, double ber, double auc, double loss) {
    text += fmt::format("  {:<10}  {:>6.2f}%  {:>6.2f}%  {:>7.4f}  {:>8.4f}", name, 100 * error, 100 * ber,
                        auc, loss);
  };
  line("model", found.error, found.ber, found.auc, found.log_loss);
  text += "\n";
  line("baseline", found.baseline.error, 1 - 1 / static_cast<double>(model.n_classes()), 0.5,
       found.baseline.log_loss);
  text += fmt::format("  (always {})\n\n", model.classes[found.baseline.class_code]);
  std::size_t width = 9;
  for (const std::string& name : model.classes) width = std::max(width, name.size() + 2);
  text += fmt::format("  {:<{}}", "true \\ predicted", width + 8);
  for (const std::string& name : model.classes) text += fmt::format("{:>{}}", name, width);
  text += "\n";
  for (std::size_t a = 0; a < found.counts.size(); ++a) {
    text += fmt::format("  {:<{}}", model.classes[a], width + 8);
    for (const std::size_t count : found.counts[a]) text += fmt::format("{:>{}}", count, width);
    text += "\n";
  }
  text += fmt::format("\n  expected calibration error {:.4f}\n", found.ece);
  const auto note = note_on_probabilities(model.class_frequencies);
  return note.empty() ? text : text + fmt::format("  {}\n", note);
}

}  // namespace

Command add_evaluate(CLI::App& program) {
  auto flags = std::make_shared<EvaluateFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      program.add_subcommand("evaluate", "Measure how well a model predicts rows whose classes are known");
  command->footer(
      "The rows should not be those that the model was fitted to; dyad cv needs no others.\n\n"
      "Example: dyad evaluate species.dyad new.csv --label species");
  add_model_argument(*command, flags->model_path);
  add_table_flags(*command, flags->table, false);
  command->add_option("--label", flags->table.csv.label, "column that contains the class")
      ->required()
      ->type_name("COL");
  add_result_flags(*command, *run_flags, true);
  return {command, run_flags, [flags, run_flags](Output& output) {
            const Model model = load_model(flags->model_path);
            const auto rows = read_rows_with_classes(model, flags->table, *run_flags);
            const Evaluation found = evaluation_of(model, rows, run_flags->execution);
            output.write(run_flags->json ? as_json(model, found) : as_text(model, found));
          }};
}

}  // namespace dyad::cli
