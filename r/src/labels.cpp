// Names of labels and levels.
// SPDX-License-Identifier: BSD-3-Clause
#include <cpp11.hpp>

#include "dyad/data/levels.h"
#include "dyad/data/values.h"
#include "module.h"

namespace dyad::r {

cpp11::writable::strings normal_forms(const Numbers& values) {
  std::vector<std::string> names;
  for (const double value : view_of(values)) names.push_back(normal_form(value));
  return strings(names);
}

cpp11::writable::integers ordered_classes(const cpp11::strings& classes, const std::string& type) {
  return integers(class_order(texts_of(classes), named<ValueType>(value_type_names, type, "type")), 1);
}

NewNumbers level_codes(const cpp11::strings& names, bool has_others, const cpp11::strings& texts) {
  CategoricalColumn column{.levels = texts_of(texts)};
  for (std::size_t k = 0; k < column.levels.size(); ++k) column.codes.push_back(static_cast<std::int32_t>(k));
  return numbers(codes_of(Levels{texts_of(names), has_others}, column));
}

std::string note_on_levels(const std::string& feature, const cpp11::strings& names, int n_values,
                           const std::string& unknown) {
  return note_on_unknown(feature, Levels{texts_of(names)},
                         {.n_values = static_cast<std::size_t>(n_values), .unknown = unknown});
}

}  // namespace dyad::r
