// The steps of the method by themselves: bandwidths, densities, dependence and simulations.
// SPDX-License-Identifier: BSD-3-Clause
#include <cpp11.hpp>
#include <stdexcept>

#include "dyad/base/engine.h"
#include "dyad/base/pairs.h"
#include "dyad/density/any_density.h"
#include "dyad/dependence/counts_hsic.h"
#include "dyad/dependence/hsic.h"
#include "dyad/dependence/mutual_information.h"
#include "dyad/dependence/screening.h"
#include "dyad/simulation/scenarios.h"
#include "interruptible.h"
#include "module.h"
#include "options.h"

namespace dyad::r {
namespace {

using namespace cpp11::literals;

constexpr int default_grid = ScreenOptions{}.grid;

/// Two samples as the columns of a matrix.
Matrix side_by_side(std::span<const double> x, std::span<const double> y) {
  Matrix both(x.size(), 2);
  std::ranges::copy(x, both.column(0).begin());
  std::ranges::copy(y, both.column(1).begin());
  return both;
}

Matrix hsic_square(const MatrixView& X, Engine engine, const Execution& execution,
                   const std::vector<bool>& categorical) {
  const std::size_t d = X.n_cols;
  const auto pairs = pairwise_hsic(X, engine, default_grid, execution, {}, categorical);
  Matrix result(d, d);
  for (std::size_t j = 0; j < d; ++j) {
    const std::vector<bool> both(2, !categorical.empty() && categorical[j]);
    const Matrix twice = side_by_side(X.column(j), X.column(j));
    result(j, j) = pairwise_hsic(twice, engine, default_grid, execution, {}, both).front().value;
    for (std::size_t i = 0; i < j; ++i) result(i, j) = result(j, i) = pairs[pair_index(i, j, d)].value;
  }
  return result;
}

/// A column of the table that screening takes.
Column column_of(const std::string& name, std::span<const double> values, const Levels& levels) {
  if (levels.is_number()) return {.name = name, .data = NumericColumn{{values.begin(), values.end()}}};
  CategoricalColumn column{{}, levels.names};
  for (const double code : values)
    column.codes.push_back(std::isnan(code) ? CategoricalColumn::missing : static_cast<std::int32_t>(code));
  return {.name = name, .data = std::move(column)};
}

}  // namespace

NewMatrix bandwidth_matrix(const Columns& x, const std::string& rule, const std::string& engine) {
  const auto by = named<BandwidthRule>(bandwidth_rule_names, rule, "rule");
  const auto with = named<Engine>(engine_names, engine, "engine");
  const MatrixView X = view_of(x);
  return matrix(
      interruptible(1, R_NilValue, [&](const Execution&) { return dyad::bandwidth_matrix(X, by, with); }));
}

SEXP density(const Columns& x, const Columns& bandwidth, const std::string& rule, const std::string& engine,
             int grid) {
  require_within(grid_range, "grid", grid);
  const auto by = named<BandwidthRule>(bandwidth_rule_names, rule, "rule");
  const auto with = named<Engine>(engine_names, engine, "engine");
  const MatrixView X = view_of(x);
  const MatrixView H = view_of(bandwidth);
  const auto nodes = static_cast<std::size_t>(grid);
  auto result = interruptible(1, R_NilValue, [&](const Execution&) {
    return std::make_unique<AnyDensity>(H.n_rows == 0 ? fit_density(X, by, with, nodes)
                                                      : make_density(X, H, with, nodes));
  });
  return cpp11::external_pointer<AnyDensity>(result.release());
}

NewMatrix density_bandwidth(SEXP density) {
  return matrix(dyad::bandwidth_matrix(owned_by<AnyDensity>(density)));
}

NewNumbers log_densities_at(SEXP density, const Columns& x) {
  const auto& estimate = owned_by<AnyDensity>(density);
  const MatrixView X = view_of(x);
  return numbers(interruptible(
      1, R_NilValue, [&](const Execution& execution) { return log_densities(estimate, X, execution); }));
}

NewNumbers hsic_of(const Numbers& x, const Numbers& y, const std::string& engine) {
  const auto with = named<Engine>(engine_names, engine, "engine");
  const Matrix both = side_by_side(view_of(x), view_of(y));
  const Hsic result = interruptible(1, R_NilValue, [&](const Execution& execution) {
    return pairwise_hsic(both, with, default_grid, execution).front();
  });
  return numbers(std::vector<double>{result.value, result.p_value});
}

double hsic_permuted(const Numbers& x, const Numbers& y, int permutations, double seed) {
  const auto u = view_of(x);
  const auto v = view_of(y);
  return interruptible(1, R_NilValue, [&](const Execution& execution) {
    return hsic_permutation_p_value(u, v, permutations, static_cast<std::uint64_t>(seed), execution);
  });
}

NewMatrix hsic_of_columns(const Columns& X, const std::string& engine, const cpp11::list& levels,
                          int threads) {
  const auto with = named<Engine>(engine_names, engine, "engine");
  const auto categorical = categorical_features(levels_of(levels));
  const MatrixView rows = view_of(X);
  return matrix(interruptible(threads, R_NilValue, [&](const Execution& execution) {
    return hsic_square(rows, with, execution, categorical);
  }));
}

NewNumbers information(const Numbers& x, const Numbers& y, const Numbers& bandwidths) {
  const auto u = view_of(x);
  const auto v = view_of(y);
  const auto h = view_of(bandwidths);
  const MutualInformation result = interruptible(1, R_NilValue, [&](const Execution&) {
    return h.empty() ? mutual_information(u, v) : mutual_information(u, v, h[0], h[1]);
  });
  return numbers(std::vector<double>{result.raw, result.corrected});
}

List screened(const Columns& X, const cpp11::integers& y, const cpp11::strings& features,
              const cpp11::strings& classes, const cpp11::list& levels, const cpp11::list& options,
              int threads, SEXP progress) {
  const auto screen_options = options_over(ScreenOptions{}, options);
  const MatrixView rows = view_of(X);
  const auto names = texts_of(features);
  const auto of_features = levels_of(levels);
  Table table{.n_rows = rows.n_rows, .labels = {.codes = {y.begin(), y.end()}, .classes = texts_of(classes)}};
  for (std::size_t j = 0; j < rows.n_cols; ++j)
    table.features.push_back(
        column_of(names[j], rows.column(j), of_features.empty() ? Levels{} : of_features[j]));
  const auto found = interruptible(threads, progress, [&](const Execution& execution) {
    return screen_pairs(table, screen_options, execution);
  });
  std::vector<int> codes, is, js, kept;
  std::vector<double> values, p, q;
  for (std::size_t c = 0; c < found.size(); ++c)
    for (std::size_t k = 0; k < found[c].scores.size(); ++k) {
      const ScreenedPair pair = found[c].pair(k);
      codes.push_back(static_cast<int>(c) + 1);
      is.push_back(static_cast<int>(pair.i) + 1);
      js.push_back(static_cast<int>(pair.j) + 1);
      values.push_back(pair.hsic);
      p.push_back(pair.p_value);
      q.push_back(pair.q_value);
      kept.push_back(pair.kept ? 1 : 0);
    }
  return {"class"_nm = integers(codes), "i"_nm = integers(is), "j"_nm = integers(js),
          "hsic"_nm = numbers(values),  "p"_nm = numbers(p),   "q"_nm = numbers(q),
          "kept"_nm = integers(kept)};
}

List simulated(const std::string& scenario, int n, double imbalance, int draw, double seed,
               const cpp11::list& options) {
  const auto of = named<Scenario>(scenario_names, scenario, "scenario");
  const Simulation simulation(of, options_over(calibrated_options(of), options),
                              static_cast<std::uint64_t>(seed));
  const LabelledSample sample =
      simulation.sample(static_cast<std::size_t>(n), imbalance, static_cast<std::uint64_t>(draw));
  return {"X"_nm = matrix(sample.X), "y"_nm = integers(sample.y, 1)};
}

}  // namespace dyad::r
