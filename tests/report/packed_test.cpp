// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/report/packed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/report/unpacked.h"
#include "tests/samples.h"

namespace dyad {
namespace {

TEST(Base64, IsThatOfTheStandard) {
  const auto of = [](const std::string& text) {
    return base64(std::vector<std::uint8_t>(text.begin(), text.end()));
  };
  EXPECT_EQ(of(""), "");
  EXPECT_EQ(of("f"), "Zg==");
  EXPECT_EQ(of("fo"), "Zm8=");
  EXPECT_EQ(of("foo"), "Zm9v");
  EXPECT_EQ(of("foobar"), "Zm9vYmFy");
  EXPECT_EQ(of(std::string("\xff\xfe\xfd", 3)), "//79");
}

TEST(Packed, GivesValuesBackToASixtyThousandthOfTheirRange) {
  auto values = test::normal_sample(500, 1);
  values[7] = std::nan("");
  const Packed small = packed(values);
  const auto back = test::unpacked(small.low, small.high, small.data);
  ASSERT_EQ(back.size(), values.size());
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (k == 7)
      EXPECT_TRUE(std::isnan(back[k]));
    else
      EXPECT_NEAR(back[k], values[k], (small.high - small.low) / 131000);
  }
}

TEST(Packed, TakesConstantAndMissingValues) {
  const Packed constant = packed(std::vector<double>{3, 3});
  EXPECT_EQ(test::unpacked(constant.low, constant.high, constant.data), (std::vector<double>{3, 3}));
  const Packed none = packed(std::vector<double>{std::nan("")});
  EXPECT_TRUE(std::isnan(test::unpacked(none.low, none.high, none.data)[0]));
  EXPECT_EQ(packed({}).data, "");
}

}  // namespace
}  // namespace dyad
