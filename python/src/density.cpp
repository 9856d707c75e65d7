// Bandwidths and densities of one feature or two.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "dyad/density/any_density.h"
#include "python/src/arrays.h"
#include "python/src/interruptible.h"
#include "python/src/module.h"
#include "python/src/options.h"

namespace dyad::python {
namespace {

bool is_exact(const AnyDensity& density) {
  return std::holds_alternative<Kde1d>(density) || std::holds_alternative<Kde2d>(density);
}

}  // namespace

void bind_density(nb::module_& module) {
  using namespace nb::literals;

  nb::class_<AnyDensity>(module, "Density", "A Gaussian kernel density estimate of one feature or two.")
      .def(
          "__init__",
          [](AnyDensity* self, const Rows& x, const std::optional<Rows>& bandwidth, const std::string& rule,
             const std::string& engine, std::size_t grid) {
            require_floats(x);
            std::optional<Matrix> given;
            if (bandwidth) {
              require_floats(*bandwidth);
              given = matrix_of(*bandwidth);
            }
            const auto rule_value = named<BandwidthRule>(bandwidth_rule_names, rule, "rule");
            const auto engine_value = named<Engine>(engine_names, engine, "engine");
            const nb::gil_scoped_release release;
            const ColumnMajor columns(x);
            new (self) AnyDensity(given ? make_density(columns.view(), *given, engine_value, grid)
                                        : fit_density(columns.view(), rule_value, engine_value, grid));
          },
          "x"_a, "bandwidth"_a = nb::none(), "rule"_a = "plug_in", "engine"_a = "counts", "grid"_a = 128)
      .def_prop_ro(
          "bandwidth", [](const AnyDensity& self) { return array_of(bandwidth_matrix(self)); },
          nb::rv_policy::move)
      .def(
          "log_density",
          [](const AnyDensity& self, const Rows& x) {
            require_floats(x);
            return array_of(interruptible_if(is_exact(self), 1, [&](const Execution& execution) {
              return log_densities(self, ColumnMajor(x).view(), execution);
            }));
          },
          "x"_a);

  module.def(
      "bandwidth",
      [](const Rows& x, const std::string& rule, const std::string& engine) {
        require_floats(x);
        const auto rule_value = named<BandwidthRule>(bandwidth_rule_names, rule, "rule");
        const auto engine_value = named<Engine>(engine_names, engine, "engine");
        return array_of(
            without_gil([&] { return bandwidth_matrix(ColumnMajor(x).view(), rule_value, engine_value); }));
      },
      "x"_a, "rule"_a, "engine"_a, "Bandwidth (1 x 1 or 2 x 2) of a sample of one column or two.");
}

}  // namespace dyad::python
