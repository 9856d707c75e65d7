// Mutual information of all pairs of features, on one thread, bandwidths included; checked against the call
// for a single pair.
// SPDX-License-Identifier: BSD-3-Clause
#include "dyad/dependence/mutual_information.h"

#include "bench/samples.h"

namespace {

void mutual_information_all_pairs(benchmark::State& state) {
  const auto n = static_cast<std::size_t>(state.range(0));
  const dyad::Matrix X = dyad::bench::normal_matrix(n, 20, 1);
  std::vector<dyad::MutualInformation> result;
  for (auto _ : state) result = dyad::mutual_information_all_pairs(X, {.threads = 1});
  dyad::bench::check(state, result.front().corrected,
                     dyad::mutual_information(X.column(0), X.column(1)).corrected, 1e-9);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(result.size()));
}
BENCHMARK(mutual_information_all_pairs)->ArgName("n")->Arg(200)->Arg(500)->Unit(benchmark::kMillisecond);

}  // namespace
