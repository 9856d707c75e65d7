// The commands report and explain, as a user runs them to look at a model.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/program.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

using Json = nlohmann::json;
using test::Outcome;

class ReportCommand : public testing::Test {
 protected:
  ReportCommand() { EXPECT_EQ(run("fit " + data_ + " --label y -o " + model_ + " --method slb").code, 0); }

  [[nodiscard]] Outcome run(const std::string& arguments) const {
    return test::run_program(folder_, arguments);
  }

  void expect_failure(const std::string& arguments, int code, const std::string& message) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << arguments << ": " << outcome.err;
  }

  [[nodiscard]] Json document(const std::string& data, const std::string& flags = "") const {
    const Outcome outcome = run("report " + model_ + " " + data + " -o - --json " + flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return Json::parse(outcome.out);
  }

  test::Folder folder_;
  std::string data_ = folder_.file("data.csv", test::class_csv(60, 3, 2, 1));
  std::string model_ = folder_.path("m.dyad");
};

TEST_F(ReportCommand, WritesAPage) {
  const std::string path = folder_.path("r.html");
  const Outcome outcome = run("report " + model_ + " " + data_ + " --label y -o " + path);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const std::string page = folder_.read("r.html");
  EXPECT_NE(page.find("m.dyad on data.csv"), std::string::npos);
  EXPECT_LT(page.size(), 8e6);
  std::array<char, 20> megabytes{};
  std::snprintf(megabytes.data(), megabytes.size(), "%.1f MB", static_cast<double>(page.size()) / 1e6);
  EXPECT_EQ(outcome.err, "wrote " + path + " (" + megabytes.data() + "); open it in a browser\n");
}

TEST_F(ReportCommand, AnnouncesOnlyWhatItWrites) {
  const std::string start = "report " + model_ + " " + data_ + " --label y ";
  EXPECT_EQ(run(start + "--quiet -o " + folder_.path("r.html")).err, "");
  EXPECT_EQ(run(start + "-o -").err, "");
  const std::string json = run(start + "--json -o " + folder_.path("r.json")).err;
  EXPECT_TRUE(json.starts_with("wrote ") && json.ends_with(" MB)\n")) << json;
  const std::string failed = run(start + "--row 61 -o " + folder_.path("r.html")).err;
  EXPECT_EQ(failed.find("wrote"), std::string::npos) << failed;
}

TEST_F(ReportCommand, FindsTheOnlyColumnThatIsNoFeature) {
  EXPECT_FALSE(document(data_)["evaluation"].is_null());
  const std::string text = test::class_csv(60, 3, 2, 1);
  std::stringstream lines(text);
  std::string with_two;
  std::string with_numbers;
  std::size_t row = 0;
  for (std::string line; std::getline(lines, line); ++row) {
    with_two += line + (row == 0 ? ",id\n" : "," + std::to_string(row) + "\n");
    with_numbers += line.substr(0, line.rfind(',')) + (row == 0 ? ",id\n" : "," + std::to_string(row) + "\n");
  }
  const std::string two = folder_.file("two.csv", with_two);
  EXPECT_TRUE(document(two)["evaluation"].is_null());
  EXPECT_FALSE(document(two, "--label y")["evaluation"].is_null());
  EXPECT_TRUE(document(folder_.file("id.csv", with_numbers))["evaluation"].is_null());
  EXPECT_NE(run("report " + model_ + " " + two + " -o - --json").err.find("--label"), std::string::npos);
}

TEST_F(ReportCommand, ShowsRowsAndTimesThatAreAskedFor) {
  const std::string told = folder_.path("fit.json");
  ASSERT_EQ(run("fit " + data_ + " --label y -o " + model_ + " --json > " + told).code, 0);
  const Json report = document(data_, "--row 17 --row 3 --n-rows 0 --fit " + told + " --title 'My model'");
  EXPECT_EQ(report["title"], "My model");
  ASSERT_EQ(report["rows"].size(), 2);
  EXPECT_EQ(report["rows"][0]["row"], 3);
  EXPECT_EQ(report["rows"][1]["why"], "chosen");
  EXPECT_EQ(report["timings"][0]["group"], "fit");
  const Json explained = Json::parse(run("explain " + model_ + " " + data_ + " --row 3 --json").out);
  EXPECT_NEAR(report["rows"][0]["scores"][0].get<double>(), explained["score"].get<double>(), 1e-12);
  for (std::size_t k = 0; k < report["rows"][0]["terms"].size(); ++k)
    EXPECT_NEAR(report["rows"][0]["terms"][k][2].get<double>(),
                explained["terms"][k]["contribution"].get<double>(), 1e-8);
  ASSERT_EQ(report["rows"][0]["flips"].size(), explained["flips"].size());
  for (std::size_t k = 0; k < explained["flips"].size(); ++k)
    EXPECT_NEAR(report["rows"][0]["flips"][k]["value"].get<double>(),
                explained["flips"][k]["value"].get<double>(), 1e-5);
}

TEST_F(ReportCommand, RefusesWhatIsWrongAndLeavesTheOldPage) {
  const std::string path = folder_.file("old.html", "old");
  const std::string start = "report " + model_ + " " + data_ + " -o " + path;
  expect_failure(start + " --row 61", 1, "there is no row 61; the table has 60 rows");
  expect_failure(start + " --label z", 1, "no column 'z'");
  expect_failure(start + " --label x0", 1, "column 'x0' is a feature of the model");
  expect_failure(start + " --fit " + data_, 1, "is not what dyad fit --json prints");
  expect_failure(start + " --n-rows -1", 2, "--n-rows");
  expect_failure("report " + model_ + " " + data_, 2, "--output");
  expect_failure("report " + data_ + " " + data_ + " -o " + path, 1, "data.csv");
  expect_failure("report " + model_ + " " + data_ + " -o " + folder_.path("no/r.html"), 1, "no/r.html");
  EXPECT_EQ(folder_.read("old.html"), "old");
}

TEST_F(ReportCommand, RefusesLabelsThatAreNoClasses) {
  std::string text = test::class_csv(60, 3, 2, 1);
  text.replace(text.find(",a\n"), 3, ",c\n");
  expect_failure("report " + model_ + " " + folder_.file("c.csv", text) + " --label y -o -", 1,
                 "label 'c'; the classes of the model are 'a', 'b'");
  const std::string odd = folder_.file("odd.json", R"({"seconds": 5})");
  expect_failure("report " + model_ + " " + data_ + " -o - --fit " + odd, 1,
                 "is not what dyad fit --json prints");
}

TEST_F(ReportCommand, ExplainTellsWhatMattersInATable) {
  const Outcome text = run("explain " + model_ + " " + data_);
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_NE(text.out.find("over 60 rows"), std::string::npos);
  const Json told = Json::parse(run("explain " + model_ + " " + data_ + " --json").out);
  EXPECT_EQ(told["rows"], 60);
  EXPECT_EQ(told["features"].size(), 3);
  EXPECT_GE(told["effects"][0]["importance"].get<double>(), told["effects"][1]["importance"].get<double>());
  EXPECT_LE(told["effects"][0]["low"].get<double>(), told["effects"][0]["importance"].get<double>());
  const std::string csv = run("explain " + model_ + " " + data_ + " --csv --top 1").out;
  EXPECT_TRUE(csv.starts_with("of,kind,class,feature_1,feature_2,importance,low,high\neffect,,,")) << csv;
  EXPECT_EQ(std::ranges::count(csv, '\n'), 4);
}

TEST_F(ReportCommand, ExplainShowsShapes) {
  const Json curve = Json::parse(run("explain " + model_ + " --shape x2 --json").out);
  EXPECT_EQ(curve["features"], Json::array({"x2"}));
  EXPECT_EQ(curve["points"].size(), 97);
  const Json surface = Json::parse(run("explain " + model_ + " --shape x1 x0 --json").out);
  EXPECT_EQ(surface["features"], Json::array({"x0", "x1"}));
  EXPECT_EQ(surface["points"].size(), 33 * 33);
  const std::string csv = run("explain " + model_ + " --shape x0 --csv").out;
  EXPECT_TRUE(csv.starts_with("x0,score,log_density_a,log_density_b\n")) << csv;
  EXPECT_NE(run("explain " + model_ + " --shape x0").out.find("positive speaks for class b"),
            std::string::npos);
  expect_failure("explain " + model_ + " --shape x9", 1, "no feature 'x9'");
  expect_failure("explain " + model_ + " --shape x0 x0", 1, "two features");
  expect_failure("explain " + model_ + " --json --csv", 2, "--csv");
}

TEST_F(ReportCommand, ExplainWritesEffectsAsCsv) {
  const std::string effects = run("explain " + model_ + " --csv").out;
  EXPECT_TRUE(effects.starts_with("feature_1,feature_2,size\n")) << effects;
  const std::string row = run("explain " + model_ + " " + data_ + " --row 2 --csv").out;
  EXPECT_TRUE(row.starts_with("feature_1,feature_2,value_1,value_2,contribution\n")) << row;
  std::stringstream lines(row);
  std::string line;
  std::getline(lines, line);
  double sum = 0;
  while (std::getline(lines, line)) {
    EXPECT_EQ(std::ranges::count(line, ','), 4) << line;
    sum += std::stod(line.substr(line.rfind(',') + 1));
  }
  const Json told = Json::parse(run("explain " + model_ + " " + data_ + " --row 2 --json").out);
  EXPECT_NEAR(sum, told["score"].get<double>(), 1e-9);
}

TEST_F(ReportCommand, ExplainWritesTermsAndRowsAsCsv) {
  const std::string terms = run("explain " + model_ + " --terms --csv").out;
  EXPECT_TRUE(terms.starts_with("kind,class,feature_1,feature_2,weight,centre\n")) << terms;
  EXPECT_NE(terms.find("\nintercept,,,,"), std::string::npos);
  const std::string row = run("explain " + model_ + " " + data_ + " --row 2 --terms --csv").out;
  EXPECT_TRUE(row.starts_with("kind,class,feature_1,feature_2,value,weight,contribution\n")) << row;
  std::stringstream lines(row);
  std::string line;
  std::getline(lines, line);
  double sum = 0;
  double score = 0;
  while (std::getline(lines, line)) {
    EXPECT_EQ(std::ranges::count(line, ','), 6) << line;
    (line.starts_with("score") ? score : sum) += std::stod(line.substr(line.rfind(',') + 1));
  }
  EXPECT_NEAR(sum, score, 1e-9);
  EXPECT_NE(run("explain " + model_ + " " + data_ + " --row 2").out.find("change the prediction"),
            std::string::npos);
}

}  // namespace
}  // namespace dyad
