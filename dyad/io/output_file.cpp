// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>
#include <system_error>

namespace dyad {
namespace {

/// Closes the file, and removes it by name unless that was taken back.
struct OpenFile {
  int descriptor = -1;
  std::string temporary;

  OpenFile() = default;
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  ~OpenFile() {
    if (descriptor >= 0) close(descriptor);
    if (!temporary.empty()) unlink(temporary.c_str());
  }
};

[[noreturn]] void fail(const std::string& path) {
  throw std::runtime_error(path + ": cannot write: " + std::strerror(errno));
}

void write_all(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) fail(path);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// The permissions a newly created file would have.
mode_t usual_permissions() {
  const mode_t mask = umask(0);
  umask(mask);
  return static_cast<mode_t>(0666) & ~mask;
}

namespace fs = std::filesystem;

/// Where a file goes: a link leads to what it names, there or not.
struct Target {
  fs::path path;
  mode_t permissions = 0;
  bool direct = false;  ///< no regular file: written to as it is
};

/// Throws std::runtime_error if `path` is a folder or a file that may not be written.
Target target_of(const std::string& path) {
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) throw std::runtime_error(path + ": cannot write: it is a folder");
  if (exists && access(path.c_str(), W_OK) != 0) fail(path);
  // /dev/stdout and the like may lead to a regular file, whose place is not ours to take.
  if (exists && (!S_ISREG(info.st_mode) || path.starts_with("/dev/") || path.starts_with("/proc/")))
    return {path, 0, true};
  if (exists) return {fs::canonical(path), info.st_mode & 07777, false};
  std::error_code no_link;
  const fs::path linked = fs::read_symlink(path, no_link);
  return {no_link ? fs::path(path) : fs::path(path).parent_path() / linked, usual_permissions(), false};
}

}  // namespace

void require_writable(const std::string& path) {
  const Target target = target_of(path);
  if (target.direct) return;
  const fs::path folder = target.path.has_parent_path() ? target.path.parent_path() : fs::path(".");
  if (access(folder.c_str(), W_OK) != 0) fail(path);
}

void write_file(const std::string& path, std::string_view content) {
  const Target target = target_of(path);
  OpenFile file;
  if (target.direct) {
    file.descriptor = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file.descriptor < 0) fail(path);
    return write_all(file.descriptor, content, path);
  }
  std::string temporary = (target.path.parent_path() / ".dyad.XXXXXX").string();
  file.descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (file.descriptor < 0) fail(path);
  file.temporary = temporary;
  write_all(file.descriptor, content, path);
  if (fchmod(file.descriptor, target.permissions) != 0) fail(path);
  if (fsync(file.descriptor) != 0) fail(path);
  if (rename(temporary.c_str(), target.path.c_str()) != 0) fail(path);
  file.temporary.clear();
}

}  // namespace dyad
