// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/terms/counts_terms.h"

#include "dyad/base/gather.h"
#include "dyad/base/stopwatch.h"
#include "dyad/data/folds.h"
#include "dyad/data/summary.h"
#include "dyad/terms/exact_terms.h"
#include "dyad/terms/term_context.h"
#include "dyad/terms/term_densities.h"

namespace dyad {
namespace {

constexpr std::size_t block_rows = Located::most;
using BlockValues = std::array<double, block_rows>;

/// Log densities of the rows first .. first + count - 1 of X.
void new_values(const TermContext& context, const TermKey& key, const FittedTerm& fitted, const Matrix& X,
                std::size_t first, std::size_t count, BlockValues& out) {
  const auto x = X.column(key.i).subspan(first, count);
  const auto y = X.column(key.j).subspan(first, count);
  if (const auto* levels = std::get_if<FittedLevels>(&fitted))
    return log_density(levels->grid, x, y, {out.data(), count});
  const auto& plain = std::get<FittedNumbers>(fitted);
  evaluate(plain, x, y, {out.data(), count});
  if (context.options.prior_rows > 0) mix_in_prior(context, key, plain, x, y, {out.data(), count});
}

/// Rows that the density of a class was fitted to, among rows to evaluate.
struct OwnPlaces {
  std::vector<std::size_t> places;    ///< among the rows to evaluate
  std::vector<std::size_t> in_class;  ///< in ScaledClass::rows
};

/// The rows of a class for which is_own(row) holds among the rows first .. first + count - 1 of the sample.
template <class IsOwn>
OwnPlaces own_places(const ScaledClass& scaled, std::size_t first, std::size_t count, const IsOwn& is_own) {
  OwnPlaces own;
  own.places.reserve(count);
  own.in_class.reserve(count);
  const auto begin = scaled.rows.begin();
  for (auto row = std::lower_bound(begin, scaled.rows.end(), first);
       row != scaled.rows.end() && *row < first + count; ++row) {
    if (!is_own(*row)) continue;
    own.places.push_back(*row - first);
    own.in_class.push_back(static_cast<std::size_t>(row - begin));
  }
  return own;
}

/// Values of rows of the sample by a density with levels.
void values_by_levels(const TermContext& context, const TermKey& key, const FittedLevels& fitted,
                      std::span<const std::size_t> rows, const OwnPlaces& own, LeftOut left_out,
                      std::span<double> out) {
  std::vector<bool> is_own(rows.size());
  for (const std::size_t place : own.places) is_own[place] = true;
  level_values(fitted, context, key, {rows, is_own}, left_out, out);
}

/// Values of rows of the sample, given by their features x and y, by a density of numbers.
void values_by_numbers(const TermContext& context, const TermKey& key, const FittedNumbers& fitted,
                       std::span<const double> x, std::span<const double> y, const OwnPlaces& own,
                       bool leave_out, std::span<double> out) {
  evaluate(fitted, x, y, out);
  const ScaledClass& scaled = context.class_of(key);
  const RowWeights weights = gather(scaled.weights, own.in_class);
  auto own_values = gather(out, own.places);
  correct_own(fitted,
              {gather(scaled.columns[key.i].values, own.in_class),
               gather(scaled.columns[key.j].values, own.in_class), weights},
              leave_out, own_values);
  const auto write = [&](std::span<const double> values, std::span<const std::size_t> places) {
    for (std::size_t k = 0; k < values.size(); ++k) out[places[k]] = values[k];
  };
  const auto mix = [&](std::span<double> values, std::span<const std::size_t> places,
                       const RowWeights* left) {
    mix_in_prior(context, key, fitted, gather(x, places), gather(y, places), values, left);
  };
  const bool has_prior = context.options.prior_rows > 0;
  if (has_prior && leave_out) {
    std::vector<std::size_t> others;
    std::ranges::set_difference(all_rows(out.size()), own.places, std::back_inserter(others));
    auto other_values = gather(out, others);
    mix(other_values, others, nullptr);
    write(other_values, others);
    mix(own_values, own.places, &weights);
  }
  write(own_values, own.places);
  if (has_prior && !leave_out) mix_in_prior(context, key, fitted, x, y, out);
}

/// Values of the rows first .. first + count - 1 of the sample; `own` are those that the density was fitted
/// to.
void training_values(const TermContext& context, const TermKey& key, const FittedTerm& term,
                     std::size_t first, std::size_t count, const OwnPlaces& own, bool leave_out,
                     BlockValues& out) {
  if (const auto* levels = std::get_if<FittedLevels>(&term))
    return values_by_levels(context, key, *levels, all_rows(count, first), own,
                            leave_out ? LeftOut::row_and_fold : LeftOut::nothing, {out.data(), count});
  values_by_numbers(
      context, key, std::get<FittedNumbers>(term), context.sample.X.column(key.i).subspan(first, count),
      context.sample.X.column(key.j).subspan(first, count), own, leave_out, {out.data(), count});
}

/// The value of a linear term where its feature is x: a missing value counts as the mean.
double linear_value(double x, double offset) { return std::isnan(x) ? 0 : x - offset; }

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

/// Rows to hold out, and which of them belong to each class.
struct HeldOut {
  std::vector<std::size_t> rows;
  std::vector<OwnPlaces> own;  ///< of each class
};

HeldOut hold_out(const TermContext& context, std::vector<std::size_t> rows) {
  HeldOut result{std::move(rows), std::vector<OwnPlaces>(context.classes.size())};
  for (std::size_t k = 0; k < result.rows.size(); ++k) {
    const auto c = static_cast<std::size_t>(context.sample.y[result.rows[k]]);
    const auto& class_rows = context.classes[c].rows;
    result.own[c].places.push_back(k);
    result.own[c].in_class.push_back(
        static_cast<std::size_t>(std::ranges::lower_bound(class_rows, result.rows[k]) - class_rows.begin()));
  }
  return result;
}

/// Leave-one-out values of held-out rows of the sample that the density was fitted to.
std::vector<double> held_out_values(const TermContext& context, const TermKey& key, const FittedTerm& term,
                                    const HeldOut& held_out, LeftOut left_out) {
  const auto& [rows, own_of_classes] = held_out;
  const OwnPlaces& own = own_of_classes[static_cast<std::size_t>(key.class_code)];
  const OwnPlaces none;
  std::vector<double> values(rows.size());
  if (const auto* levels = std::get_if<FittedLevels>(&term))
    values_by_levels(context, key, *levels, rows, own, left_out, values);
  else
    values_by_numbers(context, key, std::get<FittedNumbers>(term),
                      gather(context.sample.X.column(key.i), rows),
                      gather(context.sample.X.column(key.j), rows),
                      can_leave_own_out(context.sample, key) ? own : none, true, values);
  return values;
}

/// Writes the values of term t.
void set_column(std::size_t t, std::span<const double> values, double floor, FloatRows& to) {
  for (std::size_t k = 0; k < values.size(); ++k)
    to.row(k)[t] = static_cast<float>(std::max(values[k], floor));
}

/// Marks the rows, n in all, that a split trains on.
std::vector<bool> trained_rows(const Split& split, std::size_t n) {
  std::vector<bool> trains(n);
  for (const std::size_t row : split.outside) trains[row] = true;
  return trains;
}

/// Calls body(first, count) for blocks of n rows.
template <class Body>
void for_blocks(std::size_t n, const Body& body) {
  for (std::size_t first = 0; first < n; first += block_rows) body(first, std::min(block_rows, n - first));
}

/// The term x_i as it is fitted: its values are given without the offset.
Term offset_linear_term(const LabelledSample& sample, const TermKey& key, const TermOptions& options) {
  Term term = linear_term(key.i);
  term.centre = linear_offset(sample, key.i, options);
  return term;
}

/// A density of all rows, and those without each fold of FeatureMode::cross_fit.
struct FoldedTerm {
  FittedTerm all;
  std::vector<FittedTerm> without;
  bool leaves_own_out = false;
};

/// Values of the rows that weights are fitted to, by the feature mode.
class TrainingValues {
 public:
  TrainingValues(const LabelledSample& sample, std::span<const TermKey> keys, const TermOptions& options,
                 const Execution& execution, bool holds_out)
      : sample_(sample),
        keys_(keys),
        mode_(options.feature_mode),
        halves_(row_split(sample, options)),
        density_half_(splits() ? rows_of(sample, halves_.density_rows) : LabelledSample{}),
        weight_half_(splits() ? rows_of(sample, halves_.weight_rows) : LabelledSample{}),
        context_(
            make_context(density_rows(), stats_of(density_rows(), sample, options), options, execution)) {
    if (holds_out) held_out_rows_ = rows_to_hold_out(weight_rows().y, keys.size());
    if (!splits()) held_out_ = hold_out(context_, held_out_rows_);
    if (mode_ != FeatureMode::cross_fit) return;
    n_folds_ = fold_count(sample, options.cross_fit_folds);
    folds_ = stratified_folds(sample.y, n_folds_, options.seed);
    left_out_ = rows_left_out(sample, splits_of(folds_, n_folds_));
  }

  CountsFeatures compute(const Execution& execution) {
    CountsFeatures result{std::vector<Term>(keys_.size()), FloatRows(weight_rows().n_rows(), keys_.size()),
                          halves_.weight_rows, held_out_rows_,
                          FloatRows(held_out_rows_.size(), keys_.size())};
    const auto fit_group = [&](std::size_t first, std::size_t count) {
      std::vector<FoldedTerm> fitted(count);
      for (std::size_t t = 0; t < count; ++t) fitted[t] = fit(keys_[first + t], result.terms[first + t]);
      write_values(fitted, first, result);
      if (mode_ == FeatureMode::resubstitution) hold_out_values(fitted, first, result);
    };
    parallel_blocks(keys_.size(), terms_at_once, execution, "features", fit_group);
    if (mode_ != FeatureMode::resubstitution) result.held_out = gather(result.values, held_out_rows_);
    return result;
  }

 private:
  [[nodiscard]] bool splits() const { return mode_ == FeatureMode::split; }
  [[nodiscard]] const LabelledSample& density_rows() const { return splits() ? density_half_ : sample_; }
  [[nodiscard]] const LabelledSample& weight_rows() const { return splits() ? weight_half_ : sample_; }

  FoldedTerm fit(const TermKey& key, Term& term) const {
    if (key.is_linear()) {
      term = offset_linear_term(sample_, key, context_.options);
      return {};
    }
    FoldedTerm result;
    result.leaves_own_out = mode_ == FeatureMode::leave_one_out && can_leave_own_out(sample_, key);
    const BinnedTerm binned = bin_term(context_, key);
    result.all = smooth_term(binned, context_, key);
    term = make_term(context_, key, result.all);
    for (std::size_t k = 0; k < n_folds_; ++k)
      result.without.push_back(
          smooth_term_without(binned, context_, key, left_out_[static_cast<std::size_t>(key.class_code)][k]));
    return result;
  }

  /// Values of `count` rows from `first` on; `own` are those of each class.
  void block_values(const TermKey& key, const FoldedTerm& fitted, double offset, std::size_t first,
                    std::size_t count, std::span<const OwnPlaces> own, BlockValues& values) const {
    if (key.is_linear()) {
      std::ranges::transform(weight_rows().X.column(key.i).subspan(first, count), values.begin(),
                             [&](double x) { return linear_value(x, offset); });
      return;
    }
    if (!splits() && n_folds_ == 0)
      return training_values(context_, key, fitted.all, first, count,
                             own[static_cast<std::size_t>(key.class_code)], fitted.leaves_own_out, values);
    new_values(context_, key, fitted.all, weight_rows().X, first, count, values);
    BlockValues of_fold;
    for (std::size_t k = 0; k < n_folds_; ++k) {
      new_values(context_, key, fitted.without[k], sample_.X, first, count, of_fold);
      for (std::size_t i = 0; i < count; ++i)
        if (folds_[first + i] == k) values[i] = of_fold[i];
    }
  }

  void write_values(std::span<const FoldedTerm> fitted, std::size_t first_term,
                    CountsFeatures& result) const {
    LineWriter lines;
    BlockValues values;
    for_blocks(weight_rows().n_rows(), [&](std::size_t first, std::size_t count) {
      std::vector<OwnPlaces> own;
      for (const ScaledClass& scaled : context_.classes)
        own.push_back(own_places(scaled, first, count, [](std::size_t) { return true; }));
      for (std::size_t t = 0; t < fitted.size(); ++t) {
        const Term& term = result.terms[first_term + t];
        block_values(keys_[first_term + t], fitted[t], term.centre, first, count, own, values);
        lines.set(t, values, term.floor, count);
      }
      lines.write(result.values, first, count, first_term, fitted.size());
    });
  }

  void hold_out_values(std::span<const FoldedTerm> fitted, std::size_t first_term,
                       CountsFeatures& result) const {
    for (std::size_t t = first_term; t < first_term + fitted.size(); ++t) {
      if (keys_[t].is_linear()) {
        for (std::size_t k = 0; k < held_out_rows_.size(); ++k)
          result.held_out.row(k)[t] = result.values.row(held_out_rows_[k])[t];
        continue;
      }
      const auto values =
          held_out_values(context_, keys_[t], fitted[t - first_term].all, held_out_, LeftOut::row_and_fold);
      set_column(t, values, result.terms[t].floor, result.held_out);
    }
  }

  const LabelledSample& sample_;
  std::span<const TermKey> keys_;
  FeatureMode mode_;
  RowSplit halves_;
  LabelledSample density_half_;
  LabelledSample weight_half_;
  TermContext context_;
  std::vector<std::size_t> held_out_rows_;
  HeldOut held_out_;
  std::size_t n_folds_ = 0;
  std::vector<std::size_t> folds_;
  std::vector<std::vector<std::vector<std::size_t>>> left_out_;  ///< by class and fold
};

}  // namespace

std::vector<std::size_t> rows_to_hold_out(std::span<const std::int32_t> y, std::size_t n_terms) {
  constexpr std::size_t most_rows = 5000;
  constexpr std::size_t most_values = std::size_t{1} << 23U;
  const std::size_t most =
      std::min(most_rows, std::max<std::size_t>(500, most_values / std::max<std::size_t>(1, n_terms)));
  auto by_class = all_rows(y.size());
  std::ranges::stable_sort(by_class, {}, [&](std::size_t row) { return y[row]; });
  auto chosen = gather(by_class, evenly_spaced(by_class.size(), most));
  std::ranges::sort(chosen);
  return chosen;
}

std::vector<Term> terms_of(const LabelledSample& sample, std::span<const TermKey> keys,
                           const TableStats& stats, const TermOptions& options, const Execution& execution) {
  if (options.engine == Engine::exact) return fit_terms(sample, keys, options, execution);
  const TermContext context = make_context(sample, stats, options, execution);
  std::vector<Term> terms(keys.size());
  parallel_for(keys.size(), execution, "densities",
               [&](std::size_t t) { terms[t] = make_term(context, keys[t], fit_term(context, keys[t])); });
  return terms;
}

CountsFeatures counts_training_features(const LabelledSample& sample, std::span<const TermKey> keys,
                                        const TermOptions& options, const Execution& execution,
                                        FitReport& report, bool holds_out) {
  const Stopwatch watch(report.density);
  return TrainingValues(sample, keys, options, execution, holds_out).compute(execution);
}

CountsFeatures counts_features_of_rows(const LabelledSample& sample, std::span<const TermKey> keys,
                                       std::span<const std::size_t> rows, const TableStats& stats,
                                       const TermOptions& options, const Execution& execution,
                                       FitReport& report, LeftOut left_out) {
  const Stopwatch watch(report.density);
  const TermContext context = make_context(sample, stats, options, execution);
  const HeldOut own = hold_out(context, {rows.begin(), rows.end()});
  CountsFeatures result{std::vector<Term>(keys.size()),
                        FloatRows(rows.size(), keys.size()),
                        own.rows,
                        {},
                        FloatRows(0, keys.size())};
  const auto fit_group = [&](std::size_t first, std::size_t count) {
    for (std::size_t t = first; t < first + count; ++t) {
      const TermKey& key = keys[t];
      std::vector<double> values;
      if (key.is_linear()) {
        result.terms[t] = offset_linear_term(sample, key, options);
        values = gather(sample.X.column(key.i), rows);
        for (double& value : values) value = linear_value(value, result.terms[t].centre);
      } else {
        const FittedTerm fitted = fit_term(context, key);
        result.terms[t] = make_term(context, key, fitted);
        values = held_out_values(context, key, fitted, own, left_out);
      }
      set_column(t, values, result.terms[t].floor, result.values);
    }
  };
  parallel_blocks(keys.size(), terms_at_once, execution, "features", fit_group);
  return result;
}

std::vector<std::vector<std::vector<std::size_t>>> rows_left_out(const LabelledSample& sample,
                                                                 std::span<const Split> splits) {
  const auto classes = rows_by_class(sample);
  std::vector<std::vector<std::vector<std::size_t>>> result(classes.size());
  for (const Split& split : splits) {
    const auto trains = trained_rows(split, sample.n_rows());
    for (std::size_t c = 0; c < classes.size(); ++c) {
      std::vector<std::size_t>& left_out = result[c].emplace_back();
      for (std::size_t k = 0; k < classes[c].size(); ++k)
        if (!trains[classes[c][k]]) left_out.push_back(k);
    }
  }
  return result;
}

SplitValues::SplitValues(const LabelledSample& sample, std::span<const Split> splits,
                         const TermOptions& options, const Execution& execution)
    : splits_(splits),
      context_(make_context(sample, stats_of(sample, options), options, execution)),
      left_out_(rows_left_out(sample, splits)) {
  for (const Split& split : splits) trains_.push_back(trained_rows(split, sample.n_rows()));
}

std::vector<FloatRows> SplitValues::of(std::span<const TermKey> keys,
                                       std::span<const std::vector<std::size_t>> columns,
                                       const Execution& execution) const {
  std::vector<FloatRows> values;
  for (const auto& of_split : columns) {
    std::size_t n_columns = 0;
    for (const std::size_t column : of_split)
      if (column != unused) n_columns = std::max(n_columns, column + 1);
    values.emplace_back(context_.sample.n_rows(), n_columns);
  }
  parallel_for(keys.size(), execution, "features",
               [&](std::size_t t) { set_values(keys[t], columns, t, values); });
  return values;
}

void SplitValues::set_values(const TermKey& key, std::span<const std::vector<std::size_t>> columns,
                             std::size_t t, std::span<FloatRows> values) const {
  const LabelledSample& sample = context_.sample;
  if (key.is_linear()) {
    const double offset = linear_offset(sample, key.i, context_.options);
    for (std::size_t k = 0; k < splits_.size(); ++k)
      for (std::size_t i = 0; columns[k][t] != unused && i < sample.n_rows(); ++i)
        values[k].row(i)[columns[k][t]] = static_cast<float>(linear_value(sample.X(i, key.i), offset));
    return;
  }
  BlockValues block;
  std::vector<std::uint32_t> cells;  // of rows, where there are no numbers
  const BinnedTerm binned = bin_term(context_, key);
  const double floor = floor_of(key, context_.options, context_.log_spread);
  const bool leave_out =
      context_.options.feature_mode != FeatureMode::resubstitution && can_leave_own_out(sample, key);
  for (std::size_t k = 0; k < splits_.size(); ++k) {
    if (columns[k][t] == unused) continue;
    const auto fitted =
        smooth_term_without(binned, context_, key, left_out_[static_cast<std::size_t>(key.class_code)][k]);
    if (const auto* levels = std::get_if<FittedLevels>(&fitted);
        levels != nullptr && has_levels_alone(*levels)) {
      if (cells.empty())
        cells = cells_of_levels(levels->grid, sample.X.column(key.i), sample.X.column(key.j));
      std::vector<double> of_rows(cells.size());
      values_of_cells(*levels, context_, cells, leave_out, of_rows);
      for (std::size_t i = 0; i < of_rows.size(); ++i)
        values[k].row(i)[columns[k][t]] = static_cast<float>(std::max(of_rows[i], floor));
      continue;
    }
    const auto is_own = [&](std::size_t row) -> bool { return trains_[k][row]; };
    for_blocks(sample.n_rows(), [&](std::size_t first, std::size_t count) {
      const OwnPlaces own = own_places(context_.class_of(key), first, count, is_own);
      training_values(context_, key, fitted, first, count, own, leave_out, block);
      for (std::size_t i = 0; i < count; ++i)
        values[k].row(first + i)[columns[k][t]] = static_cast<float>(std::max(block[i], floor));
    });
  }
}

}  // namespace dyad
