// Linear SVMs: descent on rows, alone and along paths of C and of columns, beside the exact solver on few
// rows.
// SPDX-License-Identifier: BSD-3-Clause
#include <numeric>

#include "bench/samples.h"
#include "dyad/linear/hinge_newton.h"
#include "dyad/linear/linear_svm.h"

namespace {

struct Problem {
  dyad::FloatRows X;
  std::vector<double> y;
  std::vector<std::uint32_t> rows;
};

/// Standardised columns that share p / 5 factors; the label follows a linear rule with noise of the given
/// share of its spread.
Problem draw(std::size_t n, std::size_t p, double noise) {
  dyad::Random random(1);
  const std::size_t n_factors = std::max<std::size_t>(10, p / 5);
  const dyad::Matrix loadings = dyad::bench::normal_matrix(p, n_factors, 2);
  Problem problem{dyad::FloatRows(n, p), std::vector<double>(n), std::vector<std::uint32_t>(n)};
  std::iota(problem.rows.begin(), problem.rows.end(), 0U);
  std::vector<double> row(p);
  for (std::size_t i = 0; i < n; ++i) {
    for (double& value : row) value = 0.5 * random.normal();
    for (std::size_t k = 0; k < n_factors; ++k) {
      const double factor = random.normal() / std::sqrt(static_cast<double>(n_factors));
      const auto loading = loadings.column(k);
      for (std::size_t j = 0; j < p; ++j) row[j] += factor * loading[j];
    }
    std::ranges::transform(row, problem.X.row(i).begin(), [](double v) { return static_cast<float>(v); });
  }
  dyad::apply(dyad::standardisation_of(problem.X), problem.X);
  std::vector<double> rule(p);
  for (double& weight : rule) weight = random.uniform() < 0.3 ? random.normal() : 0;
  const std::vector<double> f = dyad::decision_values(problem.X, problem.rows, rule, 0);
  const double sd =
      std::sqrt(std::inner_product(f.begin(), f.end(), f.begin(), 0.0) / static_cast<double>(n));
  for (std::size_t i = 0; i < n; ++i) problem.y[i] = f[i] / sd + 0.3 + noise * random.normal() > 0 ? 1 : -1;
  return problem;
}

dyad::SvmOptions options_of(double C, double tolerance) { return {.C = C, .tolerance = tolerance}; }

/// Arguments: n, p, 100 C, 100 noise, -log10 of the tolerance.
void svm_descent(benchmark::State& state) {
  const Problem problem =
      draw(static_cast<std::size_t>(state.range(0)), static_cast<std::size_t>(state.range(1)),
           0.01 * static_cast<double>(state.range(3)));
  const auto options = options_of(0.01 * static_cast<double>(state.range(2)),
                                  std::pow(10.0, -static_cast<double>(state.range(4))));
  dyad::LinearSolution solution;
  for (auto _ : state)
    solution = dyad::solve_linear(problem.X, problem.rows, problem.X.n_cols(), problem.y, {}, options);
  if (!solution.converged) state.SkipWithError("not converged");
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(svm_descent)
    ->ArgNames({"n", "p", "100C", "100noise", "digits"})
    ->Args({1000, 420, 100, 5, 3})
    ->Args({1000, 420, 100, 5, 4})
    ->Args({1000, 420, 100, 50, 3})
    ->Args({1000, 420, 100, 50, 4})
    ->Args({100000, 300, 1, 45, 3})
    ->Args({100000, 300, 100, 45, 3})
    ->Unit(benchmark::kMillisecond);

/// The exact solver on the same rows, its Gram matrix included; both objectives are compared.
void svm_exact(benchmark::State& state) {
  const Problem problem = draw(static_cast<std::size_t>(state.range(0)), 420, 0.5);
  dyad::Matrix Z(problem.X.n_rows(), problem.X.n_cols());
  for (std::size_t i = 0; i < Z.n_rows; ++i)
    for (std::size_t j = 0; j < Z.n_cols; ++j) Z(i, j) = static_cast<double>(problem.X.row(i)[j]);
  const auto options = options_of(1, 1e-4);
  dyad::SvmSolution exact;
  for (auto _ : state) {
    dyad::Matrix gram(Z.n_rows, Z.n_rows);
    dyad::add_gram(Z, gram);
    exact = dyad::solve_svm(gram, problem.y, {}, options);
  }
  const auto descent = dyad::solve_linear(problem.X, problem.rows, Z.n_cols, problem.y, {}, options);
  dyad::bench::check(state, descent.objective, exact.objective, 2e-4);
}
BENCHMARK(svm_exact)->ArgName("n")->Arg(1000)->Unit(benchmark::kMillisecond);

/// C = 0.01, 0.1, 1, 10, each from the last solution (warm = 1) or from nothing.
void svm_path_of_costs(benchmark::State& state) {
  const Problem problem = draw(20000, 300, 0.45);
  for (auto _ : state) {
    dyad::LinearSolution last;
    for (const double C : {0.01, 0.1, 1.0, 10.0})
      last = dyad::solve_linear(problem.X, problem.rows, 300, problem.y, {}, options_of(C, 1e-3),
                                state.range(0) == 1 ? last : dyad::LinearSolution{});
    if (!last.converged) state.SkipWithError("not converged");
  }
}
BENCHMARK(svm_path_of_costs)->ArgName("warm")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

/// 40, 100, 200 and 300 columns, each from the last solution (warm = 1) or from nothing.
void svm_path_of_columns(benchmark::State& state) {
  const Problem problem = draw(20000, 300, 0.45);
  for (auto _ : state) {
    dyad::LinearSolution last;
    for (const std::size_t n_cols : {40U, 100U, 200U, 300U})
      last = dyad::solve_linear(problem.X, problem.rows, n_cols, problem.y, {}, options_of(0.1, 1e-3),
                                state.range(0) == 1 ? last : dyad::LinearSolution{});
    if (!last.converged) state.SkipWithError("not converged");
  }
}
BENCHMARK(svm_path_of_columns)->ArgName("warm")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond);

void standardise_rows(benchmark::State& state) {
  const Problem problem = draw(20000, 300, 0.45);
  dyad::Standardisation result;
  for (auto _ : state) result = dyad::standardisation_of(problem.X, {.threads = 1});
  dyad::bench::check(state, result.scale[0], 1, 1e-5);
  state.SetBytesProcessed(state.iterations() * 20000 * 300 * 4);
}
BENCHMARK(standardise_rows)->Unit(benchmark::kMillisecond);

}  // namespace
