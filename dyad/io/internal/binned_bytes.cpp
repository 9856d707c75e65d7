// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/internal/binned_bytes.h"

#include "dyad/io/internal/density_bytes.h"

namespace dyad::internal {
namespace {

// --- axes ---

/// Of one feature, with the largest grid.
constexpr std::size_t most_column_nodes = 4096;
/// Counts in 1/65536 of a row, of any number of states merged.
constexpr std::int64_t most_counted = std::int64_t{1} << 55U;

void put_weights(Writer& out, const RowWeights& weights) {
  out.put(weights.unit);
  out.put(static_cast<std::uint64_t>(weights.counts.size()));
  for (const std::uint32_t count : weights.counts) out.put_count(count);
}

RowWeights take_weights(Reader& in, std::size_t n_rows) {
  RowWeights weights;
  weights.unit = in.take_positive();
  const std::size_t n = in.take_size(1);
  if (n != 0 && n != n_rows) in.refuse("has the wrong number of weights");
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t count = in.take_count();
    if (count < 1 || count > (std::int64_t{1} << 31U)) in.refuse("has a weight out of range");
    weights.counts.push_back(static_cast<std::uint32_t>(count));
  }
  return weights;
}

void put(Writer& out, const BinnedColumn& column) {
  put_scaling(out, column.scaling);
  put_axis(out, column.axis, column.bandwidth);
}

void put(Writer& out, const BinnedPair& pair) {
  put_scaling(out, pair.frame.x);
  put_scaling(out, pair.frame.y);
  out.put(pair.frame.kernel.shear);
  put_axis(out, pair.frame.u, pair.frame.kernel.h_u);
  put_axis(out, pair.frame.v, pair.frame.kernel.h_v);
}

void put(Writer& out, const ColumnOfPoints& points) {
  out.put_numbers(std::array{points.bandwidth, points.rows_each});
  out.put(static_cast<std::uint64_t>(points.x.size()));
  out.put_numbers(points.x);
  put_weights(out, points.weights);
}

void put(Writer& out, const PairOfPoints& points) {
  put_scaling(out, points.scaling_x);
  put_scaling(out, points.scaling_y);
  out.put_numbers(std::array{points.kernel.shear, points.kernel.h_u, points.kernel.h_v});
  out.put(static_cast<std::uint64_t>(points.x.size()));
  out.put_numbers(points.x);
  out.put_numbers(points.y);
  put_weights(out, points.weights);
}

void put_numbers_frame(Writer& out, const Binned& binned) {
  out.put_count(binned.index());
  std::visit([&](const auto& counts) { put(out, counts); }, binned);
}

/// An axis as fits make them, with two to four nodes a bandwidth.
Axis take_moderate_axis(Reader& in, double& bandwidth, std::size_t most) {
  const Axis axis = take_axis(in, bandwidth);
  const double nodes = bandwidth / axis.step;
  if (axis.size < 8 || axis.size > most || !(nodes > 1 && nodes < 10))
    in.refuse("has an axis that no fit makes");
  return axis;
}

/// Takes off the fewest bytes that so many counts can be written in: a file gets no memory for counts that it does not have.
void spend(const Reader& in, std::size_t bytes, std::size_t& bytes_of_counts) {
  if (bytes > bytes_of_counts) in.refuse("has fewer counts than its axes have nodes");
  bytes_of_counts -= bytes;
}

BinnedColumn take_column(Reader& in, double unit, std::size_t& bytes_of_counts) {
  BinnedColumn column;
  column.scaling = take_scaling(in);
  column.axis = take_moderate_axis(in, column.bandwidth, most_column_nodes);
  column.unit = unit;
  spend(in, column.axis.size, bytes_of_counts);
  column.counts.resize(column.axis.size);
  return column;
}

BinnedPair take_pair(Reader& in, double unit) {
  Frame2d frame;
  frame.x = take_scaling(in);
  frame.y = take_scaling(in);
  frame.kernel.shear = in.take_number();
  frame.u = take_moderate_axis(in, frame.kernel.h_u, most_nodes);
  frame.v = take_moderate_axis(in, frame.kernel.h_v, most_nodes);
  return {frame, PairCounts(0, 0), unit};
}

ColumnOfPoints take_column_of_points(Reader& in) {
  ColumnOfPoints points;
  points.bandwidth = in.take_positive();
  points.rows_each = in.take_positive();
  points.x = in.take_numbers(in.take_size(sizeof(double)));
  if (points.x.empty()) in.refuse("has a density without rows");
  points.weights = take_weights(in, points.x.size());
  return points;
}

PairOfPoints take_pair_of_points(Reader& in) {
  PairOfPoints points;
  points.scaling_x = take_scaling(in);
  points.scaling_y = take_scaling(in);
  points.kernel.shear = in.take_number();
  points.kernel.h_u = in.take_positive();
  points.kernel.h_v = in.take_positive();
  const std::size_t n = in.take_size(2 * sizeof(double));
  if (n == 0) in.refuse("has a density without rows");
  points.x = in.take_numbers(n);
  points.y = in.take_numbers(n);
  points.weights = take_weights(in, n);
  return points;
}

/// The axes of a density of one number, or of two.
Binned take_numbers_frame(Reader& in, bool is_pair, double unit, std::size_t& bytes_of_counts) {
  const auto kind = static_cast<std::size_t>(in.take_count());
  if (kind >= std::variant_size_v<Binned> || (kind % 2 == 1) != is_pair)
    in.refuse("has the density of something else");
  switch (kind) {
    case 0:
      return take_column(in, unit, bytes_of_counts);
    case 1:
      return take_pair(in, unit);
    case 2:
      return take_column_of_points(in);
    default:
      return take_pair_of_points(in);
  }
}

bool is_pair(const LevelPart& part) { return part.key.is_pair(); }

void put_levels_frame(Writer& out, const BinnedLevels& binned) {
  out.put(static_cast<std::uint64_t>(binned.parts.size()));
  for (const auto& part : binned.parts) {
    out.put_count(is_pair(*part) ? 1 : 0);
    put_numbers_frame(out, part->binned);
  }
  for (const std::size_t part : binned.frame.cells) out.put_count(index_or_end(part, binned.parts.size()));
  for (const std::size_t part : {binned.frame.margin_x, binned.frame.margin_y})
    out.put_count(index_or_end(part, binned.parts.size()));
}

/// Which part is the density of so many numbers; of none there is none.
std::size_t take_part_index(Reader& in, const BinnedLevels& binned, std::size_t n_numbers) {
  const auto index = static_cast<std::size_t>(in.take_count());
  if (index == binned.parts.size()) return LevelDensity::none;
  if (index > binned.parts.size() || n_numbers != (is_pair(*binned.parts[index]) ? 2U : 1U))
    in.refuse("has the density of something else for a level");
  return index;
}

BinnedLevels take_levels_frame(Reader& in, const Plan& plan, const TermKey& key,
                               std::size_t& bytes_of_counts) {
  const TableStats stats = plan.table_stats();
  BinnedLevels binned;
  LevelDensity& frame = binned.frame;
  frame.x = stats.axes[key.i];
  frame.y = key.is_pair() ? stats.axes[key.j] : LevelAxis{};
  frame.level_rows = plan.options.level_rows;
  frame.prior_rows = plan.options.prior_rows;
  binned.prior_x = stats.level_priors[key.i];
  binned.prior_y = key.is_pair() ? stats.level_priors[key.j] : std::vector<double>{1};
  const std::size_t n_parts = in.take_size(4 * sizeof(double));
  if (n_parts > frame.n_cells() + 2) in.refuse("has more densities than levels");
  for (std::size_t left = n_parts; left > 0; --left) {
    auto part = std::make_unique<LevelPart>();
    const std::int64_t pair = in.take_count();
    if (pair > 1 || (pair == 1 && !key.is_pair())) in.refuse("has the density of something else");
    part->key = pair == 1 ? key : TermKey{key.class_code, key.i, key.i};
    part->binned = take_numbers_frame(in, pair == 1, plan.survey.weight_unit(), bytes_of_counts);
    binned.parts.push_back(std::move(part));
  }
  for (std::size_t cell = 0; cell < frame.n_cells(); ++cell) {
    const bool has_x = frame.x.has_numbers(cell / frame.y.n_levels);
    const bool has_y = frame.y.has_numbers(cell % frame.y.n_levels);
    frame.cells.push_back(take_part_index(in, binned, (has_x ? 1U : 0U) + (has_y ? 1U : 0U)));
  }
  frame.margin_x = take_part_index(in, binned, frame.x.is_number ? 1 : 0);
  frame.margin_y = take_part_index(in, binned, frame.y.is_number ? 1 : 0);
  spend(in, frame.n_cells() * (1 + static_cast<std::size_t>(level_fold_count)) * sizeof(double),
        bytes_of_counts);
  binned.counts.resize(frame.n_cells());
  binned.counts_in_folds.assign(level_fold_count, std::vector<double>(frame.n_cells()));
  return binned;
}

// --- counts ---

void put_numbers_counts(Writer& out, const Binned& binned) {
  if (const auto* const column = std::get_if<BinnedColumn>(&binned)) {
    out.put_numbers(std::array{column->rows.inside, column->rows.n_rows, column->rows.squares_beyond});
    for (const std::int64_t count : column->counts) out.put_count(static_cast<std::uint64_t>(count));
  } else if (const auto* const pair = std::get_if<BinnedPair>(&binned)) {
    out.put(pair->n_rows);
    const auto counts = pair->counts.values();
    out.put_count(counts.empty() ? 0 : 1);
    for (const std::int64_t count : counts) out.put_count(static_cast<std::uint64_t>(count));
  }
}

double take_rows(Reader& in) {
  const double rows = in.take_number();
  if (rows < 0) in.refuse("has a negative number of rows");
  return rows;
}

/// Counts whose sums are sums of rows, too.
void take_node_counts(Reader& in, std::vector<std::int64_t>& counts) {
  std::int64_t sum = 0;
  for (std::int64_t& count : counts) {
    count = in.take_count();
    if (count > most_counted || (sum += count) > most_counted)
      in.refuse("has a number of rows that no table has");
  }
}

void take_numbers_counts(Reader& in, Binned& binned) {
  if (auto* const column = std::get_if<BinnedColumn>(&binned)) {
    column->rows.inside = take_rows(in);
    column->rows.n_rows = take_rows(in);
    column->rows.squares_beyond = take_rows(in);
    take_node_counts(in, column->counts);
  } else if (auto* const pair = std::get_if<BinnedPair>(&binned)) {
    pair->n_rows = take_rows(in);
    if (in.take_count() == 0) return;
    std::vector<std::int64_t> counts(pair->frame.u.size * pair->frame.v.size);
    take_node_counts(in, counts);
    pair->counts = PairCounts(pair->frame.u.size, pair->frame.v.size, std::move(counts));
  }
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

void put_term_counts(Writer& out, const BinnedTerm& term) {
  if (const auto* const numbers = std::get_if<Binned>(&term)) return put_numbers_counts(out, *numbers);
  const auto& levels = std::get<BinnedLevels>(term);
  out.put_numbers(levels.counts);
  for (const auto& of_fold : levels.counts_in_folds) out.put_numbers(of_fold);
  for (const auto& part : levels.parts) put_numbers_counts(out, part->binned);
}

void take_term_counts(Reader& in, BinnedTerm& term) {
  if (auto* const numbers = std::get_if<Binned>(&term)) return take_numbers_counts(in, *numbers);
  auto& levels = std::get<BinnedLevels>(term);
  for (double& count : levels.counts) count = take_rows(in);
  for (auto& of_fold : levels.counts_in_folds)
    for (double& count : of_fold) count = take_rows(in);
  for (const auto& part : levels.parts) take_numbers_counts(in, part->binned);
}

}  // namespace dyad::internal
