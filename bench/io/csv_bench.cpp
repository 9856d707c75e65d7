// Speed of reading a CSV file, in bytes of its text.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/csv.h"

#include <cstdio>
#include <cstring>

#include "bench/samples.h"

namespace {

/// n rows of 20 numbers with `digits` significant digits and a label.
std::string table_text(std::size_t n, int digits) {
  std::string text = "y";
  for (int j = 0; j < 20; ++j) text += ",x" + std::to_string(j);
  text += '\n';
  dyad::Random random(1);
  char number[40];
  for (std::size_t i = 0; i < n; ++i) {
    text += i % 2 == 0 ? "a" : "b";
    for (int j = 0; j < 20; ++j) {
      const int size = std::snprintf(number, sizeof number, ",%.*g", digits, random.normal());
      text.append(number, static_cast<std::size_t>(size));
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

void read_csv(benchmark::State& state) {
  const std::string text = table_text(200000, static_cast<int>(state.range(0)));
  for (auto _ : state) {
    const dyad::Table table = dyad::read_csv(memory_source(text), {.label = "y"});
    if (table.n_rows != 200000) state.SkipWithError("rows were lost");
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}
BENCHMARK(read_csv)->ArgName("digits")->Arg(4)->Arg(8)->Arg(17)->Unit(benchmark::kMillisecond);

}  // namespace
