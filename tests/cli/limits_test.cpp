// The program under limits: of memory, threads and time.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

#include "dyad/base/random.h"
#include "tests/cli/program.h"
#include "tests/folder.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

class Limits : public testing::Test {
 protected:
  /// Not where a sanitizer has taken terabytes of addresses already.
  [[nodiscard]] bool memory_can_be_limited() const {
    return run("info no.dyad --max-memory 8G").err.find("the program itself takes more") == std::string::npos;
  }

  [[nodiscard]] test::Outcome run(const std::string& arguments) const {
    return test::run_program(folder_, arguments);
  }

  /// Normal values of two classes, as a file.
  [[nodiscard]] std::string table(std::size_t n, std::size_t d) const {
    Random random(1);
    std::string text = "y";
    for (std::size_t j = 0; j < d; ++j) text += ",x" + std::to_string(j);
    for (std::size_t i = 0; i < n; ++i) {
      text += i % 2 == 0 ? "\na" : "\nb";
      for (std::size_t j = 0; j < d; ++j) text += "," + std::to_string(random.normal()).substr(0, 4);
    }
    return folder_.file("t.csv", text + "\n");
  }

  /// Three columns of numbers and three of text of two classes, as a file; value k of the text is word(k).
  [[nodiscard]] std::string text_table(std::size_t n,
                                       const std::function<std::string(std::size_t)>& word) const {
    Random random(1);
    std::string text = "y,x,t,u,v,w,z\n";
    for (std::size_t k = 0; k < 3 * n; ++k) {
      if (k % 3 == 0) text += random.below(2) == 0 ? "a" : "b";
      text += "," + std::to_string(random.normal()).substr(0, 4) + "," + word(k);
      if (k % 3 == 2) text += "\n";
    }
    return folder_.file("t.csv", text);
  }

  /// The least limit that a command without enough memory names; empty if it says something else.
  [[nodiscard]] std::string named_limit(const std::string& fit, const std::string& limit) const {
    const test::Outcome refused = run(fit + " --max-memory " + limit);
    EXPECT_EQ(refused.code, 1);
    const std::string start = "dyad: --max-memory " + limit + ": a fit to this table takes at least ";
    EXPECT_EQ(refused.err.substr(0, start.size()), start);
    return refused.err.size() <= start.size()
               ? ""
               : refused.err.substr(start.size(), refused.err.find('\n') - start.size());
  }

  test::Folder folder_;
};

TEST_F(Limits, OfMemoryEndACommandWithAMessageAndKeepTheOldFile) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  const std::string data = table(50'000, 20);
  const std::string model = folder_.file("m.dyad", "old");
  const std::string fit = "fit " + data + " --label y -o " + model + " --max-memory ";
  for (const std::string limit : {"20M", "30M", "40M"}) {
    const test::Outcome outcome = run(fit + limit);
    EXPECT_EQ(outcome.code, 1) << limit;
    EXPECT_NE(outcome.err.find("dyad: --max-memory " + limit + ": a fit to this table takes at least "),
              std::string::npos)
        << outcome.err;
    EXPECT_EQ(folder_.read("m.dyad"), "old");
  }
  // Only a fit is estimated before.
  const test::Outcome late = run("cv " + data + " --label y --max-memory 20M");
  EXPECT_EQ(late.code, 1);
  EXPECT_EQ(late.err, "dyad: not enough memory: this takes more than --max-memory 20M\n");
}

TEST_F(Limits, OfMemoryNameTheLeastThatWouldDo) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  const std::string data = table(40'000, 6);
  for (const std::string flags : {"--chunked yes", "--chunked auto", "--method nb --chunked no"}) {
    const std::string fit = "fit " + data + " --label y -o " + folder_.path("m.dyad") + " " + flags;
    const std::string least = named_limit(fit, "16M");
    const test::Outcome fitted = run(fit + " --max-memory " + least);
    EXPECT_EQ(fitted.code, 0) << flags << " " << least << ": " << fitted.err;
  }
}

/// The most memory in kB that a command line takes, or this process, whose memory it has at first; fails if
/// it does not succeed.
long peak_of(const std::vector<std::string>& arguments) {
  std::vector<char*> pointers;
  std::vector<std::string> copies = arguments;
  for (std::string& argument : copies) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    execv(pointers[0], pointers.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  EXPECT_EQ(wait4(child, &status, 0, &usage), child);
  EXPECT_EQ(status, 0);
  return usage.ru_maxrss;
}

/// The most memory in kB that a child may have at first: that of this process.
long own_peak() {
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  return own.ru_maxrss;
}

TEST_F(Limits, OfMoreThanAGigabyteAreNamedSoThatTheyDo) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  for (int n_columns = 36; n_columns < 42; ++n_columns) {
    std::string text = "y";
    for (int j = 0; j < n_columns; ++j) text += ",x" + std::to_string(j);
    for (int i = 0; i < 300; ++i) {
      text += "\n1";
      for (int j = 0; j < n_columns; ++j) text += ",w" + std::to_string(i);
    }
    const std::string fit = "fit " + folder_.file("t.csv", text + "\n") + " --label y -o " +
                            folder_.path("m.dyad") + " --max-levels 256 --quiet";
    const std::string least = named_limit(fit, "60M");
    ASSERT_FALSE(least.empty());
    EXPECT_EQ(least.back(), 'G');
    // The table has one class: nothing comes after the reading.
    const test::Outcome outcome = run(fit + " --max-memory " + least);
    EXPECT_NE(outcome.err.find("the label has only one class"), std::string::npos) << outcome.err;
  }
}

using SlowLimits = Limits;

TEST_F(SlowLimits, OfMemoryCountTheLevelsOfText) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  struct Case {
    std::string name;
    std::size_t n;
    std::function<std::string(std::size_t)> word;
  };
  const auto numbered = [](std::size_t k) { return "w" + std::to_string(k); };
  const std::vector<Case> cases{
      {"few levels", 40'000, [&](std::size_t k) { return numbered(hashed(k) % 5); }},
      {"1000 levels", 40'000, [&](std::size_t k) { return numbered(hashed(k) % 1000); }},
      {"levels in order", 40'000, [&](std::size_t k) { return numbered(k / 100); }},
      {"identifiers", 40'000, numbered},
      {"long levels", 15'000,
       [&](std::size_t k) { return numbered(hashed(k) % 300) + std::string(200, 'x'); }},
      {"long identifiers", 15'000, [&](std::size_t k) { return numbered(k) + std::string(200, 'x'); }},
  };
  for (const Case& table : cases) {
    const std::string data = text_table(table.n, table.word);
    for (const std::string chunked : {"auto", "yes"}) {
      const std::string model = folder_.path("m.dyad");
      const std::string fit = "fit " + data + " --label y --quiet -o " + model + " --chunked " + chunked;
      const std::string least = named_limit(fit, "16M");
      const long megabytes = std::stol(least);
      const std::string less = std::to_string(megabytes - 1) + "M";
      EXPECT_EQ(named_limit(fit, less), least) << table.name;
      const long peak = peak_of({test::program(), "fit", data, "--label", "y", "--quiet", "-o", model,
                                 "--chunked", chunked, "--max-memory", least});
      EXPECT_LE(peak, std::max(1024 * megabytes, own_peak())) << table.name << " " << chunked;
      // The program itself takes up to 24 MB.
      EXPECT_LE(megabytes, 24 + 2 * peak / 1024) << table.name << " " << chunked;
    }
  }
}

TEST_F(SlowLimits, OfMemoryMakeAFitSmallerAndAreInTheModel) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  const std::string data = folder_.file("t.csv", test::class_csv(150'000, 8, 2, 3));
  const std::string model = folder_.path("m.dyad");
  for (const std::string chunked : {"auto", "yes"})
    for (const std::string megabytes : {"45", "60", "100"}) {
      const long peak = peak_of({test::program(), "fit", data, "--label", "y", "-o", model, "--quiet",
                                 "--pairs", "cv", "--chunked", chunked, "--max-memory", megabytes + "M"});
      EXPECT_LE(peak, std::max(1024 * std::stol(megabytes), own_peak())) << chunked;
      const std::string shown = run("info --options " + model).out;
      EXPECT_NE(shown.find("max_memory        " + megabytes + "M"), std::string::npos) << shown;
      EXPECT_NE(shown.find("weight_rows"), std::string::npos) << shown;
      if (megabytes != "100") {
        EXPECT_NE(shown.find("sample_rows"), std::string::npos) << shown;
        EXPECT_NE(shown.find("table_grid"), std::string::npos) << shown;
      }
    }
  const std::string fit = "fit " + data + " --label y --method nb --chunked yes --max-memory 60M -o ";
  ASSERT_EQ(run(fit + folder_.path("a.dyad") + " --threads 1").code, 0);
  ASSERT_EQ(run(fit + folder_.path("b.dyad") + " --threads 7").code, 0);
  EXPECT_EQ(folder_.read("a.dyad"), folder_.read("b.dyad"));
}

TEST_F(Limits, OfTheMachineDoNotChangeAModel) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  const std::string data = table(2000, 14);
  ASSERT_EQ(run("count " + data + " --label y --sample-rows 400 -o " + folder_.path("s.state")).code, 0);
  const std::string plan = test::program() + " plan " + folder_.path("s.state") + " --pairs cv -o ";
  ASSERT_EQ(run("--version >/dev/null; " + plan + folder_.path("a.state")).code, 0);
  ASSERT_EQ(run("--version >/dev/null; ulimit -Sd 60000; " + plan + folder_.path("b.state")).code, 0);
  EXPECT_EQ(folder_.read("a.state"), folder_.read("b.state"));
  ASSERT_EQ(
      run("plan " + folder_.path("s.state") + " --pairs cv --max-memory 60M -o " + folder_.path("c.state"))
          .code,
      0);
  EXPECT_NE(folder_.read("a.state"), folder_.read("c.state"));
}

TEST_F(Limits, OfTheShellStay) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  const std::string data = table(50'000, 20);
  const std::string fit = test::program() + " fit " + data + " --label y -o " + folder_.path("m.dyad");
  for (const std::string limit : {"-d 40960", "-Sd 40960"})
    for (const std::string flag : {"", " --max-memory 4G"}) {
      const test::Outcome outcome = run("--version >/dev/null; ulimit " + limit + "; " + fit + flag);
      EXPECT_EQ(outcome.code, 1);
      EXPECT_EQ(outcome.err, "dyad: not enough memory: this takes more than the limit of 40M (ulimit)\n");
    }
}

TEST_F(Limits, OfMemoryThatSufficeChangeNothing) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  const std::string data = table(200, 3);
  ASSERT_EQ(run("fit " + data + " --label y -o " + folder_.path("a.dyad")).code, 0);
  // Stacks of 64 threads take more than that: it goes on with those that there are.
  const test::Outcome limited =
      run("fit " + data + " --label y --threads 64 --max-memory 0.2G -o " + folder_.path("b.dyad"));
  EXPECT_EQ(limited.code, 0) << limited.err;
  EXPECT_EQ(folder_.read("a.dyad"), folder_.read("b.dyad"));
}

TEST_F(Limits, OfMemoryLeaveLevelsThatComeInAnyChunkAsTheyAre) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  std::string text = "colour,code,kind\n";
  for (int i = 0; i < 5000; ++i)
    text += (i < 3500 ? "early " : "late ") + std::to_string(i * i % 7) + "," +
            (i % 2 == 0 || i > 4000 ? "1.0" : "1") + (i % 3 == 0 ? "," : "0,") + (i * i % 5 < 2 ? "a" : "b") +
            "\n";
  const std::string fit = "fit " + folder_.file("t.csv", text) + " --label kind --categorical code -o ";
  // Chunks within a limit have 1000 rows at first.
  ASSERT_EQ(run(fit + folder_.path("chunks.dyad") + " --chunked yes --max-memory 4G").code, 0);
  ASSERT_EQ(run(fit + folder_.path("whole.dyad") + " --chunked no").code, 0);
  EXPECT_EQ(folder_.read("chunks.dyad"), folder_.read("whole.dyad"));
}

TEST_F(Limits, OfMemoryThatAreNoSizeAreAUsageError) {
  for (const std::string size : {"0", "-1", "2X", "M", "''", "1e30", "nan"}) {
    const test::Outcome outcome = run("info m.dyad --max-memory " + size);
    EXPECT_EQ(outcome.code, 2) << size;
    EXPECT_NE(outcome.err.find("must be a size such as 300M or 2G"), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(run("info m.dyad --max-memory 1K").err, "dyad: --max-memory 1K: the program itself takes more\n");
}

TEST_F(Limits, OfReadingAreASmallMultipleOfTheText) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  constexpr std::size_t size = 6'000'000;
  const auto repeated = [](std::string text, const std::string& row) {
    while (text.size() < size) text += row;
    return text;
  };
  std::string words = "a,y\n";  // none twice
  for (std::size_t k = 0; words.size() < size; ++k) {
    words += 'w';
    for (std::size_t rest = k; rest > 0; rest /= 26) words += static_cast<char>('a' + rest % 26);
    words += ",1\n";
  }
  for (const std::string& text :
       {repeated("a,b,c,y\n", ",,,1\n"), repeated("a,b,c,y\n", "1,2,3,1\n"), words}) {
    const std::string data = folder_.file("t.csv", text);
    // The table has one class: nothing comes after the reading.
    const test::Outcome outcome = run("cv " + data + " --label y --max-memory 140M");
    EXPECT_NE(outcome.err.find("the label has only one class"), std::string::npos) << outcome.err;
  }
}

TEST_F(Limits, OfReadingManyColumnsAreThoseOfTheirWords) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  constexpr int n_columns = 5000;
  constexpr int n_words = 26;
  std::string text = "y";
  for (int j = 0; j < n_columns; ++j) text += ",x" + std::to_string(j);
  for (int i = 0; i < n_words; ++i) {
    text += "\n1";
    for (int j = 0; j < n_columns; ++j) text += std::string(",") + static_cast<char>('a' + i);
  }
  const std::string data = folder_.file("t.csv", text + "\n");
  const test::Outcome outcome = run("cv " + data + " --label y --quiet --max-memory 40M");
  EXPECT_NE(outcome.err.find("the label has only one class"), std::string::npos) << outcome.err;
}

TEST_F(Limits, DoNotLetAFileWithoutEndBeTakenForAModel) {
  const test::Outcome outcome = run("info /dev/zero");
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.err, "dyad: /dev/zero: this is not a dyad model file\n");
}

TEST_F(Limits, DoNotLetATableWithoutEndBeRead) {
  const test::Outcome zeros = run("cv /dev/zero --label y");
  EXPECT_EQ(zeros.code, 1);
  EXPECT_EQ(zeros.err, "dyad: /dev/zero: line 1 is longer than 67108864 bytes\n");
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  const test::Outcome rows =
      test::run_program(folder_, "--version >/dev/null; (echo a,y; yes 1.5,b) | " + test::program() +
                                     " fit - --label y -o m.dyad --max-memory 50M");
  EXPECT_EQ(rows.code, 1);
  EXPECT_EQ(rows.err, "dyad: not enough memory: this takes more than --max-memory 50M\n");
}

}  // namespace
}  // namespace dyad
