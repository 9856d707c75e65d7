// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory_limit.h"

#include <fmt/format.h>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>

#include "dyad/data/values.h"
#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace dyad::cli {
namespace {

constexpr std::string_view units = "KMGT";

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// Bytes of addresses that the program has.
struct Addresses {
  std::size_t data = 0;   ///< private, and can be written: what a limit of the system counts
  std::size_t files = 0;  ///< the program and its libraries, for the most part
};

Addresses addresses_in_use() {
  std::ifstream file("/proc/self/statm");
  std::size_t size = 0;
  std::size_t pages = 0;
  file >> size;
  for (int field = 1; field < 6; ++field) file >> pages;
  if (!file) return {};
  return {pages * page_size(), (size - std::min(size, pages)) * page_size()};
}

constexpr double for_program = 0x1p20 * 24;
constexpr double for_thread = 0x1p20 * 32;

}  // namespace

std::size_t parse_size(const std::string& text) {
  const auto unit = text.empty() ? std::string_view::npos : units.find(text.back());
  const bool has_unit = unit != std::string_view::npos;
  double number = 0;
  if (!parse_number(std::string_view(text).substr(0, text.size() - (has_unit ? 1 : 0)), number)) return 0;
  const double bytes = number * (has_unit ? std::exp2(10.0 * static_cast<double>(unit + 1)) : 1.0);
  return bytes >= 1 && bytes < 0x1p63 ? static_cast<std::size_t>(bytes) : 0;
}

std::string size_text(std::size_t bytes) {
  double number = static_cast<double>(bytes);
  std::string unit;
  for (const char next : units) {
    if (number < 1024) break;
    number /= 1024;
    unit = next;
  }
  return fmt::format("{:.4g}{}", number, unit);
}

std::size_t machine_memory() {
  const std::size_t memory = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * page_size();
  std::size_t of_container = std::numeric_limits<std::size_t>::max();
  std::ifstream("/sys/fs/cgroup/memory.max") >> of_container;  // "max", or not there: no limit
  return of_container == 0 ? memory : std::min(memory, of_container);
}

std::size_t memory_limit() {
  std::size_t least = std::numeric_limits<std::size_t>::max();
  for (const auto which : {RLIMIT_DATA, RLIMIT_AS}) {
    rlimit limit{};
    if (getrlimit(which, &limit) == 0) least = std::min<std::size_t>(least, limit.rlim_cur);
  }
  return least;
}

double memory_for_rows(std::size_t limit) { return std::max(0.0, static_cast<double>(limit) - for_program); }

std::size_t limit_for_rows(double bytes) {
  constexpr std::size_t megabyte = std::size_t{1} << 20U;
  auto limit = static_cast<std::size_t>(std::ceil((bytes + for_program) / megabyte)) * megabyte;
  const std::size_t least = limit;
  while (parse_size(size_text(limit)) < least) limit += megabyte;  // its text is rounded
  return limit;
}

int most_threads(std::size_t limit) {
  return static_cast<int>(std::clamp(memory_for_rows(limit) / for_thread, 1.0, 4096.0));
}

void take_little_memory() {
#ifdef __GLIBC__
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) == 0) {
    constexpr std::size_t stack_bytes = std::size_t{1} << 20U;
    if (pthread_attr_setstacksize(&attributes, stack_bytes) == 0) pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
  }
  constexpr int large = 1 << 18;
  mallopt(M_MMAP_THRESHOLD, large);
  mallopt(M_TRIM_THRESHOLD, large);
  mallopt(M_ARENA_MAX, 1);
#endif
}

Limited limit_memory(std::size_t bytes) {
  const Addresses used = addresses_in_use();
  if (used.data + used.files >= bytes) return Limited::not_at_all;
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return Limited::not_at_all;
  if (limit.rlim_cur <= bytes - used.files) return Limited::by_a_lower_one;
  limit.rlim_cur = bytes - used.files;
  return setrlimit(RLIMIT_DATA, &limit) == 0 ? Limited::by_this : Limited::not_at_all;
}

}  // namespace dyad::cli
