// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/plug_in.h"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <cassert>
#include <cmath>
#include <numbers>

namespace dyad {
namespace {

/// Moves H along `step`, or a part of it, to where `amise` is no larger than `value`; false if no part does.
bool move_down(Symmetric2& H, double& value, const Eigen::Vector3d& step, const Functionals2d& psi4,
               double n) {
  for (double length = 1; length > 1e-12; length /= 2) {
    const Symmetric2 next{H.xx + length * step[0], H.xy + length * step[1], H.yy + length * step[2]};
    if (next.xx <= 0 || determinant(next) <= 0) continue;
    const double next_value = amise(next, psi4, n);
    if (!(next_value <= value)) continue;
    H = next;
    value = next_value;
    return true;
  }
  return false;
}

}  // namespace

double determinant(const Symmetric2& m) { return m.xx * m.yy - m.xy * m.xy; }

double normal_functional(int order) {
  return normal_derivative_at_zero(order) / std::pow(std::numbers::sqrt2, order + 1);
}

double pilot_bandwidth(int order, double psi_above, double n) {
  return std::pow(-2 * normal_derivative_at_zero(order) / (psi_above * n), 1.0 / (order + 3));
}

double plug_in_functional_1d(std::span<const double> x, int stages) {
  assert(stages >= 1 && stages <= 3);
  double psi = normal_functional(4 + 2 * stages);
  for (int order = 2 + 2 * stages; order >= 4; order -= 2)
    psi = functional_1d(x, order, pilot_bandwidth(order, psi, static_cast<double>(x.size())));
  return psi;
}

double samse_pilot(const Functionals2d& higher, double n) {
  const int order = higher.order - 2;
  double a1 = 0;
  double a2 = 0;
  double a3 = 0;
  for (int k = 0; k <= order; k += 2) {
    const double at_zero = normal_derivative_at_zero(order - k) * normal_derivative_at_zero(k);
    const double bias = higher.psi[static_cast<std::size_t>(k)] + higher.psi[static_cast<std::size_t>(k) + 2];
    a1 += at_zero * at_zero;
    a2 += at_zero * bias;
    a3 += bias * bias;
  }
  // With u = 1 / (n g^(j + 2)) and v = g^2 / 2 the criterion is a1 u^2 + 2 a2 u v + a3 v^2; its derivative is
  // zero where t = u / v solves (j + 2) a1 t^2 + j a2 t - 2 a3 = 0.
  const double j = order;
  const double root = std::sqrt(j * j * a2 * a2 + 8 * (j + 2) * a1 * a3);
  const double t = (root - j * a2) / (2 * (j + 2) * a1);
  return std::pow(2 / (n * t), 1 / (j + 4));
}

double amise(const Symmetric2& H, const Functionals2d& psi4, double n) {
  const auto& psi = psi4.psi;
  const double quadratic = H.xx * H.xx * psi[0] + 4 * H.xx * H.xy * psi[1] +
                           (2 * H.xx * H.yy + 4 * H.xy * H.xy) * psi[2] + 4 * H.xy * H.yy * psi[3] +
                           H.yy * H.yy * psi[4];
  return 1 / (4 * std::numbers::pi * n * std::sqrt(determinant(H))) + quadratic / 4;
}

Symmetric2 minimise_amise(const Functionals2d& psi4, double n) {
  const auto& psi = psi4.psi;
  const double a = 1 / (4 * std::numbers::pi * n);
  Eigen::Matrix3d det_hessian;
  det_hessian << 0, 0, 1, 0, -2, 0, 1, 0, 0;
  Eigen::Matrix3d quadratic;
  quadratic << psi[0], 2 * psi[1], psi[2], 2 * psi[1], 4 * psi[2], 2 * psi[3], psi[2], 2 * psi[3], psi[4];
  Symmetric2 H = minimise_amise_diagonal(psi4, n);
  double value = amise(H, psi4, n);
  for (int iteration = 0; iteration < 200; ++iteration) {
    // Gradient and curvature of `amise` in (H_xx, H_xy, H_yy).
    const double det = determinant(H);
    const Eigen::Vector3d det_gradient(H.yy, -2 * H.xy, H.xx);
    const Eigen::Vector3d gradient =
        -0.5 * a * std::pow(det, -1.5) * det_gradient + 0.5 * quadratic * Eigen::Vector3d(H.xx, H.xy, H.yy);
    const Eigen::Matrix3d hessian = 0.75 * a * std::pow(det, -2.5) * det_gradient * det_gradient.transpose() -
                                    0.5 * a * std::pow(det, -1.5) * det_hessian + 0.5 * quadratic;
    const Eigen::Vector3d step = hessian.ldlt().solve(-gradient);
    const double decrease = -gradient.dot(step);
    if (!(decrease > 1e-18 * value)) break;
    if (!move_down(H, value, step, psi4, n)) break;
  }
  return H;
}

Symmetric2 minimise_amise_diagonal(const Functionals2d& psi4, double n) {
  const double psi40 = psi4.psi[0];
  const double psi22 = psi4.psi[2];
  const double psi04 = psi4.psi[4];
  const double ratio = std::sqrt(psi40 / psi04);  // H_yy / H_xx
  const double denominator = 4 * std::numbers::pi * n * (std::sqrt(psi40 * psi04) + psi22);
  const double xx = std::cbrt(std::pow(psi04 / psi40, 0.75) / denominator);
  return {xx, 0, ratio * xx};
}

}  // namespace dyad
