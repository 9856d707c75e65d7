// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "dyad/base/pairs.h"
#include "dyad/dependence/screening.h"
#include "dyad/version.h"
#include "tests/cli/program.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using Json = nlohmann::json;
using test::Outcome;

class Screen : public testing::Test {
 protected:
  /// Two classes of 40 rows; x and y depend on each other in both.
  [[nodiscard]] static std::string example() {
    const auto x = test::normal_sample(80, 1);
    const auto y = test::correlated_with(x, 0.9, 2);
    const auto z = test::normal_sample(80, 3);
    std::string text = "x,y,z,label\n";
    for (std::size_t i = 0; i < 80; ++i)
      text += std::to_string(x[i]) + "," + std::to_string(y[i]) + "," + std::to_string(z[i]) + "," +
              (i % 2 == 0 ? "a" : "b") + "\n";
    return text;
  }

  /// Runs screen on `content` and expects it to fail with `code` and `message`.
  void expect_failure(const std::string& content, const std::string& flags, int code,
                      const std::string& message) {
    const std::string path = folder_.file("bad.csv", content);
    const Outcome outcome = run("screen " + path + " " + flags);
    EXPECT_EQ(outcome.code, code) << flags;
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
  }

  [[nodiscard]] Outcome run(const std::string& arguments) const {
    return test::run_program(folder_, arguments);
  }

  test::Folder folder_;
  std::string data_ = folder_.file("data.csv", example());
};

TEST_F(Screen, JsonHoldsWhatTheLibraryComputes) {
  const Outcome outcome = run("screen " + data_ + " --label label --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  const Json document = Json::parse(outcome.out);
  const auto expected = screen_pairs(read_csv(data_, {.label = "label"}), {});
  const std::string names = "xyz";
  ASSERT_EQ(document["classes"].size(), 2U);
  for (std::size_t c = 0; c < 2; ++c) {
    const Json& screened = document["classes"][c];
    EXPECT_EQ(screened["label"], expected[c].label);
    EXPECT_EQ(screened["n"], 40);
    ASSERT_EQ(screened["pairs"].size(), 3U);
    EXPECT_EQ(screened["pairs"][0]["i"], "x");
    EXPECT_EQ(screened["pairs"][0]["j"], "y");
    for (const Json& pair : screened["pairs"]) {
      const std::size_t i = names.find(pair["i"].get<std::string>());
      const std::size_t j = names.find(pair["j"].get<std::string>());
      ASSERT_LT(i, j);
      ASSERT_LT(j, 3U);
      const ScreenedPair found = expected[c].pair(pair_index(i, j, 3));
      EXPECT_EQ(pair["hsic"], found.hsic);
      EXPECT_EQ(pair["p"], found.p_value);
      EXPECT_EQ(pair["q"], found.q_value);
      EXPECT_EQ(pair["kept"], found.kept);
    }
  }
}

TEST_F(Screen, JsonIsLaidOutAsAWholeDocumentWouldBe) {
  // Constant columns have an HSIC of 0 and a p-value of 1: numbers that need their ".0".
  std::string text = "\"a \"\"quoted\"\" name\",t\xc3\xa9l\xc3\xa9,\\,tab\there,k,l,label\n";
  Random random(1);
  for (int i = 0; i < 60; ++i) {
    const double x = random.normal();
    for (const double value : {x, x + 1e-3 * random.normal(), random.normal(), random.normal()})
      text += std::to_string(value) + ",";
    text += i % 2 == 0 ? "1,2,\"class \"\"0\"\"\"\n" : "1,2,1\n";
  }
  const std::string path = folder_.file("odd.csv", text);
  for (const std::string flags : {"", " --top 1", " --engine exact --fdr 0"}) {
    const Outcome outcome = run("screen " + path + " --label label --json" + flags);
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const auto document = nlohmann::ordered_json::parse(outcome.out);
    EXPECT_EQ(document.dump(1) + "\n", outcome.out);
    EXPECT_EQ(document["classes"][0]["pairs"].size(), flags == " --top 1" ? 1U : 15U);
  }
}

TEST_F(Screen, PrintsTheSamePairsWhateverTheirNumber) {
  const auto pairs = [&](const std::string& flags) {
    return Json::parse(run("screen " + data_ + " --label label --json " + flags).out)["classes"][1]["pairs"];
  };
  const Json all = pairs("--top 0");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_GE(all[0]["hsic"], all[1]["hsic"]);
  EXPECT_GE(all[1]["hsic"], all[2]["hsic"]);
  EXPECT_EQ(pairs(""), all);
  EXPECT_EQ(pairs("--top 9"), all);
  EXPECT_EQ(pairs("--top 2"), Json({all[0], all[1]}));
}

TEST_F(Screen, BothEnginesAgreeToAPercent) {
  const auto document = [&](const std::string& flags) {
    return Json::parse(run("screen " + data_ + " --label label --json " + flags).out);
  };
  const Json exact = document("--engine exact");
  const Json counts = document("--engine counts --grid 64");
  EXPECT_EQ(document("--engine counts --grid 128"), document(""));
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t k = 0; k < 3; ++k) {
      const Json& pair = exact["classes"][c]["pairs"][k];
      const Json& other = counts["classes"][c]["pairs"][k];
      EXPECT_EQ(other["j"], pair["j"]);
      const double hsic = pair["hsic"];
      EXPECT_NEAR(other["hsic"].get<double>(), hsic, std::max(0.01 * hsic, 1e-5));
    }
}

TEST_F(Screen, PrintsATablePeopleCanRead) {
  const Outcome outcome = run("screen " + data_ + " --label label --top 1");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_NE(outcome.out.find("80 rows, 3 features, 2 classes"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("class a (40 rows): 1 of 3 pairs kept (q <= 0.05)"), std::string::npos)
      << outcome.out;
  EXPECT_NE(outcome.out.find("and 2 weaker pairs (--top 0 shows all)"), std::string::npos) << outcome.out;
}

TEST_F(Screen, TakesItsFlags) {
  const std::string base = "screen " + data_ + " --label label --json --quiet --engine exact --threads 2 ";
  const auto pairs = [&](const std::string& flags) {
    const Outcome outcome = run(base + flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out)["classes"][0]["pairs"];
  };
  EXPECT_EQ(pairs("--top 1").size(), 1U);
  for (const Json& pair : pairs("--fdr 1")) EXPECT_TRUE(pair["kept"]);
  for (const Json& pair : pairs("--min-hsic 0.2")) EXPECT_FALSE(pair["kept"]);
  EXPECT_EQ(pairs("--p-value permutation --permutations 19 --seed 3")[0]["p"], 0.05);
  EXPECT_EQ(pairs("--exclude z").size(), 1U);
}

TEST_F(Screen, ReadsStandardInputAndWritesFiles) {
  const std::string expected = run("screen " + data_ + " --label label --json").out;
  const Outcome outcome = run("screen - --label label --json -o " + folder_.path("out.json") + " <" + data_);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(folder_.read("out.json"), expected);
  EXPECT_EQ(run("screen " + data_ + " --label label --json -o - ").out, expected);
}

TEST_F(Screen, LeavesTheOldFileWhereItFails) {
  const std::string old = folder_.file("out.txt", "old");
  const std::string bad = folder_.file("bad.csv", "x,z,y\n1,,a\n1,2,b\n");
  EXPECT_EQ(run("screen " + bad + " --label y --engine exact -o " + old).code, 1);
  EXPECT_EQ(folder_.read("out.txt"), "old");
  const auto before = folder_.count_files();
  // The disk is full after a few lines: the file's limit is in blocks of 512 or 1024 bytes.
  std::string wide = "label";
  for (int j = 0; j < 40; ++j) wide += ",x" + std::to_string(j);
  Random random(1);
  for (int i = 0; i < 40; ++i) {
    wide += i % 2 == 0 ? "\na" : "\nb";
    for (int j = 0; j < 40; ++j) wide += "," + std::to_string(random.normal());
  }
  const std::string data = folder_.file("bad.csv", wide + "\n");
  const Outcome full = run("--version; trap '' XFSZ; ulimit -f 64; " + test::program() + " screen " + data +
                           " --label label --json -o " + old);
  EXPECT_EQ(full.code, 1);
  EXPECT_NE(full.err.find("out.txt: cannot write: File too large"), std::string::npos) << full.err;
  EXPECT_EQ(folder_.read("out.txt"), "old");
  EXPECT_EQ(folder_.count_files(), before);
}

TEST_F(Screen, ReportsBadData) {
  expect_failure("", "--label y", 1, "bad.csv: the file is empty");
  expect_failure("x,y\n", "--label y", 1, "bad.csv: the file has a header but no rows");
  expect_failure("x,z,y\n1,2,a\n2,1,a\n", "--label y", 1, "bad.csv: the label has only one class, 'a'");
  expect_failure("x,z,y\n1,2,a\n2,1,b\n", "--label species", 1, "no column 'species' (label)");
  expect_failure("x,z,y\n1,2,a\noops,1,b\n", "--label y", 1,
                 "bad.csv: line 3, column 1 ('x'): 'oops' is not a number");
  expect_failure("x,z,y\n1,2,a\n1,-inf,b\n", "--label y", 1,
                 "bad.csv: line 3, column 2 ('z'): '-inf' is not a finite");
  expect_failure("x,z,y\n1,2,a\n1,b\n", "--label y", 1,
                 "bad.csv: line 3, column 2 ('z'): the line ends after 2");
  expect_failure("x,x,y\n1,2,a\n1,3,b\n", "--label y", 1,
                 "bad.csv: line 1, column 2 ('x'): the name is taken");
  expect_failure("x,z,y\n1,r,a\n1,s,b\n", "--label y --engine exact", 1,
                 "bad.csv: column 'z' is categorical (for example 'r')");
  expect_failure("x,z,y\n1,,a\n1,2,b\n", "--label y --engine exact", 1,
                 "column 'z' has a missing value in row 1");
  expect_failure("x,y\n1,a\n2,b\n", "--label y", 1, "at least two features");
}

TEST_F(Screen, ReportsFilesItCannotOpen) {
  const Outcome absent = run("screen " + folder_.path("absent.csv") + " --label y");
  EXPECT_EQ(absent.code, 1);
  EXPECT_EQ(absent.err, "dyad: " + folder_.path("absent.csv") + ": No such file or directory\n");
  const Outcome folder = run("screen " + folder_.path("") + " --label y");
  EXPECT_EQ(folder.code, 1);
  EXPECT_NE(folder.err.find("is a folder, not a file"), std::string::npos) << folder.err;
  const Outcome output = run("screen " + data_ + " --label label -o " + folder_.path("no/such/out.txt"));
  EXPECT_EQ(output.code, 1);
  EXPECT_NE(output.err.find("no/such/out.txt: cannot write: No such file"), std::string::npos) << output.err;
  EXPECT_EQ(run("screen " + data_ + " --label label >/dev/full").code, 1);
}

TEST_F(Screen, ReportsWrongUsage) {
  const std::string base = "screen " + data_ + " --label label ";
  const std::vector<std::pair<std::string, std::string>> cases{
      {"screen " + data_ + " --lable label", "unknown flag --lable; did you mean --label?"},
      {base + "--frobnicate", "unknown flag --frobnicate"},
      {"screen " + data_, "--label is required"},
      {"screen --label y", "DATA is required"},
      {base + "--fdr 2", "--fdr: must be between 0 and 1, got 2"},
      {base + "--fdr abc", "--fdr: must be between 0 and 1, got abc"},
      {base + "--fdr nan", "--fdr: must be between 0 and 1, got nan"},
      {base + "--min-hsic inf", "--min-hsic: must be at least 0, got inf"},
      {base + "--seed 18446744073709551616", "--seed: must be a whole number, between 0 and"},
      {"screen " + data_ + " --label ''", "--label: must name a column"},
      {base + "--permutations 0", "--permutations"},
      {base + "--p-value bayes", "--p-value"},
      {base + "--engine warp", "--engine"},
      {base + "--grid 8", "--grid: must be a whole number, between 16 and 128, got 8"},
      {base + "--threads -1", "--threads"},
      {base + "--top -3", "--top"},
      {base + "--delimiter x", "--delimiter"}};
  for (const auto& [arguments, message] : cases) {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << arguments << ": " << outcome.err;
  }
}

TEST_F(Screen, HelpAndVersionGoToStandardOutput) {
  const Outcome version = run("--version");
  EXPECT_EQ(version.code, 0);
  EXPECT_EQ(version.out, std::string("dyad ") + dyad::version + "\n");
  for (const std::string arguments : {"--help", "screen --help"}) {
    const Outcome help = run(arguments);
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("screen"), std::string::npos);
    EXPECT_EQ(help.err, "");
  }
}

TEST_F(Screen, SaysWhereNothingCanBeFound) {
  const std::string path = folder_.file("small.csv", "x,z,y\n1,2,a\n2,1,a\n3,5,b\n4,4,b\n");
  const Outcome small = run("screen " + path + " --label y");
  EXPECT_EQ(small.code, 0);
  EXPECT_NE(small.err.find("class a has 2 rows; p-values need 6"), std::string::npos) << small.err;
  EXPECT_EQ(run("screen " + path + " --label y --quiet").err, "");
  const Outcome few = run("screen " + data_ + " --label label --p-value permutation --permutations 19");
  EXPECT_NE(few.err.find("use --permutations 60"), std::string::npos) << few.err;
}

/// A shell's background jobs ignore the signal until the program listens, so it is sent until it has an
/// effect.
const std::string interrupt_it =  // NOLINT(cert-err58-cpp)
    " & pid=$!; sleep 0.1; while kill -INT $pid 2>/dev/null; do sleep 0.2; done; wait $pid";

TEST_F(Screen, EndsWithCode130WhileReading) {
  // The shell holds the other end of the pipe open and writes nothing.
  const std::string pipe = folder_.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const Outcome outcome = run("--version; exec 9<>" + pipe + "; " + test::program() + " screen " + pipe +
                              " --label y" + interrupt_it);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
}

TEST_F(Screen, EndsWithCode130WhenInterrupted) {
  std::string large = "x,y,z,label\n";
  Random random(1);
  for (int i = 0; i < 20000; ++i)
    large += std::to_string(random.normal()) + "," + std::to_string(random.normal()) + "," +
             std::to_string(random.normal()) + (i % 2 == 0 ? ",a\n" : ",b\n");
  const std::string path = folder_.file("large.csv", large);
  const Outcome outcome =
      run("screen " + path + " --label label --engine exact -o " + folder_.path("out.txt") + interrupt_it);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(folder_.path("out.txt")));
}

TEST_F(Screen, LeavesNoFileWhenInterruptedBetweenClasses) {
  // Class a is done at once, class b, by exact sums, is not.
  std::string uneven = "x,y,z,label\n";
  Random random(1);
  for (int i = 0; i < 20000; ++i)
    uneven += std::to_string(random.normal()) + "," + std::to_string(random.normal()) + "," +
              std::to_string(random.normal()) + (i < 10 ? ",a\n" : ",b\n");
  const std::string path = folder_.file("uneven.csv", uneven);
  const auto before = folder_.count_files();
  const std::string wait_for_the_first =
      " & pid=$!; while [ $(ls -A " + folder_.path("") +
      " | grep -c dyad) = 0 ]; do sleep 0.02; done; kill -INT $pid; wait $pid";
  const Outcome outcome = run("screen " + path + " --label label --engine exact -o " +
                              folder_.path("out.txt") + wait_for_the_first);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_EQ(folder_.count_files(), before + 2);  // what the program printed
}

}  // namespace
}  // namespace dyad
