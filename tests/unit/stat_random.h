#pragma once
// Numbers for the statistics tests: the same on every platform (the standard's distributions are not).

#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <vector>

namespace assay::test {

class Random {
 public:
  explicit Random(unsigned long long seed) : engine_(seed) {}
  /// In [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }
  double gauss() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }
  std::vector<double> gauss(std::size_t n, double mean = 0.0, double sigma = 1.0) {
    std::vector<double> out(n);
    for (double& value : out) value = mean + sigma * gauss();
    return out;
  }
  /// Few distinct values, so that ties are common.
  std::vector<double> tied(std::size_t n, std::size_t distinct) {
    std::vector<double> out(n);
    for (double& value : out) value = static_cast<double>(below(distinct));
    return out;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace assay::test
