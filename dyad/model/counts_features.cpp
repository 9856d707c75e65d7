// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/model/counts_features.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <variant>

#include "dyad/base/stopwatch.h"
#include "dyad/data/folds.h"
#include "dyad/data/scaled_column.h"
#include "dyad/data/summary.h"

namespace dyad {
namespace {

/// The rows of one class with its features scaled.
struct ScaledClass {
  std::vector<std::size_t> rows;      ///< ascending
  std::vector<ScaledColumn> columns;  ///< one a feature, values in the order of `rows`
};

/// What all terms of a fit share.
struct Ground {
  const LabelledSample& sample;
  std::vector<ScaledClass> classes;
  std::vector<double> log_spread;  ///< of each feature, over all rows
  const FitOptions& options;

  [[nodiscard]] const ScaledClass& class_of(const TermPlace& place) const {
    return classes[static_cast<std::size_t>(place.class_code)];
  }
};

Ground make_ground(const LabelledSample& sample, const FitOptions& options, const Execution& execution) {
  const std::size_t d = sample.n_features();
  Ground ground{sample, std::vector<ScaledClass>(sample.n_classes), std::vector<double>(d), options};
  for (std::size_t i = 0; i < sample.n_rows(); ++i)
    ground.classes[static_cast<std::size_t>(sample.y[i])].rows.push_back(i);
  for (ScaledClass& scaled : ground.classes) scaled.columns.resize(d);
  parallel_for(d, execution, {}, [&](std::size_t j) {
    ground.log_spread[j] = std::log(positive_spread(sample.X.column(j)));
    for (ScaledClass& scaled : ground.classes)
      scaled.columns[j] = scaled_column(sample.X.column(j), scaled.rows);
  });
  return ground;
}

/// A feature some of whose rows lie so far from the others that no axis holds them all.
struct ColumnOfPoints {
  std::vector<double> x;
  double bandwidth = 1;  ///< in the feature's units
};

/// A pair of few rows in tails so long that a table would be larger, and less exact, than sums over the rows.
struct PairOfPoints {
  std::vector<double> x;
  std::vector<double> y;
  Scaling scaling_x;
  Scaling scaling_y;
  ShearedKernel kernel;
};

/// A density by sums over points; the member is named as in the other alternatives of FittedGrid.
template <class Kde>
struct FittedPoints {
  Kde grid;
  double log_own = 0;  ///< log of what a row adds to the density at its own place
  double n_rows = 0;
};

/// The values ascending, or `most_column_points` evenly spaced ones of them.
constexpr std::size_t most_column_points = 2000;
std::vector<double> few_sorted(std::vector<double> x) {
  std::ranges::sort(x);
  if (x.size() <= most_column_points) return x;
  std::vector<double> few(most_column_points);
  for (std::size_t k = 0; k < few.size(); ++k) few[k] = x[(2 * k + 1) * x.size() / (2 * few.size())];
  return few;
}

FittedPoints<Kde1d> smooth(const ColumnOfPoints& column, double factor = 1) {
  const double bandwidth = factor * column.bandwidth;
  const auto n = static_cast<double>(column.x.size());
  return {make_kde1d(few_sorted(column.x), bandwidth),
          -std::log(n * std::sqrt(2 * std::numbers::pi)) - std::log(bandwidth), n};
}

FittedPoints<Kde2d> smooth(const PairOfPoints& pair, double factor = 1) {
  const double sx = pair.scaling_x.scale;
  const double sy = pair.scaling_y.scale;
  const ShearedKernel kernel{pair.kernel.shear, factor * pair.kernel.h_u, factor * pair.kernel.h_v};
  const auto n = static_cast<double>(pair.x.size());
  return {make_kde2d(pair.x, pair.y, matrix_of(kernel), sx, sy),
          -std::log(n * 2 * std::numbers::pi * kernel.h_u * kernel.h_v) - std::log(sx) - std::log(sy), n};
}

/// log(n f - own) / (n - 1) from log f: the row's own kernel has the same height at any place.
template <class Kde>
void leave_out_own(const FittedPoints<Kde>& fitted, std::span<double> values) {
  const double n = fitted.n_rows;
  for (double& value : values) {
    const double rest = std::expm1(value - fitted.log_own);
    value = n > 1 && rest > 1e-10 ? fitted.log_own + std::log(rest * n / (n - 1)) : -1e30;
  }
}

using FittedGrid = std::variant<FittedGrid1d, FittedGrid2d, FittedPoints<Kde1d>, FittedPoints<Kde2d>>;
using Binned = std::variant<BinnedColumn, BinnedPair, ColumnOfPoints, PairOfPoints>;

constexpr std::size_t most_points = 1000;
constexpr std::size_t nodes_worth_points = std::size_t{128} * 128;

std::vector<double> picked(std::span<const double> values, std::span<const std::size_t> rows) {
  std::vector<double> result(rows.size());
  std::ranges::transform(rows, result.begin(), [&](std::size_t row) { return values[row]; });
  return result;
}

Binned bin_term(const Ground& ground, const TermPlace& place) {
  const auto grid = static_cast<std::size_t>(ground.options.grid);
  const BandwidthRule rule = ground.options.bandwidth;
  const ScaledClass& scaled = ground.class_of(place);
  const ScaledColumn& x = scaled.columns[place.i];
  if (place.i == place.j) {
    BinnedColumn binned = bin_column(x, counts_bandwidth_1d(x, rule), grid);
    if (binned.n_inside == binned.n_rows) return binned;
    ColumnOfPoints points{picked(ground.sample.X.column(place.i), scaled.rows)};
    const auto few = few_sorted(points.x);
    points.bandwidth = bandwidth_1d(few, rule) *
                       std::pow(static_cast<double>(few.size()) / static_cast<double>(points.x.size()), 0.2);
    return points;
  }
  const ScaledColumn& y = scaled.columns[place.j];
  const ShearedKernel kernel = counts_bandwidth_2d(x, y, rule);
  const Frame2d frame = make_frame(x, y, kernel, grid);
  if (scaled.rows.size() <= most_points && frame.u.size * frame.v.size > nodes_worth_points)
    return PairOfPoints{picked(ground.sample.X.column(place.i), scaled.rows),
                        picked(ground.sample.X.column(place.j), scaled.rows), x.scaling, y.scaling, kernel};
  return bin_pair(frame, x.values, y.values);
}

FittedGrid smooth_term(const Binned& binned) {
  return std::visit([](const auto& all) { return FittedGrid(smooth(all)); }, binned);
}

std::vector<float> picked(std::span<const float> values, std::span<const std::size_t> places) {
  std::vector<float> result(places.size());
  std::ranges::transform(places, result.begin(), [&](std::size_t place) { return values[place]; });
  return result;
}

/// `values` without those at the ascending places.
std::vector<double> without(std::span<const double> values, std::span<const std::size_t> places) {
  std::vector<double> rest;
  auto next = places.begin();
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (next != places.end() && *next == k)
      ++next;
    else
      rest.push_back(values[k]);
  }
  return rest;
}

/// The density without the rows at `left_out` (ascending places in ScaledClass::rows), by subtraction.
FittedGrid smooth_without(const Binned& binned, const Ground& ground, const TermPlace& place,
                          std::span<const std::size_t> left_out) {
  const ScaledClass& scaled = ground.class_of(place);
  const auto x = picked(scaled.columns[place.i].values, left_out);
  const auto growth = [&](std::size_t n_rows, double power) {
    return std::pow(static_cast<double>(scaled.rows.size()) / static_cast<double>(n_rows), power);
  };
  if (const auto* column = std::get_if<BinnedColumn>(&binned)) {
    BinnedColumn rest = *column;
    rest.n_rows -= left_out.size();
    rest.n_inside = rest.n_rows;
    const auto part = counts_on(rest.axis, x).counts;
    std::ranges::transform(rest.counts, part, rest.counts.begin(), std::minus<>());
    return smooth(rest, growth(rest.n_rows, 1.0 / 5));
  }
  if (const auto* points = std::get_if<ColumnOfPoints>(&binned)) {
    ColumnOfPoints rest{without(points->x, left_out), points->bandwidth};
    return smooth(rest, growth(rest.x.size(), 1.0 / 5));
  }
  if (const auto* points = std::get_if<PairOfPoints>(&binned)) {
    PairOfPoints rest = *points;
    rest.x = without(rest.x, left_out);
    rest.y = without(rest.y, left_out);
    return smooth(rest, growth(rest.x.size(), 1.0 / 6));
  }
  BinnedPair rest = std::get<BinnedPair>(binned);
  rest.n_rows -= left_out.size();
  const auto y = picked(scaled.columns[place.j].values, left_out);
  const PlacedRows placed = place_rows(rest.frame, x, y);
  PairCounts part(rest.counts.n_x(), rest.counts.n_y());
  part.fill_quadratic(placed.u, placed.v);
  rest.counts -= part;
  return smooth(rest, growth(rest.n_rows, 1.0 / 6));
}

double floor_of(const Ground& ground, const TermPlace& place) {
  return std::log(ground.options.floor) - ground.log_spread[place.i] -
         (place.i != place.j ? ground.log_spread[place.j] : 0);
}

Term make_term(const Ground& ground, const TermPlace& place, const FittedGrid& fitted) {
  Term term{.class_code = place.class_code, .i = place.i, .j = place.j, .floor = floor_of(ground, place)};
  term.density = std::visit([](const auto& of) { return Density(of.grid); }, fitted);
  return term;
}

/// Log densities of rows given by their values of the term's features; no floor.
void evaluate(const FittedGrid& fitted, std::span<const double> x, std::span<const double> y,
              std::span<double> out) {
  std::visit(
      [&](const auto& of) {
        if constexpr (requires { log_density(of.grid, x, y, out); })
          log_density(of.grid, x, y, out);
        else
          log_density(of.grid, x, out);
      },
      fitted);
}

/// Corrects the values of rows that the density was fitted to, given by their scaled features.
void correct_own(const FittedGrid& fitted, std::span<const float> x, std::span<const float> y, bool leave_out,
                 std::span<double> values) {
  if (const auto* one = std::get_if<FittedGrid1d>(&fitted))
    leave_out ? leave_out_own(*one, x, values) : add_own_beyond_axis(*one, x, values);
  else if (const auto* two = std::get_if<FittedGrid2d>(&fitted))
    leave_out ? leave_out_own(*two, x, y, values) : add_own_beyond_axes(*two, x, y, values);
  else if (const auto* column = std::get_if<FittedPoints<Kde1d>>(&fitted); column != nullptr && leave_out)
    leave_out_own(*column, values);
  else if (const auto* pair = std::get_if<FittedPoints<Kde2d>>(&fitted); pair != nullptr && leave_out)
    leave_out_own(*pair, values);
}

constexpr std::size_t block_rows = Located::most;
using BlockValues = std::array<double, block_rows>;

/// The places within ScaledClass::rows of the rows first .. first + count - 1 that belong to the class.
struct OwnRange {
  std::size_t begin, end;
};
OwnRange own_range(const ScaledClass& scaled, std::size_t first, std::size_t count) {
  const auto begin = std::ranges::lower_bound(scaled.rows, first);
  const auto end = std::lower_bound(begin, scaled.rows.end(), first + count);
  return {static_cast<std::size_t>(begin - scaled.rows.begin()),
          static_cast<std::size_t>(end - scaled.rows.begin())};
}

/// Log densities of the rows first .. first + count - 1 of X.
void new_values(const TermPlace& place, const FittedGrid& fitted, const Matrix& X, std::size_t first,
                std::size_t count, BlockValues& out) {
  evaluate(fitted, X.column(place.i).subspan(first, count), X.column(place.j).subspan(first, count),
           {out.data(), count});
}

/// The same for rows of the sample; those of the term's class for which is_own(row) holds are rows that the density was fitted to.
template <class IsOwn>
void training_values(const Ground& ground, const TermPlace& place, const FittedGrid& fitted,
                     std::size_t first, std::size_t count, const IsOwn& is_own, bool leave_out,
                     BlockValues& out) {
  new_values(place, fitted, ground.sample.X, first, count, out);
  const ScaledClass& scaled = ground.class_of(place);
  std::array<float, block_rows> x;
  std::array<float, block_rows> y;
  std::array<std::size_t, block_rows> at;
  BlockValues own_values;
  std::size_t n_own = 0;
  const OwnRange range = own_range(scaled, first, count);
  for (std::size_t k = range.begin; k < range.end; ++k) {
    if (!is_own(scaled.rows[k])) continue;
    x[n_own] = scaled.columns[place.i].values[k];
    y[n_own] = scaled.columns[place.j].values[k];
    at[n_own] = scaled.rows[k] - first;
    own_values[n_own] = out[at[n_own]];
    ++n_own;
  }
  correct_own(fitted, {x.data(), n_own}, {y.data(), n_own}, leave_out, {own_values.data(), n_own});
  for (std::size_t k = 0; k < n_own; ++k) out[at[k]] = own_values[k];
}

/// Terms whose values share the cache lines of a matrix.
constexpr std::size_t terms_at_once = FloatRows::line;

/// Writes the values of one block of rows of consecutive terms.
class LineWriter {
 public:
  void set(std::size_t term, const BlockValues& values, double floor, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i)
      block_[i * terms_at_once + term] = static_cast<float>(std::max(values[i], floor));
  }
  void write(FloatRows& to, std::size_t first_row, std::size_t count, std::size_t first_column,
             std::size_t n_columns) const {
    for (std::size_t i = 0; i < count; ++i)
      std::copy_n(block_.data() + i * terms_at_once, n_columns, to.row(first_row + i).data() + first_column);
  }

 private:
  std::array<float, block_rows * terms_at_once> block_;
};

/// The rows of each class by part, as places in ScaledClass::rows.
std::vector<std::vector<std::vector<std::size_t>>> rows_by_part(const Ground& ground,
                                                                std::span<const std::size_t> part_of_row,
                                                                std::size_t n_parts) {
  std::vector<std::vector<std::vector<std::size_t>>> result;
  for (const ScaledClass& scaled : ground.classes) {
    result.emplace_back(n_parts);
    for (std::size_t k = 0; n_parts > 0 && k < scaled.rows.size(); ++k)
      result.back()[part_of_row[scaled.rows[k]]].push_back(k);
  }
  return result;
}

/// Rows to calibrate on: all if they are few, else evenly spaced ones of each class.
std::vector<std::size_t> rows_to_hold_out(std::span<const std::int32_t> y, std::size_t n_terms) {
  constexpr std::size_t most_rows = 5000;
  constexpr std::size_t most_values = std::size_t{1} << 23U;
  const std::size_t most =
      std::min(most_rows, std::max<std::size_t>(500, most_values / std::max<std::size_t>(1, n_terms)));
  std::vector<std::size_t> rows(y.size());
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = i;
  if (rows.size() <= most) return rows;
  std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return y[row]; });
  std::vector<std::size_t> chosen(most);
  for (std::size_t k = 0; k < most; ++k) chosen[k] = rows[k * rows.size() / most];
  std::ranges::sort(chosen);
  return chosen;
}

/// Rows to hold out, and which of them belong to each class.
struct HeldOut {
  std::vector<std::size_t> rows;
  struct Own {
    std::vector<std::size_t> places;    ///< in `rows`
    std::vector<std::size_t> in_class;  ///< the same rows' places in ScaledClass::rows
  };
  std::vector<Own> own;  ///< of each class
};

HeldOut hold_out(const Ground& ground, std::vector<std::size_t> rows) {
  HeldOut result{std::move(rows), std::vector<HeldOut::Own>(ground.classes.size())};
  for (std::size_t k = 0; k < result.rows.size(); ++k) {
    const auto c = static_cast<std::size_t>(ground.sample.y[result.rows[k]]);
    const auto& class_rows = ground.classes[c].rows;
    result.own[c].places.push_back(k);
    result.own[c].in_class.push_back(
        static_cast<std::size_t>(std::ranges::lower_bound(class_rows, result.rows[k]) - class_rows.begin()));
  }
  return result;
}

/// Leave-one-out values of held-out rows of the sample that the density was fitted to.
std::vector<double> held_out_values(const Ground& ground, const TermPlace& place, const FittedGrid& fitted,
                                    const HeldOut& held_out) {
  std::vector<double> values(held_out.rows.size());
  evaluate(fitted, picked(ground.sample.X.column(place.i), held_out.rows),
           picked(ground.sample.X.column(place.j), held_out.rows), values);
  const ScaledClass& scaled = ground.class_of(place);
  const HeldOut::Own& own = held_out.own[static_cast<std::size_t>(place.class_code)];
  auto own_values = picked(std::span<const double>(values), own.places);
  correct_own(fitted, picked(scaled.columns[place.i].values, own.in_class),
              picked(scaled.columns[place.j].values, own.in_class), true, own_values);
  for (std::size_t k = 0; k < own_values.size(); ++k) values[own.places[k]] = own_values[k];
  return values;
}

/// Groups of terms that share cache lines, in parallel.
void for_groups(std::size_t n_terms, const Execution& execution, std::string_view step,
                const std::function<void(std::size_t first, std::size_t count)>& body) {
  parallel_for((n_terms + terms_at_once - 1) / terms_at_once, execution, step, [&](std::size_t group) {
    const std::size_t first = group * terms_at_once;
    body(first, std::min(terms_at_once, n_terms - first));
  });
}

/// Calls body(first, count) for blocks of n rows.
template <class Body>
void for_blocks(std::size_t n, const Body& body) {
  for (std::size_t first = 0; first < n; first += block_rows) body(first, std::min(block_rows, n - first));
}

}  // namespace

std::vector<Term> counts_terms(const LabelledSample& sample, std::span<const TermPlace> places,
                               const FitOptions& options, const Execution& execution) {
  const Ground ground = make_ground(sample, options, execution);
  std::vector<Term> terms(places.size());
  parallel_for(places.size(), execution, "densities", [&](std::size_t t) {
    terms[t] = make_term(ground, places[t], smooth_term(bin_term(ground, places[t])));
  });
  return terms;
}

CountsFeatures counts_training_features(const LabelledSample& sample, std::span<const TermPlace> places,
                                        const FitOptions& options, const Execution& execution,
                                        FitReport& report) {
  const Stopwatch watch(report.density);
  const FeatureMode mode = options.feature_mode;
  const bool split = mode == FeatureMode::split;
  const Roles roles = roles_of_rows(sample, options);
  const LabelledSample density_half = split ? rows_of(sample, roles.density_rows) : LabelledSample{};
  const LabelledSample weight_half = split ? rows_of(sample, roles.weight_rows) : LabelledSample{};
  const LabelledSample& weight_sample = split ? weight_half : sample;
  const Ground ground = make_ground(split ? density_half : sample, options, execution);

  const auto held_out_rows = rows_to_hold_out(weight_sample.y, places.size());
  const HeldOut held_out = split ? HeldOut{} : hold_out(ground, held_out_rows);
  CountsFeatures result{std::vector<Term>(places.size()), FloatRows(weight_sample.n_rows(), places.size()),
                        roles.weight_rows, held_out_rows, FloatRows(held_out_rows.size(), places.size())};
  const std::size_t n_folds =
      mode == FeatureMode::cross_fit ? static_cast<std::size_t>(options.cross_fit_folds) : 0;
  std::vector<std::size_t> folds;
  if (n_folds > 0) folds = stratified_folds(sample.y, n_folds, options.seed);
  const auto parts = rows_by_part(ground, folds, n_folds);
  const auto is_own = [](std::size_t) { return true; };

  for_groups(places.size(), execution, "features", [&](std::size_t first_term, std::size_t n_terms) {
    std::vector<FittedGrid> fitted(n_terms);
    std::vector<std::vector<FittedGrid>> without(n_terms);
    for (std::size_t t = 0; t < n_terms; ++t) {
      const TermPlace& place = places[first_term + t];
      const Binned binned = bin_term(ground, place);
      fitted[t] = smooth_term(binned);
      result.terms[first_term + t] = make_term(ground, place, fitted[t]);
      for (std::size_t k = 0; k < n_folds; ++k)
        without[t].push_back(
            smooth_without(binned, ground, place, parts[static_cast<std::size_t>(place.class_code)][k]));
    }
    LineWriter lines;
    BlockValues values;
    BlockValues of_fold;
    for_blocks(weight_sample.n_rows(), [&](std::size_t first, std::size_t count) {
      for (std::size_t t = 0; t < n_terms; ++t) {
        const TermPlace& place = places[first_term + t];
        if (split) new_values(place, fitted[t], weight_sample.X, first, count, values);
        for (std::size_t k = 0; k < n_folds; ++k) {
          new_values(place, without[t][k], sample.X, first, count, of_fold);
          for (std::size_t i = 0; i < count; ++i)
            if (folds[first + i] == k) values[i] = of_fold[i];
        }
        if (!split && n_folds == 0)
          training_values(ground, place, fitted[t], first, count, is_own, mode == FeatureMode::leave_one_out,
                          values);
        lines.set(t, values, result.terms[first_term + t].floor, count);
      }
      lines.write(result.values, first, count, first_term, n_terms);
    });
    if (mode != FeatureMode::resubstitution) return;
    for (std::size_t t = 0; t < n_terms; ++t) {
      const auto column = held_out_values(ground, places[first_term + t], fitted[t], held_out);
      for (std::size_t k = 0; k < column.size(); ++k)
        result.held_out.row(k)[first_term + t] =
            static_cast<float>(std::max(column[k], result.terms[first_term + t].floor));
    }
  });
  if (mode != FeatureMode::resubstitution)
    for (std::size_t k = 0; k < held_out_rows.size(); ++k)
      std::ranges::copy(result.values.row(held_out_rows[k]), result.held_out.row(k).begin());
  return result;
}

std::vector<FloatRows> counts_fold_values(const LabelledSample& sample, std::span<const TermPlace> places,
                                          std::span<const std::size_t> folds, std::size_t n_folds,
                                          std::span<const std::vector<std::size_t>> columns,
                                          const FitOptions& options, const Execution& execution) {
  const Ground ground = make_ground(sample, options, execution);
  const auto parts = rows_by_part(ground, folds, n_folds);
  const bool leave_out = options.feature_mode != FeatureMode::resubstitution;
  std::vector<FloatRows> values;
  for (std::size_t k = 0; k < n_folds; ++k) values.emplace_back(sample.n_rows(), places.size());
  parallel_for(places.size(), execution, "features", [&](std::size_t t) {
    const TermPlace& place = places[t];
    const Binned binned = bin_term(ground, place);
    const double floor = floor_of(ground, place);
    BlockValues block;
    for (std::size_t k = 0; k < n_folds; ++k) {
      const auto fitted =
          smooth_without(binned, ground, place, parts[static_cast<std::size_t>(place.class_code)][k]);
      const auto is_own = [&](std::size_t row) { return folds[row] != k; };
      for_blocks(sample.n_rows(), [&](std::size_t first, std::size_t count) {
        training_values(ground, place, fitted, first, count, is_own, leave_out, block);
        for (std::size_t i = 0; i < count; ++i)
          values[k].row(first + i)[columns[k][t]] = static_cast<float>(std::max(block[i], floor));
      });
    }
  });
  return values;
}

}  // namespace dyad
