// Rows of two classes from simulated Bayesian networks.
// SPDX-License-Identifier: BSD-3-Clause
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dyad/simulation/scenarios.h"
#include "python/src/arrays.h"
#include "python/src/interruptible.h"
#include "python/src/module.h"
#include "python/src/options.h"

namespace dyad::python {

void bind_simulation(nb::module_& module) {
  using namespace nb::literals;

  nb::class_<Simulation>(module, "Simulation", "A pair of networks drawn from a scenario.")
      .def(
          "__init__",
          [](Simulation* self, const std::string& scenario, std::uint64_t seed, const nb::dict& options) {
            const auto value = named<Scenario>(scenario_names, scenario, "scenario");
            new (self) Simulation(value, options_over(calibrated_options(value), options), seed);
          },
          "scenario"_a, "seed"_a, "options"_a)
      .def_prop_ro("parents",
                   [](const Simulation& self) {
                     std::vector<std::vector<std::vector<std::size_t>>> result(2);
                     for (std::size_t c = 0; c < result.size(); ++c)
                       for (const Node& node : self.network(c).nodes()) result[c].push_back(parents_of(node));
                     return result;
                   })
      .def(
          "sample",
          [](const Simulation& self, std::size_t n, double imbalance, std::uint64_t draw, int n_threads) {
            LabelledSample sample = interruptible_if(n > 100000, n_threads, [&](const Execution& execution) {
              return self.sample(n, imbalance, draw, execution);
            });
            return nb::make_tuple(array_of(std::move(sample.X)), array_of(std::move(sample.y)));
          },
          "n"_a, "imbalance"_a, "draw"_a, "n_threads"_a)
      .def(
          "log_likelihood_ratio",
          [](const Simulation& self, const Rows& X, int n_threads) {
            require_floats(X);
            return array_of(interruptible_if(X.shape(0) > 100000, n_threads, [&](const Execution& execution) {
              return self.log_likelihood_ratio(ColumnMajor(X).view(), execution);
            }));
          },
          "X"_a, "n_threads"_a)
      .def(
          "bayes_error",
          [](const Simulation& self, std::size_t n, int n_threads) {
            return interruptible_if(n > 100000, n_threads, [&](const Execution& execution) {
              return self.bayes_error(n, execution);
            });
          },
          "n"_a, "n_threads"_a);
  module.def(
      "calibrated_options",
      [](const std::string& scenario) {
        return options_dict(calibrated_options(named<Scenario>(scenario_names, scenario, "scenario")));
      },
      "scenario"_a, "What a simulation of the scenario has where nothing else is given.");
}

}  // namespace dyad::python
