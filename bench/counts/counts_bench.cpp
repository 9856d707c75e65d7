// The counts engine piece by piece, each beside the exact answer: one thread.
// SPDX-License-Identifier: BSD-3-Clause
#include "bench/samples.h"
#include "dyad/counts/pair_counts.h"
#include "dyad/density/grid2d.h"
#include "dyad/density/kde2d.h"
#include "dyad/dependence/counts_hsic.h"

namespace {

constexpr std::size_t grid = 128;

std::vector<dyad::Place> places(std::size_t n, std::uint64_t seed) {
  const dyad::Axis axis{.origin = -5, .step = 0.15, .size = 64};
  std::vector<dyad::Place> result;
  for (const double value : dyad::bench::normal_sample(n, seed)) result.push_back(axis.place(value));
  return result;
}

void fill_linear(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto x = places(n, 1);
  const auto y = places(n, 2);
  dyad::PairCounts counts(64, 64);
  for (auto _ : state) counts.fill(x, y);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(fill_linear)->ArgName("n")->Arg(1000)->Arg(100000)->Unit(benchmark::kMicrosecond);

void fill_quadratic(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto x = places(n, 1);
  const auto y = places(n, 2);
  dyad::PairCounts counts(64, 64);
  for (auto _ : state) counts.fill_quadratic(x, y);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(fill_quadratic)->ArgName("n")->Arg(1000)->Arg(100000)->Unit(benchmark::kMicrosecond);

void counts_plug_in_2d(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto x = dyad::bench::normal_sample(n, 1);
  const auto y = dyad::bench::normal_sample(n, 2);
  dyad::Symmetric2 H;
  for (auto _ : state) H = dyad::counts_bandwidth_2d(x, y, dyad::BandwidthRule::plug_in);
  if (n <= 1000)
    dyad::bench::check(state, H.xx, dyad::bandwidth_2d(x, y, dyad::BandwidthRule::plug_in).xx, 0.01);
}
BENCHMARK(counts_plug_in_2d)->ArgName("n")->Arg(500)->Arg(100000)->Unit(benchmark::kMicrosecond);

void counts_fit_2d(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto x = dyad::bench::normal_sample(n, 1);
  const auto y = dyad::bench::normal_sample(n, 2);
  for (auto _ : state) benchmark::DoNotOptimize(dyad::make_grid2d(x, y, {0.1, 0.02, 0.1}, grid));
}
BENCHMARK(counts_fit_2d)->ArgName("n")->Arg(500)->Arg(100000)->Unit(benchmark::kMicrosecond);

void counts_log_density_2d(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto x = dyad::bench::normal_sample(n, 1);
  const auto y = dyad::bench::normal_sample(n, 2);
  const dyad::Symmetric2 H{0.1, 0.02, 0.1};
  const dyad::Grid2d density = dyad::make_grid2d(x, y, H, grid);
  std::vector<double> out(n);
  for (auto _ : state) dyad::log_density(density, y, x, out);
  std::vector<double> exact(1);
  dyad::log_density(dyad::make_kde2d(x, y, H), std::span(y).first(1), std::span(x).first(1), exact);
  dyad::bench::check(state, out[0], exact[0], 0.02);
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(counts_log_density_2d)->ArgName("n")->Arg(1000)->Arg(100000)->Unit(benchmark::kMicrosecond);

void counts_hsic_all_pairs(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const auto d = static_cast<std::size_t>(state.range(1));
  const dyad::Matrix X = dyad::bench::normal_matrix(n, d, 1);
  std::vector<dyad::Hsic> result;
  for (auto _ : state) result = dyad::counts_hsic_all_pairs(X, grid, {.threads = 1});
  if (n <= 2000)
    dyad::bench::check(state, result.front().value, dyad::hsic(X.column(0), X.column(1)).value, 0.01);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(result.size()));
}
BENCHMARK(counts_hsic_all_pairs)
    ->ArgNames({"n", "d"})
    ->Args({1000, 20})
    ->Args({2000, 100})
    ->Args({100000, 20})
    ->Unit(benchmark::kMillisecond);

}  // namespace
