// Options structs as Python dicts: names and types are those that the structs describe.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>

#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "dyad/base/options.h"
#include "dyad/data/values.h"
#include "dyad/fit/options.h"

namespace dyad::python {

namespace nb = nanobind;

/// The value of an enumeration with that name. Throws std::invalid_argument that lists the names if there is
/// none.
template <class Enum, std::size_t N>
Enum named(const Names<N>& names, std::string_view name, std::string_view what) {
  return static_cast<Enum>(index_of_name(names, name, what));
}

/// The name of the type of labels, the usual one if their source did not tell it.
inline std::string label_type_name(ValueType type, std::span<const std::string> classes) {
  return option_text(type == ValueType::unknown ? usual_type(classes) : type, value_type_names);
}

/// Name -> value; names of enumerations as text.
template <class Options>
nb::dict options_dict(const Options& options) {
  nb::dict result;
  Options::describe(options, [&](std::string_view name, const auto& value, const auto& allowed, auto) {
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
      result[nb::cast(name)] = option_text(value, allowed);
    else
      result[nb::cast(name)] = value;
  });
  return result;
}

/// Name -> kind ("choice", "bool", "int" or "float"), allowed values (names of a choice, range of a number)
/// and help.
template <class Options>
nb::dict options_description() {
  nb::dict result;
  const Options options{};
  Options::describe(
      options, [&](std::string_view name, const auto& value, const auto& allowed, std::string_view help) {
        using Value = std::remove_cvref_t<decltype(value)>;
        nb::dict field;
        if constexpr (std::is_enum_v<Value>) {
          nb::list names;
          for (const std::string_view each : allowed) names.append(each);
          field["kind"] = "choice";
          field["values"] = nb::tuple(names);
        } else if constexpr (std::is_same_v<Value, bool>) {
          field["kind"] = "bool";
        } else {
          field["kind"] = std::is_floating_point_v<Value> ? "float" : "int";
          field["range"] = range_text(allowed);
        }
        field["help"] = help;
        result[nb::cast(name)] = field;
      });
  return result;
}

template <class Value, class Allowed>
void set_from_python(Value& value, const Allowed& allowed, std::string_view name, nb::handle given) {
  const auto expect = [&](bool right, const char* kind) {
    if (!right)
      throw nb::type_error(
          (std::string(name) + " must be " + kind + ", got " + nb::repr(given).c_str()).c_str());
  };
  if constexpr (std::is_enum_v<Value>) {
    expect(nb::isinstance<nb::str>(given), "a string");
    set_option(value, allowed, name, current_value(name, nb::cast<std::string>(given)));
  } else if constexpr (std::is_same_v<Value, bool>) {
    expect(nb::isinstance<nb::bool_>(given), "True or False");
    value = nb::cast<bool>(given);
  } else if constexpr (std::is_floating_point_v<Value>) {
    expect(PyNumber_Check(given.ptr()) != 0 && !nb::isinstance<nb::bool_>(given), "a number");
    value = PyFloat_AsDouble(given.ptr());
    if (PyErr_Occurred() != nullptr) throw nb::python_error();
  } else {
    expect(PyIndex_Check(given.ptr()) != 0 && !nb::isinstance<nb::bool_>(given), "an integer");
    // Numbers too large or negative for the type come out as an error of the range that the option allows.
    const nb::object number = nb::steal(PyNumber_Index(given.ptr()));
    if (!nb::try_cast(number, value))
      throw std::invalid_argument(std::string(name) + " must be " + range_text(allowed) + ", got " +
                                  nb::repr(given).c_str());
  }
}

/// Options with the values of a dict in place of those of `base`, not validated. Throws std::invalid_argument
/// for an unknown name or value, nb::type_error for a value of another type.
template <class Options>
Options options_over(Options base, const nb::dict& given) {
  std::size_t n_known = 0;
  Options::describe(base, [&](std::string_view name, auto& value, const auto& allowed, auto) {
    const nb::object key = nb::cast(name);
    if (!given.contains(key)) return;
    ++n_known;
    set_from_python(value, allowed, name, given[key]);
  });
  if (n_known != given.size()) {
    const nb::dict known = options_dict(base);
    for (const auto [key, value] : given)
      if (!known.contains(key))
        throw std::invalid_argument(std::string("no such option: ") + nb::repr(key).c_str());
  }
  return base;
}

/// The same over the defaults, validated.
template <class Options>
Options options_from(const nb::dict& given) {
  Options result = options_over(Options{}, given);
  validate(result);
  return result;
}

}  // namespace dyad::python
