// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/counts_functionals.h"

#include <cassert>
#include <numbers>
#include <numeric>

#include "dyad/base/vector_math.h"
#include "dyad/density/internal/gaussian.h"

namespace dyad {
namespace {

/// Frequencies beyond this many times 1 / g add less than 1e-5 of a functional; kernels have died away after
/// as many g.
constexpr double farthest_frequency = 6;

/// A functional of all rows from that of the rows on the axes; each row beyond them adds `own` with itself.
double of_all_rows(const CountedRows& rows, double inside, double own) {
  const double share_inside = rows.inside / rows.n_rows;
  return inside * std::pow(share_inside, 2) + own * rows.squares_beyond / (rows.n_rows * rows.n_rows);
}

}  // namespace

CountsFunctionals1d::CountsFunctionals1d(std::span<const std::int64_t> counts, double step, CountedRows rows)
    : autocorrelation_(counts.size()), step_(step), rows_(rows) {
  double total = 0;
  for (const std::int64_t count : counts) total += static_cast<double>(count);
  std::vector<double> shares;
  for (const std::int64_t count : counts) shares.push_back(static_cast<double>(count) / std::max(total, 1.0));
  for (std::size_t a = 0; a < shares.size(); ++a) {
    if (shares[a] == 0) continue;
    for (std::size_t b = a; b < shares.size(); ++b) autocorrelation_[b - a] += shares[a] * shares[b];
  }
}

double CountsFunctionals1d::functional(int order, double g) const {
  assert(order == 4 || order == 6 || order == 8);
  const double width = std::sqrt(g * g - step_ * step_ / 2);
  double sum = 0;
  for (std::size_t k = 0; k < autocorrelation_.size(); ++k) {
    const double s = std::pow(static_cast<double>(k) * step_ / width, 2);
    if (s > 4 * farthest_frequency * farthest_frequency) break;
    sum += (k == 0 ? 1 : 2) * autocorrelation_[k] * internal::hermite(order, s) * std::exp(-s / 2);
  }
  const double scale = 0.5 * std::numbers::inv_sqrtpi * std::numbers::sqrt2;
  const double own = normal_derivative_at_zero(order) / std::pow(g, order + 1);
  return of_all_rows(rows_, sum * scale / std::pow(width, order + 1), own);
}

CountsFunctionals2d::Lattice::Lattice(std::size_t n_nodes, double step_, double smallest_g, double largest_g)
    : step(step_),
      period(n_nodes + static_cast<std::size_t>(std::ceil(farthest_frequency * largest_g / step_))) {
  const double highest = farthest_frequency / smallest_g;
  const double spacing = 2 * std::numbers::pi / (static_cast<double>(period) * step);
  const std::size_t needed = std::min(period / 2, static_cast<std::size_t>(highest / spacing)) + 1;
  count = (needed + 7) / 8 * 8;  // whole tiles in matrix products
}

std::vector<float> CountsFunctionals2d::Lattice::basis(std::size_t n_nodes) const {
  std::vector<float> cosine(period);
  std::vector<float> sine(period);
  for (std::size_t k = 0; k < period; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(period);
    cosine[k] = static_cast<float>(std::cos(angle));
    sine[k] = static_cast<float>(std::sin(angle));
  }
  std::vector<float> result(n_nodes * 2 * count);
  for (std::size_t a = 0; a < n_nodes; ++a) {
    std::size_t phase = 0;
    for (std::size_t k = 0; k < count; ++k) {
      result[a * 2 * count + k] = cosine[phase];
      result[a * 2 * count + count + k] = sine[phase];
      phase += a;
      if (phase >= period) phase -= period;
    }
  }
  return result;
}

std::vector<std::vector<double>> CountsFunctionals2d::weighted_powers(const Lattice& lattice, double g,
                                                                      int largest_power) {
  const double spacing = 2 * std::numbers::pi / (static_cast<double>(lattice.period) * lattice.step);
  const double variance = g * g - lattice.step * lattice.step / 2;
  std::vector<std::vector<double>> powers(static_cast<std::size_t>(largest_power) + 1,
                                          std::vector<double>(lattice.count));
  for (std::size_t k = 0; k < lattice.count; ++k) {
    const double omega = static_cast<double>(k) * spacing;
    if (2 * k > lattice.period) break;  // beyond what the nodes tell apart
    powers[0][k] = std::exp(-0.5 * variance * omega * omega) * (k == 0 ? 0.5 : 1);
    for (std::size_t power = 1; power < powers.size(); ++power)
      powers[power][k] = omega * powers[power - 1][k];
  }
  return powers;
}

CountsFunctionals2d::CountsFunctionals2d(const PairCounts& counts, double step_x, double step_y,
                                         CountedRows rows, double smallest_g, double largest_g)
    : x_(counts.n_x(), step_x, smallest_g, largest_g),
      y_(counts.n_y(), step_y, smallest_g, largest_g),
      rows_(rows),
      even_(x_.count * y_.count),
      odd_(x_.count * y_.count) {
  const auto total = static_cast<double>(std::max<std::int64_t>(counts.total(), 1));
  std::vector<float> shares(counts.values().size());
  std::ranges::transform(counts.values(), shares.begin(), [total](std::int64_t count) {
    return static_cast<float>(static_cast<double>(count) / total);
  });
  const std::size_t n_x = counts.n_x();
  const std::size_t m_x = 2 * x_.count;
  const std::size_t m_y = 2 * y_.count;
  const auto basis_x = x_.basis(n_x);
  std::vector<float> transposed(n_x * m_x);
  for (std::size_t a = 0; a < n_x; ++a)
    for (std::size_t k = 0; k < m_x; ++k) transposed[k * n_x + a] = basis_x[a * m_x + k];
  std::vector<float> half(n_x * m_y);
  add_product(n_x, counts.n_y(), m_y, shares.data(), y_.basis(counts.n_y()).data(), half.data());
  std::vector<float> phi(m_x * m_y);
  add_product(m_x, n_x, m_y, transposed.data(), half.data(), phi.data());
  for (std::size_t k = 0; k < x_.count; ++k)
    for (std::size_t l = 0; l < y_.count; ++l) {
      const double cc = phi[k * m_y + l];
      const double cs = phi[k * m_y + y_.count + l];
      const double sc = phi[(x_.count + k) * m_y + l];
      const double ss = phi[(x_.count + k) * m_y + y_.count + l];
      const double same_sign = (cc - ss) * (cc - ss) + (cs + sc) * (cs + sc);
      const double opposite_sign = (cc + ss) * (cc + ss) + (cs - sc) * (cs - sc);
      even_[k * y_.count + l] = same_sign + opposite_sign;
      odd_[k * y_.count + l] = same_sign - opposite_sign;
    }
}

Functionals2d CountsFunctionals2d::functionals(int order, double g) const {
  Functionals2d result{.order = order};
  const double spacing_x = 1 / (static_cast<double>(x_.period) * x_.step);
  const double spacing_y = 1 / (static_cast<double>(y_.period) * y_.step);
  const double sign = order % 4 == 0 ? 1 : -1;  // i^order
  const auto powers_x = weighted_powers(x_, g, order);
  const auto powers_y = weighted_powers(y_, g, order);
  for (int k = 0; k <= order; ++k) {
    const auto& factors_x = powers_x[static_cast<std::size_t>(order - k)];
    const auto& factors_y = powers_y[static_cast<std::size_t>(k)];
    const auto& spectrum = k % 2 == 0 ? even_ : odd_;
    double sum = 0;
    for (std::size_t a = 0; a < x_.count; ++a)
      sum += factors_x[a] * std::inner_product(factors_y.begin(), factors_y.end(),
                                               spectrum.begin() + static_cast<std::ptrdiff_t>(a * y_.count),
                                               0.0);
    // Each lattice point stands for itself and its mirror image in the origin.
    const double own =
        normal_derivative_at_zero(order - k) * normal_derivative_at_zero(k) / std::pow(g, order + 2);
    result.psi[static_cast<std::size_t>(k)] = of_all_rows(rows_, 2 * sign * sum * spacing_x * spacing_y, own);
  }
  return result;
}

}  // namespace dyad
