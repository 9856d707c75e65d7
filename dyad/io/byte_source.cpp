// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/byte_source.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "dyad/base/execution.h"

namespace dyad {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& reason) {
  throw std::runtime_error(name + ": " + reason);
}

/// Fails for the reason in errno. A signal that ends a system call ends the reading.
[[noreturn]] void fail_by_errno(const std::string& name) {
  if (errno == EINTR) throw Interrupted();
  fail(name, std::strerror(errno));
}

/// Opens `path`, or standard input for "-".
int open_file(const std::string& path, const std::string& name) {
  const int file = path == "-" ? dup(STDIN_FILENO) : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail_by_errno(name);
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

/// The bytes of a file, unpacked if it is gzip: one member or more, one after the other.
class Unpacker {
 public:
  Unpacker(int file, std::string name) : file_(file), name_(std::move(name)) {
    // 15: the largest window; 16: gzip.
    if (inflateInit2(&stream_, 15 + 16) != Z_OK) throw std::bad_alloc();
  }
  Unpacker(const Unpacker&) = delete;
  Unpacker& operator=(const Unpacker&) = delete;
  ~Unpacker() { inflateEnd(&stream_); }

  /// Fills the buffer unless the file ends before.
  std::size_t read(std::span<char> buffer) {
    if (form_ == Form::unknown) find_form();
    return form_ == Form::gzip ? read_gzip(buffer) : read_plain(buffer);
  }

 private:
  enum class Form { unknown, plain, gzip };
  static constexpr unsigned char first_of_gzip = 0x1f;
  static constexpr unsigned char second_of_gzip = 0x8b;

  /// The next bytes of the file; 0 at its end.
  std::size_t load(char* to, std::size_t size) const {
    const ssize_t got = ::read(file_.descriptor, to, size);
    if (got < 0) fail_by_errno(name_);
    return static_cast<std::size_t>(got);
  }

  void find_form() {
    std::size_t n = 0;
    for (std::size_t got = 1; n < 2 && got > 0; n += got) got = load(packed_.data() + n, packed_.size() - n);
    give(n);
    const bool is_gzip =
        n >= 2 && stream_.next_in[0] == first_of_gzip && stream_.next_in[1] == second_of_gzip;
    form_ = is_gzip ? Form::gzip : Form::plain;
  }

  /// Lets the stream read the first n bytes of `packed_`.
  void give(std::size_t n) {
    stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
    stream_.avail_in = static_cast<uInt>(n);
    n_packed_ += n;
  }

  std::size_t read_plain(std::span<char> buffer) {
    const std::size_t from_start = std::min<std::size_t>(stream_.avail_in, buffer.size());
    std::copy_n(stream_.next_in, from_start, buffer.begin());
    stream_.next_in += from_start;
    stream_.avail_in -= static_cast<uInt>(from_start);
    std::size_t n = from_start;
    for (std::size_t got = 1; n < buffer.size() && got > 0; n += got)
      got = load(buffer.data() + n, buffer.size() - n);
    return n;
  }

  std::size_t read_gzip(std::span<char> buffer) {
    const std::size_t wanted = std::min<std::size_t>(buffer.size(), 1U << 30);
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(wanted);
    while (stream_.avail_out > 0 && has_more()) {
      const int result = inflate(&stream_, Z_NO_FLUSH);
      if (result == Z_MEM_ERROR) throw std::bad_alloc();
      if (result == Z_STREAM_END) {
        is_in_member_ = false;
        inflateReset(&stream_);
      } else if (result != Z_OK && result != Z_BUF_ERROR) {
        fail(name_, std::string("gzip: ") + (stream_.msg == nullptr ? "damaged data" : stream_.msg));
      }
    }
    const std::size_t n = wanted - stream_.avail_out;
    n_unpacked_ += n;
    require_no_bomb();
    return n;
  }

  /// True if the file has more bytes of this member, or another member. It skips zeros after a member, with
  /// which tapes fill their blocks.
  bool has_more() {
    while (true) {
      if (stream_.avail_in == 0) give(load(packed_.data(), packed_.size()));
      if (stream_.avail_in == 0 && is_in_member_) fail(name_, "the gzip data end too early");
      if (stream_.avail_in == 0 || is_in_member_) return stream_.avail_in > 0;
      if (*stream_.next_in == first_of_gzip) return is_in_member_ = true;
      if (*stream_.next_in != 0) fail(name_, "other bytes follow the gzip data; is the file damaged?");
      ++stream_.next_in;
      --stream_.avail_in;
    }
  }

  /// Throws if a gzip file has unpacked to more than tables do, before memory and time are spent on it.
  void require_no_bomb() const {
    constexpr std::uint64_t harmless = 1 << 26;
    constexpr std::uint64_t max_ratio = 500;  // deflate can reach 1032; tables of a few rare values reach 200
    if (n_unpacked_ >= harmless && n_unpacked_ / (n_packed_ - stream_.avail_in) >= max_ratio)
      fail(name_, "the gzip data unpack to more than " + std::to_string(max_ratio) +
                      " times their size; if that is meant, unpack them and read the result");
  }

  File file_;
  std::string name_;
  Form form_ = Form::unknown;
  std::vector<char> packed_ = std::vector<char>(std::size_t{1} << 18);
  z_stream stream_{};
  bool is_in_member_ = false;
  std::uint64_t n_packed_ = 0;  ///< bytes of the file given to the stream
  std::uint64_t n_unpacked_ = 0;
};

}  // namespace

ByteSource open_source(const std::string& path) {
  const std::string name = source_name(path);
  const auto unpacker = std::make_shared<Unpacker>(open_file(path, name), name);
  return {name, [unpacker](std::span<char> buffer) { return unpacker->read(buffer); }};
}

std::string source_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string read_all(const std::string& path, std::string_view start) {
  const std::string name = source_name(path);
  const File file(open_file(path, name));
  // The start decides before memory is taken for the rest; a regular file is then read into its place.
  constexpr std::size_t piece = std::size_t{1} << 20;
  struct stat status {};
  const bool has_size = fstat(file.descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const std::size_t expected = has_size ? static_cast<std::size_t>(status.st_size) + 1 : 0;
  std::string bytes(start.empty() ? piece : start.size(), '\0');
  std::size_t n = 0;
  while (true) {
    const ssize_t got = read(file.descriptor, bytes.data() + n, bytes.size() - n);
    if (got < 0) fail_by_errno(name);
    n += static_cast<std::size_t>(got);
    const bool is_other = n >= start.size() && !bytes.starts_with(start);
    if (got == 0 || is_other) break;
    if (n == bytes.size()) bytes.resize(std::max(expected, n + std::max(piece, n / 2)));
  }
  bytes.resize(n);
  return bytes;
}

}  // namespace dyad
