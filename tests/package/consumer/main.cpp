// The smallest program that uses the installed library.
#include <dyad/density/bandwidth.h>
#include <dyad/version.h>

#include <cstdio>
#include <vector>

int main() {
  const std::vector<double> x{0.1, 0.4, 0.5, 0.9, 1.3};
  std::printf("bandwidth %g with dyad %s\n", dyad::bandwidth_1d(x, dyad::BandwidthRule::plug_in),
              dyad::version);
}
