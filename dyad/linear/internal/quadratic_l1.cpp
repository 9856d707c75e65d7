// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/linear/internal/quadratic_l1.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "dyad/linear/internal/eigen_maps.h"

namespace dyad::internal {
namespace {

class Minimiser {
 public:
  Minimiser(const Matrix& H, std::span<const double> gradient, std::span<const double> w,
            std::span<const double> l1)
      : H_(H), l1_(l1), u_(w.begin(), w.end()), slope_(gradient.begin(), gradient.end()) {}

  std::vector<double> solve() {
    constexpr int n_passes = 5;
    const auto m = static_cast<double>(u_.size());
    const auto n_rounds = static_cast<int>(std::clamp(1e9 / (m * m * m), 30.0, 200.0));
    const double enough = 1e-6 * violation();
    for (int round = 0; round < n_rounds && violation() > enough; ++round) {
      for (int pass = 0; pass < n_passes; ++pass)
        for (std::size_t j = 0; j < u_.size(); ++j)
          move(j, shrunk(u_[j] - slope_[j] / H_(j, j), l1_[j] / H_(j, j)));
      if (violation() > enough) step_on_face();
    }
    return u_;
  }

 private:
  /// Violation of the conditions for a minimum, squared and divided by H_jj.
  [[nodiscard]] double violation() const {
    double sum = 0;
    for (std::size_t j = 0; j < u_.size(); ++j) {
      const double excess = u_[j] != 0 ? std::abs(slope_[j] + std::copysign(l1_[j], u_[j]))
                                       : std::max(0.0, std::abs(slope_[j]) - l1_[j]);
      sum += excess * excess / H_(j, j);
    }
    return sum;
  }

  void move(std::size_t j, double to) {
    const double change = to - u_[j];
    if (change == 0) return;
    const auto column = H_.column(j);
    for (std::size_t i = 0; i < slope_.size(); ++i) slope_[i] += change * column[i];
    u_[j] = to;
  }

  /// Steps towards the minimum among the elements that are not 0, until the first of them is.
  void step_on_face() {
    std::vector<std::size_t> face;
    for (std::size_t j = 0; j < u_.size(); ++j)
      if (u_[j] != 0 || l1_[j] == 0) face.push_back(j);
    Eigen::MatrixXd of_face(index(face.size()), index(face.size()));  // Eigen 3.3 takes no lists of indices
    for (std::size_t b = 0; b < face.size(); ++b)
      for (std::size_t a = 0; a < face.size(); ++a) of_face(index(a), index(b)) = H_.column(face[b])[face[a]];
    const Eigen::LLT<Eigen::MatrixXd> factor(of_face);
    if (factor.info() != Eigen::Success) return;
    Eigen::VectorXd d(index(face.size()));
    std::ranges::transform(face, d.data(),
                           [&](std::size_t j) { return -slope_[j] - std::copysign(l1_[j], u_[j]); });
    d = factor.solve(d);
    double t = 1;
    std::size_t first = face.size();
    for (std::size_t b = 0; b < face.size(); ++b) {
      const std::size_t j = face[b];
      if (l1_[j] == 0 || u_[j] * (u_[j] + t * d[index(b)]) >= 0) continue;
      t = -u_[j] / d[index(b)];
      first = b;
    }
    for (std::size_t b = 0; b < face.size(); ++b)
      move(face[b], b == first ? 0 : u_[face[b]] + t * d[index(b)]);
  }

  const Matrix& H_;
  std::span<const double> l1_;
  std::vector<double> u_;
  std::vector<double> slope_;  ///< of the quadratic part at u
};

}  // namespace

std::vector<double> minimise_quadratic_l1(const Matrix& H, std::span<const double> gradient,
                                          std::span<const double> w, std::span<const double> l1) {
  return Minimiser(H, gradient, w, l1).solve();
}

}  // namespace dyad::internal
