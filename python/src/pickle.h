// Pickles of what the core binds.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>

namespace dyad::python {

/// The method `__reduce_ex__` of a class with `__getstate__` and `__setstate__`.
///
/// Python's own takes protocols 2 and later only; this one takes all, with the same bytes.
inline nanobind::tuple reduced(const nanobind::object& self, int /*protocol*/) {
  return nanobind::make_tuple(nanobind::module_::import_("copyreg").attr("__newobj__"),
                              nanobind::make_tuple(self.type()), self.attr("__getstate__")());
}

}  // namespace dyad::python
