// Speed of the line engine: MB/s for a Megatron log, a log of no known dialect, a Hugging Face log and prose, each
// beside the machine's own limit in the same run: the same bytes cut into lines with memchr. The counter `of_split` is
// the share of that split's speed.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>

#include "format/lines/text_log.h"

namespace assay {
namespace {

constexpr std::size_t kBytes = std::size_t{64} << 20;
constexpr std::size_t kChunk = std::size_t{64} << 10;

class Numbers {
 public:
  double next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(state_ >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_ = 1;
};

template <class Line>
std::string fill(Line line) {
  std::string out;
  out.reserve(kBytes + 4096);
  char text[1024];
  for (int i = 1; out.size() < kBytes; ++i) {
    line(text, sizeof text, i);
    out += text;
  }
  return out;
}

const std::string& megatron() {
  static const std::string log = [] {
    Numbers r;
    return fill([&r](char* text, std::size_t size, int i) {
      std::snprintf(
          text, size,
          " [2024-05-28 22:%02d:%02d] iteration %8d/ 1000000 | consumed samples: %12d | elapsed time per iteration "
          "(ms): %.1f "
          "| throughput per GPU (TFLOP/s/GPU): %.1f | learning rate: %.6E | global batch size: %5d | lm loss: %.6E | "
          "loss "
          "scale: %.1f | grad norm: %.3f | number of skipped iterations: %3d | number of nan iterations: %3d |\n",
          i / 60 % 60, i % 60, i, i * 512, 6700 + 10 * r.next(), 180 + r.next(), 3e-5 * r.next(), 512, 2 + r.next(),
          65536.0, r.next(), 0, 0);
    });
  }();
  return log;
}

const std::string& unknown() {
  static const std::string log = [] {
    Numbers r;
    return fill([&r](char* text, std::size_t size, int i) {
      std::snprintf(text, size,
                    "trainer update: %d, objective loss: %.5f, grad_norm: %.4f, lr: %.3e, tokens: %lld, wait_s: %.3f, "
                    "queue_depth: %d\n",
                    i, 2 + r.next(), r.next(), 1e-4 * r.next(), 4096LL * i, r.next(), i % 17);
    });
  }();
  return log;
}

const std::string& plain() {
  static const std::string log = [] {
    Numbers r;
    return fill([&r](char* text, std::size_t size, int i) {
      std::snprintf(text, size, "step: %d loss: %.5f grad_norm: %.4f lr: %.3e\n", i, 2 + r.next(), r.next(),
                    1e-4 * r.next());
    });
  }();
  return log;
}

const std::string& huggingface() {
  static const std::string log = [] {
    Numbers r;
    return fill([&r](char* text, std::size_t size, int i) {
      std::snprintf(text, size, "{'loss': %.4f, 'grad_norm': %.16f, 'learning_rate': %.16e, 'epoch': %.2f}\n",
                    2 + r.next(), r.next(), 1e-5 * r.next(), i * 1e-5);
    });
  }();
  return log;
}

// As MLPerf submissions write it: a loss at most lines, an evaluation now and then.
const std::string& mllog() {
  static const std::string log = [] {
    Numbers r;
    return fill([&r](char* text, std::size_t size, int i) {
      std::snprintf(text, size,
                    ":::MLLOG {\"namespace\": \"\", \"time_ms\": %lld, \"event_type\": \"POINT_IN_TIME\", \"key\": "
                    "\"%s\", \"value\": %.16f, \"metadata\": {\"file\": \"/workspace/llm/mlperf_utils.py\", "
                    "\"lineno\": %d, \"samples_count\": %d}}\n",
                    1715111129469LL + 211159LL * i, i % 20 == 19 ? "eval_accuracy" : "train_loss", 2 + r.next(),
                    i % 20 == 19 ? 115 : 102, 640 * i);
    });
  }();
  return log;
}

const std::string& prose() {
  static const std::string log = [] {
    return fill([](char* text, std::size_t size, int i) {
      std::snprintf(text, size,
                    "node%d:87%02d:8863 [%d] NCCL INFO Channel %02d/32 : %d[%x000] -> %d[%x000] via P2P/IPC/read; ring "
                    "%s of the group\n",
                    i % 64, i % 97, i % 8, i % 32, i % 8, i % 16, (i + 1) % 8, i % 13,
                    i % 2 != 0 ? "forward" : "backward");
    });
  }();
  return log;
}

// Seconds of processor time: on a busy machine the wall clock measures the neighbours.
double now() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double seconds_of(const auto& work) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const double start = now();
    work();
    best = std::min(best, now() - start);
  }
  return best;
}

std::int64_t split(const std::string& log) {
  std::int64_t lines = 0;
  const char* p = log.data();
  const char* const end = p + log.size();
  while (const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end - p)))) {
    ++lines;
    p = newline + 1;
  }
  return lines;
}

void read(benchmark::State& state, const std::string& (*log)()) {
  const std::string& bytes = log();
  const double split_time = seconds_of([&] { benchmark::DoNotOptimize(split(bytes)); });
  std::size_t rows = 0;
  double best = 1e9;
  for (auto _ : state) {
    const double start = now();
    Recorder recorder("bench.log");
    const auto reader = open_text_log(recorder);
    for (std::size_t at = 0; at < bytes.size(); at += kChunk) {
      reader->feed({bytes.data() + at, std::min(kChunk, bytes.size() - at)});
    }
    reader->finish(false);
    rows = recorder.rows();
    benchmark::DoNotOptimize(rows);
    best = std::min(best, now() - start);
  }
  state.counters["MB/s"] = static_cast<double>(bytes.size()) / best / 1e6;
  state.counters["split_MB/s"] = static_cast<double>(bytes.size()) / split_time / 1e6;
  state.counters["of_split"] = split_time / best;
  state.counters["rows"] = static_cast<double>(rows);
}

BENCHMARK_CAPTURE(read, megatron, megatron)->Name("lines/megatron")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, unknown, unknown)->Name("lines/unknown_format")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, plain, plain)->Name("lines/short_key_value")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, huggingface, huggingface)->Name("lines/huggingface")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, mllog, mllog)->Name("lines/mllog")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read, prose, prose)->Name("lines/prose")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
