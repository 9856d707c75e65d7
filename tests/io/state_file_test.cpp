// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/state_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "dyad/fit/term_counts.h"
#include "dyad/io/internal/sections.h"
#include "dyad/io/model_file.h"
#include "tests/chunks.h"
#include "tests/folder.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

Chunk some_rows() {
  return chunk_of(test::mixed_table({.n_rows = 600, .n_numbers = 2, .n_categories = 2, .missing = 0.1}));
}

State survey_of(const Chunk& chunk) {
  State state(120);
  state.update(chunk);
  return state;
}

State counts_of(const Chunk& chunk, PairRule pairs = PairRule::cv) {
  FitOptions options = preset_options(Preset::automatic);
  options.pairs = pairs;
  options.grid = 16;
  options.costs = Matrix(2, 2);
  options.costs(0, 1) = 2;
  options.class_weight_values = {1, 3};
  State state = survey_of(chunk).plan(options);
  state.update(chunk);
  return state;
}

TEST(StateFile, KeepsAState) {
  const Chunk chunk = some_rows();
  for (const State& state : {State(), survey_of(chunk), counts_of(chunk), counts_of(chunk, PairRule::path)}) {
    const std::string bytes = state_bytes(state);
    const State read = state_from_bytes(bytes, "s");
    EXPECT_EQ(read.is_planned(), state.is_planned());
    EXPECT_EQ(read.n_rows(), state.n_rows());
    EXPECT_EQ(state_bytes(read), bytes);
    if (state.is_planned()) {
      EXPECT_EQ(model_bytes(read.finalize()), model_bytes(state.finalize()));
    }
  }
}

TEST(StateFile, CanBeGoneOnWith) {
  const Chunk chunk = some_rows();
  const State read = state_from_bytes(state_bytes(survey_of(test::part_of(chunk, 0, 200))), "s");
  State rest(120);
  rest.update(test::part_of(chunk, 200, 600), 200);
  rest.merge(read);
  EXPECT_EQ(state_bytes(rest), state_bytes(survey_of(chunk)));
  const State counts = counts_of(chunk);
  State plan = survey_of(chunk).plan(counts.planned_options());
  plan = state_from_bytes(state_bytes(plan), "s");
  plan.update(test::part_of(chunk, 0, 100), 0);
  State others = state_from_bytes(state_bytes(survey_of(chunk).plan(counts.planned_options())), "s");
  others.update(test::part_of(chunk, 100, 600), 100);
  others.merge(plan);
  EXPECT_EQ(state_bytes(others), state_bytes(counts));
}

void expect_refused(const std::string& bytes, const std::string& part) {
  try {
    static_cast<void>(state_from_bytes(bytes, "s.state"));
    FAIL() << part;
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

/// The bytes of a state without the section of its row numbers.
std::string without_rows(std::string bytes) {
  const std::size_t at = bytes.find("rows");
  std::uint64_t size = 0;
  std::memcpy(&size, bytes.data() + at + 4, sizeof size);
  return bytes.erase(at, 4 + sizeof size + size + sizeof(std::uint32_t));
}

TEST(StateFile, OfAVersionThatDidNotKeepRowNumbersIsReadAndMerged) {
  const State state = survey_of(some_rows());
  State older = state_from_bytes(without_rows(state_bytes(state)), "s");
  EXPECT_TRUE(older.added_rows().runs().empty());
  EXPECT_EQ(older.next_row(), 600U);
  older.merge(state);
  EXPECT_EQ(older.n_rows(), 1200U);
  EXPECT_EQ(older.added_rows().runs(), state.added_rows().runs());
}

TEST(StateFile, RefusesRowNumbersThatNoRowsHave) {
  const Survey survey = survey_of(some_rows()).survey();
  const auto bytes_with = [&](std::vector<RowRun> runs) {
    return state_bytes(State(survey, AddedRows(std::move(runs))));
  };
  EXPECT_NO_THROW(state_from_bytes(bytes_with({{0, 2, {1, 2}}, {0, 2, {3, 4}}}), "s"));
  expect_refused(bytes_with({{5, 5, {1}}}), "has row numbers out of range");
  expect_refused(bytes_with({{0, most_row_numbers + 1, {}}}), "has row numbers out of range");
  expect_refused(bytes_with({{0, 600, {1, 2}}}), "cut short or damaged");
}

TEST(StateFile, KeepsASurveyWhoseRowsAllHaveWeightZero) {
  const Chunk rows = some_rows();
  Chunk weightless = rows;
  weightless.weights.assign(rows.n_rows(), 0);
  State state(120);
  state.update(weightless, rows.n_rows());
  const std::string bytes = state_bytes(state);
  const State read = state_from_bytes(bytes, "s");
  EXPECT_EQ(read.n_rows(), 0U);
  EXPECT_EQ(state_bytes(read), bytes);
  State all = survey_of(rows);
  all.merge(read);
  EXPECT_EQ(all.n_rows(), rows.n_rows());
}

TEST(StateFile, RefusesWhatIsNone) {
  const std::string bytes = state_bytes(counts_of(some_rows()));
  expect_refused("", "s.state: this is not a dyad state file");
  expect_refused("DYAD\r\n\x1a\n", "this is not a dyad state file");
  expect_refused(bytes.substr(0, 200), "s.state: the state file is cut short or damaged");
  expect_refused(bytes + "x", "the state file goes on behind its end");
  std::string newer = bytes;
  newer[10] = 2;
  expect_refused(newer, "the state file has version 2, this dyad reads versions up to 1; use a newer dyad");
  std::string damaged = bytes;
  damaged[bytes.size() / 2] = static_cast<char>(damaged[bytes.size() / 2] ^ 1);
  expect_refused(damaged, "the state file is damaged (checksum of");
  for (std::size_t size = 0; size < bytes.size(); size += 1 + size / 20)
    EXPECT_THROW(state_from_bytes(bytes.substr(0, size), "s"), std::runtime_error);
}

TEST(StateFile, RefusesSumsThatNoRowsHave) {
  const Survey survey = survey_of(some_rows()).survey();
  const auto refuse = [&](const auto& damage, const std::string& part) {
    Survey damaged = survey;
    damage(damaged);
    expect_refused(state_bytes(State(damaged)), part);
  };
  refuse([](Survey& of) { of.class_weights[1] = 5e-324; }, "has a weight out of range");
  refuse([](Survey& of) { of.class_rows[0] = std::uint64_t{1} << 60U; }, "has a weight out of range");
  refuse([](Survey& of) { of.class_rows[0] += 1, of.class_weights[0] += 1; },
         "has features of other rows than its classes");
  refuse([](Survey& of) { of.largest_weight = 1e-300, of.is_weighted = true; }, "has a weight out of range");
}

TEST(StateFile, RefusesCoordinatesThatNoRowsHave) {
  const State state = counts_of(some_rows());
  Plan plan = *state.plan_of();
  plan.encoding.coordinates[0].mean = 1e200;
  const State damaged(std::make_shared<const Plan>(plan), *state.term_counts());
  expect_refused(state_bytes(damaged), "has coordinates that its rows do not have");
}

TEST(StateFile, RefusesMembersThatNoPathHas) {
  Chunk chunk = chunk_of(test::class_table(300, 3, 2, 1));
  for (std::size_t i = 0; i < chunk.n_rows(); ++i) chunk.y[i] = chunk.X(i, 0) * chunk.X(i, 1) > 0 ? 1 : 0;
  const State state = counts_of(chunk, PairRule::path);
  const auto is_pair = [](const TermKey& key) { return key.is_pair(); };
  ASSERT_TRUE(std::ranges::any_of(state.plan_of()->chosen.terms.keys, is_pair));
  const auto refuse = [&](const auto& damage, const std::string& part) {
    Plan plan = *state.plan_of();
    damage(plan.chosen.path->members);
    const State damaged(std::make_shared<const Plan>(plan), *state.term_counts());
    expect_refused(state_bytes(damaged), part);
  };
  using Members = std::vector<PathMember>;
  refuse([](Members& of) { of.clear(); }, "has no likely number of members");
  refuse([](Members& of) { of.resize(65, of[0]); }, "has no likely number of members");
  refuse([](Members& of) { of[0].share = 50; }, "has members whose shares do not add up to 1");
  refuse([](Members& of) { of[0].cost = -1; }, "");
  for (PathMember linear :
       {PathMember{.is_linear = true, .shares_weights = true},
        PathMember{.is_linear = true, .pairs = {state.plan_of()->chosen.terms.keys.size() - 1}}})
    refuse([&](Members& of) { of = {linear}; }, "has a linear member with other terms");
  refuse([](Members& of) { of = {PathMember{.pairs = {0}}}; }, "has a member with terms in no order");
  refuse([](Members& of) { of = {PathMember{.pairs = {1'000'000}}}; }, "");
}

TEST(StateFile, RefusesAxesWithoutCounts) {
  const std::string bytes = state_bytes(counts_of(some_rows()));
  std::string cut = bytes.substr(0, bytes.rfind("CNTS"));
  internal::append_section(cut, "CNTS", "none");
  expect_refused(cut, "the state file has fewer counts than its axes have nodes");
}

TEST(StateFile, IsWrittenWhole) {
  const test::Folder folder;
  const State state = survey_of(some_rows());
  save_state(state, folder.path("s.state"));
  EXPECT_EQ(folder.count_files(), 1);
  EXPECT_EQ(state_bytes(load_state(folder.path("s.state"))), state_bytes(state));
  EXPECT_THROW(load_state(folder.path("none.state")), std::runtime_error);
}

TEST(StateFile, ThatCouldNotBeReadAgainIsNotWritten) {
  const test::Folder folder;
  const std::string path = folder.path("s.state");
  Chunk chunk = some_rows();
  save_state(survey_of(chunk), path);
  const std::string old = folder.read("s.state");
  chunk.features[1] = chunk.features[0];
  try {
    save_state(survey_of(chunk), path);
    FAIL() << "it was written";
  } catch (const std::runtime_error& error) {
    EXPECT_EQ(error.what(), path + ": the state file has a name twice; it is not written");
  }
  EXPECT_EQ(folder.read("s.state"), old);
  EXPECT_EQ(folder.count_files(), 1);
}

}  // namespace
}  // namespace dyad
