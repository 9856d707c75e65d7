// The help of the program, and what it suggests for a word it does not know.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <utility>
#include <vector>

#include "tests/cli/program.h"

namespace dyad {
namespace {

using test::Outcome;
using Lines = std::vector<std::string>;

const Lines& commands() {
  static const Lines names{"fit",    "predict", "cv",       "evaluate", "screen", "explain", "report",
                           "export", "info",    "simulate", "help",     "count",  "merge",   "plan"};
  return names;
}

/// The flags that a help lists, by their long names.
Lines flags_in(const std::string& help) {
  Lines flags;
  for (const std::string& line : test::lines_of(help)) {
    if (!line.starts_with("  -")) continue;
    const std::size_t start = line.find("--");
    flags.push_back(line.substr(start, line.find_first_of(" ,", start) - start));
  }
  return flags;
}

/// The headings above lists of options.
Lines headings_in(const std::string& help) {
  Lines headings;
  for (const std::string& line : test::lines_of(help))
    if (line.ends_with(':') && !line.starts_with(' ')) headings.push_back(line.substr(0, line.size() - 1));
  return headings;
}

class Help : public testing::Test {
 protected:
  [[nodiscard]] Outcome run(const std::string& arguments) const {
    return test::run_program(folder_, arguments);
  }

  [[nodiscard]] std::string text(const std::string& arguments) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 0) << arguments << ": " << outcome.err;
    EXPECT_EQ(outcome.err, "") << arguments;
    return outcome.out;
  }

  void expect_usage_error(const std::string& arguments, const std::string& message) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 2) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_EQ(test::lines_of(outcome.err).at(0), "dyad: " + message) << arguments;
  }

  test::Folder folder_;
};

TEST_F(Help, OfFitListsTheMainOptionsInGroups) {
  const std::string help = text("fit --help");
  EXPECT_EQ(flags_in(help), (Lines{"--label", "--categorical", "--exclude", "--cv", "--method", "--preset",
                                   "--optimise", "--output", "--threads", "--max-memory", "--seed"}));
  EXPECT_EQ(headings_in(help), (Lines{"Arguments", "Data", "Cross-validation", "Method", "Output",
                                      "Resources and random numbers", "Examples"}));
  EXPECT_EQ(test::lines_of(help).at(2), "Usage: dyad fit DATA --label COL -o MODEL [OPTIONS]");
}

TEST_F(Help, OfCommandsWithManyOptionsCountsTheOthers) {
  for (const std::string command : {"fit", "cv", "plan"}) {
    const std::string help = text(command + " --help");
    const std::string all = text(command + " --help-all");
    const Lines main_flags = flags_in(help);
    const Lines all_flags = flags_in(all);
    EXPECT_LE(main_flags.size(), 12U) << command;
    EXPECT_EQ(test::lines_of(help).back(), "dyad " + command + " --help-all lists " +
                                               std::to_string(all_flags.size() - main_flags.size()) +
                                               " more options");
    for (const std::string& flag : main_flags)
      EXPECT_NE(std::ranges::find(all_flags, flag), all_flags.end()) << flag;
    EXPECT_EQ(all.find("more options"), std::string::npos);
  }
}

TEST_F(Help, OfAFitHasAGroupForEveryOption) {
  for (const std::string command : {"fit", "cv", "plan"})
    for (const std::string& heading : headings_in(text(command + " --help-all")))
      EXPECT_NE(heading, "Options") << "option_groups.cpp lacks an option of dyad " << command;
}

TEST_F(Help, OfCommandsWithFewOptionsListsThemAll) {
  for (const std::string& command : commands()) {
    if (command == "fit" || command == "cv" || command == "plan") continue;
    EXPECT_EQ(text(command + " --help"), text(command + " --help-all")) << command;
  }
  EXPECT_EQ(flags_in(text("predict --help")).size(), 10U);
}

TEST_F(Help, ShowsValuesDefaultsAndWhatGoesTogether) {
  const std::string fit = text("fit --help-all");
  EXPECT_NE(fit.find("  --preset auto|paper     defaults"), std::string::npos) << fit;
  EXPECT_NE(fit.find("(default: 0.05)"), std::string::npos);
  EXPECT_EQ(fit.find("--add-original"), std::string::npos);
  const std::string explain = text("explain --help");
  EXPECT_NE(explain.find("(requires DATA)"), std::string::npos) << explain;
  EXPECT_NE(explain.find("(not with --csv)"), std::string::npos);
  EXPECT_NE(text("merge --help").find("Usage: dyad merge STATE... [OPTIONS]"), std::string::npos);
}

TEST_F(Help, IsAtMost90ColumnsWide) {
  for (const std::string& command : commands())
    for (const std::string& line : test::lines_of(text(command + " --help-all")))
      EXPECT_LE(line.size(), 90U) << command << ": " << line;
}

TEST_F(Help, IsACommand) {
  EXPECT_EQ(text("help"), text("--help"));
  for (const std::string& command : commands())
    EXPECT_EQ(text("help " + command), text(command + " --help")) << command;
  expect_usage_error("help train", "unknown command 'train'; did you mean 'fit'?");
}

TEST_F(Help, ListsTheCommands) {
  const std::string help = text("--help");
  EXPECT_EQ(headings_in(help), (Lines{"Commands", "Tables in parts", "Options", "First steps"}));
  const std::size_t in_parts = help.find("Tables in parts:");
  for (const std::string& command : commands()) {
    const bool of_parts = command == "count" || command == "merge" || command == "plan";
    const std::size_t place = help.find("\n  " + command + "  ");
    ASSERT_NE(place, std::string::npos) << command;
    EXPECT_EQ(place > in_parts, of_parts) << command;
  }
  const Outcome none = run("");
  EXPECT_EQ(none.code, 2);
  EXPECT_EQ(none.out, "");
  EXPECT_TRUE(none.err.starts_with("dyad: a command is required\n\n" + help)) << none.err;
}

TEST_F(Help, ShowsExamplesThatParse) {
  for (const std::string& command : commands()) {
    const std::string help = text(command + " --help");
    std::size_t examples = 0;
    for (const std::string& line : test::lines_of(help)) {
      const std::size_t start = line.starts_with("  dyad ") ? 7 : line.starts_with("Example: dyad ") ? 14 : 0;
      if (start == 0) continue;
      ++examples;
      const Outcome outcome =
          run("--version; cd " + folder_.path("") + "; " + test::program() + " " + line.substr(start));
      EXPECT_NE(outcome.code, 2) << line << "\n" << outcome.err;
    }
    EXPECT_GE(examples, 1U) << help;
  }
}

TEST_F(Help, SuggestsCommands) {
  for (const auto& [word, meant] : std::vector<std::pair<std::string, std::string>>{{"train", "fit"},
                                                                                    {"learn", "fit"},
                                                                                    {"trian", "fit"},
                                                                                    {"test", "cv"},
                                                                                    {"crossval", "cv"},
                                                                                    {"plot", "report"},
                                                                                    {"describe", "info"},
                                                                                    {"sreen", "screen"},
                                                                                    {"Fit", "fit"},
                                                                                    {"sim", "simulate"}})
    expect_usage_error(word + " x.csv", "unknown command '" + word + "'; did you mean '" + meant + "'?");
  expect_usage_error("frobnicate x.csv", "unknown command 'frobnicate'");
  expect_usage_error("x.csv", "unknown command 'x.csv'");
}

TEST_F(Help, SuggestsFlags) {
  for (const auto& [word, meant] :
       std::vector<std::pair<std::string, std::string>>{{"--target", "--label"},
                                                        {"--y", "--label"},
                                                        {"--class", "--label"},
                                                        {"--lable", "--label"},
                                                        {"-label", "--label"},
                                                        {"--optimize-for", "--optimize"},
                                                        {"--optimze", "--optimize"},
                                                        {"--n-jobs", "--threads"},
                                                        {"--categ", "--categorical"},
                                                        {"--max", ""},
                                                        {"--folds", ""}})
    expect_usage_error("fit x.csv " + word + " a -o m",
                       "unknown flag " + word + (meant.empty() ? "" : "; did you mean " + meant + "?"));
  expect_usage_error("fit x.csv --target=a -o m", "unknown flag --target; did you mean --label?");
  expect_usage_error("info m.dyad --target a", "unknown flag --target");  // which has no --label
}

TEST_F(Help, IsNamedByUsageErrors) {
  EXPECT_EQ(test::lines_of(run("fit").err).at(1), "dyad fit --help shows examples and options");
  EXPECT_EQ(test::lines_of(run("fit x.csv --depth 3").err).at(1), "dyad fit --help-all lists the options");
  for (const std::string arguments : {"train", "help train"})
    EXPECT_EQ(test::lines_of(run(arguments).err).at(1), "dyad --help lists the commands");
}

}  // namespace
}  // namespace dyad
