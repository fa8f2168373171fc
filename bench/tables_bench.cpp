// Tables and codecs, each beside a peer that is timed in the same run (processor time, so that a busy machine hurts
// both alike): `x_peer` is how many times faster we are.
//
//   csv     pandas.read_csv, where a python3 with pandas is found (ASSAY_PANDAS names another), and cutting at
//           delimiters and fast_float alone, nothing kept: the limit
//   jsonl   simdjson's on-demand parser, line by line, every number fetched, nothing kept
//   codecs  the library's own call on the whole buffer at once

#include <benchmark/benchmark.h>
#include <fast_float/fast_float.h>
#include <simdjson.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <string>
#include <string_view>

#include "format/codec/codec.h"
#include "format/reader.h"
#include "timing.h"

namespace assay {
namespace {

constexpr int kRows = 400'000;

double noise(int i) {
  std::uint64_t state = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15;
  state = (state ^ (state >> 31)) * 0xbf58476d1ce4e5b9;
  return static_cast<double>(state >> 11) * 0x1p-53 - 0.5;
}

// The columns of `peer_speeds.py make csv`.
std::string rows(const char* format) {
  std::string text;
  char line[256];
  for (int i = 1; i <= kRows; ++i) {
    const int length =
        std::snprintf(line, sizeof line, format, i, 2 + 9 * std::exp(-i / 2e4) + 0.04 * noise(i),
                      0.4 + std::fabs(0.1 * noise(i + 1)), 3e-4 * std::min(1.0, i / 2000.0), 180 + 6 * noise(i + 2));
    text.append(line, static_cast<std::size_t>(length));
  }
  return text;
}

const std::string& csv_text() {
  static const std::string kText = "step,loss,grad_norm,learning_rate,throughput\n" + rows("%d,%.6f,%.4f,%.6e,%.1f\n");
  return kText;
}

const std::string& jsonl_text() {
  static const std::string kText =
      rows("{\"step\": %d, \"loss\": %.6f, \"grad_norm\": %.4f, \"learning_rate\": %.6e, \"throughput\": %.1f}\n");
  return kText;
}

void compare(benchmark::State& state, std::size_t bytes, double ours, double peers) {
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  state.counters["x_peer"] = peers / ours;
}

void read_table(benchmark::State& state, const char* path, const std::string& text, const std::function<void()>& peer) {
  const auto read = [&] { benchmark::DoNotOptimize(read_bytes(path, text, 1 << 20)); };
  for (auto _ : state) read();
  if (read_bytes(path, text).rows() != kRows) state.SkipWithError("not all rows were read");
  compare(state, text.size(), seconds_of(read), seconds_of(peer));
}

void split_and_convert(std::string_view text) {
  double sum = 0;
  const char* at = text.data() + text.find('\n') + 1;
  const char* const end = text.data() + text.size();
  while (at != end) {
    double value = 0;
    at = fast_float::from_chars(at, end, value).ptr + 1;
    sum += value;
  }
  benchmark::DoNotOptimize(sum);
}

void csv_beside_the_limit(benchmark::State& state) {
  read_table(state, "run.csv", csv_text(), [] { split_and_convert(csv_text()); });
}
BENCHMARK(csv_beside_the_limit)->Unit(benchmark::kMillisecond);

// Processor seconds that pandas needs; 0 where it is not installed.
double pandas_seconds(const std::string& path) {
  const char* python = std::getenv("ASSAY_PANDAS");
  const std::string command = std::string(python != nullptr ? python : "python3") +
                              " -c \"import time, pandas\nbest = 1e9\nfor _ in range(4):\n t = time.process_time()\n "
                              "pandas.read_csv('" +
                              path + "')\n best = min(best, time.process_time() - t)\nprint(best)\" 2>/dev/null";
  std::FILE* pipe = popen(command.c_str(), "r");
  double seconds = 0;
  if (pipe == nullptr) return 0;
  if (std::fscanf(pipe, "%lf", &seconds) != 1) seconds = 0;
  pclose(pipe);
  return seconds;
}

void csv_beside_pandas(benchmark::State& state) {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("assay_bench_" + std::to_string(getpid()) + ".csv")).string();
  std::ofstream(path, std::ios::binary) << csv_text();
  const auto read = [&] { benchmark::DoNotOptimize(read_file(path, {.named = true})); };
  for (auto _ : state) read();
  const double peer = pandas_seconds(path);
  compare(state, csv_text().size(), seconds_of(read), peer);
  if (peer == 0) state.SetLabel("pandas is not installed");
  std::filesystem::remove(path);
}
BENCHMARK(csv_beside_pandas)->Unit(benchmark::kMillisecond);

void parse_with_simdjson(const std::string& text) {
  simdjson::ondemand::parser parser;
  const simdjson::padded_string padded(text);
  double sum = 0;
  const char* at = padded.data();
  const char* const end = at + padded.size();
  while (at != end) {
    const auto* newline = static_cast<const char*>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    const auto length = static_cast<std::size_t>(newline - at);
    auto document = parser.iterate(at, length, length + simdjson::SIMDJSON_PADDING);
    simdjson::ondemand::object object;
    if (document.get_object().get(object) != simdjson::SUCCESS) return;
    for (auto field : object) {
      double value = 0;
      if (field.value().get_double().get(value) == simdjson::SUCCESS) sum += value;
    }
    at = newline + 1;
  }
  benchmark::DoNotOptimize(sum);
}

void jsonl_beside_simdjson(benchmark::State& state) {
  read_table(state, "run.jsonl", jsonl_text(), [] { parse_with_simdjson(jsonl_text()); });
}
BENCHMARK(jsonl_beside_simdjson)->Unit(benchmark::kMillisecond);

class Nowhere : public ByteSink {
 public:
  void take(std::span<const char> bytes) override { size += bytes.size(); }
  std::size_t size = 0;
};

void unpack(const std::string& packed, Codec codec) {
  Nowhere sink;
  const auto decoder = open_decoder(codec);
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  for (std::size_t at = 0; at < packed.size(); at += kPiece)
    decoder->feed(std::string_view(packed).substr(at, kPiece), sink);
  benchmark::DoNotOptimize(sink.size);
}

void gzip_beside_zlib(benchmark::State& state) {
  const std::string& text = csv_text();
  std::string packed(compressBound(static_cast<uLong>(text.size())) + 64, '\0');
  z_stream deflater{};
  deflateInit2(&deflater, 6, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY);
  deflater.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  deflater.avail_in = static_cast<uInt>(text.size());
  deflater.next_out = reinterpret_cast<Bytef*>(packed.data());
  deflater.avail_out = static_cast<uInt>(packed.size());
  deflate(&deflater, Z_FINISH);
  packed.resize(deflater.total_out);
  deflateEnd(&deflater);
  std::string out(text.size(), '\0');
  const auto peer = [&] {
    z_stream stream{};
    inflateInit2(&stream, MAX_WBITS + 16);
    stream.next_in = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
  };
  for (auto _ : state) unpack(packed, Codec::kGzip);
  compare(state, text.size(), seconds_of([&] { unpack(packed, Codec::kGzip); }), seconds_of(peer));
}
BENCHMARK(gzip_beside_zlib)->Unit(benchmark::kMillisecond);

void zstd_beside_zstd(benchmark::State& state) {
  const std::string& text = csv_text();
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
  std::string out(text.size(), '\0');
  const auto peer = [&] { ZSTD_decompress(out.data(), out.size(), packed.data(), packed.size()); };
  for (auto _ : state) unpack(packed, Codec::kZstd);
  compare(state, text.size(), seconds_of([&] { unpack(packed, Codec::kZstd); }), seconds_of(peer));
}
BENCHMARK(zstd_beside_zstd)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace assay
