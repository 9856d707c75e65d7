// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/internal/density_bytes.h"

namespace dyad::internal {
namespace {

bool is_number(std::span<const Levels> levels, std::size_t feature) {
  return feature >= levels.size() || levels[feature].is_number();
}

/// The levels of a feature.
LevelAxis axis_of(std::span<const Levels> levels, std::size_t feature, bool has_missing) {
  const bool numbers = is_number(levels, feature);
  return {numbers, has_missing, (numbers ? 1 : levels[feature].size()) + (has_missing ? 1 : 0)};
}

/// The alternative T of a variant, which it has where it is written, and gets where it is read.
template <class T, class... Of>
const T& as(const std::variant<Of...>& density) {
  return std::get<T>(density);
}
template <class T, class... Of>
T& as(std::variant<Of...>& density) {
  return density.template emplace<T>();
}

// --- densities of numbers ---

constexpr auto damaged = "the model file is damaged";

/// What follows a term of the counts engine, or a part of one.
constexpr std::uint64_t table_follows = 0;
constexpr std::uint64_t points_follow = 1;
constexpr std::uint64_t levels_follow = 2;

template <class... Of>
std::uint64_t follows(const std::variant<Of...>& density) {
  const auto of_type = []<class T>(const T& /*density*/) {
    if constexpr (std::same_as<T, LevelDensity>) return levels_follow;
    return std::same_as<T, Kde1d> || std::same_as<T, Kde2d> ? points_follow : table_follows;
  };
  return std::visit(of_type, density);
}

bool is_pair(const NumberDensity& part) {
  return std::holds_alternative<Grid2d>(part.density) || std::holds_alternative<Kde2d>(part.density);
}

void exchange(auto& ar, Is<LogTable> auto& table, std::size_t n_nodes) {
  ar.number(table.top);
  ar.positive(table.unit);
  require_moderate(ar, table.top);
  require_moderate(ar, table.unit);
  ar.values(table.depths, n_nodes);
}

void exchange(auto& ar, Is<Grid1d> auto& grid) {
  exchange(ar, grid.scaling);
  exchange(ar, grid.axis, grid.bandwidth);
  exchange(ar, grid.table, grid.axis.size);
}

void exchange(auto& ar, Is<Grid2d> auto& grid) {
  exchange(ar, grid.frame);
  exchange(ar, grid.table, grid.frame.u.size * grid.frame.v.size);
}

void exchange(auto& ar, Is<Kde1d> auto& kde) {
  ar.positive(kde.bandwidth);
  const std::size_t n = ar.size(sizeof(double), kde.points);
  ar.numbers(kde.points, n);
  ar.require(n > 0 && std::ranges::is_sorted(kde.points), "has points in no order");
}

void exchange_bandwidth(auto& ar, Is<Symmetric2> auto& H, auto& unit_x, auto& unit_y) {
  ar.number(H.xx, H.xy, H.yy, unit_x, unit_y);
  ar.require(unit_x > 0 && unit_y > 0, "has a unit that is not positive");
}

void complete(const Writer& /*out*/, const Kde2d& /*kde*/) {}

/// Sets up the coordinates of points that are kept in them.
void complete(const Reader& in, Kde2d& kde) {
  constexpr std::array any_point{0.0};
  const Kde2d other =
      in.checked(damaged, [&] { return make_kde2d(any_point, any_point, kde.H, kde.unit_x, kde.unit_y); });
  kde.L_xx = other.L_xx;
  kde.L_yx = other.L_yx;
  kde.L_yy = other.L_yy;
}

void exchange(auto& ar, Is<Kde2d> auto& kde) {
  exchange_bandwidth(ar, kde.H, kde.unit_x, kde.unit_y);
  complete(ar, kde);
  ar.number(kde.centre_x, kde.centre_y);
  const std::size_t n = ar.size(2 * sizeof(double), kde.u);
  ar.numbers(kde.u, n);
  ar.numbers(kde.v, n);
  ar.require(n > 0 && std::ranges::is_sorted(kde.u), "has points in no order");
}

/// A density of one number, or of two, that `what` follows for.
void exchange_numbers(auto& ar, auto& density, std::uint64_t what, bool is_pair) {
  if (what == points_follow)
    is_pair ? exchange(ar, as<Kde2d>(density)) : exchange(ar, as<Kde1d>(density));
  else
    is_pair ? exchange(ar, as<Grid2d>(density)) : exchange(ar, as<Grid1d>(density));
}

// --- shares of levels ---

void exchange(auto& ar, Is<NumberDensity> auto& part) {
  bool pair = is_pair(part);
  std::uint64_t what = follows(part.density);
  ar.index(pair, 2);
  ar.positive(part.n_rows);
  ar.index(what, levels_follow);
  exchange_numbers(ar, part.density, what, pair);
}

void exchange(auto& ar, Is<LevelDensity> auto& density, const Term& term, std::span<const Levels> levels) {
  bool x_has_missing = density.x.has_missing;
  bool y_has_missing = density.y.has_missing;
  ar.index(x_has_missing, 2);
  ar.index(y_has_missing, 2);
  ar.require(term.is_pair() || !y_has_missing, "has missing values of no feature");
  ar.restore(density.x, axis_of(levels, term.i, x_has_missing));
  ar.restore(density.y, term.is_pair() ? axis_of(levels, term.j, y_has_missing) : LevelAxis{});
  exchange_row_count(ar, density.level_rows);
  exchange_row_count(ar, density.prior_rows);
  ar.numbers(density.log_shares, density.x.n_levels, density.y.n_levels);
  for (const double share : density.log_shares) require_moderate(ar, share);
  const std::size_t n_parts = ar.size(4 * sizeof(double), density.parts);
  for (auto& part : density.parts) exchange(ar, part);
  exchange_cells(
      ar, density, n_parts, [&](std::size_t& index) { ar.index(index, n_parts + 1); },
      [&](std::size_t index) { return is_pair(density.parts[index]); });
}

void exchange_either(auto& ar, Is<Term> auto& term, std::span<const Levels> levels) {
  std::uint64_t what = follows(term.density);
  ar.index(what, levels_follow + 1);
  if (what == levels_follow) {
    ar.require(term.prior_rows == 0, "has pseudo-rows outside of levels");
    exchange(ar, as<LevelDensity>(term.density), term, levels);
  } else {
    ar.require(is_number(levels, term.i) && is_number(levels, term.j),
               "has a density of numbers for categories");
    exchange_numbers(ar, term.density, what, term.is_pair());
  }
}

}  // namespace

void exchange_bandwidth(Writer& out, const Term& term, const Matrix& /*sample*/) {
  if (const auto* kde = std::get_if<Kde1d>(&term.density))
    return out.number(kde->bandwidth, 0.0, 0.0, 1.0, 1.0);
  const auto& kde = std::get<Kde2d>(term.density);
  exchange_bandwidth(out, kde.H, kde.unit_x, kde.unit_y);
}

void exchange_bandwidth(Reader& in, Term& term, const Matrix& sample) {
  Kde2d kde;
  exchange_bandwidth(in, kde.H, kde.unit_x, kde.unit_y);
  const auto x = sample.column(term.i);
  const auto y = sample.column(term.j);
  term.density = in.checked(damaged, [&]() -> Density {
    if (!term.is_pair()) return make_kde1d(x, kde.H.xx);
    return make_kde2d(x, y, kde.H, kde.unit_x, kde.unit_y);
  });
}

void exchange_counts(Writer& out, const Term& term, std::span<const Levels> levels) {
  exchange_either(out, term, levels);
}

void exchange_counts(Reader& in, Term& term, std::span<const Levels> levels) {
  exchange_either(in, term, levels);
}

}  // namespace dyad::internal
