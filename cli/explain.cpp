// dyad explain: the terms of a model and their weights, or how one row's score comes about.
// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/table_input.h"
#include "dyad/io/model_file.h"

namespace dyad::cli {
namespace {

struct ExplainFlags {
  std::string model_path;
  TableFlags table;
  std::optional<std::size_t> row;
  std::optional<std::size_t> top;
};

constexpr std::size_t terms_shown = 20;

/// One number for two classes, else a list with one a class.
Json per_score(const Matrix& values, std::size_t column) {
  if (values.n_rows == 1) return values(0, column);
  Json list = Json::array();
  for (std::size_t k = 0; k < values.n_rows; ++k) list.push_back(values(k, column));
  return list;
}

Json per_score(const std::vector<double>& values) {
  return values.size() == 1 ? Json(values[0]) : Json(values);
}

/// Terms by their largest absolute entry, largest first; `top` of them, all if it is 0.
std::vector<std::size_t> largest(const Matrix& values, std::size_t top) {
  std::vector<double> size(values.n_cols, 0.0);
  for (std::size_t t = 0; t < values.n_cols; ++t)
    for (const double value : values.column(t)) size[t] = std::max(size[t], std::abs(value));
  std::vector<std::size_t> order(values.n_cols);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t t) { return size[t]; });
  if (top > 0 && order.size() > top) order.resize(top);
  return order;
}

Json term_json(const Model& model, const Term& term) {
  Json names = Json::array({model.features[term.i]});
  if (term.is_pair()) names.push_back(model.features[term.j]);
  return {
      {"kind", term.is_linear() ? "linear" : "density"},
      {"class", term.is_linear() ? Json() : Json(model.classes[static_cast<std::size_t>(term.class_code)])},
      {"features", std::move(names)}};
}

std::string term_text(const Model& model, const Term& term) {
  if (term.is_linear()) return model.features[term.i];
  std::string text = "log p(" + model.features[term.i];
  if (term.is_pair()) text += ", " + model.features[term.j];
  return text + " | " + model.classes[static_cast<std::size_t>(term.class_code)] + ")";
}

std::string numbers_text(const Matrix& values, std::size_t column) {
  std::string text;
  for (std::size_t k = 0; k < values.n_rows; ++k) text += fmt::format("  {:>10.4f}", values(k, column));
  return text;
}

std::string numbers_text(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) text += fmt::format("  {:>10.4f}", value);
  return text;
}

/// What each column of numbers speaks for.
std::string score_header(const Model& model) {
  if (model.n_scores() == 1) return fmt::format("positive speaks for class {}", model.classes[1]);
  std::string text = "columns: classes";
  for (const std::string& name : model.classes) text += " " + name;
  return text;
}

std::size_t term_width(const Model& model, const std::vector<std::size_t>& terms) {
  std::size_t width = 9;
  for (const std::size_t t : terms) width = std::max(width, term_text(model, model.terms[t]).size());
  return width;
}

std::string model_json(const Model& model, std::size_t top) {
  Json terms = Json::array();
  for (const std::size_t t : largest(model.weights, top)) {
    Json term = term_json(model, model.terms[t]);
    term["weight"] = per_score(model.weights, t);
    term["centre"] = model.terms[t].centre;
    terms.push_back(std::move(term));
  }
  return dumped({{"intercept", per_score(model.intercepts)}, {"terms", std::move(terms)}});
}

std::string model_text(const Model& model, std::size_t top) {
  const auto shown = largest(model.weights, top);
  const std::size_t width = term_width(model, shown);
  std::string text = fmt::format("{} terms, {} of them pairs; {}\n\n  {:<{}}  {:>10}\n", model.terms.size(),
                                 count_pairs(model), score_header(model), "term", width, "weight");
  for (const std::size_t t : shown)
    text +=
        fmt::format("  {:<{}}{}\n", term_text(model, model.terms[t]), width, numbers_text(model.weights, t));
  text += fmt::format("  {:<{}}{}\n", "intercept", width, numbers_text(model.intercepts));
  if (shown.size() < model.terms.size())
    text += fmt::format("  and {} terms of smaller weight (--top 0 shows all)\n",
                        model.terms.size() - shown.size());
  return text;
}

std::string row_json(const Model& model, const Explanation& explanation, std::size_t top) {
  Json terms = Json::array();
  for (const std::size_t t : largest(explanation.contributions, top)) {
    Json term = term_json(model, model.terms[t]);
    term["value"] = explanation.values[t];
    term["weight"] = per_score(model.weights, t);
    term["contribution"] = per_score(explanation.contributions, t);
    terms.push_back(std::move(term));
  }
  return dumped({{"score", per_score(explanation.scores)},
                 {"intercept", per_score(model.intercepts)},
                 {"terms", std::move(terms)}});
}

std::string row_text(const Model& model, const Explanation& explanation, std::size_t row, std::size_t top) {
  Matrix row_scores(1, model.n_scores());
  row_scores.data = explanation.scores;
  const auto predicted = static_cast<std::size_t>(classify(model, row_scores)[0]);
  const auto shown = largest(explanation.contributions, top);
  const std::size_t width = term_width(model, shown);
  std::string text = fmt::format("row {}: predicted {}; {}\n\n  {:<{}}  {:>10}  contribution\n", row,
                                 model.classes[predicted], score_header(model), "term", width, "value");
  for (const std::size_t t : shown)
    text += fmt::format("  {:<{}}  {:>10.4f}{}\n", term_text(model, model.terms[t]), width,
                        explanation.values[t], numbers_text(explanation.contributions, t));
  if (shown.size() < model.terms.size())
    text += fmt::format("  and {} smaller contributions (--top 0 shows all)\n",
                        model.terms.size() - shown.size());
  text += fmt::format("  {:<{}}  {:>10}{}\n", "intercept", width, "", numbers_text(model.intercepts));
  text += fmt::format("  {:<{}}  {:>10}{}\n", "score", width, "", numbers_text(explanation.scores));
  return text;
}

Explanation explain_row(const Model& model, const ExplainFlags& flags, const RunFlags& run) {
  const Matrix X = read_rows_for(model, flags.table, run);
  if (*flags.row > X.n_rows)
    throw std::invalid_argument(flags.table.path + ": there is no row " + std::to_string(*flags.row) +
                                "; the table has " + std::to_string(X.n_rows) + " rows");
  std::vector<double> row;
  for (std::size_t j = 0; j < X.n_cols; ++j) row.push_back(X(*flags.row - 1, j));
  return explain(model, row);
}

}  // namespace

Command add_explain(CLI::App& program) {
  auto flags = std::make_shared<ExplainFlags>();
  auto run_flags = std::make_shared<RunFlags>();
  CLI::App* const command = program.add_subcommand(
      "explain", "Show a model's terms and weights, or how one row's score comes about");
  command->footer(
      "The contributions of all terms and the intercept add up to the score.\n"
      "Example: dyad explain species.dyad data.csv --row 3");
  add_model_argument(*command, flags->model_path);
  add_table_flags(*command, flags->table, false);
  command->get_option("DATA")->required(false);
  CLI::Option* const row =
      command->add_option("--row", flags->row, "the row of DATA to explain, counted from 1")
          ->type_name("K")
          ->check(in_range({1, 0x1p53}, true));
  row->needs(command->get_option("DATA"));
  command->get_option("DATA")->needs(row);
  add_top_flag(*command, flags->top, "largest terms", terms_shown);
  add_run_flags(*command, *run_flags);
  add_json_flag(*command, *run_flags);
  add_output_flag(*command, *run_flags);

  return {command, run_flags, [flags, run_flags](Output& output) {
            const Model model = load_model(flags->model_path);
            const std::size_t top = flags->top.value_or(run_flags->json ? 0 : terms_shown);
            if (!flags->row)
              return output.write(run_flags->json ? model_json(model, top) : model_text(model, top));
            const Explanation explanation = explain_row(model, *flags, *run_flags);
            output.write(run_flags->json ? row_json(model, explanation, top)
                                         : row_text(model, explanation, *flags->row, top));
          }};
}

}  // namespace dyad::cli
