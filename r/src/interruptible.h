// Computations called from R: with progress, ended by an interrupt of the user.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <chrono>
#include <cpp11.hpp>
#include <future>
#include <mutex>
#include <optional>
#include <string>

#include "dyad/base/execution.h"

namespace dyad::r {

/// Hands progress from the thread that computes to the one that may call R: the latest alone.
class ProgressRelay {
 public:
  void put(std::string_view step, std::size_t done, std::size_t total) {
    const std::lock_guard lock(mutex_);
    latest_ = {std::string(step), static_cast<double>(done), static_cast<double>(total)};
  }
  /// Calls callback(step, done, total) if there is news.
  void deliver(SEXP callback) {
    std::optional<State> news;
    {
      const std::lock_guard lock(mutex_);
      news.swap(latest_);
    }
    if (!news) return;
    const cpp11::function call(callback);
    call(news->step.c_str(), news->done, news->total);
  }

 private:
  struct State {
    std::string step;
    double done, total;
  };
  std::mutex mutex_;
  std::optional<State> latest_;
};

/// work(execution) on a thread of its own, while the calling one looks for interrupts and calls
/// progress(step, done, total), unless it is NULL. Either may end the work. `work` must not touch R.
template <class Work>
auto interruptible(int threads, SEXP progress, const Work& work) {
  constexpr std::chrono::milliseconds patience{50};
  std::atomic<bool> stop = false;
  ProgressRelay relay;
  Execution execution{.threads = threads, .stop = &stop};
  if (progress != R_NilValue)
    execution.progress = [&](std::string_view step, std::size_t done, std::size_t total) {
      relay.put(step, done, total);
    };
  auto result = std::async(std::launch::async, [&] { return work(execution); });
  try {
    while (result.wait_for(patience) != std::future_status::ready) {
      cpp11::check_user_interrupt();
      relay.deliver(progress);
    }
    relay.deliver(progress);
  } catch (...) {
    stop = true;
    result.wait();
    throw;
  }
  return result.get();
}

}  // namespace dyad::r
