// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/internal/quality.h"

#include "dyad/evaluation/metrics.h"
#include "dyad/evaluation/ranking_curves.h"
#include "dyad/model/description.h"
#include "dyad/weights/single_weights.h"

namespace dyad::internal {
namespace {

constexpr double curve_step = 0.004;

void add_curve(Json& list, std::size_t c, const char* area_name, const RankingCurve& curve) {
  if (curve.x.empty()) return;
  const RankingCurve drawn = thinned(curve, curve_step);
  list.push_back({{"class", c},
                  {area_name, short_number(curve.area)},
                  {"x", short_numbers(drawn.x)},
                  {"y", short_numbers(drawn.y)}});
}

}  // namespace

Json evaluation_part(const Model& model, const Predicted& predicted, std::span<const std::int32_t> y) {
  const Confusion counts = confusion(y, predicted.classes, model.n_classes());
  const Reliability bins = reliability(predicted.probabilities, y);
  // Means of no rows are not finite, which become null.
  const auto calibration = [](const ReliabilityBin& bin) -> Json {
    const auto n = static_cast<double>(bin.rows);
    return {{"rows", bin.rows},
            {"predicted", short_number(bin.predicted / n)},
            {"observed", short_number(bin.observed / n)}};
  };
  // The scores of three classes or more compare classes within a row, not rows within a class.
  const Matrix& ranked = model.n_scores() == 1 ? predicted.scores : predicted.probabilities;
  Json roc = Json::array();
  Json precision_recall = Json::array();
  for (std::size_t k = 0; k < ranked.n_cols; ++k) {
    const std::size_t c = model.n_scores() == 1 ? 1 : k;
    const auto signs = signs_of_score(y, model.n_classes(), k);
    add_curve(roc, c, "auc", roc_curve(ranked.column(k), signs));
    add_curve(precision_recall, c, "average_precision", precision_recall_curve(ranked.column(k), signs));
  }
  const Baseline baseline =
      baseline_of(std::vector<double>(model.class_rows.begin(), model.class_rows.end()), y);
  return {{"error", error_rate(counts)},
          {"ber", balanced_error_rate(counts)},
          {"auc", short_number(mean_area_under_curve(ranked, y, model.n_classes()))},
          {"log_loss", log_loss(predicted.probabilities, y)},
          {"calibration_error", calibration_error(bins)},
          {"baseline",
           {{"class", baseline.class_code}, {"error", baseline.error}, {"log_loss", baseline.log_loss}}},
          {"confusion", counts},
          {"roc", std::move(roc)},
          {"precision_recall", std::move(precision_recall)},
          {"calibration", list_of(bins, calibration)}};
}

Json settings_part(const Model& model) {
  const auto tried = [](const Setting& setting) -> Json {
    return {{"terms", setting.terms}, {"n_pairs", pairs_of(setting)},       {"C", setting.C},
            {"blend", setting.blend}, {"loss", short_number(setting.loss)}, {"averaged", setting.averaged}};
  };
  return {{"rule", option_of(model, "settings")},
          {"measure", measure_of_settings(model)},
          {"tried", list_of(model.settings, tried)}};
}

}  // namespace dyad::internal
