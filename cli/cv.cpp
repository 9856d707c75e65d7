// dyad cv: how well a method predicts a table, by repeated cross-validation.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/class_flags.h"
#include "cli/column_notices.h"
#include "cli/commands.h"
#include "cli/effect_flags.h"
#include "cli/json.h"
#include "cli/structure_flags.h"
#include "cli/table_input.h"
#include "dyad/base/text.h"
#include "dyad/evaluation/cross_validation.h"
#include "dyad/fit/recipe.h"
#include "dyad/model/description.h"
#include "dyad/weights/class_calibration.h"

namespace dyad::cli {
namespace {

struct CvFlags {
  TableFlags table;
  ClassFlags classes;
  std::vector<std::string> monotone;
  StructureFlags structure;
  std::string groups;  ///< column; empty for none
  CrossValidationOptions options{.fit = preset_options(Preset::automatic)};
};

/// JSON has no NaN: null stands for a value that does not exist.
Json number(double value) { return std::isnan(value) ? Json() : Json(value); }

bool has_costs(const CrossValidationOptions& options) { return !options.fit.costs.data.empty(); }

Json reliability_json(const Reliability& bins) {
  Json result = Json::array();
  for (std::size_t b = 0; b < bins.size(); ++b) {
    const auto rows = static_cast<double>(bins[b].rows);
    result.push_back({{"from", static_cast<double>(b) / 10},
                      {"to", static_cast<double>(b + 1) / 10},
                      {"rows", bins[b].rows},
                      {"predicted", number(bins[b].predicted / rows)},
                      {"observed", number(bins[b].observed / rows)}});
  }
  return result;
}

std::string as_json(const Table& table, const CrossValidationOptions& options, const CrossValidation& cv) {
  Json folds = Json::array();
  for (const FoldResult& fold : cv.folds) {
    folds.push_back({{"repeat", fold.repeat},
                     {"fold", fold.fold},
                     {"error", fold.error},
                     {"ber", fold.ber},
                     {"auc", number(fold.auc)},
                     {"log_loss", fold.log_loss},
                     {"pairs_kept", fold.pairs_kept},
                     {"seconds", fold.seconds}});
    if (has_costs(options)) folds.back()["cost"] = fold.cost;
  }
  Json document{{"method", name_of(method_names, options.fit.method)},
                {"preset", name_of(preset_names, options.fit.preset)},
                {"engine", name_of(engine_names, options.fit.engine)},
                {"n", table.n_rows},
                {"d", table.features.size()},
                {"classes", table.labels.classes},
                {"folds", std::move(folds)},
                {"error_mean", cv.mean(&FoldResult::error)},
                {"ber_mean", cv.mean(&FoldResult::ber)},
                {"ber_sd", cv.ber_sd()},
                {"auc_mean", number(cv.mean(&FoldResult::auc))},
                {"log_loss_mean", cv.mean(&FoldResult::log_loss)},
                {"baseline",
                 {{"class", table.labels.classes[cv.baseline.class_code]},
                  {"error", cv.baseline.error},
                  {"auc", 0.5},
                  {"log_loss", cv.baseline.log_loss}}},
                {"ece", calibration_error(cv.reliability)},
                {"reliability", reliability_json(cv.reliability)},
                {"confusion", cv.confusion},
                {"seconds", seconds_json(cv.report, cv.seconds)}};
  if (has_costs(options)) document["cost_mean"] = cv.mean(&FoldResult::cost);
  return dumped(document);
}

/// Whether the largest class has a tenth more rows than the smallest, or more.
bool are_unequal(const Labels& labels) {
  std::vector<std::size_t> counts(labels.classes.size());
  for (const std::int32_t code : labels.codes) ++counts[static_cast<std::size_t>(code)];
  const auto [least, most] = std::ranges::minmax(counts);
  return 10 * most >= 11 * least;
}

std::string reliability_table(const Table& table, const CrossValidationOptions& options,
                              const CrossValidation& cv) {
  const bool two = table.labels.classes.size() == 2;
  std::string text = fmt::format("  probability of {}: expected calibration error {:.4f}\n",
                                 two ? table.labels.classes[1] : "the most probable class",
                                 calibration_error(cv.reliability));
  const ClassFrequencies frequencies = class_frequencies(options.fit);
  if (frequencies == ClassFrequencies::weighted || are_unequal(table.labels))
    if (const auto note = note_on_probabilities(frequencies); !note.empty())
      text += fmt::format("  {}\n", note);
  text += "   from    to    rows  predicted  observed\n";
  for (std::size_t b = 0; b < cv.reliability.size(); ++b) {
    const ReliabilityBin& bin = cv.reliability[b];
    if (bin.rows == 0) continue;
    const auto rows = static_cast<double>(bin.rows);
    text += fmt::format("  {:>5.1f} {:>5.1f}  {:>6}     {:>6.4f}    {:>6.4f}\n", static_cast<double>(b) / 10,
                        static_cast<double>(b + 1) / 10, bin.rows, bin.predicted / rows, bin.observed / rows);
  }
  return text;
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
                                 name_of(method_names, options.fit.method), table.n_rows,
                                 table.features.size(), table.labels.classes.size(), options.folds,
                                 options.repeats, options.repeats == 1 ? "" : "s");
  text += "  repeat  fold    error      BER      AUC  log loss  pairs  seconds\n";
  for (const FoldResult& fold : cv.folds)
    text += fmt::format("  {:>6}  {:>4}  {:>6.2f}%  {:>6.2f}%  {:>7.4f}  {:>8.4f}  {:>5}  {:>7.2f}\n",
                        fold.repeat, fold.fold, 100 * fold.error, 100 * fold.ber, fold.auc, fold.log_loss,
                        fold.pairs_kept, fold.seconds);
  text += fmt::format("  mean          {:>6.2f}%  {:>6.2f}%  {:>7.4f}  {:>8.4f}\n",
                      100 * cv.mean(&FoldResult::error), 100 * cv.mean(&FoldResult::ber),
                      cv.mean(&FoldResult::auc), cv.mean(&FoldResult::log_loss));
  const auto n_classes = static_cast<double>(table.labels.classes.size());
  text += fmt::format("  baseline      {:>6.2f}%  {:>6.2f}%  {:>7.4f}  {:>8.4f}  (always {})\n\n",
                      100 * cv.baseline.error, 100 * (1 - 1 / n_classes), 0.5, cv.baseline.log_loss,
                      table.labels.classes[cv.baseline.class_code]);
  if (has_costs(options)) text += fmt::format("  mean cost of a row {:.4f}\n\n", cv.mean(&FoldResult::cost));
  text += confusion_table(table, cv.confusion);
  text += "\n" + reliability_table(table, options, cv);
  text += fmt::format(
      "\n{:.2f} seconds; of one thread: screen {:.2f}, density {:.2f}, features {:.2f}, svm {:.2f}\n",
      cv.seconds, cv.report.screen, cv.report.density, cv.report.features, cv.report.svm);
  return text;
}

/// Takes the column of groups off the table, and numbers the group of each row.
std::vector<std::size_t> take_groups(Table& table, const std::string& name) {
  const auto found = std::ranges::find(table.features, name, &Column::name);
  const auto codes = std::get<CategoricalColumn>(found->data).codes;
  std::vector<std::size_t> groups;
  for (const std::int32_t code : codes) {
    if (code == CategoricalColumn::missing)
      throw std::invalid_argument("--groups: column " + dyad::quoted(name) + " has no value in row " +
                                  std::to_string(groups.size() + 1) + "; every row needs a group");
    groups.push_back(static_cast<std::size_t>(code));
  }
  table.features.erase(found);
  return groups;
}

}  // namespace

Command add_cv(CLI::App& program) {
  auto flags = std::make_shared<CvFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      program.add_subcommand("cv", "Measure by cross-validation how well a method predicts");
  command->footer(
      "Examples:\n"
      "  dyad cv data.csv --label species\n"
      "  dyad cv data.csv --label species --method tan --folds 10 --repeats 3");
  add_table_flags(*command, flags->table, true);
  command
      ->add_option(
          "--groups", flags->groups,
          "column whose rows of one value stay in one fold, such as those of one patient; not a feature")
      ->type_name("COL");
  add_flags(*command, flags->options);
  add_class_flags(*command, flags->classes);
  add_monotone_flag(*command, flags->monotone);
  add_structure_flags(*command, flags->structure, &flags->table);
  add_time_flag(*command, flags->options.fit);
  complete_options(*command, flags->options.fit);
  add_result_flags(*command, *run_flags, true);

  return {command, run_flags, [flags, run_flags](Output& output) {
            if (!flags->groups.empty()) flags->table.csv.categorical.push_back(flags->groups);
            Table table = read_table(flags->table, *run_flags);
            if (!flags->groups.empty())
              flags->options.groups =
                  on_table(flags->table.path, [&] { return take_groups(table, flags->groups); });
            apply_class_flags(flags->classes, table.labels.classes, flags->options.fit);
            flags->options.fit.monotone = monotone_features(flags->monotone, column_names(table.features));
            const FitOptions& fit = flags->options.fit;
            const CrossValidation cv = on_table(flags->table.path, [&] {
              apply_structure_flags(flags->structure, table.features, flags->options.fit);
              require_engine(table, fit.engine);
              if (!run_flags->quiet) {
                warn_about_columns(table, static_cast<std::size_t>(fit.max_levels), " and left out");
                warn_about_classes(table);
              }
              return cross_validate(labelled_sample(table), flags->options, run_flags->execution);
            });
            warn_unless_converged(cv.report, *run_flags);
            if (cv.report.ended_early) note_early_end(*run_flags);
            output.write(run_flags->json ? as_json(table, flags->options, cv)
                                         : as_text(table, flags->options, cv));
          }};
}

}  // namespace dyad::cli
