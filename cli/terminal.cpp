// SPDX-License-Identifier: BSD-3-Clause
#include "cli/terminal.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "dyad/base/execution.h"
#include "dyad/base/text.h"

namespace dyad::cli {
namespace {

using Clock = std::chrono::steady_clock;

/// Nothing happens if it cannot be written, not even where a pipe's reader is gone.
void write_error(std::string_view text) {
  const auto before = std::signal(SIGPIPE, SIG_IGN);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
  std::signal(SIGPIPE, before);
}

/// Draws at most ten times a second, nothing in the first, and wipes the line when a step ends.
class ProgressBar {
 public:
  void operator()(std::string_view step, std::size_t done, std::size_t total) {
    const auto now = Clock::now();
    const bool finished = done == total;
    if (finished && drawn_) write_error("\r\033[K");
    if (finished) drawn_ = false;
    if (finished || now - start_ < std::chrono::seconds(1) || now - last_ < std::chrono::milliseconds(100))
      return;
    last_ = now;
    drawn_ = true;
    constexpr std::size_t width = 30;
    if (total == 0) return write_error(fmt::format("\r{}: {}\033[K", step, done));
    const std::size_t filled = width * done / total;
    write_error(fmt::format("\r{} [{}{}] {}%\033[K", step, std::string(filled, '#'),
                            std::string(width - filled, ' '), 100 * done / total));
  }

 private:
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
  bool drawn_ = false;
};

// A signal handler can reach nothing else.
std::atomic<bool> interrupted{false};  // NOLINT(cppcoreguidelines-avoid-non-const-global-variables)
static_assert(std::atomic<bool>::is_always_lock_free);

void on_signal(int) { interrupted = true; }

[[noreturn]] void fail_on_standard_output() {
  if (errno == EINTR) throw Interrupted();
  throw std::runtime_error(std::string("standard output: cannot write: ") + std::strerror(errno));
}

}  // namespace

std::function<void(std::string_view, std::size_t, std::size_t)> progress_bar(bool quiet) {
  if (quiet || isatty(STDERR_FILENO) == 0) return {};
  return [bar = std::make_shared<ProgressBar>()](std::string_view step, std::size_t done, std::size_t total) {
    (*bar)(step, done, total);
  };
}

const std::atomic<bool>& stop_on_interrupt() {
  // A read that waits is not taken up again after the signal; the second signal has its usual effect.
  struct sigaction action {};
  action.sa_handler = on_signal;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  return interrupted;
}

bool is_standard_output(const std::string& path) {
  return path.empty() || path == "-" || path == "/dev/stdout";
}

void open_standard_streams() {
  // In order, so that each gets its number. What a closed output is asked to write still fails, and what a
  // closed input is asked to read; messages are lost.
  constexpr std::array<int, 3> modes{O_WRONLY, O_RDONLY, O_WRONLY};
  for (int stream = 0; stream < 3; ++stream)
    if (fcntl(stream, F_GETFD) == -1)
      static_cast<void>(open("/dev/null", modes[static_cast<std::size_t>(stream)]));
}

void tell(std::string_view message) { write_error(printable(message)); }

void Output::write(std::string_view part) {
  size_ += part.size();
  if (!is_standard_output(path_)) return file().write(part);
  const std::string shown = isatty(STDOUT_FILENO) != 0 ? printable(part) : std::string();
  if (!shown.empty()) part = shown;
  if (std::fwrite(part.data(), 1, part.size(), stdout) != part.size()) fail_on_standard_output();
}

void Output::finish() {
  if (is_standard_output(path_)) {
    if (std::fflush(stdout) != 0) fail_on_standard_output();
    return;
  }
  file().finish();
  if (advice_)
    tell(fmt::format("wrote {} ({:.1f} MB){}\n", path_, static_cast<double>(size_) / 1e6, *advice_));
}

OutputFile& Output::file() {
  if (!file_) file_.emplace(path_);
  return *file_;
}

}  // namespace dyad::cli
