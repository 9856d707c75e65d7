// How a computation runs: on how many threads, whom it tells about progress, who may stop it, how long it may
// take.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string_view>

namespace dyad {

/// Thrown out of a computation whose `Execution::stop` was set: no result, no error.
struct Interrupted : std::runtime_error {
  Interrupted() : std::runtime_error("interrupted") {}
};

/// Never changes a result, unless a limit of time ends a search. The default uses every core, in silence, to
/// the end.
struct Execution {
  int threads = 0;  ///< 0: one per core

  /// Called after each piece of work as progress(step, done, total); by one thread at a time. The total is 0
  /// if it is not known.
  std::function<void(std::string_view step, std::size_t done, std::size_t total)> progress;

  const std::atomic<bool>* stop = nullptr;  ///< set to true from anywhere to end the computation early

  /// Time at which searches for better settings end with the best found so far.
  std::optional<std::chrono::steady_clock::time_point> deadline;
  const std::atomic<bool>* enough = nullptr;  ///< set to true from anywhere to end these searches
};

/// Number of threads that `execution` asks for. Throws std::invalid_argument if it is negative.
[[nodiscard]] int thread_count(const Execution& execution);

/// Throws Interrupted if the computation was asked to stop: for loops that run long within a task.
inline void throw_if_stopped(const Execution& execution) {
  if (execution.stop != nullptr && *execution.stop) throw Interrupted();
}

/// The execution with a deadline after some seconds, 0 for none; an earlier deadline stays.
[[nodiscard]] Execution ending_after(Execution execution, double seconds);

/// True if searches may have to end early.
[[nodiscard]] inline bool has_time_limit(const Execution& execution) {
  return execution.deadline || execution.enough != nullptr;
}

/// True if searches for better settings have to end.
[[nodiscard]] bool is_time_up(const Execution& execution);

/// body(k) for k = 0 .. n_tasks - 1, shared among threads that end before this returns. Tasks must write to
/// places of their own: the result is then the same for any number of threads. `step` names the work to the
/// progress function (empty: silent). The first exception of a task is thrown here; so is Interrupted.
void parallel_for(std::size_t n_tasks, const Execution& execution, std::string_view step,
                  const std::function<void(std::size_t)>& body);

/// body(first, count) for consecutive blocks of n items, `block` each but for the last, as tasks of
/// `parallel_for`.
void parallel_blocks(std::size_t n, std::size_t block, const Execution& execution, std::string_view step,
                     const std::function<void(std::size_t first, std::size_t count)>& body);

}  // namespace dyad
