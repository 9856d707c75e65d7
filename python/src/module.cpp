// The extension module dyad._core.
// SPDX-License-Identifier: BSD-3-Clause
#include "python/src/module.h"

#include "dyad/version.h"

NB_MODULE(_core, module) {
  module.doc() = "The C++ library of dyad.";
  module.attr("__version__") = dyad::version;
  dyad::python::bind_density(module);
  dyad::python::bind_dependence(module);
  dyad::python::bind_model(module);
  dyad::python::bind_fitting(module);
  dyad::python::bind_explanation(module);
  dyad::python::bind_edits(module);
  dyad::python::bind_report(module);
  dyad::python::bind_simulation(module);
  dyad::python::bind_state(module);
}
