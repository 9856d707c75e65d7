// SPDX-License-Identifier: BSD-3-Clause
#include "cli/memory_limit.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <string_view>

#include "dyad/data/values.h"

namespace dyad::cli {
namespace {

constexpr std::string_view units = "KMGT";

std::size_t page_size() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

/// Of what the limit counts: all that is private and can be written.
std::size_t memory_in_use() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0;
  for (int field = 0; field < 6; ++field) file >> pages;
  return file ? pages * page_size() : 0;
}

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

bool limit_memory(std::size_t bytes) {
  if (memory_in_use() >= bytes) return false;
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return false;
  if (limit.rlim_cur <= bytes) return true;  // one is set already
  limit.rlim_cur = bytes;
  return setrlimit(RLIMIT_DATA, &limit) == 0;
}

}  // namespace dyad::cli
