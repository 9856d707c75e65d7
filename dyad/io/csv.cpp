// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/csv.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "dyad/base/nearest_name.h"
#include "dyad/base/text.h"
#include "dyad/data/values.h"
#include "dyad/io/internal/field_text.h"
#include "dyad/io/internal/record_reader.h"

namespace dyad {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
};

/// A column while it is read. What it holds is open until its first value that is not missing.
struct ColumnBuilder {
  enum class Role { feature, categorical, label, weight, excluded };
  enum class Kind { open, numeric, text };

  std::string name;
  bool named = true;
  Role role = Role::feature;
  Kind kind = Kind::open;
  std::size_t n_rows = 0;  ///< missing values so far, while the kind is open
  std::vector<double> values;
  CategoricalColumn categories;
  std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>> code_of_level;
  std::unordered_set<std::string, TextHash, std::equal_to<>> kept;  ///< fields that are levels as they stand
  std::size_t first_text_line = 0;

  void add_missing() {
    if (kind == Kind::numeric) values.push_back(missing);
    if (kind == Kind::text) categories.codes.push_back(CategoricalColumn::missing);
    if (kind == Kind::open) ++n_rows;
  }

  void add_number(double value) {
    if (kind == Kind::open) {
      kind = Kind::numeric;
      values.assign(n_rows, missing);
    }
    values.push_back(value);
  }

  /// Returns whether the text is a new level.
  bool add_text(std::string_view text, std::size_t line) {
    if (kind == Kind::open) {
      kind = Kind::text;
      categories.codes.assign(n_rows, CategoricalColumn::missing);
      first_text_line = line;
    }
    if (add_known_level(text)) return false;
    const auto code = static_cast<std::int32_t>(categories.levels.size());
    code_of_level.emplace(text, code);
    categories.levels.emplace_back(text);
    categories.codes.push_back(code);
    return true;
  }

  /// Adds a level that has been seen before; false if it has not.
  bool add_known_level(std::string_view text) {
    const auto found = code_of_level.find(text);
    if (found == code_of_level.end()) return false;
    categories.codes.push_back(found->second);
    return true;
  }

  /// The rows so far, which are gone then; what the column holds and its levels stay.
  Column take_rows() {
    const std::size_t n_open = std::exchange(n_rows, 0);
    if (kind == Kind::text) return {name, CategoricalColumn{take_codes(), categories.levels}};
    if (kind == Kind::open && role == Role::categorical)
      return {name, CategoricalColumn{std::vector(n_open, CategoricalColumn::missing), {}}};
    if (kind == Kind::open) return {name, NumericColumn{std::vector(n_open, missing)}};
    return {name, NumericColumn{take_values()}};
  }

  /// Forgets the levels but the first, which messages name.
  void forget_levels() {
    if (categories.levels.size() < 2) return;
    categories.levels.resize(1);
    code_of_level.clear();
    code_of_level.emplace(categories.levels[0], 0);
  }

  std::vector<double> take_values() { return std::exchange(values, {}); }

  std::vector<std::int32_t> take_codes() { return std::exchange(categories.codes, {}); }
};

using Role = ColumnBuilder::Role;
using Kind = ColumnBuilder::Kind;

}  // namespace

class CsvChunks::Reader {
 public:
  Reader(ByteSource source, CsvOptions options)
      : options_(std::move(options)), records_(std::move(source), options_.limits.max_line_bytes) {
    read_header();
  }

  [[nodiscard]] std::size_t n_columns() const {
    const auto is_read = [](const ColumnBuilder& column) { return column.role != Role::excluded; };
    return static_cast<std::size_t>(std::ranges::count_if(columns_, is_read));
  }

  /// The next rows, at most so many.
  Table read(std::size_t most_rows) {
    const std::size_t first = n_rows_;
    while (n_rows_ - first < most_rows && records_.next())
      if (!internal::is_blank(records_.record())) read_row();
    if (n_rows_ == 0) throw std::runtime_error(records_.name() + ": the file has a header but no rows");
    return take_rows(n_rows_ - first);
  }

  void forget_levels() {
    for (ColumnBuilder& column : columns_)
      if (column.role != Role::label) column.forget_levels();
  }

 private:
  [[noreturn]] void fail(std::size_t j, const std::string& reason) const {
    fail_at(records_.line(), j, reason);
  }

  [[noreturn]] void fail_at(std::size_t line, std::size_t j, const std::string& reason) const {
    const std::string name = j < columns_.size() ? " (" + quoted(columns_[j].name) + ")" : "";
    throw std::runtime_error(records_.name() + ": line " + std::to_string(line) + ", column " +
                             std::to_string(j + 1) + name + ": " + reason);
  }

  // --- the header ---

  void read_header() {
    bool found = records_.next();
    if (found) skip_byte_order_mark();
    while (found && internal::is_blank(records_.record())) found = records_.next();
    if (!found) throw std::runtime_error(records_.name() + ": the file is empty");
    delimiter_ = options_.delimiter.value_or(most_frequent_delimiter(records_.record()));
    const char* at = records_.record().data();
    const char* const end = at + records_.record().size();
    for (bool more = true; more;) {
      const std::size_t j = columns_.size();
      if (j == options_.limits.max_columns) fail(j, "more than " + std::to_string(j) + " columns");
      const std::string_view name = read_field(at, end, j, more);
      if (name.find('\r') != std::string_view::npos)
        fail(j, "the lines end in CR alone; save the file with LF or CRLF line ends");
      if (!internal::is_utf8(name)) fail(j, "the name is not UTF-8 text");
      columns_.push_back({.name = name.empty() ? unnamed(j) : std::string(name), .named = !name.empty()});
    }
    check_names();
    assign_roles();
    if (!options_.label.empty() && n_columns() == (options_.weight.empty() ? 1U : 2U))
      throw std::runtime_error(records_.name() + ": the table has no column besides the label" +
                               (options_.weight.empty() ? "" : " and the weight"));
    for (std::size_t j = 0; j < columns_.size(); ++j)
      if (!columns_[j].named && columns_[j].role != Role::excluded)
        fail(j, "the column has no name; leave it out with --exclude " + unnamed(j) + ", or name it");
  }

  /// The name by which a column without one can be left out.
  static std::string unnamed(std::size_t j) { return "column" + std::to_string(j + 1); }

  void skip_byte_order_mark() {
    const std::string_view text = records_.record();
    if (text.starts_with("\xEF\xBB\xBF")) records_.skip(3);
    if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF"))
      throw std::runtime_error(records_.name() + ": line 1, column 1: the file is UTF-16; save it as UTF-8");
  }

  static char most_frequent_delimiter(std::string_view header) {
    constexpr std::string_view candidates = ",;\t";
    std::array<std::size_t, candidates.size()> counts{};
    bool inside = false;
    for (const char c : header) {
      if (c == '"') inside = !inside;
      const std::size_t k = candidates.find(c);
      if (k != std::string_view::npos && !inside) ++counts[k];
    }
    return candidates[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
  }

  void check_names() const {
    std::unordered_map<std::string_view, std::size_t> place;
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const auto [first, fresh] = place.emplace(columns_[j].name, j);
      if (!fresh) fail(j, "the name is taken by column " + std::to_string(first->second + 1) + " already");
    }
    double number = 0;
    if (std::ranges::all_of(columns_, [&](const auto& column) { return parse_number(column.name, number); }))
      fail(0, "the first line holds numbers only; a header line with the column names is needed");
  }

  void assign_roles() {
    for (ColumnBuilder& column : columns_) {
      if (!options_.columns.empty()) column.role = Role::excluded;
      if (const auto known = options_.known_levels.find(column.name); known != options_.known_levels.end())
        for (const std::string& level : known->second) {
          const std::string_view bare = trimmed(level);
          if (!level.empty() && level != bare) column.kept.insert(level);
          if (!bare.empty() && internal::is_missing(bare)) column.kept.emplace(bare);
        }
    }
    for (const auto& name : options_.columns) find_column(name, "feature").role = Role::feature;
    assign(options_.label, Role::label, "label");
    assign(options_.weight, Role::weight, "weight");
    for (const auto& name : options_.categorical) assign(name, Role::categorical, "categorical");
    for (const auto& name : options_.exclude) assign(name, Role::excluded, "excluded");
    if (options_.only_other && std::ranges::count(columns_, Role::excluded, &ColumnBuilder::role) == 1)
      std::ranges::find(columns_, Role::excluded, &ColumnBuilder::role)->role = Role::categorical;
  }

  ColumnBuilder& find_column(const std::string& name, const std::string& what) {
    const auto column = std::ranges::find(columns_, name, &ColumnBuilder::name);
    if (column != columns_.end()) return *column;
    std::vector<std::string> names;
    for (const ColumnBuilder& known : columns_) names.push_back(known.name);
    throw std::runtime_error(records_.name() + ": line " + std::to_string(records_.line()) + ": no column " +
                             quoted(name) + " (" + what + "); " +
                             advice_on_name(name, "the columns are", names));
  }

  void assign(const std::string& name, Role role, const std::string& what) {
    if (name.empty()) return;
    ColumnBuilder& column = find_column(name, what);
    if (column.role != Role::feature && column.role != role && options_.columns.empty())
      fail(static_cast<std::size_t>(&column - columns_.data()),
           "the column cannot be " + what + " and something else");
    column.role = role;
  }

  // --- rows ---

  void read_row() {
    if (n_rows_ == options_.limits.max_rows) fail(0, "more than " + std::to_string(n_rows_) + " rows");
    const char* at = records_.record().data();
    const char* const end = at + records_.record().size();
    std::size_t j = 0;
    for (bool more = true; more; ++j) {
      if (j == columns_.size()) fail(j, "too many fields; the header has " + std::to_string(columns_.size()));
      if (!read_fast(at, end, columns_[j], more) && !read_kept(at, end, columns_[j], more))
        add_field(read_field(at, end, j, more), j);
    }
    if (j < columns_.size()) fail_short_row(j);
    ++n_rows_;
  }

  [[noreturn]] void fail_short_row(std::size_t n_fields) {
    fail(n_fields - 1, "the line ends after " + std::to_string(n_fields) + " fields; the header has " +
                           std::to_string(columns_.size()));
  }

  /// A value of the wrong kind is often one that slipped into the wrong column.
  void fail_if_short_row() {
    const char* at = records_.record().data();
    const char* const end = at + records_.record().size();
    std::size_t n_fields = 0;
    for (bool more = true; more && n_fields < columns_.size(); ++n_fields)
      static_cast<void>(read_field(at, end, n_fields, more));
    if (n_fields < columns_.size()) fail_short_row(n_fields);
  }

  /// The common cases at full speed: an unquoted field that is a number in a numeric column, or a level seen
  /// before in a column of text. False, with nothing moved, for all else.
  bool read_fast(const char*& at, const char* end, ColumnBuilder& column, bool& more) const {
    const char* stop = at;
    if (column.kind == Kind::numeric && column.role == Role::feature) {
      double value = 0;
      stop = internal::parse_leading_number(at, end, value);
      if (stop == nullptr || (stop != end && *stop != delimiter_)) return false;
      column.values.push_back(value);
    } else if (column.kind == Kind::text && at != end && *at != '"') {
      stop = std::find(at, end, delimiter_);
      if (!column.add_known_level({at, stop})) return false;
    } else {
      return false;
    }
    more = stop != end;
    at = more ? stop + 1 : end;
    return true;
  }

  /// An unquoted field that is a level as it stands. False, with nothing moved, for all else.
  bool read_kept(const char*& at, const char* end, ColumnBuilder& column, bool& more) const {
    if (column.kept.empty()) return false;
    const char* const stop = std::find(at, end, delimiter_);
    const std::string_view field(at, stop);
    if (column.role != Role::categorical || !column.kept.contains(field)) return false;
    column.add_text(field, records_.line());
    more = stop != end;
    at = more ? stop + 1 : end;
    return true;
  }

  /// The field that begins at `at`, which moves behind it; `more` tells whether another follows.
  std::string_view read_field(const char*& at, const char* end, std::size_t j, bool& more) {
    const char* first = at;
    while (first != end && (*first == ' ' || (*first == '\t' && delimiter_ != '\t'))) ++first;
    std::string_view field;
    const char* stop = end;
    if (first != end && *first == '"') {
      field = read_quoted(first, end, j);
      stop = std::find(first, end, delimiter_);
      if (!trimmed({first, stop}).empty()) fail(j, "text after the closing quote: " + quoted({first, stop}));
    } else {
      stop = std::find(first, end, delimiter_);
      field = trimmed({first, stop});
      if (field.find('"') != std::string_view::npos)
        fail(j, "a quote inside a field that does not begin with one: " + quoted(field));
    }
    if (field.size() > options_.limits.max_field_bytes)
      fail(j, "the field is longer than " + std::to_string(options_.limits.max_field_bytes) + " bytes");
    if (field.find('\0') != std::string_view::npos)
      fail(j, "the field holds a NUL byte; is this a text file in UTF-8?");
    more = stop != end;
    at = more ? stop + 1 : end;
    return field;
  }

  /// The content of the quoted field whose opening quote is at `at`, which moves behind the closing one.
  std::string_view read_quoted(const char*& at, const char* end, std::size_t j) {
    unquoted_.clear();
    const char* from = at + 1;
    while (true) {
      const char* const quote = std::find(from, end, '"');
      if (quote == end) fail(j, "the quoted field is not closed");
      unquoted_.append(from, quote);
      from = quote + 1;
      if (from == end || *from != '"') break;
      unquoted_ += '"';
      ++from;
    }
    at = from;
    return unquoted_;
  }

  void add_field(std::string_view field, std::size_t j) {
    ColumnBuilder& column = columns_[j];
    if (column.role == Role::excluded) return;
    if (internal::is_missing(field) && !column.kept.contains(field)) {
      if (column.role == Role::label || column.role == Role::weight) fail(j, "the value is missing");
      column.add_missing();
      return;
    }
    if (column.role == Role::label || column.role == Role::categorical) {
      add_level(field, j);
      if (column.role == Role::label && column.categories.levels.size() > options_.limits.max_classes)
        fail(j, "more than " + std::to_string(options_.limits.max_classes) +
                    " distinct labels; is this a number to predict rather than a class?");
      return;
    }
    double value = 0;
    if (!parse_number(field, value)) return add_text(field, j);
    if (column.kind == Kind::text) {
      const std::string reason = quoted(column.categories.levels[0]) + " is not a number, but line " +
                                 std::to_string(records_.line()) + " has " + quoted(field);
      fail_if_short_row();
      fail_at(column.first_text_line, j, reason + categorical_advice(column));
    }
    if (column.role == Role::weight && value < 0)
      fail(j, "a weight cannot be negative, got " + quoted(field));
    column.add_number(value);
  }

  void add_text(std::string_view field, std::size_t j) {
    ColumnBuilder& column = columns_[j];
    if (internal::has_decimal_comma(field))
      fail(j, quoted(field) + " has a decimal comma; numbers need a decimal point" +
                  (column.kind == Kind::numeric ? "" : categorical_advice(column)));
    if (internal::is_infinite(field) || internal::overflows(field))
      fail(j, quoted(field) + " is not a finite number");
    if (column.role == Role::weight) fail(j, "a weight must be a number, got " + quoted(field));
    if (column.kind == Kind::numeric) {
      const std::string reason = quoted(field) + " is not a number, as the values above it are";
      fail_if_short_row();
      fail(j, reason + categorical_advice(column));
    }
    add_level(field, j);
  }

  void add_level(std::string_view field, std::size_t j) {
    if (columns_[j].add_text(field, records_.line()) && !internal::is_utf8(field))
      fail(j, "the text is not UTF-8");
  }

  [[nodiscard]] std::string categorical_advice(const ColumnBuilder& column) const {
    if (!options_.columns.empty()) return {};  // whoever names the columns knows their kinds
    return "; for a column of categories use --categorical " + quoted(column.name);
  }

  Table take_rows(std::size_t n_rows) {
    Table table;
    table.n_rows = n_rows;
    for (ColumnBuilder& column : columns_) {
      if (column.role == Role::label)
        table.labels = make_labels({column.take_codes(), column.categories.levels});
      else if (column.role == Role::weight)
        table.weights = column.take_values();
      else if (column.role != Role::excluded)
        table.features.push_back(column.take_rows());
    }
    const auto place = [&](const Column& column) { return std::ranges::find(options_.columns, column.name); };
    if (!options_.columns.empty()) std::ranges::sort(table.features, {}, place);
    return table;
  }

  CsvOptions options_;
  internal::RecordReader records_;
  char delimiter_ = ',';
  std::vector<ColumnBuilder> columns_;
  std::size_t n_rows_ = 0;
  std::string unquoted_;
};

CsvChunks::CsvChunks(ByteSource source, const CsvOptions& options)
    : reader_(std::make_unique<Reader>(std::move(source), options)) {}
CsvChunks::CsvChunks(CsvChunks&&) noexcept = default;
CsvChunks& CsvChunks::operator=(CsvChunks&&) noexcept = default;
CsvChunks::~CsvChunks() = default;

std::size_t CsvChunks::n_columns() const { return reader_->n_columns(); }

Table CsvChunks::next(std::size_t most_rows) { return reader_->read(most_rows); }

void CsvChunks::forget_levels() { reader_->forget_levels(); }

Table read_csv(ByteSource source, const CsvOptions& options) {
  return CsvChunks(std::move(source), options).next(std::numeric_limits<std::size_t>::max());
}

Table read_csv(const std::string& path, const CsvOptions& options) {
  return read_csv(open_source(path), options);
}

}  // namespace dyad
