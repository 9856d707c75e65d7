// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/float_rows.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <system_error>

namespace dyad {
namespace {

constexpr std::align_val_t alignment{FloatRows::line * sizeof(float)};

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

/// Zeros in a file that has no name: whatever ends the program, nothing stays behind. The system writes them
/// to the disk and reads them again as memory allows.
void* map_unnamed(const std::string& folder, std::size_t n_bytes) {
  const int descriptor = open_unnamed(folder);
  if (descriptor < 0) fail(folder, n_bytes, errno);
  void* data = nullptr;
  // Room is taken at once: memory that turns out not to be on the disk would end the program.
  int reason = posix_fallocate(descriptor, 0, static_cast<off_t>(n_bytes));
  if (reason == 0) {
    data = mmap(nullptr, n_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (data == MAP_FAILED) reason = errno;
  }
  close(descriptor);
  if (reason != 0) fail(folder, n_bytes, reason);
  return data;
}

}  // namespace

FloatRows::FloatRows(std::size_t n_rows, std::size_t n_cols)
    : n_rows_(n_rows), n_cols_(n_cols), stride_((n_cols + line - 1) / line * line) {
  const std::size_t size = n_rows_ * stride_;
  data_.reset(static_cast<float*>(::operator new(size * sizeof(float), alignment)));
  std::fill_n(data_.get(), size, 0.0F);
}

FloatRows::FloatRows(std::size_t n_rows, std::size_t n_cols, const std::string& scratch_folder)
    : n_rows_(n_rows), n_cols_(n_cols), stride_((n_cols + line - 1) / line * line) {
  const std::size_t n_bytes = n_rows_ * stride_ * sizeof(float);
  data_ = {static_cast<float*>(map_unnamed(scratch_folder, n_bytes)), FreeFloats{n_bytes}};
}

void FreeFloats::operator()(float* data) const {
  if (mapped_bytes > 0)
    munmap(data, mapped_bytes);
  else
    ::operator delete(data, alignment);
}

FloatRows float_rows(const MatrixView& X) {
  FloatRows result(X.n_rows, X.n_cols);
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    const auto column = X.column(j);
    for (std::size_t i = 0; i < X.n_rows; ++i) result.row(i)[j] = static_cast<float>(column[i]);
  }
  return result;
}

FloatRows gather(const FloatRows& X, std::span<const std::size_t> rows) {
  FloatRows result(rows.size(), X.n_cols());
  for (std::size_t k = 0; k < rows.size(); ++k) std::ranges::copy(X.row(rows[k]), result.row(k).begin());
  return result;
}

}  // namespace dyad
