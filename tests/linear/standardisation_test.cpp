// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/standardisation.h"
#include "dyad/base/float_rows.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "dyad/base/float_rows.h"
#include "dyad/base/random.h"
#include "dyad/linear/hinge_newton.h"
#include "tests/folder.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::expect_close;

FloatRows rows_of(const Matrix& X) {
  FloatRows rows(X.n_rows, X.n_cols);
  for (std::size_t i = 0; i < X.n_rows; ++i)
    for (std::size_t j = 0; j < X.n_cols; ++j) rows.row(i)[j] = static_cast<float>(X(i, j));
  return rows;
}

/// 3000 rows: several blocks, the last one not full. Column 1 is constant, column 2 far from 0.
Matrix sample() {
  Matrix X(3000, 5);
  X.data = test::normal_sample(X.data.size(), 1);
  for (double& value : X.column(1)) value = 0.1;
  for (double& value : X.column(2)) value = 1000 + 3 * value;
  // What single precision holds, for both forms to see the same numbers.
  for (double& value : X.data) value = static_cast<double>(static_cast<float>(value));
  return X;
}

TEST(FloatRows, BeginOnCacheLinesAndArePaddedWithZeros) {
  FloatRows X(3, 17);
  EXPECT_EQ(X.stride(), 32U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(X.row(i).data()) % 64, 0U);
    EXPECT_EQ(X.row(i).size(), 17U);
    std::ranges::fill(X.row(i), 1.0F);
  }
  const float* const data = X.row(0).data();
  for (std::size_t k = 0; k < 3 * 32; ++k) EXPECT_EQ(data[k], k % 32 < 17 ? 1.0F : 0.0F);
}

TEST(FloatRows, AreStandardisedAsColumnsOfDoublesAre) {
  const Matrix X = sample();
  const Standardisation expected = standardisation_of(X);
  const Matrix Z = standardised(X, expected);
  FloatRows rows = rows_of(X);
  const Standardisation actual = standardisation_of(rows);
  apply(actual, rows);
  EXPECT_EQ(actual.scale[1], 0);
  for (std::size_t j = 0; j < X.n_cols; ++j) {
    expect_close(actual.centre[j], expected.centre[j], 1e-12, "centre", 1e-15);
    expect_close(actual.scale[j], expected.scale[j], 1e-12);
    for (std::size_t i = 0; i < X.n_rows; ++i)
      EXPECT_NEAR(static_cast<double>(rows.row(i)[j]), Z(i, j), 1e-6);
  }
}

TEST(FloatRows, AreStandardisedToTheSameBitsByAnyNumberOfThreads) {
  FloatRows one = rows_of(sample());
  FloatRows three = rows_of(sample());
  const Standardisation a = standardisation_of(one, {.threads = 1});
  const Standardisation b = standardisation_of(three, {.threads = 3});
  apply(a, one, {.threads = 1});
  apply(b, three, {.threads = 3});
  EXPECT_EQ(a.centre, b.centre);
  EXPECT_EQ(a.scale, b.scale);
  for (std::size_t i = 0; i < one.n_rows(); ++i) EXPECT_TRUE(std::ranges::equal(one.row(i), three.row(i)));
}

TEST(FloatRows, TakeAStandardisationFromElsewhere) {
  FloatRows X(1, 2);
  X.row(0)[0] = 5;
  X.row(0)[1] = 7;
  apply({.centre = {1, 7}, .scale = {2, 0}}, X);
  EXPECT_EQ(X.row(0)[0], 2.0F);
  EXPECT_EQ(X.row(0)[1], 0.0F);
}

TEST(FloatRows, OfAMatrixAreItsRows) {
  const Matrix X = sample();
  const FloatRows expected = rows_of(X);
  const FloatRows rows = float_rows(X);
  ASSERT_EQ(rows.n_rows(), X.n_rows);
  for (std::size_t i = 0; i < X.n_rows; ++i) EXPECT_TRUE(std::ranges::equal(rows.row(i), expected.row(i)));
  const std::vector<std::size_t> some{3, 0, 3};
  const FloatRows few = gather(rows, some);
  ASSERT_EQ(few.n_rows(), 3U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_TRUE(std::ranges::equal(few.row(k), rows.row(some[k])));
}

TEST(FloatRows, OnADiskAreTheSame) {
  const test::Folder folder;
  FloatRows kept(3000, 21, folder.path(""));
  FloatRows rows(3000, 21);
  Random random(4);
  for (std::size_t i = 0; i < rows.n_rows(); ++i)
    for (std::size_t j = 0; j < rows.n_cols(); ++j)
      kept.row(i)[j] = rows.row(i)[j] =
          static_cast<float>(random.normal() + (j == 3 && i % 2 == 1 ? 1.0 : 0.0));
  EXPECT_EQ(folder.count_files(), 0);  // without a name, so that nothing can stay behind
  std::vector<std::uint32_t> all(3000);
  std::vector<double> signs(3000);
  for (std::size_t i = 0; i < 3000; ++i) {
    all[i] = static_cast<std::uint32_t>(i);
    signs[i] = i % 2 == 0 ? -1 : 1;
  }
  const std::vector<double> costs(3000, 1.0);
  apply(standardisation_of(rows), rows);
  apply(standardisation_of(kept), kept);
  FloatRows moved(1, 1);
  moved = std::move(kept);
  const auto in_memory = solve_linear(rows, all, 21, signs, costs, SvmOptions{}, {}, {});
  const auto on_disk = solve_linear(moved, all, 21, signs, costs, SvmOptions{}, {}, {});
  EXPECT_EQ(on_disk.w, in_memory.w);
  EXPECT_EQ(on_disk.intercept, in_memory.intercept);
}

TEST(FloatRows, OnADiskWithoutRoomAreRefused) {
  const test::Folder folder;
  const auto message = [](std::size_t n_rows, const std::string& path) -> std::string {
    try {
      const FloatRows rows(n_rows, 16, path);
      return "none";
    } catch (const std::runtime_error& error) {
      return error.what();
    }
  };
  EXPECT_EQ(message(10, folder.path("no")),
            folder.path("no") + ": cannot keep 0 MB there: No such file or directory");
  const std::string none = message(std::size_t{1} << 50U, folder.path(""));
  EXPECT_NE(none.find("cannot keep 68719476736 MB there: "), std::string::npos) << none;
  EXPECT_EQ(folder.count_files(), 0);
}

}  // namespace
}  // namespace dyad
