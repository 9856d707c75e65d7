// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/any_density.h"

#include "dyad/density/counts_bandwidth.h"

namespace dyad {
namespace {

Matrix matrix_from(double h) {
  Matrix result(1, 1);
  result(0, 0) = h;
  return result;
}
Matrix matrix_from(const Symmetric2& H, double unit_x = 1, double unit_y = 1) {
  Matrix result(2, 2);
  result(0, 0) = H.xx * unit_x * unit_x;
  result(0, 1) = result(1, 0) = H.xy * unit_x * unit_y;
  result(1, 1) = H.yy * unit_y * unit_y;
  return result;
}

Matrix bandwidth_of(const Kde1d& kde) { return matrix_from(kde.bandwidth); }
Matrix bandwidth_of(const Grid1d& grid) { return matrix_from(grid.bandwidth * grid.scaling.scale); }
Matrix bandwidth_of(const Kde2d& kde) { return matrix_from(kde.H, kde.unit_x, kde.unit_y); }
Matrix bandwidth_of(const Grid2d& grid) {
  return matrix_from(matrix_of(grid.frame.kernel), grid.frame.x.scale, grid.frame.y.scale);
}

void require_one_or_two_columns(const MatrixView& x) {
  if (x.n_cols != 1 && x.n_cols != 2)
    throw std::invalid_argument("density: expected one or two columns, got " + std::to_string(x.n_cols));
}

void require_bandwidth(const MatrixView& H, std::size_t d) {
  if (H.n_rows != d || H.n_cols != d)
    throw std::invalid_argument("density: the bandwidth of one column is a number, of two a 2 x 2 matrix");
  if (d == 2 && H.data[1] != H.data[2])
    throw std::invalid_argument("density: the bandwidth matrix is not symmetric, got " +
                                number_text(H.data[2]) + " and " + number_text(H.data[1]));
}

}  // namespace

Matrix bandwidth_matrix(const MatrixView& x, BandwidthRule rule, Engine engine) {
  require_one_or_two_columns(x);
  const bool exact = engine == Engine::exact;
  if (x.n_cols == 1)
    return matrix_from(exact ? bandwidth_1d(x.column(0), rule) : counts_bandwidth_1d(x.column(0), rule));
  return matrix_from(exact ? bandwidth_2d(x.column(0), x.column(1), rule)
                           : counts_bandwidth_2d(x.column(0), x.column(1), rule));
}

AnyDensity fit_density(const MatrixView& x, BandwidthRule rule, Engine engine, std::size_t grid) {
  require_one_or_two_columns(x);
  const bool exact = engine == Engine::exact;
  const auto u = x.column(0);
  if (x.n_cols == 1) return exact ? AnyDensity(fit_kde1d(u, rule)) : AnyDensity(fit_grid1d(u, rule, grid));
  const auto v = x.column(1);
  return exact ? AnyDensity(fit_kde2d(u, v, rule)) : AnyDensity(fit_grid2d(u, v, rule, grid));
}

AnyDensity make_density(const MatrixView& x, const MatrixView& bandwidth, Engine engine, std::size_t grid) {
  require_one_or_two_columns(x);
  require_bandwidth(bandwidth, x.n_cols);
  const bool exact = engine == Engine::exact;
  const double* const h = bandwidth.data;
  const auto u = x.column(0);
  if (x.n_cols == 1) return exact ? AnyDensity(make_kde1d(u, h[0])) : AnyDensity(make_grid1d(u, h[0], grid));
  const auto v = x.column(1);
  const Symmetric2 H{h[0], h[1], h[3]};
  return exact ? AnyDensity(make_kde2d(u, v, H)) : AnyDensity(make_grid2d(u, v, H, grid));
}

Matrix bandwidth_matrix(const AnyDensity& density) {
  return std::visit([](const auto& estimate) { return bandwidth_of(estimate); }, density);
}

std::size_t dimension_of(const AnyDensity& density) {
  return std::holds_alternative<Kde1d>(density) || std::holds_alternative<Grid1d>(density) ? 1 : 2;
}

std::vector<double> log_densities(const AnyDensity& density, const MatrixView& x,
                                  const Execution& execution) {
  constexpr std::size_t block = 1024;
  if (x.n_cols != dimension_of(density))
    throw std::invalid_argument("density: expected " + std::to_string(dimension_of(density)) +
                                " columns, got " + std::to_string(x.n_cols));
  std::vector<double> result(x.n_rows);
  parallel_blocks(x.n_rows, block, execution, "", [&](std::size_t first, std::size_t count) {
    const auto column = [&](std::size_t j) { return x.column(j).subspan(first, count); };
    const auto out = std::span(result).subspan(first, count);
    std::visit(
        [&](const auto& estimate) {
          if constexpr (requires { log_density(estimate, column(0), out); })
            log_density(estimate, column(0), out);
          else
            log_density(estimate, column(0), column(1), out);
        },
        density);
  });
  return result;
}

}  // namespace dyad
