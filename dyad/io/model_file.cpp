// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/model_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "dyad/io/byte_source.h"
#include "dyad/io/output_file.h"

namespace dyad {
namespace {

constexpr std::string_view magic = "DYAD\r\n\x1a\n";

static_assert(std::endian::native == std::endian::little, "byte swapping is not written yet");
static_assert(std::numeric_limits<double>::is_iec559);

std::uint32_t checksum(std::string_view bytes) {
  uLong crc = crc32(0, nullptr, 0);
  while (!bytes.empty()) {
    const auto part = static_cast<uInt>(std::min<std::size_t>(bytes.size(), 1U << 30));
    crc = crc32(crc, reinterpret_cast<const Bytef*>(bytes.data()), part);
    bytes.remove_prefix(part);
  }
  return static_cast<std::uint32_t>(crc);
}

/// Appends values to a string of bytes.
class Writer {
 public:
  template <class T>
  void put(T value) {
    const auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
    bytes_.append(bytes.data(), bytes.size());
  }
  void put_text(std::string_view text) {
    put(static_cast<std::uint64_t>(text.size()));
    bytes_ += text;
  }
  void put_numbers(std::span<const double> values) {
    for (const double value : values) put(value);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

/// Takes values from bytes; every read is checked against what is left.
class Reader {
 public:
  Reader(std::string_view bytes, std::string name) : bytes_(bytes), name_(std::move(name)) {}

  [[noreturn]] void fail(const std::string& reason) const { throw std::runtime_error(name_ + ": " + reason); }

  std::string_view take_bytes(std::size_t size) {
    if (size > bytes_.size()) fail("the model file is cut short or damaged");
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  template <class T>
  T take() {
    std::array<char, sizeof(T)> raw{};
    std::memcpy(raw.data(), take_bytes(sizeof(T)).data(), sizeof(T));
    return std::bit_cast<T>(raw);
  }
  double take_number() {
    const auto value = take<double>();
    if (!std::isfinite(value)) fail("the model file holds a number that is not finite");
    return value;
  }
  std::string take_text() { return std::string(take_bytes(take_size(1))); }
  /// A count of things of which each takes at least `bytes_each` of what is left.
  std::size_t take_size(std::size_t bytes_each) {
    const auto size = take<std::uint64_t>();
    if (size > bytes_.size() / bytes_each) fail("the model file is cut short or damaged");
    return static_cast<std::size_t>(size);
  }
  /// An index below `bound`.
  std::size_t take_index(std::size_t bound) {
    const auto index = take<std::uint64_t>();
    if (index >= bound) fail("the model file refers to something it does not hold");
    return static_cast<std::size_t>(index);
  }
  std::vector<double> take_numbers(std::size_t count) {
    if (count > bytes_.size() / sizeof(double)) fail("the model file is cut short or damaged");
    std::vector<double> values(count);
    for (double& value : values) value = take_number();
    return values;
  }
  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  std::string_view bytes_;
  std::string name_;
};

// --- sections ---

std::string options_section(const Model& model) {
  Writer out;
  std::uint64_t count = 0;
  FitOptions::describe(model.options, [&](auto, const auto&, const auto&, auto) { ++count; });
  out.put(count);
  FitOptions::describe(model.options,
                       [&](std::string_view name, const auto& value, const auto& allowed, auto) {
                         out.put_text(name);
                         out.put_text(option_text(value, allowed));
                       });
  return out.bytes();
}

void read_options(Reader& in, Model& model) {
  std::map<std::string, std::string> values;
  for (std::size_t count = in.take_size(16); count > 0; --count) {
    std::string name = in.take_text();
    values[std::move(name)] = in.take_text();
  }
  try {
    FitOptions::describe(model.options, [&](std::string_view name, auto& value, const auto& allowed, auto) {
      const auto found = values.find(std::string(name));
      if (found != values.end()) set_option(value, allowed, name, found->second);
    });
    require_valid(model.options);
  } catch (const std::invalid_argument& error) {
    in.fail(std::string("an option in the model file: ") + error.what());
  }
}

std::string names_section(const Model& model) {
  Writer out;
  for (const auto* names : {&model.features, &model.classes}) {
    out.put(static_cast<std::uint64_t>(names->size()));
    for (const std::string& name : *names) out.put_text(name);
  }
  return out.bytes();
}

void read_names(Reader& in, Model& model) {
  for (auto* names : {&model.features, &model.classes})
    for (std::size_t count = in.take_size(8); count > 0; --count) names->push_back(in.take_text());
  if (model.features.empty() || model.classes.size() < 2)
    in.fail("the model file has no features or classes");
  for (const auto* names : {&model.features, &model.classes})
    if (std::set<std::string>(names->begin(), names->end()).size() != names->size())
      in.fail("the model file has a name twice");
}

std::string samples_section(const Model& model) {
  Writer out;
  for (const std::size_t count : model.class_rows) out.put(static_cast<std::uint64_t>(count));
  for (const Matrix& sample : model.samples) out.put_numbers(sample.data);
  return out.bytes();
}

void read_samples(Reader& in, Model& model) {
  const std::size_t d = model.features.size();
  model.n_features = d;
  const bool exact = model.options.engine == Engine::exact;
  for (std::size_t c = 0; c < model.classes.size(); ++c) {
    model.class_rows.push_back(exact ? in.take_size(d * sizeof(double)) : in.take<std::uint64_t>());
    if (model.class_rows.back() == 0) in.fail("the model file has a class without rows");
  }
  for (std::size_t c = 0; exact && c < model.classes.size(); ++c) {
    Matrix sample;
    sample.n_rows = model.class_rows[c];
    sample.n_cols = d;
    sample.data = in.take_numbers(sample.n_rows * d);
    model.samples.push_back(std::move(sample));
  }
}

std::string coordinates_section(const Model& model) {
  Writer out;
  out.put(static_cast<std::uint64_t>(model.coordinates.size()));
  for (const Coordinate& of : model.coordinates) {
    out.put(static_cast<std::uint64_t>(of.curve));
    out.put_numbers(std::array{of.lowest, of.centre, of.spread, of.mean, of.deviation});
  }
  return out.bytes();
}

double take_positive(Reader& in) {
  const double value = in.take_number();
  if (!(value > 0)) in.fail("the model file has a length that is not positive");
  return value;
}

void read_coordinates(Reader& in, Model& model) {
  const std::size_t count = in.take_size(6 * sizeof(double));
  if (count != 0 && count != model.features.size())
    in.fail("the model file has the wrong number of coordinates");
  for (std::size_t j = 0; j < count; ++j) {
    Coordinate of;
    of.curve = static_cast<Curve>(in.take_index(curve_names.size()));
    of.lowest = in.take_number();
    of.centre = in.take_number();
    of.spread = take_positive(in);
    of.mean = in.take_number();
    of.deviation = take_positive(in);
    if (of.curve == Curve::log && !(of.lowest > 0))
      in.fail("the model file has a logarithm of values that are not positive");
    model.coordinates.push_back(of);
  }
}

std::string settings_section(const Model& model) {
  Writer out;
  out.put(static_cast<std::uint64_t>(model.settings.size()));
  for (const Setting& setting : model.settings) {
    out.put_text(setting.terms);
    out.put_numbers(std::array{setting.C, setting.blend, setting.loss});
    out.put(static_cast<std::uint64_t>(setting.averaged ? 1 : 0));
  }
  return out.bytes();
}

void read_settings(Reader& in, Model& model) {
  for (std::size_t count = in.take_size(5 * sizeof(double)); count > 0; --count) {
    Setting setting;
    setting.terms = in.take_text();
    setting.C = in.take_number();
    setting.blend = in.take_number();
    setting.loss = in.take_number();
    setting.averaged = in.take_index(2) == 1;
    model.settings.push_back(std::move(setting));
  }
}

// --- densities of terms: of the exact engine a bandwidth, which the rows of the class belong to; of counts, axes and a table, or points ---

void put_bandwidth(Writer& out, const Density& density) {
  if (const auto* kde = std::get_if<Kde1d>(&density))
    return out.put_numbers(std::array{kde->bandwidth, 0.0, 0.0, 1.0, 1.0});
  const auto& kde = std::get<Kde2d>(density);
  out.put_numbers(std::array{kde.H.xx, kde.H.xy, kde.H.yy, kde.unit_x, kde.unit_y});
}

/// What follows a term of the counts engine.
constexpr std::uint64_t table_follows = 0;
constexpr std::uint64_t points_follow = 1;

void put_axis(Writer& out, const Axis& axis, double bandwidth) {
  out.put_numbers(std::array{axis.origin, axis.step, bandwidth});
  out.put(static_cast<std::uint64_t>(axis.size));
}

void put_table(Writer& out, const LogTable& table) {
  out.put_numbers(std::array{table.top, table.unit});
  for (const std::uint16_t depth : table.depths) out.put(depth);
}

void put_counts(Writer& out, const Grid1d& grid) {
  out.put(table_follows);
  out.put_numbers(std::array{grid.scaling.centre, grid.scaling.scale});
  put_axis(out, grid.axis, grid.bandwidth);
  put_table(out, grid.table);
}

void put_counts(Writer& out, const Grid2d& grid) {
  const Frame2d& frame = grid.frame;
  out.put(table_follows);
  out.put_numbers(
      std::array{frame.x.centre, frame.x.scale, frame.y.centre, frame.y.scale, frame.kernel.shear});
  put_axis(out, frame.u, frame.kernel.h_u);
  put_axis(out, frame.v, frame.kernel.h_v);
  put_table(out, grid.table);
}

void put_counts(Writer& out, const Kde2d& kde) {
  out.put(points_follow);
  out.put_numbers(
      std::array{kde.H.xx, kde.H.xy, kde.H.yy, kde.unit_x, kde.unit_y, kde.centre_x, kde.centre_y});
  out.put(static_cast<std::uint64_t>(kde.u.size()));
  out.put_numbers(kde.u);
  out.put_numbers(kde.v);
}

void put_counts(Writer& out, const Kde1d& kde) {
  out.put(points_follow);
  out.put(kde.bandwidth);
  out.put(static_cast<std::uint64_t>(kde.points.size()));
  out.put_numbers(kde.points);
}

Density take_by_bandwidth(Reader& in, const Term& term, const Matrix& sample) {
  const auto parameters = in.take_numbers(5);
  if (!(parameters[3] > 0 && parameters[4] > 0)) in.fail("the model file has a unit that is not positive");
  const auto x = sample.column(term.i);
  try {
    if (!term.is_pair()) return make_kde1d(x, parameters[0]);
    return make_kde2d(x, sample.column(term.j), {parameters[0], parameters[1], parameters[2]}, parameters[3],
                      parameters[4]);
  } catch (const std::invalid_argument& error) {
    in.fail(std::string("the model file is damaged: ") + error.what());
  }
}

Scaling take_scaling(Reader& in) {
  const double centre = in.take_number();
  return {centre, take_positive(in)};
}

Axis take_axis(Reader& in, double& bandwidth) {
  Axis axis;
  axis.origin = in.take_number();
  axis.step = take_positive(in);
  bandwidth = take_positive(in);
  axis.size = in.take_size(sizeof(std::uint16_t));
  if (axis.size < 2) in.fail("the model file has an axis without cells");
  if (axis.size > 65536 || !(bandwidth / axis.step > 0.1 && bandwidth / axis.step < 1e6))
    in.fail("the model file has an axis that no fit makes");
  return axis;
}

LogTable take_table(Reader& in, std::size_t n_nodes) {
  LogTable table;
  table.top = in.take_number();
  table.unit = take_positive(in);
  const std::string_view bytes = in.take_bytes(n_nodes * sizeof(std::uint16_t));
  table.depths.resize(n_nodes);
  std::memcpy(table.depths.data(), bytes.data(), bytes.size());
  return table;
}

Kde1d take_column_points(Reader& in) {
  Kde1d kde;
  kde.bandwidth = take_positive(in);
  kde.points = in.take_numbers(in.take_size(sizeof(double)));
  if (kde.points.empty() || !std::ranges::is_sorted(kde.points))
    in.fail("the model file has points in no order");
  return kde;
}

Kde2d take_pair_points(Reader& in) {
  const auto parameters = in.take_numbers(7);
  if (!(parameters[3] > 0 && parameters[4] > 0)) in.fail("the model file has a unit that is not positive");
  Kde2d kde;
  try {
    // A point of no importance sets up the coordinates; the real ones are kept in them.
    kde = make_kde2d(std::array{0.0}, std::array{0.0}, {parameters[0], parameters[1], parameters[2]},
                     parameters[3], parameters[4]);
  } catch (const std::invalid_argument& error) {
    in.fail(std::string("the model file is damaged: ") + error.what());
  }
  kde.centre_x = parameters[5];
  kde.centre_y = parameters[6];
  const std::size_t n = in.take_size(2 * sizeof(double));
  kde.u = in.take_numbers(n);
  kde.v = in.take_numbers(n);
  if (n == 0 || !std::ranges::is_sorted(kde.u)) in.fail("the model file has points in no order");
  return kde;
}

Density take_counts(Reader& in, const Term& term) {
  if (in.take_index(2) == points_follow)
    return term.is_pair() ? Density(take_pair_points(in)) : Density(take_column_points(in));
  if (!term.is_pair()) {
    Grid1d grid;
    grid.scaling = take_scaling(in);
    grid.axis = take_axis(in, grid.bandwidth);
    grid.table = take_table(in, grid.axis.size);
    return grid;
  }
  Grid2d grid;
  grid.frame.x = take_scaling(in);
  grid.frame.y = take_scaling(in);
  grid.frame.kernel.shear = in.take_number();
  grid.frame.u = take_axis(in, grid.frame.kernel.h_u);
  grid.frame.v = take_axis(in, grid.frame.kernel.h_v);
  grid.table = take_table(in, grid.frame.u.size * grid.frame.v.size);
  return grid;
}

std::string terms_section(const Model& model) {
  Writer out;
  out.put(static_cast<std::uint64_t>(model.terms.size()));
  for (const Term& term : model.terms) {
    // A linear term has the place behind the last class.
    out.put(static_cast<std::uint64_t>(term.is_linear() ? model.n_classes()
                                                        : static_cast<std::size_t>(term.class_code)));
    out.put(static_cast<std::uint64_t>(term.i));
    out.put(static_cast<std::uint64_t>(term.j));
    out.put(term.centre);
    if (term.is_linear()) continue;
    out.put_numbers(std::array{term.floor, term.n_rows, term.prior_rows});
    if (model.options.engine == Engine::exact)
      put_bandwidth(out, term.density);
    else
      std::visit(
          [&](const auto& density) {
            if constexpr (requires { put_counts(out, density); }) put_counts(out, density);
          },
          term.density);
  }
  return out.bytes();
}

void read_terms(Reader& in, Model& model) {
  constexpr std::size_t least_bytes = 4 * sizeof(double);
  for (std::size_t count = in.take_size(least_bytes); count > 0; --count) {
    const std::size_t class_code = in.take_index(model.classes.size() + 1);
    Term term;
    term.i = in.take_index(model.features.size());
    term.j = in.take_index(model.features.size());
    if (term.j < term.i) in.fail("the model file has a pair in the wrong order");
    const double centre = in.take_number();
    if (class_code == model.classes.size()) {
      if (term.is_pair()) in.fail("the model file has a linear term of two features");
      model.terms.push_back(linear_term(term.i));
      model.terms.back().centre = centre;
      continue;
    }
    term.class_code = static_cast<std::int32_t>(class_code);
    term.centre = centre;
    term.floor = in.take_number();
    term.n_rows = take_positive(in);
    term.prior_rows = in.take_number();
    if (term.prior_rows < 0) in.fail("the model file has a negative number of rows");
    term.density = model.options.engine == Engine::exact
                       ? take_by_bandwidth(in, term, model.samples[static_cast<std::size_t>(term.class_code)])
                       : take_counts(in, term);
    model.terms.push_back(std::move(term));
  }
}

std::string weights_section(const Model& model) {
  Writer out;
  out.put(static_cast<std::uint64_t>(model.weights.n_rows));
  out.put_numbers(model.weights.data);
  out.put_numbers(model.intercepts);
  out.put(static_cast<std::uint64_t>(model.calibrations.size()));
  for (const Calibration& calibration : model.calibrations)
    out.put_numbers(std::array{calibration.slope, calibration.offset});
  return out.bytes();
}

void read_weights(Reader& in, Model& model) {
  const std::size_t n_scores = in.take_size(1);
  if (n_scores != score_count(model.classes.size())) in.fail("the model file has the wrong number of scores");
  model.weights.n_rows = n_scores;
  model.weights.n_cols = model.terms.size();
  model.weights.data = in.take_numbers(n_scores * model.terms.size());
  model.intercepts = in.take_numbers(n_scores);
  const std::size_t n_calibrations = in.take_size(2 * sizeof(double));
  if (n_calibrations != 0 && n_calibrations != n_scores)
    in.fail("the model file has the wrong number of calibrations");
  for (std::size_t k = 0; k < n_calibrations; ++k) {
    const double slope = in.take_number();
    model.calibrations.push_back({slope, in.take_number()});
  }
}

struct Section {
  std::string_view tag;
  std::string (*write)(const Model&);
  void (*read)(Reader&, Model&);
};

/// In the order of the file: each needs those before it.
constexpr std::array<Section, 7> sections{{{"OPTS", options_section, read_options},
                                           {"NAME", names_section, read_names},
                                           {"COOR", coordinates_section, read_coordinates},
                                           {"ROWS", samples_section, read_samples},
                                           {"TERM", terms_section, read_terms},
                                           {"WGHT", weights_section, read_weights},
                                           {"SETT", settings_section, read_settings}}};

}  // namespace

std::string model_bytes(const Model& model) {
  Writer out;
  std::string bytes(magic);
  out.put(model_file_version);
  bytes += out.bytes();
  for (const Section& section : sections) {
    Writer frame;
    const std::string payload = section.write(model);
    frame.put(static_cast<std::uint64_t>(payload.size()));
    bytes += section.tag;
    bytes += frame.bytes();
    bytes += payload;
    Writer check;
    check.put(checksum(payload));
    bytes += check.bytes();
  }
  return bytes;
}

Model model_from_bytes(std::string_view bytes, const std::string& name) {
  Reader in(bytes, name);
  if (!bytes.starts_with(magic)) in.fail("this is not a dyad model file");
  in.take_bytes(magic.size());
  const auto version = in.take<std::uint32_t>();
  if (version > model_file_version)
    in.fail("the model file has version " + std::to_string(version) + ", this program reads version " +
            std::to_string(model_file_version) + "; use a newer dyad");
  if (version < model_file_version)
    in.fail("the model file has version " + std::to_string(version) + ", this program reads version " +
            std::to_string(model_file_version) + "; fit the model again");
  std::map<std::string_view, std::string_view> payloads;
  while (!in.empty()) {
    const std::string_view tag = in.take_bytes(4);
    const std::string_view payload = in.take_bytes(in.take_size(1));
    if (in.take<std::uint32_t>() != checksum(payload))
      in.fail("the model file is damaged (checksum of " + std::string(tag) + ")");
    if (!payloads.emplace(tag, payload).second)
      in.fail("the model file has section " + std::string(tag) + " twice");
  }
  Model model;
  for (const Section& section : sections) {
    const auto found = payloads.find(section.tag);
    if (found == payloads.end())
      in.fail("the model file is cut short (no section " + std::string(section.tag) + ")");
    Reader section_in(found->second, name);
    section.read(section_in, model);
    if (!section_in.empty())
      in.fail("the model file has more in section " + std::string(section.tag) + " than belongs there");
  }
  return model;
}

void save_model(const Model& model, const std::string& path) { write_file(path, model_bytes(model)); }

Model load_model(const std::string& path) { return model_from_bytes(read_all(path), path); }

}  // namespace dyad
