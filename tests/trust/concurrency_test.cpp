// Many threads at once, and processes that fork: nothing is shared but what is read.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>

#include "dyad/evaluation/cross_validation.h"
#include "dyad/explanation/flips.h"
#include "dyad/fit/fit.h"
#include "dyad/io/model_file.h"
#include "dyad/model/prediction.h"
#include "tests/model_samples.h"
#include "tests/trust/scale.h"

namespace dyad {
namespace {

/// Calls body(0), .., body(n - 1), each in a thread of its own.
void at_once(std::size_t n, const std::function<void(std::size_t)>& body) {
  std::vector<std::jthread> threads;
  for (std::size_t k = 0; k < n; ++k) threads.emplace_back(body, k);
}

/// Scores, probabilities, classes and explanations of all rows.
std::vector<double> said_of(const Model& model, const Matrix& X, int threads) {
  const Matrix values = scores(model, X, Execution{.threads = threads});
  std::vector<double> result = values.data;
  const Matrix p = probabilities(model, values);
  result.insert(result.end(), p.data.begin(), p.data.end());
  for (const std::int32_t code : classify(model, values)) result.push_back(code);
  std::vector<double> row(X.n_cols);
  for (std::size_t i = 0; i < std::min<std::size_t>(X.n_rows, 20); ++i) {
    for (std::size_t j = 0; j < row.size(); ++j) row[j] = X(i, j);
    const Explanation explanation = explain(model, row);
    result.insert(result.end(), explanation.contributions.data.begin(), explanation.contributions.data.end());
  }
  for (const auto& flips : nearest_flips(model, X, Execution{.threads = threads}))
    for (const Flip& flip : flips) result.push_back(flip.value);
  return result;
}

Model loaded(const Table& table, const FitOptions& options) {
  return model_from_bytes(model_bytes(fit(table, options)), "it");
}

TEST(Concurrency, OneModelSaysTheSameToEightThreads) {
  for (const Engine engine : {Engine::counts, Engine::exact}) {
    FitOptions options = preset_options(Preset::automatic);
    options.engine = engine;
    const Model model = loaded(test::class_table(80, 4, 3, 1), options);
    const Matrix X = test::class_sample(test::sanitized ? 8 : 60, 4, 3, 9).X;
    const auto expected = said_of(model, X, 1);
    std::array<std::vector<double>, 8> said;
    at_once(said.size(), [&](std::size_t k) { said[k] = said_of(model, X, 1 + static_cast<int>(k % 3)); });
    for (const auto& each : said) EXPECT_TRUE(each == expected);
  }
}

TEST(Concurrency, FitsAtOnceAreTheSameAsAlone) {
  std::vector<std::pair<Table, FitOptions>> cases;
  cases.emplace_back(test::class_table(80, 4, 2, 1), preset_options(Preset::automatic));
  cases.emplace_back(test::mixed_table({.n_rows = 90, .n_classes = 3, .missing = 0.1}),
                     preset_options(Preset::automatic));
  cases.emplace_back(test::class_table(60, 4, 3, 2), FitOptions{.engine = Engine::exact});
  cases.emplace_back(test::class_table(90, 5, 2, 3), preset_options(Preset::automatic, Method::tan_forest));
  const auto bytes_of = [&](std::size_t k) {
    return model_bytes(fit(cases[k].first, cases[k].second, Execution{.threads = 3}));
  };
  std::vector<std::string> together(cases.size());
  at_once(cases.size(), [&](std::size_t k) { together[k] = bytes_of(k); });
  for (std::size_t k = 0; k < cases.size(); ++k) EXPECT_TRUE(together[k] == bytes_of(k)) << k;
}

TEST(Concurrency, AForkedProcessFitsAndPredictsTheSame) {
  if (test::thread_sanitizer) GTEST_SKIP() << "the thread sanitizer takes no threads after a fork";
  const Table table = test::class_table(80, 4, 2, 1);
  const Matrix X = test::class_sample(50, 4, 2, 9).X;
  const auto run = [&] {
    const Model model = fit(table, preset_options(Preset::automatic), Execution{.threads = 3});
    return std::pair(model_bytes(model), said_of(model, X, 3));
  };
  const auto expected = run();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) _exit(run() == expected ? 0 : 1);
  EXPECT_TRUE(run() == expected);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Concurrency, AnotherThreadStopsAFitAndACrossValidation) {
  const LabelledSample sample = test::class_sample(2000, 12, 2, 1);
  const FitOptions paper{.engine = Engine::exact};
  const auto is_stopped = [](const auto& run) {
    std::atomic<bool> stop{false};
    const std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      stop = true;
    });
    EXPECT_THROW(run(Execution{.threads = 2, .stop = &stop}), Interrupted);
  };
  is_stopped([&](const Execution& execution) {
    FitReport report;
    fit(sample, paper, execution, report);
  });
  is_stopped([&](const Execution& execution) { cross_validate(sample, {.fit = paper}, execution); });
}

}  // namespace
}  // namespace dyad
