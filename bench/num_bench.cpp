// Conversions and roundings of arrays.
//
// Conversions stand beside a plain loop over the same streams in the same run: one that reads and writes the same bytes
// and does nothing but cut off (or append) bits. `of_plain` is our speed by its: what is left of the memory's, or of
// the cache's where the arrays are small. Beside them numpy and ml_dtypes where a python3 with them is found
// (ASSAY_PYTHON names another): `x_peer` is how many times faster we are. Times are of the processor, so that a busy
// machine hurts both alike.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "assay/number_format.h"
#include "num/convert.h"
#include "num/rounder.h"
#include "timing.h"

namespace assay {
namespace {

constexpr std::size_t kInMemory = std::size_t{1} << 26;  // 64 Mi numbers: 256 MiB of floats
constexpr std::size_t kInCache = std::size_t{1} << 12;   // 16 KiB

/// Numbers as weights and activations have them: normal distribution (a sum of uniforms), sigma 1, times `scale`.
const std::vector<float>& numbers() {
  static const std::vector<float> values = [] {
    std::vector<float> out(kInMemory);
    std::uint64_t state = 1;
    for (float& value : out) {
      double sum = -2;
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      for (int part = 0; part < 4; ++part) sum += static_cast<double>(state >> (16 * part) & 0xFFFF) / 65536;
      value = static_cast<float>(sum * 1.7);
    }
    return out;
  }();
  return values;
}

template <typename T>
std::vector<T>& scratch() {
  static std::vector<T> out(kInMemory);
  return out;
}

template <typename To, typename From>
void __attribute__((noinline)) plain_narrowing(const From* in, To* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<To>(in[i]);
}

template <typename Code>
void plain_encode(std::size_t count) {
  const auto* in = reinterpret_cast<const std::uint32_t*>(numbers().data());
  plain_narrowing(in, scratch<Code>().data(), count);
  benchmark::ClobberMemory();
}

template <typename Code>
void plain_decode(std::size_t count) {
  plain_narrowing(scratch<Code>().data(), scratch<std::uint32_t>().data(), count);
  benchmark::ClobberMemory();
}

/// Small arrays are gone over often enough to be measurable.
double seconds_for(std::size_t count, const auto& once) {
  const std::size_t times = kInMemory / count / 4 + 1;
  return seconds_of([&] {
           for (std::size_t i = 0; i < times; ++i) once();
         }) /
         static_cast<double>(times);
}

/// Processor seconds that numpy and ml_dtypes need for one number, by "encode fp16" and the like. Empty where they are
/// not installed.
const std::map<std::string, double>& peers() {
  static const std::map<std::string, double> seconds = [] {
    const char* python = std::getenv("ASSAY_PYTHON");
    const std::string command = std::string(python != nullptr ? python : "python3") + R"( -c "
import time, numpy as np, ml_dtypes as ml
x = np.random.default_rng(1).standard_normal(1 << 24, dtype=np.float32)
def best(work):
    times = []
    for _ in range(3):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times) / x.size
for name, kind in ('fp16', np.float16), ('bf16', ml.bfloat16), ('e4m3', ml.float8_e4m3fn), ('e5m2', ml.float8_e5m2):
    y = x.astype(kind)
    print('encode', name, best(lambda: x.astype(kind)))
    print('decode', name, best(lambda: y.astype(np.float32)))
" 2>/dev/null)";
    std::map<std::string, double> out;
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return out;
    char direction[16];
    char name[16];
    double value = 0;
    while (std::fscanf(pipe, "%15s %15s %lf", direction, name, &value) == 3)
      out[std::string(direction) + ' ' + name] = value;
    pclose(pipe);
    return out;
  }();
  return seconds;
}

/// Ours beside the plain loop, each in turn, and beside the peer where the arrays are as large as its.
void compare(benchmark::State& state, std::size_t count, const std::string& name, const auto& ours, const auto& plain) {
  for (auto _ : state) ours();
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
  const double our_seconds = seconds_for(count, ours);
  state.counters["of_plain"] = seconds_for(count, plain) / our_seconds;
  if (count != kInMemory) return;
  const auto peer = peers().find(name);
  if (peer != peers().end())
    state.counters["x_peer"] = peer->second * static_cast<double>(count) / our_seconds;
  else
    state.SetLabel("numpy and ml_dtypes are not installed");
}

template <typename Code>
void encode_into(benchmark::State& state, const char* name) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const Encoder encoder(*number_format(name));
  const auto ours = [&] {
    encoder(std::span(numbers()).first(count), std::span(scratch<Code>()).first(count));
    benchmark::ClobberMemory();
  };
  compare(state, count, std::string("encode ") + name, ours, [&] { plain_encode<Code>(count); });
}

template <typename Code>
void decode_from(benchmark::State& state, const char* name) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const NumberFormat format = *number_format(name);
  Encoder{format}(numbers(), std::span(scratch<Code>()));
  const Decoder decoder(format);
  const auto ours = [&] {
    decoder(std::span<const Code>(scratch<Code>()).first(count), std::span(scratch<float>()).first(count));
    benchmark::ClobberMemory();
  };
  compare(state, count, std::string("decode ") + name, ours, [&] { plain_decode<Code>(count); });
}

constexpr auto* encode_8 = encode_into<std::uint8_t>;
constexpr auto* encode_16 = encode_into<std::uint16_t>;
constexpr auto* decode_8 = decode_from<std::uint8_t>;
constexpr auto* decode_16 = decode_from<std::uint16_t>;

#define ASSAY_SIZES ->Arg(kInMemory)->Arg(kInCache)->Unit(benchmark::kMicrosecond)
BENCHMARK_CAPTURE(encode_16, fp16, "fp16") ASSAY_SIZES;
BENCHMARK_CAPTURE(encode_16, bf16, "bf16") ASSAY_SIZES;
BENCHMARK_CAPTURE(encode_8, e4m3, "e4m3") ASSAY_SIZES;
BENCHMARK_CAPTURE(encode_8, e5m2, "e5m2") ASSAY_SIZES;
BENCHMARK_CAPTURE(decode_16, fp16, "fp16") ASSAY_SIZES;
BENCHMARK_CAPTURE(decode_16, bf16, "bf16") ASSAY_SIZES;
BENCHMARK_CAPTURE(decode_8, e4m3, "e4m3") ASSAY_SIZES;
BENCHMARK_CAPTURE(decode_8, e5m2, "e5m2") ASSAY_SIZES;

void rounder(benchmark::State& state, Rounding rounding) {
  const auto count = static_cast<std::size_t>(state.range(0));
  const Rounder round(*number_format("fp16"), {.rounding = rounding});
  for (auto _ : state) {
    round(std::span(numbers()).first(count), std::span(scratch<float>()).first(count));
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}
BENCHMARK_CAPTURE(rounder, nearest_even, Rounding::kNearestEven) ASSAY_SIZES;
BENCHMARK_CAPTURE(rounder, nearest_away, Rounding::kNearestAway) ASSAY_SIZES;
BENCHMARK_CAPTURE(rounder, toward_zero, Rounding::kTowardZero) ASSAY_SIZES;
BENCHMARK_CAPTURE(rounder, up, Rounding::kUp) ASSAY_SIZES;
BENCHMARK_CAPTURE(rounder, down, Rounding::kDown) ASSAY_SIZES;
BENCHMARK_CAPTURE(rounder, to_odd, Rounding::kToOdd) ASSAY_SIZES;
BENCHMARK_CAPTURE(rounder, stochastic, Rounding::kStochastic) ASSAY_SIZES;

}  // namespace
}  // namespace assay
