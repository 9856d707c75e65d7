// Loops over arrays that take most of the time, compiled for several instruction sets.
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace dyad {

/// out += A B for matrices stored by rows: A is n x k, B is k x m, out is n x m.
void add_product(std::size_t n, std::size_t k, std::size_t m, const float* A, const float* B, float* out);

/// Sum of squares of the entries of unit M - outer_unit a b', M being n x m and stored by rows.
[[nodiscard]] double squared_difference(std::size_t n, std::size_t m, const float* M, double unit,
                                        const float* a, const float* b, double outer_unit);

/// out[i] = sum over |t| < kernel.size() of kernel[|t|] in[i + t stride], i = 0 .. out.size() - 1. `in` must
/// have values at all places that this touches.
void convolve(const double* in, std::ptrdiff_t stride, std::span<const double> kernel, std::span<double> out);

/// The smallest and the largest value; x has at least one, and no NaN.
struct Extremes {
  double least, greatest;
};
[[nodiscard]] Extremes extremes(std::span<const double> x);

/// Whether no value is infinite or NaN.
[[nodiscard]] bool all_finite(std::span<const double> x);

/// out[i] = in[i] in single precision.
void to_floats(std::span<const std::int64_t> in, float* out);

/// to[i] += from[i].
void add_counts(std::span<const std::uint32_t> from, std::int64_t* to);

/// sums[i] += factor n[i] log n[i], to 1e-12; 0 where n[i] is below `least`, which is a normal double above
/// 0.
void add_n_log_n(std::span<const double> n, double factor, double least, std::span<double> sums);

/// x[i] = log x[i], to 1e-12; x[i] must be at least the smallest normal double.
void take_logarithms(std::span<double> x);

/// to[i] = log(exp(from[i]) + exp(to[i])), to 1e-12.
void add_in_logarithms(std::span<const double> from, std::span<double> to);

}  // namespace dyad
