// Our side of the comparisons with other libraries (compare.py runs it):
//
//   dyad_rivals hsic|density|svm|fit|predict FOLDER [threads=1] [repeat=1] [any option of a fit, as
//   n_pairs=200]
//
// Reads its input from files in FOLDER, writes its answer there and prints one line of JSON with the seconds
// of the fastest of `repeat` runs, files not counted. A file holds the numbers of rows and columns and then
// the values by columns, all as little-endian float64.
// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>

#include "dyad/base/stopwatch.h"
#include "dyad/density/grid2d.h"
#include "dyad/dependence/counts_hsic.h"
#include "dyad/fit/fit.h"
#include "dyad/linear/hinge_newton.h"
#include "dyad/model/prediction.h"

namespace {

using dyad::Matrix;

struct Request {
  std::string folder;
  dyad::Execution execution;
  int repeat = 1;
  dyad::FitOptions options;
};

Matrix read(const Request& request, const std::string& name) {
  std::ifstream file(request.folder + "/" + name + ".f64", std::ios::binary);
  double shape[2] = {};
  file.read(reinterpret_cast<char*>(shape), sizeof shape);
  Matrix values(static_cast<std::size_t>(shape[0]), static_cast<std::size_t>(shape[1]));
  file.read(reinterpret_cast<char*>(values.data.data()),
            static_cast<std::streamsize>(values.data.size() * sizeof(double)));
  if (!file) throw std::runtime_error(request.folder + ": cannot read " + name);
  return values;
}

void write(const Request& request, const std::string& name, const Matrix& values) {
  std::ofstream file(request.folder + "/" + name + ".f64", std::ios::binary);
  const double shape[2] = {static_cast<double>(values.n_rows), static_cast<double>(values.n_cols)};
  file.write(reinterpret_cast<const char*>(shape), sizeof shape);
  file.write(reinterpret_cast<const char*>(values.data.data()),
             static_cast<std::streamsize>(values.data.size() * sizeof(double)));
  if (!file.flush()) throw std::runtime_error(request.folder + ": cannot write " + name);
}

/// Seconds of the fastest of the runs asked for.
template <class Work>
double best_time(const Request& request, Work&& work) {
  double best = std::numeric_limits<double>::max();
  for (int run = 0; run < request.repeat; ++run) {
    double seconds = 0;
    {
      const dyad::Stopwatch watch(seconds);
      work();
    }
    best = std::min(best, seconds);
  }
  return best;
}

dyad::LabelledSample read_sample(const Request& request) {
  const Matrix y = read(request, "y");
  return {read(request, "X"), {y.data.begin(), y.data.end()}, 2};
}

std::size_t grid(const Request& request) { return static_cast<std::size_t>(request.options.grid); }

/// X -> hsic (a row per pair) and the kernels' bandwidths s.
void run_hsic(const Request& request) {
  const Matrix X = read(request, "X");
  std::vector<dyad::Hsic> pairs;
  const double seconds =
      best_time(request, [&] { pairs = dyad::counts_hsic_all_pairs(X, grid(request), request.execution); });

  Matrix values(pairs.size(), 1);
  std::ranges::transform(pairs, values.data.begin(), &dyad::Hsic::value);
  write(request, "hsic", values);
  Matrix s(X.n_cols, 1);
  for (std::size_t j = 0; j < X.n_cols; ++j) s(j, 0) = dyad::median_bandwidth(X.column(j));
  write(request, "s", s);
  std::printf("{\"seconds\": %.6g}\n", seconds);
}

/// Samples (columns 2k and 2k + 1 are pair k), points alike, bandwidths h (a row per pair) -> log_density (a
/// column per pair).
void run_density(const Request& request) {
  const Matrix X = read(request, "X");
  const Matrix Q = read(request, "Q");
  const Matrix h = read(request, "h");
  Matrix out(Q.n_rows, h.n_rows);
  const double seconds = best_time(request, [&] {
    dyad::parallel_for(h.n_rows, request.execution, "", [&](std::size_t k) {
      const dyad::Symmetric2 H{h(k, 0) * h(k, 0), 0, h(k, 1) * h(k, 1)};
      const dyad::Grid2d density = dyad::make_grid2d(X.column(2 * k), X.column(2 * k + 1), H, grid(request));
      dyad::log_density(density, Q.column(2 * k), Q.column(2 * k + 1), out.column(k));
    });
  });
  write(request, "log_density", out);
  std::printf("{\"seconds\": %.6g}\n", seconds);
}

/// X with standardised columns, signs y -> w: the weights, then the intercept.
void run_svm(const Request& request) {
  const Matrix X = read(request, "X");
  const Matrix y = read(request, "y");
  dyad::FloatRows rows(X.n_rows, X.n_cols);
  for (std::size_t i = 0; i < X.n_rows; ++i)
    for (std::size_t j = 0; j < X.n_cols; ++j) rows.row(i)[j] = static_cast<float>(X(i, j));
  std::vector<std::uint32_t> all(X.n_rows);
  std::iota(all.begin(), all.end(), 0U);
  dyad::LinearSolution svm;
  const double seconds = best_time(request, [&] {
    svm = dyad::solve_linear(rows, all, X.n_cols, y.data, {}, request.options.svm, {}, request.execution);
  });
  Matrix w(X.n_cols + 1, 1);
  std::ranges::copy(svm.w, w.data.begin());
  w.data.back() = svm.intercept;
  write(request, "w", w);
  std::printf("{\"seconds\": %.6g, \"gap\": %.6g}\n", seconds, svm.gap);
}

/// X, classes y and new rows Q -> scores of Q. The fit is timed, or (predict) the scores.
void run_model(const Request& request, bool time_the_fit) {
  const dyad::LabelledSample sample = read_sample(request);
  const Matrix Q = read(request, "Q");
  Request once = request;
  once.repeat = 1;

  dyad::Model model;
  dyad::FitReport report;
  const double fit_seconds = best_time(time_the_fit ? request : once, [&] {
    report = {};
    model = dyad::fit(sample, request.options, request.execution, report);
  });
  Matrix scores;
  const double predict_seconds =
      best_time(time_the_fit ? once : request, [&] { scores = dyad::scores(model, Q, request.execution); });
  write(request, "scores", scores);
  std::printf(
      "{\"seconds\": %.6g, \"pairs\": %zu, \"screen\": %.6g, \"density\": %.6g, \"features\": %.6g, \"svm\": "
      "%.6g}\n",
      time_the_fit ? fit_seconds : predict_seconds, dyad::count_pairs(model), report.screen, report.density,
      report.features, report.svm);
}

void set(Request& request, const std::string& name, const std::string& text) {
  if (name == "threads" || name == "repeat") {
    (name == "threads" ? request.execution.threads : request.repeat) = std::stoi(text);
    return;
  }
  bool known = false;
  dyad::FitOptions::describe(request.options,
                             [&](std::string_view field, auto& value, const auto& allowed, auto) {
                               if (field != name) return;
                               dyad::set_option(value, allowed, name, text);
                               known = true;
                             });
  if (!known) throw std::invalid_argument("no option " + name);
  if (name == "n_pairs") request.options.pairs = dyad::PairRule::count;
}

void run(int argc, char** argv) {
  if (argc < 3) throw std::invalid_argument("usage: dyad_rivals TASK FOLDER [name=value ...]");
  Request request;
  request.folder = argv[2];
  request.execution.threads = 1;
  for (int k = 3; k < argc; ++k) {
    const std::string argument = argv[k];
    const std::size_t equals = std::min(argument.find('='), argument.size() - 1);
    set(request, argument.substr(0, equals), argument.substr(equals + 1));
  }
  const std::map<std::string, void (*)(const Request&)> tasks{
      {"hsic", run_hsic},
      {"density", run_density},
      {"svm", run_svm},
      {"fit", [](const Request& r) { run_model(r, true); }},
      {"predict", [](const Request& r) { run_model(r, false); }}};
  const auto task = tasks.find(argv[1]);
  if (task == tasks.end()) throw std::invalid_argument(std::string("no task ") + argv[1]);
  task->second(request);
}

}  // namespace

int main(int argc, char** argv) try { run(argc, argv); } catch (const std::exception& error) {
  std::fprintf(stderr, "dyad_rivals: %s\n", error.what());
  return 1;
}
