// The command export, as a user runs it.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/exports/export.h"

#include <gtest/gtest.h>

#include "dyad/io/model_file.h"
#include "tests/cli/program.h"

namespace dyad {
namespace {

class ExportCommand : public testing::Test {
 protected:
  [[nodiscard]] test::Outcome run(const std::string& arguments) const {
    return test::run_program(folder_, "export " + model_ + " " + arguments);
  }

  test::Folder folder_;
  std::string model_ = test::source_folder() + "/tests/data/models/v1/counts-3.dyad";
};

TEST_F(ExportCommand, WritesWhatTheLibraryDoes) {
  const Model model = load_model(model_);
  for (std::size_t format = 0; format < export_format_names.size(); ++format) {
    const test::Outcome outcome =
        run("--to " + std::string(export_format_names[format]) + " -o " + folder_.path("out"));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(folder_.read("out"), export_model(model, static_cast<ExportFormat>(format)));
  }
  ASSERT_EQ(run("--to onnx --contributions -o " + folder_.path("out")).code, 0);
  EXPECT_EQ(folder_.read("out"), export_model(model, ExportFormat::onnx, {.contributions = true}));
}

TEST_F(ExportCommand, WritesToStandardOutput) {
  EXPECT_EQ(run("--to json -o -").out, export_model(load_model(model_), ExportFormat::json));
}

TEST_F(ExportCommand, RefusesWhatItCannotDo) {
  const std::string file = " -o " + folder_.path("out");
  EXPECT_EQ(run("--to pmml" + file).code, 2);
  EXPECT_EQ(run(file).code, 2);
  EXPECT_EQ(run("--to c").code, 2);
  const test::Outcome outcome = run("--to c --contributions" + file);
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("--contributions requires --to onnx, got c"), std::string::npos) << outcome.err;
  EXPECT_EQ(folder_.read("out"), "");
}

}  // namespace
}  // namespace dyad
