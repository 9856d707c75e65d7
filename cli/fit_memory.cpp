// SPDX-License-Identifier: BSD-3-Clause
#include "cli/fit_memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "cli/memory_limit.h"
#include "cli/text_memory.h"
#include "dyad/fit/recipe.h"
#include "dyad/fit/survey.h"

namespace dyad::cli {
namespace {

/// A table is read as a whole up to this size of a fit.
constexpr double most_whole = 0x1p32;

/// Bytes of a value of a table that is read as a whole: in the table, in coordinates, scaled, and on the way
/// between them.
constexpr double bytes_of_value = 28;

// Shares of what the limit leaves to rows. Steps of a fit hold at most: 5 copies of the sample and chunks;
// the sample, tables and chunks; 3 copies of the sample, tables, densities and values.
constexpr double whole_share = 0.35;
constexpr double sample_share = 0.07;
constexpr double table_share = 0.12;
constexpr double most_table_share = 0.4;  // where smaller tables would not do
constexpr double least_weight_share = 0.19;
constexpr double used_share = 0.92;

// Copies held while weights are fitted.
constexpr double copies_of_sample = 3;
constexpr double table_and_density = 1.3;

/// The least of each that gives a model.
constexpr double fewest_sampled_rows = 4000;
constexpr double fewest_weight_rows = 2000;
constexpr double smallest_table = 64.0 * 64 * sizeof(std::int64_t);

double pair_count(const TableEstimate& table, const FitOptions& options) {
  const auto d = static_cast<double>(std::max<std::size_t>(table.n_features, 1));
  const auto n_classes = static_cast<double>(std::max<std::size_t>(table.n_classes, 2));
  const double all = n_classes * d * (d - 1) / 2;
  constexpr double most = 4000;
  switch (options.method) {
    case Method::slb:
    case Method::slb_minus:
      return std::min(all, std::min(most, static_cast<double>(options.max_pairs)));
    case Method::tan:
    case Method::tan_forest:
      return n_classes * (d - 1);
    case Method::lu:
    case Method::nb:
      break;
  }
  return 0;
}

/// Memory for a table that is read as a whole, and for the densities of its pairs.
double whole_memory(const TableEstimate& table, const FitOptions& options) {
  constexpr double most_bytes_of_pair = 65536;
  constexpr double bytes_of_row_and_pair = 16;
  return bytes_of_value * table.n_rows * static_cast<double>(table.n_features + 1) +
         pair_count(table, options) * std::min(most_bytes_of_pair, bytes_of_row_and_pair * table.n_rows);
}

double term_count(const TableEstimate& table, const FitOptions& options) {
  const auto n_classes = static_cast<double>(std::max<std::size_t>(table.n_classes, 2));
  return pair_count(table, options) + static_cast<double>(table.n_features) * (1 + n_classes);
}

/// Memory for the settings that are tried where weights of several classes are found together: values of some
/// rows, copies of them, and the scores of each setting.
double trial_memory(const TableEstimate& table, const FitOptions& options) {
  if (table.n_classes <= 2 || !has_svm(options.method)) return 0;
  const double n_terms = term_count(table, options);
  const double n_rows = std::min(table.n_rows, std::max(1500.0, 2.5e6 / n_terms));
  return n_rows * (10 * n_terms + 640 * static_cast<double>(table.n_classes));
}

/// Memory that columns of text take.
TextMemory text_memory_of(const TableEstimate& table, const FitOptions& options, Reading reading) {
  const bool keeps_all = table.n_rows <= static_cast<double>(default_sample_rows(table.n_features));
  return text_memory(table, pair_count(table, options), static_cast<std::size_t>(options.max_levels),
                     keeps_all && reading == Reading::chunked);
}

/// The least memory for rows with which a table can be fitted, as a whole or in chunks.
double least_memory(const TableEstimate& table, const TextMemory& text, const FitOptions& options,
                    Reading reading) {
  const auto d = static_cast<double>(table.n_features);
  const double n_pairs = pair_count(table, options);
  const double copies = table.n_classes > 2 ? 4 : 2;
  const double n_rows = has_svm(options.method) ? std::min(fewest_weight_rows, table.n_rows) : 0;
  const double values = copies * sizeof(float) * n_rows * term_count(table, options);
  const double whole = std::max(whole_memory(table, options), values) / whole_share;
  const double chunked =
      std::max({std::min(fewest_sampled_rows, table.n_rows) * d * sizeof(double) / sample_share,
                n_pairs * smallest_table / most_table_share, values / least_weight_share});
  const auto read_whole = [&](double rows) {
    return std::max({text.while_read, text.while_fitted + rows, text.while_written});
  };
  const auto in_chunks = [&](double rows) {
    return std::max(text.in_chunks + rows, text.while_written_of_chunks);
  };
  if (reading == Reading::whole || options.engine == Engine::exact)
    return read_whole(whole_memory(table, options));
  return trial_memory(table, options) + (reading == Reading::chunked
                                             ? in_chunks(std::min(whole, chunked))
                                             : std::min(read_whole(whole), in_chunks(chunked)));
}

std::size_t bytes(double number) { return static_cast<std::size_t>(number); }

}  // namespace

std::size_t table_bytes(std::size_t limit) {
  if (limit == 0) return State::default_table_bytes;
  constexpr double share = 0.25;  // of a plan: its states hold little else
  return std::min(State::default_table_bytes, bytes(share * memory_for_rows(limit)));
}

FitMemory fit_memory(const TableEstimate& table, const FitOptions& options, Reading reading,
                     const RunFlags& run) {
  FitMemory memory{.is_chunked = reading == Reading::chunked, .threads = run.execution.threads};
  const bool may_choose = reading == Reading::automatic && options.engine == Engine::counts;
  const double whole = whole_memory(table, options);
  if (run.max_memory == 0) {
    memory.is_chunked = memory.is_chunked || (may_choose && whole > most_whole);
    return memory;
  }
  const double left = memory_for_rows(run.max_memory);
  const TextMemory text = text_memory_of(table, options, reading);
  if (const double least = least_memory(table, text, options, reading); left < least)
    throw std::runtime_error(fmt::format("--max-memory {}: a fit to this table takes at least {}",
                                         size_text(run.max_memory), size_text(limit_for_rows(least))));
  const double fitted = left - trial_memory(table, options);
  const bool fits_whole = text.while_read <= fitted && whole <= whole_share * (fitted - text.while_fitted);
  memory.is_chunked = memory.is_chunked || (may_choose && !fits_whole);
  const double levels = memory.is_chunked ? text.in_chunks : text.while_fitted;
  memory.limit = bytes(std::max(static_cast<double>(run.max_memory) - levels, 1.0));
  const double rows = std::max(fitted - levels, 1.0);
  const auto d = static_cast<double>(std::max<std::size_t>(table.n_features, 1));
  const std::size_t most_rows = default_sample_rows(table.n_features);
  const std::size_t n_rows = std::min(most_rows, bytes(sample_share * rows / (sizeof(double) * d)));
  if (n_rows < most_rows) memory.sample_rows = n_rows;
  const double n_pairs = pair_count(table, options);
  memory.table_bytes =
      std::min(memory.table_bytes,
               bytes(rows * std::clamp(n_pairs * smallest_table / rows, table_share, most_table_share)));
  const double sample = sizeof(double) * d * static_cast<double>(n_rows);
  const double tables = std::min(static_cast<double>(memory.table_bytes),
                                 n_pairs * sizeof(std::int64_t) * std::pow(2.0 * options.grid, 2));
  const double held = memory.is_chunked ? copies_of_sample * sample + table_and_density * tables : whole;
  memory.weight_bytes = bytes(std::max(least_weight_share * rows, used_share * rows - held));
  memory.threads = std::min(thread_count(run.execution), most_threads(run.max_memory));
  return memory;
}

}  // namespace dyad::cli
