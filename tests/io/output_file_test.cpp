// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/output_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace dyad {
namespace {

namespace fs = std::filesystem;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class OutputFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "dyad_output_file_test";
    fs::remove_all(folder_);
    fs::create_directory(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::ptrdiff_t files() const { return std::distance(fs::directory_iterator(folder_), {}); }

  fs::path folder_;
};

TEST_F(OutputFile, IsWrittenWholeAndReplacesTheOldOne) {
  const std::string path = folder_ / "a.txt";
  write_file(path, "first");
  EXPECT_EQ(content_of(path), "first");
  const std::string large(3 << 20, 'x');
  write_file(path, large);
  EXPECT_EQ(content_of(path), large);
  EXPECT_EQ(files(), 1);
}

TEST_F(OutputFile, KeepsThePermissionsOfTheOldOne) {
  const fs::path path = folder_ / "a.txt";
  write_file(path, "first");
  EXPECT_NE(fs::status(path).permissions() & fs::perms::group_read, fs::perms::none);
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write_file(path, "second");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(OutputFile, FollowsALinkAndWritesToADevice) {
  write_file(folder_ / "a.txt", "first");
  fs::create_symlink(folder_ / "a.txt", folder_ / "link");
  write_file(folder_ / "link", "second");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(content_of(folder_ / "a.txt"), "second");
  EXPECT_NO_THROW(write_file("/dev/null", "gone"));
}

TEST_F(OutputFile, NamesThePathThatCannotBeWritten) {
  const auto message = [](const std::string& path) {
    try {
      write_file(path, "text");
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("/no/such/folder/a.txt"), "/no/such/folder/a.txt: cannot write: No such file or directory");
  EXPECT_EQ(message(folder_), folder_.string() + ": cannot write: it is a folder");
  EXPECT_EQ(message("/dev/full"), "/dev/full: cannot write: No space left on device");
  EXPECT_EQ(files(), 0);
}

}  // namespace
}  // namespace dyad
