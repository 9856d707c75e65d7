// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/level_terms.h"

#include <iterator>

#include "dyad/base/gather.h"
#include "dyad/base/vector_math.h"
#include "dyad/data/summary.h"
#include "dyad/terms/term_context.h"

namespace dyad {
namespace {

/// Numbers among fewer rows have no density of their own.
constexpr double fewest_cell_rows = 5;

LevelPart make_part(const TermContext& context, const TermKey& key, std::vector<std::size_t> places) {
  const ScaledClass& scaled = context.class_of(key);
  auto part = std::make_shared<PartRows>();
  part->rows = gather(scaled.rows, places);
  part->weights = gather(scaled.weights, places);
  part->places = std::move(places);
  part->x = scaled_column(gather(context.sample.X.column(key.i), part->rows), part->weights);
  if (key.is_pair())
    part->y = scaled_column(gather(context.sample.X.column(key.j), part->rows), part->weights);
  return {key, part, bin_rows(context, key, part->density_rows())};
}

/// The cell of a row with the values x and y; y is any number for one feature.
std::size_t cell_of(const LevelDensity& frame, double x, double y) {
  const bool is_pair = frame.y.n_levels > 1 || frame.y.is_number;
  return frame.x.level(x) * frame.y.n_levels + (is_pair ? frame.y.level(y) : 0);
}

/// Adds a weight to the counts of a cell, in all and of a fold; a fold behind the last one is none.
void count(std::size_t cell, std::size_t fold, double weight, std::vector<double>& counts,
           std::vector<std::vector<double>>& counts_in_folds) {
  counts[cell] += weight;
  if (fold < counts_in_folds.size()) counts_in_folds[fold][cell] += weight;
}

/// Counts rows in their cells; returns their places by cell.
std::vector<std::vector<std::size_t>> count_rows(BinnedLevels& binned, const LevelRows& rows) {
  std::vector<std::vector<std::size_t>> cells(binned.frame.n_cells());
  for (std::size_t k = 0; k < rows.x.size(); ++k) {
    const std::size_t cell = cell_of(binned.frame, rows.x[k], rows.y[k]);
    cells[cell].push_back(k);
    count(cell, rows.folds[k], rows.weights[k], binned.counts, binned.counts_in_folds);
  }
  return cells;
}

constexpr double log_of_impossible = -1e30;

double log_or_impossible(double share) { return share > 0 ? std::log(share) : log_of_impossible; }

std::vector<double> log_shares(std::span<const double> counts, const BinnedLevels& binned) {
  auto shares = level_shares(counts, binned.prior_x, binned.prior_y, binned.frame.level_rows);
  constexpr double least = std::numeric_limits<double>::min();
  std::vector<double> logarithms(shares.size());
  std::ranges::transform(shares, logarithms.begin(),
                         [](double share) { return share < least ? least : share; });
  take_logarithms(logarithms);
  for (std::size_t cell = 0; cell < shares.size(); ++cell)
    if (!(shares[cell] >= least)) logarithms[cell] = log_of_impossible;
  return logarithms;
}

/// The share of a cell without a row in it, one at most of those that its weight says.
double log_share_without_row(const FittedLevels& fitted, const TermContext& context, const TermKey& key,
                             std::size_t cell, double weight) {
  const LevelDensity& grid = fitted.grid;
  const std::size_t a = cell / grid.y.n_levels;
  const std::size_t b = cell % grid.y.n_levels;
  const double own = std::min(1.0, weight);
  const CellCounts counts{fitted.counts[cell] - own, fitted.counts_x[a] - own, fitted.counts_y[b] - own,
                          fitted.n_rows - own};
  return log_or_impossible(level_share(counts, context.stats.level_priors[key.i][a],
                                       key.is_pair() ? context.stats.level_priors[key.j][b] : 1,
                                       grid.x.n_levels > 1 && grid.y.n_levels > 1, grid.level_rows));
}

std::vector<double> difference(std::vector<double> from, std::span<const double> what) {
  std::ranges::transform(from, what, from.begin(), std::minus<>());
  return from;
}

std::vector<float> scaled(const Scaling& scaling, std::span<const double> x) {
  return scaled_column(x, scaling).values;
}

/// Corrects the values of those rows, given by their numbers x and y, that a part was fitted to.
void correct_own_rows(const FittedNumbers& part, const std::vector<std::size_t>& own,
                      const RowWeights& weights, std::span<const double> x, std::span<const double> y,
                      bool leave_out, std::span<double> values) {
  if (own.empty()) return;
  std::vector<float> own_x;
  std::vector<float> own_y;
  if (const auto* one = std::get_if<FittedGrid1d>(&part)) {
    own_x = scaled(one->grid.scaling, gather(x, own));
  } else if (const auto* two = std::get_if<FittedGrid2d>(&part)) {
    own_x = scaled(two->grid.frame.x, gather(x, own));
    own_y = scaled(two->grid.frame.y, gather(y, own));
  }
  auto own_values = gather(values, own);
  correct_own(part, {own_x, own_y, weights}, leave_out, own_values);
  for (std::size_t k = 0; k < own.size(); ++k) values[own[k]] = own_values[k];
}

/// Adds the rows at `places` to the counts of a part, by those of the term's features x and y that are
/// numbers in it.
void add_to_part(Binned& part, const LevelRows& rows, bool is_of_x, std::span<const std::size_t> places) {
  const auto& of_first = is_of_x ? rows.x : rows.y;
  const RowWeights weights = gather(rows.weights, places);
  if (const auto* const column = std::get_if<BinnedColumn>(&part)) {
    add_rows(part, scaled(column->scaling, gather(of_first, places)), {}, weights);
  } else if (const auto* const pair = std::get_if<BinnedPair>(&part)) {
    add_rows(part, scaled(pair->frame.x, gather(rows.x, places)),
             scaled(pair->frame.y, gather(rows.y, places)), weights);
  }
}

void add_counts(std::vector<double>& counts, std::span<const double> others) {
  std::ranges::transform(counts, others, counts.begin(), std::plus<>());
}

NumberDensity number_density(const FittedNumbers& fitted) {
  return {std::visit([](const auto& kind) -> decltype(NumberDensity::density) { return kind.grid; }, fitted),
          row_count(fitted)};
}

}  // namespace

BinnedLevels empty_levels(const TableStats& stats, const TermOptions& options, const TermKey& key) {
  return {.frame = {.x = stats.axes[key.i],
                    .y = key.is_pair() ? stats.axes[key.j] : LevelAxis{},
                    .level_rows = options.level_rows,
                    .prior_rows = options.prior_rows},
          .prior_x = stats.level_priors[key.i],
          .prior_y = key.is_pair() ? stats.level_priors[key.j] : std::vector<double>{1}};
}

BinnedLevels bin_levels(const TermContext& context, const TermKey& key) {
  const auto& class_rows = context.class_of(key).rows;
  const auto x = gather(context.sample.X.column(key.i), class_rows);
  const auto y = gather(context.sample.X.column(key.j), class_rows);
  const auto folds = gather(context.stats.level_folds, class_rows);
  BinnedLevels binned = empty_levels(context.stats, context.options, key);
  LevelDensity& frame = binned.frame;
  frame.cells.assign(frame.n_cells(), LevelDensity::none);
  binned.counts.assign(frame.n_cells(), 0);
  binned.counts_in_folds.assign(context.stats.n_level_folds, std::vector<double>(frame.n_cells()));
  auto cells = count_rows(binned, {x, y, context.class_of(key).weights, folds});

  const auto add_part = [&](const TermKey& of, std::vector<std::size_t> places) {
    binned.parts.push_back(make_part(context, of, std::move(places)));
    return binned.parts.size() - 1;
  };
  const auto add_margin = [&](std::size_t feature, const LevelAxis& axis, std::span<const double> values) {
    auto places = rows_with_value(values);
    if (!axis.is_number || places.empty()) return LevelDensity::none;
    return add_part({key.class_code, feature, feature}, std::move(places));
  };
  frame.margin_x = add_margin(key.i, frame.x, x);
  if (!key.is_pair()) return binned;
  frame.margin_y = add_margin(key.j, frame.y, y);
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    const bool has_x = frame.x.has_numbers(cell / frame.y.n_levels);
    const bool has_y = frame.y.has_numbers(cell % frame.y.n_levels);
    if (!(has_x || has_y) || binned.counts[cell] < fewest_cell_rows) continue;
    frame.cells[cell] =
        add_part({key.class_code, has_x ? key.i : key.j, has_y ? key.j : key.i}, std::move(cells[cell]));
  }
  return binned;
}

void add_rows(BinnedLevels& binned, const LevelRows& rows) {
  const LevelDensity& frame = binned.frame;
  const auto cells = count_rows(binned, rows);
  const auto add = [&](std::size_t part, bool is_of_x, std::span<const std::size_t> places) {
    if (part != LevelDensity::none) add_to_part(binned.parts[part].binned, rows, is_of_x, places);
  };
  add(frame.margin_x, true, rows_with_value(rows.x));
  add(frame.margin_y, false, rows_with_value(rows.y));
  for (std::size_t cell = 0; cell < frame.cells.size(); ++cell)
    add(frame.cells[cell], frame.x.has_numbers(cell / frame.y.n_levels), cells[cell]);
}

void clear(BinnedLevels& binned) {
  std::ranges::fill(binned.counts, 0);
  for (auto& of_fold : binned.counts_in_folds) std::ranges::fill(of_fold, 0);
  for (LevelPart& part : binned.parts) {
    clear(part.binned);
    part.rows = std::make_shared<PartRows>();
  }
}

void add(BinnedLevels& binned, const BinnedLevels& other) {
  add_counts(binned.counts, other.counts);
  for (std::size_t f = 0; f < binned.counts_in_folds.size(); ++f)
    add_counts(binned.counts_in_folds[f], other.counts_in_folds[f]);
  for (std::size_t p = 0; p < binned.parts.size(); ++p) add(binned.parts[p].binned, other.parts[p].binned);
}

FittedLevels smooth_levels(const BinnedLevels& binned, const TermContext& context, const TermKey& key,
                           std::span<const std::size_t> left_out) {
  const ScaledClass& scaled = context.class_of(key);
  const WeightsView weights = scaled.weights;
  auto counts = binned.counts;
  auto counts_in_folds = binned.counts_in_folds;
  FittedLevels fitted{.grid = binned.frame, .n_rows = context.n_of(key)};
  for (const std::size_t k : left_out) {
    const std::size_t row = scaled.rows[k];
    const std::size_t cell =
        cell_of(binned.frame, context.sample.X(row, key.i), context.sample.X(row, key.j));
    count(cell, context.stats.level_folds[row], -weights[k], counts, counts_in_folds);
    fitted.n_rows -= weights[k];
  }
  fitted.grid.log_shares = log_shares(counts, binned);
  fitted.counts_x.resize(binned.frame.x.n_levels);
  fitted.counts_y.resize(binned.frame.y.n_levels);
  for (std::size_t cell = 0; cell < counts.size(); ++cell) {
    fitted.counts_x[cell / fitted.counts_y.size()] += counts[cell];
    fitted.counts_y[cell % fitted.counts_y.size()] += counts[cell];
  }
  for (const auto& of_fold : counts_in_folds)
    fitted.log_shares_without.push_back(log_shares(difference(counts, of_fold), binned));
  fitted.counts = std::move(counts);

  std::vector<std::size_t> new_part(binned.parts.size(), LevelDensity::none);
  for (std::size_t p = 0; p < binned.parts.size(); ++p) {
    const LevelPart& part = binned.parts[p];
    const auto& places = part.rows->places;
    std::vector<std::size_t> out_of_part;
    for (const std::size_t k : left_out)
      if (const auto at = std::ranges::lower_bound(places, k); at != places.end() && *at == k)
        out_of_part.push_back(static_cast<std::size_t>(at - places.begin()));
    if (!out_of_part.empty() && out_of_part.size() == places.size()) continue;
    new_part[p] = fitted.parts.size();
    fitted.parts.push_back(out_of_part.empty()
                               ? smoothed(part.binned)
                               : smooth_without(part.binned, part.rows->density_rows(), out_of_part));
    fitted.grid.parts.push_back(number_density(fitted.parts.back()));
  }
  const auto renumber = [&](std::size_t& part) {
    if (part != LevelDensity::none) part = new_part[part];
  };
  renumber(fitted.grid.margin_x);
  renumber(fitted.grid.margin_y);
  std::ranges::for_each(fitted.grid.cells, renumber);
  return fitted;
}

bool has_levels_alone(const FittedLevels& fitted) {
  return fitted.parts.empty() && !fitted.grid.x.is_number && !fitted.grid.y.is_number;
}

std::vector<std::uint32_t> cells_of_levels(const LevelDensity& frame, std::span<const double> x,
                                           std::span<const double> y) {
  std::vector<std::uint32_t> cells(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    const std::size_t a = frame.x.level(x[i]);
    const std::size_t b = frame.y.n_levels > 1 ? frame.y.level(y[i]) : 0;
    const bool is_known = a < frame.x.n_levels && b < frame.y.n_levels;
    cells[i] = static_cast<std::uint32_t>(is_known ? a * frame.y.n_levels + b : frame.n_cells());
  }
  return cells;
}

void values_of_cells(const FittedLevels& fitted, const TermContext& context,
                     std::span<const std::uint32_t> cells, bool leaves_folds_out, std::span<double> out) {
  const std::size_t n_folds = leaves_folds_out ? context.stats.n_level_folds : 0;
  std::vector<std::vector<double>> of_fold(
      fitted.log_shares_without.begin(),
      fitted.log_shares_without.begin() + static_cast<std::ptrdiff_t>(n_folds));
  of_fold.push_back(fitted.grid.log_shares);
  for (auto& of_cells : of_fold) of_cells.push_back(std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < cells.size(); ++i)
    out[i] = of_fold[std::min(context.stats.level_folds[i], n_folds)][cells[i]];
}

void level_values(const FittedLevels& fitted, const TermContext& context, const TermKey& key,
                  const AskedRows& asked, LeftOut left_out, std::span<double> out) {
  const auto x = gather(context.sample.X.column(key.i), asked.rows);
  const auto y = gather(context.sample.X.column(key.j), asked.rows);
  const bool leaves_row_out =
      left_out == LeftOut::row || (left_out == LeftOut::row_of_pairs && key.is_pair());
  const auto log_share = [&](std::size_t k, std::size_t cell) {
    const std::size_t row = asked.rows[k];
    const std::size_t fold = context.stats.level_folds[row];
    if (leaves_row_out && asked.own[k])
      return log_share_without_row(fitted, context, key, cell, WeightsView(context.sample.weights)[row]);
    if (left_out == LeftOut::row_and_fold && fold < context.stats.n_level_folds)
      return fitted.log_shares_without[fold][cell];
    return fitted.grid.log_shares[cell];
  };
  const auto values_of_part = [&](std::size_t p, std::span<const std::size_t> which,
                                  std::span<const double> xs, std::span<const double> ys,
                                  std::span<double> values) {
    std::vector<std::size_t> own;
    std::vector<std::size_t> own_rows;
    for (std::size_t k = 0; k < which.size(); ++k) {
      if (!asked.own[which[k]]) continue;
      own.push_back(k);
      own_rows.push_back(asked.rows[which[k]]);
    }
    evaluate(fitted.parts[p], xs, ys, values);
    correct_own_rows(fitted.parts[p], own, gather(context.sample.weights, own_rows), xs, ys,
                     left_out != LeftOut::nothing, values);
  };
  combine_parts(fitted.grid, x, y, log_share, values_of_part, out);
}

}  // namespace dyad
