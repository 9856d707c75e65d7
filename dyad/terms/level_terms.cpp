// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/level_terms.h"

#include <iterator>

#include "dyad/base/gather.h"
#include "dyad/terms/term_context.h"

namespace dyad {
namespace {

/// Numbers among fewer rows have no density of their own.
constexpr double fewest_rows = 5;

/// The axis of what a term of one feature has in place of a second.
constexpr LevelAxis no_second{};

std::unique_ptr<LevelPart> make_part(const TermContext& context, const TermKey& key,
                                     std::vector<std::size_t> places) {
  const ScaledClass& scaled = context.class_of(key);
  auto part = std::make_unique<LevelPart>();
  part->key = key;
  part->rows = gather(scaled.rows, places);
  part->weights = gather(scaled.weights, places);
  part->places = std::move(places);
  part->x = scaled_column(gather(context.sample.X.column(key.i), part->rows), part->weights);
  if (key.is_pair())
    part->y = scaled_column(gather(context.sample.X.column(key.j), part->rows), part->weights);
  part->binned = bin_rows(context, key, part->density_rows());
  return part;
}

/// Builds a term part by part.
class Builder {
 public:
  Builder(const TermContext& context, const TermKey& key)
      : context_(context), key_(key), scaled_(context.class_of(key)) {
    LevelDensity& frame = binned_.frame;
    frame.x = context.stats.axes[key.i];
    frame.y = key.is_pair() ? context.stats.axes[key.j] : no_second;
    frame.level_rows = context.options.level_rows;
    frame.prior_rows = context.options.prior_rows;
    frame.cells.assign(frame.n_cells(), LevelDensity::none);
    binned_.prior_x = context.stats.level_priors[key.i];
    binned_.prior_y = key.is_pair() ? context.stats.level_priors[key.j] : std::vector<double>{1};
  }

  BinnedLevels build() {
    count();
    add_margin(key_.i, binned_.frame.x, binned_.frame.margin_x);
    if (!key_.is_pair()) return std::move(binned_);
    add_margin(key_.j, binned_.frame.y, binned_.frame.margin_y);
    for (std::size_t cell = 0; cell < cells_.size(); ++cell) add_cell(cell);
    return std::move(binned_);
  }

 private:
  [[nodiscard]] std::size_t level_y(std::size_t row) const {
    return key_.is_pair() ? binned_.frame.y.level(context_.sample.X(row, key_.j)) : 0;
  }

  void count() {
    const LevelDensity& frame = binned_.frame;
    const WeightsView weights = scaled_.weights;
    binned_.counts.assign(frame.n_cells(), 0);
    binned_.counts_in_folds.assign(context_.stats.n_level_folds, std::vector<double>(frame.n_cells()));
    cells_.resize(frame.n_cells());
    for (std::size_t k = 0; k < scaled_.rows.size(); ++k) {
      const std::size_t row = scaled_.rows[k];
      const std::size_t cell =
          frame.x.level(context_.sample.X(row, key_.i)) * frame.y.n_levels + level_y(row);
      cells_[cell].push_back(k);
      binned_.counts[cell] += weights[k];
      if (context_.stats.level_folds[row] < context_.stats.n_level_folds)
        binned_.counts_in_folds[context_.stats.level_folds[row]][cell] += weights[k];
    }
  }

  std::size_t add_part(const TermKey& key, std::vector<std::size_t> places) {
    binned_.parts.push_back(make_part(context_, key, std::move(places)));
    return binned_.parts.size() - 1;
  }

  /// The density of all numbers of a feature.
  void add_margin(std::size_t feature, const LevelAxis& axis, std::size_t& margin) {
    if (!axis.is_number) return;
    std::vector<std::size_t> places;
    for (std::size_t k = 0; k < scaled_.rows.size(); ++k)
      if (!std::isnan(context_.sample.X(scaled_.rows[k], feature))) places.push_back(k);
    if (!places.empty()) margin = add_part({key_.class_code, feature, feature}, std::move(places));
  }

  /// The density of the numbers among the rows of a cell.
  void add_cell(std::size_t cell) {
    const LevelDensity& frame = binned_.frame;
    const bool has_x = frame.x.has_numbers(cell / frame.y.n_levels);
    const bool has_y = frame.y.has_numbers(cell % frame.y.n_levels);
    if (!(has_x || has_y) || binned_.counts[cell] < fewest_rows) return;
    const TermKey key{key_.class_code, has_x ? key_.i : key_.j, has_y ? key_.j : key_.i};
    binned_.frame.cells[cell] = add_part(key, std::move(cells_[cell]));
  }

  const TermContext& context_;
  const TermKey& key_;
  const ScaledClass& scaled_;
  BinnedLevels binned_;
  std::vector<std::vector<std::size_t>> cells_;  ///< places in the class's rows
};

double log_or_impossible(double share) { return share > 0 ? std::log(share) : -1e30; }

std::vector<double> log_shares(std::span<const double> counts, const BinnedLevels& binned) {
  auto shares = level_shares(counts, binned.prior_x, binned.prior_y, binned.frame.level_rows);
  std::ranges::transform(shares, shares.begin(), log_or_impossible);
  return shares;
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
  std::vector<float> values(x.size());
  std::ranges::transform(x, values.begin(), [&](double value) { return static_cast<float>(scaling(value)); });
  return values;
}

/// Corrects the values of those rows, given by their numbers x and y, that a part was fitted to.
void correct_own_rows(const FittedNumbers& part, const std::vector<std::size_t>& own,
                      const RowWeights& weights, std::span<const double> x, std::span<const double> y,
                      bool leave_out, std::span<double> values) {
  if (own.empty()) return;
  std::vector<float> own_x(own.size());
  std::vector<float> own_y(own.size());
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

/// The cell of a row of the term's class.
std::size_t cell_of(const LevelDensity& frame, const TermContext& context, const TermKey& key,
                    std::size_t row) {
  const std::size_t b = key.is_pair() ? frame.y.level(context.sample.X(row, key.j)) : 0;
  return frame.x.level(context.sample.X(row, key.i)) * frame.y.n_levels + b;
}

/// Adds the rows at `places` to the counts of a part, by those of the term's features x and y that are numbers in it.
void add_to_part(LevelPart& part, const LevelRows& rows, bool is_of_x, std::span<const std::size_t> places) {
  const auto& of_first = is_of_x ? rows.x : rows.y;
  const RowWeights weights = gather(rows.weights, places);
  if (const auto* const column = std::get_if<BinnedColumn>(&part.binned)) {
    add_rows(part.binned, scaled(column->scaling, gather(of_first, places)), {}, weights);
  } else if (const auto* const pair = std::get_if<BinnedPair>(&part.binned)) {
    add_rows(part.binned, scaled(pair->frame.x, gather(rows.x, places)),
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

BinnedLevels::BinnedLevels(const BinnedLevels& other)
    : frame(other.frame),
      prior_x(other.prior_x),
      prior_y(other.prior_y),
      counts(other.counts),
      counts_in_folds(other.counts_in_folds) {
  for (const auto& part : other.parts) {
    parts.push_back(std::make_unique<LevelPart>(*part));
    parts.back()->x.weights = parts.back()->weights;
    parts.back()->y.weights = parts.back()->weights;
  }
}

BinnedLevels& BinnedLevels::operator=(const BinnedLevels& other) { return *this = BinnedLevels(other); }

BinnedLevels bin_levels(const TermContext& context, const TermKey& key) {
  return Builder(context, key).build();
}

void add_rows(BinnedLevels& binned, const LevelRows& rows) {
  const LevelDensity& frame = binned.frame;
  std::vector<std::vector<std::size_t>> cells(frame.n_cells());
  std::vector<std::size_t> numbers_x;
  std::vector<std::size_t> numbers_y;
  const bool is_pair = frame.y.n_levels > 1 || frame.y.is_number;
  for (std::size_t k = 0; k < rows.x.size(); ++k) {
    const std::size_t a = frame.x.level(rows.x[k]);
    const std::size_t b = is_pair ? frame.y.level(rows.y[k]) : 0;
    const std::size_t cell = a * frame.y.n_levels + b;
    cells[cell].push_back(k);
    binned.counts[cell] += rows.weights[k];
    binned.counts_in_folds[rows.folds[k]][cell] += rows.weights[k];
    if (frame.x.has_numbers(a)) numbers_x.push_back(k);
    if (frame.y.has_numbers(b)) numbers_y.push_back(k);
  }
  if (frame.margin_x != LevelDensity::none) add_to_part(*binned.parts[frame.margin_x], rows, true, numbers_x);
  if (frame.margin_y != LevelDensity::none)
    add_to_part(*binned.parts[frame.margin_y], rows, false, numbers_y);
  for (std::size_t cell = 0; cell < frame.cells.size(); ++cell)
    if (frame.cells[cell] != LevelDensity::none)
      add_to_part(*binned.parts[frame.cells[cell]], rows, frame.x.has_numbers(cell / frame.y.n_levels),
                  cells[cell]);
}

void clear(BinnedLevels& binned) {
  std::ranges::fill(binned.counts, 0);
  for (auto& of_fold : binned.counts_in_folds) std::ranges::fill(of_fold, 0);
  for (const auto& part : binned.parts) {
    clear(part->binned);
    *part = LevelPart{.key = part->key, .binned = std::move(part->binned)};
  }
}

void add(BinnedLevels& binned, const BinnedLevels& other) {
  add_counts(binned.counts, other.counts);
  for (std::size_t f = 0; f < binned.counts_in_folds.size(); ++f)
    add_counts(binned.counts_in_folds[f], other.counts_in_folds[f]);
  for (std::size_t p = 0; p < binned.parts.size(); ++p) add(binned.parts[p]->binned, other.parts[p]->binned);
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
    const std::size_t cell = cell_of(binned.frame, context, key, row);
    counts[cell] -= weights[k];
    fitted.n_rows -= weights[k];
    if (context.stats.level_folds[row] < context.stats.n_level_folds)
      counts_in_folds[context.stats.level_folds[row]][cell] -= weights[k];
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
    const LevelPart& part = *binned.parts[p];
    std::vector<std::size_t> out_of_part;
    for (const std::size_t k : left_out)
      if (const auto at = std::ranges::lower_bound(part.places, k); at != part.places.end() && *at == k)
        out_of_part.push_back(static_cast<std::size_t>(at - part.places.begin()));
    if (!out_of_part.empty() && out_of_part.size() == part.places.size()) continue;
    new_part[p] = fitted.parts.size();
    fitted.parts.push_back(out_of_part.empty()
                               ? smoothed(part.binned)
                               : smooth_without(part.binned, part.density_rows(), out_of_part));
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

void level_values(const FittedLevels& fitted, const TermContext& context, const TermKey& key,
                  const AskedRows& asked, LeftOut left_out, std::span<double> out) {
  const auto x = gather(context.sample.X.column(key.i), asked.rows);
  const auto y = gather(context.sample.X.column(key.j), asked.rows);
  const auto log_share = [&](std::size_t k, std::size_t cell) {
    const std::size_t row = asked.rows[k];
    const std::size_t fold = context.stats.level_folds[row];
    if (left_out == LeftOut::row && asked.own[k])
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
