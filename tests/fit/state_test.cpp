// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "dyad/base/gather.h"
#include "dyad/base/random.h"
#include "dyad/fit/fit.h"
#include "dyad/fit/term_counts.h"
#include "dyad/io/model_file.h"
#include "dyad/io/state_file.h"
#include "dyad/model/prediction.h"
#include "tests/averages.h"
#include "tests/chunks.h"
#include "tests/fitted.h"
#include "tests/folder.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

using test::error_of;

FitOptions auto_options(Method method = Method::slb) { return preset_options(Preset::automatic, method); }

/// A state of all rows of a chunk, cut into `n_parts`, added to `state`.
State with_rows(State state, const Chunk& chunk, std::size_t n_parts = 1) {
  for (std::size_t k = 0; k < n_parts; ++k)
    state.update(test::part_of(chunk, k * chunk.n_rows() / n_parts, (k + 1) * chunk.n_rows() / n_parts));
  return state;
}

/// The model of two passes over a chunk.
Model two_passes(const Chunk& chunk, const FitOptions& options, std::size_t sample_rows,
                 std::size_t n_parts = 1, const Execution& execution = {}) {
  const State survey = with_rows(State(sample_rows), chunk, n_parts);
  return with_rows(survey.plan(options, execution), chunk, n_parts).finalize(execution);
}

Chunk mixed_rows(std::size_t n, std::size_t n_classes = 2) {
  return chunk_of(test::mixed_table({.n_rows = n, .n_classes = n_classes, .missing = 0.05, .seed = 4}));
}

Chunk number_rows(std::size_t n, std::size_t n_classes = 2) {
  return chunk_of(test::class_table(n, 4, n_classes, 3));
}

TEST(State, OfFewRowsFitsWhatFitDoes) {
  const Table table = test::mixed_table({.n_rows = 300, .n_classes = 3, .missing = 0.1});
  for (const Method method : {Method::slb, Method::tan}) {
    const State state = with_rows(State(), chunk_of(table), 7);
    ASSERT_TRUE(state.survey().is_whole());
    FitReport report;
    EXPECT_EQ(model_bytes(state.fit_sample(auto_options(method), {}, report)),
              model_bytes(fit(table, auto_options(method))));
  }
}

TEST(State, DoesNotDependOnHowRowsAreCut) {
  for (const Chunk& chunk : {mixed_rows(3000, 3), number_rows(3000)}) {
    const std::string whole = model_bytes(two_passes(chunk, auto_options(), 500));
    EXPECT_EQ(model_bytes(two_passes(chunk, auto_options(), 500, 13)), whole);
    EXPECT_EQ(model_bytes(two_passes(chunk, auto_options(), 500, 2, {.threads = 3})), whole);
  }
}

/// Parts of a table in states of their own, merged by a random tree.
State merged_at_random(std::vector<State> states, Random& random) {
  while (states.size() > 1) {
    random.shuffle(states);
    State last = std::move(states.back());
    states.pop_back();
    states.back().merge(last);
  }
  return std::move(states.front());
}

TEST(State, IsMergedInAnyOrderToTheSameBytes) {
  Random random(8);
  for (const bool numbered : {true, false}) {
    for (Chunk chunk : {mixed_rows(2000, 3), number_rows(2000)}) {
      for (std::size_t i = 0; i < chunk.n_rows(); ++i)
        chunk.weights.push_back(static_cast<double>(random.below(4)));
      // Chunks know only the levels and classes that they have.
      std::vector<State> surveys;
      std::vector<State> more;
      for (std::size_t first = 0; first < chunk.n_rows(); first += 250) {
        State part(300);
        part.update(test::part_of(chunk, first, first + 250), numbered ? first : 0);
        surveys.push_back(part);
        more.push_back(std::move(part));
      }
      const State survey = merged_at_random(std::move(surveys), random);
      EXPECT_EQ(state_bytes(merged_at_random(std::move(more), random)), state_bytes(survey));
      if (!numbered) continue;
      State whole(300);
      whole.update(chunk, 0);
      EXPECT_EQ(state_bytes(whole), state_bytes(survey));

      const State plan = survey.plan(auto_options());
      std::vector<State> counts;
      for (std::size_t first = 0; first < chunk.n_rows(); first += 250) {
        counts.push_back(plan);
        counts.back().update(test::part_of(chunk, first, first + 250), first);
      }
      State at_once = plan;
      at_once.update(chunk, 0);
      EXPECT_EQ(state_bytes(merged_at_random(std::move(counts), random)), state_bytes(at_once));
    }
  }
}

/// Of all rows in the sample, two passes make the densities that a fit does.
TEST(State, CountsRowsAsAFitDoes) {
  const Table table = test::class_table(1500, 4, 2, 6);
  FitOptions options = auto_options(Method::nb);
  const Model expected = fit(table, options);
  const Model model = two_passes(chunk_of(table), options, 100000);
  ASSERT_EQ(model.terms.size(), expected.terms.size());
  for (std::size_t t = 0; t < model.terms.size(); ++t)
    EXPECT_EQ(model.terms[t].density, expected.terms[t].density) << t;
  const auto fitted = scores(model, chunk_of(table).X);
  const auto wanted = scores(expected, chunk_of(table).X);
  for (std::size_t i = 0; i < fitted.n_rows; ++i) EXPECT_NEAR(fitted(i, 0), wanted(i, 0), 1e-9);
}

/// The counts by their definition: every row placed on the axes alone.
TEST(State, CountsEveryRowOfAClassOnTheAxesOfATerm) {
  const Chunk chunk = number_rows(1200);
  const State plan = with_rows(State(200), chunk).plan(test::averaging_options());
  const State counts = with_rows(plan, chunk, 5);
  const Plan& planned = *counts.plan_of();
  std::size_t n_pairs = 0;
  for (std::size_t t = 0; t < planned.keys.size(); ++t) {
    const auto* const pair = std::get_if<BinnedPair>(&std::get<Binned>(counts.term_counts()->terms()[t]));
    if (pair == nullptr) continue;
    ++n_pairs;
    const TermKey& place = planned.keys[t];
    PairCounts expected(pair->frame.u.size, pair->frame.v.size);
    double n = 0;
    for (std::size_t i = 0; i < chunk.n_rows(); ++i) {
      if (chunk.y[i] != place.class_code) continue;
      std::vector<double> x{chunk.X(i, place.i), chunk.X(i, place.j)};
      for (std::size_t k = 0; k < 2; ++k)
        apply(planned.encoding.coordinates[k == 0 ? place.i : place.j], {&x[k], 1}, {&x[k], 1});
      const std::vector<float> u{static_cast<float>(pair->frame.x(x[0]))};
      const std::vector<float> v{static_cast<float>(pair->frame.y(x[1]))};
      const PlacedRows placed = place_rows(pair->frame, u, v);
      expected.fill_quadratic(placed.u, placed.v);
      ++n;
    }
    EXPECT_EQ(pair->counts, expected);
    EXPECT_EQ(pair->n_rows, n);
  }
  EXPECT_GT(n_pairs, 5U);
}

TEST(SlowState, PredictsLikeAFitToAllRows) {
  for (const bool mixed : {false, true})
    for (const Method method : {Method::slb, Method::lu, Method::nb, Method::tan}) {
      const Table table = mixed ? test::mixed_table({.n_rows = 12000, .n_classes = 3, .missing = 0.05})
                                : test::class_table(12000, 4, 2, 9);
      const Chunk all = chunk_of(table);
      const Chunk train = test::part_of(all, 0, 8000);
      const Chunk fresh = test::part_of(all, 8000, 12000);
      LabelledSample sample{train.X, train.y, train.classes.size(), {}, train.levels};
      FitReport report;
      const Model in_memory = fit(std::move(sample), auto_options(method), {}, report);
      const Model in_parts = two_passes(train, auto_options(method), 3000, 4);
      // Twice the standard error of a difference between errors of the same rows is below that of one.
      const double expected = error_of(in_memory, fresh);
      EXPECT_NEAR(error_of(in_parts, fresh), expected, 2 * std::sqrt(expected * (1 - expected) / 4000) + 1e-3)
          << mixed << " " << static_cast<int>(method);
      EXPECT_EQ(in_parts.class_rows[0], in_memory.class_rows[0]);
    }
}

TEST(State, FitsOneSettingByTheWeightThatRowsStandFor) {
  const Chunk all = number_rows(12000);
  const Chunk train = test::part_of(all, 0, 8000);
  const Chunk fresh = test::part_of(all, 8000, 12000);
  for (const Method method : {Method::slb, Method::lu}) {
    const FitOptions options = preset_options(Preset::paper, method);
    FitReport report;
    const Model in_memory = fit(LabelledSample{train.X, train.y, 2, {}, {}}, options, {}, report);
    const Model in_parts = two_passes(train, options, 2000, 3);
    EXPECT_NEAR(error_of(in_parts, fresh), error_of(in_memory, fresh), 0.01);
  }
}

TEST(State, FitsOneSettingToAllRowsOnADisk) {
  const test::Folder folder;
  const Chunk all = number_rows(12000);
  const Chunk train = test::part_of(all, 0, 8000);
  const Chunk fresh = test::part_of(all, 8000, 12000);
  FitOptions options = preset_options(Preset::paper);
  options.pairs = PairRule::count;
  options.n_pairs = 4;
  FitReport report;
  const Model in_memory = fit(LabelledSample{train.X, train.y, 2, {}, {}}, options, {}, report);
  const State counts = with_rows(with_rows(State(2000), train).plan(options), train, 3);
  const ChunkSource source = [&] {
    return [&train, at = std::size_t{0}]() mutable {
      const std::size_t first = at;
      at += 3000;
      return test::part_of(train, first, at);
    };
  };
  const Model on_disk = counts.finalize(source, folder.path(""), {}, report);
  EXPECT_TRUE(report.converged);
  EXPECT_EQ(folder.count_files(), 0);
  EXPECT_NEAR(error_of(on_disk, fresh), error_of(in_memory, fresh), 0.003);
  // The weights are of the same densities, but for bandwidths and axes from a sample.
  ASSERT_EQ(on_disk.terms.size(), in_memory.terms.size());
  const ChunkSource none = [&] { return [&] { return test::part_of(train, 0, 0); }; };
  EXPECT_THROW(counts.finalize(none, folder.path(""), {}, report), std::invalid_argument);
  EXPECT_THROW(counts.finalize(source, folder.path("no"), {}, report), std::runtime_error);
}

TEST(State, TakesAWeightForSoManyRows) {
  const Chunk chunk = mixed_rows(1500);
  Chunk weighted = chunk;
  Chunk repeated = chunk;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < chunk.n_rows(); ++i) {
    weighted.weights.push_back(static_cast<double>(i % 3));
    rows.insert(rows.end(), i % 3, i);
  }
  repeated = test::rows_of(chunk, rows);
  const FitOptions options = auto_options(Method::nb);
  // Of all rows in the sample: which of equal rows are sampled depends on their numbers.
  const auto a = scores(two_passes(weighted, options, 100000), chunk.X);
  const auto b = scores(two_passes(repeated, options, 100000), chunk.X);
  for (std::size_t i = 0; i < chunk.n_rows(); ++i)
    EXPECT_NEAR(a(i, 0), b(i, 0), 0.02 * std::abs(b(i, 0)) + 0.02);
}

void expect_refused(const std::function<void()>& work, const std::string& part) {
  try {
    work();
    FAIL() << "not refused: " << part;
  } catch (const std::invalid_argument& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(State, TakesWeightsThatAreHardlyAny) {
  Chunk chunk = number_rows(1500);
  for (const std::int32_t c : chunk.y) chunk.weights.push_back(c == 0 ? 1 : 1e-30);
  const Matrix found = scores(two_passes(chunk, auto_options(Method::nb), 300), chunk.X);
  EXPECT_TRUE(std::ranges::all_of(found.data, [](double score) { return std::isfinite(score); }));
  for (double& weight : chunk.weights) weight = 1e-30;
  expect_refused([&] { two_passes(chunk, auto_options(Method::nb), 300); },
                 "weights are numbers of rows; the largest is only 1e-30");
}

TEST(State, HasNoTermsOfAFeatureWithoutValues) {
  Chunk chunk = chunk_of(test::class_table(300, 2, 2, 3));
  std::ranges::fill(chunk.X.data, test::gap);
  for (const double weight : {1.0, 0.1}) {  // sums of 0.1 are rounded
    chunk.weights.assign(chunk.n_rows(), weight);
    EXPECT_TRUE(two_passes(chunk, auto_options(Method::nb), 20, 3).terms.empty()) << weight;
  }
  // Values of rows outside the sample count, too: the first feature has two terms, one a class.
  const std::vector<std::uint64_t> sampled = with_rows(State(20), chunk).survey().sample.numbers;
  for (std::uint64_t i = 0; i < chunk.n_rows(); ++i)
    if (std::ranges::find(sampled, i) == sampled.end()) chunk.X(i, 0) = 1;
  EXPECT_EQ(two_passes(chunk, auto_options(Method::nb), 20, 3).terms.size(), 2U);
}

TEST(State, RefusesRowsThatTheSurveyHasNotMet) {
  const Chunk chunk = mixed_rows(400);
  State counts = with_rows(State(100), chunk).plan(auto_options());
  Chunk other = chunk;
  other.classes[1] = "z";
  expect_refused([&] { counts.update(other); }, "class 'z', which no row of the survey has");
  other = chunk;
  other.levels[4].names[2] = "level 2b";
  expect_refused([&] { counts.update(other); }, "column 'c1' has the level 'level 2b', which no row");
  Chunk complete = number_rows(300);
  State of_complete = with_rows(State(100), complete).plan(auto_options());
  complete.X(7, 2) = NAN;
  expect_refused([&] { of_complete.update(complete); }, "column 'x2' has a missing value, which no row");
  other = chunk;
  other.weights.assign(other.n_rows(), 0.5);
  expect_refused([&] { counts.update(other); }, "row 1 of a chunk has the weight 0.5, which no row");
  EXPECT_EQ(counts.n_rows(), 0U);
  EXPECT_EQ(of_complete.n_rows(), 0U);
}

TEST(State, WithRowsInNoCountIsRefused) {
  const Chunk chunk = number_rows(400);
  const State plan = with_rows(State(100), chunk).plan(auto_options());
  TermCounts term_counts(*plan.term_counts());
  term_counts.class_rows() = plan.survey().class_rows;
  const State state(std::make_shared<const Plan>(*plan.plan_of()), std::move(term_counts));
  expect_refused([&] { static_cast<void>(state.finalize()); }, "the state has a density without rows");
}

TEST(State, ThatIsMergedTwiceIsRefused) {
  const Chunk chunk = number_rows(200);
  const State a = with_rows(State(), test::part_of(chunk, 0, 100));
  State b;
  b.update(test::part_of(chunk, 100, 200), 100);
  State both = a;
  both.merge(b);
  const std::string bytes = state_bytes(both);
  for (const State& part : {a, b, both}) {
    expect_refused([&] { both.merge(part); }, "are in both states");
    expect_refused([&] { State(part).merge(both); }, "are in both states");
    expect_refused([&] { State(part).merge(state_from_bytes(bytes, "s")); }, "are in both states");
  }
  expect_refused([&] { both.merge(both); }, "rows numbered 0 to 199 are in both states");
  EXPECT_EQ(state_bytes(both), bytes);
  State empty;
  empty.merge(empty);
  EXPECT_EQ(empty.n_rows(), 0U);
}

TEST(State, RefusesNumbersThatItHas) {
  const Chunk chunk = number_rows(400);
  State survey;
  survey.update(test::part_of(chunk, 200, 400), 200);
  survey.update(test::part_of(chunk, 0, 200), 0);
  State counts = survey.plan(auto_options());
  counts.update(chunk, 0);
  for (State* const state : {&survey, &counts}) {
    const std::string bytes = state_bytes(*state);
    expect_refused([&] { state->update(test::part_of(chunk, 100, 150), 100); },
                   "rows 100 to 149 overlap rows 0 to 399, which were added before");
    expect_refused([&] { state->update(chunk, 399); }, "rows 399 to 798 overlap rows 0 to 399");
    EXPECT_EQ(state_bytes(*state), bytes);
  }
}

TEST(State, TakesRowsWithoutNumbersAsNewOnes) {
  const Chunk chunk = number_rows(400);
  State numbered;
  numbered.update(chunk, 0);
  numbered.update(chunk, 400);
  EXPECT_EQ(state_bytes(with_rows(with_rows(State(), chunk), chunk)), state_bytes(numbered));
  // Behind all rows there are, in whatever order they came, and as if the state had been a file meanwhile.
  State last_first;
  last_first.update(test::part_of(chunk, 200, 400), 200);
  last_first.update(test::part_of(chunk, 0, 200), 0);
  EXPECT_EQ(last_first.next_row(), 400U);
  State merged = with_rows(State(), chunk);
  merged.merge(with_rows(State(), test::part_of(chunk, 100, 300)));
  const State read = state_from_bytes(state_bytes(merged), "s");
  EXPECT_EQ(read.next_row(), merged.next_row());
  EXPECT_EQ(state_bytes(with_rows(read, chunk)), state_bytes(with_rows(merged, chunk)));
}

TEST(State, NumbersRowsThatDoNotCount) {
  Chunk chunk = number_rows(1000);
  for (std::size_t i = 0; i < 1000; ++i) chunk.weights.push_back(static_cast<double>(i % 3));
  EXPECT_EQ(state_bytes(with_rows(State(50), chunk, 7)), state_bytes(with_rows(State(50), chunk)));
}

TEST(State, ThatWasInterruptedCannotBeUsed) {
  const Chunk chunk = number_rows(400);
  const State counts = with_rows(with_rows(State(100), chunk).plan(auto_options()), chunk);
  TermCounts term_counts(*counts.term_counts());
  TermCounts other(term_counts);
  other.terms().back() = BinnedLevels();  // an addition fails at the last term
  EXPECT_ANY_THROW(term_counts.add(other));
  const auto plan = std::make_shared<const Plan>(*counts.plan_of());
  State broken(plan, term_counts);
  for (const std::function<void()>& use : std::vector<std::function<void()>>{
           [&] { broken.update(chunk); }, [&] { broken.merge(counts); }, [&] { State(counts).merge(broken); },
           [&] { static_cast<void>(broken.finalize()); }, [&] { static_cast<void>(state_bytes(broken)); }})
    expect_refused(use, "counting was interrupted");
}

TEST(State, RefusesRowsThatWereCountedTwiceOrNot) {
  const Chunk chunk = number_rows(400);
  const State counts = with_rows(with_rows(State(100), chunk).plan(auto_options()), chunk);
  expect_refused([&] { State(counts).merge(counts); }, "rows numbered 0 to 399 are in both states");
  State twice = counts;
  twice.update(chunk);
  expect_refused([&] { static_cast<void>(twice.finalize()); },
                 "of class 'a' 400 rows were counted, of 200 that were surveyed");
  const State survey = with_rows(State(100), chunk);
  expect_refused([&] { static_cast<void>(survey.finalize()); }, "surveyed, but not counted");
  expect_refused([&] { State(counts).merge(survey); }, "a survey and the counts of a plan cannot be merged");
  const State others = with_rows(State(100), number_rows(500)).plan(auto_options());
  expect_refused([&] { State(counts).merge(others); }, "counts of two plans cannot be merged");
  expect_refused([&] { static_cast<void>(survey.plan({.engine = Engine::exact})); },
                 "the exact engine needs all rows");
  Chunk one_class = chunk;
  std::ranges::fill(one_class.y, 0);
  expect_refused([&] { static_cast<void>(with_rows(State(), one_class).plan(auto_options())); },
                 "the label has only one class, 'a'");
}

TEST(State, KeepsTablesWithinTheirBytes) {
  const Chunk chunk = chunk_of(test::class_table(5000, 6, 2, 3));
  const State survey = with_rows(State(400), chunk);
  const std::size_t bytes = std::size_t{3} << 20U;
  const State counts = with_rows(survey.plan(test::averaging_options(), {}, bytes), chunk);
  std::size_t used = 0;
  for (const auto& term : counts.term_counts()->terms())
    if (const auto* pair = std::get_if<BinnedPair>(&std::get<Binned>(term)))
      used += pair->counts.values().size_bytes();
  EXPECT_LE(used, bytes);
  EXPECT_GT(used, bytes / 20);
}

TEST(FitSurveyed, GoesOverTheSourceAgainUnlessTheSampleHasAllRows) {
  const Chunk all = chunk_of(test::class_table(230000, 2, 2, 3));
  for (const std::size_t n : {30000U, 230000U}) {
    const Chunk chunk = test::part_of(all, 0, n);
    int n_opened = 0;
    const ChunkSource source = [&] {
      ++n_opened;
      return [&chunk, at = std::size_t{0}]() mutable {
        const std::size_t first = at;
        at += 70000;
        return test::part_of(chunk, first, at);
      };
    };
    State state;
    add_chunks(state, source, {});
    FitReport report;
    const Model model = fit_surveyed(state, source, auto_options(Method::nb), {}, report);
    EXPECT_EQ(n_opened, n == 30000 ? 1 : 2);
    EXPECT_EQ(model.class_rows, (std::vector<std::size_t>{n / 2, n / 2}));
    EXPECT_LT(error_of(model, chunk), 0.4);
  }
}

}  // namespace
}  // namespace dyad
