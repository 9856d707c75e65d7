// The program under limits: of memory, threads and time.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "dyad/base/random.h"
#include "tests/cli/program.h"
#include "tests/folder.h"

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

  test::Folder folder_;
};

TEST_F(Limits, OfMemoryEndACommandWithAMessageAndKeepTheOldFile) {
  if (!memory_can_be_limited()) GTEST_SKIP() << "the program is built with a sanitizer";
  const std::string data = table(50'000, 20);
  const std::string model = folder_.file("m.dyad", "old");
  for (const std::string limit : {"20M", "40M", "60M"}) {
    const test::Outcome outcome = run("fit " + data + " --label y -o " + model + " --max-memory " + limit);
    EXPECT_EQ(outcome.code, 1) << limit;
    EXPECT_EQ(outcome.err, "dyad: not enough memory: this takes more than --max-memory " + limit + "\n");
    EXPECT_EQ(folder_.read("m.dyad"), "old");
  }
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
    // Of one class: nothing comes after the reading.
    const test::Outcome outcome = run("fit " + data + " --label y -o m.dyad --max-memory 140M");
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
  const test::Outcome outcome = run("fit " + data + " --label y -o m.dyad --quiet --max-memory 40M");
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
