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
    validate(model.options);
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
  for (const Matrix& sample : model.samples) {
    out.put(static_cast<std::uint64_t>(sample.n_rows));
    out.put_numbers(sample.data);
  }
  return out.bytes();
}

void read_samples(Reader& in, Model& model) {
  const std::size_t d = model.features.size();
  for (std::size_t c = 0; c < model.classes.size(); ++c) {
    Matrix sample;
    sample.n_rows = in.take_size(d * sizeof(double));
    sample.n_cols = d;
    if (sample.n_rows == 0) in.fail("the model file has a class without rows");
    sample.data = in.take_numbers(sample.n_rows * d);
    model.samples.push_back(std::move(sample));
  }
}

std::string terms_section(const Model& model) {
  Writer out;
  out.put(static_cast<std::uint64_t>(model.terms.size()));
  for (const Term& term : model.terms) {
    out.put(static_cast<std::uint64_t>(term.class_code));
    out.put(static_cast<std::uint64_t>(term.i));
    out.put(static_cast<std::uint64_t>(term.j));
    if (const auto* kde = std::get_if<Kde1d>(&term.density)) {
      out.put_numbers(std::array{kde->bandwidth, 0.0, 0.0, 1.0, 1.0});
    } else {
      const auto& kde2d = std::get<Kde2d>(term.density);
      out.put_numbers(std::array{kde2d.H.xx, kde2d.H.xy, kde2d.H.yy, kde2d.unit_x, kde2d.unit_y});
    }
    out.put(term.floor);
    out.put(term.centre);
  }
  return out.bytes();
}

Density read_density(const std::vector<double>& parameters, const Term& term, const Matrix& sample) {
  const auto x = sample.column(term.i);
  if (!term.is_pair()) return make_kde1d(x, parameters[0]);
  return make_kde2d(x, sample.column(term.j), {parameters[0], parameters[1], parameters[2]}, parameters[3],
                    parameters[4]);
}

void read_terms(Reader& in, Model& model) {
  constexpr std::size_t bytes_of_term = 3 * sizeof(std::uint64_t) + 7 * sizeof(double);
  for (std::size_t count = in.take_size(bytes_of_term); count > 0; --count) {
    Term term;
    term.class_code = static_cast<std::int32_t>(in.take_index(model.classes.size()));
    term.i = in.take_index(model.features.size());
    term.j = in.take_index(model.features.size());
    if (term.j < term.i) in.fail("the model file has a pair in the wrong order");
    const auto parameters = in.take_numbers(5);
    if (!(parameters[3] > 0 && parameters[4] > 0)) in.fail("the model file has a unit that is not positive");
    try {
      term.density = read_density(parameters, term, model.samples[static_cast<std::size_t>(term.class_code)]);
    } catch (const std::invalid_argument& error) {
      in.fail(std::string("the model file is damaged: ") + error.what());
    }
    term.floor = in.take_number();
    term.centre = in.take_number();
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
constexpr std::array<Section, 5> sections{{{"OPTS", options_section, read_options},
                                           {"NAME", names_section, read_names},
                                           {"ROWS", samples_section, read_samples},
                                           {"TERM", terms_section, read_terms},
                                           {"WGHT", weights_section, read_weights}}};

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
    in.fail("the model file has version " + std::to_string(version) + ", this program reads up to version " +
            std::to_string(model_file_version) + "; use a newer dyad");
  if (version == 0) in.fail("the model file is damaged (version 0)");
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
