// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/scratch_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace dyad {
namespace {

[[noreturn]] void fail(const std::string& folder, std::size_t n_bytes, int reason) {
  throw std::runtime_error(folder + ": cannot keep " + std::to_string(n_bytes >> 20U) +
                           " MB there: " + std::generic_category().message(reason));
}

/// A file that is gone when it is closed.
int open_unnamed(const std::string& folder) {
#ifdef O_TMPFILE
  const int descriptor = open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (descriptor >= 0 || (errno != EOPNOTSUPP && errno != EISDIR)) return descriptor;
#endif
  std::string path = folder + "/dyad-scratch-XXXXXX";
  const int named = mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) unlink(path.c_str());
  return named;
}

}  // namespace

ScratchFile::ScratchFile(const std::string& folder, std::size_t n_bytes) : n_bytes_(n_bytes) {
  const int descriptor = open_unnamed(folder);
  if (descriptor < 0) fail(folder, n_bytes, errno);
  // Room is taken at once: memory that turns out not to be on the disk would end the program.
  int reason = posix_fallocate(descriptor, 0, static_cast<off_t>(n_bytes));
  if (reason == 0) {
    data_ = mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (data_ == MAP_FAILED) reason = errno;
  }
  close(descriptor);
  if (reason == 0) return;
  data_ = nullptr;
  fail(folder, n_bytes, reason);
}

ScratchFile::ScratchFile(ScratchFile&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), n_bytes_(other.n_bytes_) {}

ScratchFile& ScratchFile::operator=(ScratchFile&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(n_bytes_, other.n_bytes_);
  return *this;
}

ScratchFile::~ScratchFile() {
  if (data_ != nullptr) munmap(data_, n_bytes_);
}

}  // namespace dyad
