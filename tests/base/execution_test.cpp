// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/execution.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace dyad {
namespace {

TEST(ParallelFor, RunsEveryTaskOnce) {
  for (const int threads : {0, 1, 2, 8}) {
    std::vector<int> runs(1000, 0);
    parallel_for(runs.size(), Execution{.threads = threads}, "test", [&](std::size_t k) { ++runs[k]; });
    EXPECT_EQ(runs, std::vector<int>(1000, 1)) << threads;
  }
  parallel_for(0, {}, "test", [](std::size_t) { FAIL() << "there is no task"; });
}

TEST(ParallelFor, PassesOnTheExceptionOfATask) {
  const auto failing = [](std::size_t k) {
    if (k == 3) throw std::invalid_argument("task 3");
  };
  EXPECT_THROW(parallel_for(100, Execution{.threads = 4}, "test", failing), std::invalid_argument);
}

TEST(ParallelFor, ReportsProgressToTheEnd) {
  std::size_t calls = 0;
  std::size_t last = 0;
  Execution execution{.threads = 3};
  execution.progress = [&](std::string_view step, std::size_t done, std::size_t total) {
    EXPECT_EQ(step, "counting");
    EXPECT_EQ(total, 50U);
    EXPECT_EQ(done, last + 1);
    last = done;
    ++calls;
  };
  parallel_for(50, execution, "counting", [](std::size_t) {});
  EXPECT_EQ(calls, 50U);
}

TEST(ParallelFor, StopsWhenAsked) {
  std::atomic<bool> stop{false};
  std::atomic<int> runs{0};
  const auto body = [&](std::size_t) {
    if (++runs == 5) stop = true;
  };
  EXPECT_THROW(parallel_for(100000, Execution{.threads = 2, .stop = &stop}, "test", body), Interrupted);
  EXPECT_LT(runs, 100);
}

TEST(TimeLimit, IsTheEarlierOfTwoDeadlines) {
  EXPECT_FALSE(is_time_up(Execution{}));
  EXPECT_FALSE(has_time_limit(ending_after(Execution{}, 0)));
  const Execution soon = ending_after(Execution{}, 1e-9);
  EXPECT_TRUE(is_time_up(soon));
  EXPECT_TRUE(is_time_up(ending_after(soon, 1e300)));
  EXPECT_FALSE(is_time_up(ending_after(Execution{}, 1e300)));
  EXPECT_TRUE(is_time_up(ending_after(ending_after(Execution{}, 1e300), 1e-9)));
}

TEST(ParallelFor, RejectsANegativeNumberOfThreads) {
  EXPECT_THROW(parallel_for(1, Execution{.threads = -1}, "test", [](std::size_t) {}), std::invalid_argument);
}

}  // namespace
}  // namespace dyad
