// Speed of reading a CSV file, in bytes of its text.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/csv.h"

#include <array>
#include <cstdio>
#include <cstring>

#include "bench/samples.h"

namespace {

constexpr std::size_t n_rows = 200000;
constexpr int n_columns = 20;

/// n_rows rows of a label and 20 fields, each written by `append_field(text, random)`.
template <class AppendField>
std::string table_text(const AppendField& append_field) {
  std::string text = "y";
  for (int j = 0; j < n_columns; ++j) text += ",x" + std::to_string(j);
  text += '\n';
  dyad::Random random(1);
  for (std::size_t i = 0; i < n_rows; ++i) {
    text += i % 2 == 0 ? "a" : "b";
    for (int j = 0; j < n_columns; ++j) {
      text += ',';
      append_field(text, random);
    }
    text += '\n';
  }
  return text;
}

dyad::ByteSource memory_source(const std::string& text) {
  return {"memory", [&text, at = std::size_t{0}](std::span<char> buffer) mutable {
            const std::size_t size = std::min(buffer.size(), text.size() - at);
            std::memcpy(buffer.data(), text.data() + at, size);
            at += size;
            return size;
          }};
}

void read(benchmark::State& state, const std::string& text) {
  for (auto _ : state) {
    const dyad::Table table = dyad::read_csv(memory_source(text), {.label = "y"});
    if (table.n_rows != n_rows || table.features.size() != n_columns)
      state.SkipWithError("rows or columns were lost");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void read_csv_numbers(benchmark::State& state) {
  const auto digits = static_cast<int>(state.range(0));
  read(state, table_text([digits](std::string& text, dyad::Random& random) {
         std::array<char, 40> number{};
         const int size = std::snprintf(number.data(), number.size(), "%.*g", digits, random.normal());
         text.append(number.data(), static_cast<std::size_t>(size));
       }));
}
BENCHMARK(read_csv_numbers)->ArgName("digits")->Arg(4)->Arg(8)->Arg(17)->Unit(benchmark::kMillisecond);

void read_csv_integers(benchmark::State& state) {
  read(state,
       table_text([](std::string& text, dyad::Random& random) { text += std::to_string(random.below(10)); }));
}
BENCHMARK(read_csv_integers)->Unit(benchmark::kMillisecond);

void read_csv_categories(benchmark::State& state) {
  read(state, table_text([](std::string& text, dyad::Random& random) {
         text += random.below(2) == 0 ? "red" : "blue";
       }));
}
BENCHMARK(read_csv_categories)->Unit(benchmark::kMillisecond);

}  // namespace
