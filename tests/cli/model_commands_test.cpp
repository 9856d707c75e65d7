// The commands fit, predict, cv, explain and info, as a user runs them.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "dyad/io/model_file.h"
#include "dyad/model/fit.h"
#include "tests/cli/program.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

using Json = nlohmann::json;
using test::Outcome;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

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
      const auto lines = lines_of(outcome.out);
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
  const auto lines = lines_of(outcome.out);
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
  EXPECT_EQ(lines_of(run("predict " + model + " " + three_ + " --scores --proba").out)[0],
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
  expect_failure("predict " + model + " " + folder_.file("gap.csv", "x0,x1,x2\n1,2,3\n1,,3\n"), 1,
                 "gap.csv: column 'x1' has a missing value in row 2");
  expect_failure("predict " + model + " " + folder_.file("text.csv", "x0,x1,x2\n1,red,3\n1,blue,3\n"), 1,
                 "text.csv: column 'x1' is categorical");
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
    }
  }
  const std::string model = fitted();
  const Outcome text = run("explain " + model + " " + data_ + " --row 1 --top 2");
  EXPECT_NE(text.out.find("row 1: predicted"), std::string::npos) << text.out;
  const Json weights = Json::parse(run("explain " + model + " --json").out);
  EXPECT_EQ(weights["terms"].size(), load_model(model).terms.size());
  EXPECT_NE(run("explain " + model).out.find("weight"), std::string::npos);
  expect_failure("explain " + model + " " + data_ + " --row 61", 1,
                 "there is no row 61; the table has 60 rows");
  expect_failure("explain " + model + " " + data_ + " --row 0", 2,
                 "--row: must be a whole number, between 1 and");
  expect_failure("explain " + model + " " + data_ + " --row 1.5", 2, "--row: must be a whole number");
  expect_failure("explain " + model + " " + data_, 2, "--row");
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
  EXPECT_NE(run("info " + model).out.find("model file, version 3"), std::string::npos);
}

TEST_F(ModelCommands, FlagsOverrideThePreset) {
  const auto options = [&](const std::string& flags) {
    return Json::parse(run("info " + fitted(flags) + " --json").out)["options"];
  };
  const auto expected = [](const FitOptions& of) {
    Json json;
    FitOptions::describe(of, [&](std::string_view name, const auto& value, const auto& allowed, auto) {
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
            expected(preset_options(Preset::automatic, Method::tan, Objective::error)));
  EXPECT_EQ(options("--method lu --preset paper"), expected({.method = Method::lu}));

  FitOptions some = preset_options(Preset::automatic);
  some.cost = CostRule::given;
  some.svm.C = 3;
  EXPECT_EQ(options("--C 3"), expected(some));
  some.cost = CostRule::cv;
  EXPECT_EQ(options("--C 3 --cost cv"), expected(some));
  some = preset_options(Preset::automatic);
  some.linear_terms = false;
  EXPECT_EQ(options("--linear-terms false"), expected(some));
  EXPECT_EQ(options("--linear-terms true"), expected(preset_options(Preset::automatic)));
  some = preset_options(Preset::automatic);
  some.blend = Blend::never;
  some.prior_rows = 1;
  some.class_weights = ClassWeights::none;
  EXPECT_EQ(options("--blend never --prior-rows 1 --class-weights none"), expected(some));
  EXPECT_EQ(options("--preset paper --transform robust --prior-rows 2 --inner-folds 4"),
            expected({.transform = Transform::robust, .prior_rows = 2, .inner_folds = 4}));
}

TEST_F(ModelCommands, FlagsThatDoNotGoTogetherAreUsageErrors) {
  const std::string good = " --label y -o " + folder_.path("new.dyad");
  for (const std::string& command : {"fit " + data_ + good, "cv " + data_ + " --label y"}) {
    expect_failure(command + " --preset paper --optimise error", 2,
                   "--optimise: belongs to --preset auto, not to paper");
    expect_failure(command + " --optimise f1", 2, "--optimise");
    expect_failure(command + " --linear-terms maybe", 2, "--linear-terms");
    expect_failure(command + " --linear-terms", 2, "--linear-terms");
    expect_failure(command + " --preset paper --prior-rows 2", 2, "prior_rows needs features on one scale");
    expect_failure(command + " --transform none", 2, "transform must be standard or robust");
    expect_failure(command + " --settings best", 2, "linear_terms are part of averages");
    expect_failure(command + " --norm-bound 1", 2, "norm_bound is of a single SVM");
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
  EXPECT_NE(text.find("settings: the mean of 10 out of " + std::to_string(loaded.settings.size())),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("logistic loss of rows held out"), std::string::npos) << text;
  EXPECT_NE(text.find("3 asinh"), std::string::npos) << text;
  EXPECT_NE(run("info " + fitted("--optimise auc")).out.find("1 - AUC of rows held out"), std::string::npos);
  const Json paper = Json::parse(run("info " + fitted("--preset paper --method lu") + " --json").out);
  EXPECT_TRUE(paper["settings"].empty());
  EXPECT_TRUE(paper["coordinates"].empty());
  EXPECT_EQ(run("info " + model).out.find("settings: "), std::string::npos);
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
                 "has version 9, this program reads version 3");
}

TEST_F(ModelCommands, FlagsOfARuleForPairsChooseIt) {
  const auto rule = [&](const std::string& flags) {
    return Json::parse(run("info " + fitted(flags) + " --json").out)["options"]["pairs"].get<std::string>();
  };
  EXPECT_EQ(rule(""), "cv");
  EXPECT_EQ(rule("--fdr 0.2"), "fdr");
  EXPECT_EQ(rule("--n-pairs 2"), "count");
  EXPECT_EQ(rule("--pairs threshold --min-hsic 0.02"), "threshold");
  const std::string fit = "fit " + data_ + " --label y -o " + folder_.path("new.dyad");
  expect_failure(fit + " --pairs cv --fdr 0.2", 2, "--fdr: belongs to --pairs fdr, not to cv");
  expect_failure(fit + " --fdr 0.2 --n-pairs 3", 2, "--n-pairs: belongs to --pairs count, not to fdr");
}

TEST_F(ModelCommands, SaysWhenTheSvmWasStopped) {
  const std::string flags = " --label y --method lu --preset paper --max-iterations 3";
  EXPECT_NE(run("cv " + data_ + flags).err.find("an SVM was stopped at a duality gap of"), std::string::npos);
  EXPECT_NE(run("fit " + data_ + flags + " -o " + folder_.path("m.dyad")).err.find("an SVM was stopped"),
            std::string::npos);
  EXPECT_EQ(run("cv " + data_ + flags + " --quiet").err, "");
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
      run("fit " + data + " --label y --engine exact -o " + folder_.path("new.dyad") +
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

TEST_F(ModelCommands, HelpShowsAnExample) {
  for (const std::string command : {"fit", "predict", "cv", "screen", "explain", "info"}) {
    const Outcome help = run(command + " --help");
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find("Example: dyad " + command), std::string::npos) << help.out;
  }
}

}  // namespace
}  // namespace dyad
