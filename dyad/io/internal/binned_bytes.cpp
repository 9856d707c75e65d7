// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/internal/binned_bytes.h"

#include "dyad/io/internal/shared_bytes.h"

namespace dyad::internal {
namespace {

// --- axes ---

/// Most nodes of one feature, with the largest grid.
constexpr std::size_t most_column_nodes = 4096;
/// Counts in 1/65536 of a row, of any number of states merged.
constexpr std::int64_t most_counted = std::int64_t{1} << 55U;

void exchange(auto& ar, Is<RowWeights> auto& weights, std::size_t n_rows) {
  constexpr auto out_of_range = "has a weight out of range";
  ar.positive(weights.unit);
  const std::size_t n = ar.size(1, weights.counts);
  ar.require(n == 0 || n == n_rows, "has the wrong number of weights");
  for (auto& count : weights.counts) {
    ar.count_below(count, (std::size_t{1} << 31U) + 1, out_of_range);
    ar.require(count > 0, out_of_range);
  }
}

/// Fails unless an axis is as fits make them, with two to four nodes a bandwidth.
void require_moderate(const auto& ar, const Axis& axis, double bandwidth, std::size_t most) {
  const double nodes = bandwidth / axis.step;
  ar.require(axis.size >= 8 && axis.size <= most && nodes > 1 && nodes < 10, "has an axis that no fit makes");
}

void exchange(auto& ar, Is<BinnedColumn> auto& column) {
  exchange(ar, column.scaling);
  exchange(ar, column.axis, column.bandwidth);
  require_moderate(ar, column.axis, column.bandwidth, most_column_nodes);
}

void exchange(auto& ar, Is<BinnedPair> auto& pair) {
  exchange(ar, pair.frame);
  require_moderate(ar, pair.frame.u, pair.frame.kernel.h_u, most_nodes);
  require_moderate(ar, pair.frame.v, pair.frame.kernel.h_v, most_nodes);
}

void exchange(auto& ar, Is<ColumnOfPoints> auto& points) {
  ar.positive(points.bandwidth, points.rows_each);
  const std::size_t n = ar.size(sizeof(double), points.x);
  ar.require(n > 0, "has a density without rows");
  ar.numbers(points.x, n);
  exchange(ar, points.weights, n);
}

void exchange(auto& ar, Is<PairOfPoints> auto& points) {
  exchange(ar, points.scaling_x);
  exchange(ar, points.scaling_y);
  ar.number(points.kernel.shear);
  ar.positive(points.kernel.h_u, points.kernel.h_v);
  const std::size_t n = ar.size(2 * sizeof(double), points.x);
  ar.require(n > 0, "has a density without rows");
  ar.numbers(points.x, n);
  ar.numbers(points.y, n);
  exchange(ar, points.weights, n);
}

void put_numbers_frame(Writer& out, const Binned& binned) {
  out.count(binned.index());
  std::visit([&](const auto& counts) { exchange(out, counts); }, binned);
}

/// Takes off the fewest bytes that so many counts can be written in: a file gets no memory for counts that it
/// does not have.
void spend(const Reader& in, std::size_t bytes, std::size_t& bytes_of_counts) {
  in.require(bytes <= bytes_of_counts, "has fewer counts than its axes have nodes");
  bytes_of_counts -= bytes;
}

/// The axes of a density of one number, or of two.
Binned take_numbers_frame(Reader& in, bool is_pair, double unit, std::size_t& bytes_of_counts) {
  constexpr auto something_else = "has the density of something else";
  const std::array<Binned, std::variant_size_v<Binned>> empty{
      BinnedColumn{.unit = unit}, BinnedPair{{}, PairCounts(0, 0), unit}, ColumnOfPoints{}, PairOfPoints{}};
  std::size_t kind = 0;
  in.count_below(kind, empty.size(), something_else);
  in.require((kind % 2 == 1) == is_pair, something_else);
  Binned binned = empty[kind];
  std::visit([&](auto& counts) { exchange(in, counts); }, binned);
  if (auto* const column = std::get_if<BinnedColumn>(&binned)) {
    spend(in, column->axis.size, bytes_of_counts);
    column->counts.resize(column->axis.size);
  }
  return binned;
}

void exchange_cells(auto& ar, Is<BinnedLevels> auto& binned) {
  const std::size_t n_parts = binned.parts.size();
  exchange_cells(
      ar, binned.frame, n_parts,
      [&](std::size_t& index) {
        ar.count_below(index, n_parts + 1, "has the density of something else for a level");
      },
      [&](std::size_t index) { return binned.parts[index].key.is_pair(); });
}

void put_levels_frame(Writer& out, const BinnedLevels& binned) {
  out.size(1, binned.parts);
  for (const auto& part : binned.parts) {
    out.count(part.key.is_pair());
    put_numbers_frame(out, part.binned);
  }
  exchange_cells(out, binned);
}

BinnedLevels take_levels_frame(Reader& in, const Plan& plan, const TermKey& key,
                               std::size_t& bytes_of_counts) {
  BinnedLevels binned = empty_levels(plan.table_stats(), plan.recipe().terms, key);
  const LevelDensity& frame = binned.frame;
  in.size(4 * sizeof(double), binned.parts);
  in.require(binned.parts.size() <= frame.n_cells() + 2, "has more densities than levels");
  for (auto& part : binned.parts) {
    bool is_pair = false;
    in.count_below(is_pair, key.is_pair() ? 2 : 1, "has the density of something else");
    part.key = is_pair ? key : TermKey{key.class_code, key.i, key.i};
    part.binned = take_numbers_frame(in, is_pair, plan.survey.weight_unit(), bytes_of_counts);
  }
  exchange_cells(in, binned);
  spend(in, frame.n_cells() * (1 + static_cast<std::size_t>(level_fold_count)) * sizeof(double),
        bytes_of_counts);
  binned.counts.resize(frame.n_cells());
  binned.counts_in_folds.assign(level_fold_count, std::vector<double>(frame.n_cells()));
  return binned;
}

// --- counts ---

/// Counts whose sums are sums of rows, too.
void exchange_node_counts(auto& ar, auto&& counts) {
  std::int64_t sum = 0;
  for (auto& count : counts) {
    ar.count(count);
    ar.require(count <= most_counted && (sum += count) <= most_counted,
               "has a number of rows that no table has");
  }
}

void exchange_counts(auto& ar, Is<BinnedColumn> auto& column) {
  exchange_row_count(ar, column.rows.inside);
  exchange_row_count(ar, column.rows.n_rows);
  exchange_row_count(ar, column.rows.squares_beyond);
  exchange_node_counts(ar, column.counts);
}

void exchange_counts(auto& ar, Is<BinnedPair> auto& pair) {
  const auto written = pair.counts.values();
  std::vector<std::int64_t> counts(written.begin(), written.end());
  std::size_t has_counts = counts.empty() ? 0 : 1;
  exchange_row_count(ar, pair.n_rows);
  ar.count(has_counts);
  if (has_counts == 0) return;
  const Frame2d& frame = pair.frame;
  ar.resize(frame.u.size * frame.v.size, 1, counts);
  exchange_node_counts(ar, counts);
  ar.restore(pair.counts, PairCounts(frame.u.size, frame.v.size, std::move(counts)));
}

// Points have no counts.
void exchange_counts(const auto& /*ar*/, Is<ColumnOfPoints> auto& /*points*/) {}
void exchange_counts(const auto& /*ar*/, Is<PairOfPoints> auto& /*points*/) {}

void exchange_counts(auto& ar, Is<Binned> auto& binned) {
  std::visit([&](auto& counts) { exchange_counts(ar, counts); }, binned);
}

void exchange_counts(auto& ar, Is<BinnedLevels> auto& levels) {
  for (auto& count : levels.counts) exchange_row_count(ar, count);
  for (auto& of_fold : levels.counts_in_folds)
    for (auto& count : of_fold) exchange_row_count(ar, count);
  for (auto& part : levels.parts) exchange_counts(ar, part.binned);
}

}  // namespace

void put_frame(Writer& out, const BinnedTerm& term) {
  if (const auto* const levels = std::get_if<BinnedLevels>(&term)) return put_levels_frame(out, *levels);
  put_numbers_frame(out, std::get<Binned>(term));
}

BinnedTerm take_frame(Reader& in, const Plan& plan, const TermKey& key, std::size_t& bytes_of_counts) {
  const auto is_plain = [&](std::size_t k) {
    const SurveyedFeature& feature = plan.survey.features[plan.kept[k]];
    return !feature.is_categorical() && feature.n_missing == 0;
  };
  if (is_plain(key.i) && is_plain(key.j))
    return take_numbers_frame(in, key.is_pair(), plan.survey.weight_unit(), bytes_of_counts);
  return take_levels_frame(in, plan, key, bytes_of_counts);
}

void exchange_term_counts(Writer& out, const BinnedTerm& term) {
  std::visit([&](const auto& counts) { exchange_counts(out, counts); }, term);
}

void exchange_term_counts(Reader& in, BinnedTerm& term) {
  std::visit([&](auto& counts) { exchange_counts(in, counts); }, term);
}

}  // namespace dyad::internal
