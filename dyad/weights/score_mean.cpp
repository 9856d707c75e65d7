// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/score_mean.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dyad/base/simd.h"
#include "dyad/linear/chances.h"

namespace dyad {
namespace {

constexpr int most_mean_steps = 200;
constexpr double most_excess = 1e-4;

/// A mean, and the probabilities by it.
struct Candidate {
  ScoreMean mean;
  Matrix chances;
};

DYAD_SIMD void add_multiple(double factor, const double* from, std::size_t n, double* to) {
  for (std::size_t i = 0; i < n; ++i) to[i] += factor * from[i];
}

DYAD_SIMD double sum_of_products(const double* a, const double* b, std::size_t n) {
  constexpr std::size_t width = 8;
  double sums[width] = {};
  std::size_t i = 0;
  for (; i + width <= n; i += width)
    for (std::size_t lane = 0; lane < width; ++lane) sums[lane] += a[i + lane] * b[i + lane];
  for (; i < n; ++i) sums[0] += a[i] * b[i];
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

/// Rows that a mean is judged by.
struct JudgingRows {
  std::span<const Matrix* const> scores;
  std::span<const std::int32_t> y;
  std::span<const double> loss_weights;
  double total = 0;
};

Candidate candidate_of(std::vector<double> shares, const JudgingRows& rows) {
  const std::size_t n = rows.y.size();
  const std::size_t n_classes = rows.scores[0]->n_cols;
  Candidate result{{std::move(shares), Matrix(n, n_classes), std::vector<double>(n)}, Matrix(n, n_classes)};
  ScoreMean& mean = result.mean;
  for (std::size_t m = 0; m < rows.scores.size(); ++m)
    if (mean.shares[m] > 0)
      add_multiple(mean.shares[m], rows.scores[m]->data.data(), mean.scores.data.size(),
                   mean.scores.data.data());
  to_chances(mean.scores, result.chances, mean.losses);
  for (std::size_t i = 0; i < n; ++i) mean.losses[i] -= mean.scores(i, static_cast<std::size_t>(rows.y[i]));
  mean.loss = sum_of_products(rows.loss_weights.data(), mean.losses.data(), n);
  if (rows.total > 0) mean.loss /= rows.total;
  return result;
}

/// Derivatives of the loss by the shares. Turns probabilities into residuals.
std::vector<double> gradient(Candidate& candidate, const JudgingRows& rows) {
  Matrix& residuals = candidate.chances;
  for (std::size_t k = 0; k < residuals.n_cols; ++k)
    for (std::size_t i = 0; i < residuals.n_rows; ++i) residuals(i, k) *= rows.loss_weights[i];
  for (std::size_t i = 0; i < residuals.n_rows; ++i)
    residuals(i, static_cast<std::size_t>(rows.y[i])) -= rows.loss_weights[i];
  std::vector<double> result;
  for (const Matrix* const scores : rows.scores)
    result.push_back(sum_of_products(scores->data.data(), residuals.data.data(), residuals.data.size()) /
                     rows.total);
  return result;
}

/// The shares after a step down the gradient.
std::vector<double> stepped(std::vector<double> shares, std::span<const double> slopes, double length) {
  const double least = std::ranges::min(slopes);
  double sum = 0;
  for (std::size_t m = 0; m < shares.size(); ++m) sum += shares[m] *= std::exp(-length * (slopes[m] - least));
  for (double& share : shares) share /= sum;
  return shares;
}

/// The most by which the loss, which is convex, may exceed the least one.
double excess(const ScoreMean& mean, std::span<const double> slopes) {
  return std::inner_product(slopes.begin(), slopes.end(), mean.shares.begin(), 0.0) -
         std::ranges::min(slopes);
}

}  // namespace

ScoreMean fit_score_mean(std::span<const Matrix* const> scores, std::span<const std::int32_t> y,
                         std::span<const double> loss_weights) {
  const auto n = static_cast<double>(scores.size());
  const JudgingRows rows{scores, y, loss_weights,
                         std::accumulate(loss_weights.begin(), loss_weights.end(), 0.0)};
  Candidate best = candidate_of(std::vector(scores.size(), 1 / n), rows);
  if (scores.size() == 1 || !(best.mean.loss > 0)) return best.mean;
  auto slopes = gradient(best, rows);
  double length = 1;
  for (int step = 0; step < most_mean_steps && excess(best.mean, slopes) > most_excess * best.mean.loss;
       ++step) {
    Candidate next = candidate_of(stepped(best.mean.shares, slopes, length), rows);
    if (!(next.mean.loss < best.mean.loss)) {
      length /= 4;
      continue;
    }
    best = std::move(next);
    slopes = gradient(best, rows);
    length *= 2;
  }
  return best.mean;
}

}  // namespace dyad
