// The main job from end to end: a log of a million records is read, put together and judged.
//
// Peak memory is that of a process of its own (a forked child that does nothing else), less what the same process
// needs for a log of one record; divided by the values that were kept. The bars: less than 3 s, at most 16 bytes for
// a kept value.

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "assay/check.h"

namespace assay {
namespace {

enum class Kind { kMegatron, kCsv };

struct Row {
  double loss, grad_norm, throughput;
};

Row row_of(std::int64_t i, std::uint64_t& state) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  const double noise = static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
  return {2 + 9 * std::exp(-static_cast<double>(i) / 2e4) + 0.05 * noise, 0.4 + 0.1 * noise, 180 + 5 * noise};
}

std::string megatron_line(std::int64_t i, std::int64_t records, const Row& row) {
  char line[640];
  const int length = std::snprintf(
      line, sizeof line,
      " [2026-01-05 10:00:%02d] iteration %8lld/%8lld | consumed samples: %12lld | elapsed time per iteration (ms): "
      "1234.5 | "
      "throughput per GPU (TFLOP/s/GPU): %.1f | learning rate: %.6E | global batch size:   512 | lm loss: %.6E | "
      "loss scale: 1.0 | grad norm: %.3f | num zeros: 0 | params norm: 512.345 | number of skipped iterations:   0 | "
      "number of nan iterations:   0 |\n",
      static_cast<int>(i % 60), static_cast<long long>(i), static_cast<long long>(records),
      static_cast<long long>(i) * 512, row.throughput, 3e-4 * std::fmin(1.0, static_cast<double>(i) / 2000), row.loss,
      row.grad_norm);
  return {line, static_cast<std::size_t>(length)};
}

std::string csv_line(std::int64_t i, const Row& row) {
  char line[160];
  const int length = std::snprintf(line, sizeof line, "%lld,%.6f,%.4f,%.6e,%.1f\n", static_cast<long long>(i), row.loss,
                                   row.grad_norm, 3e-4 * std::fmin(1.0, static_cast<double>(i) / 2000), row.throughput);
  return {line, static_cast<std::size_t>(length)};
}

/// A log of so many records in a temporary folder, written once.
std::string log_file(Kind kind, std::int64_t records) {
  const auto folder = std::filesystem::temp_directory_path() / ("assay_bench_" + std::to_string(getuid()));
  std::filesystem::create_directories(folder);
  const auto path = folder / ((kind == Kind::kCsv ? "csv_" : "megatron_") + std::to_string(records) +
                              (kind == Kind::kCsv ? ".csv" : ".log"));
  if (!std::filesystem::exists(path)) {
    std::ofstream out(path, std::ios::binary);
    if (kind == Kind::kCsv) out << "step,loss,grad_norm,learning_rate,throughput\n";
    std::uint64_t state = 1;
    for (std::int64_t i = 1; i <= records; ++i) {
      const Row row = row_of(i, state);
      out << (kind == Kind::kCsv ? csv_line(i, row) : megatron_line(i, records, row));
    }
  }
  return path.string();
}

/// Peak resident memory of a child that checks the file, in bytes.
double peak_memory(const std::string& path) {
  const pid_t child = fork();
  if (child == 0) {
    CheckOptions options;
    options.jobs = 1;
    _exit(check({path}, options) ? 0 : 1);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) != child || status != 0) return 0;
  return static_cast<double>(usage.ru_maxrss) * 1024;
}

void check_log(benchmark::State& state, Kind kind) {
  constexpr std::int64_t kRecords = 1'000'000;
  const std::string path = log_file(kind, kRecords);
  const double small = peak_memory(log_file(kind, 1));
  const double large = peak_memory(path);
  double kept = 0;
  CheckOptions options;
  options.jobs = 1;
  for (auto _ : state) {
    const auto report = check({path}, options);
    if (!report || report->runs.size() != 1) return state.SkipWithError("the log was not read as one run");
    kept = 0;
    for (const SeriesSummary& series : report->runs[0].series) kept += static_cast<double>(series.points);
    benchmark::DoNotOptimize(report);
  }
  state.SetItemsProcessed(state.iterations() * kRecords);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(std::filesystem::file_size(path)));
  state.counters["values_kept"] = kept;
  state.counters["bytes_per_value"] = (large - small) / kept;
}

BENCHMARK_CAPTURE(check_log, megatron_1e6_records, Kind::kMegatron)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(check_log, csv_1e6_records, Kind::kCsv)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
