// The exact reference and random data: numbers a second, per core, in arrays that stay in the cache.

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "num/distribution.h"
#include "num/double_double.h"
#include "timing.h"

namespace assay {
namespace {

constexpr std::size_t kNumbers = 1 << 14;

std::vector<double> normal(std::uint64_t stream) {
  std::vector<double> out(kNumbers);
  draw({.stream = stream}, 0, out);
  return out;
}

void report(benchmark::State& state, const auto& work) {
  double seconds = 0;
  for ([[maybe_unused]] auto _ : state) seconds += seconds_of(work);
  const double count = static_cast<double>(kNumbers) * static_cast<double>(state.iterations());
  state.counters["numbers"] = benchmark::Counter(count / seconds);
  state.counters["ns"] = benchmark::Counter(1e9 * seconds / count);
}

void add_rows(benchmark::State& state) {
  std::vector<double> hi(kNumbers), lo(kNumbers);
  const std::vector<double> addend = normal(1);
  report(state, [&] { add_to(hi, lo, addend); });
}

void add_products(benchmark::State& state) {
  std::vector<double> hi(kNumbers), lo(kNumbers);
  const std::vector<double> a = normal(1), b = normal(2);
  report(state, [&] { add_product_to(hi, lo, a, b); });
}

const bool registered = [] {
  for (const DistributionFacts& facts : distributions()) {
    const std::string name = "Draw/" + facts.name;
    benchmark::RegisterBenchmark(name.c_str(), [id = facts.id](benchmark::State& state) {
      std::vector<double> out(kNumbers);
      report(state, [&] { draw({.distribution = id}, 0, out); });
    });
  }
  benchmark::RegisterBenchmark("DoubleDouble/add_to", add_rows);
  benchmark::RegisterBenchmark("DoubleDouble/add_product_to", add_products);
  using Function = DoubleDouble (*)(const DoubleDouble&);
  for (const auto& [name, function] :
       {std::pair<const char*, Function>{"exp", exp}, {"log", log}, {"sin", sin}, {"tanh", tanh}, {"erf", erf}}) {
    const std::string full = "DoubleDouble/" + std::string(name);
    benchmark::RegisterBenchmark(full.c_str(), [function](benchmark::State& state) {
      const std::vector<double> numbers = normal(3);
      report(state, [&] {
        for (const double x : numbers) benchmark::DoNotOptimize(function(std::abs(x) + 0.1));
      });
    });
  }
  return true;
}();

}  // namespace
}  // namespace assay
