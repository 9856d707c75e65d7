// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/model.h"

#include <set>

#include "dyad/base/gather.h"

namespace dyad {
namespace {

/// Names of edits in the provenance: the number of each follows.
constexpr std::string_view edit_prefix = "edit ";

}  // namespace

std::string pairs_name(std::size_t n_pairs) {
  return n_pairs == 0 ? "univariate" : std::to_string(n_pairs) + " pairs";
}

std::size_t pairs_of(const Setting& setting) {
  std::size_t n_pairs = 0;
  std::from_chars(setting.terms.data(), setting.terms.data() + setting.terms.size(), n_pairs);
  return n_pairs;
}

bool is_number(const Model& model, std::size_t feature) {
  return model.levels.empty() || model.levels[feature].is_number();
}

void order_levels(Model& model, std::size_t feature, std::span<const std::string> names) {
  if (is_number(model, feature)) return;
  auto order = all_rows(model.levels[feature].size());
  const auto& known = model.levels[feature].names;
  const auto place = [&](std::size_t code) {
    return code < known.size() ? std::ranges::find(names, known[code]) - names.begin()
                               : static_cast<std::ptrdiff_t>(names.size());
  };
  std::ranges::stable_sort(order, {}, place);
  if (std::ranges::is_sorted(order)) return;
  model.level_orders.resize(model.n_features);
  model.level_orders[feature] = std::move(order);
}

std::vector<std::size_t> drawn_levels(const Model& model, std::size_t feature) {
  if (!model.level_orders.empty() && !model.level_orders[feature].empty()) return model.level_orders[feature];
  return all_rows(model.levels[feature].size());
}

std::size_t count_pairs(const Model& model) {
  return static_cast<std::size_t>(std::ranges::count_if(model.terms, &Term::is_pair));
}

void append_tables(Model& model, std::vector<Term> tables) {
  Matrix weights(model.n_scores(), model.terms.size() + tables.size());
  std::ranges::copy(model.weights.data, weights.data.begin());
  for (Term& table : tables) {
    const std::size_t score = model.n_scores() == 1 ? 0 : static_cast<std::size_t>(table.class_code);
    weights(score, model.terms.size()) = 1;
    model.terms.push_back(std::move(table));
  }
  model.weights = std::move(weights);
}

std::vector<std::size_t> features_with_missing(const Model& model) {
  std::set<std::size_t> features;
  // Tables of edits have values at gaps, too, whether any was met or not.
  const bool is_edited = !edits_of(model).empty() && !model.row_counts.empty();
  for (const Term& term : model.terms) {
    if (const auto* const table = std::get_if<FreeTable>(&term.density);
        table != nullptr && !term.is_pair() &&
        (is_edited ? model.row_counts.features[term.i].has_missing : table->values.back() != 0))
      features.insert(term.i);
    const auto* density = std::get_if<LevelDensity>(&term.density);
    if (density == nullptr) continue;
    if (density->x.has_missing) features.insert(term.i);
    if (density->y.has_missing) features.insert(term.j);
  }
  return {features.begin(), features.end()};
}

std::string_view option_of(const Model& model, std::string_view name) {
  const auto found = std::ranges::find(model.fitted_with, name, &Provenance::value_type::first);
  return found == model.fitted_with.end() ? std::string_view() : found->second;
}

Model with_trace(Model model, const std::string& what) {
  const std::size_t n = edits_of(model).size();
  model.fitted_with.emplace_back(std::string(edit_prefix) + std::to_string(n + 1), what);
  return model;
}

std::vector<std::string> edits_of(const Model& model) {
  std::vector<std::string> edits;
  for (const auto& [name, text] : model.fitted_with)
    if (name.starts_with(edit_prefix)) edits.push_back(text);
  return edits;
}

}  // namespace dyad
