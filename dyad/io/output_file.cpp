// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/output_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <stdexcept>

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

}  // namespace

void write_file(const std::string& path, std::string_view content) {
  struct stat info {};
  const bool exists = stat(path.c_str(), &info) == 0;
  if (exists && S_ISDIR(info.st_mode)) throw std::runtime_error(path + ": cannot write: it is a folder");
  OpenFile file;
  if (exists && !S_ISREG(info.st_mode)) {
    file.descriptor = open(path.c_str(), O_WRONLY | O_CLOEXEC);
    if (file.descriptor < 0) fail(path);
    return write_all(file.descriptor, content, path);
  }

  const std::string target = exists ? std::filesystem::canonical(path).string() : path;
  std::string temporary = target + ".XXXXXX";
  file.descriptor = mkostemp(temporary.data(), O_CLOEXEC);
  if (file.descriptor < 0) fail(path);
  file.temporary = temporary;
  write_all(file.descriptor, content, path);
  if (fchmod(file.descriptor, exists ? info.st_mode & 07777 : usual_permissions()) != 0) fail(path);
  if (fsync(file.descriptor) != 0) fail(path);
  if (rename(temporary.c_str(), target.c_str()) != 0) fail(path);
  file.temporary.clear();
}

}  // namespace dyad
