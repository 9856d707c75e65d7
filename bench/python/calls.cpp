// Times in C++ of the calls that bench/python/overhead.py times in Python: for each word on
// standard input, fit or predict, the seconds of that call on standard output.
//
//   dyad_calls DATA METHOD THREADS     DATA: n, d (int64), X by columns (float64), y (int32)
// SPDX-License-Identifier: BSD-3-Clause
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "dyad/base/stopwatch.h"
#include "dyad/fit/fit.h"
#include "dyad/model/prediction.h"

namespace {

template <class T>
void read(std::istream& in, T* values, std::size_t count) {
  in.read(reinterpret_cast<char*>(values), static_cast<std::streamsize>(count * sizeof(T)));
  if (!in) throw std::runtime_error("calls: the data are cut short");
}

dyad::LabelledSample read_sample(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::int64_t n = 0;
  std::int64_t d = 0;
  read(in, &n, 1);
  read(in, &d, 1);
  dyad::LabelledSample sample{.X = dyad::Matrix(static_cast<std::size_t>(n), static_cast<std::size_t>(d)),
                              .y = std::vector<std::int32_t>(static_cast<std::size_t>(n)),
                              .n_classes = 2};
  read(in, sample.X.data.data(), sample.X.data.size());
  read(in, sample.y.data(), sample.y.size());
  return sample;
}

template <class Call>
double seconds_of(const Call& call) {
  double seconds = 0;
  {
    const dyad::Stopwatch watch(seconds);
    call();
  }
  return seconds;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const dyad::LabelledSample sample = read_sample(argv[1]);
  dyad::FitOptions options;
  options.method = static_cast<dyad::Method>(dyad::index_of_name(dyad::method_names, argv[2], "method"));
  const dyad::Execution execution{.threads = std::atoi(argv[3])};
  dyad::Model model;
  dyad::FitReport report;
  for (std::string word; std::cin >> word;) {
    dyad::LabelledSample given = word == "fit" ? sample : dyad::LabelledSample{};  // a fit takes it over
    std::cout << seconds_of([&] {
      if (word == "fit")
        model = fit(std::move(given), options, execution, report);
      else
        (void)scores(model, sample.X, execution);
    }) << std::endl;
  }
}
