// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/value_text.h"

#include <gtest/gtest.h>

#include <set>

#include "dyad/explanation/shapes.h"
#include "tests/explanation/models.h"

namespace dyad {
namespace {

TEST(ValueText, TellsNeighboursApartHoweverLargeTheyAre) {
  Table table = test::class_table(200, 2, 2, 1);
  for (double& value : std::get<NumericColumn>(table.features[0].data).values) value = 1.7e9 + 1e4 * value;
  for (const FitOptions& options : {preset_options(Preset::paper), preset_options(Preset::automatic)}) {
    const auto of = test::fitted_to("time", table, options);
    const auto points = points_of(of.model, 0, 97);
    const ValueText text(of.model, 0);
    std::set<std::string> texts;
    for (const double point : points) texts.insert(text(point));
    EXPECT_EQ(texts.size(), points.size());
    EXPECT_EQ(text(1700000123), "1700000123");
    EXPECT_EQ(ValueText(of.model, 1)(0.25), "0.25");
  }
}

TEST(ValueText, NamesLevels) {
  const auto of = test::some_models().back();
  EXPECT_EQ(ValueText(of.model, 2)(1), "level 1");
  EXPECT_EQ(ValueText(of.model, 2)(4), other_levels);
}

}  // namespace
}  // namespace dyad
