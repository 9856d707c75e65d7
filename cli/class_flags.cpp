// SPDX-License-Identifier: BSD-3-Clause
#include "cli/class_flags.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>
#include <utility>

#include "dyad/base/nearest_name.h"
#include "dyad/base/text.h"
#include "dyad/data/values.h"
#include "dyad/io/csv.h"

namespace dyad::cli {
namespace {

/// Takes a class from the front of `text`: what is in quotes, or all up to the first of `ends`, or to the
/// end.
std::string take_label(std::string_view& text, std::string_view ends) {
  std::string label;
  if (!text.starts_with('"')) {
    const std::size_t size = std::min(text.find_first_of(ends), text.size());
    label = text.substr(0, size);
    text.remove_prefix(size);
    return label;
  }
  text.remove_prefix(1);
  while (!text.empty()) {
    const bool quote = text.starts_with('"');
    if (quote) text.remove_prefix(1);
    if (quote && !text.starts_with('"')) return label;
    label += text.front();
    text.remove_prefix(1);
  }
  throw std::runtime_error("a quote is not closed");
}

/// The place of a class that a flag names.
std::size_t place_of_class(std::span<const std::string> classes, const std::string& label) {
  if (const auto found = find_class(classes, label)) return *found;
  throw std::runtime_error("no row is of class " + dyad::quoted(label) + "; " +
                           advice_on_name(label, "the classes are", classes));
}

double number_of(std::string_view text, const char* what, const Interval& allowed) {
  double value = 0;
  if (!parse_number(text, value) || value < allowed.low || value > allowed.high)
    throw std::runtime_error(std::string(what) + " must be a number, " + range_text(allowed) + ", got " +
                             dyad::quoted(text));
  return value;
}

/// work(text) for each of the values of a flag, which is named if there is something wrong with it.
template <class Work>
void for_each_value(const char* flag, const std::vector<std::string>& values, const Work& work) {
  for (const std::string& value : values) try {
      work(value);
    } catch (const std::runtime_error& error) {
      throw std::runtime_error(std::string(flag) + " " + dyad::quoted(value) + ": " + error.what());
    }
}

void set_weight(std::string_view text, std::span<const std::string> classes, std::vector<double>& weights) {
  constexpr const char* form = "CLASS=W";
  auto [label_text, number] = halves_of(text, form);
  const std::string label = take_label(label_text, "");
  if (!label_text.empty()) throw std::runtime_error("expected " + std::string(form));
  weights[place_of_class(classes, label)] = number_of(number, "a class weight", {0, largest_class_weight});
}

void set_cost(std::string_view text, std::span<const std::string> classes, Matrix& costs) {
  constexpr const char* form = "TRUE:PREDICTED=COST, classes that hold ':' in double quotes";
  auto [labels, number] = halves_of(text, form);
  const std::string true_label = take_label(labels, ":");
  const bool has_colon = labels.starts_with(':');
  if (has_colon) labels.remove_prefix(1);
  const std::string predicted = take_label(labels, ":");
  if (!has_colon || !labels.empty()) throw std::runtime_error("expected " + std::string(form));
  costs(place_of_class(classes, true_label), place_of_class(classes, predicted)) =
      number_of(number, "a cost", non_negative);
}

/// 1 for each wrong class.
Matrix plain_costs(std::size_t n_classes) {
  Matrix costs(n_classes, n_classes);
  for (std::size_t a = 0; a < n_classes; ++a)
    for (std::size_t b = 0; b < n_classes; ++b) costs(a, b) = a == b ? 0 : 1;
  return costs;
}

/// Bytes of a table of costs, with a name for its first column, which may have none.
ByteSource with_named_corner(ByteSource source) {
  std::string start(1, '\0');
  const std::size_t size = source.read(start);
  start.resize(size);
  if (size == 1 && (start == "," || start == ";" || start == "\t")) start.insert(0, "class");
  return {source.name, [start, read = std::move(source.read)](std::span<char> buffer) mutable {
            if (start.empty()) return read(buffer);
            const std::size_t count = std::min(start.size(), buffer.size());
            std::memcpy(buffer.data(), start.data(), count);
            start.erase(0, count);
            return count;
          }};
}

/// The class that row i of a table of costs is of.
std::string row_label(const Column& column, std::size_t i) {
  if (const auto* numbers = std::get_if<NumericColumn>(&column.data))
    return std::isnan(numbers->values[i]) ? "" : number_text(numbers->values[i]);
  const auto& categories = std::get<CategoricalColumn>(column.data);
  const std::int32_t code = categories.codes[i];
  return code < 0 ? "" : categories.levels[static_cast<std::size_t>(code)];
}

Matrix read_costs(const std::string& path, std::span<const std::string> classes) {
  const Table table = read_csv(with_named_corner(open_source(path)), {});
  const std::size_t n = classes.size();
  if (table.n_rows != n || table.features.size() != n + 1)
    throw std::runtime_error(path +
                             ": a table of costs has a row and, behind their names, a column for each of " +
                             std::to_string(n) + " classes, got " + std::to_string(table.n_rows) + " x " +
                             std::to_string(table.features.size() - 1));
  try {
    std::vector<std::size_t> truths;
    for (std::size_t i = 0; i < n; ++i)
      truths.push_back(place_of_class(classes, row_label(table.features[0], i)));
    for (std::size_t a = 0; a < n; ++a)
      if (std::ranges::count(truths, a) != 1)
        throw std::runtime_error("there is no row of class " + dyad::quoted(classes[a]));
    Matrix costs(n, n);
    for (std::size_t j = 1; j <= n; ++j) {
      const Column& column = table.features[j];
      const std::size_t predicted = place_of_class(classes, column.name);
      const auto* numbers = std::get_if<NumericColumn>(&column.data);
      if (numbers == nullptr)
        throw std::runtime_error("column " + dyad::quoted(column.name) + " holds no numbers");
      for (std::size_t i = 0; i < n; ++i) {
        if (!(numbers->values[i] >= 0))
          throw std::runtime_error(
              "a cost must be a finite number, 0 or more, got " +
              (std::isnan(numbers->values[i]) ? "none" : number_text(numbers->values[i])) + " for " +
              dyad::quoted(classes[truths[i]]) + " predicted as " + dyad::quoted(column.name));
        costs(truths[i], predicted) = numbers->values[i];
      }
    }
    return costs;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(path + ": " + error.what());
  }
}

}  // namespace

std::pair<std::string_view, std::string_view> halves_of(std::string_view text, const char* form) {
  const std::size_t at = text.rfind('=');
  if (at == std::string_view::npos)
    throw std::runtime_error("expected " + std::string(form) + ", got " + dyad::quoted(text));
  return {text.substr(0, at), text.substr(at + 1)};
}

void add_class_flags(CLI::App& command, ClassFlags& flags) {
  command
      .add_option(
          "--class-weights",
          "balanced: classes count alike, and probabilities are those of equally frequent classes, the "
          "same as --optimise balanced; none: classes count by their rows")
      ->type_name("none|balanced")
      ->check(CLI::IsMember({"none", "balanced"}).description(""))
      ->default_str("none");
  command
      .add_option("--class-weight", flags.weights,
                  "factor of the frequency of a class, 1 for those not named; probabilities are those of the "
                  "weighted classes (may be repeated)")
      ->type_name("CLASS=W")
      ->allow_extra_args(false);
  command
      .add_option(
          "--cost-of", flags.costs,
          "cost of a wrong prediction, 1 for pairs of classes not named; the class of least expected cost is "
          "predicted; may be repeated")
      ->type_name("TRUE:PREDICTED=COST")
      ->allow_extra_args(false);
  command
      .add_option(
          "--costs", flags.costs_path,
          "CSV file of costs: one row per true class, its name first, and one column per predicted class")
      ->type_name("FILE");
}

void apply_class_flags(const ClassFlags& flags, std::span<const std::string> classes, FitOptions& options) {
  if (!flags.weights.empty()) options.class_weight_values.assign(classes.size(), 1.0);
  for_each_value("--class-weight", flags.weights,
                 [&](const std::string& text) { set_weight(text, classes, options.class_weight_values); });
  if (flags.costs.empty() && flags.costs_path.empty()) return;
  options.costs =
      flags.costs_path.empty() ? plain_costs(classes.size()) : read_costs(flags.costs_path, classes);
  for_each_value("--cost-of", flags.costs,
                 [&](const std::string& text) { set_cost(text, classes, options.costs); });
}

}  // namespace dyad::cli
