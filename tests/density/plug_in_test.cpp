// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/density/plug_in.h"

#include <gtest/gtest.h>

#include "dyad/data/summary.h"
#include "tests/oracles.h"
#include "tests/samples.h"

namespace dyad {
namespace {

using test::expect_close;
using test::Points;

/// The symmetric root of the sample's covariance S, by its eigendecomposition.
Symmetric2 covariance_root(const Points& sample, bool inverse) {
  const double mean_x = mean(sample.x);
  const double mean_y = mean(sample.y);
  double xx = 0;
  double xy = 0;
  double yy = 0;
  const auto n = static_cast<double>(sample.x.size());
  for (std::size_t i = 0; i < sample.x.size(); ++i) {
    xx += (sample.x[i] - mean_x) * (sample.x[i] - mean_x) / (n - 1);
    xy += (sample.x[i] - mean_x) * (sample.y[i] - mean_y) / (n - 1);
    yy += (sample.y[i] - mean_y) * (sample.y[i] - mean_y) / (n - 1);
  }
  const double angle = 0.5 * std::atan2(2 * xy, xx - yy);
  const double c = std::cos(angle);
  const double s = std::sin(angle);
  double first = std::sqrt(c * c * xx + 2 * c * s * xy + s * s * yy);
  double second = std::sqrt(s * s * xx - 2 * c * s * xy + c * c * yy);
  if (inverse) {
    first = 1 / first;
    second = 1 / second;
  }
  return {c * c * first + s * s * second, c * s * (first - second), s * s * first + c * c * second};
}

Points sphered(const Points& sample) {
  const Symmetric2 root = covariance_root(sample, true);
  Points result = sample;
  for (std::size_t i = 0; i < sample.x.size(); ++i) {
    result.x[i] = root.xx * sample.x[i] + root.xy * sample.y[i];
    result.y[i] = root.xy * sample.x[i] + root.yy * sample.y[i];
  }
  return result;
}

/// S^(1/2) H S^(1/2).
Symmetric2 mapped_back(const Points& sample, const Symmetric2& H) {
  const Symmetric2 R = covariance_root(sample, false);
  const auto entry = [&](double a, double b, double c, double d) {
    return a * (H.xx * c + H.xy * d) + b * (H.xy * c + H.yy * d);
  };
  return {entry(R.xx, R.xy, R.xx, R.xy), entry(R.xx, R.xy, R.xy, R.yy), entry(R.xy, R.yy, R.xy, R.yy)};
}

/// What ks 1.14 feeds to its second pilot: psi(5,1), psi(5,1) and psi(4,2) in the places of psi(4,2),
/// psi(2,4) and psi(0,6).
Functionals2d as_ks(const Functionals2d& psi6) {
  Functionals2d mistaken = psi6;
  mistaken.psi[2] = psi6.psi[1];
  mistaken.psi[4] = psi6.psi[1];
  mistaken.psi[6] = psi6.psi[2];
  return mistaken;
}

void expect_functionals(const Functionals2d& psi, const Table& golden, std::size_t row, double scale) {
  for (int k = 0; k <= psi.order; ++k) {
    const std::string name = "psi" + std::to_string(psi.order - k) + std::to_string(k);
    expect_close(psi.psi[static_cast<std::size_t>(k)], test::numbers(golden, name)[row], 1e-9,
                 test::text(golden, "sample", row) + " " + name, 1e-9 * std::abs(scale));
  }
}

void expect_matrix(const Symmetric2& H, const Table& golden, std::size_t row, double tolerance) {
  const std::string sample = test::text(golden, "sample", row);
  expect_close(H.xx, test::numbers(golden, "H11")[row], tolerance, sample);
  expect_close(H.xy, test::numbers(golden, "H12")[row], 0, sample, tolerance * std::sqrt(H.xx * H.yy));
  expect_close(H.yy, test::numbers(golden, "H22")[row], tolerance, sample);
}

TEST(PlugIn, WithItsSlipGivesWhatKsReturned) {
  const Table golden = test::golden_table("bandwidths_2d");
  const auto inputs = test::points_by_sample(test::golden_table("inputs_2d"));
  std::size_t compared = 0;
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    if (test::text(golden, "method", k) != "Hpi" || test::text(golden, "binned", k) != "FALSE") continue;
    const auto& sample = inputs.at(test::text(golden, "sample", k));
    const auto [x, y] = sphered(sample);
    const double g6 = samse_pilot(normal_functionals_2d(8, 0), static_cast<double>(x.size()));
    const double g4 = samse_pilot(as_ks(functionals_2d(x, y, 6, g6)), static_cast<double>(x.size()));
    const Functionals2d psi4 = functionals_2d(x, y, 4, g4);
    const Symmetric2 H = minimise_amise(psi4, static_cast<double>(x.size()));
    expect_close(amise(H, psi4, static_cast<double>(x.size())), test::numbers(golden, "amise")[k], 1e-6);
    expect_matrix(mapped_back(sample, H), golden, k, 2e-3);
    ++compared;
  }
  EXPECT_EQ(compared, 20U);
}

TEST(PlugIn, StagesMatchTheGoldenValuesOfTheFormulaAndOfKs) {
  const Table golden = test::golden_table("hpi2d_stages");
  const auto inputs = test::points_by_sample(test::golden_table("inputs_2d"));
  ASSERT_EQ(golden.n_rows, 40U);
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    const bool ks = test::text(golden, "variant", k) == "as_ks";
    const std::string sample = test::text(golden, "sample", k);
    const auto [x, y] = sphered(inputs.at(sample));
    const double g6 = samse_pilot(normal_functionals_2d(8, 0), static_cast<double>(x.size()));
    expect_close(g6, test::numbers(golden, "g6")[k], 1e-9, sample);
    const Functionals2d psi6 = functionals_2d(x, y, 6, g6);
    expect_functionals(psi6, golden, k, test::numbers(golden, "psi60")[k]);
    const double g4 = samse_pilot(ks ? as_ks(psi6) : psi6, static_cast<double>(x.size()));
    expect_close(g4, test::numbers(golden, "g4")[k], 1e-9, sample);
    const Functionals2d psi4 = functionals_2d(x, y, 4, g4);
    expect_functionals(psi4, golden, k, test::numbers(golden, "psi40")[k]);
    const Symmetric2 H = minimise_amise(psi4, static_cast<double>(x.size()));
    expect_close(amise(H, psi4, static_cast<double>(x.size())), test::numbers(golden, "amise")[k], 1e-10,
                 sample);
    expect_matrix(mapped_back(inputs.at(sample), H), golden, k, 1e-5);
  }
}

TEST(PlugIn, DiagonalMatchesKsWithItsSlip) {
  const Table golden = test::golden_table("bandwidths_2d");
  const auto inputs = test::points_by_sample(test::golden_table("inputs_2d"));
  std::size_t compared = 0;
  for (std::size_t k = 0; k < golden.n_rows; ++k) {
    if (test::text(golden, "method", k) != "Hpi.diag" || test::text(golden, "binned", k) != "FALSE") continue;
    const std::string sample = test::text(golden, "sample", k);
    const auto& points = inputs.at(sample);
    const double sd_x = standard_deviation(points.x);
    const double sd_y = standard_deviation(points.y);
    const auto x = test::scaled(points.x, 1 / sd_x);
    const auto y = test::scaled(points.y, 1 / sd_y);
    double correlation = 0;
    for (std::size_t i = 0; i < x.size(); ++i)
      correlation += (x[i] - mean(x)) * (y[i] - mean(y)) / static_cast<double>(x.size() - 1);
    const double g6 = samse_pilot(normal_functionals_2d(8, correlation), static_cast<double>(x.size()));
    const double g4 = samse_pilot(as_ks(functionals_2d(x, y, 6, g6)), static_cast<double>(x.size()));
    const Symmetric2 H = minimise_amise_diagonal(functionals_2d(x, y, 4, g4), static_cast<double>(x.size()));
    expect_close(H.xx * sd_x * sd_x, test::numbers(golden, "H11")[k], 1e-9, sample);
    expect_close(H.yy * sd_y * sd_y, test::numbers(golden, "H22")[k], 1e-9, sample);
    ++compared;
  }
  EXPECT_EQ(compared, 20U);
}

TEST(PlugIn, SamsePilotMinimisesItsCriterion) {
  const auto x = test::normal_sample(40, 1);
  const auto y = test::correlated_with(x, 0.4, 2);
  for (const Functionals2d& higher : {normal_functionals_2d(8, 0.3), functionals_2d(x, y, 6, 0.8)}) {
    const double g = samse_pilot(higher, static_cast<double>(x.size()));
    for (const double factor : {0.9, 0.999, 1.001, 1.1})
      EXPECT_GT(oracle::samse(higher, x.size(), factor * g), oracle::samse(higher, x.size(), g)) << factor;
  }
}

TEST(PlugIn, MinimisersOfTheErrorCannotBeImproved) {
  const auto x = test::normal_sample(60, 1);
  const auto y = test::correlated_with(x, 0.9, 2);
  const Functionals2d psi4 = functionals_2d(x, y, 4, 0.5);
  const Symmetric2 full = minimise_amise(psi4, 60);
  const Symmetric2 diagonal = minimise_amise_diagonal(psi4, 60);
  const double best = amise(full, psi4, 60);
  const double best_diagonal = amise(diagonal, psi4, 60);
  EXPECT_LT(best, best_diagonal);
  EXPECT_EQ(diagonal.xy, 0);
  for (const double step : {-1e-4, 1e-4}) {
    EXPECT_GT(amise({full.xx + step, full.xy, full.yy}, psi4, 60), best);
    EXPECT_GT(amise({full.xx, full.xy + step, full.yy}, psi4, 60), best);
    EXPECT_GT(amise({full.xx, full.xy, full.yy + step}, psi4, 60), best);
    EXPECT_GT(amise({diagonal.xx + step, 0, diagonal.yy}, psi4, 60), best_diagonal);
    EXPECT_GT(amise({diagonal.xx, 0, diagonal.yy + step}, psi4, 60), best_diagonal);
  }
}

}  // namespace
}  // namespace dyad
