// Containers of records, each beside a peer that is timed in the same run (processor time, so that a busy machine hurts
// both alike): `x_peer` is how many times faster we are.
//
//   event file   TensorBoard's own EventAccumulator (reload, every scalar), where a python3 with tensorboard is found
//                (ASSAY_TENSORBOARD names another); bar: 100
//   W&B          zlib's CRC-32 of the same bytes, which no reader can do without: the limit; bar: 300 MB/s

#include <benchmark/benchmark.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "format/reader.h"
#include "format/records/event_file_writer.h"
#include "format/records/wandb_writer.h"
#include "timing.h"

namespace assay {
namespace {

constexpr int kSteps = 100'000;

double noise(int i) {
  std::uint64_t state = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15;
  state = (state ^ (state >> 31)) * 0xbf58476d1ce4e5b9;
  return static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
}

// A loss that falls, its grad norm and its learning rate, as a run logs them.
std::array<double, 4> values_at(int i) {
  return {2 + 9 * std::exp(-i / 2e4) + 0.04 * noise(i), 0.4 + std::fabs(0.1 * noise(i + 1)),
          3e-4 * std::min(1.0, i / 2000.0), 180 + 6 * noise(i + 2)};
}
constexpr std::array<const char*, 4> kTags{"train/loss", "train/grad_norm", "train/learning_rate", "train/throughput"};

const std::string& event_file() {
  static const std::string kBytes = [] {
    EventFileWriter writer(1.7e9);
    for (int i = 1; i <= kSteps; ++i) {
      writer.set_time(1.7e9 + i);
      const auto values = values_at(i);
      for (std::size_t k = 0; k < kTags.size(); ++k) writer.scalar(kTags[k], i, static_cast<float>(values[k]));
    }
    return writer.bytes();
  }();
  return kBytes;
}

const std::string& wandb_file() {
  static const std::string kBytes = [] {
    WandbWriter writer;
    for (int i = 1; i <= kSteps; ++i) {
      const auto values = values_at(i);
      std::array<std::string, 6> texts;
      std::array<std::pair<std::string_view, std::string_view>, 6> items;
      for (std::size_t k = 0; k < kTags.size(); ++k) {
        texts[k] = std::to_string(values[k]);
        items[k] = {kTags[k], texts[k]};
      }
      texts[4] = std::to_string(1.7e9 + i);
      texts[5] = std::to_string(i * 0.5);
      items[4] = {"_timestamp", texts[4]};
      items[5] = {"_runtime", texts[5]};
      writer.history(i, items);
    }
    return writer.bytes();
  }();
  return kBytes;
}

// Processor seconds that TensorBoard needs for the file; 0 where it is not installed.
double tensorboard_seconds(const std::string& path) {
  const char* python = std::getenv("ASSAY_TENSORBOARD");
  const std::string command =
      std::string(python != nullptr ? python : "python3") +
      " -c \"import time\nfrom tensorboard.backend.event_processing.event_accumulator import EventAccumulator\n"
      "t = time.process_time()\na = EventAccumulator('" +
      path +
      "', size_guidance={'scalars': 0})\na.Reload()\nfor tag in a.Tags()['scalars']: a.Scalars(tag)\n"
      "print(time.process_time() - t)\" 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  double seconds = 0;
  if (pipe == nullptr) return 0;
  if (std::fscanf(pipe, "%lf", &seconds) != 1) seconds = 0;
  pclose(pipe);
  return seconds;
}

void event_file_beside_tensorboard(benchmark::State& state) {
  const auto folder = std::filesystem::temp_directory_path();
  const std::string path = (folder / ("events.out.tfevents." + std::to_string(getpid()))).string();
  std::ofstream(path, std::ios::binary) << event_file();
  const auto read = [&] { benchmark::DoNotOptimize(read_file(path, {.named = true})); };
  for (auto _ : state) read();
  if (read_file(path, {.named = true}).rows() != kSteps) state.SkipWithError("not all rows were read");
  const double peer = tensorboard_seconds(path);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(event_file().size()));
  state.counters["x_peer"] = peer / seconds_of(read);
  if (peer == 0) state.SetLabel("tensorboard is not installed");
  std::filesystem::remove(path);
}
BENCHMARK(event_file_beside_tensorboard)->Unit(benchmark::kMillisecond);

void wandb_beside_the_limit(benchmark::State& state) {
  const std::string& bytes = wandb_file();
  const auto read = [&] { benchmark::DoNotOptimize(read_bytes("run.wandb", bytes, 1 << 20)); };
  for (auto _ : state) read();
  if (read_bytes("run.wandb", bytes).rows() != kSteps) state.SkipWithError("not all rows were read");
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes.size()));
  const auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
  const auto limit = [&] { benchmark::DoNotOptimize(crc32_z(0, data, bytes.size())); };
  state.counters["x_peer"] = seconds_of(limit) / seconds_of(read);
}
BENCHMARK(wandb_beside_the_limit)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
