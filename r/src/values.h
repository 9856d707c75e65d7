// R values in and out of the library.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cmath>
#include <cpp11.hpp>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "dyad/base/matrix_view.h"
#include "dyad/base/options.h"
#include "dyad/data/levels.h"
#include "dyad/model/model.h"

namespace dyad::r {

using Numbers = cpp11::doubles;
using Columns = cpp11::doubles_matrix<>;

inline std::span<const double> view_of(const Numbers& values) {
  return {REAL_RO(values.data()), static_cast<std::size_t>(values.size())};
}

/// The matrix where it lies, by columns as the library reads it.
inline MatrixView view_of(const Columns& X) {
  return {REAL_RO(X.data()), static_cast<std::size_t>(X.nrow()), static_cast<std::size_t>(X.ncol())};
}

inline std::vector<double> vector_of(const Numbers& values) {
  const auto view = view_of(values);
  return {view.begin(), view.end()};
}

inline std::vector<std::string> texts_of(const cpp11::strings& texts) {
  std::vector<std::string> result;
  result.reserve(static_cast<std::size_t>(texts.size()));
  for (const cpp11::r_string& text : texts) result.emplace_back(text);
  return result;
}

/// R's vector of numbers.
template <class Values>
cpp11::writable::doubles numbers(const Values& values) {
  cpp11::writable::doubles result(static_cast<R_xlen_t>(values.size()));
  std::ranges::copy(values, REAL(result.data()));
  return result;
}

/// R's vector of whole numbers, such as positions counted from 1, which are `first` above the values.
template <class Values>
cpp11::writable::integers integers(const Values& values, int first = 0) {
  cpp11::writable::integers result(static_cast<R_xlen_t>(values.size()));
  std::ranges::transform(values, INTEGER(result.data()),
                         [first](const auto value) { return static_cast<int>(value) + first; });
  return result;
}

template <class Texts>
cpp11::writable::strings strings(const Texts& texts) {
  cpp11::writable::strings result(static_cast<R_xlen_t>(texts.size()));
  R_xlen_t k = 0;
  for (const auto& text : texts) result[k++] = std::string(text);
  return result;
}

inline cpp11::writable::doubles_matrix<> matrix(const Matrix& values) {
  cpp11::writable::doubles_matrix<> result(static_cast<int>(values.n_rows), static_cast<int>(values.n_cols));
  std::ranges::copy(values.data, REAL(result.data()));
  return result;
}

inline cpp11::writable::raws raw_bytes(std::string_view bytes) {
  cpp11::writable::raws result(static_cast<R_xlen_t>(bytes.size()));
  std::ranges::copy(bytes, RAW(result.data()));
  return result;
}

/// The value of an enumeration with that name. Throws std::invalid_argument that lists the names.
template <class Enum, std::size_t N>
Enum named(const Names<N>& names, std::string_view name, std::string_view what) {
  return static_cast<Enum>(index_of_name(names, name, what));
}

/// The levels of each feature, none of a number; empty if all are numbers.
[[nodiscard]] std::vector<Levels> levels_of(const cpp11::list& names);

/// The object that an external pointer owns. Throws std::invalid_argument if there is none.
template <class T>
T& owned_by(SEXP pointer) {
  if (TYPEOF(pointer) != EXTPTRSXP || R_ExternalPtrAddr(pointer) == nullptr)
    throw std::invalid_argument("object: expected a model or density of this package, got another value");
  return *static_cast<T*>(R_ExternalPtrAddr(pointer));
}

inline const Model& model_of(SEXP pointer) { return owned_by<const Model>(pointer); }

}  // namespace dyad::r
