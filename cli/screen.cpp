// dyad screen: HSIC, p-value and q-value of every pair of features in every class.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/table_input.h"
#include "dyad/dependence/hsic.h"
#include "dyad/dependence/screening.h"

namespace dyad::cli {
namespace {

struct ScreenFlags {
  TableFlags table;
  ScreenOptions options;
  std::optional<std::size_t> top;
};

constexpr std::size_t rows_shown = 20;

/// The strongest pairs first; `top` of them, all if it is 0.
std::vector<ScreenedPair> strongest(const ScreenedClass& screened, std::size_t top) {
  auto pairs = screened.pairs;
  std::ranges::stable_sort(pairs, std::greater<>(), &ScreenedPair::hsic);
  if (top > 0 && pairs.size() > top) pairs.resize(top);
  return pairs;
}

std::string as_json(const Table& table, const std::vector<ScreenedClass>& classes, std::size_t top) {
  Json document;
  document["classes"] = Json::array();
  for (const ScreenedClass& screened : classes) {
    Json pairs = Json::array();
    for (const ScreenedPair& pair : strongest(screened, top))
      pairs.push_back({{"i", table.features[pair.i].name},
                       {"j", table.features[pair.j].name},
                       {"hsic", pair.hsic},
                       {"p", pair.p_value},
                       {"q", pair.q_value},
                       {"kept", pair.kept}});
    document["classes"].push_back(
        {{"label", screened.label}, {"n", screened.n_rows}, {"pairs", std::move(pairs)}});
  }
  return dumped(document);
}

std::string as_text(const Table& table, const std::vector<ScreenedClass>& classes,
                    const ScreenOptions& options, std::size_t top) {
  std::string text =
      fmt::format("{} rows, {} features, {} classes\n", table.n_rows, table.features.size(), classes.size());
  std::size_t width = 9;
  for (const Column& feature : table.features) width = std::max(width, feature.name.size());
  for (const ScreenedClass& screened : classes) {
    const auto kept = std::ranges::count_if(screened.pairs, &ScreenedPair::kept);
    text += fmt::format("\nclass {} ({} rows): {} of {} pairs kept (q <= {}{})\n", screened.label,
                        screened.n_rows, kept, screened.pairs.size(), options.fdr,
                        options.min_hsic > 0 ? fmt::format(", HSIC >= {}", options.min_hsic) : "");
    text += fmt::format("  {:<{}}  {:<{}}  {:>9}  {:>9}  {:>9}\n", "feature i", width, "feature j", width,
                        "HSIC", "p", "q");
    const auto shown = strongest(screened, top);
    for (const ScreenedPair& pair : shown)
      text += fmt::format("  {:<{}}  {:<{}}  {:>9.6f}  {:>9.2g}  {:>9.2g}{}\n", table.features[pair.i].name,
                          width, table.features[pair.j].name, width, pair.hsic, pair.p_value, pair.q_value,
                          pair.kept ? "  kept" : "");
    if (shown.size() < screened.pairs.size())
      text +=
          fmt::format("  and {} weaker pairs (--top 0 shows all)\n", screened.pairs.size() - shown.size());
  }
  return text;
}

/// Says on standard error where the tests cannot find anything.
void warn(const std::vector<ScreenedClass>& classes, const ScreenOptions& options) {
  const bool by_permutation = options.p_value == PValueMethod::permutation;
  for (const ScreenedClass& screened : classes)
    if (!by_permutation && screened.n_rows < fewest_gamma_rows)
      fmt::print(stderr, "dyad: class {} has {} rows; p-values need {}, so none of its pairs is kept\n",
                 screened.label, screened.n_rows, fewest_gamma_rows);
  const auto n_pairs = static_cast<double>(classes.front().pairs.size());
  if (by_permutation && n_pairs > options.fdr * (options.permutations + 1))
    fmt::print(
        stderr,
        "dyad: {} permutations are too few to keep one pair of {} at --fdr {}; use --permutations {:.0f}\n",
        options.permutations, n_pairs, options.fdr, std::ceil(n_pairs / options.fdr));
}

}  // namespace

Command add_screen(CLI::App& program) {
  auto flags = std::make_shared<ScreenFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command = program.add_subcommand(
      "screen", "Find the pairs of features that depend on each other, class by class");
  command->footer("Example: dyad screen data.csv --label species --top 10");
  add_table_flags(*command, flags->table, true);
  add_flags(*command, flags->options);
  add_top_flag(*command, flags->top, "pairs of largest HSIC in each class", rows_shown);
  add_run_flags(*command, *run_flags);
  add_json_flag(*command, *run_flags);
  add_output_flag(*command, *run_flags);

  return {command, run_flags, [flags, run_flags] {
            const Table table = read_table(flags->table, *run_flags);
            const auto classes = on_table(
                flags->table.path, [&] { return screen_pairs(table, flags->options, run_flags->execution); });
            if (!run_flags->quiet) warn(classes, flags->options);
            if (run_flags->json) return as_json(table, classes, flags->top.value_or(0));
            return as_text(table, classes, flags->options, flags->top.value_or(rows_shown));
          }};
}

}  // namespace dyad::cli
