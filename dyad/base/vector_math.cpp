// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/base/vector_math.h"

#include <algorithm>
#include <cstring>

#include "dyad/base/exponential.h"
#include "dyad/base/simd.h"

namespace dyad {
namespace {

/// Sixteen floats or eight doubles, in as many registers as the machine needs for them.
using Floats [[gnu::vector_size(64)]] = float;
using Doubles [[gnu::vector_size(64)]] = double;
constexpr std::size_t tile_columns = sizeof(Floats) / sizeof(float);
constexpr std::size_t tile_rows = 4;

/// By reference: how vectors are returned depends on the instruction set.
template <class Vector, class Number>
[[gnu::always_inline]] inline void load(const Number* from, Vector& to) {
  std::memcpy(&to, from, sizeof(Vector));
}

/// One tile of out, which stays in registers while k runs.
template <std::size_t Rows>
[[gnu::always_inline]] inline void add_tile(std::size_t k, std::size_t m, const float* A, const float* B,
                                            float* out) {
  std::array<Floats, Rows> sums{};
  for (std::size_t t = 0; t < k; ++t) {
    Floats b;
    load(B + t * m, b);
    for (std::size_t r = 0; r < Rows; ++r) sums[r] += A[r * k + t] * b;
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    Floats sum;
    load(out + r * m, sum);
    sum += sums[r];
    std::memcpy(out + r * m, &sum, sizeof(Floats));
  }
}

/// What is left of a row of out beside the tiles.
[[gnu::always_inline]] inline void add_rest(std::size_t k, std::size_t m, const float* A, const float* B,
                                            std::size_t columns, float* out) {
  for (std::size_t t = 0; t < k; ++t)
    for (std::size_t c = 0; c < columns; ++c) out[c] += A[t] * B[t * m + c];
}

constexpr std::size_t lanes = sizeof(Doubles) / sizeof(double);

/// `Chains` vectors of the convolution: independent sums keep the arithmetic units busy.
template <std::size_t Chains>
[[gnu::always_inline]] inline void convolve_vectors(const double* in, std::ptrdiff_t stride,
                                                    const double* kernel, std::ptrdiff_t reach, double* out) {
  std::array<Doubles, Chains> sums{};
  for (std::ptrdiff_t t = -reach; t <= reach; ++t)
    for (std::size_t c = 0; c < Chains; ++c) {
      Doubles values;
      load(in + t * stride + static_cast<std::ptrdiff_t>(c * lanes), values);
      sums[c] += kernel[t < 0 ? -t : t] * values;
    }
  std::memcpy(out, sums.data(), sizeof(sums));
}

/// log x of a normal number, to 1e-12.
[[gnu::always_inline]] inline double logarithm(double x) {
  // x = 2^e m with m near 1; log m = 2 atanh((m - 1) / (m + 1)).
  constexpr std::int64_t centre = 0x3fe6a09e667f3bcd;  // bits of sqrt(1/2)
  constexpr std::int64_t mantissa = 0x000fffffffffffff;
  const auto bits = std::bit_cast<std::int64_t>(x);
  const std::int64_t shifted = bits - centre;
  const std::int64_t exponent = shifted >> 52;
  const auto m = std::bit_cast<double>((shifted & mantissa) + centre);
  const double s = (m - 1) / (m + 1);
  const double z = s * s;
  const double series =
      1 + z * (1.0 / 3 + z * (1.0 / 5 + z * (1.0 / 7 + z * (1.0 / 9 + z * (1.0 / 11 + z * (1.0 / 13))))));
  return static_cast<double>(static_cast<std::int32_t>(exponent)) * std::numbers::ln2 + 2 * s * series;
}

}  // namespace

DYAD_SIMD void add_product(std::size_t n, std::size_t k, std::size_t m, const float* A, const float* B,
                           float* out) {
  if (k == 0) return;  // there may be no matrices to point into
  const std::size_t tiled_columns = m / tile_columns * tile_columns;
  const std::size_t tiled_rows = n / tile_rows * tile_rows;
  for (std::size_t c = 0; c < tiled_columns; c += tile_columns) {
    for (std::size_t r = 0; r < tiled_rows; r += tile_rows)
      add_tile<tile_rows>(k, m, A + r * k, B + c, out + r * m + c);
    for (std::size_t r = tiled_rows; r < n; ++r) add_tile<1>(k, m, A + r * k, B + c, out + r * m + c);
  }
  for (std::size_t r = 0; r < n && tiled_columns < m; ++r)
    add_rest(k, m, A + r * k, B + tiled_columns, m - tiled_columns, out + r * m + tiled_columns);
}

DYAD_SIMD double squared_difference(std::size_t n, std::size_t m, const float* M, double unit, const float* a,
                                    const float* b, double outer_unit) {
  constexpr std::size_t chains = 8;
  double sums[chains] = {};
  for (std::size_t r = 0; r < n; ++r) {
    const float* const row = M + r * m;
    const double factor = outer_unit * static_cast<double>(a[r]);
    std::size_t c = 0;
    for (; c + chains <= m; c += chains)
      for (std::size_t k = 0; k < chains; ++k) {
        const double entry = unit * static_cast<double>(row[c + k]) - factor * static_cast<double>(b[c + k]);
        sums[k] += entry * entry;
      }
    for (; c < m; ++c) {
      const double entry = unit * static_cast<double>(row[c]) - factor * static_cast<double>(b[c]);
      sums[0] += entry * entry;
    }
  }
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

DYAD_SIMD void convolve(const double* in, std::ptrdiff_t stride, std::span<const double> kernel,
                        std::span<double> out) {
  const auto reach = static_cast<std::ptrdiff_t>(kernel.size()) - 1;
  const double* const weights = kernel.data();
  std::size_t i = 0;
  for (; i + 4 * lanes <= out.size(); i += 4 * lanes)
    convolve_vectors<4>(in + i, stride, weights, reach, out.data() + i);
  for (; i + lanes <= out.size(); i += lanes)
    convolve_vectors<1>(in + i, stride, weights, reach, out.data() + i);
  for (; i < out.size(); ++i) {
    double sum = 0;
    for (std::ptrdiff_t t = -reach; t <= reach; ++t)
      sum += weights[t < 0 ? -t : t] * in[static_cast<std::ptrdiff_t>(i) + t * stride];
    out[i] = sum;
  }
}

DYAD_SIMD Extremes extremes(std::span<const double> x) {
  // Several at once, which the compiler may turn into vectors.
  constexpr std::size_t chains = 8;
  double least[chains];
  double greatest[chains];
  for (std::size_t c = 0; c < chains; ++c) least[c] = greatest[c] = x[0];
  const double* const values = x.data();
  std::size_t i = 0;
  for (; i + chains <= x.size(); i += chains)
    for (std::size_t c = 0; c < chains; ++c) {
      least[c] = values[i + c] < least[c] ? values[i + c] : least[c];
      greatest[c] = values[i + c] > greatest[c] ? values[i + c] : greatest[c];
    }
  for (; i < x.size(); ++i) {
    least[0] = values[i] < least[0] ? values[i] : least[0];
    greatest[0] = values[i] > greatest[0] ? values[i] : greatest[0];
  }
  return {*std::ranges::min_element(least), *std::ranges::max_element(greatest)};
}

DYAD_SIMD bool all_finite(std::span<const double> x) {
  constexpr std::uint64_t exponent = 0x7ff0000000000000;
  const double* const values = x.data();
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    count += (std::bit_cast<std::uint64_t>(values[i]) & exponent) == exponent ? 1U : 0U;
  return count == 0;
}

DYAD_SIMD void to_floats(std::span<const std::int64_t> in, float* out) {
  const std::int64_t* const from = in.data();
  for (std::size_t i = 0; i < in.size(); ++i) out[i] = static_cast<float>(from[i]);
}

DYAD_SIMD void add_counts(std::span<const std::uint32_t> from, std::int64_t* to) {
  const std::uint32_t* const counts = from.data();
  for (std::size_t i = 0; i < from.size(); ++i) to[i] += counts[i];
}

DYAD_SIMD void add_n_log_n(std::span<const double> n, double factor, double least, std::span<double> sums) {
  for (std::size_t i = 0; i < n.size(); ++i) {
    const double number = n[i] < least ? 1 : n[i];
    sums[i] += factor * number * logarithm(number);
  }
}

DYAD_SIMD void take_logarithms(std::span<double> x) {
  for (double& value : x) value = logarithm(value);
}

DYAD_SIMD void add_in_logarithms(std::span<const double> from, std::span<double> to) {
  const double* const a = from.data();
  double* const b = to.data();
  for (std::size_t i = 0; i < to.size(); ++i) {
    const double larger = a[i] > b[i] ? a[i] : b[i];
    const double smaller = a[i] > b[i] ? b[i] : a[i];
    const double below = smaller - larger;
    b[i] = larger + logarithm(1 + exponential(below > -700 ? below : -700));
  }
}

}  // namespace dyad
