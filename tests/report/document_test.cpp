// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/document.h"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "dyad/evaluation/metrics.h"
#include "dyad/explanation/effects.h"
#include "dyad/explanation/purified_effects.h"
#include "dyad/explanation/shapes.h"
#include "dyad/exports/export.h"
#include "dyad/model/prediction.h"
#include "tests/explanation/models.h"
#include "tests/report/unpacked.h"

namespace dyad {
namespace {

using Json = nlohmann::json;
using test::ModelAndRows;

Json document_of(const ModelAndRows& of, const ReportOptions& options = {}, bool with_labels = true) {
  return Json::parse(report_document(of.model, {of.X, with_labels ? of.y : std::vector<std::int32_t>()},
                                     options, Execution{.threads = 2}));
}

std::vector<double> unpacked(const Json& packed) {
  return test::unpacked(packed["low"], packed["high"], packed["data"]);
}

void expect_same(const Json& packed, std::span<const double> values) {
  const auto found = unpacked(packed);
  ASSERT_EQ(found.size(), values.size());
  const double step = packed["high"].get<double>() - packed["low"].get<double>();
  for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(found[k], values[k], 1e-5 * step + 1e-12);
}

TEST(ReportDocument, HoldsTheExportedModelUnlessItIsTooLarge) {
  for (const ModelAndRows& of : test::some_models()) {
    SCOPED_TRACE(of.what);
    const std::string exported = export_model(of.model, ExportFormat::json);
    EXPECT_EQ(document_of(of, {.what_if_megabytes = 100})["predictor"], Json::parse(exported));
    EXPECT_TRUE(document_of(of, {.what_if_megabytes = 1e-6})["predictor"].is_null());
  }
}

TEST(ReportDocument, HasTheCurvesAndSurfacesOfTheModel) {
  for (const ModelAndRows& of : test::some_models()) {
    SCOPED_TRACE(of.what);
    const Json document = document_of(of);
    const PurifiedEffects purified = purified_effects(of.model);
    ASSERT_EQ(document["features"].size(), of.model.n_features);
    for (std::size_t j = 0; j < of.model.n_features; ++j) {
      const Json& feature = document["features"][j];
      const auto points = points_of(of.model, j, 97);
      EXPECT_EQ(feature["points"].size(), points.size());
      if (feature["curves"].is_null()) continue;
      const Matrix curve = effect_curve(of.model, purified, j, points);
      for (std::size_t k = 0; k < of.model.n_scores(); ++k)
        expect_same(feature["curves"][k], curve.column(k));
    }
    for (const Json& pair : document["pairs"]) {
      const std::size_t i = pair["i"];
      const std::size_t j = pair["j"];
      const auto drawn = [&](std::size_t feature) {
        std::vector<double> values;
        const auto points = points_of(of.model, feature, 97);
        for (const std::size_t place : document["features"][feature]["surface_points"])
          values.push_back(points[place]);
        return values;
      };
      const Matrix surface = effect_surface(of.model, purified, i, j, drawn(i), drawn(j));
      const Matrix densities = log_densities(of.model, i, j, drawn(i), drawn(j));
      ASSERT_FALSE(pair["surface"].is_null());
      for (std::size_t k = 0; k < of.model.n_scores(); ++k)
        expect_same(pair["surface"]["scores"][k], surface.column(k));
      for (std::size_t c = 0; c < of.model.n_classes(); ++c)
        expect_same(pair["surface"]["log_densities"][c], densities.column(c));
    }
  }
}

TEST(ReportDocument, HasRowsWhoseContributionsAddUp) {
  for (const ModelAndRows& of : test::some_models()) {
    SCOPED_TRACE(of.what);
    const Json document = document_of(of, {.rows = {5}});
    const Matrix expected = scores(of.model, of.X);
    std::set<std::size_t> rows;
    for (const Json& row : document["rows"]) {
      rows.insert(row["row"].get<std::size_t>());
      for (std::size_t k = 0; k < of.model.n_scores(); ++k) {
        const double score = expected(row["row"].get<std::size_t>() - 1, k);
        double by_effects =
            document["baselines"][k].get<double>() + row["other_effects"]["sum"][k].get<double>();
        for (const Json& effect : row["effects"]) by_effects += effect[2 + k].get<double>();
        double by_terms =
            document["intercepts"][k].get<double>() + row["other_terms"]["sum"][k].get<double>();
        for (const Json& term : row["terms"]) by_terms += term[2 + k].get<double>();
        EXPECT_NEAR(row["scores"][k].get<double>(), score, 1e-9 * (1 + std::abs(score)));
        EXPECT_NEAR(by_effects, row["effect_scores"][k].get<double>(), 1e-8 * (1 + std::abs(score)));
        EXPECT_NEAR(by_terms, score, 1e-8 * (1 + std::abs(score)));
      }
    }
    EXPECT_TRUE(rows.contains(6));
    EXPECT_GT(rows.size(), 20);
  }
}

TEST(ReportDocument, TellsTheQualityOnTheRows) {
  for (const ModelAndRows& of : test::some_models()) {
    SCOPED_TRACE(of.what);
    const Json document = document_of(of);
    const Matrix all_scores = scores(of.model, of.X);
    const Confusion counts = confusion(of.y, classify(of.model, all_scores), of.model.n_classes());
    const Json& quality = document["evaluation"];
    EXPECT_DOUBLE_EQ(quality["ber"].get<double>(), balanced_error_rate(counts));
    EXPECT_EQ(quality["confusion"].get<Confusion>(), counts);
    EXPECT_EQ(quality["roc"].size(), of.model.n_scores());
    EXPECT_EQ(quality["calibration"].size(), 10);
    EXPECT_EQ(document["dependence"]["trees"].size(), of.model.n_classes());
    EXPECT_EQ(document["settings"]["tried"].size(), of.model.settings.size());
  }
}

TEST(ReportDocument, WithoutLabelsLeavesOutQualityAndDependence) {
  const Json document = document_of(test::some_models()[0], {}, false);
  EXPECT_TRUE(document["evaluation"].is_null());
  EXPECT_TRUE(document["dependence"].is_null());
  EXPECT_TRUE(document["data"]["class_counts"].is_null());
  EXPECT_EQ(document["features"][0]["rows"].size(), 1);
  EXPECT_TRUE(document["rows"][0]["label"].is_null());
  EXPECT_TRUE(document["pairs"][0]["hsic"][0].is_null());
}

TEST(ReportDocument, LeavesOutSurfacesThatDoNotMatterMost) {
  const ModelAndRows of = test::some_models()[0];
  const Json all = document_of(of);
  const Json few = document_of(of, {.max_megabytes = 0.1});
  const auto n_drawn = [](const Json& document) {
    std::size_t count = 0;
    for (const Json& pair : document["pairs"])
      if (!pair["surface"].is_null()) ++count;
    return count;
  };
  EXPECT_EQ(n_drawn(all), all["pairs"].size());
  EXPECT_EQ(n_drawn(few), 2);
  EXPECT_FALSE(few["pairs"][0]["surface"].is_null());
  EXPECT_TRUE(few["pairs"].back()["surface"].is_null());
}

TEST(ReportDocument, KeepsNumbersBeyondTheRangeApartFromMissingOnes) {
  ModelAndRows of = test::some_models().back();
  ASSERT_TRUE(is_number(of.model, 0));
  of.X(0, 0) = 1e6;
  of.X(1, 0) = std::nan("");
  const Json document = document_of(of, {.rows = {0, 1}, .n_rows = 0});
  const std::size_t n_points = document["features"][0]["points"].size();
  EXPECT_EQ(document["rows"][0]["positions"][0], n_points - 2);
  EXPECT_EQ(document["rows"][0]["beyond"], Json::array({0}));
  EXPECT_EQ(document["rows"][0]["values"][0], 1e6);
  EXPECT_EQ(document["rows"][1]["positions"][0], n_points - 1);
  EXPECT_EQ(document["rows"][1]["beyond"], Json::array());
}

TEST(ReportDocument, IsTheSameForAnyNumberOfThreadsButForTimes) {
  const ModelAndRows of = test::some_models()[1];
  Json one = Json::parse(report_document(of.model, {of.X, of.y}, {}, Execution{.threads = 1}));
  Json three = Json::parse(report_document(of.model, {of.X, of.y}, {}, Execution{.threads = 3}));
  one.erase("timings");
  three.erase("timings");
  EXPECT_EQ(one, three);
}

TEST(ReportDocument, NeedsRowsThatFit) {
  const ModelAndRows of = test::some_models()[0];
  EXPECT_THROW(report_document(of.model, {Matrix(0, 4), {}}, {}), std::invalid_argument);
  EXPECT_THROW(report_document(of.model, {Matrix(3, 2), {}}, {}), std::invalid_argument);
  EXPECT_THROW(report_document(of.model, {of.X, {0, 1}}, {}), std::invalid_argument);
  EXPECT_THROW(report_document(of.model, {of.X, of.y}, {.rows = {120}}), std::invalid_argument);
  EXPECT_THROW(report_document(of.model, {of.X, of.y}, {.n_rows = -1}), std::invalid_argument);
}

TEST(ReportDocument, KnowsItsRowsTheBaselineAndTheCellsOfTrainingRows) {
  for (const ModelAndRows& of : test::some_models()) {
    SCOPED_TRACE(of.what);
    const Json document = document_of(of);
    EXPECT_EQ(document["data"]["training_share"], 1);
    const std::vector<double> class_rows(of.model.class_rows.begin(), of.model.class_rows.end());
    const Baseline baseline = baseline_of(class_rows, of.y);
    EXPECT_EQ(document["evaluation"]["baseline"]["class"], baseline.class_code);
    EXPECT_EQ(document["evaluation"]["baseline"]["error"], baseline.error);
    const PurifiedEffects purified = purified_effects(of.model);
    EXPECT_EQ(document["purified"]["effects"].size(), purified.effects.size());
    for (const Json& pair : document["pairs"]) {
      const auto drawn = [&](const Json& feature) {
        const auto points = points_of(of.model, feature, 97);
        std::vector<double> some;
        for (const std::size_t place : document["features"][feature.get<std::size_t>()]["surface_points"])
          some.push_back(points[place]);
        return some;
      };
      const std::string digits = pair["surface"]["with_rows"];
      const auto cells =
          cells_with_rows(of.model, purified, pair["i"], pair["j"], drawn(pair["i"]), drawn(pair["j"]));
      ASSERT_EQ(digits.size(), (cells.size() + 3) / 4);
      for (std::size_t k = 0; k < cells.size(); ++k)
        EXPECT_EQ((std::stoul(digits.substr(k / 4, 1), nullptr, 16) >> (k % 4)) & 1U, cells[k] ? 1U : 0U);
    }
  }
}

}  // namespace
}  // namespace dyad
