// Files that a command reads and writes: which it may replace, and waits for pipes that a signal ends.
// SPDX-License-Identifier: BSD-3-Clause
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/cli/program.h"
#include "tests/folder.h"

namespace dyad {
namespace {

class OwnFiles : public testing::Test {
 protected:
  OwnFiles() {
    std::string text = "x,z,y\n";
    for (int i = 0; i < 60; ++i)
      text += std::to_string(i * 37 % 60) + "," + std::to_string(i * i % 17) + (i % 3 == 0 ? ",a\n" : ",b\n");
    static_cast<void>(folder_.file("t.csv", text));
    static_cast<void>(folder_.file("c.csv", "y,a,b\na,0,4\nb,1,0\n"));
    static_cast<void>(run("fit t.csv --label y --method nb -o m.dyad"));
    static_cast<void>(run("count t.csv --label y -o s.state"));
    static_cast<void>(run("plan s.state -o p.state"));
    static_cast<void>(run("fit t.csv --label y --method nb --json -o other.dyad > fit.json"));
  }

  /// Runs the program in the folder.
  [[nodiscard]] test::Outcome run(const std::string& arguments) const {
    return test::run_program(folder_, "--version >/dev/null && cd " + folder_.path("") + " && " +
                                          test::program() + " " + arguments);
  }

  /// Exit code of the program, started in the folder and sent a signal once it waits.
  [[nodiscard]] int code_after(int by_signal, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), test::program());
    const pid_t child = fork();
    if (child == 0) {
      std::vector<char*> pointers;
      for (std::string& argument : arguments) pointers.push_back(argument.data());
      pointers.push_back(nullptr);
      std::signal(by_signal, SIG_DFL);
      const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
      for (const int stream : {0, 1, 2}) dup2(nowhere, stream);
      if (chdir(folder_.path("").c_str()) == 0) execv(pointers[0], pointers.data());
      _exit(99);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    kill(child, by_signal);
    int status = 0;
    for (int k = 0; k < 50 && waitpid(child, &status, WNOHANG) == 0; ++k)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

  test::Folder folder_;
};

TEST_F(OwnFiles, ThatAreReadAreNotReplaced) {
  std::filesystem::create_symlink("t.csv", folder_.path("link.csv"));
  std::filesystem::create_hard_link(folder_.path("t.csv"), folder_.path("hard.csv"));
  const struct {
    std::string arguments;
    std::string output;
  } cases[]{{"fit t.csv --label y", "t.csv"},
            {"fit t.csv --label y", "link.csv"},
            {"fit link.csv --label y", "t.csv"},
            {"fit t.csv --label y", "hard.csv"},
            {"fit t.csv --label y", "./t.csv"},
            {"fit t.csv --label y --costs c.csv", "c.csv"},
            {"fit --state p.state", "p.state"},
            {"predict m.dyad t.csv", "t.csv"},
            {"predict m.dyad t.csv", "m.dyad"},
            {"predict m.dyad - <t.csv", "t.csv"},
            {"cv t.csv --label y", "t.csv"},
            {"screen t.csv --label y", "t.csv"},
            {"explain m.dyad t.csv", "t.csv"},
            {"explain m.dyad", "m.dyad"},
            {"report m.dyad t.csv", "t.csv"},
            {"report m.dyad t.csv --fit fit.json", "fit.json"},
            {"info m.dyad", "m.dyad"},
            {"count t.csv --label y", "t.csv"},
            {"count t.csv --label y --plan p.state", "p.state"},
            {"merge s.state p.state", "p.state"},
            {"plan s.state", "s.state"}};
  for (const auto& [arguments, output] : cases) {
    const std::string before = folder_.read(output);
    const test::Outcome outcome = run(arguments + " -o " + output);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_NE(outcome.err.find("dyad: " + output + ": the output would replace the input '"),
              std::string::npos)
        << arguments << ": " << outcome.err;
    EXPECT_NE(outcome.err.find("--overwrite-input"), std::string::npos);
    EXPECT_EQ(folder_.read(output), before) << arguments;
  }
}

TEST_F(OwnFiles, AreReplacedWhereThatIsAskedFor) {
  const std::string survey = folder_.read("s.state");
  EXPECT_EQ(run("plan s.state -o s.state --overwrite-input").code, 0);
  EXPECT_EQ(folder_.read("s.state"), folder_.read("p.state"));
  EXPECT_NE(folder_.read("s.state"), survey);
  EXPECT_EQ(run("info m.dyad -o m.dyad --overwrite-input").code, 0);
  EXPECT_TRUE(folder_.read("m.dyad").starts_with("m.dyad: model file"));
}

TEST_F(OwnFiles, ThatAreNoRegularFilesMayBeBoth) {
  EXPECT_EQ(run("fit t.csv --label y --method nb -o /dev/null").code, 0);
  EXPECT_NE(run("info /dev/null -o /dev/null").err.find("not a dyad model file"), std::string::npos);
}

TEST_F(OwnFiles, WithoutANameAreAUsageError) {
  for (const std::string command : {"fit t.csv --label y", "predict m.dyad t.csv", "info m.dyad"}) {
    const test::Outcome outcome = run(command + " -o ''");
    EXPECT_EQ(outcome.code, 2) << command;
    EXPECT_NE(outcome.err.find("--output: must name a file"), std::string::npos) << outcome.err;
    EXPECT_EQ(outcome.out, "");
  }
}

TEST_F(OwnFiles, HelpThatCannotBeWrittenIsAFailure) {
  for (const std::string flags : {"--help", "--version", "fit --help", "fit --help-all", "help"})
    EXPECT_EQ(run(flags + " >/dev/full").code, 1) << flags;
  EXPECT_EQ(run("--version").code, 0);
}

using SlowOwnFiles = OwnFiles;

TEST_F(SlowOwnFiles, ThatArePipesAreWaitedForUntilASignal) {
  ASSERT_EQ(mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  for (const int by_signal : {SIGINT, SIGTERM}) {
    EXPECT_EQ(code_after(by_signal, {"fit", "pipe", "--label", "y", "-o", "n.dyad"}), 130);
    EXPECT_EQ(code_after(by_signal, {"predict", "m.dyad", "pipe"}), 130);
    EXPECT_EQ(code_after(by_signal, {"info", "pipe"}), 130);
    EXPECT_EQ(code_after(by_signal, {"merge", "s.state", "pipe", "-o", "n.state"}), 130);
    EXPECT_EQ(code_after(by_signal, {"info", "m.dyad", "-o", "pipe"}), 130);
  }
}

TEST_F(OwnFiles, ThatAreModelsInPipesAreReadUntilASignal) {
  const std::string path = folder_.path("pipe");
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  const int writer = open(path.c_str(), O_RDWR | O_CLOEXEC);
  EXPECT_EQ(code_after(SIGINT, {"info", "pipe"}), 130);
  close(writer);
}

}  // namespace
}  // namespace dyad
