// Matrix units: time for a product, rows that stay in the cache and rows from memory (16 bytes a product are read).

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "num/matrix_unit.h"

namespace assay {
namespace {

void products(benchmark::State& state, const std::string& name) {
  const MatrixUnit unit = *matrix_unit(name);
  const auto rows = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t kLength = 256;
  std::vector<double> a(rows * kLength), b(rows * kLength), c(rows);
  std::uint64_t word = 1;
  for (std::vector<double>* values : {&a, &b}) {
    for (double& value : *values) {
      word = word * 6364136223846793005ULL + 1442695040888963407ULL;
      value = static_cast<double>(static_cast<std::int64_t>(word >> 60) - 8) / 8;  // of every format
    }
  }
  for (auto _ : state) {
    multiply_accumulate(unit, rows, kLength, a.data(), b.data(), c.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(rows * kLength));
}
BENCHMARK_CAPTURE(products, v100_fp16, "v100/fp16")->Arg(256)->Arg(32'768);
BENCHMARK_CAPTURE(products, a100_bf16, "a100/bf16")->Arg(256)->Arg(32'768);
BENCHMARK_CAPTURE(products, h100_e4m3, "h100/e4m3")->Arg(256)->Arg(32'768);
BENCHMARK_CAPTURE(products, exact, "ascend/fp16")->Arg(256);
BENCHMARK_CAPTURE(products, cdna2_pairs, "cdna2/fp16")->Arg(256);
BENCHMARK_CAPTURE(products, cdna3_staged, "cdna3/fp16")->Arg(256);
BENCHMARK_CAPTURE(products, amx_lanes, "amx/bf16")->Arg(256);

}  // namespace
}  // namespace assay
