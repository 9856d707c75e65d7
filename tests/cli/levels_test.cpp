// Categories and missing values in tables, as a user of the program meets them.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "dyad/data/levels.h"
#include "dyad/io/csv.h"
#include "dyad/io/model_file.h"
#include "dyad/model/prediction.h"
#include "tests/cli/program.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using Json = nlohmann::json;
using test::Outcome;

/// Text of a table: size with gaps, weight, colour with a gap, a code that is a category by name, and what
/// says nothing.
std::string mixed_csv(std::size_t n) {
  const auto sizes = test::normal_sample(n, 1);
  const auto weights = test::normal_sample(n, 2);
  std::ostringstream text;
  text.precision(17);
  text << "size,weight,colour,zip,always,never,kind\n";
  const std::vector<std::string> colours{"red", "green", "blue"};
  for (std::size_t i = 0; i < n; ++i) {
    const bool a = i % 2 == 0;
    if (i % 5 != 3) text << sizes[i] + (a ? 0 : 1);
    text << "," << weights[i] << ","
         << (i % 13 == 4 ? "NA" : colours[(i / 2 + (a && i % 3 == 0 ? 1 : 0)) % 3]) << "," << 1000 + i % 7
         << ",1,," << (a ? "a" : "b") << "\n";
  }
  return text.str();
}

class LevelCommands : public testing::Test {
 protected:
  [[nodiscard]] Outcome run(const std::string& arguments) const {
    return test::run_program(folder_, arguments);
  }

  void expect_failure(const std::string& arguments, const std::string& message) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, 1) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << arguments << ": " << outcome.err;
  }

  /// Fits to the table and returns the path of the model.
  [[nodiscard]] std::string fitted(const std::string& flags = "") const {
    const Outcome outcome = run("fit " + data_ + " --label kind --categorical zip --quiet -o " +
                                folder_.path("m.dyad") + " " + flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.err, "");
    return folder_.path("m.dyad");
  }

  test::Folder folder_;
  std::string data_ = folder_.file("data.csv", mixed_csv(120));
};

TEST_F(LevelCommands, EveryMethodFitsPredictsAndIsCrossValidated) {
  for (const std::string method : {"slb", "slb-", "lu", "nb", "tan", "tan-forest"})
    for (const std::string preset : {"auto", "paper"}) {
      const std::string flags = "--method " + method + " --preset " + preset;
      const Outcome outcome = run("predict " + fitted(flags) + " " + data_ + " --scores --proba");
      ASSERT_EQ(outcome.code, 0) << flags << outcome.err;
      EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << flags;
      const Outcome cv = run("cv " + data_ + " --label kind --json --folds 3 " + flags);
      ASSERT_EQ(cv.code, 0) << flags << cv.err;
      EXPECT_LT(Json::parse(cv.out)["ber_mean"].get<double>(), 0.5) << flags;
    }
}

TEST_F(LevelCommands, PredictTheSameInAnyChunk) {
  constexpr std::size_t n = 120;
  const std::string model = fitted("--method nb");
  const std::string table = mixed_csv(n);
  const std::string rows = table.substr(table.find('\n') + 1);
  std::string text = table;
  for (int k = 1; k < 1010; ++k) text += rows;  // more than the 120 000 rows of a chunk
  const Outcome outcome = run("predict " + model + " " + folder_.file("long.csv", text) + " --quiet");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto lines = test::lines_of(outcome.out);
  ASSERT_EQ(lines.size(), 1010 * n + 1);
  for (std::size_t i = 1; i <= n; ++i) EXPECT_EQ(lines[i], lines[1009 * n + i]);
}

TEST_F(LevelCommands, PredictCodesTextByTheModel) {
  const std::string model = fitted();
  const Model loaded = load_model(model);
  const Table table = read_csv(data_, {.categorical = {"colour", "zip"}, .columns = loaded.features});
  const Matrix expected = scores(loaded, coded_rows(table, loaded.levels));
  std::istringstream lines(run("predict " + model + " " + data_ + " --scores").out);
  std::string line;
  std::getline(lines, line);
  for (std::size_t i = 0; i < table.n_rows; ++i) {
    std::getline(lines, line);
    EXPECT_EQ(std::stod(line.substr(line.find(',') + 1)), expected(i, 0)) << i;
  }
}

/// The table with every zip written as a float, as pandas does where a column has a gap.
std::string with_floats(std::string text) {
  for (std::size_t at = text.find(",100"); at != std::string::npos; at = text.find(",100", at + 1))
    text.insert(at + 5, ".0");
  return text;
}

TEST_F(LevelCommands, ACategoryIsTheSameWrittenAsAnIntegerOrAsAFloat) {
  const std::string floats = folder_.file("floats.csv", with_floats(folder_.read("data.csv")));
  const std::string model = fitted();
  const Outcome of_integers = run("predict --scores " + model + " " + data_);
  EXPECT_EQ(run("predict --scores " + model + " " + floats).out, of_integers.out);
  const std::string bytes = folder_.read("m.dyad");
  data_ = floats;
  static_cast<void>(fitted());
  EXPECT_EQ(folder_.read("m.dyad"), bytes);
  static_cast<void>(fitted("--chunked yes"));
  EXPECT_EQ(folder_.read("m.dyad"), bytes);
}

TEST_F(LevelCommands, PredictSaysIfAColumnHasNoLevelThatTheModelKnows) {
  const std::string model = fitted();
  std::string text = folder_.read("data.csv");
  for (std::size_t at = text.find(",100"); at != std::string::npos; at = text.find(",100", at + 1))
    text.replace(at, 2, ",A");
  const std::string other = folder_.file("other.csv", text);
  for (const std::string command : {"predict ", "explain --row 1 "}) {
    const Outcome outcome = run(command + model + " " + other);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_NE(outcome.err.find("column 'zip': none of its 120 values is a level of the model"),
              std::string::npos)
        << command << outcome.err;
    EXPECT_EQ(run(command + model + " " + data_).err, "") << command;
  }
}

TEST_F(LevelCommands, PredictTakesOneRowAtATimeAsAllOfThem) {
  const std::string model = fitted();
  std::istringstream all(run("predict " + model + " " + data_ + " --scores").out);
  std::istringstream rows(folder_.read("data.csv"));
  std::string header;
  std::string line;
  std::string expected;
  std::getline(rows, header);
  std::getline(all, line);
  for (int i = 0; i < 12; ++i) {
    std::getline(rows, line);
    std::getline(all, expected);
    const Outcome one =
        run("predict " + model + " --scores " + folder_.file("one.csv", header + "\n" + line));
    EXPECT_EQ(one.out, "label,score\n" + expected + "\n") << line;
  }
}

TEST_F(LevelCommands, PredictTakesLevelsAndGapsThatTrainingHadNot) {
  const std::string model = fitted();
  const std::string rows = "size,weight,colour,zip,always,never\n";
  for (const std::string row : {"1,,purple,99,7,text", ",,,,,", ",1,red,1001,,3", "1,1,7,zip,1,"}) {
    const Outcome outcome = run("predict " + model + " --proba " + folder_.file("new.csv", rows + row));
    EXPECT_EQ(outcome.code, 0) << row << outcome.err;
    EXPECT_EQ(outcome.out.find("nan"), std::string::npos) << outcome.out;
  }
  // A level that is not known is as good as none.
  const auto predicted = [&](const std::string& row) {
    return run("predict " + model + " --scores " + folder_.file("new.csv", rows + row)).out;
  };
  EXPECT_EQ(predicted("1,1,red,99,1,"), predicted("1,1,red,,1,"));
}

TEST_F(LevelCommands, TextWhereTheModelHasNumbersIsAnError) {
  expect_failure(
      "predict " + fitted() + " " +
          folder_.file("text.csv", "size,weight,colour,zip,always,never\n1,,red,1,1,\n1,big,red,1,1,\n"),
      "text.csv: column 'weight' has the text 'big' in row 2; it is a column of numbers");
  expect_failure(
      "predict " + fitted() + " " +
          folder_.file("mixed.csv", "size,weight,colour,zip,always,never\n1,2,red,1,1,\n1,big,red,1,1,\n"),
      "mixed.csv: line 3, column 2 ('weight'): 'big' is not a number");
}

TEST_F(LevelCommands, ExplanationsAddUp) {
  for (const std::string method : {"slb", "nb", "tan"}) {
    const std::string model = fitted("--method " + method);
    for (const std::string row : {"1", "4", "5", "18"}) {
      const Json told = Json::parse(run("explain " + model + " " + data_ + " --json --row " + row).out);
      double sum = told["intercept"];
      double size = std::abs(sum);
      for (const Json& term : told["terms"]) {
        sum += term["contribution"].get<double>();
        size += std::abs(term["contribution"].get<double>());
      }
      EXPECT_NEAR(sum, told["score"].get<double>(), 1e-9 * size);
    }
  }
}

TEST_F(LevelCommands, InfoTellsCategoriesAndMissingValues) {
  const std::string model = fitted("--max-levels 4");
  const std::string text = run("info " + model).out;
  EXPECT_NE(text.find("categories        2: colour (3 levels), zip (3 levels, the others as one)\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("missing values    2: size, colour\n"), std::string::npos) << text;
  const Json told = Json::parse(run("info " + model + " --json").out);
  EXPECT_EQ(told["levels"]["colour"]["names"], (Json{"blue", "green", "red"}));
  EXPECT_EQ(told["levels"]["colour"]["others"], false);
  EXPECT_EQ(told["levels"]["zip"]["others"], true);
  EXPECT_EQ(told["missing"], (Json{"size", "colour"}));
}

TEST_F(LevelCommands, ColumnsThatSayNothingAndRareLevelsAreTold) {
  const std::string left_out =
      "dyad: column 'always' is constant and left out\ndyad: column 'never' is empty and left out\n";
  const std::string pooled = "dyad: column 'zip' has 7 levels; the 3 most frequent are told apart\n";
  const std::string flags = data_ + " --label kind --categorical zip --method nb --max-levels 4";
  EXPECT_EQ(run("fit " + flags + " -o " + folder_.path("m.dyad")).err, left_out + pooled);
  EXPECT_EQ(run("cv " + flags).err, left_out + pooled);
  EXPECT_EQ(run("cv " + flags + " --quiet").err, "");
  EXPECT_EQ(run("screen " + data_ + " --label kind").err,
            "dyad: column 'always' is constant; no pair of it is kept\n"
            "dyad: column 'never' is empty; no pair of it is kept\n");
  EXPECT_EQ(run("screen " + data_ + " --label kind --quiet").err, "");
  std::string many = "y";
  std::string values = "\na";
  for (int j = 0; j < 12; ++j) {
    many += ",c" + std::to_string(j);
    values += ",1";
  }
  const std::string wide =
      folder_.file("wide.csv", many + ",x" + values + ",1" + values + ",2\nb" + values.substr(2) + ",3\n");
  const std::string told = run("fit " + wide + " --label y --method nb -o " + folder_.path("m.dyad")).err;
  EXPECT_NE(told.find("'c9' is constant"), std::string::npos) << told;
  EXPECT_EQ(told.find("'c10' is constant"), std::string::npos) << told;
  EXPECT_NE(told.find("dyad: and so on for 2 more columns\n"), std::string::npos) << told;
}

TEST_F(LevelCommands, AColumnWithoutValuesCanBeNamedAsCategorical) {
  const std::string model = folder_.path("m.dyad");
  ASSERT_EQ(run("fit " + data_ +
                " --label kind --method nb --categorical never --categorical zip --quiet -o " + model)
                .code,
            0);
  EXPECT_EQ(run("predict " + model + " " + data_).code, 0);
}

TEST_F(LevelCommands, TheExactEngineNamesTheColumnThatItDoesNotTake) {
  for (const std::string& command :
       {"fit -o " + folder_.path("m.dyad"), std::string("cv"), std::string("screen")}) {
    expect_failure(command + " " + data_ + " --label kind --engine exact",
                   "data.csv: column 'size' has a missing value in row 4; the exact engine takes complete");
    expect_failure(
        command + " " + data_ + " --label kind --engine exact --exclude size",
        "data.csv: column 'colour' is categorical (for example 'green'); the exact engine takes numbers");
  }
  expect_failure("screen " + data_ + " --label kind --p-value permutation --exclude size",
                 "data.csv: column 'colour' is categorical (for example 'green'); p_value permutation takes");
}

TEST_F(LevelCommands, ScreenFindsPairsOfLevels) {
  std::string text = "shape,colour,size,y\n";
  const auto sizes = test::normal_sample(120, 3);
  for (std::size_t i = 0; i < 120; ++i) {
    const std::size_t colour = i / 2 % 3;
    text += std::string(i % 10 == 7      ? ""
                        : i / 6 % 2 == 0 ? "round"
                                         : "square") +
            "," + std::vector<std::string>{"red", "green", "blue"}[colour] + "," +
            (i % 9 == 4 ? "" : std::to_string(sizes[i] + 3 * static_cast<double>(colour))) + "," +
            (i % 2 == 0 ? "a" : "b") + "\n";
  }
  const Outcome outcome = run("screen " + folder_.file("shapes.csv", text) + " --label y --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json document = Json::parse(outcome.out);
  for (const Json& of_class : document["classes"]) {
    ASSERT_EQ(of_class["pairs"].size(), 3U);
    EXPECT_EQ(of_class["pairs"][0]["i"], "colour");
    EXPECT_EQ(of_class["pairs"][0]["j"], "size");
    EXPECT_EQ(of_class["pairs"][0]["kept"], true);
    EXPECT_EQ(of_class["pairs"][1]["kept"], false);
  }
}

}  // namespace
}  // namespace dyad
