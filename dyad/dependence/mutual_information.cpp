// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/mutual_information.h"

#include <algorithm>
#include <cmath>

#include "dyad/base/gather.h"
#include "dyad/base/pairs.h"
#include "dyad/base/simd.h"
#include "dyad/base/text.h"
#include "dyad/data/summary.h"
#include "dyad/density/bandwidth.h"

namespace dyad {
namespace {

/// One feature in units of its bandwidth, with its kernel sums. All kernels are 1 - z^2 on |z| < 1: the
/// constant 3/4 cancels in every ratio below.
struct SortedFeature {
  std::vector<double> z;
  std::vector<std::size_t> order;  ///< rows by ascending z
  std::vector<std::size_t> begin;  ///< the rows within reach of order[r] are order[begin[r] .. end[r])
  std::vector<std::size_t> end;
  double log_sum = 0;    ///< sum over i of log S_i, S_i = sum_k K(z_i - z_k)
  double jackknife = 0;  ///< sum over i and k != i of log(1 - K(z_i - z_k) / S_i)
};

/// The sum of logarithms of factors, of products of them as long as those are numbers.
class LogProduct {
 public:
  /// `factor` is from 1e-50 to 1e50.
  void multiply(double factor) {
    product_ *= factor;
    if (product_ > 1e-200 && product_ < 1e200) return;
    sum_ += std::log(product_);
    product_ = 1;
  }
  [[nodiscard]] double logarithm() const { return sum_ + std::log(product_); }

 private:
  double sum_ = 0;
  double product_ = 1;
};

/// So many sums or products side by side let the compiler use whole registers, several of them.
constexpr std::size_t chains = 16;

/// The sum of term(m), m = first .. n - 1.
template <class Term>
[[gnu::always_inline]] inline double sum_of(const Term& term, std::size_t first, std::size_t n) {
  double sums[chains] = {};
  std::size_t m = first;
  for (; m + chains <= n; m += chains)
    for (std::size_t c = 0; c < chains; ++c) sums[c] += term(m + c);
  for (; m < n; ++m) sums[0] += term(m);
  for (std::size_t half = chains / 2; half > 0; half /= 2)
    for (std::size_t c = 0; c < half; ++c) sums[c] += sums[c + half];
  return sums[0];
}

/// K(dx) K(dy) where dx is within reach.
[[gnu::always_inline]] inline double product_kernel(double dx, double dy) {
  const double of_y = 1 - dy * dy;
  return (1 - dx * dx) * (of_y > 0 ? of_y : 0);
}

/// kernels[m] = K(x[m] - x[self]) where all are within reach; returns their sum.
DYAD_SIMD double fill_kernels(const double* x, std::size_t self, std::size_t n, double* kernels) {
  const double centre = x[self];
  return sum_of([=](std::size_t m) { return kernels[m] = 1 - (x[m] - centre) * (x[m] - centre); }, 0, n);
}

/// kernels[m] = K(x[m] - x[self]) K(y[m] - y[self]) where all x are within reach; returns their sum.
DYAD_SIMD double fill_kernels(const double* x, const double* y, std::size_t self, std::size_t n,
                              double* kernels) {
  const double centre_x = x[self];
  const double centre_y = y[self];
  const auto kernel = [=](std::size_t m) {
    return kernels[m] = product_kernel(x[m] - centre_x, y[m] - centre_y);
  };
  return sum_of(kernel, 0, n);
}

/// Product of 1 - kernels[m] / sum over all but the one at `self`, which becomes 0. It is at least 1/4: each
/// factor is at least 1/2, as the sum has the kernel at `self` too, which is the largest, and what is
/// subtracted from the factors adds up to less than 1.
DYAD_SIMD double product_without(double* kernels, std::size_t self, std::size_t n, double sum) {
  kernels[self] = 0;
  const double factor = 1 / sum;
  double products[chains];
  for (double& product : products) product = 1;
  std::size_t m = 0;
  for (; m + chains <= n; m += chains)
    for (std::size_t c = 0; c < chains; ++c) products[c] *= 1 - factor * kernels[m + c];
  for (; m < n; ++m) products[0] *= 1 - factor * kernels[m];
  for (std::size_t half = chains / 2; half > 0; half /= 2)
    for (std::size_t c = 0; c < half; ++c) products[c] *= products[c + half];
  return products[0];
}

SortedFeature make_feature(std::span<const double> x, double bandwidth) {
  const std::size_t n = x.size();
  SortedFeature f;
  f.z = centred_and_scaled(x, bandwidth);
  f.order = all_rows(n);
  std::ranges::sort(f.order, {}, [&](std::size_t i) { return std::pair(f.z[i], i); });

  const std::vector<double> sorted = gather(f.z, f.order);
  std::vector<double> kernels(n);
  LogProduct sums;
  LogProduct rests;
  std::size_t begin = 0;
  std::size_t end = 0;
  for (std::size_t r = 0; r < n; ++r) {
    while (sorted[r] - sorted[begin] >= 1) ++begin;
    while (end < n && sorted[end] - sorted[r] < 1) ++end;
    f.begin.push_back(begin);
    f.end.push_back(end);
    const double sum = fill_kernels(&sorted[begin], r - begin, end - begin, kernels.data());
    sums.multiply(sum);
    rests.multiply(product_without(kernels.data(), r - begin, end - begin, sum));
  }
  f.log_sum = sums.logarithm();
  f.jackknife = rests.logarithm();
  return f;
}

/// What x and y have in common, in nats, from the sum over rows of log(S_xy / (S_x S_y)).
double raw_information(double log_ratio, std::size_t n) {
  return log_ratio / static_cast<double>(n) + std::log(static_cast<double>(n));
}

MutualInformation mutual_information_of(const SortedFeature& x, const SortedFeature& y) {
  const std::size_t n = x.z.size();
  const std::vector<double> sorted_x = gather(x.z, x.order);
  const std::vector<double> sorted_y = gather(y.z, x.order);
  std::vector<double> kernels(n);
  LogProduct sums;
  LogProduct rests;
  for (std::size_t r = 0; r < n; ++r) {
    const std::size_t begin = x.begin[r];
    const std::size_t size = x.end[r] - begin;
    const double sum = fill_kernels(&sorted_x[begin], &sorted_y[begin], r - begin, size, kernels.data());
    sums.multiply(sum);
    rests.multiply(product_without(kernels.data(), r - begin, size, sum));
  }
  const double log_ratio = sums.logarithm() - x.log_sum - y.log_sum;
  const double jackknife = rests.logarithm() - x.jackknife - y.jackknife;
  // raw = mean of log(n S_xy / (S_x S_y)); without row k the sums of row i lose their kernel (i, k), so the
  // leave-one-out values add up to log_ratio + n log(n - 1) + jackknife / (n - 1).
  const auto count = static_cast<double>(n);
  const double raw = raw_information(log_ratio, n);
  if (n == 1) return {raw, raw};
  const double sum_without_one = log_ratio + count * std::log(count - 1) + jackknife / (count - 1);
  return {raw, count * raw - (count - 1) * sum_without_one / count};
}

/// Adds K(x[m] - x[0]) K(y[m] - y[0]) to sums[m], m = 1 .. n - 1, where all x are within reach; returns what
/// it adds.
DYAD_SIMD double add_kernels(const double* x, const double* y, std::size_t n, double* sums) {
  const double centre_x = x[0];
  const double centre_y = y[0];
  const auto add_kernel = [=](std::size_t m) {
    const double kernel = product_kernel(x[m] - centre_x, y[m] - centre_y);
    sums[m] += kernel;
    return kernel;
  };
  return sum_of(add_kernel, 1, n);
}

double raw_information_of(const SortedFeature& x, const SortedFeature& y) {
  const std::size_t n = x.z.size();
  const std::vector<double> sorted_x = gather(x.z, x.order);
  const std::vector<double> sorted_y = gather(y.z, x.order);
  std::vector<double> sums(n, 1.0);  // each has its own kernel
  LogProduct product;
  for (std::size_t r = 0; r < n; ++r) {
    sums[r] += add_kernels(&sorted_x[r], &sorted_y[r], x.end[r] - r, &sums[r]);
    product.multiply(sums[r]);
  }
  return raw_information(product.logarithm() - x.log_sum - y.log_sum, n);
}

/// information(features i and j) of all pairs of columns of X.
template <class Information>
auto of_all_pairs(const MatrixView& X, const Execution& execution, const Information& information) {
  const std::size_t d = X.n_cols;
  std::vector<SortedFeature> features(d);
  parallel_for(d, execution, "mutual information", [&](std::size_t j) {
    features[j] = make_feature(X.column(j), epanechnikov_bandwidth(X.column(j)));
  });
  std::vector<decltype(information(features[0], features[0]))> result(pair_count(d));
  parallel_for(d, execution, "mutual information", [&](std::size_t i) {
    for (std::size_t j = i + 1; j < d; ++j)
      result[pair_index(i, j, d)] = information(features[i], features[j]);
  });
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
  return of_all_pairs(X, execution, mutual_information_of);
}

std::vector<double> raw_information_all_pairs(const MatrixView& X, const Execution& execution) {
  return of_all_pairs(X, execution, raw_information_of);
}

}  // namespace dyad
