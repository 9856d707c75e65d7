// Messages that cannot be shown, and text of files that must not steer a terminal.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "tests/cli/program.h"
#include "tests/folder.h"

namespace dyad {
namespace {

class Messages : public testing::Test {
 protected:
  [[nodiscard]] test::Outcome run(const std::string& arguments) const {
    return test::run_program(folder_, arguments);
  }

  /// A table with a constant column, of which a fit warns.
  [[nodiscard]] std::string table() const {
    std::string text = "x,one,y\n";
    for (int i = 0; i < 60; ++i)
      text += std::to_string(i * 37 % 60) + ",1," + (i % 3 == 0 ? "a" : "b") + "\n";
    return folder_.file("t.csv", text);
  }

  test::Folder folder_;
};

TEST_F(Messages, ThatCannotBeWrittenCostNoResult) {
  const std::string fit = "fit " + table() + " --label y --method nb -o " + folder_.path("m.dyad");
  ASSERT_NE(run(fit).err.find("column 'one'"), std::string::npos);
  const std::string expected = folder_.read("m.dyad");
  for (const std::string to : {" 2>/dev/full", " 2>&-", " >&- 2>&-", " <&- >&- 2>&-"}) {
    folder_.file("m.dyad", "old");
    // The summary is a result: standard output that is closed is an error, after the model is written.
    EXPECT_EQ(run(fit + to).code, to.find(">&- ") == std::string::npos ? 0 : 1) << to;
    EXPECT_EQ(folder_.read("m.dyad"), expected) << to;
    EXPECT_EQ(run("predict no.dyad t.csv" + to).code, 1) << to;
    EXPECT_EQ(run("fit --no-such-flag" + to).code, 2) << to;
  }
}

TEST_F(Messages, ToAReaderThatIsGoneCostNoResult) {
  const std::string fit = "fit " + table() + " --label y --method nb -o " + folder_.path("m.dyad");
  // The reader ends at once; its exit comes before the fit's first message.
  const std::string command = "--version >/dev/null; { sleep 0.3; " + test::program() + " " + fit +
                              "; echo $? >" + folder_.path("code") + "; } 2>&1 >/dev/null | true; sleep 1";
  static_cast<void>(run(command));
  EXPECT_EQ(folder_.read("code"), "0\n");
  EXPECT_FALSE(folder_.read("m.dyad").empty());
}

TEST_F(Messages, ShowControlCharactersOfFilesAsNumbers) {
  // A direction override, the control sequence introducer of 8 bits, and a byte that is no UTF-8.
  const std::string odd =
      "b\xe2\x80\xae\xc2\x9b"
      "31m\xff";
  const std::string error = run("predict '" + folder_.path(odd) + "' t.csv").err;
  EXPECT_NE(error.find("b\\xe2\\x80\\xae\\xc2\\x9b31m\\xff"), std::string::npos) << error;
}

TEST_F(Messages, OnATerminalShowNamesWithoutControlCharacters) {
  if (run("--version; command -v script").out.find("/script") == std::string::npos)
    GTEST_SKIP() << "there is no program `script`, which makes a terminal";
  std::string text = "x,y\n";
  for (int i = 0; i < 40; ++i)
    text += std::to_string(i * 37 % 40) + (i % 2 == 0 ? ",a\n"
                                                      : ",b\xe2\x80\xae\xc2\x9b"
                                                        "31m\n");
  const std::string model = folder_.path("m.dyad");
  ASSERT_EQ(run("fit " + folder_.file("t.csv", text) + " --label y --method nb -o " + model).code, 0);
  const std::string shown =
      run("--version; script -qec '" + test::program() + " info " + model + "' /dev/null").out;
  EXPECT_NE(shown.find("b\\xe2\\x80\\xae\\xc2\\x9b31m"), std::string::npos) << shown;
  EXPECT_EQ(shown.find("\xc2\x9b"), std::string::npos);
}

}  // namespace
}  // namespace dyad
