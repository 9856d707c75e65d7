// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/explanation/internal/anova.h"

#include <cmath>
#include <vector>

namespace dyad::internal {
namespace {

/// Replaces S, which is positive semidefinite, by its Cholesky factor; the columns of pivots that are 0 but
/// for rounding become 0.
void factorise(Matrix& S) {
  constexpr double negligible = 1e-10;
  const std::size_t n = S.n_rows;
  std::vector<double> diagonal(n);
  for (std::size_t k = 0; k < n; ++k) diagonal[k] = S(k, k);
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = S(k, k);
    const bool is_used = pivot > negligible * diagonal[k];
    const double root = is_used ? std::sqrt(pivot) : 0;
    S(k, k) = root;
    for (std::size_t i = k + 1; i < n; ++i) S(i, k) = is_used ? S(i, k) / root : 0;
    for (std::size_t j = k + 1; j < n; ++j)
      for (std::size_t i = j; i < n; ++i) S(i, j) -= S(i, k) * S(j, k);
  }
}

/// Solves L L' x = s in place; x is 0 where L has no pivot.
void solve(const Matrix& L, std::span<double> s) {
  const std::size_t n = L.n_rows;
  for (std::size_t k = 0; k < n; ++k) {
    s[k] = L(k, k) > 0 ? s[k] / L(k, k) : 0;
    for (std::size_t i = k + 1; i < n; ++i) s[i] -= L(i, k) * s[k];
  }
  for (std::size_t k = n; k-- > 0;) {
    double rest = s[k];
    for (std::size_t i = k + 1; i < n; ++i) rest -= L(i, k) * s[i];
    s[k] = L(k, k) > 0 ? rest / L(k, k) : 0;
  }
}

/// Counts as shares, and their margins.
struct Shares {
  Matrix p;  ///< n_y x n_x
  std::vector<double> of_x;
  std::vector<double> of_y;
};

Shares shares_of(std::span<const std::uint64_t> rows, std::size_t n_x) {
  const std::size_t n_y = rows.size() / n_x;
  Shares shares{Matrix(n_y, n_x), std::vector<double>(n_x), std::vector<double>(n_y)};
  double total = 0;
  for (const std::uint64_t count : rows) total += static_cast<double>(count);
  if (!(total > 0)) return shares;
  for (std::size_t x = 0; x < n_x; ++x)
    for (std::size_t y = 0; y < n_y; ++y) {
      const double share = static_cast<double>(rows[x * n_y + y]) / total;
      shares.p(y, x) = share;
      shares.of_x[x] += share;
      shares.of_y[y] += share;
    }
  return shares;
}

/// diag(of_y) - P diag(1 / of_x) P': what is left for b once a has been eliminated.
Matrix reduced_system(const Shares& shares) {
  const std::size_t n_y = shares.of_y.size();
  Matrix S(n_y, n_y);
  for (std::size_t y = 0; y < n_y; ++y) S(y, y) = shares.of_y[y];
  for (std::size_t x = 0; x < shares.of_x.size(); ++x) {
    if (!(shares.of_x[x] > 0)) continue;
    const auto column = shares.p.column(x);
    for (std::size_t j = 0; j < n_y; ++j) {
      const double factor = column[j] / shares.of_x[x];
      if (factor == 0) continue;
      for (std::size_t i = j; i < n_y; ++i) S(i, j) -= column[i] * factor;
    }
  }
  return S;
}

}  // namespace

TwoWay two_way(std::span<const std::uint64_t> rows, std::size_t n_x, const Matrix& f) {
  const Shares shares = shares_of(rows, n_x);
  const std::size_t n_y = shares.of_y.size();
  Matrix L = reduced_system(shares);
  factorise(L);
  TwoWay result{Matrix(n_x, f.n_cols), Matrix(n_y, f.n_cols)};
  for (std::size_t k = 0; k < f.n_cols; ++k) {
    const auto a = result.a.column(k);
    const auto b = result.b.column(k);
    const auto values = f.column(k);
    for (std::size_t x = 0; x < n_x; ++x) {
      if (!(shares.of_x[x] > 0)) continue;
      for (std::size_t y = 0; y < n_y; ++y) a[x] += shares.p(y, x) * values[x * n_y + y];
      a[x] /= shares.of_x[x];
      for (std::size_t y = 0; y < n_y; ++y) b[y] += shares.p(y, x) * (values[x * n_y + y] - a[x]);
    }
    solve(L, b);
    for (std::size_t x = 0; x < n_x; ++x) {
      if (!(shares.of_x[x] > 0)) continue;
      double of_b = 0;
      for (std::size_t y = 0; y < n_y; ++y) of_b += shares.p(y, x) * b[y];
      a[x] -= of_b / shares.of_x[x];
    }
  }
  return result;
}

}  // namespace dyad::internal
