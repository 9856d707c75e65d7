// Rows of simulated networks and their true log-likelihood ratios, on one thread.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/simulation/scenarios.h"

#include "bench/samples.h"

namespace {

constexpr std::size_t n_rows = 10000;

dyad::Simulation simulation() {
  const auto scenario = dyad::Scenario::general_complex;
  return {scenario, dyad::calibrated_options(scenario), 1};
}

void simulated_rows(benchmark::State& state) {
  const dyad::Simulation networks = simulation();
  for (auto _ : state) benchmark::DoNotOptimize(networks.sample(n_rows, 0.5, 0, {.threads = 1}));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n_rows));
}
BENCHMARK(simulated_rows)->Unit(benchmark::kMillisecond);

void true_log_ratios(benchmark::State& state) {
  const dyad::Simulation networks = simulation();
  const dyad::Matrix X = networks.sample(n_rows).X;
  std::vector<double> ratios;
  for (auto _ : state) ratios = networks.log_likelihood_ratio(X, {.threads = 1});
  dyad::bench::check(state, ratios.back(), networks.log_likelihood_ratio(X).back(), 1e-15);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(n_rows));
}
BENCHMARK(true_log_ratios)->Unit(benchmark::kMillisecond);

}  // namespace
