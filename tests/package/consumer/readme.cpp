// Runs the C++ example of README.md; defines the names that the example takes as given.
#include <dyad/dyad.h>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<double> row{1.0, -0.3, -0.7, -1.5, 2.3, -0.1};
  const std::vector<double> x{0.1, 0.4, 0.5, 0.9, 1.3, 1.7, 2.0};
  const std::vector<double> y{0.2, 0.3, 0.7, 0.8, 1.1, 1.9, 1.8};
#include "readme_example.inc"
  std::printf("%zu classes, %zu terms, HSIC %g\n", classes.size(), why.values.size(), dependence.value);
}
