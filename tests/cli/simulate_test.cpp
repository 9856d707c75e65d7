// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "dyad/io/csv.h"
#include "dyad/simulation/scenarios.h"
#include "tests/cli/program.h"

namespace dyad {
namespace {

using test::Outcome;

class Simulate : public testing::Test {
 protected:
  [[nodiscard]] Outcome run(const std::string& arguments) const {
    return test::run_program(folder_, "simulate " + arguments);
  }

  void expect_failure(const std::string& arguments, int code, const std::string& message) const {
    const std::string path = folder_.path("not_there.csv");
    const Outcome outcome = run(arguments + " -o " + path);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(path)) << arguments;
  }

  test::Folder folder_;
};

TEST_F(Simulate, WritesTheRowsOfTheLibrary) {
  const std::string path = folder_.path("rows.csv");
  const Outcome outcome =
      run("general-complex --n 200 --seed 5 --d 8 --imbalance 0.75 --shared 0.25 --mixture row -o " + path);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  const Table table = read_csv(path, {.label = "label"});
  SimulationOptions options = calibrated_options(Scenario::general_complex);
  options.d = 8;
  options.shared = 0.25;
  options.mixture = MixtureDraw::row;
  const Simulation simulation(Scenario::general_complex, options, 5);
  const LabelledSample expected = simulation.sample(200, 0.75);
  const LabelledSample written = labelled_sample(table);
  EXPECT_EQ(written.X.data, expected.X.data);
  for (std::size_t i = 0; i < 200; ++i)
    EXPECT_EQ(table.labels.classes[static_cast<std::size_t>(written.y[i])], std::to_string(expected.y[i]));
  EXPECT_EQ(table.features.front().name, "x1");
  EXPECT_EQ(table.features.size(), 8);
}

TEST_F(Simulate, LabelIsLast) {
  const Outcome outcome = run("forest-normal --n 3 --d 2");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out.substr(0, outcome.out.find('\n')), "x1,x2,label");
  EXPECT_EQ(std::ranges::count(outcome.out, '\n'), 4);
}

TEST_F(Simulate, TellsTheTruth) {
  const std::string rows = folder_.path("rows.csv");
  const std::string truth = folder_.path("truth.json");
  const Outcome outcome =
      run("forest-complex --n 100 --seed 2 --d 5 --log-ratio --truth " + truth + " -o " + rows);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Simulation simulation(Scenario::forest_complex, {.d = 5}, 2);
  const LabelledSample expected = simulation.sample(100);
  const auto ratio = simulation.log_likelihood_ratio(expected.X);
  const LabelledSample written = labelled_sample(read_csv(rows, {.label = "label"}));
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(written.X(i, 5), ratio[i]);

  const auto document = nlohmann::json::parse(folder_.read("truth.json"));
  EXPECT_EQ(document["scenario"], "forest-complex");
  EXPECT_NEAR(document["bayes_error"].get<double>(), simulation.bayes_error(100000), 1e-12);
  for (const std::size_t c : {0U, 1U}) {
    EXPECT_EQ(document["classes"][c]["label"], std::to_string(c));
    for (std::size_t j = 0; j < 5; ++j) {
      const auto& node = document["classes"][c]["nodes"][j];
      const auto parents = parents_of(simulation.network(c).nodes()[j]);
      ASSERT_EQ(node["parents"].size(), parents.size());
      for (const std::size_t parent : parents)
        EXPECT_EQ(node["parents"][0], "x" + std::to_string(parent + 1));
      EXPECT_EQ(node["components"].size(), parents.empty() ? 1 : 3);
    }
  }
}

TEST_F(Simulate, AnotherDrawHasOtherRowsOfTheSameNetworks) {
  const std::string common = "general-normal --n 50 --seed 3 --truth ";
  const Outcome first = run(common + folder_.path("first.json"));
  const Outcome second = run(common + folder_.path("second.json") + " --draw 1");
  EXPECT_NE(first.out, second.out);
  EXPECT_EQ(folder_.read("first.json"), folder_.read("second.json"));
}

TEST_F(Simulate, RefusesWhatItCannotDraw) {
  expect_failure("forest", 2, "forest not in {forest-normal,forest-complex,general-normal,general-complex}");
  expect_failure("forest-normal --n 0", 2, "--n: must be a whole number, between 2 and 2e+09");
  expect_failure("forest-normal --shared 2", 2, "--shared: must be between 0 and 1, got 2");
  expect_failure("forest-normal --n 3 --imbalance 0.99", 1,
                 "3 rows at imbalance 0.99 leave a class without any");
  expect_failure("forest-normal --sed 3", 2, "did you mean --seed?");
  expect_failure("forest-normal --truth /nowhere/truth.json", 1, "/nowhere/truth.json");
}

}  // namespace
}  // namespace dyad
