// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/internal/density_bytes.h"

namespace dyad::internal {
namespace {

bool is_number(std::span<const Levels> levels, std::size_t feature) {
  return levels.empty() || levels[feature].is_number();
}

}  // namespace

void put_axis(Writer& out, const Axis& axis, double bandwidth) {
  out.put_numbers(std::array{axis.origin, axis.step, bandwidth});
  out.put(static_cast<std::uint64_t>(axis.size));
}

void put_scaling(Writer& out, const Scaling& scaling) {
  out.put_numbers(std::array{scaling.centre, scaling.scale});
}

Scaling take_scaling(Reader& in) {
  const double centre = in.take_number();
  return {centre, in.take_positive()};
}

Axis take_axis(Reader& in, double& bandwidth) {
  Axis axis;
  axis.origin = in.take_number();
  axis.step = in.take_positive();
  bandwidth = in.take_positive();
  axis.size = in.take<std::uint64_t>();
  if (axis.size < 2) in.refuse("has an axis without cells");
  if (axis.size > 65536 || !(bandwidth / axis.step > 0.1 && bandwidth / axis.step < 1e6))
    in.refuse("has an axis that no fit makes");
  return axis;
}

std::uint64_t index_or_end(std::size_t index, std::size_t end) {
  return index == LevelDensity::none ? end : index;
}

LevelAxis axis_of(std::span<const Levels> levels, std::size_t feature, bool has_missing) {
  const bool numbers = is_number(levels, feature);
  return {numbers, has_missing, (numbers ? 1 : levels[feature].size()) + (has_missing ? 1 : 0)};
}

namespace {

// --- densities of numbers ---

/// What follows a term of the counts engine, or a part of one.
constexpr std::uint64_t table_follows = 0;
constexpr std::uint64_t points_follow = 1;
constexpr std::uint64_t levels_follow = 2;

void put_table(Writer& out, const LogTable& table) {
  out.put_numbers(std::array{table.top, table.unit});
  for (const std::uint16_t depth : table.depths) out.put(depth);
}

void put(Writer& out, const Grid1d& grid) {
  out.put(table_follows);
  put_scaling(out, grid.scaling);
  put_axis(out, grid.axis, grid.bandwidth);
  put_table(out, grid.table);
}

void put(Writer& out, const Grid2d& grid) {
  const Frame2d& frame = grid.frame;
  out.put(table_follows);
  put_scaling(out, frame.x);
  put_scaling(out, frame.y);
  out.put(frame.kernel.shear);
  put_axis(out, frame.u, frame.kernel.h_u);
  put_axis(out, frame.v, frame.kernel.h_v);
  put_table(out, grid.table);
}

void put(Writer& out, const Kde2d& kde) {
  out.put(points_follow);
  out.put_numbers(
      std::array{kde.H.xx, kde.H.xy, kde.H.yy, kde.unit_x, kde.unit_y, kde.centre_x, kde.centre_y});
  out.put(static_cast<std::uint64_t>(kde.u.size()));
  out.put_numbers(kde.u);
  out.put_numbers(kde.v);
}

void put(Writer& out, const Kde1d& kde) {
  out.put(points_follow);
  out.put(kde.bandwidth);
  out.put(static_cast<std::uint64_t>(kde.points.size()));
  out.put_numbers(kde.points);
}

LogTable take_table(Reader& in, std::size_t n_nodes) {
  LogTable table;
  table.top = in.moderate(in.take_number());
  table.unit = in.moderate(in.take_positive());
  const std::string_view bytes = in.take_bytes(n_nodes * sizeof(std::uint16_t));
  table.depths.resize(n_nodes);
  std::memcpy(table.depths.data(), bytes.data(), bytes.size());
  return table;
}

Kde1d take_column_points(Reader& in) {
  Kde1d kde;
  kde.bandwidth = in.take_positive();
  kde.points = in.take_numbers(in.take_size(sizeof(double)));
  if (kde.points.empty() || !std::ranges::is_sorted(kde.points)) in.refuse("has points in no order");
  return kde;
}

Kde2d take_pair_points(Reader& in) {
  const auto parameters = in.take_numbers(7);
  if (!(parameters[3] > 0 && parameters[4] > 0)) in.refuse("has a unit that is not positive");
  Kde2d kde;
  try {
    // A point of no importance sets up the coordinates; the real ones are kept in them.
    kde = make_kde2d(std::array{0.0}, std::array{0.0}, {parameters[0], parameters[1], parameters[2]},
                     parameters[3], parameters[4]);
  } catch (const std::invalid_argument& error) {
    in.fail(std::string("the model file is damaged: ") + error.what());
  }
  kde.centre_x = parameters[5];
  kde.centre_y = parameters[6];
  const std::size_t n = in.take_size(2 * sizeof(double));
  kde.u = in.take_numbers(n);
  kde.v = in.take_numbers(n);
  if (n == 0 || !std::ranges::is_sorted(kde.u)) in.refuse("has points in no order");
  return kde;
}

/// A density of one number, or of two, that `what` follows for.
Density take_density(Reader& in, std::uint64_t what, bool is_pair) {
  if (what == points_follow) return is_pair ? Density(take_pair_points(in)) : Density(take_column_points(in));
  if (!is_pair) {
    Grid1d grid;
    grid.scaling = take_scaling(in);
    grid.axis = take_axis(in, grid.bandwidth);
    grid.table = take_table(in, grid.axis.size);
    return grid;
  }
  Grid2d grid;
  grid.frame.x = take_scaling(in);
  grid.frame.y = take_scaling(in);
  grid.frame.kernel.shear = in.take_number();
  grid.frame.u = take_axis(in, grid.frame.kernel.h_u);
  grid.frame.v = take_axis(in, grid.frame.kernel.h_v);
  grid.table = take_table(in, grid.frame.u.size * grid.frame.v.size);
  return grid;
}

// --- shares of levels ---

/// The second axis of a term of one feature.
constexpr LevelAxis no_second{};

void put(Writer& out, const LevelDensity& density) {
  out.put(levels_follow);
  for (const LevelAxis* axis : {&density.x, &density.y})
    out.put(static_cast<std::uint64_t>(axis->has_missing ? 1 : 0));
  out.put_numbers(std::array{density.level_rows, density.prior_rows});
  out.put_numbers(density.log_shares);
  const std::size_t n_parts = density.parts.size();
  out.put(static_cast<std::uint64_t>(n_parts));
  for (const NumberDensity& part : density.parts) {
    const bool is_pair =
        std::holds_alternative<Grid2d>(part.density) || std::holds_alternative<Kde2d>(part.density);
    out.put(static_cast<std::uint64_t>(is_pair ? 1 : 0));
    out.put(part.n_rows);
    std::visit([&](const auto& counts) { put(out, counts); }, part.density);
  }
  for (const std::size_t part : density.cells) out.put(index_or_end(part, n_parts));
  for (const std::size_t part : {density.margin_x, density.margin_y}) out.put(index_or_end(part, n_parts));
}

double take_row_count(Reader& in) {
  const double value = in.take_number();
  if (value < 0) in.refuse("has a negative number of rows");
  return value;
}

NumberDensity take_part(Reader& in) {
  const bool is_pair = in.take_index(2) == 1;
  NumberDensity part;
  part.n_rows = in.take_positive();
  std::visit(
      [&]<class Of>(Of&& density) {
        if constexpr (requires { part.density = std::forward<Of>(density); })
          part.density = std::forward<Of>(density);
      },
      take_density(in, in.take_index(levels_follow), is_pair));
  return part;
}

/// Which part is the density of so many numbers; of none there is none.
std::size_t take_part_index(Reader& in, const std::vector<NumberDensity>& parts, std::size_t n_numbers) {
  const std::size_t index = in.take_index(parts.size() + 1);
  if (index == parts.size()) return LevelDensity::none;
  const auto& density = parts[index].density;
  const bool is_pair = std::holds_alternative<Grid2d>(density) || std::holds_alternative<Kde2d>(density);
  if (n_numbers != (is_pair ? 2U : 1U)) in.refuse("has the density of something else for a level");
  return index;
}

LevelDensity take_levels(Reader& in, const Term& term, std::span<const Levels> levels) {
  LevelDensity density;
  density.x = axis_of(levels, term.i, in.take_index(2) == 1);
  const bool second_has_missing = in.take_index(2) == 1;
  if (!term.is_pair() && second_has_missing) in.refuse("has missing values of no feature");
  density.y = term.is_pair() ? axis_of(levels, term.j, second_has_missing) : no_second;
  density.level_rows = take_row_count(in);
  density.prior_rows = take_row_count(in);
  density.log_shares = in.take_numbers(density.x.n_levels, density.y.n_levels);
  for (const double share : density.log_shares) static_cast<void>(in.moderate(share));
  for (std::size_t count = in.take_size(4 * sizeof(double)); count > 0; --count)
    density.parts.push_back(take_part(in));
  for (std::size_t cell = 0; cell < density.n_cells(); ++cell) {
    const bool has_x = density.x.has_numbers(cell / density.y.n_levels);
    const bool has_y = density.y.has_numbers(cell % density.y.n_levels);
    density.cells.push_back(take_part_index(in, density.parts, (has_x ? 1U : 0U) + (has_y ? 1U : 0U)));
  }
  density.margin_x = take_part_index(in, density.parts, density.x.is_number ? 1 : 0);
  density.margin_y = take_part_index(in, density.parts, density.y.is_number ? 1 : 0);
  return density;
}

}  // namespace

void put_bandwidth(Writer& out, const Density& density) {
  if (const auto* kde = std::get_if<Kde1d>(&density))
    return out.put_numbers(std::array{kde->bandwidth, 0.0, 0.0, 1.0, 1.0});
  const auto& kde = std::get<Kde2d>(density);
  out.put_numbers(std::array{kde.H.xx, kde.H.xy, kde.H.yy, kde.unit_x, kde.unit_y});
}

Density take_by_bandwidth(Reader& in, const Term& term, const Matrix& sample) {
  const auto parameters = in.take_numbers(5);
  if (!(parameters[3] > 0 && parameters[4] > 0)) in.refuse("has a unit that is not positive");
  const auto x = sample.column(term.i);
  try {
    if (!term.is_pair()) return make_kde1d(x, parameters[0]);
    return make_kde2d(x, sample.column(term.j), {parameters[0], parameters[1], parameters[2]}, parameters[3],
                      parameters[4]);
  } catch (const std::invalid_argument& error) {
    in.fail(std::string("the model file is damaged: ") + error.what());
  }
}

void put_counts(Writer& out, const Density& density) {
  std::visit(
      [&](const auto& counts) {
        if constexpr (requires { put(out, counts); }) put(out, counts);
      },
      density);
}

Density take_counts(Reader& in, const Term& term, std::span<const Levels> levels) {
  const auto what = static_cast<std::uint64_t>(in.take_index(levels_follow + 1));
  if (what == levels_follow) {
    if (term.prior_rows != 0) in.refuse("has pseudo-rows outside of levels");
    return take_levels(in, term, levels);
  }
  if (!is_number(levels, term.i) || !is_number(levels, term.j))
    in.refuse("has a density of numbers for categories");
  return take_density(in, what, term.is_pair());
}

}  // namespace dyad::internal
