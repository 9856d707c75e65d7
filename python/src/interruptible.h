// Computations called from Python: without the GIL; long ones with progress, ended by Ctrl-C.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <future>
#include <mutex>
#include <optional>
#include <string>

#include "dyad/base/execution.h"

namespace dyad::python {

namespace nb = nanobind;

/// work() while other threads may run Python: for what is done soon.
template <class Work>
auto without_gil(const Work& work) {
  const nb::gil_scoped_release release;
  return work();
}

/// Hands progress from the thread that computes to the one that may call Python: only the latest, for the
/// other takes its time. A total that is not known is None.
class ProgressRelay {
 public:
  void put(std::string_view step, std::size_t done, std::size_t total) {
    const std::lock_guard lock(mutex_);
    latest_ = {std::string(step), done, total};
  }
  /// Calls callback(step, done, total) if there is news; true if it returns True. The GIL must be held.
  bool deliver(const nb::object& callback) {
    std::optional<State> news;
    {
      const std::lock_guard lock(mutex_);
      news.swap(latest_);
    }
    if (!news) return false;
    const nb::object total = news->total > 0 ? nb::cast(news->total) : nb::none();
    return callback(news->step, news->done, total).is(nb::bool_(true));
  }

 private:
  struct State {
    std::string step;
    std::size_t done, total;
  };
  std::mutex mutex_;
  std::optional<State> latest_;
};

/// work(execution) on a thread of its own, while the calling one looks for signals and calls progress(step,
/// done, total), if it is not None. What either raises ends the work and is raised here. Progress that
/// returns True ends searches for better settings.
template <class Work>
auto interruptible(int n_threads, const nb::object& progress, const Work& work) {
  constexpr std::chrono::milliseconds patience{50};
  std::atomic<bool> stop = false;
  std::atomic<bool> enough = false;
  ProgressRelay relay;
  Execution execution{.threads = n_threads, .stop = &stop};
  if (!progress.is_none()) {
    execution.enough = &enough;
    execution.progress = [&](std::string_view step, std::size_t done, std::size_t total) {
      relay.put(step, done, total);
    };
  }
  auto result = std::async(std::launch::async, [&] { return work(execution); });
  const auto is_ready = [&] { return result.wait_for(patience) == std::future_status::ready; };
  try {
    while (!without_gil(is_ready)) {
      if (PyErr_CheckSignals() != 0) throw nb::python_error();
      if (relay.deliver(progress)) enough = true;
    }
    relay.deliver(progress);
  } catch (...) {
    stop = true;
    without_gil([&] { result.wait(); });
    throw;
  }
  return result.get();
}

/// work(execution) in that way if it may take long, else without the thread, which costs more than a short
/// call.
template <class Work>
auto interruptible_if(bool is_long, int n_threads, const Work& work) {
  if (is_long) return interruptible(n_threads, nb::none(), work);
  return without_gil([&] { return work(Execution{.threads = n_threads}); });
}

}  // namespace dyad::python
