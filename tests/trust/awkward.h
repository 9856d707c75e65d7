// Tables that nobody would draw, and options for them: what the numbers of real tables are like at their
// worst.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dyad/base/random.h"
#include "dyad/data/table.h"
#include "dyad/fit/options.h"
#include "tests/recipes.h"

namespace dyad::test {

inline constexpr double denormal = std::numeric_limits<double>::denorm_min();
inline constexpr double largest = std::numeric_limits<double>::max();

template <class T, std::size_t N>
T one_of(Random& random, const std::array<T, N>& items) {
  return items[random.below(N)];
}

inline bool chance(Random& random, double p) { return random.uniform() < p; }

/// What a column of numbers is made of.
enum class Awkward {
  normal,
  constant,
  tied,
  denormals,
  huge,
  magnitudes,
  zeros,
  shifted,
  integers,
  outlier,
  near_ties,
  classes
};
inline constexpr std::size_t n_awkward = 12;

/// n values, which may depend on the classes y.
inline std::vector<double> awkward_column(Awkward kind, const std::vector<std::int32_t>& y, Random& random) {
  constexpr std::array constants{0.0, -0.0, 1.0, -3.5, 1e308, -largest, denormal, 1e-310, 1e15, 0.1};
  constexpr std::array small{denormal, -denormal, 1e-310, -1e-310, 0.0, 3e-320};
  constexpr std::array large{1e308, -1e308, largest, -largest, 9e307, 1.0};
  const double constant = one_of(random, constants);
  const double shift = one_of(random, std::array{1e15, -1e15, 1e9, 0x1p52});
  std::vector<double> x(y.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double z = random.normal() + 0.5 * y[i];
    switch (kind) {
      case Awkward::normal:
        x[i] = z;
        break;
      case Awkward::constant:
        x[i] = constant;
        break;
      case Awkward::tied:
        x[i] = std::round(z);
        break;
      case Awkward::denormals:
        x[i] = one_of(random, small);
        break;
      case Awkward::huge:
        x[i] = one_of(random, large);
        break;
      case Awkward::magnitudes:
        x[i] = std::copysign(std::pow(10, 600 * (random.uniform() - 0.5)), z);
        break;
      case Awkward::zeros:
        x[i] = chance(random, 0.2) ? z : z > 0 ? 0.0 : -0.0;
        break;
      case Awkward::shifted:
        x[i] = shift + z;
        break;
      case Awkward::integers:
        x[i] = static_cast<double>(random.below(1000));
        break;
      case Awkward::outlier:
        x[i] = i == 0 ? 1e20 : z;
        break;
      case Awkward::near_ties:
        x[i] = 1 + std::round(2 * z) * 0x1p-52;
        break;
      case Awkward::classes:
        x[i] = y[i];
        break;
    }
  }
  return x;
}

inline std::vector<double> any_column(const std::vector<std::int32_t>& y, Random& random) {
  return awkward_column(static_cast<Awkward>(random.below(n_awkward)), y, random);
}

/// Classes of n >= n_classes rows, none without a row: in turn, in any order, or but for one row of the first
/// all of the last.
inline std::vector<std::int32_t> awkward_classes(std::size_t n, std::size_t n_classes, Random& random) {
  std::vector<std::int32_t> y(n);
  const auto kind = random.below(4);
  const std::size_t rare = 1 + random.below(2);
  for (std::size_t i = 0; i < n; ++i) {
    const bool first_of_all = i < n_classes;
    const std::size_t code = first_of_all || kind == 0 ? i % n_classes
                             : kind == 1               ? random.below(n_classes)
                             : i < rare * n_classes    ? i % n_classes
                                                       : n_classes - 1;
    y[i] = static_cast<std::int32_t>(code);
  }
  random.shuffle(y);
  return y;
}

/// Makes values missing: here and there, in one class, or all.
inline void make_gaps(Column& column, const std::vector<std::int32_t>& y, Random& random) {
  const auto kind = random.below(3);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!(kind == 0 ? chance(random, 0.3) : kind == 1 ? y[i] == 0 : chance(random, 0.95))) continue;
    if (auto* const numbers = std::get_if<NumericColumn>(&column.data))
      numbers->values[i] = std::numeric_limits<double>::quiet_NaN();
    else
      std::get<CategoricalColumn>(column.data).codes[i] = CategoricalColumn::missing;
  }
}

/// Makes rows copies of the first few, whatever their classes.
inline void repeat_rows(Table& table, std::size_t n_distinct) {
  for (Column& column : table.features)
    for (std::size_t i = n_distinct; i < table.n_rows; ++i)
      std::visit(
          [&](auto& data) {
            if constexpr (requires { data.values; })
              data.values[i] = data.values[i % n_distinct];
            else
              data.codes[i] = data.codes[i % n_distinct];
          },
          column.data);
}

/// 2 to 40 rows of 1 to 4 columns of any kind in 2 or 3 classes. Complete numbers only, if asked for.
inline Table awkward_table(Random& random, bool complete) {
  const std::size_t n_classes = 2 + random.below(2);
  Table table{.n_rows = n_classes + random.below(chance(random, 0.3) ? 4 : 38)};
  table.labels.codes = awkward_classes(table.n_rows, n_classes, random);
  for (std::size_t c = 0; c < n_classes; ++c)
    table.labels.classes.emplace_back(1, static_cast<char>('a' + c));
  const std::size_t d = 1 + random.below(4);
  for (std::size_t j = 0; j < d; ++j) {
    Column column{"x" + std::to_string(j), NumericColumn{any_column(table.labels.codes, random)}};
    if (!complete && chance(random, 0.25)) {
      CategoricalColumn levels;
      const std::size_t n_levels = 1 + random.below(5);
      for (std::size_t k = 0; k < n_levels; ++k) levels.levels.push_back("level " + std::to_string(k));
      for (std::size_t i = 0; i < table.n_rows; ++i)
        levels.codes.push_back(static_cast<std::int32_t>(random.below(n_levels)));
      column.data = std::move(levels);
    } else if (j > 0 && chance(random, 0.1)) {
      column.data = table.features[0].data;
    }
    if (!complete && chance(random, 0.25)) make_gaps(column, table.labels.codes, random);
    table.features.push_back(std::move(column));
  }
  if (chance(random, 0.15)) repeat_rows(table, 1 + random.below(3));
  if (chance(random, 0.15))
    for (std::size_t i = 0; i < table.n_rows; ++i)
      table.weights.push_back(complete ? static_cast<double>(1 + random.below(3)) : 0.1 + random.uniform());
  return table;
}

/// Options that go with each other, of any preset and method.
inline FitOptions awkward_options(Random& random, Engine engine) {
  constexpr std::array presets{Preset::automatic, Preset::paper};
  FitOptions o =
      preset_options(one_of(random, presets), static_cast<Method>(random.below(method_names.size())),
                     static_cast<Objective>(random.below(objective_names.size())));
  o.engine = engine;
  o.seed = random.below(1000);
  if (chance(random, 0.3)) o.feature_mode = static_cast<FeatureMode>(random.below(feature_mode_names.size()));
  if (chance(random, 0.3))
    o.bandwidth = static_cast<BandwidthRule>(random.below(bandwidth_rule_names.size()));
  if (chance(random, 0.3)) o.pairs = static_cast<PairRule>(random.below(pair_rule_names.size()));
  if (chance(random, 0.2)) o.calibration = static_cast<CalibrationRule>(random.below(3));
  if (chance(random, 0.2)) o.optimise = Objective::balanced;
  if (chance(random, 0.1)) o.cost = CostRule::cv;
  if (chance(random, 0.1)) o.grid = 16;
  if (chance(random, 0.1)) o.floor = 1e-300;
  if (chance(random, 0.1)) o.svm.C = one_of(random, std::array{1e-6, 1e6});
  o.svm.max_iterations = 2000;  // a million times the cost of a row may take ten million steps
  const bool average = o.settings == SettingsRule::average;
  if (chance(random, 0.2) && (average || engine == Engine::counts)) {
    o.svm.loss = one_of(random, std::array{Loss::squared_hinge, Loss::logistic});
    o.svm.penalty = static_cast<Penalty>(random.below(penalty_names.size()));
  } else if (chance(random, 0.2) && average) {
    o.multiclass = Multiclass::direct;
  } else if (chance(random, 0.1) && !average) {
    o.norm_bound = 2;
  }
  return applicable(o);
}

}  // namespace dyad::test
