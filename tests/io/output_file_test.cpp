// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/io/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "tests/folder.h"

namespace dyad {
namespace {

namespace fs = std::filesystem;

TEST(OutputFile, IsWrittenWholeAndReplacesTheOldOne) {
  const test::Folder folder;
  const std::string path = folder.path("a.txt");
  write_file(path, "first");
  EXPECT_EQ(folder.read("a.txt"), "first");
  const std::string large(3 << 20, 'x');
  write_file(path, large);
  EXPECT_EQ(folder.read("a.txt"), large);
  EXPECT_EQ(folder.count_files(), 1);
}

TEST(OutputFile, AppearsAtTheEndOfManyPartsAlone) {
  const test::Folder folder;
  const std::string path = folder.file("a.txt", "old");
  {
    OutputFile file(path);
    file.write("new");
    EXPECT_EQ(folder.read("a.txt"), "old");
    EXPECT_EQ(folder.count_files(), 2);
  }
  EXPECT_EQ(folder.read("a.txt"), "old");
  EXPECT_EQ(folder.count_files(), 1);
  {
    OutputFile file(path);
    for (const std::string part : {"in ", "", "three ", "parts"}) file.write(part);
    file.finish();
    EXPECT_EQ(folder.read("a.txt"), "in three parts");
  }
  EXPECT_EQ(folder.read("a.txt"), "in three parts");
  EXPECT_EQ(folder.count_files(), 1);
}

TEST(OutputFile, KeepsThePermissionsOfTheOldOne) {
  const test::Folder folder;
  const std::string path = folder.path("a.txt");
  write_file(path, "first");
  EXPECT_NE(fs::status(path).permissions() & fs::perms::group_read, fs::perms::none);
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  write_file(path, "second");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST(OutputFile, FollowsALinkAndWritesToADevice) {
  const test::Folder folder;
  write_file(folder.path("a.txt"), "first");
  fs::create_symlink(folder.path("a.txt"), folder.path("link"));
  write_file(folder.path("link"), "second");
  EXPECT_TRUE(fs::is_symlink(folder.path("link")));
  EXPECT_EQ(folder.read("a.txt"), "second");
  EXPECT_NO_THROW(write_file("/dev/null", "gone"));
}

TEST(OutputFile, MayHaveALongNameAndADanglingLink) {
  const test::Folder folder;
  const std::string name(250, 'n');
  write_file(folder.path(name), "text");
  EXPECT_EQ(folder.read(name), "text");
  fs::create_symlink("target.txt", folder.path("dangling"));
  write_file(folder.path("dangling"), "through");
  EXPECT_EQ(folder.read("target.txt"), "through");
}

TEST(OutputFile, FollowsChainsOfLinksButNotInCircles) {
  const test::Folder folder;
  fs::create_directory(folder.path("deep"));
  fs::create_symlink("second", folder.path("first"));
  fs::create_symlink("deep/third", folder.path("second"));
  fs::create_symlink("target.txt", folder.path("deep/third"));
  write_file(folder.path("first"), "text");
  EXPECT_EQ(folder.read("deep/target.txt"), "text");
  EXPECT_TRUE(fs::is_symlink(folder.path("second")));
  fs::create_symlink("circle", folder.path("circle"));
  EXPECT_THROW(write_file(folder.path("circle"), "text"), std::runtime_error);
}

TEST(OutputFile, InMemoryIsReplacedAsAnyOther) {
  if (access("/dev/shm", W_OK) != 0) GTEST_SKIP() << "there is no /dev/shm";
  const std::string path = "/dev/shm/dyad_test_" + std::to_string(getpid());
  write_file(path, "first");
  write_file(path, "second");
  EXPECT_EQ(fs::file_size(path), 6U);
  fs::remove(path);
}

TEST(OutputFile, HasThePermissionsOfNewFilesWhateverOtherThreadsWrite) {
  const test::Folder folder;
  const mode_t before = umask(077);
  {
    std::vector<std::jthread> writers;
    for (int t = 0; t < 4; ++t)
      writers.emplace_back([&folder, t] {
        for (int k = 0; k < 50; ++k)
          write_file(folder.path(std::to_string(t) + "_" + std::to_string(k)), "text");
      });
  }
  for (const auto& entry : fs::directory_iterator(folder.path("")))
    EXPECT_EQ(entry.status().permissions(), fs::perms::owner_read | fs::perms::owner_write) << entry.path();
  EXPECT_EQ(umask(before), 077U);
}

TEST(OutputFile, CanBeCheckedBeforehand) {
  const test::Folder folder;
  EXPECT_NO_THROW(require_writable(folder.path("new.txt")));
  EXPECT_NO_THROW(require_writable("plain_name_here"));
  EXPECT_THROW(require_writable(folder.path("no/such/folder.txt")), std::runtime_error);
  EXPECT_THROW(require_writable(folder.path("")), std::runtime_error);
  EXPECT_EQ(folder.count_files(), 0);
}

TEST(OutputFile, NamesThePathThatCannotBeWritten) {
  const test::Folder folder;
  const auto message = [](const std::string& path) {
    try {
      write_file(path, "text");
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message("/no/such/folder/a.txt"),
            "/no/such/folder/a.txt: cannot write: No such file or directory");
  EXPECT_EQ(message(folder.path("")), folder.path("") + ": cannot write: it is a folder");
  EXPECT_EQ(message("/dev/full"), "/dev/full: cannot write: No space left on device");
  EXPECT_EQ(folder.count_files(), 0);
}

}  // namespace
}  // namespace dyad
