// Model files of every version, with the scores they gave when they were written: they must load for ever.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <sstream>
#include <string>
#include <type_traits>
#include <vector>

#include "dyad/base/random.h"
#include "dyad/base/text.h"
#include "dyad/fit/options.h"
#include "dyad/io/byte_source.h"
#include "dyad/io/csv.h"
#include "dyad/io/model_file.h"
#include "dyad/io/output_file.h"
#include "dyad/model/prediction.h"
#include "tests/io/older_file.h"
#include "tests/places.h"

namespace dyad {
namespace {

namespace fs = std::filesystem;

const fs::path models_folder = fs::path(test::source_folder()) / "tests/data/models";

std::vector<fs::path> kept_models() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::recursive_directory_iterator(models_folder))
    if (entry.path().extension() == ".dyad") paths.push_back(entry.path());
  std::ranges::sort(paths);
  return paths;
}

/// Values near 0 and far from it, and every level of the categories.
Matrix some_rows(const Model& model) {
  Matrix X(12, model.n_features);
  Random random(7);
  for (std::size_t j = 0; j < X.n_cols; ++j)
    for (std::size_t i = 0; i < X.n_rows; ++i) {
      const bool is_number = model.levels.empty() || model.levels[j].is_number();
      X(i, j) = is_number ? random.normal() * std::exp2(static_cast<double>(i % 6))
                          : static_cast<double>(i % std::max<std::size_t>(1, model.levels[j].size()));
    }
  return X;
}

Matrix read_matrix(const fs::path& path) {
  const Table table = read_csv(path.string(), {});
  Matrix result(table.n_rows, table.features.size());
  for (std::size_t j = 0; j < result.n_cols; ++j)
    std::ranges::copy(std::get<NumericColumn>(table.features[j].data).values, result.column(j).begin());
  return result;
}

/// Rows, their scores and their probabilities, side by side.
Matrix predicted(const Model& model, const Matrix& X) {
  const Matrix scores_of_rows = scores(model, X);
  const Matrix p = probabilities(model, scores_of_rows);
  Matrix result(X.n_rows, X.n_cols + scores_of_rows.n_cols + p.n_cols);
  auto out = result.data.begin();
  for (const Matrix* part : {&X, &scores_of_rows, &p}) out = std::ranges::copy(part->data, out).out;
  return result;
}

std::string csv_text(const Matrix& values) {
  std::string text;
  for (std::size_t j = 0; j < values.n_cols; ++j) text += (j == 0 ? "v" : ",v") + std::to_string(j);
  for (std::size_t i = 0; i < values.n_rows; ++i)
    for (std::size_t j = 0; j < values.n_cols; ++j) text += (j == 0 ? "\n" : ",") + number_text(values(i, j));
  return text + "\n";
}

TEST(KeptModels, LoadAndPredictAsTheyDid) {
  const auto paths = kept_models();
  ASSERT_GE(paths.size(), 10U);
  for (const fs::path& path : paths) {
    const Model model = load_model(path.string());
    fs::path told = path;
    told.replace_extension(".csv");
    // For a model that is new in the folder: its rows, scores and probabilities are written once, and kept.
    if (!fs::exists(told) && std::getenv("DYAD_KEEP") != nullptr)  // NOLINT(concurrency-mt-unsafe)
      write_file(told.string(), csv_text(predicted(model, some_rows(model))));
    ASSERT_TRUE(fs::exists(told)) << told << " is missing; DYAD_KEEP=1 writes it";
    const Matrix expected = read_matrix(told);
    Matrix X(expected.n_rows, model.n_features);
    std::copy_n(expected.data.begin(), X.data.size(), X.data.begin());
    const Matrix found = predicted(model, X);
    ASSERT_EQ(found.data.size(), expected.data.size()) << path;
    for (std::size_t k = 0; k < found.data.size(); ++k)
      EXPECT_NEAR(found.data[k], expected.data[k], 1e-6 * (1 + std::abs(expected.data[k])))
          << path << " " << k;
  }
}

TEST(KeptModels, KnowTheClassFrequenciesThatProbabilitiesReferTo) {
  std::map<ClassFrequencies, std::vector<std::string>> names;
  for (const fs::path& path : kept_models())
    names[load_model(path.string()).class_frequencies].push_back(path.stem().string());
  EXPECT_EQ(
      names[ClassFrequencies::equal],
      (std::vector<std::string>{"balanced-2", "exact-auto-2", "levels-auto-2", "levels-auto-3", "tan"}));
  EXPECT_EQ(names[ClassFrequencies::weighted], std::vector<std::string>{"weighted-3"});
}

TEST(KeptModels, OfThisVersionAreWrittenAsTheyWere) {
  std::size_t n_files = 0;
  for (const fs::path& path : kept_models()) {
    if (path.parent_path().filename() != "v" + std::to_string(model_file_version)) continue;
    const std::string bytes = read_all(path.string());
    const std::string written = model_bytes(model_from_bytes(bytes, path.string()));
    const bool is_older = test::without_frequencies(bytes) == bytes;
    EXPECT_EQ(is_older ? test::without_frequencies(written) : written, bytes) << path;
    ++n_files;
  }
  EXPECT_GE(n_files, 10U);
}

/// Every name and choice, a line each: "engine exact".
std::string option_lines() {
  std::string lines;
  const FitOptions options;
  FitOptions::describe(options, [&](std::string_view name, const auto& value, const auto& allowed, auto) {
    const auto add = [&](std::string_view text) {
      lines += std::string(name) + " " + std::string(text) + "\n";
    };
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
      std::ranges::for_each(allowed, add);
    else
      add(option_text(value, allowed));
  });
  return lines;
}

TEST(KeptModels, HaveOptionsThatAreStillUnderstood) {
  const fs::path path = models_folder / "v1/options.txt";
  if (!fs::exists(path) && std::getenv("DYAD_KEEP") != nullptr)  // NOLINT(concurrency-mt-unsafe)
    write_file(path.string(), option_lines());
  std::istringstream lines(read_all(path.string()));
  std::string name;
  std::string value;
  std::size_t n_lines = 0;
  for (; lines >> name >> value; ++n_lines)
    EXPECT_NO_THROW(static_cast<void>(options_from({{name, value}}))) << name << " " << value;
  EXPECT_GT(n_lines, 50U);
  EXPECT_EQ(options_from({{"optimise", "error"}}).optimise, Objective::logloss);
}

}  // namespace
}  // namespace dyad
