// dyad report: one page to look at a model with.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/document.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/table_input.h"
#include "cli/terminal.h"
#include "dyad/base/text.h"
#include "dyad/io/byte_source.h"
#include "dyad/io/model_file.h"
#include "dyad/report/page.h"

namespace dyad::cli {
namespace {

struct ReportFlags {
  std::string model_path;
  TableFlags table;
  std::vector<std::size_t> rows;  ///< from 1
  std::string fit_path;
  ReportOptions options;
};

std::string file_name(const std::string& path) { return std::filesystem::path(path).filename().string(); }

/// The seconds that `dyad fit --json` told.
std::vector<Timing> timings_of_fit(const std::string& path) {
  std::vector<Timing> timings;
  try {
    const Json document = Json::parse(read_all(path));
    for (const auto& [step, seconds] : document.at("seconds").get<std::map<std::string, Json>>())
      if (step != "total") timings.push_back({"fit", step, seconds.get<double>()});
  } catch (const Json::exception&) {
    throw std::runtime_error(path + ": is not what dyad fit --json prints");
  }
  return timings;
}

void tell_about_labels(const RowsWithClasses& rows, const RunFlags& run) {
  if (rows.y.empty() && !run.quiet)
    tell(
        "dyad: the table does not tell classes (--label COL), so the report shows neither quality nor "
        "dependence\n");
}

}  // namespace

Command add_report(CLI::App& program) {
  auto flags = std::make_shared<ReportFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      program.add_subcommand("report", "Write an HTML page that shows a model, its quality and rows");
  command->footer(
      "Without --label, the class is the only column of DATA that is not a feature, if its\n"
      "values are classes of the model. --json writes the data of the page instead.\n\n"
      "Example: dyad report species.dyad data.csv --label species -o report.html");
  add_model_argument(*command, flags->model_path);
  add_table_flags(*command, flags->table, false);
  command
      ->add_option("--label", flags->table.csv.label,
                   "column that contains the class; needed to show quality")
      ->type_name("COL");
  command->add_option("--row", flags->rows, "row of DATA to show, counted from 1; may be repeated")
      ->type_name("K")
      ->check(in_range({1, 0x1p53}, true));
  command->add_option("--fit", flags->fit_path, "output of dyad fit --json, to show the seconds of its steps")
      ->type_name("FILE");
  command->add_option("--title", flags->options.title, "title of the page (default: names of the files)");
  add_flags(*command, flags->options);
  add_result_flags(*command, *run_flags, true);
  command->get_option("--output")->required()->description("HTML file to write");

  return {command, run_flags, [flags, run_flags](Output& output) {
            const Model model = load_model(flags->model_path);
            ReportOptions& options = flags->options;
            if (!flags->fit_path.empty()) options.timings = timings_of_fit(flags->fit_path);
            for (const std::size_t row : flags->rows) options.rows.push_back(row - 1);
            if (options.title.empty())
              options.title = file_name(flags->model_path) + " on " + file_name(flags->table.path);
            RowsWithClasses rows = read_rows_with_classes(model, flags->table, *run_flags);
            tell_about_labels(rows, *run_flags);
            const std::string document = on_table(flags->table.path, [&] {
              return report_document(model, {std::move(rows.X), std::move(rows.y)}, options,
                                     run_flags->execution);
            });
            if (!run_flags->quiet) output.announce(run_flags->json ? "" : "; open it in a browser");
            output.write(run_flags->json ? document + "\n" : report_page(document, options.title));
          }};
}

}  // namespace dyad::cli
