// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/internal/quality.h"

#include "dyad/evaluation/metrics.h"
#include "dyad/evaluation/ranking_curves.h"
#include "dyad/model/description.h"

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
  Json calibration = Json::array();
  for (const ReliabilityBin& bin : bins) {
    const auto n = static_cast<double>(bin.rows);
    calibration.push_back({{"rows", bin.rows},
                           {"predicted", bin.rows > 0 ? short_number(bin.predicted / n) : Json()},
                           {"observed", bin.rows > 0 ? short_number(bin.observed / n) : Json()}});
  }
  Json roc = Json::array();
  Json precision_recall = Json::array();
  for (std::size_t c = model.n_scores() == 1 ? 1 : 0; c < model.n_classes(); ++c) {
    std::vector<double> signs(y.size());
    std::ranges::transform(y, signs.begin(), [&](std::int32_t code) {
      return code == static_cast<std::int32_t>(c) ? 1.0 : -1.0;
    });
    const auto ranked =
        model.n_scores() == 1 ? predicted.scores.column(0) : predicted.probabilities.column(c);
    add_curve(roc, c, "auc", roc_curve(ranked, signs));
    add_curve(precision_recall, c, "average_precision", precision_recall_curve(ranked, signs));
  }
  return {
      {"error", error_rate(counts)},
      {"ber", balanced_error_rate(counts)},
      {"auc", short_number(mean_area_under_curve(
                  model.n_scores() == 1 ? predicted.scores : predicted.probabilities, y, model.n_classes()))},
      {"log_loss", log_loss(predicted.probabilities, y)},
      {"calibration_error", calibration_error(bins)},
      {"confusion", counts},
      {"roc", std::move(roc)},
      {"precision_recall", std::move(precision_recall)},
      {"calibration", std::move(calibration)}};
}

Json settings_part(const Model& model) {
  Json tried = Json::array();
  for (const Setting& setting : model.settings)
    tried.push_back({{"terms", setting.terms},
                     {"n_pairs", pairs_of(setting)},
                     {"C", setting.C},
                     {"blend", setting.blend},
                     {"loss", short_number(setting.loss)},
                     {"averaged", setting.averaged}});
  return {{"rule", option_of(model, "settings")},
          {"measure", measure_of_settings(model)},
          {"tried", std::move(tried)}};
}

}  // namespace dyad::internal
