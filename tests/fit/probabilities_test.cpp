// The class frequencies that probabilities refer to, for every method.
// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dyad/fit/fit.h"
#include "dyad/fit/recipe.h"
#include "dyad/model/prediction.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

/// Rows of two or three classes, of which the last has a tenth and, of three, the second two tenths.
LabelledSample uneven_sample(std::size_t n, std::size_t n_classes, std::uint64_t seed) {
  const LabelledSample all = test::class_sample(n_classes * n, 3, n_classes, seed);
  std::vector<std::size_t> left(n_classes, n / 10);
  if (n_classes == 3) left[1] = n / 5;
  left[0] = n_classes == 3 ? n - n / 5 - n / 10 : n - n / 10;
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < all.n_rows(); ++i)
    if (std::size_t& count = left[static_cast<std::size_t>(all.y[i])]; count > 0) {
      --count;
      rows.push_back(i);
    }
  return rows_of(all, rows);
}

struct Case {
  std::string name;
  FitOptions options;
};

/// Every method with the preset auto and with that of the paper, averages and single SVMs.
std::vector<Case> cases(Objective objective) {
  std::vector<Case> list;
  for (const Preset preset : {Preset::automatic, Preset::paper})
    for (std::size_t m = 0; m < method_names.size(); ++m)
      list.push_back(
          {std::string(preset_names[static_cast<std::size_t>(preset)]) + " " + std::string(method_names[m]),
           preset_options(preset, static_cast<Method>(m), objective)});
  for (const Method method : {Method::slb, Method::lu})
    list.push_back({"auto, single " + std::string(name_of(method_names, method)),
                    preset_options(Preset::automatic, method, objective, SettingsRule::best)});
  FitOptions one_vs_rest = preset_options(Preset::automatic, Method::lu, objective);
  one_vs_rest.multiclass = Multiclass::one_vs_rest;
  list.push_back({"auto, one against the rest", one_vs_rest});
  FitOptions isotonic = preset_options(Preset::automatic, Method::nb, objective);
  isotonic.calibration = CalibrationRule::isotonic;
  list.push_back({"auto, isotonic nb", isotonic});
  return list;
}

/// Means of the probabilities of each class over the rows, or over classes of equal weight.
std::vector<double> mean_probabilities(const Model& model, const LabelledSample& rows, bool classes_alike) {
  const Matrix p = probabilities(model, scores(model, rows.X));
  const auto counts = class_counts(rows);
  std::vector<double> means(rows.n_classes);
  for (std::size_t i = 0; i < rows.n_rows(); ++i) {
    const double n = classes_alike
                         ? static_cast<double>(rows.n_classes) * counts[static_cast<std::size_t>(rows.y[i])]
                         : static_cast<double>(rows.n_rows());
    for (std::size_t k = 0; k < means.size(); ++k) means[k] += p(i, k) / n;
  }
  return means;
}

TEST(Probabilities, AreThoseOfTheTableForEveryMethod) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const LabelledSample sample = uneven_sample(600, n_classes, 1);
    const LabelledSample fresh = uneven_sample(4000, n_classes, 900);
    const auto counts = class_counts(fresh);
    for (const auto& [name, options] : cases(Objective::logloss)) {
      FitReport report;
      const Model model = fit(sample, options, {}, report);
      EXPECT_EQ(model.class_frequencies, ClassFrequencies::table) << name;
      const auto means = mean_probabilities(model, fresh, false);
      // Single SVMs of a class between two others hardly ever predict it, and the predicted class has the
      // largest probability.
      const bool single_svms = has_svm(options.method) && options.settings == SettingsRule::best;
      const double tolerance = n_classes == 3 && single_svms ? 0.05 : 0.03;
      for (std::size_t k = 0; k < n_classes; ++k)
        EXPECT_NEAR(means[k], counts[k] / 4000, tolerance) << name << ", " << n_classes << ", " << k;
    }
  }
}

TEST(Probabilities, AreThoseOfEquallyFrequentClassesForEveryMethodIfBalanced) {
  for (const std::size_t n_classes : {2U, 3U}) {
    const LabelledSample sample = uneven_sample(600, n_classes, 1);
    const LabelledSample fresh = uneven_sample(4000, n_classes, 900);
    const auto equal = 1 / static_cast<double>(n_classes);
    for (const auto& [name, options] : cases(Objective::balanced)) {
      FitReport report;
      const Model model = fit(sample, options, {}, report);
      EXPECT_EQ(model.class_frequencies, ClassFrequencies::equal) << name;
      const auto means = mean_probabilities(model, fresh, true);
      for (std::size_t k = 0; k < n_classes; ++k)
        EXPECT_NEAR(means[k], equal, 0.06) << name << ", " << n_classes << ", " << k;
      EXPECT_GT(mean_probabilities(model, fresh, false).back(), 0.16) << name << ", " << n_classes;
    }
  }
}

TEST(Probabilities, HaveFrequenciesMultipliedByClassWeights) {
  const LabelledSample sample = uneven_sample(600, 2, 1);
  const LabelledSample fresh = uneven_sample(4000, 2, 900);
  for (const Objective objective : {Objective::logloss, Objective::balanced})
    for (const Method method : {Method::slb, Method::nb, Method::tan}) {
      FitOptions options = preset_options(Preset::automatic, method, objective);
      options.class_weight_values = {1, 3};
      FitReport report;
      const Model model = fit(sample, options, {}, report);
      EXPECT_EQ(model.class_frequencies, ClassFrequencies::weighted);
      const double rare = objective == Objective::logloss ? 0.1 * 3 / (0.9 + 0.1 * 3) : 0.75;
      const Matrix p = probabilities(model, scores(model, fresh.X));
      double mean = 0;
      for (std::size_t i = 0; i < fresh.n_rows(); ++i)
        mean += p(i, 1) * (fresh.y[i] == 1 ? rare / 400 : (1 - rare) / 3600);
      EXPECT_NEAR(mean, rare, 0.06) << name_of(method_names, method);
    }
}

}  // namespace
}  // namespace dyad
