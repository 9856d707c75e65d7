// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <stdexcept>

namespace dyad {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& reason) {
  throw std::runtime_error(name + ": " + reason);
}

/// Opens `path`, or standard input for "-".
int open_file(const std::string& path, const std::string& name) {
  const int file = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(name, std::strerror(errno));
  struct stat info {};
  if (fstat(file, &info) == 0 && S_ISDIR(info.st_mode)) {
    close(file);
    fail(name, "is a folder, not a file");
  }
  return file;
}

/// Closes a file at its end.
struct File {
  explicit File(int file) : descriptor(file) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() { close(descriptor); }

  int descriptor;
};

/// An open file as a gzip stream; plain files pass through as they are.
gzFile open_gzip(int file, const std::string& name) {
  const gzFile stream = gzdopen(file, "rb");
  if (stream == nullptr) {
    close(file);
    fail(name, "not enough memory to read it");
  }
  gzbuffer(stream, 1 << 18);
  return stream;
}

/// zlib puts the file before the reason: "<fd:3>: incorrect data check".
std::string gzip_reason(const std::string& message) {
  const auto colon = message.find(": ");
  return "gzip: " + (colon == std::string::npos ? message : message.substr(colon + 2));
}

/// Throws if a gzip file has unpacked to more than tables do, before memory and time are spent on it. The
/// packed size of a pipe is unknown.
void require_no_bomb(gzFile stream, const std::string& name) {
  constexpr z_off_t harmless = 1 << 26;
  constexpr z_off_t max_ratio = 500;  // deflate can reach 1032; tables of a few rare values reach 200
  const z_off_t unpacked = gztell(stream);
  if (unpacked < harmless || gzdirect(stream) == 1) return;
  const z_off_t packed = gzoffset(stream);
  if (packed > 0 && unpacked / packed >= max_ratio)
    fail(name, "the gzip data unpack to more than " + std::to_string(max_ratio) +
                   " times their size; if that is meant, unpack them and read the result");
}

}  // namespace

ByteSource open_source(const std::string& path) {
  const std::string name = source_name(path);
  const std::shared_ptr<gzFile_s> stream(open_gzip(open_file(path, name), name), gzclose);
  return {name, [stream, name](std::span<char> buffer) -> std::size_t {
            const auto wanted = static_cast<unsigned>(std::min<std::size_t>(buffer.size(), 1U << 30));
            const int got = gzread(stream.get(), buffer.data(), wanted);
            int error = Z_OK;
            const char* const reason = gzerror(stream.get(), &error);
            if (error == Z_BUF_ERROR) fail(name, "the gzip data end too early");
            if (got < 0) fail(name, error == Z_ERRNO ? std::strerror(errno) : gzip_reason(reason));
            require_no_bomb(stream.get(), name);
            return static_cast<std::size_t>(got);
          }};
}

std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string read_all(const std::string& path, std::string_view start) {
  const std::string name = source_name(path);
  const File file(open_file(path, name));
  std::string bytes;
  std::string buffer(std::size_t{1} << 20, '\0');
  while (true) {
    const ssize_t got = read(file.descriptor, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name, std::strerror(errno));
    bytes.append(buffer, 0, static_cast<std::size_t>(got));
    if (got == 0 || (bytes.size() >= start.size() && !bytes.starts_with(start))) return bytes;
  }
}

}  // namespace dyad
