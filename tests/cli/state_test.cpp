// Fitting to tables in parts: dyad count, merge, plan, and fit --chunked and --state.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <sstream>

#include "dyad/base/random.h"
#include "dyad/base/text.h"
#include "tests/cli/program.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

class Parts : public testing::Test {
 protected:
  Parts() {
    const std::string text = test::class_csv(3000, 4, 2, 5);
    static_cast<void>(folder_.file("all.csv", text));
    const std::size_t header = text.find('\n') + 1;
    const std::size_t half = text.find('\n', text.size() / 2) + 1;
    static_cast<void>(folder_.file("a.csv", text.substr(0, half)));
    static_cast<void>(folder_.file("b.csv", text.substr(0, header) + text.substr(half)));
    for (std::size_t at = header; at < half; ++at) n_first_ += text[at] == '\n' ? 1U : 0U;
  }

  test::Outcome run(const std::string& arguments) {
    return test::run_program(folder_, "--version >/dev/null && cd " + folder_.path("") + " && " +
                                          test::program() + " " + arguments);
  }
  void expect_done(const std::string& arguments) {
    const test::Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << ": " << outcome.err;
  }
  void expect_failure(const std::string& arguments, int code, const std::string& message) {
    const test::Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << arguments << ": " << outcome.err;
  }

  test::Folder folder_;
  std::size_t n_first_ = 0;
};

TEST_F(Parts, HaveOneClassForANumberInTwoSpellings) {
  const auto with_labels = [&](const std::string& file, const std::string& named, const std::string& end) {
    std::istringstream lines(folder_.read(file));
    std::string text;
    std::string line;
    for (std::getline(lines, text), text += '\n'; std::getline(lines, line);)
      text += line.substr(0, line.rfind(',')) + (line.ends_with('a') ? ",1" : ",2") + end + '\n';
    static_cast<void>(folder_.file(named, text));
  };
  with_labels("b.csv", "floats.csv", ".0");
  for (const std::string file : {"a.csv", "b.csv", "all.csv"}) with_labels(file, file, "");
  const std::string from = " --label y --first-row " + std::to_string(n_first_);
  expect_done("count a.csv --label y -o a.state");
  expect_done("count b.csv -o b.state" + from);
  expect_done("count floats.csv -o floats.state" + from);
  EXPECT_TRUE(folder_.read("floats.state") == folder_.read("b.state"));
  expect_done("merge a.state floats.state -o all.state");
  expect_done("fit --state all.state --method nb -o parts.dyad");
  expect_done("fit all.csv --label y --method nb -o whole.dyad");
  EXPECT_TRUE(folder_.read("parts.dyad") == folder_.read("whole.dyad"));
  EXPECT_NE(run("info whole.dyad").out.find("classes           1 ("), std::string::npos);
}

TEST_F(Parts, AreMergedToTheModelOfTheWhole) {
  const std::string first = " --first-row " + std::to_string(n_first_);
  for (const std::string file : {"a", "b", "all"})
    expect_done("count " + file + ".csv --label y --sample-rows 400 -o " + file + ".state" +
                (file == "b" ? first : ""));
  expect_done("merge b.state a.state -o ab.state");
  EXPECT_EQ(folder_.read("ab.state"), folder_.read("all.state"));
  expect_done("plan ab.state -o plan.state");
  for (const std::string file : {"a", "b", "all"})
    expect_done("count " + file + ".csv --label y --plan plan.state -o c" + file + ".state" +
                (file == "b" ? first : ""));
  expect_done("merge cb.state ca.state -o cab.state");
  EXPECT_EQ(folder_.read("cab.state"), folder_.read("call.state"));
  expect_done("fit --state cab.state -o m.dyad");
  expect_done("predict m.dyad all.csv -o p.csv");
  expect_done("fit --state ab.state -o sample.dyad");
  EXPECT_NE(run("fit --state ab.state -o sample.dyad").err.find("the survey keeps 400 of 3000 rows"),
            std::string::npos);
}

TEST_F(Parts, OfFewRowsGiveTheModelOfFit) {
  expect_done("fit all.csv --label y -o whole.dyad");
  expect_done("fit all.csv --label y --chunked yes -o chunked.dyad");
  expect_done("count all.csv --label y -o s.state");
  expect_done("fit --state s.state -o state.dyad");
  EXPECT_EQ(folder_.read("chunked.dyad"), folder_.read("whole.dyad"));
  EXPECT_EQ(folder_.read("state.dyad"), folder_.read("whole.dyad"));
}

/// A table of numbers, levels, gaps and weights.
std::string mixed_csv(std::size_t n_rows, std::size_t n_classes) {
  Random random(3);
  std::string text = "x1,x2,colour,w,y\n";
  for (std::size_t i = 0; i < n_rows; ++i) {
    const std::size_t c = i % n_classes;
    text += number_text(random.normal() + static_cast<double>(c)) + ",";
    text += (random.below(8) == 0 ? "" : number_text(random.normal())) + ",";
    text +=
        std::string(random.below(n_classes) == c ? "red" : "blue") + std::to_string(random.below(3)) + ",";
    text += number_text(0.5 + static_cast<double>(random.below(3))) + ",c" + std::to_string(c) + "\n";
  }
  return text;
}

using SlowParts = Parts;

TEST_F(SlowParts, InMemoryAndInChunksAreTheSameModel) {
  for (const std::size_t n_classes : {2U, 3U}) {
    static_cast<void>(folder_.file("mixed.csv", mixed_csv(300, n_classes)));
    for (const std::string flags :
         {"", "--weight w", "--preset paper --weight w", "--method nb --weight w", "--method tan",
          "--optimise logloss --max-levels 3", "--settings best --n-pairs 3", "--feature-mode split"}) {
      expect_done("fit mixed.csv --label y -o whole.dyad --chunked no " + flags);
      expect_done("fit mixed.csv --label y -o chunked.dyad --chunked yes " + flags);
      EXPECT_EQ(folder_.read("chunked.dyad"), folder_.read("whole.dyad")) << n_classes << " " << flags;
    }
  }
}

TEST_F(Parts, OfWeightZeroBringNoClass) {
  std::string rows = "x,y,w\n";
  for (int i = 0; i < 40; ++i) rows += std::to_string(i % 7) + (i % 2 == 0 ? ",no,1\n" : ",yes,2\n");
  static_cast<void>(folder_.file("weightless.csv", rows + "1,or,0\n"));
  for (const std::string chunked : {"no", "yes"})
    expect_done("fit weightless.csv --label y --weight w --method nb --chunked " + chunked + " -o " +
                chunked);
  EXPECT_EQ(folder_.read("yes"), folder_.read("no"));
}

TEST_F(Parts, OfALargeTableCanKeepRowsInAFolder) {
  static_cast<void>(folder_.file("many.csv", test::class_csv(220000, 2, 2, 3)));
  std::filesystem::create_directory(folder_.path("scratch"));
  expect_done("fit many.csv --label y --preset paper --method lu --chunked yes --scratch scratch -o m.dyad");
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path("scratch")));
  expect_failure("fit many.csv --label y --preset paper --method lu --chunked yes --scratch none -o m.dyad",
                 2, "--scratch: Directory does not exist: none");
}

TEST_F(Parts, ThatAreMergedTwiceAreRefused) {
  const std::string first = " --first-row " + std::to_string(n_first_);
  for (const std::string numbering : {"", first.c_str()}) {
    expect_done("count a.csv --label y --sample-rows 400 -o a.state");
    expect_done("count b.csv --label y --sample-rows 400 -o b.state" + numbering);
    expect_failure("merge a.state a.state -o c.state", 1, "a.state: rows numbered 0 to ");
    expect_done("merge a.state b.state -o a.state --overwrite-input");
    const std::string merged = folder_.read("a.state");
    expect_failure("merge a.state b.state -o a.state --overwrite-input", 1,
                   "are in both states, so a part would be merged");
    EXPECT_EQ(folder_.read("a.state"), merged);
    expect_done("plan a.state --method nb -o plan.state");
    for (const std::string file : {"a", "b"})
      expect_done("count " + file + ".csv --label y --plan plan.state -o c" + file + ".state" +
                  (file == "b" ? numbering : ""));
    expect_failure("merge ca.state cb.state ca.state -o c.state", 1, "ca.state: rows numbered 0 to ");
    expect_done("merge ca.state cb.state -o c.state");
  }
}

TEST_F(Parts, HaveAFirstRowThatIsAWholeNumber) {
  for (const std::string row : {"-1", "1.5", "99999999999999999999999", "x"})
    expect_failure("count a.csv --label y -o a.state --first-row " + row, 2,
                   "--first-row: must be a whole number, ");
}

TEST_F(Parts, GiveTheNoticesThatAWholeTableGives) {
  std::string text = "one,none,many,x,y,w,z\n";
  for (int i = 0; i < 400; ++i)
    text += "5,,l" + std::to_string(i % 70) + "," + std::to_string(i * i % 101) + "," +
            (i % 3 == 0 ? "a" : "b") + ",1,0\n";
  static_cast<void>(folder_.file("t.csv", text));
  const std::string notices =
      "dyad: column 'one' is constant and left out\ndyad: column 'none' is empty and left out\n"
      "dyad: column 'many' has 70 levels; the 49 most frequent are told apart\n";
  for (const std::string chunked : {"yes", "no"}) {
    const test::Outcome outcome =
        run("fit t.csv --label y --weight w --exclude z --method nb -o m.dyad --chunked " + chunked);
    EXPECT_EQ(outcome.err, notices) << chunked;
    expect_failure("fit t.csv --label y --weight z -o m.dyad --chunked " + chunked, 1,
                   "t.csv: no row has a positive weight");
    EXPECT_EQ(run("fit t.csv --label y --weight w --method nb -o m.dyad --quiet --chunked " + chunked).err,
              "");
  }
  expect_done("count t.csv --label y --weight w --exclude z -o s.state");
  EXPECT_EQ(run("plan s.state --method nb -o p.state").err, notices);
  EXPECT_EQ(run("fit --state s.state --method nb -o m.dyad").err, notices);
}

TEST_F(Parts, WithoutFeaturesAreRefusedBeforeTheirRows) {
  const std::string endless = "--version >/dev/null; yes y | timeout 10 " + test::program();
  for (const std::string command : {"fit - -o m.dyad", "count - -o s.state", "cv -"}) {
    const test::Outcome outcome = test::run_program(folder_, endless + " " + command + " --label y");
    EXPECT_EQ(outcome.code, 1) << command;
    EXPECT_EQ(outcome.err, "dyad: standard input: the table has no column besides the label\n");
  }
}

TEST_F(Parts, ThatAreWrongAreNamed) {
  expect_failure("fit -o m.dyad", 2, "DATA is required");
  expect_failure("fit all.csv -o m.dyad", 2, "--label is required");
  expect_failure("fit all.csv --label y --state s.state -o m.dyad", 2, "--state excludes");
  expect_failure("fit - --label y --chunked yes -o m.dyad", 1,
                 "standard input: --chunked needs a file that can be read twice");
  expect_failure("fit --state all.csv -o m.dyad", 1, "all.csv: this is not a dyad state file");
  expect_done("count a.csv --label y --sample-rows 100 -o a.state");
  expect_failure("count a.csv --label y --plan a.state -o c.state", 1, "a.state: this is a survey");
  expect_done("plan a.state --method nb -o plan.state");
  expect_failure("count b.csv --label y --plan a.state -o c.state", 1, "a.state: this is a survey");
  expect_failure("merge a.state plan.state -o c.state", 1, "plan.state: a survey and the counts of a plan");
  expect_done("count b.csv --label y --plan plan.state -o c.state");
  expect_failure("fit --state c.state -o m.dyad", 1, "rows were counted, of");
  expect_failure("fit --state c.state --method nb -o m.dyad", 1, "options of the fit are those of dyad plan");
  expect_failure("fit --state c.state --scratch . -o m.dyad", 2, "--state excludes --scratch");
  static_cast<void>(folder_.file("bad.csv", "x0,x1,x2,x3,y\n1,2,3,4,a\n1,2,x,4,b\n"));
  expect_failure("count bad.csv --label y -o c.state", 1,
                 "bad.csv: line 3, column 3 ('x2'): 'x' is not a number");
  expect_failure("fit bad.csv --label y --chunked yes -o m.dyad", 1, "bad.csv: line 3, column 3 ('x2')");
}

}  // namespace
}  // namespace dyad
