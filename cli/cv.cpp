// dyad cv: how well a method predicts a table, by repeated cross-validation.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/table_input.h"
#include "dyad/evaluation/cross_validation.h"

namespace dyad::cli {
namespace {

struct CvFlags {
  TableFlags table;
  CrossValidationOptions options{.fit = preset_options(Preset::automatic)};
};

/// JSON has no NaN: null stands for a value that does not exist.
Json number(double value) { return std::isnan(value) ? Json() : Json(value); }

std::string as_json(const Table& table, const CrossValidationOptions& options, const CrossValidation& cv) {
  Json folds = Json::array();
  for (const FoldResult& fold : cv.folds)
    folds.push_back({{"repeat", fold.repeat},
                     {"fold", fold.fold},
                     {"error", fold.error},
                     {"ber", fold.ber},
                     {"auc", number(fold.auc)},
                     {"log_loss", fold.log_loss},
                     {"pairs_kept", fold.pairs_kept},
                     {"seconds", fold.seconds}});
  return dumped({{"method", method_names[static_cast<std::size_t>(options.fit.method)]},
                 {"preset", preset_names[static_cast<std::size_t>(options.fit.preset)]},
                 {"engine", engine_names[static_cast<std::size_t>(options.fit.engine)]},
                 {"n", table.n_rows},
                 {"d", table.features.size()},
                 {"classes", table.labels.classes},
                 {"folds", std::move(folds)},
                 {"error_mean", cv.mean(&FoldResult::error)},
                 {"ber_mean", cv.mean(&FoldResult::ber)},
                 {"ber_sd", cv.ber_sd()},
                 {"auc_mean", number(cv.mean(&FoldResult::auc))},
                 {"log_loss_mean", cv.mean(&FoldResult::log_loss)},
                 {"confusion", cv.confusion},
                 {"seconds",
                  {{"total", cv.seconds},
                   {"screen", cv.report.screen},
                   {"density", cv.report.density},
                   {"features", cv.report.features},
                   {"svm", cv.report.svm}}}});
}

std::string confusion_table(const Table& table, const Confusion& counts) {
  std::size_t width = 9;
  for (const std::string& name : table.labels.classes) width = std::max(width, name.size() + 2);
  std::string text = fmt::format("  {:<{}}", "true \\ predicted", width + 8);
  for (const std::string& name : table.labels.classes) text += fmt::format("{:>{}}", name, width);
  text += "\n";
  for (std::size_t a = 0; a < counts.size(); ++a) {
    text += fmt::format("  {:<{}}", table.labels.classes[a], width + 8);
    for (const std::size_t count : counts[a]) text += fmt::format("{:>{}}", count, width);
    text += "\n";
  }
  return text;
}

std::string as_text(const Table& table, const CrossValidationOptions& options, const CrossValidation& cv) {
  std::string text = fmt::format("{} on {} rows, {} features, {} classes; {} folds, {} repeat{}\n\n",
                                 method_names[static_cast<std::size_t>(options.fit.method)], table.n_rows,
                                 table.features.size(), table.labels.classes.size(), options.folds,
                                 options.repeats, options.repeats == 1 ? "" : "s");
  text += "  repeat  fold    error      BER      AUC  log loss  pairs  seconds\n";
  for (const FoldResult& fold : cv.folds)
    text += fmt::format("  {:>6}  {:>4}  {:>6.2f}%  {:>6.2f}%  {:>7.4f}  {:>8.4f}  {:>5}  {:>7.2f}\n",
                        fold.repeat, fold.fold, 100 * fold.error, 100 * fold.ber, fold.auc, fold.log_loss,
                        fold.pairs_kept, fold.seconds);
  text += fmt::format("  mean          {:>6.2f}%  {:>6.2f}%  {:>7.4f}  {:>8.4f}\n\n",
                      100 * cv.mean(&FoldResult::error), 100 * cv.mean(&FoldResult::ber),
                      cv.mean(&FoldResult::auc), cv.mean(&FoldResult::log_loss));
  text += confusion_table(table, cv.confusion);
  text += fmt::format(
      "\n{:.2f} seconds; of one thread: screen {:.2f}, density {:.2f}, features {:.2f}, svm {:.2f}\n",
      cv.seconds, cv.report.screen, cv.report.density, cv.report.features, cv.report.svm);
  return text;
}

}  // namespace

Command add_cv(CLI::App& program) {
  auto flags = std::make_shared<CvFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      program.add_subcommand("cv", "Measure how well a method predicts, by cross-validation");
  command->footer("Example: dyad cv data.csv --label species --method tan --folds 10 --repeats 3");
  add_table_flags(*command, flags->table, true);
  add_flags(*command, flags->options);
  complete_options(*command, flags->options.fit);
  add_run_flags(*command, *run_flags);
  add_json_flag(*command, *run_flags);
  add_output_flag(*command, *run_flags);

  return {command, run_flags, [flags, run_flags](Output& output) {
            const Table table = read_table(flags->table, *run_flags);
            const CrossValidation cv = on_table(flags->table.path, [&] {
              return cross_validate(labelled_sample(table, "cv"), flags->options, run_flags->execution);
            });
            warn_unless_converged(cv.report, *run_flags);
            output.write(run_flags->json ? as_json(table, flags->options, cv)
                                         : as_text(table, flags->options, cv));
          }};
}

}  // namespace dyad::cli
