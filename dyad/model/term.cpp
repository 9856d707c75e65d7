// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/term.h"

#include "dyad/base/gather.h"
#include "dyad/density/pseudo_rows.h"

namespace dyad {
namespace {

void evaluate_complete(const Term& term, std::span<const double> x, std::span<const double> y,
                       std::span<double> out) {
  std::visit(
      [&](const auto& density) {
        if constexpr (requires { log_density(density, x, y, out); })
          log_density(density, x, y, out);
        else if constexpr (requires { log_density(density, x, out); })
          log_density(density, x, out);
      },
      term.density);
  if (term.prior_rows > 0)
    mix_in_pseudo_rows(term.prior_rows, term.n_rows, x, term.is_pair() ? y : std::span<const double>(), out);
}

bool has_gap(std::span<const double> values) {
  return std::ranges::any_of(values, [](double value) { return std::isnan(value); });
}

/// NaN where a value was never met in training.
void evaluate_met(const Term& term, std::span<const double> x, std::span<const double> y,
                  std::span<double> out) {
  if (term.is_linear()) {
    std::ranges::copy(x, out.begin());
    return;
  }
  if (const auto* const table = std::get_if<FreeTable>(&term.density)) {
    look_up(*table, x, term.is_pair() ? y : std::span<const double>(), out);
    return;
  }
  if (std::holds_alternative<LevelDensity>(term.density) || (!has_gap(x) && !has_gap(y))) {
    evaluate_complete(term, x, y, out);
  } else {
    std::vector<std::size_t> complete;
    for (std::size_t i = 0; i < out.size(); ++i)
      if (!std::isnan(x[i]) && !std::isnan(y[i])) complete.push_back(i);
    std::vector<double> values(complete.size());
    evaluate_complete(term, gather(x, complete), gather(y, complete), values);
    std::ranges::fill(out, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t k = 0; k < complete.size(); ++k) out[complete[k]] = values[k];
  }
  for (double& value : out)
    if (!std::isnan(value)) value = std::max(value, term.floor);
}

/// Adds to out[rows[k]] how much a feature with the values `x` alone adds to a term of its class: its log
/// density, less the centre; 0 where it was never met.
void add_margin(std::span<const Term> terms, std::int32_t class_code, std::size_t feature,
                std::span<const double> x, std::span<const std::size_t> rows, std::span<double> out) {
  const auto found = std::ranges::find(terms, TermKey{class_code, feature, feature});
  if (found == terms.end()) return;
  const auto of_rows = gather(x, rows);
  std::vector<double> values(rows.size());
  evaluate_met(*found, of_rows, of_rows, values);
  for (std::size_t k = 0; k < rows.size(); ++k)
    if (!std::isnan(values[k])) out[rows[k]] += values[k] - found->centre;
}

}  // namespace

Term linear_term(std::size_t i) { return {{no_class, i, i}, Linear{}, -std::numeric_limits<double>::max()}; }

Term table_term(TermKey key, FreeTable table) {
  key.is_table = true;
  return {key, std::move(table), -std::numeric_limits<double>::max()};
}

void evaluate_met(const Term& term, const MatrixView& X, std::span<double> out) {
  evaluate_met(term, X.column(term.i), X.column(term.j), out);
}

void evaluate(std::span<const Term> terms, const Term& term, const MatrixView& X, std::span<double> out) {
  evaluate_met(term, X, out);
  std::vector<std::size_t> unmet;
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (!std::isnan(out[k])) continue;
    out[k] = term.centre;
    unmet.push_back(k);
  }
  if (!term.is_pair() || unmet.empty()) return;
  for (const std::size_t feature : {term.i, term.j})
    add_margin(terms, term.class_code, feature, X.column(feature), unmet, out);
}

Matrix term_values(std::span<const Term> terms, const MatrixView& X, const Execution& execution) {
  Matrix values(X.n_rows, terms.size());
  parallel_for(terms.size(), execution, "features",
               [&](std::size_t t) { evaluate(terms, terms[t], X, values.column(t)); });
  return values;
}

}  // namespace dyad
