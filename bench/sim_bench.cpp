// Optimizer steps: the share of updates that narrow weights swallow, predicted and measured, and the speed of a step.
//
// Prediction lines: AdamW on BF16 weights N(0, 0.02) with normal gradients, at one step of a run. `measured` is the
// share of updates that changed nothing, `predicted` that of sim/swallowed_updates.h, `ratio` theory by measurement.
// Step lines: elements a second through a step with all its roundings and counts, per core.

#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "num/distribution.h"
#include "sim/optimizer_step.h"
#include "sim/swallowed_updates.h"
#include "timing.h"

namespace assay {
namespace {

constexpr std::size_t kWeights = 20000;
constexpr double kDeviation = 0.02;

std::vector<double> normal(double deviation, std::uint64_t stream) {
  std::vector<double> out(kWeights);
  draw(Distribution::kNormal, 0, deviation, 1, stream, 0, out);
  return out;
}

OptimizerStep started(const OptimizerSettings& set) {
  return std::move(OptimizerStep::start(set, all_in(*number_format("bf16")), normal(kDeviation, 0))).value();
}

void swallowed(benchmark::State& state, double learning_rate, std::uint64_t step) {
  const OptimizerSettings set{.learning_rate = learning_rate, .weight_decay = 0.01};
  StepCounts counts;
  for ([[maybe_unused]] auto _ : state) {
    OptimizerStep optimizer = started(set);
    for (std::uint64_t t = 1; t <= step; ++t) counts = optimizer.step(normal(1, t));
  }
  const double measured = static_cast<double>(counts.swallowed) / static_cast<double>(counts.wanted);
  const double deviation = std::hypot(kDeviation, adam_walk(set, step - 1));
  const double predicted = swallowed_share(*number_format("bf16"), deviation, adam_sizes(set, step));
  state.counters["measured"] = measured;
  state.counters["predicted"] = predicted;
  state.counters["ratio"] = predicted / measured;
}

void elements(benchmark::State& state) {
  OptimizerStep optimizer = started({});
  const std::vector<double> gradients = normal(1, 1);
  double seconds = 0;
  for ([[maybe_unused]] auto _ : state) {
    seconds += seconds_of([&] { benchmark::DoNotOptimize(optimizer.step(gradients)); });
  }
  state.counters["elements"] =
      benchmark::Counter(static_cast<double>(kWeights) * static_cast<double>(state.iterations()) / seconds);
}

const bool registered = [] {
  for (const auto& [name, rate] : {std::pair{"1e-5", 1e-5}, std::pair{"1e-4", 1e-4}, std::pair{"1e-3", 1e-3}}) {
    for (const std::uint64_t step : {std::uint64_t{10}, std::uint64_t{300}}) {
      const std::string full =
          "Prediction/AdamW bf16 swallowed, lr " + std::string(name) + ", step " + std::to_string(step);
      benchmark::RegisterBenchmark(full.c_str(),
                                   [rate, step](benchmark::State& state) { swallowed(state, rate, step); })
          ->Iterations(1)
          ->Unit(benchmark::kMillisecond);
    }
  }
  benchmark::RegisterBenchmark("Step/AdamW bf16", elements)->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
}  // namespace assay
