// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/added_rows.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "dyad/base/random.h"

namespace dyad {
namespace {

/// The block of a row's number.
std::size_t block_of(std::uint64_t number) { return static_cast<std::size_t>(std::bit_width(number)); }

std::uint64_t hash_of_number(double value) {
  return hashed(std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value + 0.0));  // -0 is 0
}

/// The hash of a label or level, the same for all spellings of a number.
std::uint64_t hash_of_text(const std::string& text) {
  double value = 0;
  if (parse_number(text, value)) return hash_of_number(value);
  std::uint64_t hash = text.size();
  for (const char letter : text) hash = hashed(hash ^ static_cast<unsigned char>(letter));
  return hash;
}

std::vector<std::uint64_t> hashes_of(const std::vector<std::string>& texts) {
  std::vector<std::uint64_t> hashes;
  for (const std::string& text : texts) hashes.push_back(hash_of_text(text));
  return hashes;
}

/// A hash of the number, class, weight and values of each row.
std::vector<std::uint64_t> hashes_of_rows(const Chunk& chunk, std::uint64_t first_row) {
  std::vector<std::uint64_t> hashes(chunk.n_rows());
  const auto classes = hashes_of(chunk.classes);
  for (std::size_t i = 0; i < hashes.size(); ++i)
    hashes[i] = hashed(first_row + i) ^
                hashed(classes[static_cast<std::size_t>(chunk.y[i])] + hash_of_number(chunk.weight(i)));
  for (std::size_t j = 0; j < chunk.X.n_cols; ++j) {
    const auto column = chunk.X.column(j);
    const std::uint64_t salt = hashed(j);
    std::vector<std::uint64_t> levels;
    if (chunk.is_categorical(j)) levels = hashes_of(chunk.levels[j].names);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      const bool is_level = !levels.empty() && !std::isnan(column[i]);
      hashes[i] +=
          hashed(salt ^ (is_level ? levels[static_cast<std::size_t>(column[i])] : hash_of_number(column[i])));
    }
  }
  for (std::uint64_t& hash : hashes) hash = hashed(hash);
  return hashes;
}

/// Appends the rows of a run that begins where another ends.
void append(RowRun& run, const RowRun& next) {
  run.end = next.end;
  run.sums.resize(block_count(run.first, run.end));
  const std::size_t offset = block_of(next.first) - block_of(run.first);
  for (std::size_t k = 0; k < next.sums.size(); ++k) run.sums[offset + k] += next.sums[k];
}

/// Blocks 0 .. k of a run from 0 and a hash of all their rows.
using Beginning = std::pair<std::size_t, std::uint64_t>;

/// The beginnings of a run from 0 that are long enough to be compared, the longest last.
std::vector<Beginning> beginnings(const RowRun& run) {
  constexpr std::size_t fewest_blocks = 5;  // 32 rows
  std::vector<Beginning> result;
  std::uint64_t hash = 0;
  for (std::size_t k = 0; k < run.sums.size() && (std::uint64_t{1} << k) <= run.end; ++k) {
    hash = hashed(hash ^ run.sums[k]);
    if (k >= fewest_blocks) result.emplace_back(k, hash);
  }
  return result;
}

std::string row_numbers(std::uint64_t first, std::uint64_t end) {
  return std::to_string(first) + " to " + std::to_string(end - 1);
}

[[noreturn]] void refuse(std::uint64_t first, std::uint64_t end) {
  throw std::invalid_argument(
      "rows numbered " + row_numbers(first, end) +
      " are in both states, so a part would be merged twice; if the parts differ, number their rows apart by "
      "--first-row or first_row");
}

/// Throws if one of the runs has one of the numbers first .. end - 1.
void require_new_numbers(const std::vector<RowRun>& runs, std::uint64_t first, std::uint64_t end) {
  for (const RowRun& run : runs)
    if (first < run.end && run.first < end)
      throw std::invalid_argument("first_row: rows " + row_numbers(first, end) + " overlap rows " +
                                  row_numbers(run.first, run.end) +
                                  ", which were added before; number each row once");
}

/// Throws if a run that does not begin at 0 has a number of one of `others`, which are in order.
void require_other_numbers(const std::vector<RowRun>& runs, const std::vector<RowRun>& others) {
  std::vector<std::uint64_t> ends;  // the largest up to each
  for (const RowRun& run : others) ends.push_back(std::max(run.end, ends.empty() ? 0 : ends.back()));
  for (const RowRun& run : runs) {
    const auto behind = std::ranges::lower_bound(others, run.end, {}, &RowRun::first) - others.begin();
    if (run.first == 0 || behind == 0) continue;
    const std::uint64_t end = ends[static_cast<std::size_t>(behind) - 1];
    if (end > run.first) refuse(run.first, std::min(end, run.end));
  }
}

/// Throws if the whole of a run from 0, up to its last full block, is the beginning of one of `others`.
void require_other_beginnings(const std::vector<RowRun>& runs, const std::vector<RowRun>& others) {
  std::set<Beginning> known;
  for (const RowRun& run : others)
    if (run.first == 0)
      for (const Beginning& beginning : beginnings(run)) known.insert(beginning);
  for (const RowRun& run : runs) {
    if (run.first > 0) continue;
    const auto own = beginnings(run);
    if (std::ranges::binary_search(others, run) || (!own.empty() && known.contains(own.back())))
      refuse(0, run.end);
  }
}

}  // namespace

std::size_t block_count(std::uint64_t first, std::uint64_t end) {
  return block_of(end - 1) - block_of(first) + 1;
}

void AddedRows::add(const Chunk& chunk, std::uint64_t first_row) {
  const std::size_t n = chunk.n_rows();
  if (first_row >= most_row_numbers || n > most_row_numbers - first_row)
    throw std::invalid_argument("first_row must be below 2^62, got " + std::to_string(first_row));
  if (n == 0) return;
  require_new_numbers(runs_, first_row, first_row + n);
  RowRun run{first_row, first_row + n, std::vector<std::uint64_t>(block_count(first_row, first_row + n))};
  const auto hashes = hashes_of_rows(chunk, first_row);
  for (std::size_t i = 0; i < n; ++i) run.sums[block_of(first_row + i) - block_of(first_row)] += hashes[i];
  add(std::move(run));
}

void AddedRows::add(const AddedRows& other) {
  for (const RowRun& run : other.runs_) add(run);
}

void AddedRows::add(RowRun run) {
  const auto last_with = [&](std::uint64_t RowRun::*bound, std::uint64_t number) {
    return std::ranges::find(runs_.rbegin(), runs_.rend(), number, bound);
  };
  if (const auto before = last_with(&RowRun::end, run.first); before != runs_.rend()) {
    RowRun joined = std::move(*before);
    runs_.erase(before.base() - 1);
    append(joined, run);
    run = std::move(joined);
  }
  if (const auto behind = last_with(&RowRun::first, run.end); behind != runs_.rend()) {
    append(run, *behind);
    runs_.erase(behind.base() - 1);
  }
  runs_.push_back(std::move(run));
}

void AddedRows::require_apart_from(const AddedRows& other) const {
  const auto own = runs();
  const auto others = other.runs();
  require_other_numbers(own, others);
  require_other_numbers(others, own);
  require_other_beginnings(own, others);
  require_other_beginnings(others, own);
}

std::uint64_t AddedRows::end() const {
  return runs_.empty() ? 0 : std::ranges::max(runs_, {}, &RowRun::end).end;
}

std::vector<RowRun> AddedRows::runs() const {
  auto sorted = runs_;
  std::ranges::sort(sorted);
  return sorted;
}

}  // namespace dyad
