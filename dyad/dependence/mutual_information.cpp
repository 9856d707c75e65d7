// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/mutual_information.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "dyad/base/pairs.h"
#include "dyad/base/text.h"
#include "dyad/data/summary.h"
#include "dyad/density/bandwidth.h"

namespace dyad {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;

/// One feature in units of its bandwidth, with its kernel sums. All kernels are 1 - z^2 on |z| < 1: the
/// constant 3/4 cancels in every ratio below.
struct Feature {
  ArrayXd z;
  std::vector<Index> order;  ///< rows by ascending z
  std::vector<Index> begin;  ///< the rows within reach of order[r] are order[begin[r] .. end[r])
  std::vector<Index> end;
  ArrayXd log_sum;       ///< log S_i, S_i = sum_k K(z_i - z_k)
  double jackknife = 0;  ///< sum over i and k != i of log(1 - K(z_i - z_k) / S_i)
};

/// log of the sum of `kernels`, and the sum of log(1 - kernel / sum) over all but the one at `self`.
struct RowSums {
  double log_sum, jackknife;
};

/// So many factors 1 - kernel / sum do not underflow in a product, whose logarithm is taken in the place of theirs: each is at least 1/2,
/// as the sum has the kernel at `self` too, which is the largest.
constexpr Index factors_of_product = 512;

/// Sets the kernel at `self` to 0.
RowSums row_sums(ArrayXd& kernels, Index self) {
  const double sum = kernels.sum();
  kernels[self] = 0;
  double jackknife = 0;
  for (Index first = 0; first < kernels.size(); first += factors_of_product) {
    const Index size = std::min(factors_of_product, kernels.size() - first);
    jackknife += std::log((1 - kernels.segment(first, size) / sum).prod());
  }
  return {std::log(sum), jackknife};
}

Feature make_feature(std::span<const double> x, double bandwidth) {
  const auto n = static_cast<Index>(x.size());
  Feature f;
  const auto z = centred_and_scaled(x, bandwidth);
  f.z = Eigen::Map<const ArrayXd>(z.data(), n);
  f.order.resize(x.size());
  std::iota(f.order.begin(), f.order.end(), Index{0});
  std::ranges::sort(f.order, {}, [&](Index i) { return std::pair(f.z[i], i); });

  ArrayXd sorted(n);
  for (Index r = 0; r < n; ++r) sorted[r] = f.z[f.order[static_cast<std::size_t>(r)]];
  f.log_sum.resize(n);
  Index begin = 0;
  Index end = 0;
  for (Index r = 0; r < n; ++r) {
    while (sorted[r] - sorted[begin] >= 1) ++begin;
    while (end < n && sorted[end] - sorted[r] < 1) ++end;
    f.begin.push_back(begin);
    f.end.push_back(end);
    ArrayXd kernels = 1 - (sorted.segment(begin, end - begin) - sorted[r]).square();
    const RowSums sums = row_sums(kernels, r - begin);
    f.log_sum[f.order[static_cast<std::size_t>(r)]] = sums.log_sum;
    f.jackknife += sums.jackknife;
  }
  return f;
}

MutualInformation mutual_information_of(const Feature& x, const Feature& y) {
  const Index n = x.z.size();
  ArrayXd sorted_x(n);
  ArrayXd sorted_y(n);
  for (Index r = 0; r < n; ++r) {
    sorted_x[r] = x.z[x.order[static_cast<std::size_t>(r)]];
    sorted_y[r] = y.z[x.order[static_cast<std::size_t>(r)]];
  }
  double log_ratio = -x.log_sum.sum() - y.log_sum.sum();
  double jackknife = -x.jackknife - y.jackknife;
  ArrayXd kernels;
  for (Index r = 0; r < n; ++r) {
    const Index begin = x.begin[static_cast<std::size_t>(r)];
    const Index size = x.end[static_cast<std::size_t>(r)] - begin;
    kernels = (1 - (sorted_x.segment(begin, size) - sorted_x[r]).square()) *
              (1 - (sorted_y.segment(begin, size) - sorted_y[r]).square()).max(0);
    const RowSums sums = row_sums(kernels, r - begin);
    log_ratio += sums.log_sum;
    jackknife += sums.jackknife;
  }
  // raw = mean of log(n S_xy / (S_x S_y)); without row k the sums of row i lose their kernel (i, k), so the
  // leave-one-out values add up to log_ratio + n log(n - 1) + jackknife / (n - 1).
  const auto count = static_cast<double>(n);
  MutualInformation result;
  result.raw = log_ratio / count + std::log(count);
  result.corrected = result.raw;
  if (n > 1) {
    const double sum_without_one = log_ratio + count * std::log(count - 1) + jackknife / (count - 1);
    result.corrected = count * result.raw - (count - 1) * sum_without_one / count;
  }
  return result;
}

}  // namespace

MutualInformation mutual_information(std::span<const double> x, std::span<const double> y, double h_x,
                                     double h_y) {
  require_finite_pairs(x, y, "mutual_information");
  if (!(h_x > 0 && h_y > 0))
    throw std::invalid_argument("mutual_information: bandwidths must be positive, got " + number_text(h_x) +
                                " and " + number_text(h_y));
  return mutual_information_of(make_feature(x, h_x), make_feature(y, h_y));
}

MutualInformation mutual_information(std::span<const double> x, std::span<const double> y) {
  return mutual_information(x, y, epanechnikov_bandwidth(x), epanechnikov_bandwidth(y));
}

std::vector<MutualInformation> mutual_information_all_pairs(const MatrixView& X, const Execution& execution) {
  const std::size_t d = X.n_cols;
  std::vector<Feature> features(d);
  parallel_for(d, execution, "mutual information", [&](std::size_t j) {
    features[j] = make_feature(X.column(j), epanechnikov_bandwidth(X.column(j)));
  });
  std::vector<MutualInformation> result(pair_count(d));
  parallel_for(d, execution, "mutual information", [&](std::size_t i) {
    for (std::size_t j = i + 1; j < d; ++j)
      result[pair_index(i, j, d)] = mutual_information_of(features[i], features[j]);
  });
  return result;
}

}  // namespace dyad
