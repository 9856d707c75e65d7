// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/weights/score_mean.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dyad {
namespace {

constexpr int most_mean_steps = 200;
constexpr double most_excess = 1e-4;

ScoreMean mean_with(std::vector<double> shares, std::span<const Matrix* const> scores,
                    std::span<const std::int32_t> y, std::span<const double> loss_weights) {
  ScoreMean mean{std::move(shares), Matrix(y.size(), scores[0]->n_cols), std::vector<double>(y.size())};
  for (std::size_t m = 0; m < scores.size(); ++m)
    for (std::size_t i = 0; i < mean.scores.data.size(); ++i)
      mean.scores.data[i] += mean.shares[m] * scores[m]->data[i];
  double total = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    double highest = mean.scores(i, 0);
    for (std::size_t k = 1; k < mean.scores.n_cols; ++k) highest = std::max(highest, mean.scores(i, k));
    double sum = 0;
    for (std::size_t k = 0; k < mean.scores.n_cols; ++k) sum += std::exp(mean.scores(i, k) - highest);
    mean.losses[i] = std::log(sum) + highest - mean.scores(i, static_cast<std::size_t>(y[i]));
    mean.loss += loss_weights[i] * mean.losses[i];
    total += loss_weights[i];
  }
  if (total > 0) mean.loss /= total;
  return mean;
}

/// Derivatives of the loss by the shares.
std::vector<double> gradient(const ScoreMean& mean, std::span<const Matrix* const> scores,
                             std::span<const std::int32_t> y, std::span<const double> loss_weights) {
  std::vector<double> result(scores.size());
  const double total = std::accumulate(loss_weights.begin(), loss_weights.end(), 0.0);
  std::vector<double> residuals(mean.scores.n_cols);
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (!(loss_weights[i] > 0)) continue;
    const auto own = static_cast<std::size_t>(y[i]);
    const double log_sum = mean.losses[i] + mean.scores(i, own);
    for (std::size_t k = 0; k < residuals.size(); ++k)
      residuals[k] = loss_weights[i] / total * (std::exp(mean.scores(i, k) - log_sum) - (k == own ? 1 : 0));
    for (std::size_t m = 0; m < scores.size(); ++m)
      for (std::size_t k = 0; k < residuals.size(); ++k) result[m] += residuals[k] * (*scores[m])(i, k);
  }
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
  ScoreMean mean = mean_with(std::vector(scores.size(), 1 / n), scores, y, loss_weights);
  if (scores.size() == 1 || !(mean.loss > 0)) return mean;
  auto slopes = gradient(mean, scores, y, loss_weights);
  double length = 1;
  for (int step = 0; step < most_mean_steps && excess(mean, slopes) > most_excess * mean.loss; ++step) {
    ScoreMean next = mean_with(stepped(mean.shares, slopes, length), scores, y, loss_weights);
    if (!(next.loss < mean.loss)) {
      length /= 4;
      continue;
    }
    mean = std::move(next);
    slopes = gradient(mean, scores, y, loss_weights);
    length *= 2;
  }
  return mean;
}

}  // namespace dyad
