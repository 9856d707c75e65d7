// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/counts/axis.h"

#include <gtest/gtest.h>

#include <limits>

namespace dyad {
namespace {

TEST(Axis, NodesLieAStepApart) {
  const Axis axis{.origin = -2, .step = 0.25, .size = 9};
  EXPECT_EQ(axis.node(0), -2);
  EXPECT_EQ(axis.node(3), -1.25);
  EXPECT_EQ(axis.last(), 0);
  EXPECT_EQ(axis.position(-1.375), 2.5);
}

TEST(Axis, PlaceIsThePositionRoundedTo256ths) {
  const Axis axis{.origin = 10, .step = 3, .size = 5};
  for (int k = 0; k <= 4 * 256; ++k)
    for (const double off : {-0.49, 0.0, 0.49}) {
      const double value = 10 + 3 * (k + off) / 256;
      EXPECT_EQ(axis.place(value), std::clamp(k, 0, 4 * 256)) << value;
    }
}

TEST(Axis, PlaceOfAValueOutsideIsThatOfTheEnd) {
  const Axis axis{.origin = 0, .step = 1, .size = most_nodes};
  const Place last = 255 * 256;
  for (const double value : {255.0, 256.0, 1e300, std::numeric_limits<double>::infinity()})
    EXPECT_EQ(axis.place(value), last) << value;
  for (const double value : {0.0, -1.0, -1e300, -std::numeric_limits<double>::infinity()})
    EXPECT_EQ(axis.place(value), 0) << value;
  const Axis one_node{.origin = 7, .step = 2, .size = 1};
  for (const double value : {6.0, 7.0, 8.0}) EXPECT_EQ(one_node.place(value), 0);
}

}  // namespace
}  // namespace dyad
