// Bandwidths and densities of one feature or two.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <variant>

#include "dyad/base/engine.h"
#include "dyad/base/execution.h"
#include "dyad/density/bandwidth.h"
#include "dyad/density/counts_bandwidth.h"
#include "dyad/density/grid1d.h"
#include "dyad/density/grid2d.h"
#include "dyad/density/kde1d.h"
#include "dyad/density/kde2d.h"
#include "python/src/arrays.h"
#include "python/src/interruptible.h"
#include "python/src/module.h"
#include "python/src/options.h"

namespace dyad::python {
namespace {

using AnyDensity = std::variant<Kde1d, Kde2d, Grid1d, Grid2d>;

/// 1 x 1 or 2 x 2.
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

Matrix bandwidth_of(const MatrixView& x, BandwidthRule rule, Engine engine) {
  const bool exact = engine == Engine::exact;
  if (x.n_cols == 1)
    return matrix_from(exact ? bandwidth_1d(x.column(0), rule) : counts_bandwidth_1d(x.column(0), rule));
  return matrix_from(exact ? bandwidth_2d(x.column(0), x.column(1), rule)
                           : counts_bandwidth_2d(x.column(0), x.column(1), rule));
}

Grid1d make_grid1d(std::span<const double> x, double bandwidth, std::size_t grid) {
  require_grid(grid, "density");
  if (!(bandwidth > 0) || !std::isfinite(bandwidth))
    throw std::invalid_argument("density: the bandwidth must be positive and finite, got " +
                                number_text(bandwidth));
  const ScaledColumn column = scaled_column(x);
  return smooth(bin_column(column, bandwidth / column.scaling.scale, grid)).grid;
}

AnyDensity density_of(const MatrixView& x, const std::optional<Matrix>& bandwidth, BandwidthRule rule,
                      Engine engine, std::size_t grid) {
  const bool exact = engine == Engine::exact;
  if (x.n_cols == 1) {
    const auto values = x.column(0);
    if (!bandwidth)
      return exact ? AnyDensity(fit_kde1d(values, rule)) : AnyDensity(fit_grid1d(values, rule, grid));
    const double h = (*bandwidth)(0, 0);
    return exact ? AnyDensity(make_kde1d(values, h)) : AnyDensity(make_grid1d(values, h, grid));
  }
  const auto u = x.column(0);
  const auto v = x.column(1);
  if (!bandwidth) return exact ? AnyDensity(fit_kde2d(u, v, rule)) : AnyDensity(fit_grid2d(u, v, rule, grid));
  const Symmetric2 H{(*bandwidth)(0, 0), (*bandwidth)(0, 1), (*bandwidth)(1, 1)};
  return exact ? AnyDensity(make_kde2d(u, v, H)) : AnyDensity(make_grid2d(u, v, H, grid));
}

Matrix bandwidth_matrix(const Kde1d& kde) { return matrix_from(kde.bandwidth); }
Matrix bandwidth_matrix(const Grid1d& grid) { return matrix_from(grid.bandwidth * grid.scaling.scale); }
Matrix bandwidth_matrix(const Kde2d& kde) { return matrix_from(kde.H, kde.unit_x, kde.unit_y); }
Matrix bandwidth_matrix(const Grid2d& grid) {
  return matrix_from(matrix_of(grid.frame.kernel), grid.frame.x.scale, grid.frame.y.scale);
}

std::vector<double> log_densities(const AnyDensity& density, const MatrixView& x,
                                  const Execution& execution) {
  constexpr std::size_t block = 1024;
  std::vector<double> result(x.n_rows);
  parallel_for((x.n_rows + block - 1) / block, execution, "", [&](std::size_t k) {
    const std::size_t first = k * block;
    const std::size_t count = std::min(block, x.n_rows - first);
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

bool is_exact(const AnyDensity& density) {
  return std::holds_alternative<Kde1d>(density) || std::holds_alternative<Kde2d>(density);
}

std::size_t dimension_of(const AnyDensity& density) {
  return std::holds_alternative<Kde1d>(density) || std::holds_alternative<Grid1d>(density) ? 1 : 2;
}

/// Throws std::invalid_argument unless there are one or two columns, or as many as given.
void require_columns(const Rows& x, std::optional<std::size_t> wanted = {}) {
  require_floats(x);
  const std::size_t d = x.shape(1);
  if (wanted ? d != *wanted : d != 1 && d != 2)
    throw std::invalid_argument("expected " + (wanted ? std::to_string(*wanted) : std::string("one or two")) +
                                " columns, got " + std::to_string(d));
}

/// Throws std::invalid_argument unless H is a symmetric d x d matrix.
void require_bandwidth(const Matrix& H, std::size_t d) {
  if (H.n_rows != d || H.n_cols != d)
    throw std::invalid_argument("density: the bandwidth of one column is a number, of two a 2 x 2 matrix");
  if (d == 2 && H(0, 1) != H(1, 0))
    throw std::invalid_argument("density: the bandwidth matrix is not symmetric, got " +
                                number_text(H(0, 1)) + " and " + number_text(H(1, 0)));
}

}  // namespace

void bind_density(nb::module_& module) {
  using namespace nb::literals;

  nb::class_<AnyDensity>(module, "Density", "A Gaussian kernel density estimate of one feature or two.")
      .def(
          "__init__",
          [](AnyDensity* self, const Rows& x, const std::optional<Rows>& bandwidth, const std::string& rule,
             const std::string& engine, std::size_t grid) {
            require_columns(x);
            std::optional<Matrix> given;
            if (bandwidth) {
              require_floats(*bandwidth);
              given = matrix_of(*bandwidth);
              require_bandwidth(*given, x.shape(1));
            }
            const auto rule_value = named<BandwidthRule>(bandwidth_rule_names, rule, "rule");
            const auto engine_value = named<Engine>(engine_names, engine, "engine");
            const nb::gil_scoped_release release;
            new (self) AnyDensity(density_of(ColumnMajor(x).view(), given, rule_value, engine_value, grid));
          },
          "x"_a, "bandwidth"_a = nb::none(), "rule"_a = "plug_in", "engine"_a = "counts", "grid"_a = 128)
      .def_prop_ro(
          "bandwidth",
          [](const AnyDensity& self) {
            return array_of(std::visit([](const auto& density) { return bandwidth_matrix(density); }, self));
          },
          nb::rv_policy::move)
      .def(
          "log_density",
          [](const AnyDensity& self, const Rows& x) {
            require_columns(x, dimension_of(self));
            return array_of(interruptible_if(is_exact(self), 1, [&](const Execution& execution) {
              return log_densities(self, ColumnMajor(x).view(), execution);
            }));
          },
          "x"_a);

  module.def(
      "bandwidth",
      [](const Rows& x, const std::string& rule, const std::string& engine) {
        require_columns(x);
        const auto rule_value = named<BandwidthRule>(bandwidth_rule_names, rule, "rule");
        const auto engine_value = named<Engine>(engine_names, engine, "engine");
        return array_of(
            without_gil([&] { return bandwidth_of(ColumnMajor(x).view(), rule_value, engine_value); }));
      },
      "x"_a, "rule"_a, "engine"_a, "Bandwidth (1 x 1 or 2 x 2) of a sample of one column or two.");
}

}  // namespace dyad::python
