// Exact bandwidths and densities of one feature and of one pair.
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/samples.h"
#include "dyad/density/kde1d.h"
#include "dyad/density/kde2d.h"

namespace {

using dyad::BandwidthRule;

void plug_in_1d(benchmark::State& state) {
  const auto x = dyad::bench::normal_sample(static_cast<std::size_t>(state.range(0)), 1);
  for (auto _ : state) benchmark::DoNotOptimize(dyad::bandwidth_1d(x, BandwidthRule::plug_in));
}
BENCHMARK(plug_in_1d)->ArgName("n")->Arg(200)->Arg(1000)->Unit(benchmark::kMicrosecond);

void plug_in_2d(benchmark::State& state) {
  const auto x = dyad::bench::normal_sample(static_cast<std::size_t>(state.range(0)), 1);
  const auto y = dyad::bench::normal_sample(static_cast<std::size_t>(state.range(0)), 2);
  for (auto _ : state) benchmark::DoNotOptimize(dyad::bandwidth_2d(x, y, BandwidthRule::plug_in));
}
BENCHMARK(plug_in_2d)->ArgName("n")->Arg(100)->Arg(500)->Arg(1000)->Unit(benchmark::kMicrosecond);

/// 1/n sum_i phi_H(p - p_i) for H = 0.1 I, point by point.
double plain_log_density(const std::vector<double>& x, const std::vector<double>& y, double at_x,
                         double at_y) {
  double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    sum += std::exp(-((at_x - x[i]) * (at_x - x[i]) + (at_y - y[i]) * (at_y - y[i])) / 0.2);
  return std::log(sum / (0.2 * 3.14159265358979323846 * static_cast<double>(x.size())));
}

void log_density_2d(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto x = dyad::bench::normal_sample(n, 1);
  const auto y = dyad::bench::normal_sample(n, 2);
  const dyad::Kde2d kde = dyad::make_kde2d(x, y, {0.1, 0, 0.1});
  std::vector<double> out(n);
  for (auto _ : state) dyad::log_density(kde, y, x, out);
  dyad::bench::check(state, out[0], plain_log_density(x, y, y[0], x[0]), 1e-10);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(log_density_2d)->ArgName("n")->Arg(100)->Arg(1000)->Arg(10000)->Unit(benchmark::kMicrosecond);

}  // namespace
