// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/internal/fit_bytes.h"

#include <set>

#include "dyad/base/text.h"

namespace dyad::internal {

void put_options(Writer& out, const Provenance& options) {
  out.put(static_cast<std::uint64_t>(options.size()));
  for (const auto& [name, value] : options) {
    out.put_text(name);
    out.put_text(value);
  }
}

Provenance take_options(Reader& in) {
  Provenance options;
  std::set<std::string> names;
  for (std::size_t count = in.take_size(16); count > 0; --count) {
    std::string name = in.take_text();
    if (!names.insert(name).second) in.refuse("has the option " + quoted(name) + " twice");
    std::string value = in.take_text();
    options.emplace_back(std::move(name), std::move(value));
  }
  return options;
}

FitOptions take_fit_options(Reader& in) {
  try {
    const FitOptions options = options_from(take_options(in));
    validate(options);
    return options;
  } catch (const std::invalid_argument& error) {
    in.fail("an option in the " + in.what() + ": " + error.what());
  }
}

void put_coordinates(Writer& out, const std::vector<Coordinate>& coordinates) {
  out.put(static_cast<std::uint64_t>(coordinates.size()));
  for (const Coordinate& coordinate : coordinates) {
    out.put(static_cast<std::uint64_t>(coordinate.curve));
    out.put_numbers(std::array{coordinate.lowest, coordinate.centre, coordinate.spread, coordinate.mean,
                               coordinate.deviation});
  }
}

std::vector<Coordinate> take_coordinates(Reader& in, std::size_t n_features) {
  const std::size_t count = in.take_size(6 * sizeof(double));
  if (count != 0 && count != n_features) in.refuse("has the wrong number of coordinates");
  std::vector<Coordinate> coordinates(count);
  for (Coordinate& coordinate : coordinates) {
    coordinate.curve = static_cast<Curve>(in.take_index(curve_names.size()));
    coordinate.lowest = in.take_number();
    coordinate.centre = in.take_number();
    coordinate.spread = in.take_positive();
    coordinate.mean = in.take_number();
    coordinate.deviation = in.take_positive();
    if (coordinate.curve == Curve::log && !(coordinate.lowest > 0))
      in.refuse("has a logarithm of values that are not positive");
  }
  return coordinates;
}

void put_settings(Writer& out, const std::vector<Setting>& settings) {
  out.put(static_cast<std::uint64_t>(settings.size()));
  for (const Setting& setting : settings) {
    out.put_text(setting.terms);
    out.put_numbers(std::array{setting.C, setting.blend, setting.loss});
    out.put(static_cast<std::uint64_t>(setting.averaged ? 1 : 0));
  }
}

std::vector<Setting> take_settings(Reader& in) {
  std::vector<Setting> settings(in.take_size(5 * sizeof(double)));
  for (Setting& setting : settings) {
    setting.terms = in.take_text();
    setting.C = in.take_number();
    setting.blend = in.take_number();
    setting.loss = in.take_number();
    setting.averaged = in.take_index(2) == 1;
  }
  return settings;
}

void put_costs(Writer& out, const Matrix& costs) {
  out.put(static_cast<std::uint64_t>(costs.n_rows));
  out.put_numbers(costs.data);
}

Matrix take_costs(Reader& in, std::size_t n_classes) {
  const std::size_t size = in.take_size(sizeof(double));
  if (size == 0) return {};
  if (size != n_classes) in.refuse("has the wrong number of costs");
  Matrix costs;
  costs.n_rows = size;
  costs.n_cols = size;
  costs.data = in.take_numbers(size, size);
  if (std::ranges::any_of(costs.data, [](double cost) { return cost < 0; })) in.refuse("has a negative cost");
  return costs;
}

}  // namespace dyad::internal
