// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/execution.h"

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace dyad {

int thread_count(const Execution& execution) {
  if (execution.threads < 0)
    throw std::invalid_argument("threads is out of range: " + std::to_string(execution.threads));
  if (execution.threads > 0) return execution.threads;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

Execution ending_after(Execution execution, double seconds) {
  if (!(seconds > 0)) return execution;
  using Clock = std::chrono::steady_clock;
  constexpr double longest = 1e9;  // the clock counts nanoseconds in 64 bits
  const auto deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                           std::chrono::duration<double>(std::min(seconds, longest)));
  execution.deadline = std::min(execution.deadline.value_or(deadline), deadline);
  return execution;
}

bool is_time_up(const Execution& execution) {
  if (execution.enough != nullptr && *execution.enough) return true;
  return execution.deadline && std::chrono::steady_clock::now() >= *execution.deadline;
}

void parallel_for(std::size_t n_tasks, const Execution& execution, std::string_view step,
                  const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  std::exception_ptr failure;
  std::size_t done = 0;
  std::mutex mutex;

  const auto work = [&] {
    try {
      for (std::size_t k = next++; k < n_tasks && !failed; k = next++) {
        throw_if_stopped(execution);
        body(k);
        if (execution.progress && !step.empty()) {
          const std::scoped_lock lock(mutex);
          execution.progress(step, ++done, n_tasks);
        }
      }
    } catch (...) {
      const std::scoped_lock lock(mutex);
      if (!failure) failure = std::current_exception();
      failed = true;
    }
  };

  const std::size_t n_threads = std::min(n_tasks, static_cast<std::size_t>(thread_count(execution)));
  {
    std::vector<std::jthread> helpers;
    helpers.reserve(n_threads);
    try {
      for (std::size_t t = 1; t < n_threads; ++t) helpers.emplace_back(work);
    } catch (const std::system_error&) {  // no more threads are to be had: those that are there do the work
    } catch (const std::bad_alloc&) {     // nor memory for them
    }
    work();
  }
  if (failure) std::rethrow_exception(failure);
}

void parallel_blocks(std::size_t n, std::size_t block, const Execution& execution, std::string_view step,
                     const std::function<void(std::size_t first, std::size_t count)>& body) {
  parallel_for((n + block - 1) / block, execution, step,
               [&](std::size_t k) { body(k * block, std::min(block, n - k * block)); });
}

}  // namespace dyad
