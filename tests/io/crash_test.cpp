// What is left of a file when the program that writes it is killed, or the disk is full.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <set>
#include <thread>

#include "dyad/base/random.h"
#include "dyad/fit/fit.h"
#include "dyad/io/model_file.h"
#include "dyad/io/output_file.h"
#include "tests/cli/program.h"
#include "tests/folder.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

/// Starts `work(begun)` in a process of its own, sends that a signal some time after it has called `begun`
/// and waits for its end.
template <class Work>
void kill_after(std::chrono::microseconds time, const Work& work, int by_signal = SIGKILL) {
  std::array<int, 2> ends{};
  ASSERT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    const rlimit no_core{0, 0};
    setrlimit(RLIMIT_CORE, &no_core);
    std::signal(by_signal, SIG_DFL);  // shells let what runs in the background ignore some
    work([&] { static_cast<void>(write(ends[1], "!", 1)); });
    _exit(0);
  }
  close(ends[1]);
  char begun = 0;
  EXPECT_EQ(read(ends[0], &begun, 1), 1);
  close(ends[0]);
  std::this_thread::sleep_for(time);
  kill(child, by_signal);
  waitpid(child, nullptr, 0);
}

std::chrono::microseconds some_time(Random& random, double at_most) {
  return std::chrono::microseconds(static_cast<std::int64_t>(at_most * random.uniform()));
}

template <class Work>
double microseconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

Model some_model(std::size_t n_classes) {
  return fit(test::class_table(200, 4, n_classes, 1), {.method = Method::slb_minus});
}

/// Kills a process that saves two models in turn, `trials` times.
void expect_old_or_new_model(int by_signal, int trials) {
  const test::Folder folder;
  const std::string path = folder.path("m.dyad");
  const Model models[]{some_model(2), some_model(3)};
  const std::set<std::string> allowed{model_bytes(models[0]), model_bytes(models[1])};
  save_model(models[0], path);
  const double some_saves = microseconds_of([&] {
    for (int k = 0; k < 8; ++k) save_model(models[0], path);
  });
  Random random(1);
  std::set<std::string> seen;
  std::ptrdiff_t in_the_middle = 0;
  for (int trial = 0; trial < trials; ++trial) {
    const auto save_in_turn = [&](const auto& begun) {
      save_model(models[1], path);
      begun();
      for (std::size_t k = 0;; ++k) save_model(models[k % 2], path);
    };
    kill_after(some_time(random, some_saves), save_in_turn, by_signal);
    const std::string bytes = folder.read("m.dyad");
    ASSERT_TRUE(allowed.contains(bytes)) << "trial " << trial << ", " << bytes.size() << " bytes";
    seen.insert(bytes);
    in_the_middle += folder.count_files() > 1 ? 1 : 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder.path("")))
      if (entry.path() != path) std::filesystem::remove(entry);
  }
  EXPECT_EQ(seen, allowed);
  EXPECT_GT(in_the_middle, 0);  // killed between the opening and the renaming
}

TEST(SlowKilled, WhileSavingLeavesTheOldModelOrTheNewOne) { expect_old_or_new_model(SIGKILL, 500); }

TEST(SlowKilled, ByQuitWhileSavingLeavesTheOldModelOrTheNewOne) { expect_old_or_new_model(SIGQUIT, 200); }

/// A small table and a model of it, and commands that write over a file that is there.
class KilledProgram : public testing::Test {
 protected:
  KilledProgram() {
    std::string rows = "a,b,c,y\n";
    Random random(3);
    for (int i = 0; i < 60; ++i) {
      for (int j = 0; j < 3; ++j) rows += std::to_string(random.normal() + i % 2) + ",";
      rows += i % 2 == 0 ? "no\n" : "yes\n";
    }
    static_cast<void>(folder_.file("t.csv", rows));
    static_cast<void>(run("fit t.csv --label y --preset paper -o m.dyad"));
  }

  [[nodiscard]] test::Outcome run(const std::string& arguments) const {
    return test::run_program(folder_, "--version >/dev/null && cd " + folder_.path("") + " && " +
                                          test::program() + " " + arguments);
  }

  /// Runs the command again and again over an `output` that is there, and kills it at any moment: the time it
  /// is given grows while it does not come to its end and shrinks while it does, whatever else the machine
  /// does. `as_they_end`: files differ from run to run, but for their end.
  void expect_old_or_new(const std::string& arguments, const std::string& output, bool as_they_end = false) {
    double at_most = microseconds_of([&] { ASSERT_EQ(run(arguments).code, 0); });
    const std::string whole = folder_.read(output);
    std::set<std::string> seen;
    Random random(4);
    for (int trial = 0; trial < 40; ++trial) {
      static_cast<void>(folder_.file(output, "old"));
      kill_after(some_time(random, at_most), [&](const auto& begun) {
        begun();
        if (chdir(folder_.path("").c_str()) != 0) return;
        const std::string command = "exec " + test::program() + " " + arguments + " >/dev/null 2>&1";
        execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
      });
      const std::string left = folder_.read(output);
      const bool is_new = as_they_end ? left.ends_with(whole.substr(whole.size() - 10)) : left == whole;
      ASSERT_TRUE(left == "old" || is_new) << arguments << ": " << left.size() << " bytes";
      seen.insert(is_new ? "new" : "old");
      at_most *= is_new ? 0.8 : 1.25;
    }
    EXPECT_EQ(seen.size(), 2U) << arguments;  // some runs were killed before the end, some had come to it
  }

  test::Folder folder_;
};

using SlowKilledProgram = KilledProgram;

TEST_F(SlowKilledProgram, LeavesTheOldFileOrTheNewOne) {
  expect_old_or_new("fit t.csv --label y --preset paper -o again.dyad", "again.dyad");
  expect_old_or_new("predict m.dyad t.csv --proba -o p.csv", "p.csv");
  expect_old_or_new("report m.dyad t.csv -o r.html", "r.html", true);  // tells how long it took
}

TEST_F(KilledProgram, OrStoppedByALimitOfFilesLeavesTheOldOne) {
  for (const std::string arguments :
       {"fit t.csv --label y --preset paper -o out", "report m.dyad t.csv -o out",
        "simulate general-normal --n 3000 --seed 1 -o out"}) {
    static_cast<void>(folder_.file("out", "old"));
    const auto n_files = folder_.count_files();
    const test::Outcome full = run("--version; ulimit -f 2; " + test::program() + " " + arguments);
    EXPECT_EQ(full.code, 1) << arguments;
    EXPECT_EQ(full.err, "dyad: out: cannot write: File too large\n");
    EXPECT_EQ(folder_.read("out"), "old");
    EXPECT_EQ(folder_.count_files(), n_files);
  }
}

/// A file system of 64 KiB in memory.
class SmallDisk : public testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(path_);
    if (mount("tmpfs", path_.c_str(), "tmpfs", 0, "size=64k") != 0) GTEST_SKIP() << "only root mounts disks";
    mounted_ = true;
  }
  void TearDown() override {
    if (mounted_) umount(path_.c_str());
  }

  test::Folder folder_;
  std::string path_ = folder_.path("disk");
  bool mounted_ = false;
};

std::string error_of_writing(const std::string& path, const std::string& content) {
  try {
    write_file(path, content);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(SmallDisk, ThatIsFullKeepsTheOldFile) {
  const std::string path = path_ + "/m.dyad";
  write_file(path, "old");
  EXPECT_EQ(error_of_writing(path, std::string(1 << 20, 'x')),
            path + ": cannot write: No space left on device");
  EXPECT_EQ(folder_.read("disk/m.dyad"), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path_), {}), 1);
  EXPECT_EQ(error_of_writing(path, std::string(20'000, 'x')), "no error");
}

using SlowSmallDisk = SmallDisk;

TEST_F(SlowSmallDisk, ThatIsFullEndsEveryCommandThatWritesAndKeepsTheOldFile) {
  const auto run = [&](const std::string& arguments) { return test::run_program(folder_, arguments); };
  const std::string data = folder_.path("t.csv");
  const std::string model = folder_.path("m.dyad");
  ASSERT_EQ(run("simulate general-normal --n 3000 --seed 1 --quiet -o " + data).code, 0);
  ASSERT_EQ(run("fit " + data + " --label label --method slb- --quiet -o " + model).code, 0);
  const std::string out = path_ + "/out";
  const std::vector<std::string> commands{
      "fit " + data + " --label label --method slb-", "predict " + model + " " + data + " --proba --novelty",
      "report " + model + " " + data, "count " + data + " --label label", "simulate general-normal --n 3000"};
  for (const std::string& arguments : commands) {
    write_file(out, "old");
    const test::Outcome full = run(arguments + " --quiet -o " + out);
    EXPECT_EQ(full.code, 1) << arguments;
    EXPECT_EQ(full.err, "dyad: " + out + ": cannot write: No space left on device\n") << arguments;
    EXPECT_EQ(folder_.read("disk/out"), "old") << arguments;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(path_), {}), 1) << arguments;
  }
}

TEST_F(SmallDisk, ThatIsReadOnlyKeepsTheOldFile) {
  const std::string path = path_ + "/m.dyad";
  write_file(path, "old");
  ASSERT_EQ(mount("tmpfs", path_.c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=64k"), 0);
  EXPECT_EQ(error_of_writing(path, "new"), path + ": cannot write: Read-only file system");
  EXPECT_EQ(error_of_writing(path_ + "/n.dyad", "new"),
            path_ + "/n.dyad: cannot write: Read-only file system");
  EXPECT_THROW(require_writable(path), std::runtime_error);
  EXPECT_EQ(folder_.read("disk/m.dyad"), "old");
}

}  // namespace
}  // namespace dyad
