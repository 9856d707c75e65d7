// dyad screen: HSIC, p-value and q-value of every pair of features in every class.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "cli/column_notices.h"
#include "cli/commands.h"
#include "cli/json.h"
#include "cli/table_input.h"
#include "cli/terminal.h"
#include "dyad/dependence/hsic.h"
#include "dyad/dependence/screening.h"

namespace dyad::cli {
namespace {

struct ScreenFlags {
  TableFlags table;
  ScreenOptions options;
  std::optional<std::size_t> top;
};

constexpr std::size_t pairs_shown = 20;

using Positions = std::vector<std::uint32_t>;

/// Writes what `append(text, pair)` gives for the pairs at `positions`, in parts.
template <class Append>
void write_pairs(const ScreenedClass& screened, const Positions& positions, const Execution& execution,
                 Output& output, const Append& append) {
  constexpr std::size_t part_size = 1 << 16;
  std::string text;
  for (const std::uint32_t position : positions) {
    append(text, screened.pair(position));
    if (text.size() < part_size) continue;
    throw_if_stopped(execution);
    output.write(text);
    text.clear();
  }
  output.write(text);
}

/// Writes classes one after the other as what `dumped` would give for the whole document.
class JsonWriter {
 public:
  JsonWriter(const Table& table, const Execution& execution, Output& output)
      : execution_(execution), output_(output) {
    for (const Column& feature : table.features) names_.push_back(json_text(feature.name));
  }

  void write(const ScreenedClass& screened, const Positions& shown) {
    output_.write(fmt::format("{}\n  {{\n   \"label\": {},\n   \"n\": {},\n   \"pairs\": [",
                              first_ ? "{\n \"classes\": [" : ",", json_text(screened.label),
                              screened.n_rows));
    first_ = false;
    const char* separator = "";
    write_pairs(screened, shown, execution_, output_, [&](std::string& text, const ScreenedPair& pair) {
      text.append(separator).append("\n    {\n     \"i\": ").append(names_[pair.i]);
      text.append(",\n     \"j\": ").append(names_[pair.j]).append(",\n     \"hsic\": ");
      append_json_number(text, pair.hsic);
      append_json_number(text.append(",\n     \"p\": "), pair.p_value);
      append_json_number(text.append(",\n     \"q\": "), pair.q_value);
      text.append(",\n     \"kept\": ").append(pair.kept ? "true" : "false").append("\n    }");
      separator = ",";
    });
    output_.write("\n   ]\n  }");
  }

  void finish() { output_.write("\n ]\n}\n"); }

 private:
  const Execution& execution_;
  Output& output_;
  std::vector<std::string> names_;
  bool first_ = true;
};

std::string heading(const Table& table) {
  return fmt::format("{} rows, {} features, {} classes\n", table.n_rows, table.features.size(),
                     table.labels.classes.size());
}

void write_text(const Table& table, const ScreenedClass& screened, const ScreenOptions& options,
                const Positions& shown, const Execution& execution, Output& output) {
  std::size_t width = 9;
  for (const Column& feature : table.features) width = std::max(width, feature.name.size());
  const std::size_t n_pairs = screened.scores.size();
  output.write(fmt::format("\nclass {} ({} rows): {} of {} pairs kept (q <= {}{})\n", screened.label,
                           screened.n_rows, std::ranges::count(screened.kept, true), n_pairs, options.fdr,
                           options.min_hsic > 0 ? fmt::format(", HSIC >= {}", options.min_hsic) : ""));
  output.write(fmt::format("  {:<{}}  {:<{}}  {:>9}  {:>9}  {:>9}\n", "feature i", width, "feature j", width,
                           "HSIC", "p", "q"));
  write_pairs(screened, shown, execution, output, [&](std::string& text, const ScreenedPair& pair) {
    fmt::format_to(std::back_inserter(text), "  {:<{}}  {:<{}}  {:>9.6f}  {:>9.2g}  {:>9.2g}{}\n",
                   table.features[pair.i].name, width, table.features[pair.j].name, width, pair.hsic,
                   pair.p_value, pair.q_value, pair.kept ? "  kept" : "");
  });
  if (shown.size() < n_pairs)
    output.write(fmt::format("  and {} weaker pairs (--top 0 shows all)\n", n_pairs - shown.size()));
}

/// Says on standard error where the tests cannot find anything.
void warn(const ScreenedClass& screened, bool first, const ScreenOptions& options) {
  const bool by_permutation = options.p_value == PValueMethod::permutation;
  if (!by_permutation && screened.n_rows < fewest_gamma_rows)
    tell(fmt::format("dyad: class {} has {} rows; p-values need {}, so none of its pairs is kept\n",
                     screened.label, screened.n_rows, fewest_gamma_rows));
  const auto n_pairs = static_cast<double>(screened.scores.size());
  if (first && by_permutation && options.fdr > 0 && n_pairs > options.fdr * (options.permutations + 1))
    tell(fmt::format(
        "dyad: {} permutations are too few to keep one pair of {} at --fdr {}; use --permutations {:.0f}\n",
        options.permutations, n_pairs, options.fdr, std::ceil(n_pairs / options.fdr)));
}

/// One class at a time is held: computed, then printed. Whatever is wrong with options or table shows with
/// the first.
void screen(const ScreenFlags& flags, const RunFlags& run, Output& output) {
  const Table table = read_table(flags.table, run);
  JsonWriter json(table, run.execution, output);
  for (std::size_t c = 0; c < table.labels.classes.size(); ++c) {
    const ScreenedClass screened =
        on_table(flags.table.path, [&] { return screen_class(table, c, flags.options, run.execution); });
    if (c == 0 && !run.quiet)
      warn_about_columns(table, most_screened_levels(flags.options), "; no pair of it is kept");
    if (!run.quiet) warn(screened, c == 0, flags.options);
    const std::size_t top = flags.top.value_or(run.json ? 0 : pairs_shown);
    const auto shown = strongest_pairs(screened, top == 0 ? screened.scores.size() : top, run.execution);
    if (run.json) {
      json.write(screened, shown);
    } else {
      if (c == 0) output.write(heading(table));
      write_text(table, screened, flags.options, shown, run.execution, output);
    }
  }
  if (run.json) json.finish();
}

}  // namespace

Command add_screen(CLI::App& program) {
  auto flags = std::make_shared<ScreenFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command =
      program.add_subcommand("screen", "List the pairs of features that depend on each other within a class");
  command->footer("Example: dyad screen data.csv --label species --top 10");
  add_table_flags(*command, flags->table, true);
  add_flags(*command, flags->options);
  add_top_flag(*command, flags->top, "pairs of largest HSIC in each class", pairs_shown);
  add_result_flags(*command, *run_flags, true);

  return {command, run_flags, [flags, run_flags](Output& output) { screen(*flags, *run_flags, output); }};
}

}  // namespace dyad::cli
