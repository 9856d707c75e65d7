// HSIC of all pairs of features: one thread, beside the plain double loop over rows.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/hsic.h"

#include "bench/samples.h"

namespace {

/// mean(K.L) + mean(K) mean(L) - 2 mean_i(rowmean_i(K) rowmean_i(L)), two rows at a time.
double plain_hsic(std::span<const double> x, std::span<const double> y) {
  const double s_x = dyad::median_bandwidth(x);
  const double s_y = dyad::median_bandwidth(y);
  const auto n = static_cast<double>(x.size());
  double product = 0;
  double sum_x = 0;
  double sum_y = 0;
  double rows = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double row_x = 0;
    double row_y = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const double k_x = std::exp(-0.5 * (x[i] - x[k]) * (x[i] - x[k]) / (s_x * s_x));
      const double k_y = std::exp(-0.5 * (y[i] - y[k]) * (y[i] - y[k]) / (s_y * s_y));
      product += k_x * k_y;
      row_x += k_x;
      row_y += k_y;
    }
    sum_x += row_x;
    sum_y += row_y;
    rows += row_x * row_y;
  }
  return product / (n * n) + sum_x * sum_y / (n * n * n * n) - 2 * rows / (n * n * n);
}

void hsic_all_pairs(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto d = static_cast<std::size_t>(state.range(1));
  const dyad::Matrix X = dyad::bench::normal_matrix(n, d, 1);
  std::vector<dyad::Hsic> result;
  for (auto _ : state) result = dyad::hsic_all_pairs(X, {.threads = 1});
  dyad::bench::check(state, result.front().value, plain_hsic(X.column(0), X.column(1)), 1e-9);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(result.size()));
}
BENCHMARK(hsic_all_pairs)
    ->ArgNames({"n", "d"})
    ->Args({200, 20})
    ->Args({1000, 20})
    ->Args({2000, 100})
    ->Unit(benchmark::kMillisecond);

void hsic_plain_pair(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const dyad::Matrix X = dyad::bench::normal_matrix(n, 2, 1);
  for (auto _ : state) benchmark::DoNotOptimize(plain_hsic(X.column(0), X.column(1)));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(hsic_plain_pair)->ArgName("n")->Arg(200)->Arg(1000)->Arg(2000)->Unit(benchmark::kMillisecond);

void median_bandwidth(benchmark::State& state) {
  const auto x = dyad::bench::normal_sample(static_cast<std::size_t>(state.range(0)), 1);
  for (auto _ : state) benchmark::DoNotOptimize(dyad::median_bandwidth(x));
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(median_bandwidth)->ArgName("n")->Arg(1000)->Arg(100000)->Unit(benchmark::kMillisecond);

}  // namespace
