// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/byte_source.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <functional>

#include "dyad/base/random.h"
#include "dyad/io/csv.h"
#include "tests/folder.h"

namespace dyad {
namespace {

/// A gzip file of so many MiB of `part` over and over; long parts are packed in little time.
std::string packed(const test::Folder& folder, const std::string& start, const std::string& part,
                   int mebibytes) {
  const std::string path = folder.path("table.csv.gz");
  const gzFile file = gzopen(path.c_str(), part.size() > 100 ? "wb1" : "wb9");
  gzwrite(file, start.data(), static_cast<unsigned>(start.size()));
  std::string chunk;
  while (chunk.size() < std::size_t{1} << 20) chunk += part;
  for (int k = 0; k < mebibytes; ++k) gzwrite(file, chunk.data(), static_cast<unsigned>(chunk.size()));
  gzclose(file);
  return path;
}

/// How many bytes can be read of a source, and the message of the error that ended it.
struct ReadResult {
  std::size_t n_bytes = 0;
  std::string error = "no error";
};

ReadResult read_to_end(const std::string& path) {
  ReadResult result;
  const ByteSource source = open_source(path);
  std::vector<char> buffer(1 << 20);
  try {
    while (const std::size_t got = source.read(buffer)) result.n_bytes += got;
  } catch (const std::runtime_error& error) {
    result.error = error.what();
  }
  return result;
}

TEST(SlowByteSource, RefusesAGzipBombEarly) {
  const test::Folder folder;
  const std::string bomb = packed(folder, "a,b\n", "1,2\n", 200);
  const ReadResult result = read_to_end(bomb);
  EXPECT_EQ(result.error,
            bomb +
                ": the gzip data unpack to more than 500 times their size; if that is meant, unpack "
                "them and read the result");
  EXPECT_LE(result.n_bytes, std::size_t{66} << 20);
  EXPECT_THROW(read_csv(bomb, {}), std::runtime_error);
}

TEST(SlowByteSource, ReadsSmallFilesThatArePackedWellAndLargeOnesThatAreNot) {
  const test::Folder folder;
  EXPECT_EQ(read_to_end(packed(folder, "", "1,2\n", 60)).n_bytes, std::size_t{60} << 20);
  Random random(1);
  std::string noise;
  for (int i = 0; i < 100'000; ++i) noise += std::to_string(random.normal()) + "\n";
  EXPECT_EQ(read_to_end(packed(folder, "", noise, 70)).error, "no error");
}

/// A gzip file's bytes of a text.
std::string packed_bytes(const test::Folder& folder, const std::string& text) {
  const std::string path = folder.path("part.gz");
  const gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return read_all(path);
}

std::string text_of(const std::string& path, std::size_t buffer_size) {
  std::string text;
  const ByteSource source = open_source(path);
  std::vector<char> buffer(buffer_size);
  while (const std::size_t got = source.read(buffer)) text.append(buffer.data(), got);
  return text;
}

TEST(ByteSource, ReadsPlainFilesAndMembersOfGzipOneAfterTheOther) {
  const test::Folder folder;
  std::string text;
  for (int i = 0; i < 100'000; ++i)
    text += std::to_string(i * 7919 % 100'003) + "\n";  // beyond its own buffer
  const std::string half = text.substr(0, 1000);
  const std::string several =
      packed_bytes(folder, text) + packed_bytes(folder, "") + packed_bytes(folder, half);
  for (const std::size_t size : {1U << 20, 4096U, 7U}) {
    EXPECT_EQ(text_of(folder.file("plain", text), size), text);
    EXPECT_EQ(text_of(folder.file("short", "\x1f"), size), "\x1f");
    EXPECT_EQ(text_of(folder.file("empty", ""), size), "");
    EXPECT_EQ(text_of(folder.file("several", several), size), text + half);
    EXPECT_EQ(text_of(folder.file("filled", several + std::string(300'000, '\0')), size), text + half);
  }
}

TEST(ByteSource, RefusesWhatFollowsGzipDataAndIsNone) {
  const test::Folder folder;
  const std::string first = packed_bytes(folder, "a,y\n1,p\n2,q\n");
  std::string damaged = packed_bytes(folder, "3,p\n4,q\n");
  damaged[1] ^= 1;
  EXPECT_EQ(read_to_end(folder.file("magic", first + damaged)).error,
            folder.path("magic") + ": gzip: incorrect header check");
  EXPECT_EQ(read_to_end(folder.file("text", first + "5,p\n")).error,
            folder.path("text") + ": other bytes follow the gzip data; is the file damaged?");
  EXPECT_EQ(read_to_end(folder.file("cut", first + first.substr(0, 5))).error,
            folder.path("cut") + ": the gzip data end too early");
  std::string wrong_sum = first + first;
  wrong_sum[wrong_sum.size() - 6] ^= 1;
  EXPECT_EQ(read_to_end(folder.file("sum", wrong_sum)).error,
            folder.path("sum") + ": gzip: incorrect data check");
}

TEST(ByteSource, ReadsOnlyTheStartOfWhatBeginsOtherwise) {
  const test::Folder folder;
  const std::string path = folder.file("large", "other" + std::string(5 << 20, 'x'));
  EXPECT_EQ(read_all(path).size(), 5 + (5U << 20));
  EXPECT_EQ(read_all(path, "other").size(), 5 + (5U << 20));
  EXPECT_LE(read_all(path, "Other").size(), 1U << 20);
  EXPECT_LE(read_all("/dev/zero", "start").size(), 1U << 20);  // has no end
  EXPECT_EQ(read_all(folder.file("short", "ot"), "other"), "ot");
}

/// A source that has no end: `start`, then `part` over and over; counts what was read.
ByteSource endless(const std::string& start, const std::string& part, std::size_t& n_read) {
  return {"endless", [=, &n_read](std::span<char> buffer) {
            for (char& byte : buffer) {
              byte = n_read < start.size() ? start[n_read] : part[(n_read - start.size()) % part.size()];
              ++n_read;
            }
            return buffer.size();
          }};
}

std::string error_of_endless(const std::string& start, const std::string& part,
                             const CsvOptions& options = {}) {
  std::size_t n_read = 0;
  try {
    static_cast<void>(read_csv(endless(start, part, n_read), options));
  } catch (const std::runtime_error& error) {
    EXPECT_LE(n_read, std::size_t{1} << 28);
    return error.what();
  }
  return "no error";
}

TEST(SlowReadCsv, GivesUpAFieldWithoutEnd) {
  EXPECT_EQ(error_of_endless("a,b\n1,2\n3,", "4"), "endless: line 3 is longer than 67108864 bytes");
  EXPECT_EQ(error_of_endless("a,b\n1,2\n3,\"", "4\n"),
            "endless: line 3 is longer than 67108864 bytes; is a quote not closed?");
  EXPECT_EQ(error_of_endless("", "4"), "endless: line 1 is longer than 67108864 bytes");
  EXPECT_EQ(error_of_endless("a,b\n1,2\n3,\"", std::string(1000, 'x') + "\"\""),
            "endless: line 3 is longer than 67108864 bytes; is a quote not closed?");
}

TEST(ReadCsv, GivesUpColumnsAndRowsWithoutEnd) {
  EXPECT_EQ(error_of_endless("", "a,"), "endless: line 1 is longer than 67108864 bytes");
  CsvOptions few;
  few.limits.max_rows = 1000;
  EXPECT_EQ(error_of_endless("a,b\n", "1,2\n", few),
            "endless: line 1002, column 1 ('a'): more than 1000 rows");
}

}  // namespace
}  // namespace dyad
