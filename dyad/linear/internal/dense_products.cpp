// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/dense_products.h"

#include <cstring>

#include "dyad/base/simd.h"

namespace dyad::internal {
namespace {

constexpr std::size_t rows_of_tile = 4;

/// Four rows of the products of two panels; they stay in registers while r runs.
template <class T>
[[gnu::always_inline]] inline void add_product_tile(const T* a, const T* b, std::size_t n_rows, T factor,
                                                    T* to, std::size_t stride) {
  constexpr std::size_t width = numbers_of_register<T>;
  using Register [[gnu::vector_size(64)]] = T;
  Register sums[rows_of_tile] = {};
  for (std::size_t r = 0; r < n_rows; ++r) {
    Register x;
    std::memcpy(&x, b + r * width, sizeof x);
    for (std::size_t i = 0; i < rows_of_tile; ++i) sums[i] += a[r * width + i] * x;
  }
  for (std::size_t i = 0; i < rows_of_tile; ++i) {
    Register x;
    std::memcpy(&x, to + i * stride, sizeof x);
    x += factor * sums[i];
    std::memcpy(to + i * stride, &x, sizeof x);
  }
}

template <class T>
[[gnu::always_inline]] inline void add_panel_products(const Panels<T>& rows, std::size_t n_rows,
                                                      std::size_t first, T factor, T* to,
                                                      std::size_t stride) {
  constexpr std::size_t width = numbers_of_register<T>;
  for (std::size_t q = first; q < rows.count(); ++q)
    for (std::size_t p = 0; p <= q; ++p)
      for (std::size_t i = 0; i < width; i += rows_of_tile)
        add_product_tile(rows.panel(p) + i, rows.panel(q), n_rows, factor,
                         to + (p * width + i) * stride + q * width, stride);
}

}  // namespace

DYAD_SIMD void add_products(const Panels<float>& rows, std::size_t n_rows, std::size_t first, float factor,
                            float* to, std::size_t stride) {
  add_panel_products(rows, n_rows, first, factor, to, stride);
}

DYAD_SIMD void add_products(const Panels<double>& rows, std::size_t n_rows, std::size_t first, double factor,
                            double* to, std::size_t stride) {
  add_panel_products(rows, n_rows, first, factor, to, stride);
}

}  // namespace dyad::internal
