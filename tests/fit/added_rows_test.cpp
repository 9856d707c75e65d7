// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/fit/added_rows.h"

#include <gtest/gtest.h>

#include <numeric>

#include "dyad/base/random.h"
#include "tests/chunks.h"
#include "tests/model_samples.h"

namespace dyad {
namespace {

Chunk rows_drawn_by(std::uint64_t seed, std::size_t n = 600) {
  return chunk_of(test::class_table(n, 2, 2, seed));
}

AddedRows rows_from(std::uint64_t first, const Chunk& chunk) {
  AddedRows rows;
  rows.add(chunk, first);
  return rows;
}

void expect_apart(const AddedRows& a, const AddedRows& b, bool apart) {
  for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
    if (apart)
      EXPECT_NO_THROW(one.require_apart_from(other));
    else
      EXPECT_THROW(one.require_apart_from(other), std::invalid_argument);
  }
}

TEST(AddedRows, DoNotDependOnHowTheyAreCutAndAdded) {
  const Chunk chunk = rows_drawn_by(1);
  const auto whole = rows_from(7, chunk).runs();
  ASSERT_EQ(whole.size(), 1U);
  Random random(2);
  for (int repetition = 0; repetition < 20; ++repetition) {
    std::vector<std::size_t> cuts{0, 600};
    for (int k = 0; k < 5; ++k) cuts.push_back(random.below(600));
    std::ranges::sort(cuts);
    std::vector<AddedRows> parts;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k)
      parts.push_back(rows_from(7 + cuts[k], test::part_of(chunk, cuts[k], cuts[k + 1])));
    random.shuffle(parts);
    AddedRows all;
    for (const AddedRows& part : parts) {
      all.require_apart_from(part);
      all.add(part);
    }
    EXPECT_EQ(all.runs(), whole);
  }
}

TEST(AddedRows, OfPartsThatCountFromZeroAreKeptApart) {
  AddedRows all;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const AddedRows part = rows_from(0, rows_drawn_by(seed, 100 + 100 * (seed % 3)));
    expect_apart(all, part, true);
    all.add(part);
    expect_apart(all, part, false);
  }
  EXPECT_EQ(all.runs().size(), 5U);
}

TEST(AddedRows, WithNumbersThatOthersHaveAreRefused) {
  const Chunk chunk = rows_drawn_by(1);
  const AddedRows whole = rows_from(0, chunk);
  expect_apart(whole, rows_from(400, test::part_of(chunk, 400, 600)), false);
  expect_apart(whole, rows_from(599, test::part_of(chunk, 0, 10)), false);
  expect_apart(whole, rows_from(600, chunk), true);
  expect_apart(rows_from(10, chunk), rows_from(300, rows_drawn_by(2)), false);
  try {
    whole.require_apart_from(rows_from(400, test::part_of(chunk, 400, 600)));
  } catch (const std::invalid_argument& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 46), "rows numbered 400 to 599 are in both states, s");
  }
}

TEST(AddedRows, AreNumberedOnce) {
  const Chunk chunk = rows_drawn_by(1, 100);
  AddedRows rows = rows_from(200, chunk);
  const auto runs = rows.runs();
  for (const std::uint64_t first : {101U, 200U, 250U, 299U})
    EXPECT_THROW(rows.add(chunk, first), std::invalid_argument);
  EXPECT_EQ(rows.runs(), runs);
  rows.add(chunk, 100);
  rows.add(chunk, 300);
  EXPECT_NO_THROW(rows.add(test::part_of(chunk, 0, 0), 250));
  try {
    rows.add(chunk, 350);
    FAIL() << "rows 350 to 399 were added before";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(
        error.what(),
        "first_row: rows 350 to 449 overlap rows 100 to 399, which were added before; number each row once");
  }
}

TEST(AddedRows, ThatBeginOthersAreRefused) {
  const Chunk chunk = rows_drawn_by(1);
  const AddedRows whole = rows_from(0, chunk);
  expect_apart(whole, rows_from(0, test::part_of(chunk, 0, 200)), false);
  Chunk other = test::part_of(chunk, 0, 200);
  other.X(3, 1) += 1e-9;
  expect_apart(whole, rows_from(0, other), true);
  // A few rows may be equal by chance.
  expect_apart(whole, rows_from(0, test::part_of(chunk, 0, 31)), true);
  expect_apart(rows_from(0, test::part_of(chunk, 0, 31)), rows_from(0, test::part_of(chunk, 0, 31)), false);
}

TEST(AddedRows, DifferInEveryPartOfTheirContent) {
  const Chunk chunk = chunk_of(test::mixed_table({.n_rows = 40, .n_numbers = 1, .n_categories = 1}));
  std::vector<Chunk> others(4, chunk);
  others[0].X(5, 0) += 1;
  others[1].X(5, 1) = std::numeric_limits<double>::quiet_NaN();
  others[2].y[5] = 1 - others[2].y[5];
  others[3].weights.assign(40, 1);
  others[3].weights[5] = 2;
  for (const Chunk& other : others) EXPECT_NE(rows_from(0, other).runs(), rows_from(0, chunk).runs());
  // Levels are compared by name, not by code.
  Chunk recoded = chunk;
  auto& names = recoded.levels[1].names;
  std::ranges::reverse(names);
  for (double& code : recoded.X.column(1)) code = static_cast<double>(names.size() - 1) - code;
  EXPECT_EQ(rows_from(0, recoded).runs(), rows_from(0, chunk).runs());
}

TEST(AddedRows, HaveNumbersBelowALimit) {
  const Chunk chunk = rows_drawn_by(1, 10);
  EXPECT_NO_THROW(rows_from(most_row_numbers - 10, chunk));
  EXPECT_THROW(rows_from(most_row_numbers - 9, chunk), std::invalid_argument);
  EXPECT_THROW(rows_from(~std::uint64_t{0}, chunk), std::invalid_argument);
}

}  // namespace
}  // namespace dyad
