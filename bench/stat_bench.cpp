// Costs of the statistics that run over whole series. A million records is the size that the design names.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "stat/changepoint.h"
#include "stat/oscillation.h"
#include "stat/pyramid.h"
#include "stat/quantile.h"
#include "stat/quantum.h"
#include "stat/rolling.h"
#include "stat/trend.h"

namespace assay {
namespace {

constexpr std::size_t kRecords = 1'000'000;

/// Noise on a falling curve: no two values alike and no pattern that a branch predictor could learn.
const std::vector<double>& curve() {
  static const std::vector<double> values = [] {
    std::vector<double> out(kRecords);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < out.size(); ++i) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      const double noise = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
      out[i] = 2.0 + 8.0 / (1.0 + 0.001 * static_cast<double>(i)) + 0.1 * noise;
    }
    return out;
  }();
  return values;
}

void count_records(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(kRecords));
}

void rolling_median_and_mad(benchmark::State& state) {
  for (auto _ : state) {
    RollingMedian window(static_cast<std::size_t>(state.range(0)));
    double sum = 0.0;
    for (const double value : curve()) {
      const RobustBaseline baseline = window.baseline();
      if (baseline.count > 0) sum += baseline.z(value, 1e-9);
      window.push(value);
    }
    benchmark::DoNotOptimize(sum);
  }
  count_records(state);
}
BENCHMARK(rolling_median_and_mad)->Arg(16)->Arg(64)->Arg(128)->Arg(1024)->Arg(8192)->Unit(benchmark::kMillisecond);

void running_median_of_5(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(running_median(curve(), 2));
  count_records(state);
}
BENCHMARK(running_median_of_5)->Unit(benchmark::kMillisecond);

void median_of_all(benchmark::State& state) {
  std::vector<double> scratch;
  for (auto _ : state) benchmark::DoNotOptimize(median(curve(), scratch));
  count_records(state);
}
BENCHMARK(median_of_all)->Unit(benchmark::kMillisecond);

/// One call over the whole curve.
template <auto kFunction>
void whole_curve(benchmark::State& state) {
  for (auto _ : state) benchmark::DoNotOptimize(kFunction(curve()));
  count_records(state);
}

constexpr auto kTheilSen = [](const std::vector<double>& values) { return theil_sen(values); };
constexpr auto kNoise = [](const std::vector<double>& values) { return neighbor_noise(values); };
constexpr auto kMannKendall = [](const std::vector<double>& values) { return mann_kendall(values); };
constexpr auto kMeanShift = [](const std::vector<double>& values) { return best_mean_shift(values); };
constexpr auto kRankShift = [](const std::vector<double>& values) { return best_rank_shift(values); };
constexpr auto kQuantum = [](const std::vector<double>& values) { return find_quantum(values); };

constexpr auto kOscillation = [](const std::vector<double>& values) { return oscillation(values); };
constexpr auto kPeriod = [](const std::vector<double>& values) { return dominant_period(values); };
constexpr auto kPyramid = [](const std::vector<double>& values) { return finest_level(values, 32768); };

BENCHMARK(whole_curve<kTheilSen>)->Name("theil_sen")->Unit(benchmark::kMillisecond);
BENCHMARK(whole_curve<kNoise>)->Name("neighbor_noise")->Unit(benchmark::kMillisecond);
BENCHMARK(whole_curve<kMannKendall>)->Name("mann_kendall")->Unit(benchmark::kMillisecond);
BENCHMARK(whole_curve<kMeanShift>)->Name("best_mean_shift")->Unit(benchmark::kMillisecond);
BENCHMARK(whole_curve<kRankShift>)->Name("best_rank_shift")->Unit(benchmark::kMillisecond);
BENCHMARK(whole_curve<kQuantum>)->Name("find_quantum")->Unit(benchmark::kMillisecond);
BENCHMARK(whole_curve<kOscillation>)->Name("oscillation")->Unit(benchmark::kMillisecond);
BENCHMARK(whole_curve<kPeriod>)->Name("dominant_period")->Unit(benchmark::kMillisecond);
BENCHMARK(whole_curve<kPyramid>)->Name("finest_level")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
