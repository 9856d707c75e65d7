// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/table_mutation.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>
#include <vector>

namespace dyad::fuzz {
namespace {

using Line = std::vector<std::string>;

constexpr std::size_t most_lines = 200;

/// Spellings of one value stand together.
constexpr std::array<std::string_view, 40> spellings{"1",        "1.0",
                                                     "+1",       "01",
                                                     "1e0",      "1.",
                                                     "0",        "-0",
                                                     "0.0",      "0.5",
                                                     ".5",       "0.50",
                                                     "-1",       "-1.0",
                                                     "1e3",      "1000",
                                                     "2",        "2.0",
                                                     "3",        "1e16",
                                                     "1e22",     "1e-7",
                                                     "9",        "10",
                                                     "True",     "true",
                                                     "1e5",      "red",
                                                     "\"a, b\"", "\"say \"\"no\"\"\"",
                                                     "a",        "b",
                                                     "\"\"",     "\"two\nlines\"",
                                                     "NA",       "?",
                                                     "nan",      "",
                                                     "\"1\"",    " 1 "};
constexpr std::array<std::string_view, 8> names{"a", "b", "c", "d", "e", "w", "y", "column3"};

char delimiter_of(std::string_view text) {
  const std::string_view header = text.substr(0, text.find('\n'));
  constexpr std::array delimiters{',', ';', '\t'};
  return *std::ranges::max_element(delimiters, {}, [&](char c) { return std::ranges::count(header, c); });
}

/// Lines and fields; delimiters and line ends between quotes are part of a field.
std::vector<Line> lines_of(std::string_view text, char delimiter) {
  std::vector<Line> lines{{""}};
  bool is_quoted = false;
  for (const char c : text) {
    if (c == '"') is_quoted = !is_quoted;
    if (c == '\n' && !is_quoted)
      lines.emplace_back(1);
    else if (c == delimiter && !is_quoted)
      lines.back().emplace_back();
    else
      lines.back().back() += c;
  }
  if (lines.back() == Line{""}) lines.pop_back();
  return lines;
}

std::string text_of(const std::vector<Line>& lines, char delimiter) {
  std::string text;
  for (const Line& line : lines) {
    for (std::size_t j = 0; j < line.size(); ++j) {
      if (j > 0) text += delimiter;
      text += line[j];
    }
    text += '\n';
  }
  return text;
}

template <class Items>
const auto& one_of(const Items& items, Random& random) {
  return items[random.below(items.size())];
}

/// Another field, mostly a spelling near the one of a first choice.
std::string field(const std::vector<Line>& lines, Random& random) {
  if (random.below(3) == 0) return one_of(one_of(lines, random), random);
  return std::string(one_of(spellings, random));
}

/// Sets a column from some row on to one or two values: a late change of its type.
void set_column(std::vector<Line>& lines, std::size_t j, Random& random) {
  const std::array values{field(lines, random), field(lines, random)};
  const std::size_t first = random.below(2) == 0 ? 1 : 1 + random.below(lines.size());
  for (std::size_t i = first; i < lines.size(); ++i)
    if (j < lines[i].size()) lines[i][j] = one_of(values, random);
}

void change_rows(std::vector<Line>& lines, Random& random) {
  const std::size_t row = random.below(lines.size());
  switch (random.below(4)) {
    case 0:
      lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(row));
      break;
    case 1:
      std::swap(lines[row], lines[random.below(lines.size())]);
      break;
    default: {  // more rows, so that changes come late
      const std::vector<Line> more(lines.begin() + 1, lines.end());
      if (lines.size() + more.size() <= most_lines) lines.insert(lines.end(), more.begin(), more.end());
    }
  }
}

void change_columns(std::vector<Line>& lines, std::size_t j, Random& random) {
  const std::size_t other = random.below(lines.front().size());
  const std::uint64_t kind = random.below(3);
  for (Line& line : lines) {
    if (j >= line.size() || other >= line.size()) continue;
    if (kind == 0) std::swap(line[j], line[other]);
    if (kind == 1) line.push_back(line[j]);
  }
  lines.front()[kind == 1 ? lines.front().size() - 1 : j] = one_of(names, random);
}

}  // namespace

std::string mutated_table(std::string_view text, Random& random) {
  const char delimiter = delimiter_of(text);
  std::vector<Line> lines = lines_of(text, delimiter);
  for (std::uint64_t left = 1 + random.below(4); left > 0; --left) {
    if (lines.size() < 2) lines = {{"a", "b", "y"}, {"1", "red", "0"}, {"2", "blue", "1"}};
    const std::size_t j = random.below(lines.front().size());
    switch (random.below(8)) {
      case 0:
        change_columns(lines, j, random);
        break;
      case 1:
      case 2:
        change_rows(lines, random);
        break;
      case 3:
        set_column(lines, j, random);
        break;
      default:
        if (Line& line = lines[1 + random.below(lines.size() - 1)]; j < line.size())
          line[j] = field(lines, random);
    }
  }
  return text_of(lines, delimiter);
}

}  // namespace dyad::fuzz
