// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/vector_math.h"

#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <numbers>

#include "tests/samples.h"

namespace dyad {
namespace {

std::vector<float> float_sample(std::size_t n, std::uint64_t seed) {
  const auto x = test::normal_sample(n, seed);
  return {x.begin(), x.end()};
}

TEST(VectorMath, AddProductAddsTheProductOfMatricesOfAnySize) {
  for (const std::size_t n : {1U, 3U, 4U, 9U})
    for (const std::size_t k : {0U, 1U, 17U})
      for (const std::size_t m : {1U, 15U, 16U, 17U, 35U}) {
        const auto A = float_sample(n * k, 1);
        const auto B = float_sample(k * m, 2);
        const auto before = float_sample(n * m, 3);
        auto out = before;
        add_product(n, k, m, A.data(), B.data(), out.data());
        for (std::size_t i = 0; i < n; ++i)
          for (std::size_t j = 0; j < m; ++j) {
            double expected = static_cast<double>(before[i * m + j]);
            for (std::size_t t = 0; t < k; ++t)
              expected += static_cast<double>(A[i * k + t]) * static_cast<double>(B[t * m + j]);
            ASSERT_NEAR(static_cast<double>(out[i * m + j]), expected, 2e-5)
                << n << " x " << k << " x " << m << " at " << i << ", " << j;
          }
      }
}

TEST(VectorMath, ConvolveIsTheSumOverNeighboursAtAnyStride) {
  for (const std::size_t size : {1U, 7U, 8U, 9U, 31U, 33U, 70U})
    for (const std::size_t stride : {1U, 2U, 71U})
      for (const std::size_t width : {1U, 2U, 9U}) {
        const std::size_t reach = (width - 1) * stride;
        const auto in = test::normal_sample(size + 2 * reach, 4);
        const auto kernel = test::normal_sample(width, 5);
        std::vector<double> out(size, 1e9);
        convolve(in.data() + reach, static_cast<std::ptrdiff_t>(stride), kernel, out);
        for (std::size_t i = 0; i < size; ++i) {
          double expected = kernel[0] * in[i + reach];
          for (std::size_t t = 1; t < width; ++t)
            expected += kernel[t] * (in[i + reach - t * stride] + in[i + reach + t * stride]);
          ASSERT_NEAR(out[i], expected, 1e-12) << size << ", stride " << stride << ", width " << width;
        }
      }
}

TEST(VectorMath, AllFiniteFindsOneBadValueAnywhere) {
  EXPECT_TRUE(all_finite({}));
  for (std::size_t n = 1; n < 40; ++n) {
    std::vector<double> x(n, std::numeric_limits<double>::max());
    x.front() = std::numeric_limits<double>::denorm_min();
    x.back() = -std::numeric_limits<double>::max();
    EXPECT_TRUE(all_finite(x));
    for (const double bad :
         {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
          std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN()})
      for (std::size_t at = 0; at < n; ++at) {
        auto broken = x;
        broken[at] = bad;
        EXPECT_FALSE(all_finite(broken)) << bad << " at " << at << " of " << n;
      }
  }
}

TEST(VectorMath, ToFloatsRoundsEveryCount) {
  std::vector<std::int64_t> counts;
  for (std::int64_t k = 0; k < 37; ++k) counts.push_back((std::int64_t{1} << k) + k);
  std::vector<float> out(counts.size());
  to_floats(counts, out.data());
  for (std::size_t k = 0; k < counts.size(); ++k) EXPECT_EQ(out[k], static_cast<float>(counts[k]));
}

TEST(VectorMath, AddCountsNeedsMoreThan32Bits) {
  for (const std::size_t n : {1U, 7U, 8U, 19U}) {
    std::vector<std::uint32_t> from(n, 0xffffffffU);
    from.back() = 5;
    std::vector<std::int64_t> to(n, 3);
    add_counts(from, to.data());
    add_counts(from, to.data());
    for (std::size_t k = 0; k < n; ++k) EXPECT_EQ(to[k], 3 + 2 * static_cast<std::int64_t>(from[k]));
  }
}

TEST(VectorMath, LogarithmsAreGoodOverTheWholeRange) {
  std::vector<double> x{1,
                        std::nextafter(1, 0),
                        std::nextafter(1, 2),
                        std::sqrt(0.5),
                        std::nextafter(std::sqrt(0.5), 0),
                        std::numbers::sqrt2,
                        std::numeric_limits<double>::min(),
                        std::numeric_limits<double>::max()};
  Random random(6);
  for (std::uint64_t exponent = 1; exponent < 2047; ++exponent)
    for (int k = 0; k < 9; ++k) x.push_back(std::bit_cast<double>(exponent << 52U | random.next() >> 12U));
  for (int k = 0; k < 1000; ++k) x.push_back(std::exp(random.uniform() - 0.5));
  auto logs = x;
  take_logarithms(logs);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(logs[i], std::log(x[i]), 1e-12) << x[i];
}

TEST(VectorMath, AddInLogarithmsIsTheLogarithmOfASum) {
  Random random(8);
  std::vector<double> a{0, 1, -1e6, 3e5, -745, 0, 0, 1e-300};
  std::vector<double> b{0, 1, -1e6, -7e5, 0, -1e6, -36.7, 0};
  for (const double reach : {1e-9, 1.0, 30.0, 800.0, 1e6})
    for (int k = 0; k < 200; ++k) {
      a.push_back(reach * (random.uniform() - 0.5));
      b.push_back(a.back() + reach * (random.uniform() - 0.5));
    }
  auto sums = b;
  add_in_logarithms(a, sums);
  for (std::size_t i = 0; i < a.size(); ++i) {
    const long double larger = std::max(a[i], b[i]);
    const long double expected = larger + std::log(std::exp(static_cast<long double>(a[i]) - larger) +
                                                   std::exp(static_cast<long double>(b[i]) - larger));
    ASSERT_NEAR(sums[i], static_cast<double>(expected),
                1e-12 * std::max(1.0, std::abs(static_cast<double>(expected))))
        << a[i] << ", " << b[i];
  }
  for (std::size_t n = 0; n < 20; ++n) {  // any length gives the same values, and no more of them
    std::vector<double> part(b.begin(), b.begin() + 20);
    add_in_logarithms(std::span(a).first(n), std::span(part).first(n));
    for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(part[i], i < n ? sums[i] : b[i]) << n;
  }
}

TEST(VectorMath, AddNLogNTakesSmallNumbersForZero) {
  const std::vector<double> n{0, 1e-13, 1, 2.5, 1000, 3, 4, 5, 6, 7};
  std::vector<double> sums(n.size(), 1);
  add_n_log_n(n, -2, 1e-12, sums);
  for (std::size_t i = 0; i < n.size(); ++i)
    EXPECT_NEAR(sums[i], i < 2 ? 1 : 1 - 2 * n[i] * std::log(n[i]), 1e-8) << n[i];
}

}  // namespace
}  // namespace dyad
