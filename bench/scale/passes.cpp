// What a fit in chunks is made of: a table to fit to, passes that only parse it, and the time of each step.
//   dyad_passes write ROWS FEATURES DRAW FILE
//   dyad_passes parse FILE
//   dyad_passes steps FILE
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "dyad/base/random.h"
#include "dyad/base/stopwatch.h"
#include "dyad/fit/state.h"
#include "dyad/fit/term_counts.h"
#include "dyad/io/csv.h"
#include "dyad/io/output_file.h"
#include "dyad/simulation/scenarios.h"

namespace {

using namespace dyad;

constexpr std::uint64_t rows_of_draw = 500'000;

/// Rows of networks whose classes overlap, with five digits.
void write_table(std::uint64_t n_rows, int n_features, std::uint64_t first_draw, const std::string& path) {
  SimulationOptions options = calibrated_options(Scenario::general_normal);
  options.d = n_features;
  options.shared = 0.8;
  const Simulation simulation(Scenario::general_normal, options, 1);
  OutputFile file(path);
  std::string text;
  for (int j = 0; j < n_features; ++j) text += "x" + std::to_string(j + 1) + ",";
  text += "label\n";
  for (std::uint64_t first = 0; first < n_rows; first += rows_of_draw) {
    const auto count = static_cast<std::size_t>(std::min(rows_of_draw, n_rows - first));
    const LabelledSample rows = simulation.sample(count, 0.5, first_draw + first / rows_of_draw);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < rows.n_features(); ++j) {
        char field[32];
        const int size = std::snprintf(field, sizeof field, "%.5g,", rows.X(i, j));
        text.append(field, static_cast<std::size_t>(size));
      }
      text += rows.y[i] == 0 ? "0\n" : "1\n";
      if (text.size() > std::size_t{1} << 22U) {
        file.write(text);
        text.clear();
      }
    }
  }
  file.write(text);
  file.finish();
}

CsvOptions csv_options() {
  CsvOptions options;
  options.label = "label";
  return options;
}

double parse(const std::string& path) {
  double seconds = 0;
  {
    const Stopwatch watch(seconds);
    CsvChunks chunks(open_source(path), csv_options());
    while (chunks.next(default_chunk_rows(chunks.n_columns())).n_rows > 0) {
    }
  }
  return seconds;
}

/// Calls use(chunk) for all chunks, and returns the seconds that it takes.
template <class Use>
double using_chunks(const std::string& path, const Use& use) {
  double seconds = 0;
  CsvChunks chunks(open_source(path), csv_options());
  for (Table table = chunks.next(default_chunk_rows(chunks.n_columns())); table.n_rows > 0;
       table = chunks.next(default_chunk_rows(chunks.n_columns()))) {
    const Chunk chunk = chunk_of(table);
    const Stopwatch watch(seconds);
    use(chunk);
  }
  return seconds;
}

/// Nanoseconds of adding a row, on one thread, to a table of a pair, as `fill_quadratic` does.
double fill_time(const State& counts) {
  const auto& terms = counts.term_counts()->terms();
  double seconds = 0;
  double n_rows = 0;
  constexpr std::size_t n = 65536;
  for (std::size_t t = 0; t < terms.size(); t += 1 + terms.size() / 50) {
    const auto* const pair = std::get_if<BinnedPair>(&std::get<Binned>(terms[t]));
    if (pair == nullptr) continue;
    std::vector<Place> u(n);
    std::vector<Place> v(n);
    Random random(t);
    // Places as a normal sample has them, about.
    const auto place = [&](std::size_t n_nodes) {
      const double share = (random.uniform() + random.uniform() + random.uniform()) / 3;
      return static_cast<Place>(256 + share * 256 * static_cast<double>(n_nodes - 3));
    };
    for (std::size_t i = 0; i < n; ++i) {
      u[i] = place(pair->frame.u.size);
      v[i] = place(pair->frame.v.size);
    }
    PairCounts table(pair->frame.u.size, pair->frame.v.size);
    const Stopwatch watch(seconds);
    table.fill_quadratic(u, v);
    n_rows += static_cast<double>(n);
  }
  return 1e9 * seconds / n_rows;
}

void steps(const std::string& path) {
  const FitOptions options = preset_options(Preset::automatic);
  State state;
  std::uint64_t first = 0;
  const double surveying = using_chunks(path, [&](const Chunk& chunk) {
    state.update(chunk, first);
    first += chunk.n_rows();
  });
  const auto n_rows = static_cast<double>(first);
  double planning = 0;
  {
    const Stopwatch watch(planning);
    state = state.plan(options);
  }
  first = 0;
  const double counting = using_chunks(path, [&](const Chunk& chunk) {
    state.update(chunk, first);
    first += chunk.n_rows();
  });
  const double fill = fill_time(state);
  double n_pairs = 0;
  for (const TermKey& place : state.plan_of()->keys) n_pairs += place.is_pair() ? 1 : 0;
  FitReport report;
  double finishing = 0;
  {
    const Stopwatch watch(finishing);
    static_cast<void>(state.finalize({}, report));
  }
  std::printf(
      "{\"rows\": %.0f, \"pairs\": %.0f, \"survey\": %.3f, \"plan\": %.3f, \"count\": %.3f, \"finish\": "
      "%.3f, "
      "\"density\": %.3f, \"weights\": %.3f, \"fill_ns\": %.3f}\n",
      n_rows, n_pairs, surveying, planning, counting, finishing, report.density, report.svm, fill);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 5 && arguments[0] == "write") {
    write_table(std::stoull(arguments[1]), std::stoi(arguments[2]), std::stoull(arguments[3]), arguments[4]);
    return 0;
  }
  if (arguments.size() == 2 && arguments[0] == "parse") {
    std::printf("%.3f\n", parse(arguments[1]));
    return 0;
  }
  if (arguments.size() == 2 && arguments[0] == "steps") {
    steps(arguments[1]);
    return 0;
  }
  std::fprintf(stderr, "dyad_passes: write ROWS FEATURES DRAW FILE, parse FILE or steps FILE\n");
  return 2;
}
