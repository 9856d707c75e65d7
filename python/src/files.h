// Files, with the errors that Python has for them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <Python.h>
#include <nanobind/nanobind.h>

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <system_error>

#include "python/src/interruptible.h"

namespace dyad::python {

/// work() on a file, without the GIL. Where the library throws std::runtime_error, the OSError of the reason
/// is raised: FileNotFoundError, PermissionError and so on.
template <class Work>
auto on_file(const std::string& path, const Work& work) {
  if (path.find('\0') != std::string::npos) throw std::invalid_argument("the path holds a NUL character");
  try {
    return without_gil([&] {
      errno = 0;
      return work();
    });
  } catch (const std::runtime_error&) {
    const int reason = errno;  // getting the GIL back leaves it as it was
    std::error_code ignored;
    // The library refuses a folder before any system call fails.
    errno = std::filesystem::is_directory(path, ignored) ? EISDIR : reason;
    PyErr_SetFromErrnoWithFilename(PyExc_OSError, path.c_str());
    throw nanobind::python_error();
  }
}

}  // namespace dyad::python
