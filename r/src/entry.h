// Functions of C++ as R calls them.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cpp11.hpp>
#include <cpp11/declarations.hpp>
#include <type_traits>

namespace dyad::r {

/// `Entry<f>::call` takes and returns R values for f; a C++ exception becomes an R error of the same message.
template <auto F>
struct Entry;

template <class Result, class... Args, Result (*F)(Args...)>
struct Entry<F> {
  template <class>
  struct Given {
    using type = SEXP;
  };

  static SEXP call(typename Given<Args>::type... given) {
    BEGIN_CPP11
    return cpp11::as_sexp(F(cpp11::as_cpp<std::decay_t<Args>>(given)...));
    END_CPP11
  }
};

/// The row of f in the table of routines.
template <auto F>
struct Routine;

template <class Result, class... Args, Result (*F)(Args...)>
struct Routine<F> {
  static R_CallMethodDef named(const char* name) {
    return {name, reinterpret_cast<DL_FUNC>(&Entry<F>::call), static_cast<int>(sizeof...(Args))};
  }
};

}  // namespace dyad::r
