// Dependence between features: HSIC, mutual information and screening.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dyad/base/engine.h"
#include "dyad/base/pairs.h"
#include "dyad/data/summary.h"
#include "dyad/dependence/counts_hsic.h"
#include "dyad/dependence/hsic.h"
#include "dyad/dependence/mutual_information.h"
#include "dyad/dependence/screening.h"
#include "python/src/arrays.h"
#include "python/src/interruptible.h"
#include "python/src/module.h"
#include "python/src/options.h"
#include "python/src/sample.h"

namespace dyad::python {
namespace {

constexpr int default_grid = ScreenOptions{}.grid;

/// Two features of the same size as columns.
Matrix side_by_side(std::span<const double> x, std::span<const double> y) {
  Matrix both(x.size(), 2);
  std::ranges::copy(x, both.column(0).begin());
  std::ranges::copy(y, both.column(1).begin());
  return both;
}

/// Two samples as the columns of a matrix. Throws std::invalid_argument if they differ in size, are empty or
/// have a value that is not finite.
Matrix side_by_side(const Values<double>& x, const Values<double>& y) {
  const auto u = vector_of<double>(x);
  const auto v = vector_of<double>(y);
  require_finite_pairs(u, v, "x and y");
  return side_by_side(u, v);
}

/// HSIC of all pairs of columns, and of each with itself on the diagonal.
Matrix hsic_square(const MatrixView& X, Engine engine, const Execution& execution,
                   const std::vector<bool>& categorical) {
  const std::size_t d = X.n_cols;
  const auto pairs = pairwise_hsic(X, engine, default_grid, execution, {}, categorical);
  Matrix result(d, d);
  parallel_for(d, execution, "", [&](std::size_t j) {
    const Execution alone{.threads = 1, .stop = execution.stop};
    const std::vector<bool> both(2, !categorical.empty() && categorical[j]);
    const Matrix twice = side_by_side(X.column(j), X.column(j));
    result(j, j) = pairwise_hsic(twice, engine, default_grid, alone, {}, both).front().value;
  });
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = i + 1; j < d; ++j) result(i, j) = result(j, i) = pairs[pair_index(i, j, d)].value;
  return result;
}

/// Codes of levels as places in their list.
CategoricalColumn category_of(std::span<const double> codes, const std::vector<std::string>& names) {
  CategoricalColumn column{{}, names};
  for (const double code : codes) {
    if (code >= static_cast<double>(names.size()) || code < 0)
      throw std::invalid_argument("levels: a code has no name");
    column.codes.push_back(std::isnan(code) ? CategoricalColumn::missing : static_cast<std::int32_t>(code));
  }
  return column;
}

Table table_of(const Rows& X, const Values<std::int32_t>& y, const std::vector<std::string>& classes,
               const std::vector<std::string>& features, const LevelNames& levels) {
  if (features.size() != X.shape(1)) throw std::invalid_argument("screen: expected a name for each feature");
  LabelledSample sample = sample_of(X, y, classes.size(), {}, levels);
  Table table{.n_rows = sample.n_rows(), .labels = {.codes = std::move(sample.y), .classes = classes}};
  for (std::size_t j = 0; j < sample.n_features(); ++j) {
    const auto column = sample.X.column(j);
    Column& feature = table.features.emplace_back(Column{.name = features[j]});
    if (sample.is_categorical(j))
      feature.data = category_of(column, levels[j]);
    else
      feature.data = NumericColumn{{column.begin(), column.end()}};
  }
  return table;
}

/// HSIC, p-value, q-value and whether it is kept of each pair, in the order of `pair_index`.
nb::tuple arrays_of(ScreenedClass screened) {
  const std::size_t n_pairs = screened.scores.size();
  std::vector<double> values(n_pairs);
  std::vector<double> p_values(n_pairs);
  for (std::size_t k = 0; k < n_pairs; ++k) {
    values[k] = screened.scores[k].value;
    p_values[k] = screened.scores[k].p_value;
  }
  std::vector<std::uint8_t> kept(screened.kept.begin(), screened.kept.end());
  return nb::make_tuple(array_of(std::move(values)), array_of(std::move(p_values)),
                        array_of(std::move(screened.q_values)), array_of(std::move(kept)));
}

}  // namespace

void bind_dependence(nb::module_& module) {
  using namespace nb::literals;

  module.def(
      "hsic",
      [](const Values<double>& x, const Values<double>& y, const std::string& engine) {
        const auto engine_value = named<Engine>(engine_names, engine, "engine");
        return interruptible_if(engine_value == Engine::exact, 1, [&](const Execution& execution) {
          const Hsic result =
              pairwise_hsic(side_by_side(x, y), engine_value, default_grid, execution).front();
          return std::pair(result.value, result.p_value);
        });
      },
      "x"_a, "y"_a, "engine"_a, "HSIC of two features and its p-value.");
  module.def(
      "hsic_permutation_p_value",
      [](const Values<double>& x, const Values<double>& y, int permutations, std::uint64_t seed) {
        return interruptible(1, nb::none(), [&](const Execution& execution) {
          const Matrix both = side_by_side(x, y);
          return hsic_permutation_p_value(both.column(0), both.column(1), permutations, seed, execution);
        });
      },
      "x"_a, "y"_a, "permutations"_a, "seed"_a);
  module.def(
      "hsic_matrix",
      [](const Rows& X, const std::string& engine, const LevelNames& levels, int n_threads) {
        require_floats(X);
        const auto categorical = categorical_features(levels_of(levels, X.shape(1)));
        const auto engine_value = named<Engine>(engine_names, engine, "engine");
        return array_of(interruptible(n_threads, nb::none(), [&](const Execution& execution) {
          const ColumnMajor rows(X);
          require_not_infinite(rows.view(), "X");
          return hsic_square(rows.view(), engine_value, execution, categorical);
        }));
      },
      "X"_a, "engine"_a, "levels"_a = LevelNames(), "n_threads"_a = 0,
      "HSIC of every pair of columns, d x d.");
  module.def(
      "mutual_information",
      [](const Values<double>& x, const Values<double>& y,
         const std::optional<std::pair<double, double>>& bandwidths) {
        const nb::gil_scoped_release release;
        const Matrix both = side_by_side(x, y);
        const auto u = both.column(0);
        const auto v = both.column(1);
        const MutualInformation result = bandwidths
                                             ? mutual_information(u, v, bandwidths->first, bandwidths->second)
                                             : mutual_information(u, v);
        return std::pair(result.raw, result.corrected);
      },
      "x"_a, "y"_a, "bandwidths"_a = nb::none(),
      "Raw and corrected mutual information of two features, in nats.");
  module.def(
      "screen",
      [](const Rows& X, const Values<std::int32_t>& y, const std::vector<std::string>& classes,
         const nb::dict& options, const std::vector<std::string>& features, const LevelNames& levels,
         int n_threads) {
        const auto screen_options = options_from<ScreenOptions>(options);
        auto screened = interruptible(n_threads, nb::none(), [&](const Execution& execution) {
          return screen_pairs(table_of(X, y, classes, features, levels), screen_options, execution);
        });
        nb::list result;
        for (ScreenedClass& of_class : screened) result.append(arrays_of(std::move(of_class)));
        return result;
      },
      "X"_a, "y"_a, "classes"_a, "options"_a, nb::kw_only(), "features"_a, "levels"_a = LevelNames(),
      "n_threads"_a = 0,
      "Per class: HSIC, p-value, q-value and whether it is kept, of every pair in the order (0, 1), (0, 2) "
      "..");
  module.def("default_screen_options", [] { return options_dict(ScreenOptions{}); });
}

}  // namespace dyad::python
