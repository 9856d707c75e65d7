// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "dyad/base/execution.h"

namespace dyad {
namespace {

/// Fails for the reason in errno. A signal that ends the wait for a reader of a pipe ends the writing.
[[noreturn]] void fail(const std::string& path) {
  if (errno == EINTR) throw Interrupted();
  throw std::runtime_error(path + ": cannot write: " + std::strerror(errno));
}

namespace fs = std::filesystem;

/// The file that is written: a link leads to the file it names, which may not exist.
struct Target {
  fs::path path;
  std::optional<mode_t> permissions;  ///< of the file that is there
  bool direct = false;                ///< no regular file: written to as it is
};

/// /dev/stdout and the like: what is open there may be a regular file, whose place is not ours to take.
bool names_what_is_open(const std::string& path) {
  return path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/");
}

/// The end of a chain of links, which may not exist.
fs::path followed(fs::path path) {
  constexpr int most = 40;
  std::error_code no_link;
  for (int links = 0;; ++links) {
    const fs::path next = fs::read_symlink(path, no_link);
    if (no_link) return path;
    if (links == most) {
      errno = ELOOP;
      fail(path);
    }
    path = path.parent_path() / next;
  }
}

/// Throws std::runtime_error if `path` is a folder or a file that may not be written.
Target target_of(const std::string& path) {
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) throw std::runtime_error(path + ": cannot write: it is a folder");
  if (exists && access(path.c_str(), W_OK) != 0) fail(path);
  if (exists && (!S_ISREG(info.st_mode) || names_what_is_open(path))) return {path, {}, true};
  if (exists) return {fs::canonical(path), info.st_mode & 07777, false};
  return {followed(path), {}, false};
}

/// Opens a new file whose name begins with `path`, with the permissions that new files have; sets the name.
int open_temporary(std::string& path) {
  static std::atomic<unsigned> count{0};
  constexpr int most_tries = 100;
  const std::string start = path;
  int descriptor = -1;
  for (int k = 0; k < most_tries && descriptor < 0; ++k) {
    path = start + "." + std::to_string(getpid()) + "-" + std::to_string(count++);
    descriptor = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor < 0 && errno != EEXIST) break;
  }
  return descriptor;
}

/// Makes a renaming last through a loss of power. Some file systems cannot; the file is whole all the same.
void flush_folder(const fs::path& folder) {
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  fsync(descriptor);
  close(descriptor);
}

}  // namespace

void require_writable(const std::string& path) {
  const Target target = target_of(path);
  if (target.direct) return;
  const fs::path folder = target.path.has_parent_path() ? target.path.parent_path() : fs::path(".");
  if (access(folder.c_str(), W_OK) != 0) fail(path);
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  const Target target = target_of(path);
  if (target.direct) {
    descriptor_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  } else {
    target_ = target.path;
    permissions_ = target.permissions;
    temporary_ = target.path.parent_path() / ".dyad";
    descriptor_ = open_temporary(temporary_);
  }
  if (descriptor_ < 0) fail(path);
}

OutputFile::~OutputFile() {
  close(descriptor_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view part) {
  while (!part.empty()) {
    const ssize_t written = ::write(descriptor_, part.data(), part.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path_);
    part.remove_prefix(static_cast<std::size_t>(written));
  }
}

void OutputFile::finish() {
  if (temporary_.empty()) return;
  if (permissions_ && fchmod(descriptor_, *permissions_) != 0) fail(path_);
  if (fsync(descriptor_) != 0) fail(path_);
  if (rename(temporary_.c_str(), target_.c_str()) != 0) fail(path_);
  temporary_.clear();
  flush_folder(fs::path(target_).parent_path());
}

void write_file(const std::string& path, std::string_view content) {
  OutputFile file(path);
  file.write(content);
  file.finish();
}

}  // namespace dyad
