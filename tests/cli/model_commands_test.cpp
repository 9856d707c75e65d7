// The commands fit, predict, cv, explain and info, as a user runs them.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "dyad/data/chunk.h"
#include "dyad/fit/fit.h"
#include "dyad/io/byte_source.h"
#include "dyad/io/model_file.h"
#include "dyad/model/prediction.h"
#include "tests/cli/program.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

using Json = nlohmann::json;
using test::Outcome;

class ModelCommands : public testing::Test {
 protected:
  [[nodiscard]] Outcome run(const std::string& arguments) const {
    return test::run_program(folder_, arguments);
  }

  void expect_failure(const std::string& arguments, int code, const std::string& message) const {
    const Outcome outcome = run(arguments);
    EXPECT_EQ(outcome.code, code) << arguments;
    EXPECT_EQ(outcome.out, "") << arguments;
    EXPECT_NE(outcome.err.find(message), std::string::npos) << arguments << ": " << outcome.err;
  }

  /// Fits to the two-class table and returns the path of the model.
  [[nodiscard]] std::string fitted(const std::string& flags = "") const {
    const Outcome outcome = run("fit " + data_ + " --label y -o " + folder_.path("m.dyad") + " " + flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return folder_.path("m.dyad");
  }

  test::Folder folder_;
  std::string data_ = folder_.file("data.csv", test::class_csv(60, 3, 2, 1));
  std::string three_ = folder_.file("three.csv", test::class_csv(60, 3, 3, 1));
};

TEST_F(ModelCommands, FitWritesTheModelOfTheLibrary) {
  const std::string path = fitted("--method tan --threads 2");
  const Table table = read_csv(data_, {.label = "y"});
  EXPECT_EQ(folder_.read("m.dyad"), model_bytes(fit(table, preset_options(Preset::automatic, Method::tan))));
  const Outcome json = run("fit " + data_ + " --label y -o " + path + " --method nb --json");
  const Json document = Json::parse(json.out);
  EXPECT_EQ(document["method"], "nb");
  EXPECT_EQ(document["n"], 60);
  EXPECT_EQ(document["d"], 3);
  EXPECT_EQ(document["pairs_kept"], 0);
}

TEST_F(ModelCommands, EveryMethodFitsAndPredicts) {
  for (const std::string method : {"slb", "slb-", "lu", "nb", "tan", "tan-forest"})
    for (const std::string& data : {data_, three_}) {
      const std::string model = folder_.path("m.dyad");
      ASSERT_EQ(run("fit " + data + " --label y -o " + model + " --method " + method).code, 0) << method;
      const Outcome outcome = run("predict " + model + " " + data);
      ASSERT_EQ(outcome.code, 0) << outcome.err;
      const auto lines = test::lines_of(outcome.out);
      ASSERT_EQ(lines.size(), 61U);
      EXPECT_EQ(lines[0], "label");
      std::set<std::string> labels(lines.begin() + 1, lines.end());
      for (const std::string& label : labels)
        EXPECT_TRUE(label == "a" || label == "b" || label == "c") << label;
    }
}

TEST_F(ModelCommands, PredictPrintsScoresAndProbabilities) {
  const std::string model = fitted();
  const Outcome outcome = run("predict " + model + " " + data_ + " --scores --proba");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const auto lines = test::lines_of(outcome.out);
  EXPECT_EQ(lines[0], "label,score,proba_a,proba_b");
  const Model loaded = load_model(model);
  const Table table = read_csv(data_, {.columns = loaded.features});
  std::vector<std::size_t> rows{0};
  const Matrix expected = scores(loaded, numeric_rows(table, rows));
  std::istringstream first(lines[1]);
  std::string label;
  std::string score;
  std::getline(first, label, ',');
  std::getline(first, score, ',');
  EXPECT_EQ(std::stod(score), expected(0, 0));
  EXPECT_EQ(label, expected(0, 0) > 0 ? "b" : "a");

  ASSERT_EQ(run("fit " + three_ + " --label y -o " + model).code, 0);
  EXPECT_EQ(test::lines_of(run("predict " + model + " " + three_ + " --scores --proba").out)[0],
            "label,score_a,score_b,score_c,proba_a,proba_b,proba_c");
}

TEST_F(ModelCommands, PredictFindsColumnsByName) {
  const std::string model = fitted();
  const std::string expected = run("predict " + model + " " + data_ + " --scores").out;
  // Another order, one more column of text with a missing value, no label.
  const Table table = read_csv(data_, {.label = "y"});
  std::string text = "x2,extra,x0,x1\n";
  for (std::size_t i = 0; i < table.n_rows; ++i) {
    const auto value = [&](std::size_t j) {
      std::ostringstream number;
      number.precision(17);
      number << std::get<NumericColumn>(table.features[j].data).values[i];
      return number.str();
    };
    text += value(2) + "," + (i == 0 ? "" : i == 1 ? "text" : "7") + "," + value(0) + "," + value(1) + "\n";
  }
  const Outcome outcome = run("predict " + model + " " + folder_.file("moved.csv", text) + " --scores");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, expected);
  expect_failure("predict " + model + " " + folder_.file("absent.csv", "x0,x2\n1,2\n"), 1,
                 "absent.csv: line 1: no column 'x1' (feature)");
  EXPECT_EQ(run("predict " + model + " " + folder_.file("gap.csv", "x0,x1,x2\n1,2,3\n1,,3\n")).code, 0);
  expect_failure("predict " + model + " " + folder_.file("text.csv", "x0,x1,x2\n1,red,3\n1,blue,3\n"), 1,
                 "text.csv: column 'x1' has the text 'red' in row 1; it is a column of numbers");
}

TEST_F(ModelCommands, PredictsTablesOfSeveralChunks) {
  const std::string model = fitted();
  const std::string text = folder_.read("data.csv");
  const std::string expected = run("predict " + model + " " + data_ + " --scores").out;
  const std::size_t head = text.find('\n') + 1;
  const std::size_t expected_head = expected.find('\n') + 1;
  std::string many = text;
  std::string many_expected = expected;
  std::size_t n_rows = 60;
  for (; n_rows <= default_chunk_rows(1); n_rows += 60) {
    many += text.substr(head);
    many_expected += expected.substr(expected_head);
  }
  const Outcome outcome = run("predict " + model + " " + folder_.file("many.csv", many) + " --scores");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(outcome.out == many_expected);
  const std::string output = folder_.path("predicted.csv");
  expect_failure("predict " + model + " " + folder_.file("bad.csv", many + "red,1,2,a\n") + " -o " + output,
                 1,
                 "bad.csv: line " + std::to_string(n_rows + 2) +
                     ", column 1 ('x0'): 'red' is not a number, as the values above it are\n");
  EXPECT_FALSE(std::filesystem::exists(output));
}

TEST_F(ModelCommands, PredictQuotesLabelsThatNeedIt) {
  std::string text = folder_.read("data.csv");
  for (std::size_t at = text.find(",a\n"); at != std::string::npos; at = text.find(",a\n", at))
    text.replace(at, 3, ",\"a, \"\"b\"\"\"\n");
  const std::string model = folder_.path("m.dyad");
  ASSERT_EQ(run("fit " + folder_.file("q.csv", text) + " --label y --method nb -o " + model).code, 0);
  EXPECT_NE(run("predict " + model + " " + data_).out.find("\"a, \"\"b\"\"\"\n"), std::string::npos);
}

TEST_F(ModelCommands, CvPrintsWhatTheContractNames) {
  const Outcome outcome = run(
      "cv " + data_ + " --label y --method lu --preset paper --engine exact --folds 3 --repeats 2 --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json document = Json::parse(outcome.out);
  EXPECT_EQ(document["method"], "lu");
  EXPECT_EQ(document["preset"], "paper");
  EXPECT_EQ(document["n"], 60);
  EXPECT_EQ(document["d"], 3);
  EXPECT_EQ(document["classes"], (std::vector<std::string>{"a", "b"}));
  ASSERT_EQ(document["folds"].size(), 6U);
  double error = 0;
  for (const Json& fold : document["folds"]) {
    for (const char* key : {"repeat", "fold", "error", "ber", "auc", "pairs_kept", "seconds"})
      EXPECT_TRUE(fold.contains(key)) << key;
    error += fold["error"].get<double>() / 6;
  }
  EXPECT_NEAR(document["error_mean"].get<double>(), error, 1e-12);
  for (const char* key : {"ber_mean", "ber_sd", "auc_mean"}) EXPECT_TRUE(document[key].is_number()) << key;
  for (const char* key : {"total", "screen", "density", "features", "svm"})
    EXPECT_TRUE(document["seconds"][key].is_number()) << key;
  const Outcome text = run("cv " + data_ + " --label y --method lu");
  EXPECT_NE(text.out.find("lu on 60 rows, 3 features, 2 classes; 5 folds, 1 repeat\n"), std::string::npos)
      << text.out;
}

TEST_F(ModelCommands, CvIsTheSameOnAnyNumberOfThreads) {
  const auto folds = [&](const std::string& threads) {
    Json document = Json::parse(run("cv " + data_ + " --label y --json --threads " + threads).out);
    for (Json& fold : document["folds"]) fold.erase("seconds");
    return document["folds"];
  };
  EXPECT_EQ(folds("1"), folds("3"));
}

TEST_F(ModelCommands, ExplanationsAddUp) {
  for (const std::string& data : {data_, three_}) {
    const std::string model = folder_.path("m.dyad");
    ASSERT_EQ(run("fit " + data + " --label y -o " + model).code, 0);
    const Outcome outcome = run("explain " + model + " " + data + " --row 7 --json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json document = Json::parse(outcome.out);
    const auto part = [](const Json& value, std::size_t k) {
      return value.is_array() ? value[k].get<double>() : value.get<double>();
    };
    const std::size_t n_scores = document["score"].is_array() ? 3 : 1;
    EXPECT_EQ(n_scores, data == three_ ? 3U : 1U);
    for (std::size_t k = 0; k < n_scores; ++k) {
      double sum = part(document["intercept"], k);
      double size = std::abs(sum);
      std::size_t n_linear = 0;
      for (const Json& term : document["terms"]) {
        const bool linear = term["kind"] == "linear";
        EXPECT_TRUE(linear || term["kind"] == "density") << term["kind"];
        EXPECT_EQ(term["class"].is_string(), !linear);
        n_linear += linear ? 1 : 0;
        EXPECT_GE(term["features"].size(), 1U);
        EXPECT_TRUE(term["value"].is_number());
        EXPECT_TRUE(term.contains("weight"));
        sum += part(term["contribution"], k);
        size += std::abs(part(term["contribution"], k));
      }
      EXPECT_NEAR(sum, part(document["score"], k), 1e-9 * size);
      EXPECT_EQ(n_linear, 3U);
      double by_effects = part(document["baseline"], k);
      double centre = 0;
      for (std::size_t l = 0; document["centred"] && l < n_scores; ++l)
        centre += part(document["score"], l) / static_cast<double>(n_scores);
      for (const Json& effect : document["effects"]) {
        EXPECT_EQ(effect["features"].size(), effect["values"].size());
        by_effects += part(effect["contribution"], k);
      }
      EXPECT_NEAR(by_effects, part(document["score"], k) - centre, 1e-9 * size);
    }
  }
  const std::string model = fitted();
  const Outcome text = run("explain " + model + " " + data_ + " --row 1 --top 2");
  EXPECT_NE(text.out.find("(probability 0."), std::string::npos) << text.out;
  EXPECT_NE(text.out.find(" = "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("\n  baseline "), std::string::npos) << text.out;
  const Outcome by_terms = run("explain " + model + " " + data_ + " --row 1 --top 2 --terms");
  EXPECT_NE(by_terms.out.find("log p("), std::string::npos) << by_terms.out;
  EXPECT_NE(by_terms.out.find("\n  intercept "), std::string::npos) << by_terms.out;
  const Json weights = Json::parse(run("explain " + model + " --json").out);
  EXPECT_EQ(weights["terms"].size(), load_model(model).terms.size());
  EXPECT_NE(run("explain " + model).out.find("carry 95 %"), std::string::npos);
  EXPECT_NE(run("explain " + model + " --terms").out.find("weight"), std::string::npos);
  expect_failure("explain " + model + " " + data_ + " --row 1 --immutable nothing", 1,
                 "the model has no feature 'nothing'");
  expect_failure("explain " + model + " " + data_ + " --row 61", 1,
                 "there is no row 61; the table has 60 rows");
  expect_failure("explain " + model + " " + data_ + " --row 0", 2,
                 "--row: must be a whole number, between 1 and");
  expect_failure("explain " + model + " " + data_ + " --row 1.5", 2, "--row: must be a whole number");
  expect_failure("explain " + model + " --row 1", 2, "DATA");
}

TEST_F(ModelCommands, EditWritesAModelThatSaysWhatWasDone) {
  const std::string model = fitted();
  const std::string edited = folder_.path("edited.dyad");
  const Outcome outcome = run("edit " + model + " -o " + edited + " --remove x0 --monotone x2=increasing");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Model read = load_model(edited);
  EXPECT_EQ(edits_of(read), (std::vector<std::string>{"x0 removed", "x2 increasing throughout"}));
  const Outcome info = run("info " + edited);
  EXPECT_NE(info.out.find("x0 removed"), std::string::npos) << info.out;
  EXPECT_NE(info.out.find("x2 increasing\n"), std::string::npos) << info.out;
  const Json document = Json::parse(run("info " + edited + " --json").out);
  EXPECT_EQ(document["monotone"]["x2"], "increasing");
  EXPECT_EQ(document["edits"].size(), 2U);
  EXPECT_LE(document["effects"]["carry_95_percent"], document["effects"]["count"]);
  EXPECT_EQ(run("predict " + edited + " " + data_).code, 0);
  EXPECT_EQ(run("report " + edited + " " + data_ + " --label y -o " + folder_.path("r.html")).code, 0);
  ASSERT_EQ(run("edit " + model + " -o " + edited + " --max-effects 1 --scale x2=0.5 --json").code, 0);
  expect_failure("edit " + model + " -o " + edited, 2, "an edit is required");
  expect_failure("edit " + model + " -o " + edited + " --remove x7", 1, "no feature is named 'x7'");
  expect_failure("edit " + model + " -o " + edited + " --remove x0,x7", 1, "no feature is named 'x0,x7'");
  expect_failure("edit " + model + " -o " + edited + " --scale x0", 1, "expected --scale EFFECT=FACTOR");
  expect_failure("edit " + model + " -o " + edited + " --monotone x0=up", 1, "increasing or decreasing");
}

TEST_F(ModelCommands, FitTakesDirectionsAndFewEffects) {
  const Model model = load_model(fitted("--monotone x2=decreasing --max-effects 2"));
  EXPECT_EQ(model.monotone, (std::vector<MonotoneFeature>{{2, Direction::decreasing}}));
  EXPECT_EQ(run("cv " + data_ + " --label y --monotone x2=decreasing --folds 2").code, 0);
  expect_failure("fit " + three_ + " --label y -o " + folder_.path("m.dyad") + " --monotone x2=decreasing", 1,
                 "expected two classes, got 3");
}

TEST_F(ModelCommands, EvaluateMeasuresWhatPredictGives) {
  const std::string model = fitted();
  const Json found = Json::parse(run("evaluate " + model + " " + data_ + " --label y --json").out);
  EXPECT_EQ(found["n"], 60);
  const Outcome predicted = run("predict " + model + " " + data_ + " --keep y");
  ASSERT_EQ(predicted.code, 0) << predicted.err;
  double wrong = 0;
  const auto lines = test::lines_of(predicted.out);
  EXPECT_EQ(lines[0], "y,label");
  ASSERT_EQ(lines.size(), 61U);
  for (std::size_t k = 1; k < lines.size(); ++k) {
    const std::size_t comma = lines[k].find(',');
    if (lines[k].substr(0, comma) != lines[k].substr(comma + 1)) ++wrong;
  }
  EXPECT_NEAR(found["error"].get<double>(), wrong / 60, 1e-12);
  EXPECT_GT(found["baseline"]["log_loss"].get<double>(), found["log_loss"].get<double>());
  const Outcome text = run("evaluate " + model + " " + data_ + " --label y");
  EXPECT_NE(text.out.find("baseline"), std::string::npos) << text.out;
  expect_failure("evaluate " + model + " " + data_, 2, "--label");
}

TEST_F(ModelCommands, CvKeepsGroupsTogether) {
  // Each row four times: only folds of whole groups hold out rows that the model has not seen.
  const auto lines = test::lines_of(read_all(data_));
  std::string text = lines[0] + ",patient\n";
  for (std::size_t k = 1; k < lines.size(); ++k)
    for (int copy = 0; copy < 4; ++copy) text += lines[k] + ",p" + std::to_string(k) + "\n";
  const std::string repeated = folder_.file("repeated.csv", text);
  const auto mean_loss = [&](const std::string& flags) {
    const Outcome outcome = run("cv " + repeated + " --label y --json --quiet " + flags);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    const Json document = Json::parse(outcome.out);
    EXPECT_GT(document["baseline"]["log_loss"].get<double>(), 0);
    return document["log_loss_mean"].get<double>();
  };
  EXPECT_GT(mean_loss("--groups patient"), mean_loss("--exclude patient"));
  expect_failure("cv " + repeated + " --label y --groups nobody", 1, "no column 'nobody'");
}

TEST_F(ModelCommands, InfoTellsWhatTheFileHolds) {
  const std::string model = fitted("--method slb --preset paper --feature-mode leave_one_out --C 2.5");
  const Json document = Json::parse(run("info " + model + " --json").out);
  EXPECT_EQ(document["version"], model_file_version);
  EXPECT_EQ(document["method"], "slb");
  EXPECT_EQ(document["engine"], "counts");
  EXPECT_EQ(document["options"]["grid"], 128);
  EXPECT_EQ(document["features"].size(), 3U);
  EXPECT_EQ(document["rows"], (std::vector<int>{30, 30}));
  EXPECT_EQ(document["options"]["C"], 2.5);
  EXPECT_EQ(document["options"]["feature_mode"], "leave_one_out");
  EXPECT_NE(run("info " + model).out.find("model file, version 1"), std::string::npos);
}

TEST_F(ModelCommands, FlagsOverrideThePreset) {
  const auto options = [&](const std::string& flags) {
    return Json::parse(run("info " + fitted(flags) + " --json").out)["options"];
  };
  const auto expected = [](const FitOptions& values) {
    Json json;
    FitOptions::describe(values, [&](std::string_view name, const auto& value, const auto& allowed, auto) {
      if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
        json[std::string(name)] = option_text(value, allowed);
      else
        json[std::string(name)] = value;
    });
    return json;
  };
  EXPECT_EQ(options(""), expected(preset_options(Preset::automatic)));
  EXPECT_EQ(options("--preset auto"), expected(preset_options(Preset::automatic)));
  EXPECT_EQ(options("--preset paper"), expected({}));
  EXPECT_EQ(options("--method tan --optimise error"),
            expected(preset_options(Preset::automatic, Method::tan, Objective::logloss)));
  EXPECT_EQ(options("--method lu --preset paper"), expected({.method = Method::lu}));

  FitOptions some = preset_options(Preset::automatic);
  some.pairs = PairRule::cv;
  some.cost = CostRule::given;
  some.svm.C = 3;
  EXPECT_EQ(options("--C 3"), expected(some));
  some = preset_options(Preset::automatic, Method::slb, Objective::logloss, SettingsRule::best);
  EXPECT_EQ(some.term_scale, TermScale::unit);
  EXPECT_EQ(options("--settings best --C 1"), expected([&] {
              some.cost = CostRule::given;
              return some;
            }()));
  some = preset_options(Preset::automatic);
  some.linear_terms = false;
  EXPECT_EQ(options("--linear-terms false"), expected(some));
  EXPECT_EQ(options("--linear-terms true"), expected(preset_options(Preset::automatic)));
  some = preset_options(Preset::automatic);
  some.pairs = PairRule::cv;
  some.blend = Blend::never;
  some.prior_rows = 1;
  EXPECT_EQ(options("--blend never --prior-rows 1 --class-weights none"), expected(some));
  for (const std::string flags : {"--optimise balanced", "--optimize balanced", "--class-weights balanced",
                                  "--class-weights balanced --optimise balanced"}) {
    EXPECT_EQ(options(flags), expected(preset_options(Preset::automatic, Method::slb, Objective::balanced)));
    EXPECT_EQ(options(flags + " --preset paper --method nb"),
              expected(preset_options(Preset::paper, Method::nb, Objective::balanced)));
  }
  EXPECT_EQ(options("--preset paper --transform robust --prior-rows 2 --inner-folds 4"),
            expected({.transform = Transform::robust, .prior_rows = 2, .inner_folds = 4}));
}

TEST_F(ModelCommands, FitTakesOtherLossesAndPenalties) {
  const auto info_of = [&](const std::string& flags) {
    return Json::parse(run("info " + fitted(flags) + " --json").out);
  };
  const Json sparse =
      info_of("--settings best --linear-terms false --loss logistic --penalty l1 --C 0.1 --method slb-");
  EXPECT_EQ(sparse["options"]["loss"], "logistic");
  EXPECT_EQ(sparse["options"]["penalty"], "l1");
  const Model model = load_model(folder_.path("m.dyad"));
  EXPECT_LT(model.terms.size(), 12U);
  EXPECT_GT(model.terms.size(), 0U);
  EXPECT_EQ(
      info_of(
          "--preset paper --loss squared_hinge --penalty elastic_net --l1-ratio 0.9")["options"]["l1_ratio"],
      0.9);
  for (const std::string flags : {"--loss logistic", "--loss squared_hinge --penalty l1"})
    EXPECT_EQ(run("cv " + data_ + " --label y " + flags).code, 0) << flags;
}

TEST_F(ModelCommands, FlagsOfFormerVersionsSayWhatToUse) {
  for (const std::string& command :
       {"fit " + data_ + " --label y -o " + folder_.path("new.dyad"), "cv " + data_ + " --label y"}) {
    expect_failure(command + " --add-original", 2, "--add-original: was removed; use --linear-terms true");
    expect_failure(command + " --intercept penalised", 2, "--intercept: was removed");
  }
}

TEST_F(ModelCommands, FitTellsClassesApartAtOnce) {
  const std::string path = folder_.path("three.dyad");
  ASSERT_EQ(run("fit " + three_ + " --label y --multiclass direct -o " + path).code, 0);
  EXPECT_EQ(Json::parse(run("info " + path + " --json").out)["options"]["multiclass"], "direct");
  expect_failure("cv " + three_ + " --label y --settings best --multiclass direct", 2,
                 "multiclass=direct requires settings=average, got best");
}

TEST_F(ModelCommands, FlagsThatDoNotGoTogetherAreUsageErrors) {
  const std::string good = " --label y -o " + folder_.path("new.dyad");
  for (const std::string& command : {"fit " + data_ + good, "cv " + data_ + " --label y"}) {
    expect_failure(command + " --preset paper --optimise auc", 2,
                   "optimise=auc requires settings=average, got best");
    expect_failure(command + " --class-weights balanced --optimise logloss", 2,
                   "--class-weights balanced contradicts --optimise logloss; give one of them");
    expect_failure(command + " --class-weights none --optimize balanced", 2,
                   "--class-weights none contradicts --optimise balanced; give one of them");
    expect_failure(command + " --method nb --optimise balanced --priors estimated", 2,
                   "priors=estimated requires optimise=logloss, got balanced");
    expect_failure(command + " --optimise f1", 2, "--optimise");
    expect_failure(command + " --linear-terms maybe", 2, "--linear-terms");
    expect_failure(command + " --linear-terms", 2, "--linear-terms");
    expect_failure(command + " --preset paper --prior-rows 2", 2,
                   "prior_rows requires transform=standard or robust, got none");
    expect_failure(command + " --transform none", 2,
                   "prior_rows requires transform=standard or robust, got none");
    expect_failure(command + " --penalty l1", 2,
                   "penalty=l1 requires loss=squared_hinge or logistic, got hinge");
    expect_failure(command + " --loss cubic", 2, "--loss");
    expect_failure(command + " --norm-bound 1", 2, "norm_bound requires settings=best, got average");
    for (const std::string flag : {"--n-average 5", "--blend never", "--max-pairs 100"})
      expect_failure(command + " --settings best " + flag, 2, "requires settings=average, got best");
    expect_failure(command + " --settings best --norm-bound 1 --C 2", 2, "C requires norm_bound=0, got 1");
    expect_failure(command + " --method nb --optimise auc", 2,
                   "optimise=auc requires method=slb, slb- or lu, got nb");
    expect_failure(command + " --method nb --C 2", 2, "C requires method=slb, slb- or lu, got nb");
    expect_failure(command + " --method nb --blend if_better", 2, "blend requires method=slb, slb- or lu");
    expect_failure(command + " --blend sometimes", 2, "--blend");
    expect_failure(command + " --n-average 0", 2, "--n-average");
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.path("new.dyad")));
}

TEST_F(ModelCommands, InfoShowsTheSettingsThatWereTried) {
  const std::string model = fitted();
  const Json document = Json::parse(run("info " + model + " --json").out);
  const Model loaded = load_model(model);
  ASSERT_EQ(document["settings"].size(), loaded.settings.size());
  for (std::size_t k = 0; k < loaded.settings.size(); ++k) {
    const Json& setting = document["settings"][k];
    EXPECT_EQ(setting["terms"], loaded.settings[k].terms);
    EXPECT_EQ(setting["C"], loaded.settings[k].C);
    EXPECT_EQ(setting["blend"], loaded.settings[k].blend);
    EXPECT_EQ(setting["loss"], loaded.settings[k].loss);
    EXPECT_EQ(setting["averaged"], loaded.settings[k].averaged);
  }
  EXPECT_EQ(document["coordinates"], (Json{{"x0", "asinh"}, {"x1", "asinh"}, {"x2", "asinh"}}));
  const std::string text = run("info " + model).out;
  const std::string tried = std::to_string(loaded.settings.size());
  EXPECT_NE(text.find(" of " + tried + " that were tried"), std::string::npos) << text;
  EXPECT_NE(text.find("logistic loss by which settings were chosen"), std::string::npos) << text;
  EXPECT_NE(text.find("3 asinh"), std::string::npos) << text;
  const std::string average = run("info " + fitted("--pairs cv")).out;
  EXPECT_NE(average.find("settings: the mean of 10 out of "), std::string::npos) << average;
  EXPECT_NE(run("info " + fitted("--optimise auc")).out.find("1 - AUC by which settings"), std::string::npos);
  const Json paper = Json::parse(run("info " + fitted("--preset paper --method lu") + " --json").out);
  EXPECT_TRUE(paper["settings"].empty());
  EXPECT_TRUE(paper["coordinates"].empty());
  EXPECT_EQ(run("info " + model).out.find("settings: "), std::string::npos);
}

TEST_F(ModelCommands, KeepsTheQualityThatCrossValidationMeasured) {
  const std::string path = folder_.path("measured.dyad");
  const std::string flags = data_ + " --label y --method lu";
  const Outcome fit = run("fit " + flags + " --cv 3 -o " + path);
  const Json cv = Json::parse(run("cv " + flags + " --folds 3 --json").out);
  const Json info = Json::parse(run("info " + path + " --json").out);
  const Json& options = info["options"];
  EXPECT_EQ(options["held_out_folds"], 3);
  EXPECT_NEAR(options["held_out_error"].get<double>(), cv["error_mean"].get<double>(), 1e-12);
  EXPECT_NEAR(options["held_out_log_loss"].get<double>(), cv["log_loss_mean"].get<double>(), 1e-12);
  EXPECT_NEAR(options["baseline_error"].get<double>(), cv["baseline"]["error"].get<double>(), 1e-12);
  for (const std::string& text : {fit.out, run("info " + path).out}) {
    EXPECT_NE(text.find("held-out error"), std::string::npos) << text;
    EXPECT_NE(text.find("by 3-fold cross-validation"), std::string::npos) << text;
    EXPECT_NE(text.find("always "), std::string::npos) << text;
  }
  EXPECT_EQ(run("info " + fitted()).out.find("held-out"), std::string::npos);
  expect_failure("fit " + flags + " --cv 3 --chunked yes -o " + path, 1, "--cv needs all rows");
  expect_failure("fit " + flags + " --cv 1 -o " + path, 2, "--cv");
}

TEST_F(ModelCommands, ReportsBadInput) {
  const std::string model = fitted();
  const std::string good = "--label y -o " + folder_.path("new.dyad");
  expect_failure("cv " + data_ + " --label y --folds 61", 1, "61 folds need at least as many rows, got 60");
  expect_failure("cv " + data_ + " --label y --folds 1", 2, "--folds: must be a whole number, between 2 and");
  expect_failure("fit " + folder_.file("one.csv", "x,y\n1,a\n2,a\n3,a\n") + " " + good, 1,
                 "the label has only one class, 'a'");
  expect_failure("fit " + folder_.file("label.csv", "y\na\nb\n") + " " + good, 1,
                 "no column besides the label");
  expect_failure("fit " + data_ + " " + good + " --method svm", 2, "--method");
  expect_failure("fit " + data_ + " " + good + " --preset best", 2, "--preset");
  expect_failure("fit " + data_ + " " + good + " --engine warp", 2, "--engine");
  expect_failure("fit " + data_ + " " + good + " --threads -1", 2, "--threads");
  expect_failure("fit " + data_ + " " + good + " --C 0", 2,
                 "--C: must be greater than 0 and at most 1e+06, got 0");
  expect_failure("fit " + data_ + " --label y", 2, "--output is required");
  expect_failure("fit " + data_ + " --label y -o " + folder_.path("no/such/m.dyad"), 1, "cannot write");
  EXPECT_FALSE(std::filesystem::exists(folder_.path("new.dyad")));

  expect_failure("predict " + folder_.path("absent.dyad") + " " + data_, 1, "No such file");
  expect_failure("predict " + data_ + " " + data_, 1, "data.csv: this is not a dyad model file");
  const std::string bytes = folder_.read("m.dyad");
  expect_failure("predict " + folder_.file("cut.dyad", bytes.substr(0, bytes.size() / 2)) + " " + data_, 1,
                 "cut short");
  std::string newer = bytes;
  newer[8] = 9;
  expect_failure("info " + folder_.file("newer.dyad", newer), 1,
                 "has version 9, this dyad reads versions up to 1");
}

TEST_F(ModelCommands, FlagsOfARuleForPairsChooseIt) {
  const auto rule = [&](const std::string& flags) {
    return Json::parse(run("info " + fitted(flags) + " --json").out)["options"]["pairs"].get<std::string>();
  };
  EXPECT_EQ(rule(""), "path");
  EXPECT_EQ(rule("--settings best"), "cv");
  EXPECT_EQ(rule("--optimise auc"), "cv");
  for (const std::string flags : {"--blend never", "--n-average 3", "--loss logistic", "--C 1"})
    EXPECT_EQ(rule(flags), "cv") << flags;
  EXPECT_EQ(rule("--fdr 0.2"), "fdr");
  EXPECT_EQ(rule("--n-pairs 2"), "count");
  EXPECT_EQ(rule("--pairs threshold --min-hsic 0.02"), "threshold");
  const std::string fit = "fit " + data_ + " --label y -o " + folder_.path("new.dyad");
  expect_failure(fit + " --pairs cv --fdr 0.2", 2, "fdr requires pairs=fdr, got cv");
  expect_failure(fit + " --fdr 0.2 --n-pairs 3", 2, "n_pairs requires pairs=count, got fdr");
}

TEST_F(ModelCommands, SaysWhenTheSvmWasStopped) {
  const std::string said = "the solver of the weights was stopped at a duality gap of";
  for (const std::string preset : {"auto", "paper"}) {
    const std::string flags = " --label y --method lu --max-iterations 3 --preset " + preset;
    EXPECT_NE(run("cv " + data_ + flags).err.find(said), std::string::npos) << preset;
    EXPECT_NE(run("fit " + data_ + flags + " -o " + folder_.path("m.dyad")).err.find(said), std::string::npos)
        << preset;
    EXPECT_EQ(run("cv " + data_ + flags + " --quiet").err, "");
  }
  EXPECT_EQ(run("fit " + data_ + " --label y --method lu -o " + folder_.path("m.dyad")).err, "");
}

TEST_F(ModelCommands, SaysWhenTheRegressionOfSeveralClassesWasStopped) {
  std::string text = "a,b,y\n";
  for (int i = 0; i < 60; ++i)
    text +=
        std::to_string(i * 37 % 59) + "," + std::to_string(i * 53 % 41) + ",c" + std::to_string(i % 3) + "\n";
  const std::string fit =
      "fit " + folder_.file("three.csv", text) + " --label y -o " + folder_.path("m.dyad");
  EXPECT_NE(
      run(fit + " --max-iterations 1").err.find("the solver of the weights was stopped at step 1; raise"),
      std::string::npos);
  EXPECT_EQ(run(fit).err, "");
}

TEST_F(ModelCommands, FitWritesToStandardOutputToo) {
  const std::string model = fitted("--method nb");
  for (const std::string target : {"-", "/dev/stdout"}) {
    const Outcome outcome = run("fit " + data_ + " --label y --method nb -o " + target);
    EXPECT_EQ(outcome.code, 0);
    EXPECT_EQ(outcome.out, folder_.read("m.dyad"));
    EXPECT_NE(outcome.err.find("nb: 60 rows"), std::string::npos);
  }
}

TEST_F(ModelCommands, InterruptedFitLeavesNoFile) {
  const std::string data = folder_.file("larger.csv", test::class_csv(1500, 12, 2, 1));
  const auto before = folder_.count_files();
  const Outcome outcome =
      run("fit " + data + " --label y --engine exact --pairs cv -o " + folder_.path("new.dyad") +
          " & pid=$!; sleep 0.2; while kill -INT $pid 2>/dev/null; do sleep 0.3; done; wait $pid");
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_EQ(folder_.count_files(), before + 2);  // what the program printed to its two streams
}

TEST_F(ModelCommands, AWeightIsAsManyCopiesOfTheRow) {
  std::string weighted = "x,z,n,y\n";
  std::string copies = "x,z,y\n";
  for (int i = 0; i < 60; ++i) {
    const std::string row = std::to_string(i * 7 % 13 + i % 2) + "," + std::to_string(i * 5 % 11);
    const std::string label = i % 2 == 0 ? ",a\n" : ",b\n";
    weighted += row + "," + std::to_string(i % 3) + label;
    for (int k = 0; k < i % 3; ++k) copies += row + label;
  }
  const std::string out = " --label y -o " + folder_.path("model.dyad");
  ASSERT_EQ(run("fit " + folder_.file("weighted.csv", weighted) + " --weight n" + out).code, 0);
  const std::string model = folder_.read("model.dyad");
  ASSERT_EQ(run("fit " + folder_.file("copies.csv", copies) + out).code, 0);
  EXPECT_EQ(folder_.read("model.dyad"), model);
  expect_failure("fit " + folder_.path("weighted.csv") + " --weight m" + out, 1, "'m'");
}

TEST_F(ModelCommands, TinyClassesAreFitted) {
  std::string text = "x,z,y\n";
  for (int i = 0; i < 30; ++i) text += std::to_string(i * 7 % 13) + "," + std::to_string(i * 5 % 11) + ",a\n";
  for (const std::string rows : {"1,2,b\n", "1,2,b\n3,4,b\n"}) {
    const std::string data = folder_.file("tiny.csv", text + rows);
    EXPECT_EQ(run("cv " + data + " --label y").code, rows == "1,2,b\n" ? 1 : 0);
    EXPECT_EQ(run("fit " + data + " --label y -o " + folder_.path("tiny.dyad")).code, 0);
  }
}

TEST_F(ModelCommands, AFailedFitLeavesTheOldModel) {
  const std::string model = fitted();
  const std::string old = folder_.read("m.dyad");
  expect_failure("fit " + folder_.file("bad.csv", "x,y\n1,a\n2\n") + " --label y -o " + model, 1, "line 3");
  EXPECT_EQ(folder_.read("m.dyad"), old);
}

TEST_F(ModelCommands, KilledAtAnyMomentFitLeavesTheOldModelOrTheNew) {
  const std::string data = folder_.file("larger.csv", test::class_csv(300, 6, 2, 1));
  const std::string model = folder_.path("m.dyad");
  ASSERT_EQ(run("fit " + data + " --label y --method nb -o " + model).code, 0);
  const std::string old = folder_.read("m.dyad");
  const std::string fit = "fit " + data + " --label y --method slb- -o ";
  ASSERT_EQ(run(fit + folder_.path("other.dyad")).code, 0);
  const std::string fresh = folder_.read("other.dyad");
  for (const int milliseconds : {0, 1, 2, 5, 10, 20, 40, 60, 80, 100, 120, 150, 200, 300, 500}) {
    static_cast<void>(run(fit + model + " & pid=$!; sleep " + std::to_string(milliseconds / 1000.0) +
                          "; kill -9 $pid; wait $pid"));
    const std::string now = folder_.read("m.dyad");
    ASSERT_TRUE(now == old || now == fresh) << milliseconds << " ms: " << now.size() << " bytes";
  }
}

TEST_F(ModelCommands, CvPrintsReliability) {
  for (const std::string& data : {data_, three_}) {
    const Outcome outcome = run("cv " + data + " --label y --method nb --folds 3 --json");
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    const Json document = Json::parse(outcome.out);
    ASSERT_EQ(document["reliability"].size(), 10U);
    std::size_t rows = 0;
    double error = 0;
    for (const Json& bin : document["reliability"]) {
      const auto count = bin["rows"].get<std::size_t>();
      rows += count;
      EXPECT_EQ(bin["predicted"].is_null(), count == 0);
      if (count == 0) continue;
      EXPECT_GE(bin["predicted"], bin["from"]);
      EXPECT_LE(bin["predicted"], bin["to"]);
      error += static_cast<double>(count) / 60 *
               std::abs(bin["predicted"].get<double>() - bin["observed"].get<double>());
    }
    EXPECT_EQ(rows, 60U);
    EXPECT_NEAR(document["ece"].get<double>(), error, 1e-9);
    EXPECT_FALSE(document.contains("cost_mean"));
  }
  const std::string text = run("cv " + data_ + " --label y --method nb --folds 3").out;
  EXPECT_NE(text.find("probability of b: expected calibration error"), std::string::npos);
  EXPECT_EQ(text.find("equally frequent"), std::string::npos);  // they are
}

TEST_F(ModelCommands, CostsDecideWhatIsPredicted) {
  const auto count_b = [&](const std::string& flags) {
    const std::string model = fitted("--method nb " + flags);
    std::size_t count = 0;
    for (const std::string& line : test::lines_of(run("predict " + model + " " + data_).out))
      count += line == "b" ? 1U : 0U;
    return count;
  };
  const std::size_t plain = count_b("");
  const std::size_t cautious = count_b("--cost-of b:a=20");
  EXPECT_GT(cautious, plain);
  EXPECT_EQ(count_b("--cost-of '\"b\":\"a\"=20'"), cautious);
  const std::string costs = folder_.file("costs.csv", ",b,a\na,1,0\nb,0,20\n");
  EXPECT_EQ(count_b("--costs " + costs), cautious);
  EXPECT_EQ(count_b("--costs " + costs + " --cost-of b:a=1"), count_b("--cost-of b:a=1"));
  EXPECT_EQ(count_b("--cost-of a:b=100 --cost-of b:a=0"), 0U);
  const Json info = Json::parse(run("info " + fitted("--method nb --costs " + costs) + " --json").out);
  EXPECT_EQ(info["costs"], Json::parse("[[0,1],[20,0]]"));
  EXPECT_NE(run("info " + folder_.path("m.dyad")).out.find("b: 20 as a"), std::string::npos);
}

TEST_F(ModelCommands, CvReportsTheMeanCost) {
  const std::string flags = " --label y --method lu --folds 3 --cost-of b:a=20";
  const Outcome outcome = run("cv " + data_ + flags + " --json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Json document = Json::parse(outcome.out);
  const Json counts = document["confusion"];
  const double cost = (counts[0][1].get<double>() + 20 * counts[1][0].get<double>()) / 60;
  EXPECT_NEAR(document["cost_mean"].get<double>(), cost, 1e-9);
  double mean = 0;
  for (const Json& fold : document["folds"]) mean += fold["cost"].get<double>() / 3;
  EXPECT_NEAR(mean, cost, 1e-9);
  EXPECT_NEAR(document["error_mean"].get<double>(),
              (counts[0][1].get<double>() + counts[1][0].get<double>()) / 60, 1e-9);
  EXPECT_NE(run("cv " + data_ + flags).out.find("mean cost of a row"), std::string::npos);
}

TEST_F(ModelCommands, ClassWeightsAreThoseOfTheLibrary) {
  const std::string path = fitted("--method lu --class-weight b=3");
  const Table table = read_csv(data_, {.label = "y"});
  FitOptions options = preset_options(Preset::automatic, Method::lu);
  options.class_weight_values = {1, 3};
  EXPECT_EQ(folder_.read("m.dyad"), model_bytes(fit(table, options)));
  EXPECT_EQ(run("cv " + data_ + " --label y --method lu --folds 3 --class-weight a=0.5").code, 0);
}

TEST_F(ModelCommands, SayWhichClassFrequenciesProbabilitiesReferTo) {
  const std::string equal = "Probabilities are those of equally frequent classes.";
  const std::string weighted =
      "Probabilities are those of classes whose frequencies are multiplied by the class weights.";
  const std::string uneven =
      folder_.file("uneven.csv", "x,y\n1,a\n2,a\n3,b\n4,a\n2.5,a\n3.5,b\n2.2,a\n3.1,a\n5,b\n");
  const std::string path = folder_.path("m.dyad");
  for (const auto& [flags, note, name] :
       std::vector<std::array<std::string, 3>>{{"", "", "table"},
                                               {"--optimise balanced", equal, "equal"},
                                               {"--method nb --class-weights balanced", equal, "equal"},
                                               {"--method lu --class-weight b=3", weighted, "weighted"},
                                               {"--class-weights balanced --cost-of a:b=2", "", "table"}}) {
    const auto says = [&, &note = note](const std::string& text) {
      return note.empty() ? text.find("robabilities") == std::string::npos
                          : text.find(note) != std::string::npos;
    };
    const std::string more = " --label y " + flags;
    EXPECT_TRUE(says(run("fit " + uneven + more + " -o " + path).out)) << flags;
    EXPECT_TRUE(says(run("predict " + path + " " + uneven + " --proba").err)) << flags;
    EXPECT_EQ(run("predict " + path + " " + uneven).err, "") << flags;
    EXPECT_TRUE(says(run("cv " + uneven + more + " --folds 2").out)) << flags;
    EXPECT_EQ(Json::parse(run("info " + path + " --json").out)["class_frequencies"], name) << flags;
    EXPECT_EQ(run("info " + path).out.find("  probabilities ") == std::string::npos, note.empty()) << flags;
  }
}

TEST_F(ModelCommands, ClassesAreNamedAsInTheTable) {
  const std::string odd =
      folder_.file("odd.csv", "x,y\n1,a:b\n2,a:b\n3,\"q\"\"=\"\n4,\"q\"\"=\"\n2.5,a:b\n3.5,\"q\"\"=\"\n");
  const std::string to = " --label y -o " + folder_.path("m.dyad");
  EXPECT_EQ(run("fit " + odd + to + " --method lu --class-weight a:b=2 --class-weight 'q\"==2'").code, 0);
  EXPECT_EQ(run("fit " + odd + to + " --method nb --cost-of '\"a:b\":q\"==2'").code, 0);
  EXPECT_EQ(run("fit " + odd + to + " --method nb --cost-of '\"q\"\"=\":\"a:b\"=2'").code, 0);
  expect_failure("fit " + odd + to + " --method nb --cost-of 'a:b:q=2'", 1, "in double quotes");
  const std::string numbers = folder_.file("numbers.csv", "x,y\n1,0\n2,0\n3,1\n4,1\n2.5,0\n3.5,1\n");
  EXPECT_EQ(run("fit " + numbers + to + " --method lu --class-weight 1.0=2 --cost-of 0:1=4").code, 0);
  EXPECT_EQ(
      run("fit " + numbers + to + " --method nb --costs " + folder_.file("c.csv", "y,0,1\n0,0,4\n1,1,0\n"))
          .code,
      0);
}

TEST_F(ModelCommands, ClassFlagsThatMakeNoSenseAreErrors) {
  const std::string to = "fit " + data_ + " --label y -o " + folder_.path("m.dyad") + " ";
  expect_failure(to + "--class-weight c=2", 1,
                 "--class-weight 'c=2': no row is of class 'c'; the classes are 'a', 'b'");
  expect_failure(to + "--class-weight b", 1, "expected CLASS=W, got 'b'");
  expect_failure(to + "--class-weight b=-1", 1, "must be a number, between 0 and 1e+09, got '-1'");
  expect_failure(to + "--class-weight b=inf", 1, "must be a number, between 0 and 1e+09, got 'inf'");
  expect_failure(to + "--class-weight b=1e308", 1, "must be a number, between 0 and 1e+09, got '1e308'");
  expect_failure(to + "--class-weight b=0", 1,
                 "class_weight: expected positive weights of two classes or more, got 0 for 1 of 2 classes");
  expect_failure(to + "--cost-of a:c=2", 1, "no row is of class 'c'");
  expect_failure(to + "--cost-of ab=2", 1, "expected TRUE:PREDICTED=COST");
  expect_failure(to + "--cost-of '\"a:b=2'", 1, "a quote is not closed");
  expect_failure(to + "--cost-of a:b=-2", 1, "a cost must be a number, at least 0, got '-2'");
  const auto table = [&](const std::string& text) { return to + "--costs " + folder_.file("c.csv", text); };
  expect_failure(table("y,a,b\na,0,1\n"), 1, "got 1 x 2");
  expect_failure(table("y,a,b,c\na,0,1,1\nb,1,0,1\n"), 1, "got 2 x 3");
  expect_failure(table("y,a,c\na,0,1\nb,1,0\n"), 1, "no row is of class 'c'");
  expect_failure(table("y,a,b\na,0,1\na,1,0\n"), 1, "there is no row of class 'a'");
  expect_failure(table("y,a,b\na,0,-1\nb,1,0\n"), 1, "got -1 for 'a' predicted as 'b'");
  expect_failure(table("y,a,b\na,0,\nb,1,0\n"), 1, "got none for 'a' predicted as 'b'");
  expect_failure(table("y,a,b\na,0,x\nb,1,z\n"), 1, "column 'b' holds no numbers");
}

}  // namespace
}  // namespace dyad
