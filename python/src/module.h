// The parts of the extension module, one a concept.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

void bind_density(nanobind::module_& module);
void bind_dependence(nanobind::module_& module);
void bind_edits(nanobind::module_& module);
void bind_explanation(nanobind::module_& module);
void bind_fitting(nanobind::module_& module);
void bind_model(nanobind::module_& module);
void bind_report(nanobind::module_& module);
void bind_simulation(nanobind::module_& module);
void bind_state(nanobind::module_& module);

}  // namespace dyad::python
